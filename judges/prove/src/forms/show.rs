//! Forms for people to read.

use super::{Arena, Atom, Bit, with};

/// Terms that are written out.
const TERMS: usize = 6;

/// Returns a bit in words: `v` is a variable, `n` a name, `s` a bit of a sum, `t` a bit of a table.
pub(crate) fn show(bit: Bit) -> String {
    with(|arena| arena.show(bit.0))
}

impl Arena {
    fn show(&self, polynomial: u32) -> String {
        let terms = &self.polynomials[polynomial as usize];
        if terms.is_empty() {
            return "0".to_owned();
        }
        let mut parts: Vec<String> = terms.iter().take(TERMS).map(|term| self.show_product(*term)).collect();
        if terms.len() > TERMS {
            parts.push(format!("{} more terms", terms.len() - TERMS));
        }
        parts.join(" + ")
    }

    fn show_product(&self, monomial: u32) -> String {
        let atoms = &self.monomials[monomial as usize];
        if atoms.is_empty() {
            return "1".to_owned();
        }
        let atom = |atom: &u32| match self.atoms[*atom as usize] {
            Atom::Variable => format!("v{atom}"),
            Atom::Name(_) => format!("n{atom}"),
            Atom::Sum(sum, bit) => format!("s{sum}.{bit}"),
            Atom::Table(table, bit) => format!("t{table}.{bit}"),
        };
        atoms.iter().map(atom).collect::<Vec<_>>().join("*")
    }
}
