//! AES by byte shuffles, for CPUs without instructions for it and for messages of a few blocks.
//!
//! Hamburg ("Accelerating AES with Vector Permute Instructions", CHES 2009) computes the S-box in GF(16)^2, where an
//! instruction that looks up sixteen bytes in a register of sixteen does every function of one element of GF(16). Nothing
//! is read from memory at a secret place. A block takes about a third of the time of a bit-sliced group, which is eight
//! registers of blocks.
//!
//! # The field
//! GF(256) is GF(16)[t] with `t^2 = a t + a`. The element `k + i t` has the norm `N = k^2 + a i k + a i^2`, and its inverse
//! is `(k + a i)/N + (i/N) t`. With `j = i + k`,
//!
//! ```text
//! N / (k + a i)       = 1 / (1/i + a/k) + j
//! N / (k + a i + a k) = 1 / (1/j + a/k) + i
//! ```
//!
//! If `p` and `q` are the inverses of these two, the inverse of `k + i t` is `p + ((p + (p + q)/a)/a) t`, which is linear. So
//! one table for each of the two gives any linear function of the inverse: the linear part of the S-box, its double, or a
//! coefficient of `InvMixColumns`. Where something is divided by 0, the result is the index 0x80, for which a lookup gives
//! 0, as it has to.
//!
//! The state stays in this field from round to round. The constant of the S-box is added by the round keys, as
//! `MixColumns` maps a column of equal elements to itself. All tables are computed from the two fields when this is
//! compiled.

use super::permuted_tables::{
    A_DIVIDED, CONSTANT, DECRYPTED, ENCRYPTED, INV_SUB, INV_SUB_LAST, INVERSE, Lookups, SUB, SUB_DOUBLED,
    SUB_LAST, TO_DECRYPT, TO_ENCRYPT, shifted_rows,
};
use super::schedule::MOST_ROUND_KEYS;
use crate::wipe::wipe;
use abreast_simd::inlined::Flat;
use abreast_simd::{Word as _, Words, WordsIsa};

/// Round keys as they are added to states.
#[repr(align(16))]
pub(super) struct PermutedKeys {
    encrypt: [[u8; 16]; MOST_ROUND_KEYS],
    /// The round keys of the equivalent inverse cipher (FIPS 197, section 5.3.5), in the order in which they are used.
    decrypt: [[u8; 16]; MOST_ROUND_KEYS],
    /// Rounds, one fewer than round keys.
    rounds: usize,
}

impl PermutedKeys {
    /// No key yet.
    pub(super) const ZERO: Self =
        Self { encrypt: [[0; 16]; MOST_ROUND_KEYS], decrypt: [[0; 16]; MOST_ROUND_KEYS], rounds: 0 };

    /// Takes expanded round keys.
    pub(super) fn fill(&mut self, keys: &[[u8; 16]]) {
        self.rounds = keys.len() - 1;
        let constant = u128::from_ne_bytes([CONSTANT; 16]);
        for (round, key) in keys.iter().enumerate() {
            let key = u128::from_le_bytes(*key);
            let encrypt = match round {
                0 => mapped(&ENCRYPTED, key),
                _ if round == self.rounds => key ^ constant,
                _ => mapped(&ENCRYPTED, key ^ constant),
            };
            let decrypt = match round {
                0 => key,
                _ if round == self.rounds => mapped(&DECRYPTED, key ^ constant),
                _ => mapped(&DECRYPTED, inv_mix_columns(key) ^ constant),
            };
            self.encrypt[round] = encrypt.to_le_bytes();
            self.decrypt[self.rounds - round] = decrypt.to_le_bytes();
        }
    }

    /// All rounds forward on a few registers of blocks.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(super) fn encrypt<I: WordsIsa, const N: usize>(&self, isa: I, blocks: &mut [I::Words; N]) {
        encrypt(isa, &self.encrypt[..=self.rounds], blocks);
    }

    /// All rounds backward on a few registers of blocks.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(super) fn decrypt<I: WordsIsa, const N: usize>(&self, isa: I, blocks: &mut [I::Words; N]) {
        decrypt(isa, &self.decrypt[..=self.rounds], blocks);
    }
}

impl Drop for PermutedKeys {
    fn drop(&mut self) {
        wipe(self.encrypt.flat_mut());
        wipe(self.decrypt.flat_mut());
    }
}

/// The lowest bit of every byte.
pub(super) const ONES: u128 = u128::from_ne_bytes([1; 16]);

/// A linear function of each byte, in constant time.
fn mapped(basis: &[u8; 8], bytes: u128) -> u128 {
    let mut sum = 0;
    for (bit, image) in basis.iter().enumerate() {
        let set = bytes >> bit & ONES;
        sum ^= ((set << 8).wrapping_sub(set)) & u128::from_ne_bytes([*image; 16]);
    }
    sum
}

/// `InvMixColumns` in constant time: `MixColumns` after adding `4 (b0 + b2)`.
fn inv_mix_columns(bytes: u128) -> u128 {
    const LANES: u128 = u128::MAX / 0xffff_ffff;
    // Every element becomes the one of the next row.
    let next = |bytes: u128| bytes >> 8 & (LANES * 0x00ff_ffff) | (bytes & (LANES * 0xff)) << 24;
    let doubled = |bytes: u128| {
        let carried = bytes >> 7 & ONES;
        (bytes & !(ONES << 7)) << 1 ^ carried ^ carried << 1 ^ carried << 3 ^ carried << 4
    };
    let bytes = bytes ^ doubled(doubled(bytes ^ next(next(bytes))));
    let pairs = bytes ^ next(bytes);
    doubled(pairs) ^ next(bytes) ^ next(next(pairs))
}

/// The lower and the upper half of each byte.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn halves<W: Words>(isa: W::Isa, x: W) -> [W; 2] {
    let low = W::splat(isa, 0x0f0f_0f0f);
    [x & low, x.shr(4) & low]
}

/// The sum of the entries of two tables at two indices.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn looked_up<W: Words>(tables: &Lookups, [x, y]: [W; 2]) -> W {
    x.lookup(&tables[0]) ^ y.lookup(&tables[1])
}

/// The two quotients whose inverses the inverse of each byte is a linear function of.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn quotients<W: Words>(isa: W::Isa, x: W) -> [W; 2] {
    let [k, i] = halves(isa, x);
    let (j, a_divided) = (i ^ k, k.lookup(&A_DIVIDED));
    let first = i.lookup(&INVERSE) ^ a_divided;
    let second = j.lookup(&INVERSE) ^ a_divided;
    [first.lookup(&INVERSE) ^ j, second.lookup(&INVERSE) ^ i]
}

/// Every element becomes the one of the next row.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn next_row<W: Words>(x: W) -> W {
    x.rotl(24)
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn encrypt<I: WordsIsa, const N: usize>(isa: I, keys: &[[u8; 16]], blocks: &mut [I::Words; N]) {
    isa.run(
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || {
            let last = keys.len() - 1;
            for block in blocks.iter_mut() {
                *block = looked_up(&TO_ENCRYPT, halves(isa, *block)) ^ I::Words::splat_row(isa, &keys[0]);
            }
            for key in &keys[1..last] {
                let key = I::Words::splat_row(isa, key);
                for block in blocks.iter_mut() {
                    let quotients = quotients(isa, block.shuffle_bytes(const { shifted_rows(false) }));
                    // An element becomes `2 s0 + 3 s1 + s2 + s3`, where `s1` is the next row's.
                    let next = next_row(looked_up(&SUB, quotients));
                    let pairs = looked_up(&SUB_DOUBLED, quotients) ^ next;
                    *block = pairs ^ next_row(pairs) ^ next.rotl(16) ^ key;
                }
            }
            for block in blocks.iter_mut() {
                let quotients = quotients(isa, block.shuffle_bytes(const { shifted_rows(false) }));
                *block = looked_up(&SUB_LAST, quotients) ^ I::Words::splat_row(isa, &keys[last]);
            }
        },
    );
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn decrypt<I: WordsIsa, const N: usize>(isa: I, keys: &[[u8; 16]], blocks: &mut [I::Words; N]) {
    isa.run(
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || {
            let last = keys.len() - 1;
            for block in blocks.iter_mut() {
                *block = looked_up(&TO_DECRYPT, halves(isa, *block)) ^ I::Words::splat_row(isa, &keys[0]);
            }
            for key in &keys[1..last] {
                let key = I::Words::splat_row(isa, key);
                for block in blocks.iter_mut() {
                    let quotients = quotients(isa, block.shuffle_bytes(const { shifted_rows(true) }));
                    let mut sum = looked_up(&INV_SUB[3], quotients);
                    sum = next_row(sum) ^ looked_up(&INV_SUB[2], quotients);
                    sum = next_row(sum) ^ looked_up(&INV_SUB[1], quotients);
                    *block = next_row(sum) ^ looked_up(&INV_SUB[0], quotients) ^ key;
                }
            }
            for block in blocks.iter_mut() {
                let quotients = quotients(isa, block.shuffle_bytes(const { shifted_rows(true) }));
                *block = looked_up(&INV_SUB_LAST, quotients) ^ I::Words::splat_row(isa, &keys[last]);
            }
        },
    );
}
