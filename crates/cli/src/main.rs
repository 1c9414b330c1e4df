//! The command `abreast`: seals and opens files, and runs ciphers and modes as they are.
//!
//! `args` is the command line, the crate `abreast-sealed` the format; the rest is one file for each command and one
//! for each thing that commands share. Messages and exit codes are in `failure`, and nothing else
//! decides them.
#![forbid(unsafe_code)]

mod args;
mod bench;
mod cache;
mod cleanup;
mod docs;
mod failure;
mod identity;
mod inspect;
mod kernels;
mod keygen;
mod ladder;
mod leftovers;
mod names;
mod open;
#[cfg(feature = "gpu")]
mod opencl;
#[cfg(not(feature = "gpu"))]
#[path = "without_opencl.rs"]
mod opencl;
mod outputs;
mod plan;
mod progress;
mod purposes;
mod range;
mod raw;
mod recognize;
mod reports;
mod seal;
mod secrets;
mod source;
mod streams;
mod system;
mod target;
mod terminal;

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::args::{Cli, Command};
use crate::failure::{Exit, Failure};

/// The memory that the command needs before it knows what to do, for the small pieces that the standard library takes and
/// cannot do without, by the stacks of its threads too. Larger ones fail where they are taken.
const ROOM: usize = 16 << 20;

fn main() -> ExitCode {
    // The compiler may not take it for granted that there is memory.
    if std::hint::black_box(&mut Vec::<u8>::new()).try_reserve_exact(ROOM).is_err() {
        let failure = Failure::plain(Exit::Io, "no memory: the command needs 16 MiB to begin with");
        failure.print();
        return failure.exit();
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    match run(&cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print();
            failure.exit()
        }
    }
}

/// Runs a command.
fn run(command: &Command) -> Result<(), Failure> {
    // Before there is a second thread, which could be reading the environment.
    opencl::find_drivers(command);
    system::forbid_core_dumps();
    cleanup::install()
        .map_err(|error| Failure::plain(Exit::Io, format_args!("cannot listen for signals: {error}")))?;
    match command {
        Command::Seal(args) => seal::run(args),
        Command::Open(args) => open::run(args),
        Command::Plan(args) => plan::run(args),
        Command::Verify(args) => open::verify(args),
        Command::Inspect(args) => inspect::run(args),
        Command::Keygen(args) => keygen::run(args),
        Command::Kernels(args) => kernels::run(args),
        Command::Raw(args) if opencl::is_asked_by(args) => opencl::raw(args),
        Command::Raw(args) => raw::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Ladder(args) => ladder::run(args),
        Command::Completions(args) => docs::completions(args),
        Command::Man(args) => docs::man(args),
        Command::Licenses => docs::licenses(),
    }
}

/// Answers a command line that cannot be parsed, or that asks for help.
fn refuse(error: &clap::Error) -> ExitCode {
    let asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if asked || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return match error.print().and_then(|()| io::stdout().flush()) {
            Ok(()) if asked => ExitCode::SUCCESS,
            Ok(()) => ExitCode::from(Exit::Usage as u8),
            Err(error) => {
                let failure = Failure::output("-".as_ref(), &error);
                failure.print();
                failure.exit()
            }
        };
    }
    // The first paragraph says what is wrong; the others repeat the usage.
    let text = error.render().to_string();
    let first = text.split("\n\n").next().unwrap_or_default();
    let cause = names::one_line(first.strip_prefix("error: ").unwrap_or(first));
    let similar = [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    let similar = similar.into_iter().find_map(|kind| match error.get(kind)? {
        ContextValue::String(one) => Some(one.clone()),
        ContextValue::Strings(several) => Some(several.join(", ")),
        _ => None,
    });
    let similar = similar.map_or(String::new(), |similar| format!("did you mean {similar}? "));
    let failure = Failure::usage(format_args!("{cause} ({similar}--help tells more)"));
    failure.print();
    failure.exit()
}

/// Works on each of the files a command was given. With several, the others are done when one fails.
fn each_file(
    files: &[PathBuf],
    mut work: impl FnMut(&PathBuf) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if let [file] = files {
        return work(file);
    }
    let failures = files.iter().filter_map(|file| work(file).err()).map(|failure| failure.print()).count();
    match failures {
        0 => Ok(()),
        _ => Err(Failure::plain(Exit::Several, format_args!("{failures} of {} files failed", files.len()))),
    }
}

/// As many threads as were asked for, or as there are cores.
fn jobs(asked: Option<NonZeroUsize>) -> NonZeroUsize {
    asked.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
}

/// Prints on standard output, which has to take all of it. One that was closed takes everything and keeps nothing: it
/// cannot be told from `/dev/null` opened for both directions, which is how programs ask whether the command is there.
fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let printed = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    printed.map_err(|error| Failure::output("-".as_ref(), &error))
}
