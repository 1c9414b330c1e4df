//! Circuits of depth two with gates of three inputs, of which one input enters in the second level alone.
//!
//! An output is `x ? g : h` where `x` is the late input and `g` and `h` are functions of the three others, a
//! gate each. Any pair of functions that tells apart what `g` and `h` tell apart does as well, so that
//! outputs may share gates. All choices are compared.

use super::circuit::{Circuit, Gate, INPUTS, tables};

/// The circuit of the fewest gates, of which the most have two operands.
pub(super) fn search(sbox: &[u8; 16], late: usize) -> Circuit {
    let early: Vec<usize> = (0..4).filter(|&input| input != late).collect();
    let functions = functions(&early);
    let tables = tables(sbox);
    let ways = tables.map(|output| ways(output, late, &functions));
    let mut best = None;
    choose(&ways, &functions, &mut Vec::new(), &mut best);
    let (_, chosen) = best.expect("two functions always do");

    let mut values = INPUTS.to_vec();
    let mut gates = Vec::new();
    let mut pairs = Vec::new();
    for way in chosen {
        let mut pair = Vec::new();
        for f in way {
            pair.push(values.iter().position(|&value| value == f).unwrap_or_else(|| {
                gates.push(first(f, &values, &early));
                values.push(f);
                values.len() - 1
            }));
        }
        pairs.push(pair);
    }
    let mut outputs = [0; 4];
    for ((output, table), pair) in outputs.iter_mut().zip(tables).zip(pairs) {
        let gate = match pair[..] {
            [p] => {
                Gate::of_two(table, &values, late, p).or_else(|| Gate::of_three(table, &values, [late, p, p]))
            }
            [p, q] => Gate::of_three(table, &values, [late, p, q]),
            _ => None,
        };
        gates.push(gate.expect("the functions tell apart what they have to"));
        values.push(table);
        *output = values.len() - 1;
    }
    Circuit { gates, outputs }
}

/// All normal functions of three inputs; those inputs are first.
fn functions(early: &[usize]) -> Vec<u16> {
    let inputs: Vec<u16> = early.iter().map(|&input| INPUTS[input]).collect();
    let mut functions = inputs.clone();
    for table in (2..=254).step_by(2) {
        let f = (0..16).fold(0, |f, n| {
            let row = (0..3).fold(0, |row, i| row | (inputs[i] >> n & 1) << i);
            f | (table >> row & 1) << n
        });
        if !inputs.contains(&f) {
            functions.push(f);
        }
    }
    functions
}

/// The single functions and pairs from which and the late input one gate computes the output.
fn ways(output: u16, late: usize, functions: &[u16]) -> Vec<Vec<u16>> {
    let x = INPUTS[late];
    let even = |cells: &[u16]| {
        cells.iter().all(|&cell| {
            [cell & x, cell & !x].iter().all(|&half| output & half == 0 || output & half == half)
        })
    };
    let mut ways = Vec::new();
    for (i, &q) in functions.iter().enumerate() {
        if even(&[q, !q]) {
            ways.push(vec![q]);
        }
        for &p in &functions[..i] {
            if even(&[p & q, p & !q, !p & q, !p & !q]) {
                ways.push(vec![p, q]);
            }
        }
    }
    ways
}

/// The cost of a choice, and the choice: functions for each output.
type Choice = ((usize, usize), Vec<Vec<u16>>);

/// Goes through all choices of a way for each output.
fn choose(
    ways: &[Vec<Vec<u16>>; 4],
    functions: &[u16],
    chosen: &mut Vec<Vec<u16>>,
    best: &mut Option<Choice>,
) {
    let mut needed: Vec<u16> =
        chosen.iter().flatten().copied().filter(|f| !functions[..3].contains(f)).collect();
    needed.sort_unstable();
    needed.dedup();
    let wide = needed.iter().filter(|&&f| !of_two(f, &functions[..3])).count();
    let cost = (needed.len(), wide + chosen.iter().filter(|way| way.len() == 2).count());
    if best.as_ref().is_some_and(|(other, _)| *other <= cost) {
        return;
    }
    if chosen.len() == 4 {
        *best = Some((cost, chosen.clone()));
        return;
    }
    for way in &ways[chosen.len()] {
        chosen.push(way.clone());
        choose(ways, functions, chosen, best);
        chosen.pop();
    }
}

/// True if a gate of two of the inputs computes the function.
fn of_two(f: u16, inputs: &[u16]) -> bool {
    let pairs = [(0, 1), (0, 2), (1, 2)];
    pairs.into_iter().any(|(a, b)| Gate::of_two(f, inputs, a, b).is_some())
}

/// The gate for a function of the early inputs.
fn first(f: u16, values: &[u16], early: &[usize]) -> Gate {
    let [a, b, c] = early[..] else { unreachable!("three inputs are early") };
    let two = [(a, b), (a, c), (b, c)].into_iter().find_map(|(a, b)| Gate::of_two(f, values, a, b));
    let gate = two.or_else(|| Gate::of_three(f, values, [a, b, c]));
    gate.expect("it is a function of these")
}

#[cfg(test)]
mod tests {
    use super::super::circuit::normal;
    use super::*;

    #[test]
    fn all_functions_of_three_inputs() {
        let functions = functions(&[0, 1, 3]);
        assert_eq!(functions.len(), 127);
        assert!(functions.iter().all(|&f| f == normal(f)));
    }
}
