//! Files by name, for systems on which nothing else is at hand.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// The numbers of a file system and of a file in it. `None` stands for any file, where the system does not tell files apart.
pub(super) type Identity = Option<(u64, u64)>;

/// A folder.
#[derive(Debug)]
pub(super) struct Folder {
    /// Its path.
    path: PathBuf,
    /// The folder that the path led to.
    identity: Identity,
    /// The mode of new files, less the bits of the umask.
    #[cfg(unix)]
    pub(super) mode: u32,
}

impl Folder {
    /// Looks for a folder.
    pub(super) fn open(path: &Path) -> io::Result<Folder> {
        if !fs::metadata(path)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Folder {
            path: path.to_path_buf(),
            identity: of_path(path, true)?,
            #[cfg(unix)]
            mode: 0o600,
        })
    }

    /// Returns true if the path still leads to the folder.
    pub(super) fn is_where_it_was(&self) -> io::Result<bool> {
        match of_path(&self.path, true) {
            Ok(found) => Ok(found == self.identity && self.path.is_dir()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns the file of that name, if there is one.
    pub(super) fn find(&self, name: &OsStr) -> io::Result<Option<Identity>> {
        match of_path(&self.path.join(name), false) {
            Ok(found) => Ok(Some(found)),
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
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, self.mode);
        options.open(self.path.join(name))
    }

    /// Fails: there are no files without a name.
    #[expect(clippy::unused_self, reason = "elsewhere there are")]
    pub(super) fn link(&self, _file: &File, _name: &OsStr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Links a file.
    pub(super) fn hard_link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::hard_link(self.path.join(from), self.path.join(to))
    }

    /// Fails: the standard library has no rename that never replaces a file.
    #[expect(clippy::unused_self, reason = "elsewhere there is one")]
    pub(super) fn rename_new(&self, _from: &OsStr, _to: &OsStr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Renames a file, over another one if there is one.
    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::rename(self.path.join(from), self.path.join(to))
    }

    /// Removes a name.
    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }

    /// Puts the names on the disk, where folders can be opened.
    #[cfg_attr(
        not(unix),
        expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "elsewhere a system call can fail")
    )]
    pub(super) fn sync(&self, _file: &Kept) -> io::Result<()> {
        #[cfg(unix)]
        return match File::open(&self.path)?.sync_all() {
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            synced => synced,
        };
        #[cfg(not(unix))]
        Ok(())
    }
}

/// Nothing: a file that is complete is closed, since on Windows an open one can keep names that were removed.
pub(super) type Kept = ();

/// Keeps nothing of a file that is complete.
#[expect(clippy::unnecessary_wraps, reason = "elsewhere a system call can fail")]
pub(super) fn keep(_file: &File) -> io::Result<Kept> {
    Ok(())
}

/// Puts the name of a file or folder in its folder on the disk.
pub(super) fn sync_name(folder: &Folder, _path: &Path) -> io::Result<()> {
    folder.sync(&())
}

/// Returns the identity of a file.
pub(super) fn identity(file: &File) -> io::Result<Identity> {
    #[cfg(unix)]
    return Ok(of_metadata(&file.metadata()?));
    #[cfg(windows)]
    {
        // File systems that do not tell files apart give 0. The volume is that of the folder, and Wine forgets it after a rename.
        let index = winapi_util::file::information(file)?.file_index();
        Ok((index != 0).then_some((0, index)))
    }
    #[cfg(not(any(unix, windows)))]
    file.metadata().map(|_| None)
}

/// Returns the identity in metadata.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere files may have no identity")]
fn of_metadata(file: &fs::Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    Some((file.dev(), file.ino()))
}

/// Returns the identity of the file of a name, or of the one that a link of that name leads to.
fn of_path(path: &Path, follow: bool) -> io::Result<Identity> {
    #[cfg(unix)]
    return Ok(of_metadata(&if follow { fs::metadata(path) } else { fs::symlink_metadata(path) }?));
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt;
        // FILE_FLAG_BACKUP_SEMANTICS, by which folders can be opened, and FILE_FLAG_OPEN_REPARSE_POINT, by which links can.
        let flags = if follow { 0x0200_0000 } else { 0x0220_0000 };
        identity(&OpenOptions::new().access_mode(0).custom_flags(flags).open(path)?)
    }
    #[cfg(not(any(unix, windows)))]
    if follow { fs::metadata(path) } else { fs::symlink_metadata(path) }.map(|_| None)
}

/// Returns true if an identity is that of one file alone.
pub(super) fn is_known(file: Identity) -> bool {
    file.is_some()
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
