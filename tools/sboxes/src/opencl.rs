//! The circuits of three-input gates in OpenCL C.
//!
//! OpenCL has no three-input gate, but compilers for GPUs that have one take any expression of three operands for it. So
//! each gate is written as the shortest expression in `&`, `|`, `^` and `~`.

use std::fmt::Write as _;

use super::circuit::Gate;
use super::file::{Entry, names};
use super::kind::Kind;

const HEAD: &str = "\
// The S-boxes of Serpent and their inverses as circuits with the fewest gates of three inputs, each of which is one
// instruction where a GPU has such gates. Component x of an input or output has the least significant bits.
//
// Written by `cargo run --release -p sboxes`, which searches for the circuits and checks each on all sixteen nibbles.
";

/// The text of the file.
pub(super) fn write(entries: &[Entry]) -> String {
    let formulas = Formulas::shortest();
    let mut text = HEAD.to_owned();
    for entry in entries.iter().filter(|entry| entry.kind == Kind::Wide) {
        let inverse = if entry.inverse { "inverse_" } else { "" };
        write!(text, "\nuint4 {inverse}s{}(uint4 x)\n{{\n", entry.number).expect("a string takes all");
        text.push_str("    uint x0 = x.x, x1 = x.y, x2 = x.z, x3 = x.w;\n");
        let names = names(&entry.circuit);
        for (i, gate) in entry.circuit.gates.iter().enumerate() {
            let operands: Vec<&str> =
                gate.operands().into_iter().map(|operand| names[operand].as_str()).collect();
            let right = match gate {
                Gate::Not(_) => format!("~{}", operands[0]),
                Gate::And(..) => format!("{} & {}", operands[0], operands[1]),
                Gate::Or(..) => format!("{} | {}", operands[0], operands[1]),
                Gate::Xor(..) => format!("{} ^ {}", operands[0], operands[1]),
                Gate::AndNot(..) => format!("~{} & {}", operands[0], operands[1]),
                Gate::Ternary(table, _) => formulas.of(*table, &operands),
            };
            writeln!(text, "    uint {} = {right};", names[4 + i]).expect("a string takes all");
        }
        let outputs = entry.circuit.outputs.map(|output| names[output].as_str()).join(", ");
        write!(text, "    return (uint4)({outputs});\n}}\n").expect("a string takes all");
    }
    text
}

/// The shortest formula for each function of three bits, with the letters a, b and c for these.
struct Formulas(Vec<String>);

impl Formulas {
    /// Formulas of 1, 2, 3 and so on operations, each the first that is found for its function.
    fn shortest() -> Self {
        let mut found: Vec<Option<(usize, String)>> = vec![None; 256];
        // Bit `4a + 2b + c` of a table: a is the top bit of the row.
        for (table, letter) in [(0xf0, "a"), (0xcc, "b"), (0xaa, "c")] {
            found[table] = Some((0, letter.to_owned()));
        }
        for cost in 1.. {
            let known: Vec<(usize, usize, String)> = found
                .iter()
                .enumerate()
                .filter_map(|(table, formula)| formula.clone().map(|(cost, text)| (table, cost, text)))
                .collect();
            let mut add = |table: usize, text: String| {
                if found[table].is_none() {
                    found[table] = Some((cost, text));
                }
            };
            for (table, _, text) in known.iter().filter(|(_, own, _)| own + 1 == cost) {
                add(!table & 0xff, format!("~{}", in_brackets(text)));
            }
            for (a, cost_a, text_a) in &known {
                for (b, _, text_b) in known.iter().filter(|(_, cost_b, _)| cost_a + cost_b + 1 == cost) {
                    let (text_a, text_b) = (in_brackets(text_a), in_brackets(text_b));
                    add(a & b, format!("{text_a} & {text_b}"));
                    add(a | b, format!("{text_a} | {text_b}"));
                    add(a ^ b, format!("{text_a} ^ {text_b}"));
                }
            }
            if found.iter().all(Option::is_some) {
                break;
            }
        }
        Self(found.into_iter().flatten().map(|(_, text)| text).collect())
    }

    /// The formula of a table for these operands.
    fn of(&self, table: u8, operands: &[&str]) -> String {
        let mut text = String::new();
        for letter in self.0[usize::from(table)].chars() {
            match letter {
                'a' => text.push_str(operands[0]),
                'b' => text.push_str(operands[1]),
                'c' => text.push_str(operands[2]),
                other => text.push(other),
            }
        }
        text
    }
}

/// A formula as an operand.
fn in_brackets(text: &str) -> String {
    if text.contains(' ') { format!("({text})") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a formula in the given variables, by a reading of its own.
    fn value(text: &[u8], at: &mut usize, variables: [bool; 3]) -> bool {
        let mut left = operand(text, at, variables);
        while text.get(*at) == Some(&b' ') {
            let operation = text[*at + 1];
            *at += 3;
            let right = operand(text, at, variables);
            left = match operation {
                b'&' => left & right,
                b'|' => left | right,
                _ => left ^ right,
            };
        }
        left
    }

    fn operand(text: &[u8], at: &mut usize, variables: [bool; 3]) -> bool {
        *at += 1;
        match text[*at - 1] {
            b'~' => !operand(text, at, variables),
            b'(' => {
                let inner = value(text, at, variables);
                *at += 1;
                inner
            }
            letter => variables[usize::from(letter - b'a')],
        }
    }

    #[test]
    fn each_formula_computes_its_table() {
        let formulas = Formulas::shortest();
        for table in 0..=255_u8 {
            let text = formulas.of(table, &["a", "b", "c"]);
            for row in 0..8 {
                let variables = [row >> 2 & 1 == 1, row >> 1 & 1 == 1, row & 1 == 1];
                assert_eq!(
                    value(text.as_bytes(), &mut 0, variables),
                    table >> row & 1 == 1,
                    "{table:#x}: {text}"
                );
            }
        }
    }
}
