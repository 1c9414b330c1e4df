//! Circuits of few gates with two inputs.
//!
//! The search is that of [`wide`](super::wide) with gates of two operands: outputs are added as soon as one
//! gate computes them, free gates that do not need each other come in a fixed order, and so many outputs are
//! demanded after so many free gates. It deals in normal functions; which signals have to be complemented is
//! decided for each circuit that it finds. The first free gates are random ones, and what it finds need not
//! be the least there is.

use super::circuit::{Circuit, Gate, INPUTS, Random, normal, tables};

/// The free gates up to the first demanded output that are not chosen at random.
const SEARCHED: usize = 3;

/// The normal functions of two normal signals that depend on both.
fn gates(a: u16, b: u16) -> [u16; 5] {
    [a ^ b, a & b, a | b, !a & b, a & !b]
}

struct Search {
    signals: Vec<u16>,
    missing: Vec<u16>,
    /// The functions that are signals or can be computed by one gate, by truth table without its lowest bit.
    seen: Vec<bool>,
    demand: &'static [usize],
    found: Vec<Vec<u16>>,
}

/// The changes of a step, with which it is undone.
struct Step {
    signals: usize,
    missing: Vec<u16>,
    new: Vec<u16>,
}

impl Search {
    fn new(sbox: &[u8; 16], demand: &'static [usize]) -> (Self, Vec<u16>) {
        let mut search = Self {
            signals: Vec::new(),
            missing: tables(sbox).map(normal).to_vec(),
            seen: vec![false; 1 << 15],
            demand,
            found: Vec::new(),
        };
        search.seen[0] = true;
        let mut candidates = Vec::new();
        for input in INPUTS {
            search.seen[usize::from(input >> 1)] = true;
            search.push(input, &mut candidates);
        }
        (search, candidates)
    }

    /// Adds a signal, and to `new` what becomes computable with it.
    fn push(&mut self, f: u16, new: &mut Vec<u16>) {
        for &a in &self.signals {
            for g in gates(a, f) {
                if !std::mem::replace(&mut self.seen[usize::from(g >> 1)], true) {
                    new.push(g);
                }
            }
        }
        self.signals.push(f);
    }

    /// Adds a free gate and the outputs that it gives.
    fn step(&mut self, f: u16) -> Step {
        let mut step = Step { signals: self.signals.len(), missing: self.missing.clone(), new: Vec::new() };
        self.push(f, &mut step.new);
        while let Some(i) = self.missing.iter().position(|&output| self.seen[usize::from(output >> 1)]) {
            let output = self.missing.remove(i);
            self.push(output, &mut step.new);
        }
        step
    }

    fn undo(&mut self, step: Step) {
        for f in step.new {
            self.seen[usize::from(f >> 1)] = false;
        }
        self.signals.truncate(step.signals);
        self.missing = step.missing;
    }

    /// Goes through all that follows; `candidates` are the functions that may still be free gates, the last
    /// first.
    fn search(&mut self, free: usize, candidates: &[u16]) {
        if self.missing.is_empty() {
            self.found.push(self.signals.clone());
            return;
        }
        let Some(&demand) = self.demand.get(free + 1) else { return };
        let urgent = self.missing.len() + demand > 4;
        let mut helpful = Vec::new();
        if urgent {
            self.helpful(candidates, &mut helpful);
        }
        let list = if urgent { &helpful[..] } else { candidates };
        for (i, &f) in list.iter().enumerate() {
            if self.signals.contains(&f) {
                continue;
            }
            let step = self.step(f);
            if self.missing.len() + demand <= 4 {
                let rest = if urgent { candidates } else { &candidates[..i] };
                let next: Vec<u16> = rest.iter().chain(&step.new).copied().collect();
                self.search(free + 1, &next);
            }
            self.undo(step);
        }
    }

    /// The candidates with which one more gate computes an output.
    fn helpful(&self, candidates: &[u16], helpful: &mut Vec<u16>) {
        for &output in &self.missing {
            for &a in &self.signals {
                // output = a ^ f, or its complement.
                let f = output ^ a;
                if self.seen[usize::from(f >> 1)] && !helpful.contains(&f) {
                    helpful.push(f);
                }
                // If the output is constant in the zeros or in the ones of a, f must be the output elsewhere.
                for (constant, cell) in [(a, !a), (!a, a)] {
                    if output & constant == 0 || output & constant == constant {
                        for &f in candidates {
                            let difference = (f ^ output) & cell;
                            if (difference == 0 || difference == cell) && !helpful.contains(&f) {
                                helpful.push(f);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The better of two circuits costs less.
fn cost(circuit: &Circuit) -> (usize, usize, usize) {
    (circuit.gates.len(), circuit.depth(), circuit.live())
}

/// The best circuit that begins with random free gates, the same for the same `number`.
pub(super) fn search(sbox: &[u8; 16], demand: &'static [usize], number: u64) -> Option<Circuit> {
    let mut random = Random(number);
    let (mut search, mut candidates) = Search::new(sbox, demand);
    let guessed = demand.iter().take_while(|&&outputs| outputs == 0).count().saturating_sub(SEARCHED);
    for _ in 0..guessed {
        let f = candidates.swap_remove(random.below(candidates.len()));
        let step = search.step(f);
        candidates.extend(step.new);
    }
    search.search(guessed, &candidates);

    let mut best: Option<Circuit> = None;
    for signals in search.found {
        let limit = best.as_ref().map(|best| best.gates.len());
        if let Some(circuit) = complemented(sbox, &signals, limit)
            && best.as_ref().is_none_or(|best| cost(&circuit) < cost(best))
        {
            best = Some(circuit);
        }
    }
    best
}

/// The circuit with these signals and the fewest of them complemented, if it has at most `limit` gates.
fn complemented(sbox: &[u8; 16], signals: &[u16], limit: Option<usize>) -> Option<Circuit> {
    let tables = tables(sbox);
    let mut depths = vec![0; 4];
    let mut places = Vec::new();
    for (i, &f) in signals.iter().enumerate().skip(4) {
        let pairs = (0..i).flat_map(|b| (0..b).map(move |a| (a, b)));
        let ways = pairs.flat_map(|(a, b)| {
            let kinds = gates(signals[a], signals[b]).into_iter().enumerate();
            kinds
                .filter(|&(_, g)| g == f)
                .map(move |(kind, _)| if kind == 4 { (3, b, a) } else { (kind as u8, a, b) })
        });
        let way = ways.min_by_key(|&(_, a, b)| depths[a].max(depths[b]))?;
        depths.push(1 + depths[way.1].max(depths[way.2]));
        places.push(way);
    }
    let place = |table: u16| signals.iter().position(|&signal| signal == normal(table));
    let mut wanted = [(0, false); 4];
    for (wanted, table) in wanted.iter_mut().zip(tables) {
        *wanted = (place(table)?, table & 1 == 1);
    }
    let most = wanted.iter().filter(|(_, complement)| *complement).count();
    let most = limit.map_or(most, |limit| most.min(limit.saturating_sub(places.len())));
    for nots in 0..=most {
        let mut signs = Signs { places: &places, wanted, have: Vec::new(), gates: Vec::new() };
        if places.len() + nots <= limit.unwrap_or(usize::MAX)
            && let Some(circuit) = signs.assign(nots)
        {
            return Some(circuit.pruned());
        }
    }
    None
}

/// The assignment of complements to signals.
///
/// The four kinds of gates are zero where both operands are, so that the signs of the operands decide that of
/// the result; a complement in between turns it round, and leaves both signs to choose from.
struct Signs<'a> {
    places: &'a [(u8, usize, usize)],
    wanted: [(usize, bool); 4],
    /// The places of each signal and of its complement in the circuit.
    have: Vec<[Option<usize>; 2]>,
    gates: Vec<Gate>,
}

impl Signs<'_> {
    fn assign(&mut self, nots: usize) -> Option<Circuit> {
        let next = self.have.len();
        if next == 4 + self.places.len() {
            let mut outputs = [0; 4];
            for (output, (signal, sign)) in outputs.iter_mut().zip(self.wanted) {
                *output = self.have[signal][usize::from(sign)]?;
            }
            return Some(Circuit { gates: self.gates.clone(), outputs });
        }
        if next < 4 {
            return self.with([Some(next), None], nots);
        }
        let (kind, a, b) = self.places[next - 4];
        let mut tried = [false; 2];
        for signs in 0..4 {
            let (sign_a, sign_b) = (signs & 1, signs >> 1);
            let (Some(a), Some(b)) = (self.have[a][sign_a], self.have[b][sign_b]) else { continue };
            let (sign_a, sign_b) = (sign_a == 1, sign_b == 1);
            // The function of the operands as they are, from which their signs have been taken.
            let at = |a: bool, b: bool| match kind {
                0 => a ^ b,
                1 => a & b,
                2 => a | b,
                _ => !a & b,
            };
            let sign = at(sign_a, sign_b);
            if std::mem::replace(&mut tried[usize::from(sign)], true) {
                continue;
            }
            let function =
                [(false, true), (true, false), (true, true)].map(|(a, b)| at(a ^ sign_a, b ^ sign_b) ^ sign);
            let gate = match function {
                [true, true, false] => Gate::Xor(a, b),
                [false, false, true] => Gate::And(a, b),
                [true, true, true] => Gate::Or(a, b),
                [true, false, false] => Gate::AndNot(a, b),
                _ => Gate::AndNot(b, a),
            };
            let here = Some(4 + self.gates.len());
            self.gates.push(gate);
            let found = self.with(if sign { [None, here] } else { [here, None] }, nots);
            if found.is_some() {
                return found;
            }
            self.gates.pop();
        }
        None
    }

    /// Goes on with this signal, and then with its complement too.
    fn with(&mut self, have: [Option<usize>; 2], nots: usize) -> Option<Circuit> {
        self.have.push(have);
        let found = self.assign(nots);
        if found.is_some() {
            return found;
        }
        self.have.pop();
        if nots == 0 {
            return None;
        }
        let here = have[0].or(have[1])?;
        let complement = Some(4 + self.gates.len());
        self.gates.push(Gate::Not(here));
        self.have.push(if have[0].is_some() { [have[0], complement] } else { [complement, have[1]] });
        let found = self.assign(nots - 1);
        if found.is_none() {
            self.have.pop();
            self.gates.pop();
        }
        found
    }
}
