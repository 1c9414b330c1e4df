//! Serpent, from the submission to the AES process, in the bit-sliced form of its section 3 without the permutations: bit `i`
//! of the four words of a block goes through an S-box.

use super::Cipher;
use crate::bits::{rotate_left, rotate_right, shift_left, xors};
use crate::forms::{Bit, ONE, Word, ZERO, label, name_word, number, table};

/// The S-boxes, as the submission prints them.
const BOXES: [[u8; 16]; 8] = [
    [3, 8, 15, 1, 10, 6, 5, 11, 14, 13, 4, 2, 7, 0, 9, 12],
    [15, 12, 2, 7, 9, 0, 5, 10, 1, 11, 14, 8, 6, 13, 3, 4],
    [8, 6, 7, 9, 3, 12, 10, 15, 13, 1, 14, 4, 0, 11, 5, 2],
    [0, 15, 11, 8, 12, 9, 6, 3, 13, 1, 2, 4, 10, 7, 5, 14],
    [1, 15, 8, 3, 12, 0, 11, 6, 2, 5, 4, 10, 9, 14, 7, 13],
    [15, 5, 2, 11, 4, 10, 9, 12, 0, 3, 14, 8, 13, 6, 7, 1],
    [7, 2, 12, 5, 8, 4, 6, 11, 14, 9, 1, 15, 13, 3, 10, 0],
    [1, 13, 15, 0, 14, 8, 2, 11, 7, 4, 12, 10, 9, 3, 5, 6],
];
/// The golden ratio, which makes the words of the schedule different.
const PHI: u32 = 0x9e37_79b9;
const ROUNDS: usize = 32;

/// Serpent under a key.
pub(crate) struct Serpent {
    keys: Vec<Word>,
}

impl Serpent {
    /// Expands a key of 128, 192 or 256 bits (section 4).
    pub(crate) fn new(key: &[Bit]) -> Self {
        let mut padded = key.to_vec();
        if key.len() < 256 {
            padded.push(ONE);
            padded.resize(256, ZERO);
        }
        let mut words: Vec<Word> = padded.chunks(32).map(<[Bit]>::to_vec).collect();
        for i in 0..4 * (ROUNDS as u32 + 1) {
            label(|| format!("word {i} of the key schedule"));
            let back = |by: usize| &words[words.len() - by];
            let sum = xors(&xors(back(8), back(5)), &xors(back(3), back(1)));
            let word = rotate_left(&xors(&sum, &number((PHI ^ i).into(), 32)), 11);
            // Named one by one: each is a sum of all words before it.
            words.push(name_word(&word));
        }
        let of_round = |r: usize| substitute(&words[8 + 4 * r..12 + 4 * r].concat(), (35 - r) % 8, false);
        Self { keys: (0..=ROUNDS).map(of_round).collect() }
    }
}

/// S-box `n`, or its inverse, on each bit of four words.
fn substitute(x: &[Bit], n: usize, inverse: bool) -> Word {
    let mut values = BOXES[n % 8];
    if inverse {
        BOXES[n % 8].iter().zip(0..).for_each(|(y, x)| values[usize::from(*y)] = x);
    }
    let x: Word = x.chunks(32).flat_map(name_word).collect();
    let mut out = vec![ZERO; 128];
    for i in 0..32 {
        let bits = table(&[x[i], x[32 + i], x[64 + i], x[96 + i]], 4, &values);
        bits.into_iter().enumerate().for_each(|(word, bit)| out[32 * word + i] = bit);
    }
    out
}

/// The linear transformation (section 3).
fn mix(x: &[Bit]) -> Word {
    let mut w: Vec<Word> = x.chunks(32).map(<[Bit]>::to_vec).collect();
    w[0] = rotate_left(&w[0], 13);
    w[2] = rotate_left(&w[2], 3);
    w[1] = rotate_left(&xors(&xors(&w[1], &w[0]), &w[2]), 1);
    w[3] = rotate_left(&xors(&xors(&w[3], &w[2]), &shift_left(&w[0], 3)), 7);
    w[0] = rotate_left(&xors(&xors(&w[0], &w[1]), &w[3]), 5);
    w[2] = rotate_left(&xors(&xors(&w[2], &w[3]), &shift_left(&w[1], 7)), 22);
    w.concat()
}

/// The inverse of the linear transformation.
fn inverse_mix(x: &[Bit]) -> Word {
    let mut w: Vec<Word> = x.chunks(32).map(<[Bit]>::to_vec).collect();
    w[2] = xors(&xors(&rotate_right(&w[2], 22), &w[3]), &shift_left(&w[1], 7));
    w[0] = xors(&xors(&rotate_right(&w[0], 5), &w[1]), &w[3]);
    // Named as soon as they are there: code finds the names in the sums that follow.
    (w[0], w[2]) = (name_word(&w[0]), name_word(&w[2]));
    w[3] = xors(&xors(&rotate_right(&w[3], 7), &w[2]), &shift_left(&w[0], 3));
    w[1] = xors(&xors(&rotate_right(&w[1], 1), &w[0]), &w[2]);
    w[2] = rotate_right(&w[2], 3);
    w[0] = rotate_right(&w[0], 13);
    w.concat()
}

impl Cipher for Serpent {
    fn block(&self) -> usize {
        16
    }

    fn encrypt(&self, block: &[Bit]) -> Word {
        let mut x = block.to_vec();
        for r in 0..ROUNDS {
            label(|| format!("round {r} of a block"));
            x = substitute(&xors(&x, &self.keys[r]), r, false);
            if r < ROUNDS - 1 {
                x = mix(&x);
            }
        }
        xors(&x, &self.keys[ROUNDS])
    }

    fn decrypt(&self, block: &[Bit]) -> Word {
        let mut x = xors(block, &self.keys[ROUNDS]);
        for r in (0..ROUNDS).rev() {
            label(|| format!("inverse round {r} of a block"));
            if r < ROUNDS - 1 {
                x = inverse_mix(&x);
            }
            x = xors(&substitute(&x, r, true), &self.keys[r]);
        }
        x
    }
}
