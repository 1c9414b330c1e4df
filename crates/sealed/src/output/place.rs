//! The place of a new file: a name in an open folder.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::error::OutputError;
use super::system::{self, Folder};

/// A name in an open folder, under which a file can be created.
///
/// ```
/// use abreast_sealed::output::{OutputError, Place};
/// use std::io::Write;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("report");
/// let mut file = Place::open(&path, false)?.create()?;
/// file.file().write_all(b"all of it")?;
/// assert!(!path.exists());
/// file.publish()?;
/// assert_eq!(std::fs::read(&path)?, b"all of it");
/// assert!(matches!(Place::open(&path, false), Err(OutputError::Exists)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Place {
    /// The folder.
    pub(super) folder: Folder,
    /// The name in it.
    pub(super) name: OsString,
    /// True if the file may replace another one.
    pub(super) replace: bool,
}

impl Place {
    /// Opens the folder of a path. With `replace`, the file may replace another one.
    ///
    /// # Errors
    /// [`OutputError::Exists`] if there is something that may not be replaced, [`OutputError::NotAFile`] if that is a pipe, a socket or
    /// a device, [`OutputError::NoName`], the error of [`check_name`], and [`OutputError::System`] if the folder cannot be opened.
    pub fn open(path: &Path, replace: bool) -> Result<Place, OutputError> {
        check_name(path)?;
        let (folder, name) = split(path).ok_or(OutputError::NoName)?;
        let place = Place { folder: Folder::open(&folder)?, name, replace };
        if !replace && place.folder.find(&place.name)?.is_some() {
            return Err(OutputError::Exists);
        }
        if path.metadata().is_ok_and(|there| !there.is_file() && !there.is_dir()) {
            return Err(OutputError::NotAFile("is a pipe, a socket or a device, and no file to be replaced"));
        }
        Ok(place)
    }

    /// Lets the umask of the process decide who may read the file, which otherwise its owner alone may. Elsewhere than on Unix
    /// nothing changes.
    #[must_use]
    #[cfg_attr(not(unix), expect(unused_mut, reason = "there are no modes"))]
    pub fn with_umask(mut self) -> Place {
        #[cfg(unix)]
        {
            self.folder.mode = 0o666;
        }
        self
    }
}

/// Checks that a path is one that the system takes for the name of a file, or of a folder. On Windows some are names of
/// devices or streams; elsewhere all are.
///
/// ```
/// use abreast_sealed::output::check_name;
///
/// assert!(check_name("report.sealed".as_ref()).is_ok());
/// // The device that takes everything and keeps nothing.
/// assert_eq!(check_name("NUL".as_ref()).is_err(), cfg!(windows));
/// ```
///
/// # Errors
/// [`OutputError::NotAFile`].
#[cfg_attr(not(windows), expect(clippy::missing_const_for_fn, reason = "on Windows it reads the path"))]
pub fn check_name(path: &Path) -> Result<(), OutputError> {
    #[cfg(windows)]
    if let Some(fault) = super::windows_names::fault(path) {
        return Err(OutputError::NotAFile(fault));
    }
    let _ = path;
    Ok(())
}

/// Puts the name of a file or folder that is there on the disk.
///
/// ```
/// use abreast_sealed::output::sync_name;
///
/// let folder = tempfile::tempdir()?;
/// let parts = folder.path().join("parts");
/// std::fs::create_dir(&parts)?;
/// sync_name(&parts)?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Errors of the system.
pub fn sync_name(path: &Path) -> io::Result<()> {
    let (folder, _) = split(path).ok_or(io::ErrorKind::InvalidInput)?;
    system::sync_name(&Folder::open(&folder)?, path)
}

/// Splits a path into a folder and a name in it.
pub(super) fn split(path: &Path) -> Option<(PathBuf, OsString)> {
    let name = path.file_name()?;
    // `Path` ignores the characters after the name in `a/` and `a/.`.
    if !path.as_os_str().as_encoded_bytes().ends_with(name.as_encoded_bytes()) {
        return None;
    }
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_path_buf(),
        _ => PathBuf::from("."),
    };
    Some((folder, name.to_os_string()))
}
