//! Bits as polynomials over GF(2) in a normal form.
//!
//! A bit is an XOR of monomials, a monomial a product of atoms. An atom is a variable, a name for a polynomial, a bit of a sum of
//! words (`sums.rs`) or a bit of a function given by its table (`tables.rs`). Polynomials are kept once, so a [`Bit`] is a number.
//!
//! Every rule keeps the value under every assignment of the variables. So bits with one number are equal for all inputs, which
//! is a proof. Bits with two numbers may be equal all the same: that is "not proved", and never "different" by itself.
//!
//! A name stands for its polynomial wherever that polynomial is reached from then on. A specification that runs first and names
//! the inputs of its S-boxes thereby cuts a cipher into rounds: code that reaches the same polynomial gets the name.
//!
//! A name of a whole word stands for it where all of its bits come together. Elements of a field need that: their bits have few
//! terms, which come together by chance in sums of other words, and would get the name there.

mod calls;
mod circuit;
mod dense;
mod hash;
mod show;
mod sums;
mod tables;
mod values;

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

pub(crate) use calls::*;
pub(crate) use circuit::{aiger, on_gates};
pub(crate) use hash::Fast;
use hash::HashMap;
pub(crate) use show::show;
pub(crate) use sums::{add, add_carry, negate, sub};
pub(crate) use tables::{opaque_table, table};
pub(crate) use values::Values;

/// A bit: the number of its polynomial.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Bit(u32);

/// The polynomial without terms.
pub(crate) const ZERO: Bit = Bit(0);
/// The polynomial whose one term is the empty product.
pub(crate) const ONE: Bit = Bit(1);

/// Bits, the least significant first.
pub(crate) type Word = Vec<Bit>;

/// A factor of monomials.
enum Atom {
    /// An input, which may have any value.
    Variable,
    /// A name for the polynomial of this number.
    Name(u32),
    /// A bit of a sum: the number of the sum and of the bit.
    Sum(u32, u32),
    /// A bit of a table: the number of the table with its inputs and of the output bit.
    Table(u32, u32),
}

/// Products of more terms than this give names to their factors first, unless they have few atoms. Only lanes of which the
/// specification says nothing need that, such as idle ones: without names they would grow.
const PRODUCT: usize = 1 << 9;

/// Numbers of monomials in polynomials all together, beyond which a proof is given up: 4 bytes each.
const TERMS: usize = 1 << 28;

/// All polynomials of a proof.
#[derive(Default)]
struct Arena {
    monomials: Vec<Rc<[u32]>>,
    monomial_numbers: HashMap<Rc<[u32]>, u32>,
    products: HashMap<(u32, u32), u32>,
    polynomials: Vec<Rc<[u32]>>,
    polynomial_numbers: HashMap<Rc<[u32]>, u32>,
    terms: usize,
    xors: HashMap<(u32, u32), u32>,
    ands: HashMap<(u32, u32), u32>,
    atoms: Vec<Atom>,
    /// The names of polynomials.
    names: HashMap<u32, u32>,
    /// The names of words: by the first bit of a word, the word and its names.
    words: HashMap<u32, Vec<(Word, Word)>>,
    /// True if there are words of 32 bits, and of 128.
    word_sizes: [bool; 2],
    /// The names in order, each with true once a polynomial with that name was reached again.
    reached: Vec<bool>,
    /// The place of a name, or of its complement, in that list.
    places: HashMap<u32, usize>,
    /// Texts for the names that follow.
    labels: Vec<(usize, String)>,
    dense: dense::Bases,
    sums: sums::Sums,
    tables: tables::Tables,
    /// The CPU time of the thread at which the proof is given up.
    deadline: Option<Duration>,
    /// True if a polynomial is assumed to be a number.
    assumptions: bool,
    /// The state of a generator of random bits, which variables are then.
    random: Option<u64>,
    until_look: u32,
    exhausted: bool,
    /// The gates, if bits are gates and not polynomials.
    circuit: Option<circuit::Circuit>,
}

thread_local! {
    static ARENA: RefCell<Arena> = RefCell::new(Arena::new());
}

fn with<R>(work: impl FnOnce(&mut Arena) -> R) -> R {
    ARENA.with_borrow_mut(work)
}

impl Arena {
    fn new() -> Self {
        let mut arena = Self::default();
        assert_eq!(arena.monomial(&[]), 0);
        assert_eq!(arena.polynomial(&[]), 0);
        assert_eq!(arena.polynomial(&[0]), 1);
        arena
    }

    /// The number of a product of atoms, which are in order.
    fn monomial(&mut self, atoms: &[u32]) -> u32 {
        if let Some(number) = self.monomial_numbers.get(atoms) {
            return *number;
        }
        let number = self.monomials.len() as u32;
        let atoms: Rc<[u32]> = atoms.into();
        self.monomials.push(atoms.clone());
        self.monomial_numbers.insert(atoms, number);
        number
    }

    /// The number of a sum of monomials, which are in order, without regard to names.
    fn polynomial(&mut self, terms: &[u32]) -> u32 {
        if let Some(number) = self.polynomial_numbers.get(terms) {
            return *number;
        }
        let number = self.polynomials.len() as u32;
        self.terms += terms.len();
        self.exhausted |= self.terms > TERMS;
        let terms: Rc<[u32]> = terms.into();
        self.polynomials.push(terms.clone());
        self.polynomial_numbers.insert(terms, number);
        number
    }

    /// Replaces a polynomial by its name if it has one.
    fn named(&mut self, polynomial: u32) -> u32 {
        match self.names.get(&polynomial) {
            Some(name) => {
                // An assumption has no place among the names.
                if let Some(place) = self.places.get(name) {
                    self.reached[*place] = true;
                }
                *name
            }
            None => polynomial,
        }
    }

    /// Lets a polynomial be a number wherever it is reached, and returns the number.
    fn assume(&mut self, polynomial: u32, value: u32) -> u32 {
        if polynomial < 2 || self.circuit.is_some() {
            return polynomial;
        }
        let complement = self.xor(polynomial, 1);
        self.names.extend([(polynomial, value), (complement, value ^ 1)]);
        self.assumptions = true;
        value
    }

    fn atom(&mut self, atom: Atom) -> u32 {
        let number = self.atoms.len() as u32;
        self.atoms.push(atom);
        let monomial = self.monomial(&[number]);
        self.polynomial(&[monomial])
    }

    fn variable(&mut self) -> Bit {
        if let Some(circuit) = &mut self.circuit {
            return Bit(circuit.input());
        }
        match &mut self.random {
            Some(state) => {
                *state ^= *state << 13;
                *state ^= *state >> 7;
                *state ^= *state << 17;
                Bit((*state >> 40 & 1) as u32)
            }
            None => Bit(self.atom(Atom::Variable)),
        }
    }

    /// True if there is no time or memory left: then results are worth nothing, and no proof may be made of them.
    fn exhausted(&mut self) -> bool {
        if self.until_look == 0 {
            self.until_look = 1 << 10;
            self.exhausted |= self.deadline.is_some_and(|deadline| crate::native::thread_time() > deadline);
            self.exhausted |= self.circuit.as_ref().is_some_and(circuit::Circuit::full);
        }
        self.until_look -= 1;
        self.exhausted
    }

    fn xor(&mut self, a: u32, b: u32) -> u32 {
        if let Some(circuit) = &mut self.circuit {
            return circuit.xor(a, b);
        }
        match (a, b) {
            (a, b) if a == b => return 0,
            (0, other) | (other, 0) => return other,
            _ => {}
        }
        let key = (a.min(b), a.max(b));
        if let Some(known) = self.xors.get(&key) {
            return self.named(*known);
        }
        if self.exhausted() {
            return 0;
        }
        let (a, b) = (self.polynomials[a as usize].clone(), self.polynomials[b as usize].clone());
        let terms = symmetric_difference(&a, &b);
        let result = self.polynomial(&terms);
        self.xors.insert(key, result);
        self.named(result)
    }

    fn times(&mut self, a: u32, b: u32) -> u32 {
        match (a, b) {
            (a, b) if a == b => return a,
            (0, other) | (other, 0) => return other,
            _ => {}
        }
        let key = (a.min(b), a.max(b));
        if let Some(known) = self.products.get(&key) {
            return *known;
        }
        let mut atoms = [&*self.monomials[a as usize], &*self.monomials[b as usize]].concat();
        atoms.sort_unstable();
        atoms.dedup();
        let result = self.monomial(&atoms);
        self.products.insert(key, result);
        result
    }

    fn and(&mut self, a: u32, b: u32) -> u32 {
        if let Some(circuit) = &mut self.circuit {
            return circuit.and(a, b);
        }
        match (a, b) {
            (a, b) if a == b => return a,
            (0, _) | (_, 0) => return 0,
            (1, other) | (other, 1) => return other,
            _ => {}
        }
        let key = (a.min(b), a.max(b));
        if let Some(known) = self.ands.get(&key) {
            return self.named(*known);
        }
        if self.exhausted() {
            return 0;
        }
        let (p, q) = (self.polynomials[a as usize].clone(), self.polynomials[b as usize].clone());
        let result = if let Some(result) = self.dense_product(&p, &q) {
            result
        } else if p.len() * q.len() > PRODUCT {
            let (p, q) = (self.name(a), self.name(b));
            self.and(p, q)
        } else {
            let mut terms = Vec::with_capacity(p.len() * q.len());
            for a in p.iter() {
                for b in q.iter() {
                    terms.push(self.times(*a, *b));
                }
            }
            let terms = odd(terms);
            self.polynomial(&terms)
        };
        self.ands.insert(key, result);
        self.named(result)
    }

    /// Gives a polynomial a name: an atom, or one plus an atom if the polynomial has a constant term. Atoms keep theirs.
    fn name(&mut self, polynomial: u32) -> u32 {
        if self.circuit.is_some() {
            return polynomial;
        }
        let terms = self.polynomials[polynomial as usize].clone();
        let constant = terms.first() == Some(&0);
        let bare = &terms[usize::from(constant)..];
        if bare.is_empty() || bare.len() == 1 && self.monomials[bare[0] as usize].len() == 1 {
            return polynomial;
        }
        let bare_number = self.polynomial(bare);
        let name = match self.names.get(&bare_number) {
            Some(name) => *name,
            None => {
                let complement = self.polynomial(&[&[0], bare].concat());
                let name = self.atom(Atom::Name(bare_number));
                let opposite = self.xor(name, 1);
                self.names.insert(bare_number, name);
                self.names.insert(complement, opposite);
                self.places.extend([(name, self.reached.len()), (opposite, self.reached.len())]);
                self.reached.push(false);
                name
            }
        };
        if constant { self.xor(name, 1) } else { name }
    }

    /// Gives a word names that stand for it alone, and not for its bits elsewhere. Numbers and variables keep theirs.
    fn name_word(&mut self, word: &[Bit]) -> Word {
        if self.circuit.is_some() {
            return word.to_vec();
        }
        let one = |bit: &Bit| {
            if bit.0 < 2 || self.single(*bit).is_some() {
                return *bit;
            }
            let name = self.atom(Atom::Name(bit.0));
            self.places.insert(name, self.reached.len());
            self.reached.push(false);
            Bit(name)
        };
        let names: Word = word.iter().map(one).collect();
        self.stand_for(word, &names);
        names
    }

    /// Lets names stand for a word, and their complements for its complement: circuits have these, too.
    fn stand_for(&mut self, word: &[Bit], names: &[Bit]) {
        let mut not = |bits: &[Bit]| bits.iter().map(|bit| Bit(self.xor(bit.0, 1))).collect::<Word>();
        let (opposite, complements) = (not(word), not(names));
        for (name, complement) in names.iter().zip(&complements) {
            if let Some(place) = self.places.get(&name.0) {
                self.places.insert(complement.0, *place);
            }
        }
        self.words.entry(word[0].0).or_default().push((word.to_vec(), names.to_vec()));
        self.words.entry(opposite[0].0).or_default().push((opposite, complements));
        self.word_sizes[usize::from(names.len() == 128)] = true;
    }

    /// The names of a word, if it has some.
    fn named_word(&mut self, word: &[Bit]) -> Option<Word> {
        let (_, names) = self.words.get(&word[0].0)?.iter().find(|(it, _)| it == word)?;
        let names = names.clone();
        for name in &names {
            if let Some(place) = self.places.get(&name.0) {
                self.reached[*place] = true;
            }
        }
        Some(names)
    }

    /// The XOR of many bits, without a number for each of the sums on the way.
    fn xor_all(&mut self, bits: &[Bit]) -> u32 {
        if let Some(circuit) = &mut self.circuit {
            return bits.iter().fold(0, |sum, bit| circuit.xor(sum, bit.0));
        }
        if self.exhausted() {
            return 0;
        }
        let terms = bits.iter().flat_map(|bit| self.polynomials[bit.0 as usize].iter().copied()).collect();
        let terms = odd(terms);
        let number = self.polynomial(&terms);
        self.named(number)
    }

    /// The atom of a bit that is an atom or one plus an atom, and whether one is added.
    fn single(&self, bit: Bit) -> Option<(u32, bool)> {
        let terms = &self.polynomials[bit.0 as usize];
        let constant = terms.first() == Some(&0);
        match terms[usize::from(constant)..] {
            [monomial] => match self.monomials[monomial as usize][..] {
                [atom] => Some((atom, constant)),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Merges two lists in order, without what is in both.
fn symmetric_difference(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut out = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            (i, j) = (i + 1, j + 1);
        } else if a[i] < b[j] {
            out.push(a[i]);
            i += 1;
        } else {
            out.push(b[j]);
            j += 1;
        }
    }
    out.extend_from_slice(&a[i..]);
    out.extend_from_slice(&b[j..]);
    out
}

/// Puts terms in order and keeps those that occur an odd number of times.
fn odd(mut terms: Vec<u32>) -> Vec<u32> {
    terms.sort_unstable();
    let mut out: Vec<u32> = Vec::with_capacity(terms.len());
    for term in terms {
        if out.last() == Some(&term) {
            out.pop();
        } else {
            out.push(term);
        }
    }
    out
}

#[cfg(test)]
mod tests;
