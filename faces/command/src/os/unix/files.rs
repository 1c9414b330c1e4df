//! Files, folders and links.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{
    DirBuilderExt, FileExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown,
};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, OFlags, Timespec, Timestamps, utimensat};
use rustix::io::Errno;

use crate::os::{Facts, State};

pub(crate) use std::fs::{Metadata, metadata, symlink_metadata};

/// The bits of a mode that are kept. Others give rights, and sealed files do not authenticate their modes.
const MODE: u32 = 0o777;

impl Facts for Metadata {
    fn file_id(&self) -> (u64, u64) {
        (self.dev(), self.ino())
    }

    fn volume(&self) -> u64 {
        self.dev()
    }

    fn block_device(&self) -> Option<u64> {
        self.file_type().is_block_device().then(|| self.rdev())
    }

    fn is_pipe(&self) -> bool {
        self.file_type().is_fifo()
    }

    fn is_connection(&self) -> bool {
        self.file_type().is_socket()
    }

    fn is_stream_device(&self) -> bool {
        self.file_type().is_char_device()
    }

    fn names(&self) -> u64 {
        self.nlink()
    }

    fn state(&self) -> State {
        State {
            length: self.len(),
            modified: self.modification(),
            // The time of modification can be set back.
            changed: (self.ctime(), self.ctime_nsec()),
        }
    }

    fn modification(&self) -> (i64, i64) {
        (self.mtime(), self.mtime_nsec())
    }
}

/// Returns the metadata of an open file.
pub(crate) fn metadata_of(file: &File) -> io::Result<Metadata> {
    file.metadata()
}

/// Reads at an offset, perhaps fewer bytes than the buffer holds.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.read_at(buffer, offset)
}

/// Fills the buffer from an offset on.
pub(crate) fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    file.read_exact_at(buffer, offset)
}

/// Opens a file for reading, without waiting for the other end of a pipe.
pub(crate) fn open_without_waiting(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(path)
}

/// Puts the bytes of a file on the disk.
pub(crate) fn sync_file(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Opens a folder, to set its times.
pub(crate) fn open_folder(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Returns the rights that others than the owner have to a file with a secret, in words, with the mode and a remedy; `None` if
/// they have none.
pub(crate) fn others_rights(file: &Metadata) -> Option<String> {
    // The permissions of a pipe say nothing about the bytes in it.
    let mode = if file.is_file() { file.mode() & 0o7777 } else { 0 };
    let rights = match (mode & 0o044 != 0, mode & 0o022 != 0) {
        (false, false) => return None,
        (true, false) => "read",
        (false, true) => "change",
        (true, true) => "read and change",
    };
    Some(format!("others than its owner can {rights} it (mode {mode:04o}); chmod go= makes it private"))
}

/// Checks that the rights of others can be looked at, which they can.
pub(crate) fn can_check_rights() -> Result<(), &'static str> {
    Ok(())
}

/// Makes a folder, and those above it, for its owner alone.
pub(crate) fn create_private_folders(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Makes a folder: for its owner alone, or with the rights that new files have.
pub(crate) fn create_folder(folder: &Path, private: bool) -> io::Result<()> {
    DirBuilder::new().mode(if private { 0o700 } else { 0o777 }).create(folder)
}

/// Lets the owner of a folder write to it.
pub(crate) fn make_writable(folder: &Path, there: &Metadata) -> io::Result<()> {
    if there.mode() & 0o700 == 0o700 {
        return Ok(());
    }
    fs::set_permissions(folder, Permissions::from_mode(there.mode() & 0o7777 | 0o700))
}

/// Gives a file or a folder the permissions of another one.
pub(crate) fn copy_permissions(file: &File, from: &Metadata) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(from.mode() & MODE))
}

/// Gives a file the owner and the group of another one, where the system allows that.
pub(crate) fn copy_owner(file: &File, from: &Metadata) {
    let _ = fchown(file, Some(from.uid()), Some(from.gid()));
}

/// Lets everybody read a file.
pub(crate) fn show_to_all(file: &File) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(0o644))
}

/// Makes a symbolic link of the kind of another one.
pub(crate) fn symlink(target: &Path, link: &Path, _like: &Metadata) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

/// Gives a symbolic link the times of another one.
pub(crate) fn copy_link_times(link: &Path, from: &Metadata) -> io::Result<()> {
    let time = |seconds, nanoseconds| Timespec { tv_sec: seconds, tv_nsec: nanoseconds };
    let times = Timestamps {
        last_access: time(from.atime(), from.atime_nsec()),
        last_modification: time(from.mtime(), from.mtime_nsec()),
    };
    Ok(utimensat(CWD, link, &times, AtFlags::SYMLINK_NOFOLLOW)?)
}

/// Returns true for the folder of devices and folders of processes, where nothing is created or renamed.
pub(crate) fn is_device_folder(folder: &Path) -> bool {
    fs::canonicalize(folder).is_ok_and(|folder| folder == Path::new("/dev") || folder.starts_with("/proc"))
}

/// Returns a name in the form in which equal names are those of one file.
pub(crate) fn folded(name: OsString) -> OsString {
    name
}

/// True if a name is longer than the file system takes.
pub(crate) fn is_too_long(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::NAMETOOLONG.raw_os_error())
}

/// Returns an error of the system in words.
pub(crate) fn in_words(error: &io::Error) -> &dyn Display {
    error
}
