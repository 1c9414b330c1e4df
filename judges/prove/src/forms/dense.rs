//! Products of polynomials in few atoms, as those inside of an S-box are: by their values at all points, which are multiplied
//! one by one. A polynomial of eight atoms has up to 256 terms, and term by term a product would take 65536 steps.

use std::rc::Rc;

use super::Arena;
use super::hash::HashMap;

/// Atoms, at most.
const ATOMS: usize = 8;
/// Products of fewer terms are done term by term.
const WORTH: usize = 48;

/// A bit for each product of atoms, or for each assignment.
type Points = [u64; (1 << ATOMS) / 64];

/// The monomials of lists of atoms: number `i` is the product of the atoms whose bits are set in `i`.
#[derive(Default)]
pub(super) struct Bases(HashMap<Vec<u32>, Rc<[u32]>>);

impl Arena {
    /// The product, if the factors have few atoms and many terms.
    pub(super) fn dense_product(&mut self, p: &[u32], q: &[u32]) -> Option<u32> {
        if p.len() * q.len() < WORTH {
            return None;
        }
        let mut atoms: Vec<u32> = Vec::with_capacity(ATOMS + 1);
        for monomial in p.iter().chain(q) {
            for atom in self.monomials[*monomial as usize].iter() {
                if let Err(place) = atoms.binary_search(atom) {
                    if atoms.len() == ATOMS {
                        return None;
                    }
                    atoms.insert(place, *atom);
                }
            }
        }
        let (mut a, mut b) = (self.points(&atoms, p), self.points(&atoms, q));
        transform(&mut a);
        transform(&mut b);
        a.iter_mut().zip(b).for_each(|(a, b)| *a &= b);
        transform(&mut a);
        Some(self.of_points(&atoms, &a))
    }

    /// The terms of a polynomial as a set of products of these atoms.
    fn points(&self, atoms: &[u32], terms: &[u32]) -> Points {
        let mut points = Points::default();
        for monomial in terms {
            let mut product = 0;
            for atom in self.monomials[*monomial as usize].iter() {
                product |= 1 << atoms.iter().position(|it| it == atom).unwrap_or_default();
            }
            points[product / 64] |= 1 << (product % 64);
        }
        points
    }

    /// The polynomial of a set of products of these atoms, without regard to names.
    pub(super) fn of_points(&mut self, atoms: &[u32], points: &Points) -> u32 {
        let basis = match self.dense.0.get(atoms) {
            Some(basis) => basis.clone(),
            None => {
                let chosen = |product: usize| (0..atoms.len()).filter(move |i| product >> i & 1 == 1);
                let all = 0..1_usize << atoms.len();
                let basis: Rc<[u32]> = all
                    .map(|product| self.monomial(&chosen(product).map(|i| atoms[i]).collect::<Vec<_>>()))
                    .collect();
                self.dense.0.insert(atoms.to_vec(), basis.clone());
                basis
            }
        };
        let set = |product: &usize| points[product / 64] >> (product % 64) & 1 == 1;
        let mut terms: Vec<u32> = (0..basis.len()).filter(set).map(|product| basis[product]).collect();
        terms.sort_unstable();
        self.polynomial(&terms)
    }

    /// The polynomial of a function of at most eight atoms, given by its value at each assignment.
    pub(super) fn of_values(&mut self, atoms: &[u32], value: impl Fn(usize) -> bool) -> u32 {
        let mut points = Points::default();
        for assignment in 0..1_usize << atoms.len() {
            points[assignment / 64] |= u64::from(value(assignment)) << (assignment % 64);
        }
        transform(&mut points);
        self.of_points(atoms, &points)
    }
}

/// From terms to values and back: the Möbius transform, which is its own inverse.
fn transform(points: &mut Points) {
    const LOW: [u64; 6] = [
        0x5555_5555_5555_5555,
        0x3333_3333_3333_3333,
        0x0f0f_0f0f_0f0f_0f0f,
        0x00ff_00ff_00ff_00ff,
        0x0000_ffff_0000_ffff,
        0x0000_0000_ffff_ffff,
    ];
    for word in points.iter_mut() {
        for (i, low) in LOW.iter().enumerate() {
            *word ^= (*word & low) << (1 << i);
        }
    }
    points[1] ^= points[0];
    points[3] ^= points[2];
    points[2] ^= points[0];
    points[3] ^= points[1];
}
