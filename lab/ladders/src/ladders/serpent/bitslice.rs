//! The full bit-slice: a register for each of the 128 bits of a block, and in it this bit of as many blocks as the
//! register has bits.
//!
//! A word that is rotated is the same registers then, numbered in another way. Rotations and shifts are no
//! instructions any more, which below AVX-512 are two fifths of all. The price is memory:
//!
//! * No CPU has 128 registers. In a round each bit is stored twice, and loaded for each sum that it is in.
//! * A round key is 128 registers, too. Here a word of ones or zeros is kept for each bit, 17 KB in all, and spread
//!   to a register when it is loaded.
//! * Bits are transposed on the way in and on the way out, which takes a seventh of the time on a Zen 3.
//! * A pass takes as many blocks as a register has bits, 256 with AVX2, and as long for fewer.
//!
//! The article ends with this arrangement, which Wei Dai had suggested: with the 128 registers of a Cell processor it
//! might do without that memory.

use abreast_simd::{Level, Word as _, Words, WordsIsa, dispatch};

use super::interface::ManyBlocks;
use super::rounds::{Instructions, OnVectors, OnVectorsTernary, RoundKeys, add};
use super::vectors::{load, store};

/// The bits at one of 32 places, from each of the four words.
type Place<T> = [T; 4];

/// Serpent on as many blocks at a time as a register has bits.
pub(super) struct FullBitslice {
    level: Level,
    /// A word of ones for each bit of a round key that is one, and a word of zeros for each other.
    keys: Vec<[Place<u32>; 32]>,
}

impl FullBitslice {
    pub(super) fn new(level: Level, keys: &RoundKeys) -> Self {
        let spread = |key: &[u32; 4]| {
            let mut places = [[0; 4]; 32];
            for (i, place) in places.iter_mut().enumerate() {
                *place = key.map(|word| (word >> i & 1).wrapping_neg());
            }
            places
        };
        Self { level, keys: keys.iter().map(spread).collect() }
    }
}

impl ManyBlocks for FullBitslice {
    fn encrypt_n(&self, input: &[u8], output: &mut [u8]) {
        dispatch!(self.level, isa => encrypt_passes(isa, &self.keys, input, output));
    }
}

#[inline(always)]
fn encrypt_passes<I: WordsIsa>(isa: I, keys: &[[Place<u32>; 32]], input: &[u8], output: &mut [u8]) {
    let pass = 32 * 4 * I::Words::BYTES;
    for (input, output) in input.chunks(pass).zip(output.chunks_mut(pass)) {
        let mut places = [[I::Words::splat(isa, 0); 4]; 32];
        load(isa, input, &mut places);
        transpose_bits(isa, &mut places);
        encrypt(isa, keys, &mut places);
        transpose_bits(isa, &mut places);
        store(&places, output);
    }
}

/// In each lane, bit `i` of row `j` becomes bit `j` of row `i`: the words of 32 groups become the bits of 32 places,
/// and the other way round. It is done for four matrices, one of each word.
#[inline(always)]
fn transpose_bits<I: WordsIsa>(isa: I, rows: &mut [Place<I::Words>; 32]) {
    exchange(isa, 16, 0x0000_ffff, rows);
    exchange(isa, 8, 0x00ff_00ff, rows);
    exchange(isa, 4, 0x0f0f_0f0f, rows);
    exchange(isa, 2, 0x3333_3333, rows);
    exchange(isa, 1, 0x5555_5555, rows);
}

/// In squares of `2n` rows and bits, the upper right quarter and the lower left one change places; `low` has the bits
/// of the one.
#[inline(always)]
fn exchange<I: WordsIsa>(isa: I, n: usize, low: u32, rows: &mut [Place<I::Words>; 32]) {
    let low = I::Words::splat(isa, low);
    for square in rows.chunks_exact_mut(2 * n) {
        let (above, below) = square.split_at_mut(n);
        for (a, b) in above.as_flattened_mut().iter_mut().zip(below.as_flattened_mut()) {
            let difference = (a.shr(n as u32) ^ *b) & low;
            *a = *a ^ difference.shl(n as u32);
            *b = *b ^ difference;
        }
    }
}

/// All rounds. S-boxes go from one array to another and the linear transformation goes back, since it needs its input
/// as it was.
#[inline(always)]
fn encrypt<I: WordsIsa>(isa: I, keys: &[[Place<u32>; 32]], x: &mut [Place<I::Words>; 32]) {
    let mut y = [[I::Words::splat(isa, 0); 4]; 32];
    for (round, key) in keys[..32].iter().enumerate() {
        match round % 8 {
            0 => substitute(isa, 0, key, x, &mut y),
            1 => substitute(isa, 1, key, x, &mut y),
            2 => substitute(isa, 2, key, x, &mut y),
            3 => substitute(isa, 3, key, x, &mut y),
            4 => substitute(isa, 4, key, x, &mut y),
            5 => substitute(isa, 5, key, x, &mut y),
            6 => substitute(isa, 6, key, x, &mut y),
            _ => substitute(isa, 7, key, x, &mut y),
        }
        if round < 31 {
            transform(&y, x);
        }
    }
    for ((x, y), key) in x.iter_mut().zip(&y).zip(&keys[32]) {
        *x = add(OnVectors(isa), *y, *key);
    }
}

/// A round key, and an S-box at each place.
#[inline(always)]
fn substitute<I: WordsIsa>(
    isa: I,
    sbox: usize,
    key: &[Place<u32>; 32],
    x: &[Place<I::Words>; 32],
    y: &mut [Place<I::Words>; 32],
) {
    for ((x, y), key) in x.iter().zip(y).zip(key) {
        let sum = add(OnVectors(isa), *x, *key);
        *y = if I::Words::TERNARY {
            OnVectorsTernary::<I>::sbox(sbox, sum)
        } else {
            OnVectors::<I>::sbox(sbox, sum)
        };
    }
}

/// The linear transformation. A word that is rotated to the left by `n` has at place `i` what it had at place `i - n`
/// before, counted modulo 32; if it is shifted, it has zeros at the first `n` places.
#[inline(always)]
fn transform<W: Words>(y: &[Place<W>; 32], x: &mut [Place<W>; 32]) {
    for i in 0..32 {
        let (a, c) = (y[(i + 32 - 13) % 32][0], y[(i + 32 - 3) % 32][2]);
        let d = y[i][3] ^ c;
        x[(i + 1) % 32][1] = y[i][1] ^ a ^ c;
        x[(i + 7) % 32][3] = if i < 3 { d } else { d ^ y[(i - 3 + 32 - 13) % 32][0] };
    }
    for i in 0..32 {
        let (a, c) = (y[(i + 32 - 13) % 32][0], y[(i + 32 - 3) % 32][2]);
        let [_, b, _, d] = x[i];
        let c = c ^ d;
        x[(i + 5) % 32][0] = a ^ b ^ d;
        x[(i + 22) % 32][2] = if i < 7 { c } else { c ^ x[i - 7][1] };
    }
}
