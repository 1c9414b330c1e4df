//! AEZ, message by message: known answers, and random messages against an independent implementation and
//! the reference.
//!
//! `ABREAST_CASES` is the number of random messages, `ABREAST_SEED` the seed of the first; message `n` has the
//! seed plus `n`, and a failure names it.

use crate::common::aez::{Message, Shape, at_every_kernel};
use crate::common::{Random, long_or_short, number, same, short, tally};
use abreast_vectors::{AezCase, AezExtractCase};

/// Some of many, in the short form.
fn some<T>(cases: Vec<T>) -> impl Iterator<Item = T> {
    cases.into_iter().step_by(long_or_short(1, 7))
}

#[test]
fn known_answers() {
    for (set, cases) in [("aez", abreast_vectors::aez()), ("generated_aez", abreast_vectors::generated_aez())]
    {
        assert!(cases.len() > 200);
        for AezCase { name, key, nonce, ads, tag_len, plaintext, ciphertext } in some(cases) {
            Message { key, nonce, ads, tag_len, plaintext, ciphertext }.at_every_kernel(&name);
            tally::case(set);
        }
    }
}

/// A key gives the same results as its subkeys, which are a key of 48 bytes.
#[test]
fn known_answers_of_subkeys() {
    let cases = abreast_vectors::aez_extract();
    assert!(cases.len() > 100);
    for AezExtractCase { name, key, subkeys } in some(cases) {
        let made = |key: &[u8], len: usize| {
            at_every_kernel(key).into_iter().map(move |aez| {
                let mut buffer = vec![0x3c; len];
                aez.encrypt_joined(b"nonce", &[b"data"], buffer.as_mut_slice()).expect("room");
                buffer
            })
        };
        for len in [16, 40, 100] {
            assert!(made(&key, len).eq(made(&subkeys, len)), "{name}, {len} bytes");
        }
        tally::case("aez_extract");
    }
}

/// Up to 17 of them, from the vectors of the hash.
#[test]
fn strings_of_many_numbers_and_lengths() {
    for case in some(abreast_vectors::aez_hash()) {
        let Some((nonce, ads)) = case.strings.split_first() else { continue };
        for (tag_len, plaintext) in [(16, vec![]), (8, vec![7; 20]), (16, vec![7; 50])] {
            let mut message = Message {
                key: case.key.clone(),
                nonce: nonce.clone(),
                ads: ads.to_vec(),
                tag_len,
                plaintext,
                ciphertext: Vec::new(),
            };
            message.ciphertext = message.by_reference();
            message.at_every_kernel(&case.name);
        }
    }
}

#[test]
fn every_length() {
    let mut random = Random::new(201);
    for len in 0..=long_or_short(2048, 280) {
        let shape = Shape::random(&mut random, len);
        Message::new(&mut random, &shape).at_every_kernel("every length");
        // Every number of bytes between the pairs and the last two blocks without a tag, and with the usual one.
        for tag in [0, 16] {
            if len <= long_or_short(600, 100) {
                let shape = Shape { tag, ..Shape::of(len) };
                Message::new(&mut random, &shape).at_every_kernel("every length");
            }
        }
    }
}

#[test]
fn long_messages() {
    let mut random = Random::new(202);
    let near = [-33, -32, -17, -16, -1, 0, 1, 15, 16, 17, 32, 33];
    let chunks: &[usize] = if short() { &[2048] } else { &[2048, 4096, 8192, 16 << 10, 64 << 10, 256 << 10] };
    let mut lengths: Vec<usize> =
        chunks.iter().flat_map(|chunk| near.map(|by| chunk.wrapping_add_signed(by))).collect();
    lengths.extend([5000, 10_001]);
    if !short() {
        lengths.extend([100_003, (1 << 20) - 16, 1 << 20, (1 << 20) + 31]);
    }
    for len in lengths {
        let shape = Shape::random(&mut random, len);
        Message::new(&mut random, &shape).at_every_kernel("long messages");
    }
}

/// Lengths of all kinds: empty, AEZ-tiny, without pairs, with few and with more.
const KINDS: [usize; 12] = [0, 1, 2, 9, 15, 16, 20, 31, 33, 64, 111, 530];

#[test]
fn every_tag_length() {
    let mut random = Random::new(203);
    let lengths = (0..=80).chain([100, 127, 128, 129, 1000]);
    for tag in lengths.step_by(long_or_short(1, 3)) {
        for message in KINDS {
            let shape = Shape { tag, ..Shape::of(message) };
            Message::new(&mut random, &shape).at_every_kernel("every length of a tag");
        }
    }
}

#[test]
fn every_length_of_a_nonce_and_of_a_key() {
    let mut random = Random::new(204);
    for len in (0..=150).step_by(long_or_short(1, 5)) {
        for message in [0, 20, 100] {
            let shape = Shape { nonce: len, ..Shape::of(message) };
            Message::new(&mut random, &shape).at_every_kernel("every length of a nonce");
            let shape = Shape { key: len, ..Shape::of(message) };
            Message::new(&mut random, &shape).at_every_kernel("every length of a key");
        }
    }
}

#[test]
fn associated_data_of_every_shape() {
    let mut random = Random::new(205);
    for len in (0..=300).chain([511, 512, 1023, 1024, 1025, 1040, 5000]).step_by(long_or_short(1, 11)) {
        let shape = Shape { ads: vec![len], ..Shape::of(33) };
        Message::new(&mut random, &shape).at_every_kernel("data of every length");
    }
    // All vectors of up to five strings that are empty, a part of a block, a block, or more.
    const LENGTHS: [usize; 4] = [0, 5, 16, 40];
    let mut shapes: Vec<Vec<usize>> = vec![Vec::new()];
    let mut longest = shapes.clone();
    for _ in 0..5 {
        let longer = |shape: &Vec<usize>| LENGTHS.map(|len| [shape.as_slice(), &[len]].concat());
        longest = longest.iter().flat_map(longer).collect();
        shapes.extend(longest.iter().cloned());
    }
    assert_eq!(shapes.len(), 1 + 4 + 16 + 64 + 256 + 1024);
    for ads in shapes.into_iter().step_by(long_or_short(1, 37)) {
        let shape = Shape { ads, ..Shape::of(random.pick(&KINDS)) };
        Message::new(&mut random, &shape).at_every_kernel("data of every shape");
    }
}

/// Checks messages with exactly 16 bytes between the pairs and the last two blocks. Figure 3 of the paper hashes an empty
/// second part for them, and its text does not. The authors' implementation follows the figure, and so do all others.
#[test]
fn sixteen_bytes_between_the_pairs_and_the_end() {
    let mut random = Random::new(206);
    for pairs in (0..70).step_by(long_or_short(1, 9)) {
        for tag in [0, 1, 12, 16, 17, 32, 33, 48] {
            let Some(message) = (32 * pairs + 16 + 32_usize).checked_sub(tag) else { continue };
            let message = Message::new(&mut random, &Shape { tag, ..Shape::of(message) });
            same(&message.by_reference(), &message.ciphertext, || format!("the reference, {pairs} pairs"));
            message.at_every_kernel(&format!("{pairs} pairs"));
        }
    }
}

#[test]
fn random_messages() {
    let cases = number("ABREAST_CASES").unwrap_or(long_or_short(1000, 20) as u64);
    let first = number("ABREAST_SEED").unwrap_or(0x0ae2_ea57);
    for seed in first..first + cases {
        let mut random = Random::new(seed);
        let len = random.length();
        let mut shape = Shape::random(&mut random, len);
        if random.up_to(9) == 0 {
            shape.tag = random.up_to(200);
        }
        let message = Message::new(&mut random, &shape);
        if len < 1000 {
            same(&message.by_reference(), &message.ciphertext, || format!("the reference, seed {seed}"));
        }
        message.at_every_kernel(&format!("seed {seed}"));
    }
}
