//! The reasons why a measurement has nothing to report.

use std::fmt;
use std::io;

use abreast::Kernel;
use abreast_cli::{Exit, Failure};

use super::work::What;

/// The reason why there is nothing to report.
#[derive(Debug)]
pub(super) enum Error {
    /// The cipher has no such kernel on this CPU.
    Kernel { asked: String, cipher: &'static str, available: Vec<&'static str> },
    /// The mode takes other messages.
    Size { what: What, size: usize, takes: String },
    /// Latency was asked for, and a call works on many messages.
    Latency { what: What },
    /// Nothing that is to be measured has batches of a chosen number.
    Batch,
    /// Nothing that is to be measured is done on several threads.
    NoThreads,
    /// The threads cannot be started.
    Threads { threads: usize, cause: String },
    /// A call failed.
    Call { what: What, kernel: Kernel, error: abreast::Error },
    /// Two kernels differ.
    Output { what: What, size: usize, kernel: Kernel, other: Kernel },
    /// A batch differs from the same messages one by one.
    Alone { what: What, size: usize, kernel: Kernel },
    /// The table cannot be written.
    Write(io::Error),
}

impl Error {
    /// Returns true if the arguments are to blame.
    pub(super) const fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::Kernel { .. } | Self::Size { .. } | Self::Latency { .. } | Self::Batch | Self::NoThreads
        )
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kernel { asked, cipher, available } => write!(
                f,
                "{cipher} has no kernel '{}' on this CPU, only {}",
                asked.escape_debug(),
                available.join(", ")
            ),
            Self::Size { what, size, takes } => {
                write!(f, "{what} takes {takes}, which {size} bytes are not")
            }
            Self::Latency { what } => {
                write!(f, "--latency: {what} works on many messages at once, and has no latency of one")
            }
            Self::Batch => f.write_str("--batch: of what is to be measured, nothing is packets"),
            Self::NoThreads => {
                f.write_str("--threads: of what is to be measured, nothing is done on several threads")
            }
            Self::Threads { threads, cause } => write!(f, "{threads} threads cannot be started: {cause}"),
            Self::Call { what, kernel, error } => write!(f, "{what} failed at kernel {kernel}: {error}"),
            Self::Output { what, size, kernel, other } => {
                write!(f, "{what} of {size} bytes is wrong: kernels {kernel} and {other} differ")
            }
            Self::Alone { what, size, kernel } => write!(
                f,
                "{what} of {size} bytes is wrong: at kernel {kernel}, a batch differs from its messages one by one"
            ),
            Self::Write(error) => write!(f, "standard output: {error}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::plain(if error.is_usage() { Exit::Usage } else { Exit::Io }, error)
    }
}
