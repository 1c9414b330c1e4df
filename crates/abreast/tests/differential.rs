//! Random cases against an independent implementation, RustCrypto's, and where that has no say against
//! the reference.
//!
//! `ABREAST_CASES` is the number of cases of each test and key size, `ABREAST_SEED` the seed of the first;
//! case `n` has the seed plus `n`. A failure names its seed: `ABREAST_SEED=<seed> ABREAST_CASES=1` runs
//! that case alone.

mod common;

use abreast::BlockCipher;
use abreast::kernels::ciphers;
use abreast::modes::{CounterWidth, Ctr, Gcm};
use abreast_reference::{ctr as reference_ctr, gcm as reference_gcm};
use aead::AeadInOut;
use aead::consts::{U12, U16};
use aes_gcm::AesGcm;
use cipher::{BlockCipherDecrypt, BlockCipherEncrypt, BlockSizeUser, KeyInit, KeyIvInit, StreamCipher};
use common::{Random, Subject, both_ways, label, long_or_short, number, same};

/// Key, nonce, associated data and message to the tag, with the message encrypted in place.
type Seal = fn(&[u8], &[u8; 12], &[u8], &mut [u8]) -> [u8; 16];

/// One of RustCrypto's ciphers with its modes, behind functions on slices.
struct Peer {
    encrypt: fn(&[u8], &mut [u8]),
    decrypt: fn(&[u8], &mut [u8]),
    ctr: fn(CounterWidth, &[u8], &[u8; 16], &mut [u8]),
    seal: Seal,
}

impl Peer {
    fn of_key_len(len: usize) -> Self {
        match len {
            16 => Self::of::<aes::Aes128>(),
            24 => Self::of::<aes::Aes192>(),
            32 => Self::of::<aes::Aes256>(),
            _ => panic!("AES has no keys of {len} bytes"),
        }
    }

    fn of<C>() -> Self
    where
        C: KeyInit + BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = U16>,
    {
        Self {
            encrypt: |key, data| {
                let aes = C::new_from_slice(key).expect("a key of the cipher");
                for block in data.as_chunks_mut::<16>().0 {
                    aes.encrypt_block(block.into());
                }
            },
            decrypt: |key, data| {
                let aes = C::new_from_slice(key).expect("a key of the cipher");
                for block in data.as_chunks_mut::<16>().0 {
                    aes.decrypt_block(block.into());
                }
            },
            ctr: |width, key, counter, data| match width {
                CounterWidth::Bits32 => stream::<ctr::Ctr32BE<C>>(key, counter, data),
                CounterWidth::Bits64 => stream::<ctr::Ctr64BE<C>>(key, counter, data),
                CounterWidth::Bits128 => stream::<ctr::Ctr128BE<C>>(key, counter, data),
                CounterWidth::Bits16 => panic!("RustCrypto has no counters of 16 bits"),
            },
            seal: |key, nonce, aad, data| {
                let gcm = AesGcm::<C, U12>::new_from_slice(key).expect("a key of the cipher");
                gcm.encrypt_inout_detached(nonce.into(), aad, data.into()).expect("short").0
            },
        }
    }
}

fn stream<S: KeyIvInit + StreamCipher>(key: &[u8], counter: &[u8], data: &mut [u8]) {
    S::new_from_slices(key, counter).expect("their lengths").apply_keystream(data);
}

/// Runs `case` with every key size, each time under a new key, as often as the environment wants.
fn cases(default: usize, mut case: impl FnMut(&Subject, &Peer, &mut Random, u64)) {
    let cases = number("ABREAST_CASES").unwrap_or(long_or_short(default, default / 30) as u64);
    let first = number("ABREAST_SEED").unwrap_or(0x0ab2_ea57);
    for seed in first..first + cases {
        for cipher in ciphers() {
            let mut random = Random::new(seed);
            let subject = Subject::new(*cipher, random.bytes(cipher.key_len()));
            case(&subject, &Peer::of_key_len(cipher.key_len()), &mut random, seed);
        }
    }
}

#[test]
fn raw_blocks() {
    cases(1500, |subject, peer, random, seed| {
        let len = random.length() / 16 * 16;
        let (plaintext, at) = (random.bytes(len), random.up_to(63));
        let mut ciphertext = plaintext.clone();
        (peer.encrypt)(&subject.key, &mut ciphertext);
        let mut decrypted = plaintext.clone();
        (peer.decrypt)(&subject.key, &mut decrypted);
        for aes in &subject.kernels {
            let what = || format!("{}, seed {seed}, {len} bytes", label(aes));
            both_ways(&plaintext, &ciphertext, at, what, |io| {
                aes.encrypt_raw_blocks(io).expect("whole blocks");
            });
            both_ways(&plaintext, &decrypted, at, what, |io| {
                aes.decrypt_raw_blocks(io).expect("whole blocks");
            });
        }
    });
}

#[test]
fn counter_mode() {
    cases(1500, |subject, peer, random, seed| {
        let (len, at) = (random.length(), random.up_to(63));
        let plaintext = random.bytes(len);
        for width in common::WIDTHS {
            // Every second counter wraps in the message, or nearly.
            let mut counter = u128::from_be_bytes(random.block());
            if random.up_to(1) == 0 {
                let ones = u128::MAX >> (128 - random.pick(&[16, 32, 64, 128]));
                counter = (counter | ones) - random.up_to(len / 16 + 1) as u128;
            }
            let counter = counter.to_be_bytes();
            let ciphertext = if width == CounterWidth::Bits16 {
                reference_ctr::xor(&subject.reference, &counter, 16, &plaintext)
            } else {
                let mut ciphertext = plaintext.clone();
                (peer.ctr)(width, &subject.key, &counter, &mut ciphertext);
                ciphertext
            };
            for aes in &subject.kernels {
                let what = || format!("{}, {width:?}, seed {seed}, {len} bytes", label(aes));
                both_ways(&plaintext, &ciphertext, at, what, |io| {
                    let mut ctr = Ctr::new(&**aes, &counter, width).expect("a block");
                    ctr.apply(io).expect("short");
                });
            }
        }
    });
}

/// A message and what GCM makes of it.
struct Sealed {
    nonce: Vec<u8>,
    aad: Vec<u8>,
    plaintext: Vec<u8>,
    ciphertext: Vec<u8>,
    tag: Vec<u8>,
}

fn check_gcm(subject: &Subject, case: &Sealed, at: usize, seed: u64) {
    let Sealed { nonce, aad, plaintext, ciphertext, tag } = case;
    for aes in &subject.kernels {
        let what = || {
            let lengths = [nonce.len(), aad.len(), plaintext.len(), tag.len()];
            format!("{}, seed {seed}, nonce, data, message and tag of {lengths:?} bytes", label(aes))
        };
        let gcm = Gcm::new(&**aes);
        both_ways(plaintext, ciphertext, at, what, |io| {
            let mut made = vec![0; tag.len()];
            gcm.encrypt(nonce, aad, io, &mut made).expect("lengths of the mode");
            same(&made, tag, || format!("{}, the tag", what()));
        });
        both_ways(ciphertext, plaintext, at, what, |io| {
            assert_eq!(gcm.decrypt(nonce, aad, io, tag), Ok(()), "{}", what());
        });
    }
}

#[test]
fn galois_counter_mode() {
    cases(1500, |subject, peer, random, seed| {
        let nonce = random.bytes(12);
        let aad_len = random.up_to(300);
        let aad = random.bytes(aad_len);
        let len = random.length();
        let plaintext = random.bytes(len);
        let mut ciphertext = plaintext.clone();
        let twelve = nonce.as_slice().try_into().expect("12 bytes");
        let full = (peer.seal)(&subject.key, twelve, &aad, &mut ciphertext);
        let tag = full[..random.pick(&[4, 8, 12, 13, 14, 15, 16, 16])].to_vec();
        check_gcm(subject, &Sealed { nonce, aad, plaintext, ciphertext, tag }, random.up_to(63), seed);
    });
}

#[test]
fn galois_counter_mode_with_any_nonce() {
    cases(1500, |subject, _, random, seed| {
        let most = random.pick(&[16, 33, 300, 1100]);
        let nonce_len = 1 + random.up_to(most);
        let nonce = random.bytes(nonce_len);
        let aad_len = random.up_to(300);
        let aad = random.bytes(aad_len);
        let len = random.length() / 2;
        let plaintext = random.bytes(len);
        let tag_len = random.pick(&[4, 8, 12, 13, 14, 15, 16]);
        let (ciphertext, tag) = reference_gcm::seal(&subject.reference, &nonce, &aad, &plaintext, tag_len);
        check_gcm(subject, &Sealed { nonce, aad, plaintext, ciphertext, tag }, random.up_to(63), seed);
    });
}
