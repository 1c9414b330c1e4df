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

use super::schedule::MOST_ROUND_KEYS;
use crate::wipe::wipe;
use abreast_simd::inlined::Flat;
use abreast_simd::{Word as _, Words, WordsIsa};

/// Functions of one element of GF(16), or of a byte as the sum of those of its lower and its upper half.
type Lookup = [u8; 16];
type Lookups = [Lookup; 2];

/// An index for which a lookup gives 0: the result of a division by 0.
const INFINITE: u8 = 0x80;

/// A product in GF(16), modulo `x^4 + x + 1`.
const fn times_16(a: u8, b: u8) -> u8 {
    let (mut product, mut bit) = (0, 4);
    while bit > 0 {
        bit -= 1;
        product = (product << 1) ^ ((product >> 3) * 0x13);
        product ^= (b >> bit & 1) * a;
    }
    product
}

/// The inverse of each element of GF(16).
const INVERSE: Lookup = {
    let mut inverses = [INFINITE; 16];
    let mut x = 1;
    while x < 16 {
        let mut y = 1;
        while y < 16 {
            if times_16(x, y) == 1 {
                inverses[x as usize] = y;
            }
            y += 1;
        }
        x += 1;
    }
    inverses
};

/// The first element for which `z^2 + a z + a` has no root.
const A: u8 = {
    let mut a = 1;
    loop {
        let (mut z, mut has_root) = (0, false);
        while z < 16 {
            has_root |= times_16(z, z) ^ times_16(a, z) ^ a == 0;
            z += 1;
        }
        if !has_root {
            break a;
        }
        a += 1;
    }
};

/// `a` divided by each element.
const A_DIVIDED: Lookup = {
    let mut quotients = INVERSE;
    let mut k = 1;
    while k < 16 {
        quotients[k] = times_16(A, INVERSE[k]);
        k += 1;
    }
    quotients
};

/// A product in GF(16)[t]. The lower half of a byte is `k`, the upper one `i`.
const fn times_tower(x: u8, y: u8) -> u8 {
    let (k, i, l, m) = (x & 15, x >> 4, y & 15, y >> 4);
    let upper = times_16(i, m);
    let low = times_16(k, l) ^ times_16(A, upper);
    let high = times_16(k, m) ^ times_16(i, l) ^ times_16(A, upper);
    high << 4 | low
}

/// The powers of an element of GF(16)[t] that is a root of the polynomial of AES, which make an isomorphism.
const POWERS: [u8; 8] = {
    let mut root = 2;
    loop {
        let mut powers = [1; 9];
        let mut i = 1;
        while i < 9 {
            powers[i] = times_tower(powers[i - 1], root);
            i += 1;
        }
        if powers[8] ^ powers[4] ^ powers[3] ^ powers[1] ^ powers[0] == 0 {
            let [a, b, c, d, e, f, g, h, _] = powers;
            break [a, b, c, d, e, f, g, h];
        }
        root += 1;
    }
};

/// A linear function, given by the image of each bit.
const fn linear(basis: &[u8; 8], x: u8) -> u8 {
    let (mut sum, mut bit) = (0, 0);
    while bit < 8 {
        sum ^= (x >> bit & 1) * basis[bit];
        bit += 1;
    }
    sum
}

/// From GF(16)[t] to the field of AES.
const TO_AES: [u8; 256] = {
    let mut bytes = [0; 256];
    let mut x = 0;
    while x < 256 {
        bytes[linear(&POWERS, x as u8) as usize] = x as u8;
        x += 1;
    }
    bytes
};

/// A product in the field of AES.
const fn times_aes(a: u8, b: u8) -> u8 {
    let (mut product, mut bit) = (0, 8);
    while bit > 0 {
        bit -= 1;
        product = (product << 1) ^ ((product >> 7) * 0x1b);
        product ^= (b >> bit & 1) * a;
    }
    product
}

/// The linear part of the S-box after the inversion (FIPS 197, section 5.1.1).
const fn affine(x: u8) -> u8 {
    x ^ x.rotate_left(1) ^ x.rotate_left(2) ^ x.rotate_left(3) ^ x.rotate_left(4)
}

/// Its inverse.
const fn inverse_affine(x: u8) -> u8 {
    x.rotate_left(1) ^ x.rotate_left(3) ^ x.rotate_left(6)
}

/// The constant of the S-box.
const CONSTANT: u8 = 0x63;

/// The states of encryption between rounds: elements of GF(16)[t], of which `SubBytes` takes the inverse.
const ENCRYPTED: [u8; 8] = POWERS;

/// The states of decryption between rounds: the elements that `InvSubBytes` inverts.
const DECRYPTED: [u8; 8] = {
    let mut basis = [0; 8];
    let mut bit = 0;
    while bit < 8 {
        basis[bit] = linear(&POWERS, inverse_affine(1 << bit));
        bit += 1;
    }
    basis
};

/// A linear function of bytes as tables of its two halves.
const fn of_bytes(basis: &[u8; 8]) -> Lookups {
    let mut tables = [[0; 16]; 2];
    let mut x = 0;
    while x < 16 {
        tables[0][x] = linear(basis, x as u8);
        tables[1][x] = linear(basis, (x as u8) << 4);
        x += 1;
    }
    tables
}

/// A linear function of the inverse as tables of the two quotients: the inverse in the field of AES, the linear part of the
/// S-box if `encrypt`, a product with `factor`, and then the form of a state, if another round follows.
const fn of_inverse(encrypt: bool, factor: u8, state: Option<&[u8; 8]>) -> Lookups {
    let mut tables = [[0; 16]; 2];
    let mut which = 0;
    while which < 2 {
        let mut n = 1;
        while n < 16 {
            let [p, q] = if which == 0 { [INVERSE[n], 0] } else { [0, INVERSE[n]] };
            let i = times_16(INVERSE[A as usize], p ^ times_16(INVERSE[A as usize], p ^ q));
            let inverse = TO_AES[(i << 4 | p) as usize];
            let byte = times_aes(factor, if encrypt { affine(inverse) } else { inverse });
            tables[which][n] = match state {
                Some(basis) => linear(basis, byte),
                None => byte,
            };
            n += 1;
        }
        which += 1;
    }
    tables
}

const TO_ENCRYPT: Lookups = of_bytes(&ENCRYPTED);
const SUB: Lookups = of_inverse(true, 1, Some(&ENCRYPTED));
const SUB_DOUBLED: Lookups = of_inverse(true, 2, Some(&ENCRYPTED));
const SUB_LAST: Lookups = of_inverse(true, 1, None);
const TO_DECRYPT: Lookups = of_bytes(&DECRYPTED);
/// The coefficients of `InvMixColumns`, from the element itself to that three rows on.
const INV_SUB: [Lookups; 4] = [
    of_inverse(false, 14, Some(&DECRYPTED)),
    of_inverse(false, 11, Some(&DECRYPTED)),
    of_inverse(false, 13, Some(&DECRYPTED)),
    of_inverse(false, 9, Some(&DECRYPTED)),
];
const INV_SUB_LAST: Lookups = of_inverse(false, 1, None);

/// `ShiftRows` on the bytes of a block, or its inverse.
const fn shifted_rows(inverse: bool) -> [u8; 16] {
    let mut places = [0; 16];
    let mut at = 0;
    while at < 16 {
        let (row, column) = (at % 4, at / 4);
        let shift = if inverse { 4 - row } else { row };
        places[at] = (4 * ((column + shift) % 4) + row) as u8;
        at += 1;
    }
    places
}

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
