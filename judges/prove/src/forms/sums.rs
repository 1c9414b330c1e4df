//! Sums of words modulo a power of two, in a normal form: a constant and words with odd coefficients, in order. So `x + k - k`
//! is `x`, and the order and the grouping of a sum do not matter.
//!
//! Low bits that are numbers in both summands are added at once; the rest is a narrower sum, with their carry as its constant.

use super::circuit::on_gates;
use super::hash::HashMap;
use super::{Arena, Atom, Bit, ONE, Word, ZERO, and, constant, number, with, xor};

/// A constant and the numbers of words with their coefficients, modulo two to the width.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Sum {
    width: usize,
    pub(super) constant: u128,
    terms: Vec<(u32, u128)>,
}

/// The sums and the words of a proof.
#[derive(Default)]
pub(super) struct Sums {
    all: Vec<Sum>,
    numbers: HashMap<Sum, Word>,
    words: Vec<Word>,
    word_numbers: HashMap<Word, u32>,
    /// The sum whose bits a word is.
    of_word: HashMap<u32, u32>,
}

const fn mask(width: usize) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

impl Arena {
    /// A sum, with its coefficients and words.
    pub(super) fn sum(&self, number: u32) -> (&Sum, impl Iterator<Item = (u128, &Word)>) {
        let sum = &self.sums.all[number as usize];
        (sum, sum.terms.iter().map(|(word, coefficient)| (*coefficient, &self.sums.words[*word as usize])))
    }

    fn word_number(&mut self, bits: &[Bit]) -> u32 {
        if let Some(number) = self.sums.word_numbers.get(bits) {
            return *number;
        }
        let number = self.sums.words.len() as u32;
        self.sums.words.push(bits.to_vec());
        self.sums.word_numbers.insert(bits.to_vec(), number);
        number
    }

    /// Adds `factor` times a word to a sum. A word that is a sum itself is taken apart, and a mask of one bit is its negative.
    fn collect(&mut self, into: &mut Sum, bits: &[Bit], factor: u128) {
        if let Some(value) = constant(bits) {
            into.constant = into.constant.wrapping_add(value.wrapping_mul(factor));
            return;
        }
        if bits.len() > 1 && bits.iter().all(|bit| *bit == bits[0]) {
            let mut one = vec![ZERO; bits.len()];
            one[0] = bits[0];
            return self.collect(into, &one, factor.wrapping_neg());
        }
        let word = self.word_number(bits);
        match self.sums.of_word.get(&word) {
            Some(sum) => {
                let sum = &self.sums.all[*sum as usize];
                into.constant = into.constant.wrapping_add(sum.constant.wrapping_mul(factor));
                let scaled = |(word, coefficient): &(u32, u128)| (*word, coefficient.wrapping_mul(factor));
                into.terms.extend(sum.terms.iter().map(scaled));
            }
            None => into.terms.push((word, factor)),
        }
    }

    /// Merges the terms and makes their coefficients odd: an even one moves into the word, as a shift.
    fn normalise(&mut self, sum: &mut Sum) {
        let mask = mask(sum.width);
        loop {
            let mut terms = std::mem::take(&mut sum.terms);
            terms.sort_unstable();
            for (word, coefficient) in terms {
                match sum.terms.last_mut() {
                    Some((last, total)) if *last == word => *total = total.wrapping_add(coefficient) & mask,
                    _ => sum.terms.push((word, coefficient & mask)),
                }
            }
            sum.terms.retain(|(_, coefficient)| *coefficient != 0);
            let Some(place) = sum.terms.iter().position(|(_, coefficient)| coefficient % 2 == 0) else {
                break;
            };
            let (word, coefficient) = sum.terms.swap_remove(place);
            let by = coefficient.trailing_zeros() as usize;
            let mut shifted = vec![ZERO; by];
            shifted.extend_from_slice(&self.sums.words[word as usize][..sum.width - by]);
            self.collect(sum, &shifted, coefficient >> by);
        }
        sum.constant &= mask;
    }

    /// The sum of `a`, `b` or its negative, and a carry, of which the last is a number.
    fn add(&mut self, a: &[Bit], b: &[Bit], minus: bool, carry: bool) -> Word {
        let width = a.len();
        assert_eq!(width, b.len());
        let known = a.iter().zip(b).take_while(|(a, b)| a.0 < 2 && b.0 < 2).count();
        if known > 0 {
            let (Some(x), Some(y)) = (constant(&a[..known]), constant(&b[..known])) else { unreachable!() };
            let mask = mask(known);
            let (low, over) = if minus {
                let (low, first) = (x & mask).overflowing_sub(y);
                let (low, second) = low.overflowing_sub(carry.into());
                (low & mask, first || second)
            } else {
                let total = x.checked_add(y).and_then(|total| total.checked_add(carry.into()));
                (x.wrapping_add(y).wrapping_add(carry.into()) & mask, total.is_none_or(|total| total > mask))
            };
            let mut out = number(low, known);
            if known < width {
                out.extend(self.add(&a[known..], &b[known..], minus, over));
            }
            return out;
        }
        if !minus
            && !carry
            && let Some(word) = together(a, b)
        {
            return word;
        }
        if minus && !carry && a.iter().all(|bit| *bit == ZERO) && b[1..].iter().all(|bit| *bit == ZERO) {
            // Zero minus one bit is that bit everywhere: a mask.
            return vec![b[0]; width];
        }
        let carried = if minus { u128::MAX } else { 1 };
        let mut sum = Sum { width, constant: if carry { carried } else { 0 }, terms: Vec::new() };
        self.collect(&mut sum, a, 1);
        self.collect(&mut sum, b, if minus { u128::MAX } else { 1 });
        self.normalise(&mut sum);
        self.word_of(sum)
    }

    /// The bits of a sum in normal form.
    fn word_of(&mut self, sum: Sum) -> Word {
        if sum.terms.is_empty() {
            return number(sum.constant, sum.width);
        }
        if let [(word, 1)] = sum.terms[..]
            && sum.constant == 0
        {
            return self.sums.words[word as usize].clone();
        }
        if let Some(known) = self.sums.numbers.get(&sum) {
            return known.clone();
        }
        if let [(a, 1), (b, 1)] = sum.terms[..]
            && sum.constant == 0
            && let Some(word) = together(&self.sums.words[a as usize], &self.sums.words[b as usize])
        {
            return word;
        }
        if self.exhausted() {
            return vec![ZERO; sum.width];
        }
        let number = self.sums.all.len() as u32;
        self.sums.all.push(sum.clone());
        let bits: Word = (0..sum.width as u32).map(|i| Bit(self.atom(Atom::Sum(number, i)))).collect();
        let word = self.word_number(&bits);
        self.sums.of_word.insert(word, number);
        self.sums.numbers.insert(sum, bits.clone());
        bits
    }
}

/// Returns the sum of two words that have no bit in common: code makes words of parts by addition, too.
fn together(a: &[Bit], b: &[Bit]) -> Option<Word> {
    a.iter().zip(b).map(|(a, b)| if *a == ZERO { Some(*b) } else { (*b == ZERO).then_some(*a) }).collect()
}

/// True if few bits of two words depend on data: then sums of them are short as polynomials, in which masks are made of bits.
fn sparse(a: &[Bit], b: &[Bit]) -> bool {
    let count = a.iter().chain(b).filter(|bit| **bit != ZERO && **bit != ONE).count();
    count > 0 && 4 * count <= a.len() && constant(a).is_none() && constant(b).is_none()
}

/// The sum of two words of one width.
pub(crate) fn add(a: &[Bit], b: &[Bit]) -> Word {
    if sparse(a, b) || on_gates() {
        return add_carry(a, b, ZERO).0;
    }
    with(|arena| arena.add(a, b, false, false))
}

/// The difference of two words of one width.
pub(crate) fn sub(a: &[Bit], b: &[Bit]) -> Word {
    if sparse(a, b) || on_gates() {
        let inverted: Word = b.iter().map(|bit| xor(*bit, ONE)).collect();
        return add_carry(a, &inverted, ONE).0;
    }
    with(|arena| arena.add(a, b, true, false))
}

/// The negative of a word.
pub(crate) fn negate(a: &[Bit]) -> Word {
    sub(&vec![ZERO; a.len()], a)
}

/// The sum of two words and a carry, bit by bit, with the carry out of it: for counters, most of whose bits are numbers.
pub(crate) fn add_carry(a: &[Bit], b: &[Bit], carry: Bit) -> (Word, Bit) {
    let mut carry = carry;
    let sum = a
        .iter()
        .zip(b)
        .map(|(a, b)| {
            let half = xor(*a, *b);
            let bit = xor(half, carry);
            carry = if half == ZERO { *a } else { xor(and(*a, *b), and(half, carry)) };
            bit
        })
        .collect();
    (sum, carry)
}
