//! AEZ, message by message: forgeries, and calls that must be refused.

use crate::common::aez::{MAX_DETACHED, Message, Shape, at_every_kernel, at_len, slices};
use crate::common::{Random, long_or_short, short};
use abreast::{Error, InOutBuf};

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
