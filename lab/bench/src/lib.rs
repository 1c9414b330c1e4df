//! The program `abreast-bench`: measures the kernels of abreast on this machine, and climbs the ladders that lead to them.
//!
//! `bench`, `ladder` and `files` are its commands, `reports` the files that both write beside their tables, and `opencl` what
//! both measure on devices. Messages, exit codes, outputs and the choice of a device are those of the command `abreast`, from
//! its library.
//!
//! This library is for the program alone. It promises nothing to others: the sampler, the floors and the pictures are in
//! `abreast-lab`.
#![forbid(unsafe_code)]

mod bench;
mod files;
mod ladder;
mod opencl;
mod reports;

use std::process::ExitCode;

use abreast_cli::{Failure, Program, start};
use clap::{Parser, Subcommand};

/// Exit codes and examples, at the end of the help.
const AFTER_HELP: &str = "\
Examples:
  abreast-bench bench                      the usual ciphers and modes, in seconds
  abreast-bench bench xtea-ecb --quick     one of them, with fewer samples
  abreast-bench ladder xtea                how XTEA became fast, step by step
  abreast-bench files /dev/shm             sealing, opening and verifying without a disk

Exit codes:
  0  done
  1  something cannot be read or written, or an OpenCL device fails or is missing
  2  wrong arguments, or a baseline that cannot be compared with
  4  the output exists already, or is another file of the same call
  128+n  ended by signal n";

/// Measure how fast the ciphers of abreast are on this machine
///
/// Everything is measured on random data; none of your files is encrypted. `bench` compares the kernels of a
/// cipher and mode with each other, with how fast this CPU could be at best, and with an earlier run.
/// `ladder` shows for five ciphers how each became fast, step by step. `files` measures sealed files in a folder.
#[derive(Debug, Parser)]
#[command(name = "abreast-bench", version, after_help = AFTER_HELP)]
struct Cli {
    /// The command.
    #[command(subcommand)]
    command: Command,
}

/// The commands; the help of each is the documentation of its arguments.
#[derive(Debug, Subcommand)]
enum Command {
    Bench(Box<bench::Args>),
    Ladder(ladder::Args),
    Files(files::Args),
}

/// Runs the program `abreast-bench` with the arguments of this process.
pub fn main() -> ExitCode {
    start::<Cli>()
}

impl Program for Cli {
    const NAME: &'static str = "abreast-bench";

    fn prepare(&self) {
        abreast_cli::opencl::find_drivers();
    }

    fn run(&self) -> Result<(), Failure> {
        match &self.command {
            Command::Bench(args) => bench::run(args),
            Command::Ladder(args) => ladder::run(args),
            Command::Files(args) => files::run(args),
        }
    }
}
