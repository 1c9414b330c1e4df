//! Files by the descriptor of their folder.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, FlockOperation, Mode, OFlags, RenameFlags, Stat, fcntl_lock, fstat, linkat,
    openat, readlink, renameat, renameat_with, stat, statat, syncfs, unlinkat,
};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{Flock, FlockType, fcntl_getlk, geteuid};

use std::os::unix::ffi::OsStrExt;

use super::temporary::is_temporary_name;

/// Device and inode of a file.
pub(super) type Identity = (u64, u64);

/// A folder, open.
#[derive(Debug)]
pub(super) struct Folder {
    /// Its path, as it was given.
    path: PathBuf,
    /// Its descriptor.
    descriptor: OwnedFd,
    /// True if the descriptor can be synced: the folder may be read.
    readable: bool,
    /// Device and inode.
    identity: Identity,
    /// Its path from the root, where the system tells.
    whole_path: Option<Vec<u8>>,
    /// The mode of new files, less the bits of the umask.
    pub(super) mode: u32,
}

impl Folder {
    /// Opens a folder.
    pub(super) fn open(path: &Path) -> io::Result<Folder> {
        let open = |flags| {
            retry_on_intr(|| openat(CWD, path, flags | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()))
        };
        let (descriptor, readable) = match open(OFlags::RDONLY) {
            Ok(descriptor) => (descriptor, true),
            // A folder to drop files into may be written and not read.
            Err(Errno::ACCESS) => (open(OFlags::PATH)?, false),
            Err(error) => return Err(error.into()),
        };
        let identity = of_stat(&fstat(&descriptor)?);
        let mut folder = Folder {
            path: path.to_path_buf(),
            descriptor,
            readable,
            identity,
            whole_path: None,
            mode: 0o600,
        };
        folder.whole_path = folder.path_from_root();
        Ok(folder)
    }

    /// Returns the path that the folder has at this moment, whatever the path was by which it was opened.
    fn path_from_root(&self) -> Option<Vec<u8>> {
        let link = format!("/proc/self/fd/{}", self.descriptor.as_raw_fd());
        Some(readlink(link, Vec::new()).ok()?.into_bytes())
    }

    /// Returns true if the path still leads to this folder.
    pub(super) fn is_where_it_was(&self) -> io::Result<bool> {
        match retry_on_intr(|| stat(&self.path)) {
            Ok(found) if of_stat(&found) == self.identity => {}
            Ok(_) | Err(Errno::NOENT | Errno::NOTDIR) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        // A relative path leads on to a folder that was renamed, or whose parent was.
        Ok(self.whole_path.is_none() || self.whole_path == self.path_from_root())
    }

    /// Returns the file of a name; `None` if there is none. A symbolic link is a file itself.
    pub(super) fn find(&self, name: &OsStr) -> io::Result<Option<Identity>> {
        match retry_on_intr(|| statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW)) {
            Ok(found) => Ok(Some(of_stat(&found))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Creates a file without a name; `None` where there are none, or where they cannot get a name.
    pub(super) fn unnamed(&self) -> io::Result<Option<File>> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        match retry_on_intr(|| openat(&self.descriptor, ".", flags, Mode::from_raw_mode(self.mode))) {
            // Links go through a name in `/proc`, which some containers lack.
            Ok(file) => match stat(&*proc_name(&file)) {
                Ok(found) if of_stat(&found) == of_stat(&fstat(&file)?) => Ok(Some(file.into())),
                _ => Ok(None),
            },
            // Kernels and file systems have several ways to say that they know no such files.
            Err(error) if error == Errno::ISDIR || error == Errno::NOENT || is_unsupported(&error.into()) => {
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Creates a file that is not there.
    pub(super) fn create(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let open =
            |flags| retry_on_intr(|| openat(&self.descriptor, name, flags, Mode::from_raw_mode(self.mode)));
        match open(flags) {
            // Where files are written in order, they may not be open for reading at the same time.
            Err(error) if is_unsupported(&error.into()) => {
                Ok(open(flags.difference(OFlags::RWMODE) | OFlags::WRONLY)?.into())
            }
            opened => Ok(opened?.into()),
        }
    }

    /// Links a file that has no name.
    pub(super) fn link(&self, file: &File, name: &OsStr) -> io::Result<()> {
        let link = || linkat(CWD, &*proc_name(file), &self.descriptor, name, AtFlags::SYMLINK_FOLLOW);
        Ok(retry_on_intr(link)?)
    }

    /// Links a file that has a name.
    pub(super) fn hard_link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        let (folder, flags) = (&self.descriptor, AtFlags::empty());
        Ok(retry_on_intr(|| linkat(folder, from, folder, to, flags))?)
    }

    /// Renames a file, to a name that no file has.
    pub(super) fn rename_new(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        let (folder, flags) = (&self.descriptor, RenameFlags::NOREPLACE);
        Ok(retry_on_intr(|| renameat_with(folder, from, folder, to, flags))?)
    }

    /// Renames a file, over another one if there is one.
    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        let folder = &self.descriptor;
        Ok(retry_on_intr(|| renameat(folder, from, folder, to))?)
    }

    /// Removes a name.
    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(retry_on_intr(|| unlinkat(&self.descriptor, name, AtFlags::empty()))?)
    }

    /// Puts the names on the disk, of which one is that of `file`.
    pub(super) fn sync(&self, file: &Kept) -> io::Result<()> {
        if !self.readable {
            return Ok(retry_on_intr(|| syncfs(file))?);
        }
        match retry_on_intr(|| rustix::fs::fsync(&self.descriptor)) {
            // Some file systems cannot sync a folder, and say so in this way.
            Ok(()) | Err(Errno::INVAL) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Returns a name of an open file.
fn proc_name(file: &impl AsRawFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// A file that is complete, by which its file system can be synced.
pub(super) type Kept = File;

/// Keeps a file that is complete.
pub(super) fn keep(file: &File) -> io::Result<Kept> {
    file.try_clone()
}

/// Returns true: every file has an identity.
pub(super) const fn is_known(_file: Identity) -> bool {
    true
}

/// Puts the name of a file or folder in its folder on the disk.
pub(super) fn sync_name(folder: &Folder, path: &Path) -> io::Result<()> {
    folder.sync(&File::open(path)?)
}

/// Returns the identity of a file.
#[allow(clippy::unnecessary_cast, reason = "the types differ between architectures")]
fn of_stat(stat: &Stat) -> Identity {
    (stat.st_dev as u64, stat.st_ino as u64)
}

/// Returns the identity of an open file.
pub(super) fn identity(file: &File) -> io::Result<Identity> {
    Ok(of_stat(&fstat(file)?))
}

/// Marks a file as in use, so that no run takes it for left over. Returns false where files cannot be locked.
pub(super) fn lock(file: &File) -> bool {
    retry_on_intr(|| fcntl_lock(file, FlockOperation::NonBlockingLockExclusive)).is_ok()
}

/// Returns true if an error means that the file system lacks a call.
pub(super) fn is_unsupported(error: &io::Error) -> bool {
    let errno = error.raw_os_error().map(Errno::from_raw_os_error);
    matches!(
        errno,
        Some(
            Errno::INVAL
                | Errno::NOSYS
                | Errno::OPNOTSUPP
                | Errno::PERM
                | Errno::XDEV
                | Errno::MLINK
                | Errno::NOENT
        )
    )
}

/// The files with a name that this process works on. To open and close one of them would undo its lock.
static IN_USE: Mutex<Vec<Identity>> = Mutex::new(Vec::new());

/// Locks the list.
fn in_use() -> MutexGuard<'static, Vec<Identity>> {
    IN_USE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes that this process works on a file.
pub(super) fn begin_use(file: Identity) {
    in_use().push(file);
}

/// Notes that this process has ended its work on a file.
pub(super) fn end_use(file: Identity) {
    let mut files = in_use();
    if let Some(at) = files.iter().position(|known| *known == file) {
        files.swap_remove(at);
    }
}

/// Returns the temporary files of the same user in a folder that runs left there because they were killed. A file that
/// a run works on is never among them: a run locks its file before that gets its name, and this looks at locks without
/// taking any.
///
/// ```
/// use abreast_sealed::output::leftovers;
///
/// for file in leftovers(std::path::Path::new(".")) {
///     eprintln!("{} was left there; remove it", file.display());
/// }
/// ```
#[must_use]
pub fn leftovers(folder: &Path) -> Vec<PathBuf> {
    let found = Folder::open(folder).and_then(|folder| Ok((Dir::read_from(&folder.descriptor)?, folder)));
    let Ok((entries, folder_)) = found else { return Vec::new() };
    let names =
        entries.map_while(Result::ok).map(|entry| OsStr::from_bytes(entry.file_name().to_bytes()).to_owned());
    names
        .filter(|name| name.as_bytes().ends_with(b".tmp") && is_temporary_name(name))
        .filter(|name| is_left_over(&folder_, name).unwrap_or(false))
        .map(|name| folder.join(name))
        .collect()
}

/// Returns true if this is a file of the same user that no run works on.
fn is_left_over(folder: &Folder, name: &OsStr) -> io::Result<bool> {
    let found = statat(&folder.descriptor, name, AtFlags::SYMLINK_NOFOLLOW)?;
    let regular = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
    if !regular || found.st_uid != geteuid().as_raw() || in_use().contains(&of_stat(&found)) {
        return Ok(false);
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = openat(&folder.descriptor, name, flags, Mode::empty())?;
    Ok(fcntl_getlk(&file, &Flock::from(FlockType::WriteLock))?.is_none())
}
