//! A program around its work: it starts, answers arguments that are wrong, prints and ends.

use std::fs;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::thread;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::failure::{self, Exit, Failure};
use crate::streams::Stream;
use crate::{cleanup, names, os};

/// The memory that a program needs before it knows its task, for the small pieces that the standard library takes and
/// cannot do without, by the stacks of its threads too. Larger ones fail where they are taken.
const ROOM: usize = 16 << 20;

/// A program by its command line.
pub trait Program: Parser {
    /// The name, which its messages begin with.
    const NAME: &'static str;

    /// Returns the answer to a command that the program does not have, where it is known who has it.
    fn elsewhere(_command: &str) -> Option<String> {
        None
    }

    /// Prepares the work while the process has one thread, so that nothing else can be reading the environment.
    fn prepare(&self) {}

    /// Does the work.
    ///
    /// # Errors
    ///
    /// Fails with the message and the exit code of the process.
    fn run(&self) -> Result<(), Failure>;
}

/// Runs a program with the arguments of this process, and returns its exit code.
///
/// Core dumps are forbidden, since keys could be in them, and files that are not complete are removed if a signal ends the
/// process.
pub fn start<P: Program>() -> ExitCode {
    failure::set_program(P::NAME);
    // The compiler may not take it for granted that there is memory.
    if std::hint::black_box(&mut Vec::<u8>::new()).try_reserve_exact(ROOM).is_err() {
        return end(&Failure::plain(Exit::Io, "no memory: the command needs 16 MiB to begin with"));
    }
    let program = match P::try_parse() {
        Ok(program) => program,
        Err(error) => return refuse(&error, P::elsewhere),
    };
    program.prepare();
    os::forbid_core_dumps();
    let listening = cleanup::install()
        .map_err(|error| Failure::plain(Exit::Io, format_args!("cannot listen for signals: {error}")));
    match listening.and_then(|()| program.run()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => end(&failure),
    }
}

/// Prints a failure, and returns its exit code.
fn end(failure: &Failure) -> ExitCode {
    failure.print();
    failure.exit()
}

/// Answers a command line that cannot be parsed, or that asks for help.
fn refuse(error: &clap::Error, elsewhere: fn(&str) -> Option<String>) -> ExitCode {
    let asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if asked || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return match error.print().and_then(|()| io::stdout().flush()) {
            Ok(()) if asked => ExitCode::SUCCESS,
            Ok(()) => ExitCode::from(Exit::Usage as u8),
            Err(error) => end(&Failure::unheard(&error)),
        };
    }
    if let Some(ContextValue::String(command)) = error.get(ContextKind::InvalidSubcommand)
        && let Some(answer) = elsewhere(command)
    {
        return end(&Failure::usage(answer));
    }
    if let (Some(ContextValue::String(arg)), Some(ContextValue::String(given))) =
        (error.get(ContextKind::InvalidArg), error.get(ContextKind::InvalidValue))
        && given.is_empty()
    {
        return end(&Failure::usage(format_args!("{arg} has no value, or an empty one (--help tells more)")));
    }
    // The first paragraph is the error; the others repeat the usage.
    let text = error.render().to_string();
    let first = text.split("\n\n").next().unwrap_or_default();
    let cause = names::one_line(first.strip_prefix("error: ").unwrap_or(first));
    let similar = [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    let similar = similar.into_iter().find_map(|kind| match error.get(kind)? {
        ContextValue::String(one) => Some(one.clone()),
        ContextValue::Strings(several) => Some(several.join(", ")),
        _ => None,
    });
    let mut similar = similar.map_or(String::new(), |similar| format!("did you mean {similar}? "));
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(file) = file_like_an_option()
    {
        similar += &format!("the file of that name is ./{file}; ");
    }
    end(&Failure::usage(format_args!("{cause} ({similar}--help tells more)")))
}

/// Returns the argument that begins with a dash and is the name of a file.
fn file_like_an_option() -> Option<String> {
    let mut arguments =
        std::env::args_os().skip(1).filter(|argument| argument.as_encoded_bytes().starts_with(b"-"));
    let file = arguments.find(|argument| argument.len() > 1 && fs::symlink_metadata(argument).is_ok())?;
    Some(names::escape(&file))
}

/// Works on each of the files a command was given. With several, the others are done when one fails.
pub(crate) fn each_file(
    files: &[PathBuf],
    mut work: impl FnMut(&PathBuf) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if let [file] = files {
        return work(file);
    }
    let mut failed = Vec::new();
    for file in files {
        let Err(failure) = work(file) else { continue };
        if failure.ends_call() {
            return Err(failure);
        }
        failure.print();
        failed.push(Failure::name(file));
    }
    several_failed(&failed, files.len())
}

/// Returns the failure of a call in which these of several files failed, if any did.
pub(crate) fn several_failed(failed: &[String], files: usize) -> Result<(), Failure> {
    if failed.is_empty() {
        return Ok(());
    }
    let message = format_args!("{} of {files} files failed: {}", failed.len(), failed.join(", "));
    Err(Failure::plain(Exit::Several, message))
}

/// Returns the requested number of threads, or the number of cores, which takes twenty system calls to find out and is kept.
pub(crate) fn jobs(asked: Option<NonZeroUsize>) -> NonZeroUsize {
    static CORES: OnceLock<NonZeroUsize> = OnceLock::new();
    let cores = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    asked.unwrap_or_else(|| *CORES.get_or_init(cores))
}

/// Prints a text on standard output, which must take all of it. The failure ends the call: no more is printed. A standard output
/// that was closed takes everything and keeps nothing; other commands refuse it.
///
/// # Errors
///
/// Fails if standard output does not take all of the text.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let printed = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    printed.map_err(|error| Failure::unheard(&error))
}

/// Prints a text that a call is for: a standard output that was closed is an error.
pub(crate) fn deliver(text: &str) -> Result<(), Failure> {
    is_heard()?;
    print(text)
}

/// Checks that standard output was open when the process was started.
pub(crate) fn is_heard() -> Result<(), Failure> {
    Stream::stdout().map(drop).map_err(|error| Failure::unheard(&error))
}
