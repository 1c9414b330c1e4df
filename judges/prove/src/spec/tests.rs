//! Every specification on random numbers, against the reference.

use std::time::Duration;

use abreast_reference::{self as reference, BlockCipher, Named};

use super::{Cipher, cipher, modes};
use crate::forms::{Bit, Word, begin, constant, from_bytes};

/// Random bytes.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 16
    }

    fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next() as u8).collect()
    }
}

fn bytes(bits: &[Bit]) -> Vec<u8> {
    bits.chunks(8).map(|byte| constant(byte).expect("a number") as u8).collect()
}

const CIPHERS: [(&str, usize); 10] = [
    ("aes-128", 16),
    ("aes-192", 24),
    ("aes-256", 32),
    ("serpent-128", 16),
    ("serpent-192", 24),
    ("serpent-256", 32),
    ("tea", 16),
    ("tea-be", 16),
    ("xtea", 16),
    ("xtea-be", 16),
];

/// Runs a check for each cipher under a key, with both forms of S-boxes.
fn with_ciphers(mut check: impl FnMut(&dyn Cipher, &Named, &mut Random)) {
    let mut random = Random(7);
    for (name, key_len) in CIPHERS {
        for closed in [true, false] {
            begin(Duration::from_secs(300));
            let key = random.bytes(key_len);
            let ours = cipher(name, &from_bytes(&key), closed).expect("a specification");
            let theirs = reference::named(name, &key).expect("a cipher of the reference");
            check(&*ours, &theirs, &mut random);
        }
    }
}

/// Every mode of one key on a message: the name of the mode, our result and that of the reference.
fn modes_of<const N: usize>(
    ours: &dyn Cipher,
    theirs: &impl BlockCipher<N>,
    random: &mut Random,
    len: usize,
) {
    let (iv, data) = (random.bytes(N), random.bytes(len));
    let (v, d) = (from_bytes(&iv), from_bytes(&data));
    let iv: &[u8; N] = iv[..].try_into().expect("a block");
    let check = |name: &str, ours: Word, theirs: Vec<u8>| {
        assert_eq!(bytes(&ours), theirs, "{name}, {len} bytes, blocks of {N}");
    };
    if len.is_multiple_of(N) {
        check("ecb", modes::ecb(ours, true, &d), reference::ecb::encrypt(theirs, &data));
        check("ecb, decrypting", modes::ecb(ours, false, &d), reference::ecb::decrypt(theirs, &data));
        check("cbc", modes::cbc(ours, true, &v, &d), reference::cbc::encrypt(theirs, iv, &data));
        check("cbc, decrypting", modes::cbc(ours, false, &v, &d), reference::cbc::decrypt(theirs, iv, &data));
    }
    check("cfb", modes::cfb(ours, true, &v, &d), reference::cfb::encrypt(theirs, iv, &data));
    check("cfb, decrypting", modes::cfb(ours, false, &v, &d), reference::cfb::decrypt(theirs, iv, &data));
    check("cfb8", modes::cfb8(ours, true, &v, &d), reference::cfb::encrypt_8(theirs, iv, &data));
    check("cfb8, decrypting", modes::cfb8(ours, false, &v, &d), reference::cfb::decrypt_8(theirs, iv, &data));
    check("ofb", modes::ofb(ours, &v, &d), reference::ofb::xor(theirs, iv, &data));
    for counting in [16, 32, 64, 128].into_iter().filter(|counting| *counting <= 8 * N) {
        let theirs = reference::ctr::xor(theirs, iv, counting as u32, &data);
        check("ctr", modes::ctr(ours, counting, &v, &d), theirs);
    }
    check("cmac", modes::cmac(ours, &d), reference::cmac::mac(theirs, &data, N));
}

#[test]
fn modes_are_those_of_the_reference() {
    with_ciphers(|ours, theirs, random| {
        for len in [0, 1, 7, 8, 15, 16, 31, 32, 33] {
            match theirs {
                Named::Of8(theirs) => modes_of(ours, theirs, random, len),
                Named::Of16(theirs) => modes_of(ours, theirs, random, len),
            }
        }
    });
}

#[test]
fn counters_wrap_as_those_of_the_reference_do() {
    begin(Duration::from_secs(300));
    let ours = cipher("aes-128", &from_bytes(&[1; 16]), true).expect("a specification");
    let theirs = reference::aes::Aes::new(&[1; 16]);
    for counting in [16, 32, 64, 128] {
        let (first, data) = ([0xff; 16], [0; 48]);
        let ours = modes::ctr(&*ours, counting, &from_bytes(&first), &from_bytes(&data));
        assert_eq!(bytes(&ours), reference::ctr::xor(&theirs, &first, counting as u32, &data));
    }
}

#[test]
fn xts_and_gcm_are_those_of_the_reference() {
    let mut random = Random(9);
    for (name, key_len) in CIPHERS.into_iter().take(6) {
        begin(Duration::from_secs(300));
        let (key, other) = (random.bytes(key_len), random.bytes(key_len));
        let ours = [&key, &other].map(|key| cipher(name, &from_bytes(key), true).expect("a specification"));
        let theirs = [&key, &other].map(|key| match reference::named(name, key) {
            Some(Named::Of16(cipher)) => cipher,
            _ => panic!("a cipher of blocks of 16 bytes"),
        });
        for len in [16, 17, 31, 32, 47, 64] {
            let (unit, data) = (random.bytes(16), random.bytes(len));
            let (u, d) = (from_bytes(&unit), from_bytes(&data));
            let unit: &[u8; 16] = unit[..].try_into().expect("a block");
            let (a, b) = (&theirs[0], &theirs[1]);
            let sealed = modes::xts(&*ours[0], &*ours[1], true, &u, &d);
            assert_eq!(bytes(&sealed), reference::xts::encrypt(a, b, unit, &data), "{name}, {len} bytes");
            assert_eq!(modes::xts(&*ours[0], &*ours[1], false, &u, &sealed), d, "{name}, {len} bytes");
        }
        for (aad, len) in [(0, 0), (5, 20), (16, 48), (33, 1)] {
            let (nonce, aad, data) = (random.bytes(12), random.bytes(aad), random.bytes(len));
            let [n, a, d] = [&nonce, &aad, &data].map(|bytes| from_bytes(bytes));
            let (text, tag) = reference::gcm::seal(&theirs[0], &nonce, &aad, &data, 16);
            for runs in [&[][..], &[1, 2]] {
                let sealed = modes::gcm(&*ours[0], true, &n, &a, &d, runs);
                assert_eq!((bytes(&sealed.0), bytes(&sealed.1)), (text.clone(), tag.clone()), "{name}");
                let opened = modes::gcm(&*ours[0], false, &n, &a, &sealed.0, runs);
                assert_eq!((bytes(&opened.0), bytes(&opened.1)), (data.clone(), tag.clone()), "{name}");
            }
        }
    }
}

#[test]
fn eax_gcm_siv_and_aez_are_those_of_the_reference() {
    let mut random = Random(11);
    for (aad, len) in [(0, 0), (5, 20), (16, 48), (33, 1), (20, 7), (0, 160), (1, 150), (40, 96)] {
        begin(Duration::from_secs(300));
        let (nonce, aad, data) = (random.bytes(12), random.bytes(aad), random.bytes(len));
        let [n, a, d] = [&nonce, &aad, &data].map(|bytes| from_bytes(bytes));
        for (name, key_len) in CIPHERS {
            let key = random.bytes(key_len);
            let ours = cipher(name, &from_bytes(&key), true).expect("a specification");
            let (text, tag) = match reference::named(name, &key) {
                Some(Named::Of8(theirs)) => reference::eax::seal(&theirs, &nonce, &aad, &data, 8),
                Some(Named::Of16(theirs)) => reference::eax::seal(&theirs, &nonce, &aad, &data, 16),
                None => panic!("a cipher of the reference"),
            };
            // Numbers need no assumption.
            let sealed = modes::eax(&*ours, true, &n, &a, &d, 0);
            assert_eq!((bytes(&sealed.0), bytes(&sealed.1)), (text, tag), "{name}, {len} bytes");
            let opened = modes::eax(&*ours, false, &n, &a, &sealed.0, 0);
            assert_eq!((opened.0, opened.1), (d.clone(), sealed.1), "{name}, {len} bytes");
        }
        for key_len in [16, 32] {
            let key = random.bytes(key_len);
            let (text, tag) = reference::gcm_siv::seal(&key, &nonce[..].try_into().expect("12"), &aad, &data);
            let aes = |key: &[Bit]| -> Box<dyn Cipher> { Box::new(super::aes::Aes::new(key, true)) };
            for runs in [&[][..], &[1, 2]] {
                let (ours, ours_tag) = modes::gcm_siv(aes, &from_bytes(&key), &n, &a, &d, runs);
                assert_eq!((bytes(&ours), bytes(&ours_tag)), (text.clone(), tag.to_vec()), "{len} bytes");
            }
        }
        let key = random.bytes(48);
        let ads: &[&[u8]] = if aad.is_empty() { &[] } else { &[&aad] };
        let theirs = reference::aez::encrypt(&key, &nonce, ads, 16, &data);
        assert_eq!(
            bytes(&super::aez::encrypt(&from_bytes(&key), true, &n, &a, &d, 16)),
            theirs,
            "{len} bytes"
        );
    }
}
