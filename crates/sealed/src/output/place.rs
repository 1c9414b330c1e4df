//! The place of a new file: a name in an open folder.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::error::OutputError;
use super::system::Folder;

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
    /// [`OutputError::Exists`] if there is something that may not be replaced, [`OutputError::NoName`], and
    /// [`OutputError::System`] if the folder cannot be opened.
    pub fn open(path: &Path, replace: bool) -> Result<Place, OutputError> {
        let (folder, name) = split(path).ok_or(OutputError::NoName)?;
        let place = Place { folder: Folder::open(&folder)?, name, replace };
        if !replace && place.folder.find(&place.name)?.is_some() {
            return Err(OutputError::Exists);
        }
        Ok(place)
    }
}

/// Puts the name of a file or folder that is there on the disk.
///
/// # Errors
/// Errors of the system.
pub fn sync_name(path: &Path) -> io::Result<()> {
    let (folder, _) = split(path).ok_or(io::ErrorKind::InvalidInput)?;
    Folder::open(&folder)?.sync(&File::open(path)?)
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
