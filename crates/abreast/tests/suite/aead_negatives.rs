//! Rejections by GCM, EAX and CMAC: of anything changed, and of lengths that the mode does not have. A message that is not
//! authentic leaves zeros, and an invalid call leaves everything unchanged.

use crate::common::modes::{Cmac, Eax, Gcm, Inputs, Mode};
use crate::common::{Fast, Random, Subject, label, long_or_short, same, short, subjects, subjects_16};
use abreast::modes::{Cmac as FastCmac, Direction, Eax as FastEax, Gcm as FastGcm};
use abreast::packets::{self, CmacKey, EaxKey, GcmKey, Packet};
use abreast::{Error, InOutBuf};

const TAG_LENGTHS: [usize; 7] = [4, 8, 12, 13, 14, 15, 16];

/// A message with all that belongs to it.
#[derive(Clone)]
struct Message {
    nonce: Vec<u8>,
    aad: Vec<u8>,
    ciphertext: Vec<u8>,
    tag: Vec<u8>,
    plaintext: Vec<u8>,
}

impl Message {
    /// With nonce, data, message and tag of such lengths.
    fn new(mode: &dyn Mode, subject: &Subject, random: &mut Random, lengths: [usize; 4]) -> Self {
        let [nonce, aad, plaintext] = [0, 1, 2].map(|i| random.bytes(lengths[i]));
        let tag_len = lengths[3].min(subject.cipher.block_size());
        let mut message = Self { nonce, aad, ciphertext: Vec::new(), tag: vec![0; tag_len], plaintext };
        (message.ciphertext, message.tag) = mode.seal(subject, &message.inputs(), &message.plaintext);
        message
    }

    fn inputs(&self) -> Inputs {
        Inputs {
            iv: Vec::new(),
            before_wrap: None,
            nonce: self.nonce.clone(),
            aad: self.aad.clone(),
            tag_len: self.tag.len(),
            number: 0,
        }
    }

    /// Expects that it is opened: in one call and in pieces.
    fn opens(&self, mode: &dyn Mode, fast: &Fast) {
        let mut tag = self.tag.clone();
        let mut buffer = self.ciphertext.clone();
        let io = buffer.as_mut_slice().into();
        let opened = mode.whole(fast, &self.inputs(), Direction::Decrypt, io, &mut tag);
        assert_eq!(opened, Ok(()), "{}", label(fast.any()));
        same(&buffer, &self.plaintext, || label(fast.any()));
    }

    /// Expects that it is refused, and that no byte of plaintext comes out: libraries have been known to
    /// leave it there.
    #[track_caller]
    fn is_refused(&self, mode: &dyn Mode, fast: &Fast, why: impl Fn() -> String) {
        let what = || format!("{}, {}, {}", label(fast.any()), mode.name(), why());
        let (inputs, mut tag) = (self.inputs(), self.tag.clone());
        let encrypted = mode.name() != "CMAC";
        let mut buffer = self.ciphertext.clone();
        let io = buffer.as_mut_slice().into();
        let opened = mode.whole(fast, &inputs, Direction::Decrypt, io, &mut tag);
        assert_eq!(opened, Err(Error::TagMismatch), "{}", what());
        assert!(!encrypted || buffer.iter().all(|byte| *byte == 0), "{}: plaintext was left", what());

        let mut output = vec![0x3c; self.ciphertext.len()];
        let io = InOutBuf::new(&self.ciphertext, &mut output).expect("equal lengths");
        let opened = mode.whole(fast, &inputs, Direction::Decrypt, io, &mut tag);
        assert_eq!(opened, Err(Error::TagMismatch), "{}", what());
        assert!(!encrypted || output.iter().all(|byte| *byte == 0), "{}: plaintext was left", what());

        buffer.copy_from_slice(&self.ciphertext);
        let cuts = [self.ciphertext.len() / 2];
        let io = buffer.as_mut_slice().into();
        let opened = mode.pieces(fast, &inputs, Direction::Decrypt, io, &cuts, &mut tag);
        assert_eq!(opened, Err(Error::TagMismatch), "{}", what());
    }
}

/// Every mode with tags, with every cipher it is for.
fn every_mode(random: &mut Random, mut check: impl FnMut(&dyn Mode, &Subject, &mut Random)) {
    for subject in subjects(random) {
        for mode in [&Gcm as &dyn Mode, &Eax, &Cmac] {
            if mode.suits(subject.cipher.block_size()) {
                check(mode, &subject, random);
            }
        }
    }
}

/// Flips each bit of one part of a message, or every so manieth: of a short message every bit of its tag, and of a long one
/// a few. The steps of long ones are odd, so that the flips reach every place in a byte.
fn flips(message: &Message, part: fn(&mut Message) -> &mut Vec<u8>, each: impl Fn(&Message, usize)) {
    let mut message = message.clone();
    let bits = 8 * part(&mut message).len();
    let long = message.plaintext.len() > 100;
    let step = if short() {
        1 + bits / 5
    } else if long {
        (bits / 26) | 1
    } else {
        1 + bits / 129
    };
    for bit in (0..bits).step_by(step) {
        part(&mut message)[bit / 8] ^= 1 << (bit % 8);
        each(&message, bit);
        part(&mut message)[bit / 8] ^= 1 << (bit % 8);
    }
}

#[test]
fn any_bit_changed() {
    let mut random = Random::new(41);
    let shapes = [[12, 20, 50, 16], [12, 0, 0, 16], [12, 0, 16, 16], [12, 33, 1500, 16], [16, 5, 700, 16]];
    every_mode(&mut random, |mode, subject, random| {
        for shape in shapes {
            let message = Message::new(mode, subject, random, shape);
            for fast in &subject.kernels {
                let refused = |m: &Message, part: &str, bit| {
                    m.is_refused(mode, fast, || format!("{part}, bit {bit} of {shape:?}"));
                };
                message.opens(mode, fast);
                flips(&message, |m| &mut m.tag, |m, bit| refused(m, "tag", bit));
                flips(&message, |m| &mut m.ciphertext, |m, bit| refused(m, "ciphertext", bit));
                if mode.name() != "CMAC" {
                    flips(&message, |m| &mut m.aad, |m, bit| refused(m, "data", bit));
                    flips(&message, |m| &mut m.nonce, |m, bit| refused(m, "nonce", bit));
                }
            }
        }
    });
}

/// Only the tag is wrong, after messages of many lengths: up to, at and beyond the 4096 bytes after which GCM on some
/// kernels changes between its counter mode and its hash.
#[test]
fn a_wrong_tag_leaves_zeros_at_any_length() {
    let mut random = Random::new(47);
    let lens = [4097, 1, 512, 8205, 4096, 16_399];
    every_mode(&mut random, |mode, subject, random| {
        for len in lens.into_iter().step_by(long_or_short(1, 4)) {
            let message = Message::new(mode, subject, random, [12, 20, len, 16]);
            for fast in &subject.kernels {
                message.opens(mode, fast);
                let mut changed = message.clone();
                changed.tag[3] ^= 0x10;
                changed.is_refused(mode, fast, || format!("the tag of {len} bytes"));
            }
        }
    });
}

/// Tags that a comparison gone wrong might take for right: all bytes zero or ones, and the right tag with one half of it
/// replaced.
#[test]
fn tags_of_zeros_and_ones() {
    let mut random = Random::new(47);
    every_mode(&mut random, |mode, subject, random| {
        // The last is longer than the piece that any way of decryption takes at a time.
        for shape in [[12, 20, 50, 16], [12, 0, 0, 16], [16, 5, 700, 8], [12, 5, 9000, 16]] {
            let message = Message::new(mode, subject, random, shape);
            for fast in &subject.kernels {
                let half = message.tag.len() / 2;
                for byte in [0, 0xff] {
                    for replaced in [0..2 * half, 0..half, half..2 * half] {
                        let mut changed = message.clone();
                        changed.tag[replaced.clone()].fill(byte);
                        changed.is_refused(mode, fast, || {
                            format!("{byte} in {replaced:?} of the tag, {shape:?}")
                        });
                    }
                }
            }
        }
    });
}

#[test]
fn lengths_changed() {
    let mut random = Random::new(42);
    every_mode(&mut random, |mode, subject, random| {
        let shapes = [[12, 16, 64, 16], [12, 20, 50, 16], [12, 1, 600, 16], [13, 0, 5, 16], [12, 16, 0, 16]];
        for shape in shapes {
            let message = Message::new(mode, subject, random, shape);
            for fast in &subject.kernels {
                let with = |change: &dyn Fn(&mut Message), why: &str| {
                    let mut changed = message.clone();
                    change(&mut changed);
                    changed.is_refused(mode, fast, || format!("{why} {shape:?}"));
                };
                with(&|m| m.ciphertext.push(0), "a zero after the ciphertext of");
                with(&|m| m.ciphertext.extend([0; 16]), "a block of zeros after the ciphertext of");
                with(&|m| m.ciphertext.push(0x80), "the padding of CMAC after the ciphertext of");
                if shape[2] > 0 {
                    with(&|m| m.ciphertext.truncate(m.ciphertext.len() - 1), "a byte less of");
                    with(&|m| m.ciphertext = m.ciphertext.split_off(1), "the first byte lost of");
                    with(&|m| m.ciphertext.clear(), "no ciphertext of");
                }
                if mode.name() == "CMAC" {
                    continue;
                }
                with(&|m| m.aad.push(0), "a zero after the data of");
                with(&|m| m.aad.extend([0; 16]), "a block of zeros after the data of");
                with(&|m| m.nonce.push(0), "a zero after the nonce of");
                if shape[2] > 0 {
                    // The border between the data and the message moves.
                    with(&|m| m.aad.push(m.ciphertext.remove(0)), "a byte more of data of");
                }
                if shape[1] > 0 {
                    with(&|m| m.aad.truncate(m.aad.len() - 1), "a byte less of data of");
                    with(&|m| m.aad.clear(), "no data of");
                }
            }
        }
    });
}

#[test]
fn another_key() {
    let mut random = Random::new(43);
    let others = subjects(&mut random);
    every_mode(&mut random, |mode, subject, random| {
        let message = Message::new(mode, subject, random, [12, 5, 100, 16]);
        let other = others.iter().find(|other| other.cipher == subject.cipher).expect("the same ciphers");
        for fast in &other.kernels {
            message.is_refused(mode, fast, || "another key".to_owned());
        }
    });
}

#[test]
fn short_tags() {
    let mut random = Random::new(44);
    every_mode(&mut random, |mode, subject, random| {
        let any: Vec<usize> = (1..=subject.cipher.block_size()).collect();
        for tag_len in if mode.name() == "GCM" { TAG_LENGTHS.to_vec() } else { any } {
            let message = Message::new(mode, subject, random, [12, 7, 90, tag_len]);
            for fast in &subject.kernels {
                message.opens(mode, fast);
                flips(
                    &message,
                    |m| &mut m.tag,
                    |m, bit| m.is_refused(mode, fast, || format!("bit {bit} of a tag of {tag_len} bytes")),
                );
            }
        }
    });
}

#[test]
fn tags_of_other_lengths() {
    let mut random = Random::new(45);
    let (plaintext, most) = (random.bytes(600), long_or_short(40, 18));
    every_mode(&mut random, |mode, subject, _| {
        let block = subject.cipher.block_size();
        let defined = |len: &usize| match mode.name().as_str() {
            "GCM" => TAG_LENGTHS.contains(len),
            _ => (1..=block).contains(len),
        };
        let message = Message {
            nonce: vec![1; 12],
            aad: Vec::new(),
            ciphertext: Vec::new(),
            tag: Vec::new(),
            plaintext: Vec::new(),
        };
        let inputs = message.inputs();
        for fast in &subject.kernels {
            for len in (0..most).filter(|len| !defined(len)) {
                let what = || format!("{}, {}, a tag of {len} bytes", label(fast.any()), mode.name());
                for direction in [Direction::Encrypt, Direction::Decrypt] {
                    let (mut data, mut tag) = (plaintext.clone(), vec![0x77; len]);
                    let io = data.as_mut_slice().into();
                    let done = mode.whole(fast, &inputs, direction, io, &mut tag);
                    assert_eq!(done, Err(Error::TagLength), "{}", what());
                    same(&data, &plaintext, what);
                    let io = data.as_mut_slice().into();
                    let done = mode.pieces(fast, &inputs, direction, io, &[100], &mut tag);
                    assert_eq!(done, Err(Error::TagLength), "{}", what());
                    assert_eq!(tag, vec![0x77; len], "{}", what());
                }
            }
        }
    });
}

/// Checks that GCM rejects an empty nonce. EAX accepts one.
#[test]
fn no_nonce() {
    let mut random = Random::new(46);
    let plaintext = random.bytes(600);
    for subject in subjects_16(&mut random) {
        for cipher in subject.kernels_16() {
            let gcm = FastGcm::from_cipher(cipher);
            let (mut data, mut tag) = (plaintext.clone(), [0x77; 16]);
            let io = data.as_mut_slice();
            assert_eq!(gcm.encrypt_detached(&[], b"data", io, &mut tag), Err(Error::NonceLength));
            let io = data.as_mut_slice();
            assert_eq!(gcm.decrypt_detached(&[], b"data", io, &tag), Err(Error::NonceLength));
            assert_eq!(gcm.encryptor(&[], b"data").map(|_| ()), Err(Error::NonceLength));
            assert_eq!(gcm.decryptor(&[], b"data").map(|_| ()), Err(Error::NonceLength));
            assert_eq!(tag, [0x77; 16]);
            same(&data, &plaintext, || label(cipher));
        }
    }
}

/// A tag is as long as the key says, whatever the slice that is handed over: otherwise the sender of a message with a
/// short tag would choose the probability of a forgery.
#[test]
fn tags_of_other_lengths_than_those_of_the_key() {
    for subject in subjects(&mut Random::new(47)) {
        for fast in &subject.kernels {
            let block = fast.any().block_size();
            let (eax, cmac) = (FastEax::from_cipher(fast.any()), FastCmac::from_cipher(fast.any()));
            let gcm = fast.of_16().map(FastGcm::from_cipher);
            for len in (0..=20).filter(|len| *len != block) {
                let (mut tag, what) = (vec![0; len], format!("{}, {len} bytes", label(fast.any())));
                let mut data = [7; 50];
                let refused = |done: Result<(), Error>| assert_eq!(done, Err(Error::TagLength), "{what}");
                refused(eax.encrypt_detached(b"nonce", b"", data.as_mut_slice(), &mut tag));
                refused(eax.decrypt_detached(b"nonce", b"", data.as_mut_slice(), &tag));
                refused(eax.encryptor(b"nonce", b"").finish(&mut tag));
                refused(eax.decryptor(b"nonce", b"").verify(&tag));
                refused(cmac.mac(b"message", &mut tag));
                refused(cmac.verify(b"message", &tag));
                refused(cmac.pieces().finish(&mut tag));
                refused(cmac.pieces().verify(&tag));
                let shorter = block - 4;
                if len != shorter {
                    let (eax, cmac) = (eax.with_tag_len(shorter), cmac.with_tag_len(shorter));
                    let (eax, cmac) = (eax.expect("up to a block"), cmac.expect("up to a block"));
                    refused(eax.decrypt_detached(b"nonce", b"", data.as_mut_slice(), &tag));
                    refused(cmac.verify(b"message", &tag));
                }
                if let Some(gcm) = &gcm {
                    let mut packet = |key: GcmKey<'_>| {
                        let io = data.as_mut_slice();
                        let mut batch = [Packet::new(key, &[1; 12], io).with_tag(b"", &mut tag)];
                        packets::gcm_encrypt(&mut batch);
                        refused(batch[0].result);
                        packets::gcm_decrypt(&mut batch);
                        refused(batch[0].result);
                    };
                    packet(gcm.into());
                    if len != 12 {
                        packet(gcm.with_tag_len(12).expect("a length of the standard").into());
                    }
                    refused(gcm.encryptor(&[1; 12], b"").and_then(|stream| stream.finish(&mut tag)));
                    refused(gcm.decryptor(&[1; 12], b"").and_then(|stream| stream.verify(&tag)));
                    if len != 12 {
                        let gcm = gcm.with_tag_len(12).expect("a length of the standard");
                        refused(gcm.encrypt_detached(&[1; 12], b"", data.as_mut_slice(), &mut tag));
                        refused(gcm.decrypt_detached(&[1; 12], b"", data.as_mut_slice(), &tag));
                    }
                }
                let mut packet = |key: EaxKey<'_>| {
                    let io = data.as_mut_slice();
                    let mut batch = [Packet::new(key, b"nonce", io).with_tag(b"", &mut tag)];
                    packets::eax_encrypt(&mut batch);
                    refused(batch[0].result);
                    packets::eax_decrypt(&mut batch);
                    refused(batch[0].result);
                };
                packet((&eax).into());
                let io = [].as_mut_slice();
                let mut batch = [Packet::<CmacKey<'_>>::new(&cmac, &[], io).with_tag(b"message", &mut tag)];
                packets::cmac(&mut batch);
                refused(batch[0].result);
                packets::cmac_verify(&mut batch);
                refused(batch[0].result);
                assert_eq!((data, tag), ([7; 50], vec![0; len]), "{what}");
            }
        }
    }
}
