//! TEA (Wheeler and Needham 1994) and XTEA (Needham and Wheeler 1997), in either order of the bytes of a word.

use super::Cipher;
use crate::bits::{shift_left, shift_right, swap_bytes, xors};
use crate::forms::{Bit, Word, add, number, sub};

/// The multiples of this number are what makes rounds different.
const DELTA: u32 = 0x9e37_79b9;
/// Cycles of two rounds.
const CYCLES: u32 = 32;

/// A cipher of two words under a key.
pub(crate) struct Words {
    /// The keys of both rounds of each cycle.
    rounds: Vec<[Round; 2]>,
    big_endian: bool,
}

/// The keys of a round.
enum Round {
    /// The two words that are added to the shifted words, and the sum.
    Tea(Word, Word, Word),
    /// A word of the key and the sum together.
    Xtea(Word),
}

impl Round {
    /// The function of one word that is added to the other one.
    fn mix(&self, x: &[Bit]) -> Word {
        match self {
            Self::Tea(left, right, sum) => {
                let (left, right) = (add(&shift_left(x, 4), left), add(&shift_right(x, 5), right));
                xors(&xors(&left, &add(x, sum)), &right)
            }
            Self::Xtea(key) => xors(&add(&xors(&shift_left(x, 4), &shift_right(x, 5)), x), key),
        }
    }
}

/// A word of four bytes as a number.
fn ordered(word: &[Bit], big_endian: bool) -> Word {
    if big_endian { swap_bytes(word) } else { word.to_vec() }
}

impl Words {
    /// TEA under a key of 128 bits.
    pub(crate) fn tea(key: &[Bit], big_endian: bool) -> Self {
        let key: Vec<Word> = key.chunks(32).map(|word| ordered(word, big_endian)).collect();
        let cycle = |i: u32| {
            let sum = number(DELTA.wrapping_mul(i).into(), 32);
            [(0, 1), (2, 3)].map(|(a, b)| Round::Tea(key[a].clone(), key[b].clone(), sum.clone()))
        };
        Self { rounds: (1..=CYCLES).map(cycle).collect(), big_endian }
    }

    /// XTEA under a key of 128 bits.
    pub(crate) fn xtea(key: &[Bit], big_endian: bool) -> Self {
        let key: Vec<Word> = key.chunks(32).map(|word| ordered(word, big_endian)).collect();
        let cycle = |i: u32| {
            let (before, after) = (DELTA.wrapping_mul(i - 1), DELTA.wrapping_mul(i));
            [(before, before & 3), (after, after >> 11 & 3)]
                .map(|(sum, word)| Round::Xtea(add(&key[word as usize], &number(sum.into(), 32))))
        };
        Self { rounds: (1..=CYCLES).map(cycle).collect(), big_endian }
    }

    fn crypt(&self, block: &[Bit], work: impl FnOnce(&mut [Word; 2])) -> Word {
        let mut words = [&block[..32], &block[32..]].map(|word| ordered(word, self.big_endian));
        work(&mut words);
        words.map(|word| ordered(&word, self.big_endian)).concat()
    }
}

impl Cipher for Words {
    fn block(&self) -> usize {
        8
    }

    fn encrypt(&self, block: &[Bit]) -> Word {
        self.crypt(block, |[y, z]| {
            for [first, second] in &self.rounds {
                *y = add(y, &first.mix(z));
                *z = add(z, &second.mix(y));
            }
        })
    }

    fn decrypt(&self, block: &[Bit]) -> Word {
        self.crypt(block, |[y, z]| {
            for [first, second] in self.rounds.iter().rev() {
                *z = sub(z, &second.mix(y));
                *y = sub(y, &first.mix(z));
            }
        })
    }
}
