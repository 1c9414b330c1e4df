//! Functions of a few bits, given by their values.

use super::hash::HashMap;
use super::{Arena, Atom, Bit, Word, circuit, constant, name, number, with};

/// Tables that are kept closed, with their inputs.
#[derive(Default)]
pub(super) struct Tables {
    all: Vec<(&'static [u8], Word)>,
    results: HashMap<(&'static [u8], Word), Word>,
}

impl Arena {
    /// The table with its inputs of which these bits are all outputs, in order.
    fn whole_table(&self, bits: &[Bit]) -> Option<(&'static [u8], &Word)> {
        let mut whole = None;
        for (i, bit) in (0..).zip(bits) {
            match self.single(*bit) {
                Some((atom, false)) => match self.atoms[atom as usize] {
                    Atom::Table(table, output) if output == i && whole.is_none_or(|it| it == table) => {
                        whole = Some(table);
                    }
                    _ => return None,
                },
                _ => return None,
            }
        }
        let (values, inputs) = self.table(whole?);
        let all = values.iter().all(|value| usize::from(*value) < 1 << bits.len());
        all.then_some((*values, inputs))
    }

    /// The values of a table and its inputs.
    pub(super) fn table(&self, number: u32) -> &(&'static [u8], Word) {
        &self.tables.all[number as usize]
    }
}

/// A function of at most eight bits as polynomials of their names: code that computes it by logic reaches the same ones.
pub(crate) fn table(inputs: &[Bit], outputs: usize, values: &[u8]) -> Word {
    let inputs = name(inputs);
    if let Some(gates) = circuit::table(&inputs, outputs, values) {
        return gates;
    }
    with(|arena| {
        let mut atoms: Vec<u32> = inputs.iter().filter_map(|bit| Some(arena.single(*bit)?.0)).collect();
        atoms.sort_unstable();
        atoms.dedup();
        // For each input the place of its atom, and whether it is turned over.
        let places: Vec<(Option<usize>, bool)> = inputs
            .iter()
            .map(|bit| match arena.single(*bit) {
                Some((atom, turned)) => (atoms.binary_search(&atom).ok(), turned),
                None => (None, *bit == super::ONE),
            })
            .collect();
        let index = |assignment: usize| -> usize {
            let bit = |(place, turned): &(Option<usize>, bool)| {
                usize::from(place.is_some_and(|place| assignment >> place & 1 == 1) != *turned)
            };
            places.iter().enumerate().map(|(i, place)| bit(place) << i).sum()
        };
        (0..outputs)
            .map(|output| {
                let value = |assignment| values[index(assignment)] >> output & 1 == 1;
                let polynomial = arena.of_values(&atoms, value);
                Bit(arena.named(polynomial))
            })
            .collect()
    })
}

/// A function of which nothing is known: two results are equal if the table and the inputs are. Enough where code has the
/// same function whole, in one instruction.
pub(crate) fn opaque_table(inputs: &[Bit], outputs: usize, values: &'static [u8]) -> Word {
    if let Some(value) = constant(inputs) {
        return number(values[value as usize].into(), outputs);
    }
    if let Some(gates) = circuit::table(inputs, outputs, values) {
        return gates;
    }
    let composed = with(|arena| arena.whole_table(inputs).map(|(first, x)| (first, x.clone())));
    if let Some((first, x)) = composed {
        // A function of all that another one gives is a function of its inputs, perhaps the one that leaves them.
        let both: Vec<u8> = first.iter().map(|value| values[usize::from(*value)]).collect();
        if outputs == x.len() && (0..).zip(&both).all(|(i, value)| i == usize::from(*value)) {
            return x;
        }
    }
    with(|arena| {
        let key = (values, inputs.to_vec());
        if let Some(known) = arena.tables.results.get(&key) {
            return known.clone();
        }
        let table = arena.tables.all.len() as u32;
        arena.tables.all.push(key.clone());
        let bits: Word = (0..outputs as u32).map(|i| Bit(arena.atom(Atom::Table(table, i)))).collect();
        arena.tables.results.insert(key, bits.clone());
        bits
    })
}
