//! abreast measured beside its peers: the same work on the same buffers, by turns.
//!
//! [`rows`] lists the measurements, [`job`] has the keys and buffers that all work on, [`peer`] defines a peer,
//! and [`peers`] has them. [`measure`] compares the output of all peers in each cell before it measures them.

mod job;
mod measure;
mod peer;
mod peers;
mod report;
mod rows;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use abreast_lab::machine::Machine;
use abreast_lab::report::{Library, PeersReport};
use abreast_lab::sample::Effort;
use clap::Parser;

/// Measures abreast beside its peers.
#[derive(Parser)]
#[command(name = "cargo xtask peers")]
struct Arguments {
    /// Few samples of each cell: less than a minute.
    #[arg(long)]
    quick: bool,
    /// Only rows with this in their name, such as `aes128-gcm` or `packets`.
    #[arg(long, value_name = "PATTERN")]
    only: Option<String>,
    /// Writes all that was measured to a file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// The effort for a cell, by default.
const FULL: Effort =
    Effort { sample: Duration::from_micros(500), most: 200, fewest: 15, budget: Duration::from_millis(250) };
/// The effort for a cell with `--quick`.
const QUICK: Effort =
    Effort { sample: Duration::from_micros(200), most: 60, fewest: 5, budget: Duration::from_millis(30) };

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let effort = if arguments.quick { QUICK } else { FULL };
    let wanted = arguments.only.unwrap_or_default();
    let peers = peers::all();
    let mut report = PeersReport {
        machine: Machine::this(),
        peers: peers
            .iter()
            .map(|peer| Library { name: peer.name().into(), version: peer.version() })
            .collect(),
        missing: peers::missing(),
        cells: Vec::new(),
    };
    let known = report::known();
    print!("{}", report::heading(&report));
    let mut differences = 0;
    for row in rows::ROWS.iter().filter(|row| row.name().contains(&wanted)) {
        for &size in row.sizes {
            let cell = measure::cell(*row, size, &peers, &effort, |peer| {
                eprintln!("{}, {size} bytes: {peer} differs from {}", row.name(), peers[0].name());
                differences += 1;
            });
            println!("{}", report::line(&known, &report, &cell));
            report.cells.push(cell);
        }
    }
    println!("\n{}", report::summary(&known, &report));
    if let Some(file) = arguments.json
        && let Err(error) = report::write(&report, &file)
    {
        eprintln!("{}: {error}", file.display());
        return ExitCode::FAILURE;
    }
    if differences == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
