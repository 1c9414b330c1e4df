//! The command `abreast`: seals and opens files, and runs ciphers and modes as they are.
//!
//! `args` is the command line, the crate `abreast-sealed` the format, and `program` the frame around the work of a command;
//! the rest is one file for each command and one for each thing that commands share. Messages and exit codes are in
//! `failure`, and nothing else decides them.
//!
//! This library is for two programs: `abreast`, which is [`main`], and `abreast-bench`, which needs the other public items. The
//! fuzz targets have a module of their own.
//! For anyone else it promises nothing, and any version may change it: sealed files are in `abreast-sealed`, ciphers in
//! `abreast`.
#![forbid(unsafe_code)]

mod ags1;
mod args;
pub mod cache;
mod choice;
mod cleanup;
mod completions;
mod docs;
mod failure;
mod files;
mod identity;
mod inspect;
mod kernels;
mod key_args;
mod keygen;
mod leftovers;
mod names;
mod new_key;
mod open;
pub mod opencl;
mod os;
mod outputs;
mod pages;
mod plan;
mod program;
mod progress;
mod purposes;
mod range;
mod raw;
mod recognize;
mod reseal;
mod seal;
mod secrets;
mod shown;
mod source;
mod streams;
mod table;
mod target;
mod terminal;

use std::process::ExitCode;

use crate::args::{Cli, Command};

pub use crate::failure::{Exit, Failure};
pub use crate::names::one_line;
pub use crate::outputs::Outputs;
pub use crate::program::{Program, print, start};
pub use crate::range::parse_size;
pub use crate::source::Source;
pub use crate::streams::Stream;
pub use crate::target::{Replace, Target};

/// The parts of the command that fuzz targets run by themselves.
#[doc(hidden)]
pub mod fuzzing {
    pub use crate::args::*;
    pub use crate::key_args::*;
    pub use crate::progress::Style;
    pub use crate::range::{ByteRange, Offset, Share};
    pub use crate::raw::run as run_raw;
}

/// Runs the command `abreast` with the arguments of this process.
pub fn main() -> ExitCode {
    start::<Cli>()
}

impl Program for Cli {
    const NAME: &'static str = "abreast";

    fn elsewhere(command: &str) -> Option<String> {
        let other = |name| format!("{command} is called {name} here: run abreast {name} --help");
        match command {
            "bench" | "ladder" => {
                Some(format!("{command} is in another program: run abreast-bench {command}"))
            }
            "encrypt" | "enc" => Some(other("seal")),
            "decrypt" | "dec" | "unseal" => Some(other("open")),
            "check" | "test" => Some(other("verify")),
            "rekey" | "rotate" => Some(other("reseal")),
            "list" | "info" => Some(other("inspect")),
            "genkey" | "generate" => Some(other("keygen")),
            _ => None,
        }
    }

    fn prepare(&self) {
        let uses_devices = match &self.command {
            Command::Raw(args) => opencl::is_asked_by(args),
            Command::Kernels(_) => true,
            _ => false,
        };
        if uses_devices {
            opencl::find_drivers();
        }
    }

    fn run(&self) -> Result<(), Failure> {
        match &self.command {
            Command::Seal(args) => seal::run(args),
            Command::Open(args) => open::run(args),
            Command::Plan(args) => plan::run(args),
            Command::Verify(args) => open::verify(args),
            Command::Reseal(args) => reseal::run(args),
            Command::Inspect(args) => inspect::run(args),
            Command::Keygen(args) => keygen::run(args),
            Command::Kernels(args) => kernels::run(args),
            Command::Raw(args) if opencl::is_asked_by(args) => opencl::raw(args),
            Command::Raw(args) => raw::run(args),
            Command::Completions(args) => docs::completions(args),
            Command::Man(args) => docs::man(args),
            Command::Licenses => docs::licenses(),
        }
    }
}
