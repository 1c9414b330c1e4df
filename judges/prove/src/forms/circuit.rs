//! Bits as gates instead of polynomials: an and-inverter graph, for a program that knows nothing of the rules in this judge.
//!
//! A bit is a literal of AIGER: twice the number of a node, plus one if it is turned over. Only constants are folded, and a gate
//! with the same inputs is made once.
//!
//! A cipher is cut at its S-boxes, or it would be too much for any program: outputs of the specification's tables have names. A
//! gate that has the value of one in all of many random cases is cut there, too, and is a duty: up to older cuts, each of which is
//! a free input, its circuit has to be equivalent to that of the name. If all are, then so are they with the values that the
//! inputs have in truth, and each cut was right, whatever made it look so.

use std::collections::{BTreeSet, VecDeque};

use super::hash::HashMap;
use super::{Bit, with};

/// Gates, beyond which a circuit is given up.
const GATES: usize = 1 << 24;
/// Random cases, in words of 64.
const CASES: usize = 16;

/// The values of a node in the random cases.
type Cases = [u64; CASES];

/// The output of a table of the specification.
#[derive(Clone, Copy)]
struct Name {
    literal: u32,
    /// The number of the table.
    table: usize,
}

/// A table with its inputs.
struct Table {
    values: Vec<u8>,
    inputs: Vec<Bit>,
}

/// The nodes: the first is zero, and each other one an input, which is None, or the product of two literals.
pub(super) struct Circuit {
    nodes: Vec<Option<(u32, u32)>>,
    cases: Vec<Cases>,
    numbers: HashMap<(u32, u32), u32>,
    /// By the values of the literal, which is turned so that the first is zero.
    names: HashMap<Cases, Name>,
    tables: HashMap<Vec<Bit>, Table>,
    /// The number of nodes when the specification has run, and gives no more names.
    specified: Option<usize>,
    random: u64,
}

impl Circuit {
    pub(super) fn new() -> Self {
        Self {
            nodes: vec![None],
            cases: vec![[0; CASES]],
            numbers: HashMap::default(),
            names: HashMap::default(),
            tables: HashMap::default(),
            specified: None,
            random: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// True if there are too many gates to go on.
    pub(super) fn full(&self) -> bool {
        self.nodes.len() > GATES
    }

    /// Gives no more names.
    pub(super) fn specified(&mut self) {
        self.specified = Some(self.nodes.len());
    }

    pub(super) fn input(&mut self) -> u32 {
        let mut cases = [0; CASES];
        for cases in &mut cases {
            self.random ^= self.random << 13;
            self.random ^= self.random >> 7;
            self.random ^= self.random << 17;
            *cases = self.random.wrapping_mul(0x2545_f491_4f6c_dd1d);
        }
        self.node(None, cases)
    }

    fn node(&mut self, node: Option<(u32, u32)>, cases: Cases) -> u32 {
        self.nodes.push(node);
        self.cases.push(cases);
        2 * (self.nodes.len() - 1) as u32
    }

    fn values(&self, literal: u32) -> Cases {
        let turned = 0_u64.wrapping_sub(u64::from(literal & 1));
        self.cases[literal as usize / 2].map(|cases| cases ^ turned)
    }

    /// The first value of a literal, by which it is turned to be looked up.
    fn turned(&self, literal: u32) -> u32 {
        (self.values(literal)[0] & 1) as u32
    }

    /// The name that a gate seems to have, turned as the gate is.
    fn name(&self, gate: u32) -> Option<Name> {
        let turned = self.turned(gate);
        let name = self.names.get(&self.values(gate ^ turned))?;
        Some(Name { literal: name.literal ^ turned, ..*name })
    }

    pub(super) fn and(&mut self, a: u32, b: u32) -> u32 {
        let key = (a.max(b), a.min(b));
        match key {
            (_, 0) => return 0,
            (other, 1) => return other,
            (a, b) if a == b => return a,
            (a, b) if a == b ^ 1 => return 0,
            _ => {}
        }
        if let Some(known) = self.numbers.get(&key) {
            return *known;
        }
        let mut cases = self.values(a);
        cases.iter_mut().zip(self.values(b)).for_each(|(a, b)| *a &= b);
        let gate = self.node(Some(key), cases);
        self.numbers.insert(key, gate);
        gate
    }

    pub(super) fn xor(&mut self, a: u32, b: u32) -> u32 {
        let turned = (a ^ b) & 1;
        let (a, b) = (a & !1, b & !1);
        let (only_a, only_b) = (self.and(a, b ^ 1), self.and(a ^ 1, b));
        self.and(only_a ^ 1, only_b ^ 1) ^ 1 ^ turned
    }

    /// A function of some bits by its values.
    fn table(&mut self, inputs: &[Bit], outputs: usize, values: &[u8]) -> Vec<Bit> {
        if let Some(first) = self.tables.get(inputs) {
            // A table of all that another one gives is a table of its inputs, perhaps the one that leaves them.
            let undone =
                |i: usize| first.values.get(i).is_some_and(|it| usize::from(values[usize::from(*it)]) == i);
            if first.inputs.len() == outputs && (0..1 << outputs).all(undone) {
                return first.inputs.clone();
            }
        }
        let output = |i: usize| {
            let values: Vec<bool> = values.iter().map(|value| value >> i & 1 == 1).collect();
            Bit(self.choices(inputs, &values[..1 << inputs.len()]))
        };
        let bits: Vec<Bit> = (0..outputs).map(output).collect();
        let table = self.tables.len();
        for bit in
            bits.iter().filter(|bit| self.specified.is_none() && self.nodes[bit.0 as usize / 2].is_some())
        {
            let literal = bit.0 ^ self.turned(bit.0);
            self.names.entry(self.values(literal)).or_insert(Name { literal, table });
        }
        self.tables.insert(bits.clone(), Table { values: values.to_vec(), inputs: inputs.to_vec() });
        bits
    }

    /// A function by its values, as a tree of choices.
    fn choices(&mut self, inputs: &[Bit], values: &[bool]) -> u32 {
        let Some((last, inputs)) = inputs.split_last() else {
            return u32::from(values[0]);
        };
        let (if_zero, if_one) = values.split_at(values.len() / 2);
        let (low, high) = (self.choices(inputs, if_zero), self.choices(inputs, if_one));
        if low == high {
            return low;
        }
        let (low, high) = (self.and(last.0 ^ 1, low), self.and(last.0, high));
        self.and(low ^ 1, high ^ 1) ^ 1
    }

    /// The names of those tables of which the code has every output: compilers melt some with what comes after them.
    fn forget_names(&mut self) {
        let code = self.specified.unwrap_or_default()..self.nodes.len();
        // Gates that both have were made by the specification.
        let mut missed: HashMap<u32, usize> =
            self.names.values().map(|name| (name.literal, name.table)).collect();
        for node in code.filter(|node| self.nodes[*node].is_some()) {
            if let Some(name) = self.name(2 * node as u32) {
                missed.remove(&(name.literal ^ self.turned(name.literal)));
            }
        }
        let melted: BTreeSet<usize> = missed.into_values().collect();
        self.names.retain(|_, name| !melted.contains(&name.table));
    }

    /// The circuits of pairs of bits and of all duties that they have, cut at the names.
    fn cut(&self, pairs: impl Iterator<Item = (u32, u32)>) -> (Self, Vec<(Bit, Bit)>) {
        let mut cut = Cut {
            of: self,
            to: Self::new(),
            done: HashMap::default(),
            inputs: HashMap::default(),
            duties: Vec::new(),
        };
        for i in (1..self.nodes.len()).filter(|i| self.nodes[*i].is_none()) {
            let input = cut.to.input();
            cut.inputs.insert(2 * i as u32, input);
        }
        let mut duties: VecDeque<(u32, u32, usize)> = pairs.map(|(a, b)| (a, b, usize::MAX)).collect();
        let mut all = Vec::new();
        let mut seen: HashMap<u32, u32> = HashMap::default();
        while let Some((code, specification, table)) = duties.pop_front() {
            all.push((Bit(cut.up_to(code, table)), Bit(cut.up_to(specification, table))));
            for (gate, name) in std::mem::take(&mut cut.duties) {
                if gate != name.literal && seen.insert(gate, name.literal).is_none() {
                    duties.push_back((gate, name.literal, name.table));
                }
            }
        }
        (cut.to, all)
    }

    /// The gates that outputs need, in the binary form of AIGER 1.0. All inputs are in it, in order.
    fn written(&self, outputs: &[Bit]) -> Vec<u8> {
        let mut needed = vec![false; self.nodes.len()];
        outputs.iter().for_each(|output| needed[output.0 as usize / 2] = true);
        for (i, node) in self.nodes.iter().enumerate().rev() {
            if let (true, Some((a, b))) = (needed[i], node) {
                needed[*a as usize / 2] = true;
                needed[*b as usize / 2] = true;
            }
        }
        let mut places = vec![0; self.nodes.len()];
        let inputs = (1..self.nodes.len()).filter(|i| self.nodes[*i].is_none());
        let gates = (1..self.nodes.len()).filter(|i| needed[*i] && self.nodes[*i].is_some());
        let mut count = [0; 2];
        let all = inputs.map(|i| (0, i)).chain(gates.map(|i| (1, i)));
        for (place, (kind, i)) in (1_u32..).zip(all) {
            count[kind] += 1;
            places[i] = place;
        }
        let literal = |literal: u32| (2 * places[literal as usize / 2]) | (literal & 1);
        let [inputs, gates] = count;
        let mut text = format!("aig {} {inputs} 0 {} {gates}\n", inputs + gates, outputs.len()).into_bytes();
        for output in outputs {
            text.extend(format!("{}\n", literal(output.0)).bytes());
        }
        for (i, node) in self.nodes.iter().enumerate() {
            if let (true, Some((a, b))) = (needed[i], node) {
                let (a, b) = (literal(*a), literal(*b));
                let (high, low) = (a.max(b), a.min(b));
                for mut difference in [2 * places[i] - high, high - low] {
                    while difference > 0x7f {
                        text.push(difference as u8 | 0x80);
                        difference >>= 7;
                    }
                    text.push(difference as u8);
                }
            }
        }
        text
    }
}

/// A circuit with its cuts as inputs, while it is made.
struct Cut<'c> {
    of: &'c Circuit,
    to: Circuit,
    /// The copies of nodes, by the table up to which cuts are made.
    done: HashMap<(usize, u32), u32>,
    /// The inputs, by what they are in the circuit that is cut.
    inputs: HashMap<u32, u32>,
    /// Gates at which cuts were made.
    duties: Vec<(u32, Name)>,
}

impl Cut<'_> {
    /// Copies the circuit of a literal, down to the names of tables before this one.
    fn up_to(&mut self, literal: u32, table: usize) -> u32 {
        let (node, turned) = (literal & !1, literal & 1);
        if node == 0 {
            return literal;
        }
        if let Some(known) = self.done.get(&(table, node)) {
            return known ^ turned;
        }
        let copy = match self.of.nodes[node as usize / 2] {
            None => self.inputs[&node],
            Some((a, b)) => match self.of.name(node).filter(|name| name.table < table) {
                Some(name) => {
                    self.duties.push((node, name));
                    let turned = name.literal & 1;
                    let to = &mut self.to;
                    *self.inputs.entry(name.literal ^ turned).or_insert_with(|| to.input()) ^ turned
                }
                None => {
                    let (a, b) = (self.up_to(a, table), self.up_to(b, table));
                    self.to.and(a, b)
                }
            },
        };
        self.done.insert((table, node), copy);
        copy ^ turned
    }
}

/// True if bits are gates now.
pub(crate) fn on_gates() -> bool {
    with(|arena| arena.circuit.is_some())
}

/// A function of some bits by its values, if bits are gates now.
pub(super) fn table(inputs: &[Bit], outputs: usize, values: &[u8]) -> Option<Vec<Bit>> {
    with(|arena| Some(arena.circuit.as_mut()?.table(inputs, outputs, values)))
}

/// Writes two circuits in the binary form of AIGER, which are equivalent if the pairs of bits are equal and all duties kept.
///
/// # Panics
/// If bits are polynomials.
pub(crate) fn aiger(pairs: impl Iterator<Item = (Bit, Bit)>) -> [Vec<u8>; 2] {
    with(|arena| {
        let circuit = arena.circuit.as_mut().expect("gates");
        circuit.forget_names();
        let (cut, pairs) = circuit.cut(pairs.map(|(a, b)| (a.0, b.0)));
        let (code, specification): (Vec<Bit>, Vec<Bit>) = pairs.into_iter().unzip();
        [cut.written(&code), cut.written(&specification)]
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::forms::{
        ONE, Word, ZERO, add, and, begin_with_gates, number, or, sub, variables, xor, xor_all,
    };

    /// The outputs of a file in AIGER's form on some inputs.
    fn values(file: &[u8], inputs: u64) -> Vec<bool> {
        let lines = file.split(|byte| *byte == b'\n');
        let text = |line: &[u8]| String::from_utf8(line.to_vec()).expect("text");
        let header: Vec<usize> = text(&file[..file.iter().position(|it| *it == b'\n').expect("a line")])
            .split(' ')
            .skip(1)
            .map(|it| it.parse().expect("a number"))
            .collect();
        let [_, count, _, outputs, gates] = header[..] else { panic!("five numbers") };
        let outputs: Vec<usize> =
            lines.skip(1).take(outputs).map(|it| text(it).parse().expect("one")).collect();
        let lines = 1 + outputs.len();
        let ends = file.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let mut at = ends.map(|(i, _)| i + 1).nth(lines - 1).expect("lines");
        let mut delta = || {
            let (mut value, mut by) = (0, 0);
            loop {
                value |= usize::from(file[at] & 0x7f) << by;
                (at, by) = (at + 1, by + 7);
                if file[at - 1] < 0x80 {
                    return value;
                }
            }
        };
        let mut nodes = vec![false];
        nodes.extend((0..count).map(|i| inputs >> i & 1 == 1));
        for i in 1 + count..1 + count + gates {
            let first = 2 * i - delta();
            let second = first - delta();
            let value = |literal: usize| nodes[literal / 2] != (literal % 2 == 1);
            nodes.push(value(first) && value(second));
        }
        outputs.into_iter().map(|literal| nodes[literal / 2] != (literal % 2 == 1)).collect()
    }

    #[test]
    fn gates_have_the_values_of_their_operations() {
        begin_with_gates(Duration::from_secs(60));
        // No names, and so no cuts.
        crate::forms::forget_reached();
        let (a, b) = (variables(8), variables(8));
        let square: Vec<u8> = (0..=255_u8).map(|x| x.wrapping_mul(x)).collect();
        let each = |f: fn(Bit, Bit) -> Bit| a.iter().zip(&b).map(|(a, b)| f(*a, *b)).collect::<Word>();
        let words = [
            each(xor),
            each(and),
            each(or),
            add(&a, &b),
            sub(&a, &b),
            add(&a, &number(0x5b, 8)),
            crate::forms::table(&a, 8, &square),
            (0..8).map(|i| xor_all(&[a[i], b[7 - i], a[(i + 3) % 8], ONE])).collect(),
            number(0x96, 8),
        ];
        let [file, same] = aiger(words.concat().into_iter().map(|bit| (bit, bit)));
        assert_eq!(file, same);
        for (x, y) in [(0, 0), (0xff, 0xff), (0x80, 1), (0x35, 0xca), (7, 0xfe), (0xa1, 0x5e)] {
            let (x, y): (u8, u8) = (x, y);
            let mixed = (0..8).map(|i| (x >> i ^ y >> (7 - i) ^ x >> ((i + 3) % 8) ^ 1) & 1);
            let expected = [
                x ^ y,
                x & y,
                x | y,
                x.wrapping_add(y),
                x.wrapping_sub(y),
                x.wrapping_add(0x5b),
                x.wrapping_mul(x),
                mixed.enumerate().map(|(i, bit)| bit << i).sum(),
                0x96,
            ];
            let bits = values(&file, u64::from(x) | u64::from(y) << 8);
            let found: Vec<u8> = bits
                .chunks(8)
                .map(|byte| byte.iter().rev().fold(0, |value, bit| value << 1 | u8::from(*bit)))
                .collect();
            assert_eq!(found, expected, "{x:#x}, {y:#x}");
        }
        assert_eq!((and(a[0], a[0]), and(a[0], xor(a[0], ONE)), xor(a[0], a[0])), (a[0], ZERO, ZERO));
    }

    #[test]
    fn cuts_are_duties() {
        let odd: Vec<u8> = (0..=255_u8).map(|x| x.wrapping_mul(x).wrapping_add(x / 3)).collect();
        let other: Vec<u8> = (0..=255_u8).map(|x| x.wrapping_mul(29)).collect();
        for wrong in [false, true] {
            begin_with_gates(Duration::from_secs(60));
            let (x, k) = (variables(8), variables(8));
            let table = |x: &[Bit]| crate::forms::table(x, 8, &odd);
            let of = |a: &[Bit], b: &[Bit]| a.iter().zip(b).map(|(a, b)| xor(*a, *b)).collect::<Word>();
            let specified = crate::forms::table(&of(&table(&of(&x, &k)), &k), 8, &other);
            crate::forms::forget_reached();
            // A circuit with the same sums in another order, or with another table at the end.
            let inner = of(&of(&of(&x, &k), &x), &x);
            let last = if wrong { &odd } else { &other };
            let code = crate::forms::table(&of(&of(&table(&inner), &x), &of(&k, &x)), 8, last);
            let [code, specified] = aiger(code.into_iter().zip(specified));
            let mut differ = 0;
            for case in 1..=200_u64 {
                let inputs = case.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let [a, b] = [&code, &specified].map(|file| values(file, inputs));
                // More than the outputs is compared, unless nothing of the code seems to be what is specified.
                assert!(a.len() == b.len() && (wrong || a.len() > 8));
                differ += usize::from(a != b);
            }
            assert_eq!(differ > 0, wrong, "{differ} of 200 cases differ");
        }
    }
}
