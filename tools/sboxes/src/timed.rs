//! Circuits for words in general registers, where only time counts: a block by itself waits for each gate, and the CPU
//! has room for more gates than there are.
//!
//! A gate has two inputs and takes a cycle, and so does a complement. `!a & b` is none: only newer CPUs have it in general
//! registers. The linear transformation gives some words earlier than others and takes some later than others, so a circuit has
//! a time at which each input is ready and one at which each output is wanted, up to a common delay. It is looked for at the
//! shortest delay at which every output can be had by itself, since then no gate that they share is too late. Many circuits
//! have that delay; one with few gates is found by trying at random.

use std::collections::BTreeMap;

use super::circuit::{Circuit, Gate, INPUTS, Random};

/// When the inputs of a circuit are ready, and how long after a common delay each output is wanted.
#[derive(Clone, Copy)]
pub(super) struct Times {
    pub(super) ready: [usize; 4],
    pub(super) wanted: [usize; 4],
}

/// No circuit is slower.
const LATEST: usize = 8;

/// Circuits that are tried for an S-box.
const TRIALS: usize = 4000;

/// Functions whose pairs are looked at for what can be ready next: those with the smallest trees of gates.
const PAIRED: usize = 6000;

/// Ways to compute a function that are kept for a choice.
const WAYS: usize = 3000;

/// The number of ways that most choices look at, those with the smallest trees.
const FEW_WAYS: usize = 400;

/// More gates than any circuit has: the cost of what cannot be ready in time.
const NEVER: u16 = 100;

/// The functions that can be ready at each time, as the gates of the smallest tree that is known for them.
struct Trees(Vec<Vec<u16>>);

impl Trees {
    fn new(ready: [usize; 4]) -> Self {
        let mut times: Vec<Vec<u16>> = Vec::new();
        for time in 0..=LATEST {
            let before = times.last();
            let mut trees = before.cloned().unwrap_or_else(|| vec![NEVER; 1 << 16]);
            for (input, when) in INPUTS.iter().zip(ready) {
                if when <= time {
                    trees[usize::from(*input)] = 0;
                }
            }
            if let Some(before) = before {
                grow(before, &mut trees);
            }
            // A constant is of no use.
            (trees[0], trees[0xffff]) = (NEVER, NEVER);
            times.push(trees);
        }
        Self(times)
    }

    fn of(&self, f: u16, time: usize) -> u16 {
        self.0[time][usize::from(f)]
    }
}

/// Adds what one more gate computes.
fn grow(before: &[u16], trees: &mut [u16]) {
    let mut known: Vec<(u16, u16)> = Vec::new();
    for (f, gates) in (0..=u16::MAX).zip(before) {
        if *gates < NEVER {
            known.push((*gates, f));
            let tree = &mut trees[usize::from(!f)];
            *tree = (*tree).min(gates + 1);
        }
    }
    known.sort_unstable();
    known.truncate(PAIRED);
    for (i, (first_gates, a)) in known.iter().enumerate() {
        for (second_gates, b) in &known[..i] {
            let gates = first_gates + second_gates + 1;
            for f in [a ^ b, a & b, a | b] {
                let tree = &mut trees[usize::from(f)];
                *tree = (*tree).min(gates);
            }
        }
    }
}

/// A gate by the functions that enter: of a complement, twice the same.
#[derive(Clone, Copy)]
struct Way {
    gate: fn(usize, usize) -> Gate,
    operands: [u16; 2],
    /// Gates of the smallest trees of the operands.
    trees: u16,
}

/// The ways to a function whose operands are ready at a time, those with the smallest trees first.
fn ways(f: u16, trees: &[u16]) -> Vec<Way> {
    let mut ways = Vec::new();
    let mut add = |gate: fn(usize, usize) -> Gate, a: u16, b: u16| {
        let sum = trees[usize::from(a)] + trees[usize::from(b)];
        if sum < NEVER {
            ways.push(Way { gate, operands: [a, b], trees: sum });
        }
    };
    add(|a, _| Gate::Not(a), !f, !f);
    for a in 0..=u16::MAX {
        if a < f ^ a {
            add(Gate::Xor, a, f ^ a);
        }
    }
    // Both operands of a conjunction have the ones of `f`, and no other together; those of a disjunction, the zeros.
    for more in subsets(!f) {
        for other in subsets(!f & !more).filter(|other| (1..more).contains(other)) {
            add(Gate::And, f | more, f | other);
        }
    }
    for less in subsets(f) {
        for other in subsets(f & !less).filter(|other| (1..less).contains(other)) {
            add(Gate::Or, f & !less, f & !other);
        }
    }
    ways.sort_by_key(|way| way.trees);
    ways.truncate(WAYS);
    ways
}

/// The subsets of a set of bits.
fn subsets(set: u16) -> impl Iterator<Item = u16> {
    let next = move |subset: &u16| (*subset != 0).then(|| (subset - 1) & set);
    std::iter::successors(Some(set), next)
}

/// The functions that a trial wants, and its gates, by the function that each computes.
#[derive(Default)]
struct Trial {
    /// When each function is wanted.
    wanted: BTreeMap<u16, usize>,
    gates: BTreeMap<u16, Way>,
}

impl Trial {
    fn want(&mut self, f: u16, time: usize) {
        let wanted = self.wanted.entry(f).or_insert(time);
        *wanted = time.min(*wanted);
    }

    /// The function without a gate that is wanted last.
    fn next(&self) -> Option<(u16, usize)> {
        let open = self.wanted.iter().filter(|(f, _)| !INPUTS.contains(f) && !self.gates.contains_key(f));
        open.map(|(f, time)| (*f, *time)).max_by_key(|(_, time)| *time)
    }

    /// Returns the cost of having an operand ready at a time, in quarters of a gate.
    fn price(&self, f: u16, time: usize, trees: &Trees) -> usize {
        let tree = usize::from(trees.of(f, time));
        match self.wanted.get(&f) {
            _ if tree == 0 => 0,
            Some(wanted) if *wanted <= time => 0,
            // Its gate takes operands that are ready too late.
            Some(_) if self.gates.contains_key(&f) => 4 * usize::from(NEVER),
            Some(_) => 1,
            None => 4 * tree,
        }
    }
}

/// The circuit of an S-box, given by the functions of its outputs, at the shortest delay.
pub(super) fn search(outputs: [u16; 4], times: Times) -> Option<Circuit> {
    let trees = Trees::new(times.ready);
    let most = times.wanted.into_iter().max()?;
    let can_be_had = |delay: &usize| {
        outputs.iter().zip(times.wanted).all(|(f, wanted)| trees.of(*f, delay + wanted) < NEVER)
    };
    let delay = (0..=LATEST - most).find(can_be_had)?;
    let wanted = times.wanted.map(|wanted| delay + wanted);
    let mut random = Random(1);
    let mut known = BTreeMap::new();
    let mut best: Option<Trial> = None;
    for _ in 0..TRIALS {
        let most = best.as_ref().map_or(usize::from(NEVER), |best| best.gates.len() - 1);
        best = tried(outputs, wanted, most, &trees, &mut known, &mut random).or(best);
    }
    Some(circuit(&best?, outputs))
}

/// A circuit of up to `most` gates by choices that are good but for chance, if they lead to one.
fn tried(
    outputs: [u16; 4],
    wanted: [usize; 4],
    most: usize,
    trees: &Trees,
    known: &mut BTreeMap<(u16, usize), Vec<Way>>,
    random: &mut Random,
) -> Option<Trial> {
    let mut trial = Trial::default();
    for (f, time) in outputs.into_iter().zip(wanted) {
        trial.want(f, time);
    }
    let chance = 4 * (1 + random.below(3));
    while let Some((f, time)) = trial.next() {
        let time = time.checked_sub(1)?;
        let ways = known.entry((f, time)).or_insert_with(|| ways(f, &trees.0[time]));
        let few = if random.below(4) == 0 { ways.len() } else { ways.len().min(FEW_WAYS) };
        let priced = ways[..few].iter().map(|way| {
            let [a, b] = way.operands;
            let again = if a == b { 2 } else { trial.price(b, time, trees) };
            (2 * (trial.price(a, time, trees) + again) + random.below(chance), way)
        });
        let (price, way) = priced.min_by_key(|(price, _)| *price)?;
        if price >= 2 * usize::from(NEVER) || trial.gates.len() == most {
            return None;
        }
        trial.gates.insert(f, *way);
        for operand in way.operands {
            trial.want(operand, time);
        }
    }
    Some(trial)
}

/// The gates of a trial in the order of time.
fn circuit(trial: &Trial, outputs: [u16; 4]) -> Circuit {
    let mut order: Vec<_> = trial.gates.iter().collect();
    order.sort_by_key(|(f, _)| trial.wanted[f]);
    let mut functions = INPUTS.to_vec();
    functions.extend(order.iter().map(|(f, _)| **f));
    let place = |f: u16| functions.iter().position(|other| *other == f).expect("every function has a gate");
    let gates = order.iter().map(|(_, way)| {
        let [a, b] = way.operands.map(place);
        (way.gate)(a, b)
    });
    Circuit { gates: gates.collect(), outputs: outputs.map(place) }
}
