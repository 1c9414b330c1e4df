//! Failures: the message, in one line, and the exit code.

use std::fmt::Display;
use std::fs::{self, Metadata};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;

use crate::identity::folder_of;
use crate::names;
use crate::os;
use crate::shown::aside;
use abreast::Counted;
use abreast_sealed::{self as sealed, KeyFileError};

/// The name of the program that is running.
static PROGRAM: OnceLock<&str> = OnceLock::new();

/// Sets the name of the program, which all messages begin with.
pub(crate) fn set_program(name: &'static str) {
    // There is one program in a process, so that the first name is the only one.
    let _ = PROGRAM.set(name);
}

/// Returns the name of the program that is running.
pub(crate) fn program() -> &'static str {
    PROGRAM.get().copied().unwrap_or("abreast")
}

/// The exit codes, which scripts rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Something cannot be read or written.
    Io = 1,
    /// The arguments make no sense, the key file is malformed, or the mode does not take a message of this length.
    Usage = 2,
    /// The input is not authentic: a wrong key, a changed or a cut file.
    Authentication = 3,
    /// The output exists already, or is another file of the same call.
    Exists = 4,
    /// Some of several files failed.
    Several = 5,
}

/// A failure: a message and an exit code.
#[derive(Debug)]
pub struct Failure {
    /// The code to end with.
    exit: Exit,
    /// The whole message but the name of the command.
    message: String,
    /// True if no other file of the call is tried.
    ends_call: bool,
    /// True if nothing is printed, and the exit code tells all.
    silent: bool,
}

impl Failure {
    /// Returns the failure that a file is to blame for; `-` is standard input.
    pub fn new(exit: Exit, path: &Path, cause: impl Display) -> Failure {
        let message = format!("{}: {}", Failure::name(path), without_code(&cause.to_string()));
        Failure { exit, message, ends_call: false, silent: false }
    }

    /// Returns the name of a file in messages; `-` is standard input.
    pub(crate) fn name(path: &Path) -> String {
        if path == Path::new("-") { "standard input".into() } else { names::escape(path.as_os_str()) }
    }

    /// Returns the failure of the system with an input.
    pub fn io(path: &Path, error: &io::Error) -> Failure {
        Failure::new(Exit::Io, path, os::in_words(error))
    }

    /// Returns the failure of the system with an output; `-` is standard output. A reader of a pipe that has gone, such as `head`,
    /// has read enough: nobody is told, and no other file is tried.
    pub fn output(path: &Path, error: &io::Error) -> Failure {
        let gone = path == Path::new("-") && error.kind() == io::ErrorKind::BrokenPipe;
        let folder = folder_of(path);
        let fault = match error.kind() {
            _ if path == Path::new("-") => None,
            io::ErrorKind::NotFound if !folder.exists() => Some(("the folder", "is missing")),
            io::ErrorKind::NotADirectory if !folder.is_dir() => Some(("its folder", "is a file")),
            _ => None,
        };
        if let Some(fault) = fault {
            let folder = names::escape(folder.as_os_str());
            return Failure::new(Exit::Io, path, format_args!("{} {folder} {}", fault.0, fault.1));
        }
        if os::is_too_long(error) && path != Path::new("-") {
            return Failure::new(
                Exit::Io,
                output_name(path),
                "the name is too long: give a shorter one with -o",
            );
        }
        let failure = Failure::new(Exit::Io, output_name(path), os::in_words(error));
        Failure { ends_call: gone, silent: gone, ..failure }
    }

    /// Returns the failure of a text on standard output, after which nothing more is printed there.
    pub(crate) fn unheard(error: &io::Error) -> Failure {
        Failure { ends_call: true, ..Failure::output("-".as_ref(), error) }
    }

    /// Returns a failure that no file is to blame for.
    pub fn plain(exit: Exit, message: impl Display) -> Failure {
        Failure { exit, message: without_code(&message.to_string()).into(), ends_call: false, silent: false }
    }

    /// Returns the failure of arguments that make no sense.
    pub fn usage(message: impl Display) -> Failure {
        Failure::plain(Exit::Usage, message)
    }

    /// Returns the failure of a key that cannot be used. `option` is the one that names its cipher.
    pub(crate) fn key_file(path: &Path, option: &str, error: &KeyFileError) -> Failure {
        match error {
            KeyFileError::Read(_) => Failure::new(Exit::Io, path, error),
            // The library does not know the name of the option.
            KeyFileError::WhichAead => {
                let cause = format_args!("a raw key does not say its cipher: give {option}");
                Failure::new(Exit::Usage, path, cause)
            }
            KeyFileError::OtherAead(aead) => {
                let name = aead.short_name();
                let cause = format_args!("the key is for {name}, and {option} says otherwise");
                Failure::new(Exit::Usage, path, cause)
            }
            KeyFileError::NotAKey => {
                let remedy = "a passphrase is given by --passphrase-file, and abreast keygen makes a key";
                Failure::new(Exit::Usage, path, format_args!("{error}; {remedy}"))
            }
            _ => Failure::new(Exit::Usage, path, error),
        }
    }

    /// Returns the failure of a file that is left out, although a name for its output was given.
    pub(crate) fn left_out(input: &Path, output: &Path, reason: &str) -> Failure {
        let output = names::escape(output_name(output).as_os_str());
        Failure::new(Exit::Usage, input, format_args!("left out: {reason}; {output} was not written"))
    }

    /// A file that begins as no sealed file does.
    pub(crate) fn not_sealed(path: &Path, begins: &str) -> Failure {
        let cause = format_args!("is not a sealed file, or was changed at its beginning: it begins {begins}");
        Failure::new(Exit::Authentication, path, cause)
    }

    /// Sealing or opening failed between these two files.
    pub(crate) fn sealed(input: &Path, output: &Path, error: &sealed::Error) -> Failure {
        use sealed::Error;
        let exit = match error {
            Error::Write(error) => return Failure::output(output, error),
            Error::Read(error) => return Failure::io(input, error),
            Error::Random(_)
            | Error::NotRandom
            | Error::NoMemory(_)
            | Error::OutOfMemory
            | Error::InputChanged
            | Error::MessageTooLong => Exit::Io,
            Error::InputSize { .. } => {
                let cause = format_args!("{error}: if that is usual, read it through a pipe");
                return Failure::new(Exit::Io, input, cause);
            }
            Error::RangeBeyondEnd(_) | Error::RangeReversed => Exit::Usage,
            Error::WrongKey
            | Error::Chunk(_)
            | Error::LastChunk(_)
            | Error::Block(_)
            | Error::NotAgs1
            | Error::SealedLength { .. }
            | Error::Truncated
            | Error::PassphraseLine(_)
            | Error::Unknown(_) => Exit::Authentication,
            // Errors of operations that the command never uses.
            _ => Exit::Io,
        };
        let length =
            if matches!(error, Error::LastChunk(_) | Error::Truncated) { length_of(input) } else { None };
        match length {
            Some(length) => {
                Failure::new(exit, input, format_args!("{error} (it has {})", Counted(length, "bytes")))
            }
            None => Failure::new(exit, input, error),
        }
    }

    /// A cipher or mode refused to work on a file.
    pub(crate) fn cipher(input: &Path, error: abreast::Error) -> Failure {
        use abreast::Error;
        let exit = match error {
            // Padding proves nothing; but where it is wrong, the key is another one or the message was changed.
            Error::TagMismatch | Error::Padding => Exit::Authentication,
            // Arguments or a message that the mode rejects.
            _ => Exit::Usage,
        };
        match error {
            // The length of whole units was checked before the file was opened.
            Error::UnitLength => {
                Failure::new(exit, input, "its last data unit would have less than 16 bytes")
            }
            error => Failure::new(exit, input, error),
        }
    }

    /// Returns the message, without the name of the command.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Returns the number of the exit code.
    pub(crate) fn code(&self) -> u8 {
        self.exit as u8
    }

    /// Returns the failure as one after which no other file of the call is tried.
    pub(crate) fn ending_the_call(self) -> Failure {
        Failure { ends_call: true, ..self }
    }

    /// Returns true if no other file of the call is to be tried.
    pub(crate) fn ends_call(&self) -> bool {
        self.ends_call
    }

    /// The code to end with.
    pub(crate) fn exit(&self) -> ExitCode {
        ExitCode::from(self.exit as u8)
    }

    /// Says it on standard error, if anyone still listens there.
    pub(crate) fn print(&self) {
        if self.silent {
            return;
        }
        aside(|| {
            let _ = writeln!(io::stderr(), "{}: {}", program(), self.message);
        });
    }

    /// Prints it as a warning on standard error, and the call goes on.
    pub(crate) fn warn(&self) {
        aside(|| {
            let _ = writeln!(io::stderr(), "{}: warning: {}", program(), self.message);
        });
    }
}

/// Returns the length of a regular file.
fn length_of(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().filter(Metadata::is_file).map(|metadata| metadata.len())
}

/// The name of an output as messages have it.
pub(crate) fn output_name(path: &Path) -> &Path {
    if path == Path::new("-") { Path::new("standard output") } else { path }
}

/// The message of a system error without its number, which tells people nothing.
pub(crate) fn without_code(message: &str) -> &str {
    message.split_once(" (os error ").map_or(message, |(message, _)| message)
}
