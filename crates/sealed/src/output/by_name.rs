//! Files by name, for systems on which nothing else is at hand.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Stands for any file: the standard library does not tell files apart on every system.
pub(super) type Identity = ();

/// A folder.
#[derive(Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// Looks for a folder.
    pub(super) fn open(path: &Path) -> io::Result<Folder> {
        let found = fs::metadata(path)?;
        if found.is_dir() { Ok(Folder(path.to_path_buf())) } else { Err(io::ErrorKind::NotADirectory.into()) }
    }

    /// Returns true if the path still leads to a folder.
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere a system call can fail")]
    pub(super) fn is_where_it_was(&self) -> io::Result<bool> {
        Ok(self.0.is_dir())
    }

    /// Returns `Some` if there is a file of that name.
    pub(super) fn find(&self, name: &OsStr) -> io::Result<Option<Identity>> {
        match fs::symlink_metadata(self.0.join(name)) {
            Ok(_) => Ok(Some(())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns `None`: there are no files without a name.
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "elsewhere there are")]
    pub(super) fn unnamed(&self) -> io::Result<Option<File>> {
        Ok(None)
    }

    /// Creates a file that is not there.
    pub(super) fn create(&self, name: &OsStr) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(self.0.join(name))
    }

    /// Fails: there are no files without a name.
    #[expect(clippy::unused_self, reason = "elsewhere there are")]
    pub(super) fn link(&self, _file: &File, _name: &OsStr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Links a file.
    pub(super) fn hard_link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::hard_link(self.0.join(from), self.0.join(to))
    }

    /// Fails: the standard library has no rename that never replaces a file.
    #[expect(clippy::unused_self, reason = "elsewhere there is one")]
    pub(super) fn rename_new(&self, _from: &OsStr, _to: &OsStr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Renames a file, over another one if there is one.
    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::rename(self.0.join(from), self.0.join(to))
    }

    /// Removes a name.
    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    /// Puts the names on the disk, where folders can be opened.
    pub(super) fn sync(&self, _file: &File) -> io::Result<()> {
        self.sync_names()
    }

    /// Puts the names on the disk, where folders can be opened.
    #[cfg_attr(
        not(unix),
        expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "elsewhere a system call can fail")
    )]
    fn sync_names(&self) -> io::Result<()> {
        #[cfg(unix)]
        return match File::open(&self.0)?.sync_all() {
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            synced => synced,
        };
        #[cfg(not(unix))]
        Ok(())
    }
}

/// Puts the name of a file or folder in its folder on the disk.
pub(super) fn sync_name(folder: &Folder, _path: &Path) -> io::Result<()> {
    folder.sync_names()
}

/// Returns the one identity that stands for any file.
#[expect(clippy::unnecessary_wraps, reason = "elsewhere a system call can fail")]
pub(super) fn identity(_file: &File) -> io::Result<Identity> {
    Ok(())
}

/// Returns false: no file is marked as in use, and none is called left over.
pub(super) fn lock(_file: &File) -> bool {
    false
}

/// Returns true if an error means that the file system lacks a call.
pub(super) fn is_unsupported(error: &io::Error) -> bool {
    // FAT and exFAT on Windows answer a link so, with `ERROR_INVALID_FUNCTION` or `ERROR_NOT_SUPPORTED`.
    let lacks_links = cfg!(windows) && matches!(error.raw_os_error(), Some(1 | 50));
    lacks_links
        || matches!(
            error.kind(),
            io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput | io::ErrorKind::PermissionDenied
        )
}

/// Does nothing: nobody asks.
pub(super) fn begin_use(_file: Identity) {}

/// Does nothing: nobody asks.
pub(super) fn end_use(_file: Identity) {}

/// Returns nothing: files that runs left are not looked for.
#[must_use]
pub fn leftovers(_folder: &Path) -> Vec<PathBuf> {
    Vec::new()
}
