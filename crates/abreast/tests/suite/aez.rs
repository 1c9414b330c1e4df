//! AEZ, message by message: known answers, random messages against an independent implementation and the
//! reference, and calls that must be refused.
//!
//! `ABREAST_CASES` is the number of random messages, `ABREAST_SEED` the seed of the first; message `n` has the
//! seed plus `n`, and a failure names it.

use crate::common::aez::{MAX_DETACHED, Message, Shape, at_every_kernel, at_len, slices};
use crate::common::{Random, long_or_short, number, same, short, tally};
use abreast::{Error, InOutBuf};
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

/// Flips each bit of a string, or some of many.
fn flips(message: &Message, part: impl Fn(&mut Message) -> &mut [u8], each: impl Fn(&Message, usize)) {
    let mut message = message.clone();
    let bits = 8 * part(&mut message).len();
    let step = if short() { 1 + bits / 8 } else { 1 + bits / 400 };
    for bit in (0..bits).step_by(step) {
        part(&mut message)[bit / 8] ^= 1 << (bit % 8);
        each(&message, bit);
        part(&mut message)[bit / 8] ^= 1 << (bit % 8);
    }
}

#[test]
fn any_bit_changed() {
    let mut random = Random::new(207);
    let of = |message, tag| Shape { ads: vec![3, 0, 17], tag, ..Shape::of(message) };
    let lengths = [0, 1, 2, 7, 15, 16, 17, 31, 32, 33, 47, 48, 49, 64, 80, 300, 1100];
    let shapes = lengths.map(|len| of(len, 16)).into_iter();
    let others = [(0, 4), (0, 32), (0, 40), (20, 8), (20, 12), (20, 32), (20, 40), (50, 32), (50, 70)];
    for shape in shapes.chain(others.map(|(message, tag)| of(message, tag))) {
        let message = Message::new(&mut random, &shape);
        for aez in at_every_kernel(&message.key) {
            let refused = |m: &Message, part: &str, bit| m.is_refused(&aez, || format!("{part}, bit {bit}"));
            message.at(&aez, "as it was");
            // Message and tag: all of it.
            flips(&message, |m| &mut m.ciphertext, |m, bit| refused(m, "ciphertext", bit));
            let len = shape.message;
            flips(&message, |m| &mut m.ciphertext[len..], |m, bit| refused(m, "tag", bit));
            flips(&message, |m| &mut m.nonce, |m, bit| refused(m, "nonce", bit));
            flips(&message, |m| &mut m.ads[0], |m, bit| refused(m, "first string", bit));
            flips(&message, |m| &mut m.ads[2], |m, bit| refused(m, "last string", bit));
        }
    }
}

/// Strings that run together to the same bytes, and others of them.
#[test]
fn anything_else_changed() {
    let mut random = Random::new(208);
    for len in [0, 1, 15, 20, 40, 64, 100] {
        let mut message = Message::new(&mut random, &Shape::of(len));
        message.ads = vec![b"ab".to_vec(), b"c".to_vec()];
        message.ciphertext = message.by_another();
        let other_keys = at_every_kernel(&[message.key.as_slice(), &[0]].concat());
        for (aez, other) in at_every_kernel(&message.key).into_iter().zip(other_keys) {
            let with = |change: &dyn Fn(&mut Message), why: &str| {
                let mut changed = message.clone();
                change(&mut changed);
                changed.is_refused(&aez, || why.to_owned());
            };
            let data: [&[&[u8]]; 12] = [
                &[],
                &[b""],
                &[b"abc"],
                &[b"a", b"bc"],
                &[b"", b"abc"],
                &[b"abc", b""],
                &[b"ab"],
                &[b"ab", b"c", b""],
                &[b"", b"ab", b"c"],
                &[b"ab", b"", b"c"],
                &[b"c", b"ab"],
                &[b"ab", b"c\x80"],
            ];
            for ads in data {
                let ads: Vec<_> = ads.iter().map(|ad| ad.to_vec()).collect();
                with(&|m| m.ads.clone_from(&ads), &format!("with {ads:?}"));
            }
            with(&|m| m.nonce.push(0), "a zero after the nonce");
            with(&|m| m.nonce.push(0x80), "the padding after the nonce");
            with(&|m| m.nonce.truncate(11), "a nonce cut short");
            with(&|m| m.nonce.clear(), "no nonce");
            with(&|m| m.nonce.extend(b"ab"), "the first string in the nonce too");
            with(&|m| m.ads.insert(0, m.nonce.clone()), "the nonce as a string too");
            with(&|m| m.ads.push(m.nonce.clone()), "the nonce as a string too, after");
            with(&|m| m.ciphertext.push(0), "a zero after it");
            with(&|m| m.ciphertext.extend([0; 16]), "a block of zeros after it");
            with(&|m| m.ciphertext.extend([0; 32]), "two blocks of zeros after it");
            with(&|m| m.ciphertext.insert(0, 0), "a zero before it");
            with(&|m| m.ciphertext.fill(0), "zeros");
            with(&|m| m.ciphertext.reverse(), "turned round");
            if len > 0 {
                with(&|m| m.ciphertext.truncate(m.ciphertext.len() - 1), "a byte less");
                with(&|m| m.ciphertext = m.ciphertext.split_off(1), "the first byte lost");
                with(&|m| m.ciphertext.truncate(16), "nothing but a tag, its beginning");
                with(&|m| m.ciphertext = m.ciphertext.split_off(len), "nothing but a tag, its end");
            }
            // The length of the tag goes into the hash.
            for tag_len in [8, 12, 15] {
                with(&|m| m.tag_len = tag_len, "said to have a shorter tag");
            }
            with(&|m| (m.tag_len, m.ciphertext) = (17, [&m.ciphertext[..], &[0]].concat()), "a longer one");
            message.is_refused(&other, || "another key".to_owned());
            message.at(&aez, "as it was");
        }
    }
}

/// The tag of an empty message is no sum that could be zero: an implementation has been known to take zeros.
#[test]
fn zeros_are_no_tag_of_an_empty_message() {
    let mut random = Random::new(209);
    for tag in (2..=80).step_by(long_or_short(1, 13)) {
        for ads in [vec![], vec![0], vec![5, 0]] {
            let mut message = Message::new(&mut random, &Shape { tag, ads, ..Shape::of(0) });
            assert_ne!(message.ciphertext, vec![0; tag]);
            for aez in at_every_kernel(&message.key) {
                message.at(&aez, "an empty message");
                for byte in [0, 0xff] {
                    let genuine = std::mem::replace(&mut message.ciphertext, vec![byte; tag]);
                    message.is_refused(&aez, || format!("nothing but {byte}"));
                    message.ciphertext = genuine;
                }
            }
        }
    }
}

/// Without a tag nothing is refused, and all of a message that was changed becomes another one.
#[test]
fn without_a_tag() {
    let mut random = Random::new(210);
    for len in [0, 1, 15, 16, 31, 32, 33, 48, 100, 1000] {
        let message = Message::new(&mut random, &Shape { tag: 0, ..Shape::of(len) });
        for aez in at_every_kernel(&message.key) {
            message.at(&aez, "without a tag");
            flips(
                &message,
                |m| &mut m.ciphertext,
                |m, bit| {
                    let mut buffer = m.ciphertext.clone();
                    let ads = &slices(&m.ads);
                    let io = buffer.as_mut_slice();
                    let opened = aez.unauthenticated().decrypt_detached(&m.nonce, ads, io, &[]);
                    assert_eq!(opened, Ok(()));
                    let what = format!("{len} bytes, bit {bit} on {}", aez.kernel());
                    assert_ne!(buffer, m.plaintext, "{what}");
                    if len >= 100 {
                        let kept = buffer.iter().zip(&m.plaintext).filter(|(a, b)| a == b).count();
                        assert!(kept < 10 + len / 50, "{what}: {kept} bytes are as they were");
                    }
                },
            );
        }
    }
}

/// Expects of a call that it fails and writes neither output nor tag, in place and from buffer to buffer.
#[track_caller]
fn untouched(
    error: Error,
    len: usize,
    tag_len: usize,
    what: &str,
    mut call: impl FnMut(InOutBuf<'_, '_, u8>, &mut [u8]) -> Result<(), Error>,
) {
    let (input, tag) = (vec![0x77; len], vec![0x99; tag_len]);
    let (mut buffer, mut made) = (input.clone(), tag.clone());
    assert_eq!(call(buffer.as_mut_slice().into(), &mut made), Err(error), "{what}");
    assert_eq!((&buffer, &made), (&input, &tag), "{what}, in place");
    let mut output = vec![0x3c; len];
    let io = InOutBuf::new(&buffer, &mut output).expect("equal lengths");
    assert_eq!(call(io, &mut made), Err(error), "{what}");
    assert_eq!((&buffer, &made, output), (&input, &tag, vec![0x3c; len]), "{what}, from buffer to buffer");
}

#[test]
fn tags_too_long_to_be_apart() {
    for aez in at_every_kernel(b"key") {
        for tag_len in (MAX_DETACHED + 1..70).chain([1000]) {
            for len in [0, 1, 16, 31, 32, 100, 1000] {
                let what = format!("{len} bytes with a tag of {tag_len} on {}", aez.kernel());
                untouched(Error::TagLength, len, tag_len, &what, |io, tag| {
                    at_len(&aez, tag_len).encrypt_detached(b"nonce", &[b"data"], io, tag)
                });
                untouched(Error::TagLength, len, tag_len, &what, |io, tag| {
                    at_len(&aez, tag_len).decrypt_detached(b"nonce", &[b"data"], io, tag)
                });
            }
        }
    }
}

#[test]
fn buffers_shorter_than_the_tag() {
    for aez in at_every_kernel(b"key") {
        for tag_len in (1..70).chain([1000, usize::MAX / 8, usize::MAX]) {
            for len in (0..tag_len.min(70)).step_by(long_or_short(3, 17)).chain([tag_len.min(71) - 1]) {
                let what = format!("{len} bytes for a tag of {tag_len} on {}", aez.kernel());
                untouched(Error::BufferTooShort, len, 0, &what, |io, _| {
                    at_len(&aez, tag_len).encrypt_joined(b"nonce", &[b"data"], io)
                });
                // No message has this ciphertext.
                crate::common::both_ways(
                    &vec![0x77; len],
                    &vec![0; len],
                    len,
                    || what.clone(),
                    |io| {
                        let opened = at_len(&aez, tag_len).decrypt_joined(b"nonce", &[b"data"], io);
                        assert_eq!(opened, Err(Error::TagMismatch), "{what}");
                    },
                );
            }
        }
    }
}

/// A tag is as long as the key says, and only a key that says so by its name has none.
#[test]
fn tags_of_other_lengths_than_those_of_the_key() {
    for aez in at_every_kernel(b"key") {
        assert_eq!(aez.with_tag_len(0).map(|_| ()), Err(Error::TagLength));
        for key_len in [0, 1, 12, 16, 32] {
            let key = at_len(&aez, key_len);
            for tag_len in (0..=33).filter(|len| *len != key_len) {
                let what = format!("a tag of {tag_len} for {key_len} on {}", aez.kernel());
                untouched(Error::TagLength, 50, tag_len, &what, |io, tag| {
                    key.encrypt_detached(b"nonce", &[b"data"], io, tag)
                });
                untouched(Error::TagLength, 50, tag_len, &what, |io, tag| {
                    key.decrypt_detached(b"nonce", &[b"data"], io, tag)
                });
            }
        }
    }
}
