//! Circuits of the fewest gates with three inputs.
//!
//! The gates of a circuit are those that compute outputs and *free* ones, in any order that respects the
//! operands. An output that one gate computes from what is there costs that gate whenever it is added, so it
//! is added at once, and the search is for the free gates alone. Three rules keep it short:
//!
//! * Free gates that do not need each other come in the order of their truth tables.
//! * [`DEMAND`] says how many outputs there are to be after so many free gates. Up to three free gates it
//!   asks for nothing, and the search misses no circuit; with four it loses a few.
//! * Before the last free gate it is known which functions would help: one that completes an output together
//!   with two signals `a` and `b` is given, up to complement, in each of the four cells of `a` and `b` where
//!   the output is not constant. What these constraints leave is looked up among the functions that a gate
//!   can compute.

use super::circuit::{Circuit, Gate, INPUTS, Random, normal, tables};

/// Outputs demanded after so many free gates; the last number of free gates has to give all four.
const DEMAND: [&[usize]; 5] = [&[4], &[0, 4], &[0, 0, 4], &[0, 0, 0, 4], &[0, 0, 0, 1, 4]];

/// A set of normal functions.
type Functions = Vec<u64>;

fn contains(set: &Functions, f: u16) -> bool {
    set[usize::from(f) >> 7] >> (f >> 1 & 63) & 1 == 1
}

/// Adds a normal function.
fn insert(set: &mut Functions, f: u16) {
    set[usize::from(f) >> 7] |= 1 << (f >> 1 & 63);
}

/// The state of the search at a node.
struct Node {
    signals: Vec<u16>,
    missing: Vec<u16>,
    /// The functions that one gate computes.
    reach: Functions,
    /// The functions that one gate computed before the latest signals.
    older: Functions,
    last: u16,
    free: usize,
}

/// A way to complete an output: with two signals, in the cells where the output is not constant.
struct Way {
    output: u16,
    cells: [u16; 4],
    count: usize,
}

impl Way {
    fn admits(&self, f: u16) -> bool {
        self.cells[..self.count].iter().all(|&cell| {
            let difference = (f ^ self.output) & cell;
            difference == 0 || difference == cell
        })
    }
}

fn cells(a: u16, b: u16) -> [u16; 4] {
    [a & b, a & !b, !a & b, !a & !b]
}

fn ways(missing: &[u16], signals: &[u16]) -> Vec<Way> {
    let mut ways = Vec::new();
    for &output in missing {
        for (i, &b) in signals.iter().enumerate() {
            for &a in &signals[..i] {
                let mut way = Way { output, cells: [0; 4], count: 0 };
                for cell in cells(a, b) {
                    if output & cell != 0 && output & cell != cell {
                        way.cells[way.count] = cell;
                        way.count += 1;
                    }
                }
                ways.push(way);
            }
        }
    }
    ways
}

/// Adds what one gate computes from the signal `latest` and two before it.
fn extend(reach: &mut Functions, signals: &[u16], latest: usize) {
    let c = signals[latest];
    for j in 1..latest {
        for i in 0..j {
            // Gray code: one cell changes at a time.
            let quarters = cells(signals[i], signals[j]);
            let mut f = 0;
            for n in 1..=256u32 {
                insert(reach, normal(f));
                let change = (n.trailing_zeros() & 7) as usize;
                f ^= quarters[change & 3] & if change < 4 { c } else { !c };
            }
        }
    }
}

/// Moves the outputs that are one gate away from `missing` to `signals`, looking at gates that use the
/// signals from `new` on.
fn complete(signals: &mut Vec<u16>, missing: &mut Vec<u16>, new: usize) {
    let mut latest = new;
    while latest < signals.len() && !missing.is_empty() {
        let value = signals[latest];
        let found = ways(missing, &signals[..latest]).into_iter().filter(|way| way.admits(value));
        for way in found {
            if let Some(place) = missing.iter().position(|&output| output == way.output) {
                signals.push(missing.remove(place));
            }
        }
        latest += 1;
    }
}

impl Node {
    fn root(sbox: &[u8; 16]) -> Self {
        let mut signals = INPUTS.to_vec();
        let mut missing = tables(sbox).map(normal).to_vec();
        complete(&mut signals, &mut missing, 2);
        let mut reach = vec![0; 512];
        for latest in 2..signals.len() {
            extend(&mut reach, &signals, latest);
        }
        Self { signals, missing, reach, older: vec![0; 512], last: 0, free: 0 }
    }

    /// The functions that may be the next free gate.
    fn candidates(&self) -> Vec<u16> {
        (2..=0xfffe)
            .step_by(2)
            .filter(|&f| {
                contains(&self.reach, f)
                    && !self.signals.contains(&f)
                    && (f > self.last || !contains(&self.older, f))
            })
            .collect()
    }

    /// The node after one more free gate; without [`Node::grow`] its `reach` is that of this one.
    fn child(&self, f: u16) -> (Vec<u16>, Vec<u16>) {
        let (mut signals, mut missing) = (self.signals.clone(), self.missing.clone());
        signals.push(f);
        complete(&mut signals, &mut missing, self.signals.len());
        (signals, missing)
    }

    fn grow(&self, f: u16, signals: Vec<u16>, missing: Vec<u16>) -> Self {
        let mut reach = self.reach.clone();
        for latest in self.signals.len()..signals.len() {
            extend(&mut reach, &signals, latest);
        }
        Self { signals, missing, reach, older: self.reach.clone(), last: f, free: self.free + 1 }
    }

    /// Adds the last free gate in each way that gives all outputs.
    fn finish(&self, found: &mut Vec<Vec<u16>>) {
        let mut helpful = Vec::new();
        for way in ways(&self.missing, &self.signals) {
            self.fill(&way, &mut helpful);
        }
        helpful.sort_unstable();
        helpful.dedup();
        for f in helpful {
            let (signals, missing) = self.child(f);
            if missing.is_empty() {
                found.push(signals);
            }
        }
    }

    /// The functions within reach that complete an output in this way.
    fn fill(&self, way: &Way, helpful: &mut Vec<u16>) {
        let cells = &way.cells[..way.count];
        let mask = cells.iter().fold(0, |mask, cell| mask | cell);
        // The first cell is left as it is: complements are the same to a gate.
        for choice in (0..1usize << way.count).step_by(2) {
            let flip = (0..way.count).filter(|i| choice >> i & 1 == 1).fold(0, |flip, i| flip | cells[i]);
            let wanted = (way.output ^ flip) & mask;
            if mask == 0xffff {
                let f = normal(wanted);
                if contains(&self.reach, f) && !self.signals.contains(&f) {
                    helpful.push(f);
                }
                continue;
            }
            for k in 2..self.signals.len() {
                for j in 1..k {
                    for i in 0..j {
                        self.fill_from([i, j, k], mask, wanted, helpful);
                    }
                }
            }
        }
    }

    /// The functions of three signals that are `wanted` where `mask` is set.
    fn fill_from(&self, operands: [usize; 3], mask: u16, wanted: u16, helpful: &mut Vec<u16>) {
        let [a, b, c] = operands.map(|operand| self.signals[operand]);
        let (mut known, mut open, mut opens) = (0, [0; 8], 0);
        for quarter in cells(a, b) {
            for cell in [quarter & c, quarter & !c] {
                let ones = wanted & cell;
                if ones != 0 && ones != cell & mask {
                    return;
                }
                if ones != 0 {
                    known |= cell;
                } else if cell & mask == 0 && cell != 0 {
                    open[opens] = cell;
                    opens += 1;
                }
            }
        }
        for choice in 0..1usize << opens {
            let f = (0..opens).filter(|i| choice >> i & 1 == 1).fold(known, |f, i| f | open[i]);
            let f = normal(f);
            if f != 0 && !self.signals.contains(&f) {
                helpful.push(f);
            }
        }
    }

    /// Goes through all that follows with so many free gates.
    fn search(&self, free: usize, found: &mut Vec<Vec<u16>>) {
        if self.free + 1 == free {
            return self.finish(found);
        }
        let demand = DEMAND[free][self.free + 1];
        let ways = ways(&self.missing, &self.signals);
        for f in self.candidates() {
            if self.missing.len() + demand <= 4 {
                // Met already.
            } else if !ways.iter().any(|way| way.admits(f)) {
                continue;
            }
            let (signals, missing) = self.child(f);
            if missing.len() + demand <= 4 {
                self.grow(f, signals, missing).search(free, found);
            }
        }
    }
}

/// The best circuit: up to three free gates of all there are, else the best of four free gates, where two are
/// random ones, the same for the same `number`.
pub(super) fn search(sbox: &[u8; 16], number: u64) -> Option<Circuit> {
    let mut found = Vec::new();
    for free in 1..=3 {
        if found.is_empty() {
            Node::root(sbox).search(free, &mut found);
        }
    }
    if found.is_empty() {
        begin(sbox, number).search(4, &mut found);
    }
    let circuits = found.iter().map(|signals| circuit(sbox, signals));
    circuits.min_by_key(|circuit| (cost(circuit), circuit.live()))
}

/// A node with two free gates at random.
fn begin(sbox: &[u8; 16], number: u64) -> Node {
    let mut random = Random(number);
    let mut node = Node::root(sbox);
    for _ in 0..2 {
        let candidates = node.candidates();
        let f = candidates[random.below(candidates.len())];
        let (signals, missing) = node.child(f);
        node = node.grow(f, signals, missing);
        // The next free gate may go before these two.
        node.last = 0;
    }
    node
}

/// The best circuit with these signals.
fn circuit(sbox: &[u8; 16], signals: &[u16]) -> Circuit {
    let tables = tables(sbox);
    let inner: Vec<usize> =
        (4..signals.len()).filter(|&i| !tables.iter().any(|&output| normal(output) == signals[i])).collect();
    let mut best: Option<Circuit> = None;
    // A signal that is no output may as well be complemented.
    for choice in 0..1usize << inner.len() {
        let mut values = signals.to_vec();
        for (i, &signal) in inner.iter().enumerate() {
            if choice >> i & 1 == 1 {
                values[signal] = !values[signal];
            }
        }
        for value in &mut values[4..] {
            if tables.contains(&!*value) {
                *value = !*value;
            }
        }
        let candidate = express(&values, &tables);
        if best.as_ref().is_none_or(|best| cost(&candidate) < cost(best)) {
            best = Some(candidate);
        }
    }
    best.expect("there is a choice at least")
}

/// The better of two circuits costs less: the fewest gates, then few of three operands and little depth.
fn cost(circuit: &Circuit) -> (usize, usize, usize) {
    let ternaries = circuit.ternaries();
    (circuit.gates.len(), ternaries + circuit.depth(), ternaries)
}

/// Gates for signals with these truth tables, each computable from those before it.
fn express(values: &[u16], outputs: &[u16; 4]) -> Circuit {
    let mut depths = vec![0; 4];
    let mut gates = Vec::new();
    for (i, &f) in values.iter().enumerate().skip(4) {
        let before = &values[..i];
        let depth =
            |gate: &Gate| 1 + gate.operands().into_iter().map(|operand| depths[operand]).max().unwrap_or(0);
        let pairs = (0..i).flat_map(|b| (0..b).map(move |a| (a, b)));
        let two = pairs.filter_map(|(a, b)| Gate::of_two(f, before, a, b)).min_by_key(depth);
        let three = || {
            let triples = (0..i).flat_map(|c| (0..c).flat_map(move |b| (0..b).map(move |a| [a, b, c])));
            triples.filter_map(|operands| Gate::of_three(f, before, operands)).min_by_key(depth)
        };
        let gate = two.or_else(three).expect("the search saw a gate for each signal");
        let depth = depth(&gate);
        gates.push(gate);
        depths.push(depth);
    }
    let place = |output: &u16| values.iter().position(|value| value == output).expect("outputs are signals");
    Circuit { gates, outputs: [0, 1, 2, 3].map(|i| place(&outputs[i])) }
}
