//! Folders and symbolic links around files, and the modes and times of all of them.

use std::fs::{self, File, FileTimes};
use std::io;
use std::path::{Path, PathBuf};

use abreast_sealed::output::{check_name, sync_name};

use crate::failure::{Exit, Failure};
use crate::os::{self, Metadata};

use super::entry::Entry;

/// Makes the folder of an entry, for its owner alone until it is [finished](finish). One that is there stays; a symbolic link
/// to a folder does not count, since it would lead the outputs elsewhere.
pub(crate) fn make(entry: &Entry) -> Result<(), Failure> {
    let Some(path) = &entry.output else { return Ok(()) };
    let failure = |error: io::Error| Failure::output(path, &error);
    check(path)?;
    match os::symlink_metadata(path) {
        // A folder that may not be written was finished by an earlier call.
        Ok(there) if there.is_dir() => os::make_writable(path, &there).map_err(failure),
        Ok(_) => Err(Failure::new(Exit::Exists, path, "is there already, and is not a folder")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => create(path, true).map_err(failure),
        Err(error) => Err(failure(error)),
    }
}

/// Gives a folder that was made the mode and the times of the one that it is a copy of.
pub(crate) fn finish(entry: &Entry) -> Result<(), Failure> {
    let (Some(path), Some(copied)) = (&entry.output, &entry.copied) else { return Ok(()) };
    let finished = os::open_folder(path).and_then(|folder| copy_metadata(&folder, copied));
    finished.map_err(|error| Failure::output(path, &error))
}

/// Copies a symbolic link. The same link that is there already stays.
pub(crate) fn copy_link(entry: &Entry) -> Result<(), Failure> {
    let (Some(path), Some(copied)) = (&entry.output, &entry.copied) else { return Ok(()) };
    check(path)?;
    let target = fs::read_link(&entry.input).map_err(|error| Failure::io(&entry.input, &error))?;
    match os::symlink(&target, path, copied) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if fs::read_link(path).is_ok_and(|there| there == target) {
                return Ok(());
            }
            return Err(Failure::new(Exit::Exists, path, "exists already, and is not the same link"));
        }
        linked => linked.map_err(|error| Failure::output(path, &error))?,
    }
    os::copy_link_times(path, copied).map_err(|error| Failure::output(path, &error))
}

/// Gives a file or a folder the permissions and the times of another one.
pub(crate) fn copy_metadata(file: &File, from: &Metadata) -> io::Result<()> {
    os::copy_permissions(file, from)?;
    file.set_times(FileTimes::new().set_accessed(from.accessed()?).set_modified(from.modified()?))
}

/// Makes the folder of all outputs, and its parents.
pub(crate) fn make_place(folder: &Path) -> Result<(), Failure> {
    // A name that ends in a slash is that of the same folder.
    let folder: PathBuf = folder.components().collect();
    for folder in folder.ancestors().collect::<Vec<_>>().into_iter().rev() {
        match fs::metadata(folder) {
            _ if folder == Path::new("") => {}
            Ok(there) if there.is_dir() => {}
            Ok(_) => return Err(Failure::new(Exit::Exists, folder, "is there already, and is not a folder")),
            Err(_) => check(folder)
                .and_then(|()| create(folder, false).map_err(|error| Failure::output(folder, &error)))?,
        }
    }
    Ok(())
}

/// Checks that the system takes a path for the name of a folder or a link.
fn check(path: &Path) -> Result<(), Failure> {
    check_name(path).map_err(|error| Failure::new(Exit::Usage, path, error))
}

/// Creates a folder, and puts its name on the disk: what will be in it is worth nothing without.
fn create(folder: &Path, private: bool) -> io::Result<()> {
    os::create_folder(folder, private)?;
    sync_name(folder)
}
