//! The file of circuits: written, and read again.

use std::fmt::Write as _;

use super::circuit::{Circuit, Gate};
use super::kind::Kind;

/// An S-box and what the file has for it.
pub(super) struct Entry {
    pub(super) kind: Kind,
    /// The number of the S-box.
    pub(super) number: usize,
    pub(super) inverse: bool,
    pub(super) circuit: Circuit,
}

impl Entry {
    /// The name of the function.
    pub(super) fn function(&self) -> String {
        function(self.kind, self.number, self.inverse)
    }

    /// The name of the S-box.
    pub(super) fn sbox(&self) -> String {
        format!("{}S{}", if self.inverse { "inverse " } else { "" }, self.number)
    }
}

fn function(kind: Kind, number: usize, inverse: bool) -> String {
    format!("{}_{}s{number}", kind.name(), if inverse { "inverse_" } else { "" })
}

const HEAD: &str = "\
//! The S-boxes of Serpent and their inverses as circuits: constant time on any word, four bits of many
//! nibbles side by side.
//!
//! The S-boxes are those of Anderson, Biham and Knudsen (\"Serpent: A Proposal for the Advanced Encryption
//! Standard\", 1998). Element 0 of an input or output is the word of the least significant bits. Each box
//! comes in four kinds:
//!
//! * `ternary`: the fewest gates with three inputs. A pass over many groups of blocks wants few operations;
//!   other groups fill the time that one waits. The search goes through all circuits of seven such gates and
//!   less: none of these counts can be lowered.
//! * `shallow`: two gates one after another and no more, of which the second alone takes
//!   INPUTS: what the linear transform before has ready last. A pass over one
//!   group waits for each gate.
//! * `two_input`: few gates with two inputs, for CPUs that have no others. `!a & b` is one of them, a
//!   complement by itself is one too.
//! * `timed`: gates with two inputs, without `!a & b`, for a block by itself in general registers. It waits for each gate, so
//!   these are done as early as the words allow that come from the linear transformation and go into the next.
//!
//! `cargo run --release -p sboxes` searches for the circuits, checks each on all sixteen nibbles, and writes this file.
//! Gates are in an order that keeps few values alive, those of `timed` in the order of time. Their number and the depth of
//! the circuits:
//!
";

/// The text of the file. The entries are ordered by kind, then number, the inverse of a box after it.
pub(super) fn write(entries: &[Entry], late: [usize; 2]) -> String {
    let inputs = format!("`x{}` (`x{}` in the inverses)", late[0], late[1]);
    let mut text = HEAD.replace("INPUTS", &inputs);
    table(&mut text, entries);
    text.push_str("\nuse abreast_simd::{Word, Words};\n");
    for entry in entries {
        one(&mut text, entry);
    }
    text
}

fn table(text: &mut String, entries: &[Entry]) {
    text.push_str("//! | |");
    for kind in Kind::ALL {
        write!(text, " `{}` | depth |", kind.name()).expect("a string takes all");
    }
    text.push_str("\n//! |---|");
    text.push_str(&"---|".repeat(2 * Kind::ALL.len()));
    for entry in entries.iter().filter(|entry| entry.kind == Kind::ALL[0]) {
        write!(text, "\n//! | {} |", entry.sbox()).expect("a string takes all");
        let same = |other: &&Entry| (other.number, other.inverse) == (entry.number, entry.inverse);
        for other in entries.iter().filter(same) {
            write!(text, " {} | {} |", other.circuit.gates.len(), other.circuit.depth())
                .expect("a string takes all");
        }
    }
    text.push('\n');
}

fn one(text: &mut String, entry: &Entry) {
    let circuit = &entry.circuit;
    let names = names(circuit);
    let mut write = |line: std::fmt::Arguments<'_>| {
        text.write_fmt(line).expect("a string takes all");
        text.push('\n');
    };
    write(format_args!("\n#[cfg_attr(not(abreast_unoptimized), inline(always))]"));
    // A gate of three inputs is an operation of vectors.
    let word = if circuit.ternaries() > 0 { "Words" } else { "Word" };
    write(format_args!(
        "pub(super) fn {}<W: {word}>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {{",
        entry.function()
    ));
    for (i, gate) in circuit.gates.iter().enumerate() {
        let name = |operand: usize| &names[operand];
        let right = match *gate {
            Gate::Not(a) => format!("!{}", name(a)),
            Gate::And(a, b) => format!("{} & {}", name(a), name(b)),
            Gate::Or(a, b) => format!("{} | {}", name(a), name(b)),
            Gate::Xor(a, b) => format!("{} ^ {}", name(a), name(b)),
            Gate::AndNot(a, b) => format!("!{} & {}", name(a), name(b)),
            Gate::Ternary(table, [a, b, c]) => {
                format!("W::ternary::<0x{table:02x}>({}, {}, {})", name(a), name(b), name(c))
            }
        };
        write(format_args!("    let {} = {right};", names[4 + i]));
    }
    write(format_args!("    [{}]\n}}", circuit.outputs.map(|output| names[output].as_str()).join(", ")));
}

/// The names of the signals: `x` the inputs, `y` the outputs, `t` what is between.
pub(super) fn names(circuit: &Circuit) -> Vec<String> {
    let mut names: Vec<String> = (0..4).map(|i| format!("x{i}")).collect();
    let mut inner = 0;
    for signal in 4..4 + circuit.gates.len() {
        names.push(match circuit.outputs.iter().position(|&output| output == signal) {
            Some(output) => format!("y{output}"),
            None => {
                inner += 1;
                format!("t{}", inner - 1)
            }
        });
    }
    names
}

/// The circuit of a box in the text of the file.
pub(super) fn read(text: &str, kind: Kind, number: usize, inverse: bool) -> Result<Entry, String> {
    let function = function(kind, number, inverse);
    let malformed = |line: &str| format!("{function}: cannot read `{line}`");
    let (_, body) = text.split_once(&format!("fn {function}<")).ok_or(format!("there is no {function}"))?;
    let mut names: Vec<String> = (0..4).map(|i| format!("x{i}")).collect();
    let mut gates = Vec::new();
    for line in body.lines().skip(1) {
        let line = line.trim();
        let place = |name: &str| names.iter().position(|other| other == name).ok_or_else(|| malformed(line));
        if let Some(list) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            let mut outputs = [0; 4];
            let mut list = list.split(", ");
            for output in &mut outputs {
                *output = place(list.next().ok_or_else(|| malformed(line))?)?;
            }
            return Ok(Entry { kind, number, inverse, circuit: Circuit { gates, outputs } });
        }
        let gate = line.strip_prefix("let ").and_then(|line| line.strip_suffix(';'));
        let (name, right) = gate.and_then(|gate| gate.split_once(" = ")).ok_or_else(|| malformed(line))?;
        let words: Vec<&str> = right.split(' ').collect();
        let gate = match (words.as_slice(), right.strip_prefix("W::ternary::<0x")) {
            (_, Some(call)) => {
                let (table, operands) = call.split_once(">(").ok_or_else(|| malformed(line))?;
                let table = u8::from_str_radix(table, 16).map_err(|_| malformed(line))?;
                let operands: Vec<&str> = operands.trim_end_matches(')').split(", ").collect();
                let [a, b, c] = operands[..] else { return Err(malformed(line)) };
                Gate::Ternary(table, [place(a)?, place(b)?, place(c)?])
            }
            (&[a, "^", b], _) => Gate::Xor(place(a)?, place(b)?),
            (&[a, "|", b], _) => Gate::Or(place(a)?, place(b)?),
            (&[a, "&", b], _) => match a.strip_prefix('!') {
                Some(a) => Gate::AndNot(place(a)?, place(b)?),
                None => Gate::And(place(a)?, place(b)?),
            },
            (&[a], _) => Gate::Not(place(a.strip_prefix('!').ok_or_else(|| malformed(line))?)?),
            _ => return Err(malformed(line)),
        };
        gates.push(gate);
        names.push(name.to_owned());
    }
    Err(format!("{function} does not end"))
}
