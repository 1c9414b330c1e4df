//! Serpent's key schedule (section 4 of the submission to AES), and round keys as the rounds take them.

use super::sboxes::sbox;
use abreast_simd::portable::{Portable, Words4};
use abreast_simd::{AesLevel, Words};
use zeroize::Zeroize;

/// Words of all round keys.
const WORDS: usize = 4 * 33;

/// The golden ratio's fraction, as in the paper.
const PHI: u32 = 0x9e37_79b9;

/// Round keys for both directions.
///
/// Those between two rounds are added inside the linear transformation, where nothing waits for them, and
/// are turned or mixed to suit (`rounds` says where they go). The first and the last are as the paper has
/// them.
///
/// A key is the bytes of its four words, little-endian, so that it can be loaded as words of one lane or of all.
#[repr(align(16))]
pub(crate) struct RoundKeys {
    pub(super) encrypt: [[u8; 16]; 33],
    /// In the order of encryption.
    pub(super) decrypt: [[u8; 16]; 33],
    /// Where to hash for GCM: words have no carry-less products.
    pub(super) carryless: Option<AesLevel>,
}

impl RoundKeys {
    /// Expands a key of 16 to 32 bytes.
    pub(super) fn new(key: &[u8], carryless: Option<AesLevel>) -> Self {
        let mut words = [0; 8 + WORDS];
        let mut round_keys = [[0; 4]; 33];
        prekeys(key, &mut words);
        substitute(&words[8..], &mut round_keys);
        // Filled where they are returned, so that no copy is left behind.
        let mut keys = Self { encrypt: [[0; 16]; 33], decrypt: [[0; 16]; 33], carryless };
        for (round, &[a, b, c, d]) in round_keys.iter().enumerate() {
            let (mut encrypt, mut decrypt) = ([a, b, c, d], [a, b, c, d]);
            if (1..32).contains(&round) {
                encrypt = [a.rotate_right(5), b, c.rotate_right(22), d];
                decrypt = [
                    a.rotate_right(5) ^ b ^ d,
                    b.rotate_right(1),
                    c.rotate_right(22) ^ d ^ b << 7,
                    d.rotate_right(7),
                ];
            }
            write_words(&encrypt, &mut keys.encrypt[round]);
            write_words(&decrypt, &mut keys.decrypt[round]);
        }
        words.zeroize();
        round_keys.zeroize();
        keys
    }
}

fn write_words(words: &[u32; 4], bytes: &mut [u8; 16]) {
    for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
}

impl Drop for RoundKeys {
    fn drop(&mut self) {
        self.encrypt.zeroize();
        self.decrypt.zeroize();
    }
}

/// The affine recurrence: from the key, padded with a one and zeros to 32 bytes, to the prekeys behind it.
fn prekeys(key: &[u8], words: &mut [u32; 8 + WORDS]) {
    let mut padded = [0; 32];
    padded[..key.len()].copy_from_slice(key);
    if let Some(one) = padded.get_mut(key.len()) {
        *one = 1;
    }
    for (word, bytes) in words.iter_mut().zip(padded.chunks_exact(4)) {
        *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    for i in 0..WORDS {
        let sum = words[i] ^ words[i + 3] ^ words[i + 5] ^ words[i + 7] ^ PHI ^ i as u32;
        words[i + 8] = sum.rotate_left(11);
    }
    padded.zeroize();
}

/// The S-boxes, from the prekeys to the round keys. Every eighth round has the same one, so that four
/// rounds go through the circuit side by side.
fn substitute(prekeys: &[u32], keys: &mut [[u32; 4]; 33]) {
    for first in 0..9 {
        let mut rounds = [Words4::splat(Portable, 0); 4];
        for (i, words) in rounds.iter_mut().enumerate() {
            let mut bytes = [0; 16];
            for (lane, bytes) in bytes.chunks_exact_mut(4).enumerate() {
                let word = prekeys.get(4 * (first + 8 * lane) + i).copied().unwrap_or_default();
                bytes.copy_from_slice(&word.to_le_bytes());
            }
            *words = Words4::load(Portable, &bytes);
            bytes.zeroize();
        }
        let rounds = match first {
            0 | 8 => sbox::<3, false, _>(rounds),
            1 => sbox::<2, false, _>(rounds),
            2 => sbox::<1, false, _>(rounds),
            3 => sbox::<0, false, _>(rounds),
            4 => sbox::<7, false, _>(rounds),
            5 => sbox::<6, false, _>(rounds),
            6 => sbox::<5, false, _>(rounds),
            _ => sbox::<4, false, _>(rounds),
        };
        for (i, words) in rounds.into_iter().enumerate() {
            let mut bytes = [0; 16];
            words.store(&mut bytes);
            for (lane, bytes) in bytes.chunks_exact(4).enumerate() {
                if let Some(key) = keys.get_mut(first + 8 * lane) {
                    key[i] = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                }
            }
            bytes.zeroize();
        }
    }
}
