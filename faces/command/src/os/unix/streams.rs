//! Standard input and output, and descriptors that the process was started with.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;

use filedescriptor::FileDescriptor;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_getfl};

/// Returns standard input, without the buffer of the standard library. One that was closed is an error.
pub(crate) fn stdin() -> io::Result<File> {
    let file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    if stands_for_closed(&file)? {
        return Err(io::Error::other("is closed; for an input of no bytes, write < /dev/null"));
    }
    Ok(file)
}

/// Returns standard output, without the buffer of the standard library. One that was closed is an error.
pub(crate) fn stdout() -> io::Result<File> {
    let file = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    if stands_for_closed(&file)? {
        return Err(io::Error::other(
            "is closed, or /dev/null opened for reading, too; to discard the output, write > /dev/null",
        ));
    }
    Ok(file)
}

/// Does `read` until it does not ask to come again.
pub(crate) fn waiting_read(file: &File, read: impl FnMut(&File) -> io::Result<usize>) -> io::Result<usize> {
    wait(file, PollFlags::IN, read)
}

/// Does `write` until it does not ask to come again.
pub(crate) fn waiting_write(file: &File, write: impl FnMut(&File) -> io::Result<usize>) -> io::Result<usize> {
    wait(file, PollFlags::OUT, write)
}

/// Does `work` until it does not ask to come again.
pub(super) fn wait<T>(
    file: &File,
    flags: PollFlags,
    mut work: impl FnMut(&File) -> io::Result<T>,
) -> io::Result<T> {
    loop {
        match work(file) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                match poll(&mut [PollFd::new(file, flags)], None) {
                    Ok(_) | Err(rustix::io::Errno::INTR) => {}
                    Err(errno) => return Err(errno.into()),
                }
            }
            done => return done,
        }
    }
}

/// Returns true if a standard stream was closed when the command was started.
///
/// The standard library opens `/dev/null` for reading and writing in place of a closed one, before anything here runs.
/// So one like that is taken for closed; a shell opens it one way only, by `< /dev/null` and `> /dev/null`.
fn stands_for_closed(file: &File) -> io::Result<bool> {
    let null = fs::metadata("/dev/null").map_or(0, |null| null.rdev());
    Ok(null != 0
        && file.metadata()?.rdev() == null
        && fcntl_getfl(file)?.intersection(OFlags::RWMODE) == OFlags::RDWR)
}

/// Returns a descriptor that this process was started with, by its number: that descriptor itself, at the position
/// it has, and not a new opening of its file.
pub(crate) fn descriptor(number: u32) -> io::Result<File> {
    // Descriptors that the command opened itself are closed in other programs, and nobody can mean them. To
    // read from one, say the one that signals arrive on, could wait forever.
    let info = fs::read_to_string(format!("/proc/self/fdinfo/{number}")).unwrap_or_default();
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok()).unwrap_or(0);
    let missing = || io::Error::other("the command was started without this descriptor");
    if flags & OFlags::CLOEXEC.bits() != 0 {
        return Err(missing());
    }
    if flags & OFlags::RWMODE.bits() == OFlags::WRONLY.bits() {
        return Err(io::Error::other(
            "is open for writing alone: give a descriptor that is open for reading, as in \
             --passphrase-fd 3 3< FILE",
        ));
    }
    let number = i32::try_from(number).map_err(|_| missing())?;
    let duplicate = FileDescriptor::dup(&number).map_err(|_| missing())?;
    let file = duplicate.as_file().map_err(io::Error::other)?;
    if stands_for_closed(&file)? { Err(missing()) } else { Ok(file) }
}
