//! The values of bits under an assignment of numbers to the variables.

use super::hash::HashMap;
use super::{Arena, Atom, Bit, with};

/// An assignment: chosen bits, and random ones for the other variables.
#[derive(Default)]
pub(crate) struct Values {
    seed: u64,
    chosen: HashMap<u32, bool>,
    atoms: HashMap<u32, bool>,
    /// The values of sums and of tables, of which each bit is an atom.
    sums: HashMap<u32, u128>,
    tables: HashMap<u32, u128>,
}

impl Values {
    /// The assignment of this number.
    pub(crate) fn random(seed: u64) -> Self {
        Self { seed, ..Self::default() }
    }

    /// Chooses the value of a variable.
    ///
    /// # Panics
    /// If the bit is no variable.
    pub(crate) fn choose(&mut self, variable: Bit, value: bool) {
        let (atom, turned) = with(|arena| arena.single(variable)).expect("a variable");
        assert!(!turned, "a variable");
        self.chosen.insert(atom, value);
    }

    /// The value of a bit.
    pub(crate) fn bit(&mut self, bit: Bit) -> bool {
        with(|arena| self.polynomial(arena, bit.0))
    }

    /// The values of bits as bytes.
    pub(crate) fn bytes(&mut self, bits: &[Bit]) -> Vec<u8> {
        with(|arena| bits.chunks(8).map(|byte| self.number(arena, byte) as u8).collect())
    }

    /// The values of at most 128 bits as a number.
    pub(crate) fn word(&mut self, bits: &[Bit]) -> u128 {
        with(|arena| self.number(arena, bits))
    }

    fn number(&mut self, arena: &Arena, bits: &[Bit]) -> u128 {
        bits.iter().enumerate().map(|(i, bit)| u128::from(self.polynomial(arena, bit.0)) << i).sum()
    }

    fn polynomial(&mut self, arena: &Arena, polynomial: u32) -> bool {
        if polynomial < 2 {
            return polynomial == 1;
        }
        let mut value = false;
        for monomial in arena.polynomials[polynomial as usize].iter() {
            let atoms = &arena.monomials[*monomial as usize];
            value ^= atoms.iter().all(|atom| self.atom(arena, *atom));
        }
        value
    }

    fn atom(&mut self, arena: &Arena, atom: u32) -> bool {
        if let Some(known) = self.atoms.get(&atom) {
            return *known;
        }
        let value = match arena.atoms[atom as usize] {
            Atom::Variable => match self.chosen.get(&atom) {
                Some(value) => *value,
                None => random(self.seed, atom),
            },
            Atom::Name(polynomial) => self.polynomial(arena, polynomial),
            Atom::Table(table, bit) => self.table(arena, table) >> bit & 1 == 1,
            Atom::Sum(sum, bit) => self.sum(arena, sum) >> bit & 1 == 1,
        };
        self.atoms.insert(atom, value);
        value
    }

    fn table(&mut self, arena: &Arena, table: u32) -> u128 {
        if let Some(known) = self.tables.get(&table) {
            return *known;
        }
        let (values, inputs) = arena.table(table);
        let value = values[self.number(arena, inputs) as usize].into();
        self.tables.insert(table, value);
        value
    }

    fn sum(&mut self, arena: &Arena, sum: u32) -> u128 {
        if let Some(known) = self.sums.get(&sum) {
            return *known;
        }
        let (of, words) = arena.sum(sum);
        let mut total = of.constant;
        for (coefficient, word) in words {
            total = total.wrapping_add(self.number(arena, word).wrapping_mul(coefficient));
        }
        self.sums.insert(sum, total);
        total
    }
}

/// A random bit for a variable.
fn random(seed: u64, atom: u32) -> bool {
    let mut x = seed ^ u64::from(atom).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x >> 40 & 1 == 1
}
