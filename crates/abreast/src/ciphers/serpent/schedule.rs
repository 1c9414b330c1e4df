//! Serpent's key schedule (section 4 of the submission to AES), and round keys as the rounds take them.

use super::sboxes::sbox;
use crate::wipe::wipe;
use abreast_simd::inlined::{CopyFrom, Flat, Zipped};
use abreast_simd::{AesLevel, Words, WordsIsa, vectors_wait};

/// The golden ratio's fraction, as in the paper.
pub(super) const PHI: u32 = 0x9e37_79b9;

/// Round keys for both directions.
///
/// Those between two rounds are added inside the linear transformation, where nothing waits for them, and
/// are turned or mixed to suit (`rounds` says where they go). The first and the last are as the paper has
/// them.
///
/// A key is the bytes of its four words, little-endian, so that it can be loaded as words of one lane or of all.
#[repr(align(16))]
pub(crate) struct SerpentRoundKeys {
    pub(super) encrypt: [[u8; 16]; 33],
    /// In the order of encryption.
    pub(super) decrypt: [[u8; 16]; 33],
    /// The level that hashes for GCM: words have no carry-less products.
    pub(super) clmul_level: Option<AesLevel>,
    /// True if an operation on vectors takes longer than one in general registers.
    vectors_wait: bool,
}

impl SerpentRoundKeys {
    /// No key yet.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(super) fn zero(clmul_level: Option<AesLevel>) -> Self {
        let vectors_wait = vectors_wait();
        Self { encrypt: [[0; 16]; 33], decrypt: [[0; 16]; 33], clmul_level, vectors_wait }
    }

    /// True if one block alone takes less time in general registers than in vectors: where vectors have no operations with
    /// three inputs, which make the chain of a round shorter by half, and where their results come late.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(super) fn one_block_in_registers<I: WordsIsa>(&self, _: I) -> bool {
        !I::Words::TERNARY || self.vectors_wait
    }

    /// Expands a key of 16 to 32 bytes.
    ///
    /// The S-boxes turn the prekeys into round keys, which are adapted to each direction. Every eighth round has the
    /// same S-box, so that four rounds go through the circuit side by side, in the first row of a vector.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(super) fn expand<I: WordsIsa>(&mut self, isa: I, key: &[u8]) {
        let mut prekeys = [[0; 16]; 33];
        fill_prekeys(key, &mut prekeys);
        for first in 0..8 {
            let rounds = [first, first + 8, first + 16, first + 24];
            let mut words = [I::Words::splat_row(isa, &prekeys[first]); 4];
            for (words, round) in words.iter_mut().zipped(rounds) {
                *words = I::Words::splat_row(isa, &prekeys[round]);
            }
            let words = I::Words::transpose(words);
            let words = sbox_of_schedule(first, words);
            let [encrypt, decrypt] = both_directions(words);
            let (encrypt, decrypt) = (I::Words::transpose(encrypt), I::Words::transpose(decrypt));
            for (round, (encrypt, decrypt)) in rounds.into_iter().zipped(encrypt.into_iter().zipped(decrypt))
            {
                encrypt.store_partial(&mut self.encrypt[round]);
                decrypt.store_partial(&mut self.decrypt[round]);
            }
            if first == 0 {
                self.set_outer(0, words);
            }
        }
        let last = I::Words::splat_row(isa, &prekeys[32]);
        self.set_outer(32, sbox::<3, false, _>(I::Words::transpose([last; 4])));
        wipe(prekeys.flat_mut());
    }

    /// The first round key or the last, which are the same in both directions, out of the first lane of words.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn set_outer<W: Words>(&mut self, round: usize, words: [W; 4]) {
        let [key, ..] = W::transpose(words);
        key.store_partial(&mut self.encrypt[round]);
        key.store_partial(&mut self.decrypt[round]);
    }
}

/// The S-box of every eighth round of the schedule, from round `first` on.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn sbox_of_schedule<W: Words>(first: usize, words: [W; 4]) -> [W; 4] {
    match first {
        0 => sbox::<3, false, _>(words),
        1 => sbox::<2, false, _>(words),
        2 => sbox::<1, false, _>(words),
        3 => sbox::<0, false, _>(words),
        4 => sbox::<7, false, _>(words),
        5 => sbox::<6, false, _>(words),
        6 => sbox::<5, false, _>(words),
        _ => sbox::<4, false, _>(words),
    }
}

/// A round key between two rounds, as encryption and as decryption adds it.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn both_directions<W: Words>([a, b, c, d]: [W; 4]) -> [[W; 4]; 2] {
    let (a_5, c_22) = (a.rotl(27), c.rotl(10));
    [[a_5, b, c_22, d], [a_5 ^ b ^ d, b.rotl(31), c_22 ^ d ^ b.shl(7), d.rotl(25)]]
}

/// A key of 16 to 32 bytes, with a one after it and zeros up to 32 bytes.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn pad(key: &[u8], padded: &mut [u8]) {
    padded[..key.len()].copy_from(key);
    if let Some(one) = padded.get_mut(key.len()) {
        *one = 1;
    }
}

/// The affine recurrence: from the key, padded with a one and zeros to 32 bytes, to the prekeys after it.
///
/// The eight words before the next one stay in registers, and the last of them, which is the only one that the CPU has
/// to wait for, is added last.
fn fill_prekeys(key: &[u8], prekeys: &mut [[u8; 16]; 33]) {
    let mut padded = [0; 32];
    pad(key, &mut padded);
    let mut words = [0; 8];
    for (word, bytes) in words.iter_mut().zipped(padded.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    wipe(&mut padded);
    let next = |i: usize, words: [u32; 3], last: u32| {
        let early = words[0] ^ words[1] ^ words[2] ^ PHI ^ i as u32;
        (early ^ last).rotate_left(11)
    };
    for (round, prekey) in prekeys.iter_mut().enumerate() {
        let [a, b, c, d, e, f, g, h] = words;
        let i = next(4 * round, [a, d, f], h);
        let j = next(4 * round + 1, [b, e, g], i);
        let k = next(4 * round + 2, [c, f, h], j);
        let l = next(4 * round + 3, [d, g, i], k);
        words = [e, f, g, h, i, j, k, l];
        for (bytes, word) in prekey.as_chunks_mut().0.iter_mut().zipped([i, j, k, l]) {
            *bytes = word.to_le_bytes();
        }
    }
    wipe(&mut words);
}
