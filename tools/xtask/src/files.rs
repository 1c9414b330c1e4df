//! Files and folders, with their names in the errors.

use std::fs;
use std::io;
use std::path::Path;

use crate::outcome::{Outcome, Stop};

/// Reads a file of text.
pub(crate) fn read(path: impl AsRef<Path>) -> Result<String, Stop> {
    let path = path.as_ref();
    fs::read_to_string(path).map_err(|error| failed(path, &error))
}

/// Writes a file, over one that is there.
pub(crate) fn write(path: impl AsRef<Path>, contents: impl AsRef<[u8]>) -> Outcome {
    let path = path.as_ref();
    fs::write(path, contents).map_err(|error| failed(path, &error))
}

/// Makes a folder and those above it, if they are not there.
pub(crate) fn make_folder(path: impl AsRef<Path>) -> Outcome {
    let path = path.as_ref();
    fs::create_dir_all(path).map_err(|error| failed(path, &error))
}

/// Removes a folder with all that is in it, if it is there.
pub(crate) fn remove_folder(path: impl AsRef<Path>) -> Outcome {
    let path = path.as_ref();
    if path.exists() { fs::remove_dir_all(path).map_err(|error| failed(path, &error)) } else { Ok(()) }
}

/// Returns the outcome of work on a file that failed.
pub(crate) fn failed(path: &Path, error: &io::Error) -> Stop {
    Stop::Failed(format!("{}: {error}", path.display()))
}
