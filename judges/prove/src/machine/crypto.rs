//! The instructions for AES, for products without carries and for the field of 2^8 elements, with a meaning of their own: the
//! operations of Intel's manual, not those of the specifications. Tests prove them equal to FIPS 197 and to the product.

use iced_x86::{Instruction, Mnemonic};

use super::{Machine, Result};
use crate::forms::{Bit, Word, ZERO, and, opaque_table, table, xor, xor_all};

/// The generator of the field of AES, to the powers of 0 to 254: multiplication by three.
const POWERS: [u8; 255] = {
    let mut powers = [1; 255];
    let mut i = 1;
    while i < 255 {
        let x = powers[i - 1];
        powers[i] = x ^ x << 1 ^ if x & 0x80 == 0 { 0 } else { 0x1b };
        i += 1;
    }
    powers
};

/// The inverse in the field by powers of the generator, and then the rows of the matrix of the manual.
static BOX: [u8; 256] = {
    let mut table = [0x63; 256];
    let mut i = 0;
    while i < 255 {
        let inverse = POWERS[(255 - i) % 255];
        let mut out = 0_u8;
        let mut row = 0;
        while row < 8 {
            let mask = 0xf1_u8.rotate_left(row);
            out |= ((inverse & mask).count_ones() as u8 & 1) << row;
            row += 1;
        }
        table[POWERS[i] as usize] = out ^ 0x63;
        i += 1;
    }
    table
};

static INVERSE_BOX: [u8; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        table[BOX[i] as usize] = i as u8;
        i += 1;
    }
    table
};

/// The places from which `ShiftRows` takes the bytes of a state, as the manual lists them.
const ROWS: [usize; 16] = [0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11];
/// The places for its inverse.
const ROWS_BACK: [usize; 16] = [0, 13, 10, 7, 4, 1, 14, 11, 8, 5, 2, 15, 12, 9, 6, 3];

fn bytes_from(state: &[Bit], places: [usize; 16]) -> Word {
    places.iter().flat_map(|place| state[8 * place..8 * place + 8].to_vec()).collect()
}

fn substituted(state: &[Bit], values: &'static [u8; 256], closed: bool) -> Word {
    let of_byte = |byte| match closed {
        true => opaque_table(byte, 8, values),
        false => table(byte, 8, values),
    };
    state.chunks(8).flat_map(of_byte).collect()
}

/// A byte times two.
fn doubled(byte: &[Bit]) -> Word {
    let mut out = [&[ZERO], &byte[..7]].concat();
    for place in [0, 1, 3, 4] {
        out[place] = xor(out[place], byte[7]);
    }
    out
}

/// Each column times a polynomial: the coefficient of `x^i` is number `i`.
fn columns_times(state: &[Bit], polynomial: [u8; 4]) -> Word {
    let mut out = Vec::with_capacity(128);
    for column in state.chunks(32) {
        // Each byte times one, two, four and eight.
        let multiples: Vec<[Word; 4]> = column
            .chunks(8)
            .map(|byte| {
                let two = doubled(byte);
                let four = doubled(&two);
                [byte.to_vec(), two, four.clone(), doubled(&four)]
            })
            .collect();
        for row in 0..4 {
            for bit in 0..8 {
                let mut terms = Vec::new();
                for (i, factor) in polynomial.iter().enumerate() {
                    let byte = &multiples[(row + 4 - i) % 4];
                    terms.extend((0..4).filter(|k| factor >> k & 1 == 1).map(|k| byte[k][bit]));
                }
                out.push(xor_all(&terms));
            }
        }
    }
    out
}

/// The instruction of a mnemonic on a state.
fn aes(m: Mnemonic, state: &[Bit], closed: bool) -> Word {
    use Mnemonic as M;
    match m {
        M::Aesenc | M::Vaesenc => {
            columns_times(&substituted(&bytes_from(state, ROWS), &BOX, closed), [2, 1, 1, 3])
        }
        M::Aesenclast | M::Vaesenclast => substituted(&bytes_from(state, ROWS), &BOX, closed),
        M::Aesdec | M::Vaesdec => {
            columns_times(&substituted(&bytes_from(state, ROWS_BACK), &INVERSE_BOX, closed), [14, 9, 13, 11])
        }
        M::Aesdeclast | M::Vaesdeclast => substituted(&bytes_from(state, ROWS_BACK), &INVERSE_BOX, closed),
        _ => columns_times(state, [14, 9, 13, 11]),
    }
}

/// The product without carries of two words of 64 bits: for each bit of the first, the second one moved up.
fn carryless(a: &[Bit], b: &[Bit]) -> Word {
    let mut terms: Vec<Word> = vec![Vec::new(); 128];
    for (i, a) in a.iter().enumerate() {
        for (j, b) in b.iter().enumerate() {
            terms[i + j].push(and(*a, *b));
        }
    }
    terms.iter().map(|terms| xor_all(terms)).collect()
}

impl Machine<'_> {
    /// Does an instruction for cryptography, and returns true if it is one.
    pub(super) fn crypto(&mut self, x: &Instruction) -> Result<bool> {
        use Mnemonic as M;
        let m = x.mnemonic();
        let closed = self.closed;
        match m {
            M::Aesenc
            | M::Aesenclast
            | M::Aesdec
            | M::Aesdeclast
            | M::Vaesenc
            | M::Vaesenclast
            | M::Vaesdec
            | M::Vaesdeclast => {
                let round = |state: &[Bit], key: &[Bit]| crate::bits::xors(&aes(m, state, closed), key);
                self.by_two(x, 128, round)
            }
            M::Aesimc | M::Vaesimc => self.by_one(x, 128, |state| aes(m, state, closed)),
            M::Aeskeygenassist | M::Vaeskeygenassist => {
                let constant = crate::forms::number(x.immediate8().into(), 32);
                self.by_one(x, 128, |a| {
                    let one = |word: usize| {
                        let plain = substituted(&a[32 * word..32 * word + 32], &BOX, closed);
                        let turned = crate::bits::xors(&crate::bits::rotate_right(&plain, 8), &constant);
                        [plain, turned].concat()
                    };
                    [one(1), one(3)].concat()
                })
            }
            M::Pclmulqdq | M::Vpclmulqdq => {
                let halves = x.immediate8();
                let half = |x: &[Bit], chosen: u8| x[64 * usize::from(chosen & 1)..][..64].to_vec();
                self.by_two(x, 128, |a, b| carryless(&half(a, halves), &half(b, halves >> 4)))
            }
            M::Gf2p8affineqb | M::Vgf2p8affineqb => {
                let constant = x.immediate8();
                self.by_two(x, 64, |a, b| {
                    let bit = |byte: &[Bit], i: usize| {
                        let row = &b[8 * (7 - i)..8 * (7 - i) + 8];
                        let mut terms: Word = row.iter().zip(byte).map(|(a, b)| and(*a, *b)).collect();
                        terms.push(if constant >> i & 1 == 1 { crate::forms::ONE } else { ZERO });
                        xor_all(&terms)
                    };
                    a.chunks(8).flat_map(|byte| (0..8).map(|i| bit(byte, i)).collect::<Word>()).collect()
                })
            }
            _ => Ok(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::forms::{begin, exhausted, variables};
    use crate::spec::{aes as standard, gf128};

    #[test]
    fn instructions_for_aes_are_the_rounds_of_the_standard() {
        for closed in [true, false] {
            begin(Duration::from_secs(60));
            let state = variables(128);
            assert_eq!(aes(Mnemonic::Aesenc, &state, closed), standard::round(&state, false, closed));
            assert_eq!(aes(Mnemonic::Aesenclast, &state, closed), standard::round(&state, true, closed));
            let back = standard::inverse_round(&state, closed);
            assert_eq!(aes(Mnemonic::Aesdeclast, &state, closed), back);
            assert_eq!(aes(Mnemonic::Aesdec, &state, closed), standard::inverse_mix_columns(&back));
            assert_eq!(aes(Mnemonic::Aesimc, &state, closed), standard::inverse_mix_columns(&state));
            // A wrong round is not proved.
            assert_ne!(aes(Mnemonic::Aesenc, &state, closed), standard::round(&state, true, closed));
            assert!(!exhausted());
        }
    }

    #[test]
    fn the_product_without_carries_is_that_of_polynomials() {
        begin(Duration::from_secs(60));
        let (a, b) = (variables(64), variables(64));
        assert_eq!(carryless(&a, &b), gf128::product(&a, &b));
        assert!(!exhausted());
    }
}
