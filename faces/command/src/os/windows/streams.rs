//! Standard input and output.

use std::fs::File;
use std::io;
use std::os::windows::io::{AsHandle, AsRawHandle, BorrowedHandle};

/// Returns standard input, without the buffer of the standard library. One that was closed is an error.
pub(crate) fn stdin() -> io::Result<File> {
    duplicate(io::stdin().as_handle(), "is closed; for an input of no bytes, write < NUL")
}

/// Returns standard output, without the buffer of the standard library. One that was closed is an error.
pub(crate) fn stdout() -> io::Result<File> {
    duplicate(io::stdout().as_handle(), "is closed; to discard the output, write > NUL")
}

/// Returns a second handle of a file.
fn duplicate(stream: BorrowedHandle<'_>, closed: &'static str) -> io::Result<File> {
    if stream.as_raw_handle().is_null() {
        return Err(io::Error::other(closed));
    }
    Ok(File::from(stream.try_clone_to_owned()?))
}

/// Does `read`, which waits.
pub(crate) fn waiting_read(
    file: &File,
    mut read: impl FnMut(&File) -> io::Result<usize>,
) -> io::Result<usize> {
    read(file)
}

/// Does `write`, which waits.
pub(crate) fn waiting_write(
    file: &File,
    mut write: impl FnMut(&File) -> io::Result<usize>,
) -> io::Result<usize> {
    write(file)
}

/// Fails: files have no numbers here.
pub(crate) fn descriptor(_number: u32) -> io::Result<File> {
    Err(io::Error::other("Windows has no descriptors but 0, standard input: give --passphrase-file"))
}
