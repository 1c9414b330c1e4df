//! Files, folders and links.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs::{self, File, FileTimes, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::os::windows::fs::{FileExt, FileTypeExt, OpenOptionsExt, symlink_dir, symlink_file};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use winapi_util::file::{Information, information, typ};

use crate::os::{Facts, State};

/// Opens folders too, `FILE_FLAG_BACKUP_SEMANTICS`.
const FOLDERS_TOO: u32 = 0x0200_0000;

/// Opens a link, and not the file that it leads to, `FILE_FLAG_OPEN_REPARSE_POINT`.
const LINKS: u32 = 0x0020_0000;

/// The right to change times, `FILE_WRITE_ATTRIBUTES`.
const WRITE_ATTRIBUTES: u32 = 0x0100;

/// Metadata of a file.
#[derive(Clone, Debug)]
pub(crate) struct Metadata {
    /// The metadata of something on a disk; `None` for pipes and devices.
    on_disk: Option<fs::Metadata>,
    /// The numbers of the file system and of the file.
    id: (u64, u64),
    /// The number of names.
    names: u64,
    /// True for a pipe.
    is_pipe: bool,
}

impl Metadata {
    /// Returns true for a regular file.
    pub(crate) fn is_file(&self) -> bool {
        self.on_disk.as_ref().is_some_and(fs::Metadata::is_file)
    }

    /// Returns true for a folder.
    pub(crate) fn is_dir(&self) -> bool {
        self.on_disk.as_ref().is_some_and(fs::Metadata::is_dir)
    }

    /// Returns true for a symbolic link or a junction.
    pub(crate) fn is_symlink(&self) -> bool {
        self.on_disk.as_ref().is_some_and(fs::Metadata::is_symlink)
    }

    /// Returns the length in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.on_disk.as_ref().map_or(0, fs::Metadata::len)
    }

    /// Returns the time of the last access.
    pub(crate) fn accessed(&self) -> io::Result<SystemTime> {
        self.on_disk.as_ref().ok_or(io::ErrorKind::Unsupported)?.accessed()
    }

    /// Returns the time of modification.
    pub(crate) fn modified(&self) -> io::Result<SystemTime> {
        self.on_disk.as_ref().ok_or(io::ErrorKind::Unsupported)?.modified()
    }
}

impl Facts for Metadata {
    fn file_id(&self) -> (u64, u64) {
        self.id
    }

    fn volume(&self) -> u64 {
        self.id.0
    }

    fn block_device(&self) -> Option<u64> {
        None
    }

    fn is_pipe(&self) -> bool {
        self.is_pipe
    }

    fn is_connection(&self) -> bool {
        false
    }

    fn is_stream_device(&self) -> bool {
        self.on_disk.is_none() && !self.is_pipe
    }

    fn names(&self) -> u64 {
        self.names
    }

    fn state(&self) -> State {
        // The time of the last change of any kind has no safe interface.
        State { length: self.len(), modified: self.modification(), changed: (0, 0) }
    }

    fn modification(&self) -> (i64, i64) {
        match self.modified().unwrap_or(UNIX_EPOCH).duration_since(UNIX_EPOCH) {
            Ok(since) => (since.as_secs().cast_signed(), since.subsec_nanos().into()),
            // Nanoseconds count up from the last full second, as on Unix.
            Err(before) => {
                let (seconds, nanoseconds) = (before.duration().as_secs(), before.duration().subsec_nanos());
                let full = seconds.cast_signed() + i64::from(nanoseconds > 0);
                (-full, i64::from((1_000_000_000 - nanoseconds) % 1_000_000_000))
            }
        }
    }
}

/// Returns numbers that no file has, for one that the system gives none.
fn unknown_id() -> (u64, u64) {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    (u64::MAX, NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Returns the numbers of a file. A file system without them gives 0 for all files, which are then never taken for one.
fn id_of(file: &Information) -> (u64, u64) {
    match file.file_index() {
        0 => unknown_id(),
        index => (file.volume_serial_number(), index),
    }
}

/// Returns the metadata of an open file.
pub(crate) fn metadata_of(file: &File) -> io::Result<Metadata> {
    let kind = typ(file)?;
    if !kind.is_disk() {
        return Ok(Metadata { on_disk: None, id: unknown_id(), names: 1, is_pipe: kind.is_pipe() });
    }
    let facts = information(file)?;
    let (id, names) = (id_of(&facts), facts.number_of_links());
    Ok(Metadata { on_disk: Some(file.metadata()?), id, names, is_pipe: false })
}

/// Returns the metadata of the file that a name leads to.
pub(crate) fn metadata(path: &Path) -> io::Result<Metadata> {
    metadata_of(&OpenOptions::new().access_mode(0).custom_flags(FOLDERS_TOO).open(path)?)
}

/// Returns the metadata of the file of a name, which may be a link.
pub(crate) fn symlink_metadata(path: &Path) -> io::Result<Metadata> {
    metadata_of(&OpenOptions::new().access_mode(0).custom_flags(FOLDERS_TOO | LINKS).open(path)?)
}

/// Reads at an offset, perhaps fewer bytes than the buffer holds. The file stays at its place, unless several threads read it.
pub(crate) fn read_at(mut file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let place = file.stream_position()?;
    let read = file.seek_read(buffer, offset);
    file.seek(SeekFrom::Start(place))?;
    read
}

/// Fills the buffer from an offset on.
pub(crate) fn read_exact_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match read_at(file, buffer, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => (buffer, offset) = (&mut buffer[read..], offset + read as u64),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Opens a file for reading.
pub(crate) fn open_without_waiting(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Puts the bytes of a file on the disk, which Windows does for one that is open for writing.
pub(crate) fn sync_file(path: &Path) -> io::Result<()> {
    OpenOptions::new().write(true).open(path)?.sync_all()
}

/// Opens a folder, to set its times.
pub(crate) fn open_folder(path: &Path) -> io::Result<File> {
    OpenOptions::new().access_mode(WRITE_ATTRIBUTES).custom_flags(FOLDERS_TOO).open(path)
}

/// Returns nothing: access lists have no safe interface.
pub(crate) fn others_rights(_file: &Metadata) -> Option<String> {
    None
}

/// Fails: access lists have no safe interface.
pub(crate) fn can_check_rights() -> Result<(), &'static str> {
    Err(
        "--strict looks at modes, which Windows has not: leave it out, and look at the access list with icacls",
    )
}

/// Makes a folder, and those above it, with the access list of the folder that they are in.
pub(crate) fn create_private_folders(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// Makes a folder, with the access list of the folder that it is in.
pub(crate) fn create_folder(folder: &Path, _private: bool) -> io::Result<()> {
    fs::create_dir(folder)
}

/// Does nothing: a folder that is marked as read-only can be written to.
#[expect(clippy::unnecessary_wraps, reason = "elsewhere a system call can fail")]
pub(crate) fn make_writable(_folder: &Path, _there: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Does nothing: there are no modes.
#[expect(clippy::unnecessary_wraps, reason = "elsewhere a system call can fail")]
pub(crate) fn copy_permissions(_file: &File, _from: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Does nothing: the owner is whoever runs the command.
pub(crate) fn copy_owner(_file: &File, _from: &Metadata) {}

/// Does nothing: the access list is that of the folder.
#[expect(clippy::unnecessary_wraps, reason = "elsewhere a system call can fail")]
pub(crate) fn show_to_all(_file: &File) -> io::Result<()> {
    Ok(())
}

/// Makes a symbolic link of the kind of another one.
pub(crate) fn symlink(target: &Path, link: &Path, like: &Metadata) -> io::Result<()> {
    let to_folder = like.on_disk.as_ref().is_some_and(|it| it.file_type().is_symlink_dir());
    if to_folder { symlink_dir(target, link) } else { symlink_file(target, link) }
}

/// Gives a symbolic link the times of another one.
pub(crate) fn copy_link_times(link: &Path, from: &Metadata) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let link = options.access_mode(WRITE_ATTRIBUTES).custom_flags(FOLDERS_TOO | LINKS).open(link)?;
    link.set_times(FileTimes::new().set_accessed(from.accessed()?).set_modified(from.modified()?))
}

/// Returns false: devices have no folder.
pub(crate) fn is_device_folder(_folder: &Path) -> bool {
    false
}

/// Returns a name in the form in which equal names are those of one file: the case of letters counts for nothing.
pub(crate) fn folded(name: OsString) -> OsString {
    // A name that is not text is left, and taken for that of another file.
    name.into_string().map_or_else(|name| name, |name| name.to_lowercase().into())
}

/// The error for a name or a path that is too long.
const TOO_LONG: i32 = 206;

/// True if a name is longer than the file system takes.
pub(crate) fn is_too_long(error: &io::Error) -> bool {
    error.raw_os_error() == Some(TOO_LONG)
}

/// Returns an error of the system in words: those of Unix, in place of the text of Windows, which is in the language of the
/// user.
pub(crate) fn in_words(error: &io::Error) -> &dyn Display {
    match error.raw_os_error() {
        Some(2 | 3) => &"No such file or directory",
        Some(5) => {
            &"Permission denied: another program has it open, it is read-only, or this user has no right to it"
        }
        Some(32 | 33) => &"Permission denied: another program has it open and does not share it",
        Some(39 | 112) => &"No space left on device",
        Some(80 | 183) => &"File exists",
        Some(123 | 161) => &"Invalid argument: the name has a character that Windows has in no name",
        Some(TOO_LONG) => &"File name too long",
        Some(1314) => {
            &"Operation not permitted: symbolic links need a right of the user, or the developer mode of Windows"
        }
        _ => error,
    }
}
