//! The errors of outputs.

use std::{fmt, io};

/// The reason why an output cannot be created, or not be given its place. Nothing is left of it then, except after
/// [`NotOnDisk`](OutputError::NotOnDisk).
#[derive(Debug)]
#[non_exhaustive]
pub enum OutputError {
    /// There is something under the name already, and it was not to be replaced.
    Exists,
    /// The path ends in a slash or in dots, and names no file.
    NoName,
    /// The path is that of a pipe or a device, or Windows takes it for something else than a file of that name, for this reason.
    NotAFile(&'static str),
    /// The folder was renamed, removed or exchanged while the file was written.
    FolderMoved,
    /// The file was exchanged for another one under its name while it was written.
    Exchanged,
    /// The file system cannot replace a file in one step.
    CannotReplace,
    /// The system failed.
    System(io::Error),
    /// The file replaced another one and is complete, but the system failed to put its name on the disk.
    NotOnDisk(io::Error),
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OutputError::Exists => f.write_str("exists already"),
            OutputError::NoName => f.write_str("names no file: it ends in a slash, or in the name . or .."),
            OutputError::NotAFile(why) => f.write_str(why),
            OutputError::FolderMoved => {
                f.write_str("its folder was renamed or replaced during the work: nothing was kept, run it again")
            }
            OutputError::Exchanged => f.write_str("was replaced by another file during the work: run it again"),
            OutputError::CannotReplace => f.write_str(
                "exists, and its file system cannot replace a file in one step: remove it, or give another name",
            ),
            OutputError::System(error) => error.fmt(f),
            OutputError::NotOnDisk(error) => {
                write!(f, "replaced, but perhaps not on the disk for good: {error}")
            }
        }
    }
}

impl std::error::Error for OutputError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            OutputError::System(error) | OutputError::NotOnDisk(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for OutputError {
    fn from(error: io::Error) -> OutputError {
        match error.kind() {
            io::ErrorKind::AlreadyExists => OutputError::Exists,
            _ => OutputError::System(error),
        }
    }
}
