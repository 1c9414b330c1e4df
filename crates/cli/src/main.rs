//! The command `abreast`.

mod bench;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Symmetric encryption at hardware speed
#[derive(Debug, Parser)]
#[command(name = "abreast", version)]
struct Cli {
    /// What to do.
    #[command(subcommand)]
    command: Command,
}

/// What to do; the help of each command is the documentation of its arguments.
#[derive(Debug, Subcommand)]
enum Command {
    Bench(bench::Args),
}

fn main() -> ExitCode {
    let Command::Bench(args) = Cli::parse().command;
    match bench::run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("abreast: {error}");
            ExitCode::from(if error.is_usage() { 2 } else { 1 })
        }
    }
}
