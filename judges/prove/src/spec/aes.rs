//! AES, from FIPS 197. A state is 128 bits, byte `r + 4c` of which is in row `r` and column `c`.

use super::Cipher;
use crate::bits::{rotate_right, xors};
use crate::forms::{Bit, Word, label, name, number, opaque_table, table, xor_all};

/// The product of two bytes (section 4.2).
pub(crate) const fn times(a: u8, b: u8) -> u8 {
    let (mut product, mut power, mut i) = (0, a, 0);
    while i < 8 {
        if b >> i & 1 == 1 {
            product ^= power;
        }
        power = power << 1 ^ if power & 0x80 == 0 { 0 } else { 0x1b };
        i += 1;
    }
    product
}

/// The S-box (section 5.1.1): the inverse, and an affine map.
static SBOX: [u8; 256] = {
    let mut sbox = [0; 256];
    let mut x = 0;
    while x < 256 {
        let mut inverse = 0;
        let mut y = 1;
        while y < 256 {
            if times(x as u8, y as u8) == 1 {
                inverse = y as u8;
            }
            y += 1;
        }
        sbox[x] = 0x63
            ^ inverse
            ^ inverse.rotate_left(1)
            ^ inverse.rotate_left(2)
            ^ inverse.rotate_left(3)
            ^ inverse.rotate_left(4);
        x += 1;
    }
    sbox
};

/// The inverse of the S-box (section 5.3.2).
static INVERSE_SBOX: [u8; 256] = {
    let mut inverse = [0; 256];
    let mut x = 0;
    while x < 256 {
        inverse[SBOX[x] as usize] = x as u8;
        x += 1;
    }
    inverse
};

/// AES under a key.
pub(crate) struct Aes {
    keys: Vec<Word>,
    closed: bool,
}

impl Aes {
    /// Expands a key of 128, 192 or 256 bits (section 5.2).
    pub(crate) fn new(key: &[Bit], closed: bool) -> Self {
        let words_of_key = key.len() / 32;
        let rounds = words_of_key + 6;
        let mut words: Vec<Word> = key.chunks(32).map(<[Bit]>::to_vec).collect();
        let mut constant = 1;
        for i in words_of_key..4 * (rounds + 1) {
            label(|| format!("word {i} of the key schedule"));
            let substituted = i % words_of_key == 0 || words_of_key > 6 && i % words_of_key == 4;
            let mut word = words[i - 1].clone();
            if i % words_of_key == 0 {
                word = sub_bytes(&rotate_right(&word, 8), &SBOX, closed);
                word = xors(&word, &number(constant.into(), 32));
                constant = times(constant, 2);
            } else if substituted {
                word = sub_bytes(&word, &SBOX, closed);
            }
            let word = xors(&words[i - words_of_key], &word);
            // Each word is a sum of all S-boxes before it.
            words.push(if closed { word } else { name(&word) });
        }
        Self { keys: words.chunks(4).map(<[Word]>::concat).collect(), closed }
    }
}

/// `SubBytes` or its inverse, of any number of bytes.
fn sub_bytes(bytes: &[Bit], sbox: &'static [u8; 256], closed: bool) -> Word {
    let of_byte = |byte| match closed {
        true => opaque_table(byte, 8, sbox),
        false => table(byte, 8, sbox),
    };
    bytes.chunks(8).flat_map(of_byte).collect()
}

/// Moves row `r` by `r` columns, or back.
fn shift_rows(state: &[Bit], back: bool) -> Word {
    let from = |place: usize| {
        let (row, column) = (place % 4, place / 4);
        let column = if back { column + 4 - row } else { column + row } % 4;
        &state[8 * (row + 4 * column)..][..8]
    };
    (0..16).flat_map(|place| from(place).to_vec()).collect()
}

/// Multiplies each column by a circulant matrix with this first row.
fn mix(state: &[Bit], row_0: [u8; 4]) -> Word {
    let bit = |place: usize, j: usize| {
        let (row, column) = (place % 4, place / 4);
        let mut terms = Vec::new();
        for i in 0..4 {
            for b in 0..8 {
                if times(1 << b, row_0[(i + 4 - row) % 4]) >> j & 1 == 1 {
                    terms.push(state[8 * (4 * column + i) + b]);
                }
            }
        }
        xor_all(&terms)
    };
    (0..128).map(|i| bit(i / 8, i % 8)).collect()
}

/// `MixColumns` (section 5.1.3).
pub(crate) fn mix_columns(state: &[Bit]) -> Word {
    mix(state, [2, 3, 1, 1])
}

/// The inverse of `MixColumns` (section 5.3.3).
pub(crate) fn inverse_mix_columns(state: &[Bit]) -> Word {
    mix(state, [14, 11, 13, 9])
}

/// A round without its key (section 5.1), the last one without `MixColumns`.
pub(crate) fn round(state: &[Bit], last: bool, closed: bool) -> Word {
    let state = shift_rows(&sub_bytes(state, &SBOX, closed), false);
    if last { state } else { mix_columns(&state) }
}

/// `InvShiftRows` and `InvSubBytes` (section 5.3).
pub(crate) fn inverse_round(state: &[Bit], closed: bool) -> Word {
    sub_bytes(&shift_rows(state, true), &INVERSE_SBOX, closed)
}

impl Cipher for Aes {
    fn block(&self) -> usize {
        16
    }

    fn encrypt(&self, block: &[Bit]) -> Word {
        let last = self.keys.len() - 1;
        let mut state = xors(block, &self.keys[0]);
        for (i, key) in self.keys.iter().enumerate().skip(1) {
            label(|| format!("round {i} of a block"));
            state = xors(&round(&state, i == last, self.closed), key);
        }
        state
    }

    fn decrypt(&self, block: &[Bit]) -> Word {
        let last = self.keys.len() - 1;
        let mut state = xors(block, &self.keys[last]);
        for (i, key) in self.keys.iter().enumerate().take(last).rev() {
            label(|| format!("inverse round {i} of a block"));
            state = xors(&inverse_round(&state, self.closed), key);
            if i > 0 {
                state = inverse_mix_columns(&state);
            }
        }
        state
    }
}
