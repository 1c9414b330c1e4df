//! Circuits for the S-boxes of Serpent: searched for, checked, and written to a file of the library and to one of its kernels
//! for OpenCL.
//!
//! The search is the same on each run. If an exhaustive search would take too long, it begins with a few random gates: those of
//! the numbers in [`WIDE`] and [`NARROW`], which longer searches have picked out of many thousands.
//!
//! `cargo run --release -p sboxes` searches for minutes and writes the file; with `--check` it reads the circuits that
//! the file has, checks each on all nibbles, and compares the rest of the file with what it would write. The test of this
//! crate is that check.
#![forbid(unsafe_code)]

mod circuit;
mod file;
mod kind;
mod narrow;
mod opencl;
mod shallow;
mod timed;
mod wide;

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use abreast_reference::serpent::{INVERSE_SBOXES, SBOXES};
use circuit::{Circuit, tables};
use clap::Parser;
use file::Entry;
use kind::Kind;
use timed::Times;

/// The file, from the root of the workspace.
const FILE: &str = "crates/abreast/src/ciphers/serpent/circuits.rs";

/// The file with the same circuits for OpenCL devices.
const OPENCL: &str = "crates/gpu/src/kernels/serpent_sboxes.cl";

/// The input that enters a shallow circuit in the second level alone, for the boxes and for their inverses.
const LATE: [usize; 2] = [2, 3];

/// When words come from the linear transformation of the round before in general registers and are wanted by the next, for
/// the boxes and for their inverses; and the delay of all circuits.
const TIMED: [(Times, usize); 2] = [
    (Times { ready: [2, 0, 2, 0], wanted: [0, 2, 0, 1] }, 5),
    (Times { ready: [0, 1, 0, 1], wanted: [0; 4] }, 4),
];

/// A random beginning for each box and each inverse; seven gates are found without one.
const WIDE: [[u64; 8]; 2] = [[0, 0, 0, 4488, 0, 0, 0, 3880], [0, 0, 0, 1053, 0, 0, 0, 6082]];

/// Outputs demanded after so many free gates, which fixes the number of free gates.
const NINE: &[usize] = &[0, 0, 0, 0, 0, 0, 1, 2, 2, 4];
const TEN: &[usize] = &[0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 4];
const ELEVEN: &[usize] = &[0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 4];

/// The demanded outputs and the random beginning of circuits of two-input gates, for each box and each inverse.
const NARROW: [[(&[usize], u64); 8]; 2] = [
    [
        (NINE, 2556),
        (NINE, 2001),
        (NINE, 902),
        (ELEVEN, 9313),
        (NINE, 1953),
        (TEN, 14),
        (NINE, 2250),
        (TEN, 2402),
    ],
    [
        (NINE, 941),
        (NINE, 2526),
        (NINE, 2493),
        (ELEVEN, 1607),
        (TEN, 187),
        (NINE, 930),
        (NINE, 1887),
        (ELEVEN, 12187),
    ],
];

/// Searches for the circuits of Serpent's S-boxes and writes them to the sources of the library.
#[derive(Parser)]
struct Args {
    /// Search for nothing: check the circuits that the file has, and that the rest of it is what would be written.
    #[arg(long)]
    check: bool,
}

fn main() -> ExitCode {
    match sboxes(Args::parse().check) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("sboxes: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Searches and writes the file, or checks the circuits that it has.
fn sboxes(check: bool) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let old = if check {
        fs::read_to_string(root.join(FILE)).map_err(|error| format!("{FILE}: {error}"))?
    } else {
        String::new()
    };
    let mut entries = Vec::new();
    for kind in Kind::ALL {
        for (number, (sbox, inverse)) in SBOXES.iter().zip(&INVERSE_SBOXES).enumerate() {
            for (is_inverse, sbox) in [(false, sbox), (true, inverse)] {
                let start = Instant::now();
                let entry = if check {
                    file::read(&old, kind, number, is_inverse)?
                } else {
                    let circuit = search(kind, number, is_inverse, sbox)?;
                    Entry { kind, number, inverse: is_inverse, circuit }
                };
                let circuit = &entry.circuit;
                let name = entry.function();
                if !circuit.computes(sbox) {
                    return Err(format!("{name} is wrong"));
                }
                let (Times { ready, wanted }, delay) = TIMED[usize::from(is_inverse)];
                let depths = circuit.depths(|input| ready[input]);
                if kind == Kind::Timed && (0..4).any(|output| depths[output] > delay + wanted[output]) {
                    return Err(format!("{name} is too slow"));
                }
                let late = |input| usize::from(input == LATE[usize::from(is_inverse)]);
                if kind == Kind::Shallow && circuit.depths(late) != [2; 4] {
                    return Err(format!("{name} is too deep"));
                }
                println!(
                    "{name:20} {:2} gates, {:2} of three inputs, depth {}, {} alive, {:5.1} s",
                    circuit.gates.len(),
                    circuit.ternaries(),
                    circuit.depth(),
                    circuit.live(),
                    start.elapsed().as_secs_f64()
                );
                entries.push(entry);
            }
        }
    }
    for (name, new) in [(FILE, file::write(&entries, LATE)), (OPENCL, opencl::write(&entries))] {
        let file = root.join(name);
        if !check {
            fs::write(&file, new).map_err(|error| format!("{name}: {error}"))?;
        } else if fs::read_to_string(&file).map_err(|error| format!("{name}: {error}"))? != new {
            return Err(format!(
                "{name} is not what the search writes; change it by `cargo run --release -p sboxes`"
            ));
        }
    }
    Ok(())
}

fn search(kind: Kind, number: usize, inverse: bool, sbox: &[u8; 16]) -> Result<Circuit, String> {
    let direction = usize::from(inverse);
    let found = match kind {
        Kind::Wide => wide::search(sbox, WIDE[direction][number]).map(|circuit| circuit.ordered()),
        Kind::Shallow => Some(shallow::search(sbox, LATE[direction]).ordered()),
        Kind::Narrow => {
            let (demand, number) = NARROW[direction][number];
            narrow::search(sbox, demand, number).map(|circuit| circuit.ordered())
        }
        Kind::Timed => timed::search(tables(sbox), TIMED[direction].0),
    };
    let which = if inverse { "inverse " } else { "" };
    found.ok_or_else(|| format!("no {} circuit for {which}S{number}", kind.name()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_library_has_circuits_of_the_s_boxes() {
        assert_eq!(super::sboxes(true), Ok(()));
    }
}
