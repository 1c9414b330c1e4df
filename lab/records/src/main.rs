//! Records: what was measured is kept under `lab/records`, and the pictures and tables of the documents are drawn from it.
//!
//! A record is `lab/records/<date>-<cpu>-<kind>.json`; its kinds are `bench` (of `abreast-bench bench --json`), `ladders` (of
//! `abreast-bench ladder --json`) and `peers` (of `cargo xtask peers --json`). The newest of each kind is drawn, of ladders the
//! newest that has the ladder.
//!
//! `cargo run -p records -- keep FILE CPU` keeps a report as a record, without its samples; `cargo run -p records -- draw`
//! draws. Both in the root of the workspace.

#![forbid(unsafe_code)]

mod bench;
mod beside;
mod document;
mod ladders;
mod peers;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use abreast_lab::known::KnownPeers;
use abreast_lab::report::{BenchReport, LaddersReport};
use clap::{Parser, Subcommand};
use document::{Drawn, RECORDS, read, records, text, write};
use serde::Serialize;

/// The best libraries that are known for the rows of comparisons.
const KNOWN: &str = "lab/records/known-best.json";
/// The steps that may scatter in a record of ladders: those on several threads do on any machine.
const NOISY: usize = 6;
/// The page with the tables of kernels.
const SPEED: &str = "book/src/speed.md";

/// Keeps what was measured, and draws the pictures and tables of the documents from it.
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Keep a report of `abreast-bench bench` or `abreast-bench ladder`, without its samples
    Keep {
        /// The report that --json wrote
        file: PathBuf,
        /// The CPU as the name of the record has it, such as amd-epyc-zen5
        cpu: String,
        /// Keep ladders although the machine was busy or samples were few; their pages say so
        #[arg(long)]
        busy: bool,
    },
    /// Draw the newest records
    Draw,
}

fn main() -> ExitCode {
    let done = match Args::parse().task {
        Task::Keep { file, cpu, busy } => keep(&file, &cpu, busy),
        Task::Draw => draw(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("records: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Keeps a report as a record.
fn keep(file: &Path, cpu: &str, busy: bool) -> Result<(), String> {
    if let Ok(mut report) = read::<BenchReport>(file) {
        report.rows.iter_mut().for_each(|row| row.samples.clear());
        return write_record(&report.machine.date, cpu, "bench", &report);
    }
    let mut report: LaddersReport = read(file)?;
    let noisy = report.noisy();
    if !busy && (report.quick || report.was_busy() || noisy > NOISY) {
        let load = report.load.unwrap_or_default();
        return Err(format!(
            "{}: the machine was busy (load {load:.1}, {noisy} steps scatter) or samples were few; --busy keeps it all the same",
            file.display()
        ));
    }
    for workload in report.ladders.iter_mut().flat_map(|ladder| &mut ladder.workloads) {
        workload.steps.iter_mut().for_each(|step| step.samples.clear());
    }
    write_record(&report.machine.date, cpu, "ladders", &report)
}

fn write_record(date: &str, cpu: &str, kind: &str, report: &impl Serialize) -> Result<(), String> {
    let text = serde_json::to_string_pretty(report).map_err(|error| error.to_string())?;
    let path = format!("{RECORDS}/{date}-{cpu}-{kind}.json");
    write(Path::new(&path), &(text + "\n"))?;
    println!("{path}");
    Ok(())
}

/// Draws the newest record of each kind.
fn draw() -> Result<(), String> {
    for (path, text) in drawn(Path::new("."))? {
        write(Path::new(&path), &text)?;
    }
    Ok(())
}

/// Returns the documents below a folder, drawn from the newest records.
fn drawn(root: &Path) -> Result<Vec<Drawn>, String> {
    let mut files = Vec::new();
    let speed = text(&root.join(SPEED))?;
    files.push((SPEED.to_owned(), bench::drawn(&speed, &read(&newest(root, "bench")?)?)?));
    let known: Vec<KnownPeers> = read(&root.join(KNOWN))?;
    peers::drawn(root, &read(&newest(root, "peers")?)?, &known, &mut files)?;
    ladders::drawn(root, &mut files)?;
    Ok(files)
}

/// The newest record of a kind.
fn newest(root: &Path, kind: &str) -> Result<PathBuf, String> {
    records(root, kind)?.pop().ok_or_else(|| format!("{RECORDS} holds no record of the kind '{kind}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_those_of_the_newest_records() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for (path, drawn) in drawn(&root).expect("the records can be drawn") {
            let there = text(&root.join(&path)).expect("it was drawn");
            assert!(there == drawn, "{path} is not what the records say: cargo run -p records -- draw");
        }
    }
}
