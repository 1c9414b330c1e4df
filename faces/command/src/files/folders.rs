//! Folders and symbolic links around files, and the modes and times of all of them.

use std::fs::{self, DirBuilder, File, FileTimes, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use abreast_sealed::output::sync_name;
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};

use crate::failure::{Exit, Failure};

use super::entry::Entry;

/// The bits of a mode that are kept. Others give rights, and sealed files do not authenticate their modes.
const MODE: u32 = 0o777;

/// Makes the folder of an entry, for its owner alone until it is [finished](finish). One that is there stays; a symbolic link
/// to a folder does not count, since it would lead the outputs elsewhere.
pub(crate) fn make(entry: &Entry) -> Result<(), Failure> {
    let Some(path) = &entry.output else { return Ok(()) };
    let failure = |error: io::Error| Failure::output(path, &error);
    match fs::symlink_metadata(path) {
        Ok(there) if there.is_dir() => {
            // A folder that may not be written was finished by an earlier call.
            if there.mode() & 0o700 != 0o700 {
                let mode = Permissions::from_mode(there.mode() & 0o7777 | 0o700);
                fs::set_permissions(path, mode).map_err(failure)?;
            }
            Ok(())
        }
        Ok(_) => Err(Failure::new(Exit::Exists, path, "is there already, and is not a folder")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => create(path, 0o700).map_err(failure),
        Err(error) => Err(failure(error)),
    }
}

/// Gives a folder that was made the mode and the times of the one that it is a copy of.
pub(crate) fn finish(entry: &Entry) -> Result<(), Failure> {
    let (Some(path), Some(copied)) = (&entry.output, &entry.copied) else { return Ok(()) };
    let finished = File::open(path).and_then(|folder| copy_metadata(&folder, copied));
    finished.map_err(|error| Failure::output(path, &error))
}

/// Copies a symbolic link. The same link that is there already stays.
pub(crate) fn copy_link(entry: &Entry) -> Result<(), Failure> {
    let (Some(path), Some(copied)) = (&entry.output, &entry.copied) else { return Ok(()) };
    let target = fs::read_link(&entry.input).map_err(|error| Failure::io(&entry.input, &error))?;
    match symlink(&target, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if fs::read_link(path).is_ok_and(|there| there == target) {
                return Ok(());
            }
            return Err(Failure::new(Exit::Exists, path, "exists already, and is not the same link"));
        }
        linked => linked.map_err(|error| Failure::output(path, &error))?,
    }
    let time = |seconds, nanoseconds| Timespec { tv_sec: seconds, tv_nsec: nanoseconds };
    let times = Timestamps {
        last_access: time(copied.atime(), copied.atime_nsec()),
        last_modification: time(copied.mtime(), copied.mtime_nsec()),
    };
    let set = utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW);
    set.map_err(|error| Failure::output(path, &error.into()))
}

/// Gives a file or a folder the permissions and the times of another one.
pub(crate) fn copy_metadata(file: &File, from: &Metadata) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(from.mode() & MODE))?;
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
            Err(_) => create(folder, 0o777).map_err(|error| Failure::output(folder, &error))?,
        }
    }
    Ok(())
}

/// Creates a folder, and puts its name on the disk: what will be in it is worth nothing without.
fn create(folder: &Path, mode: u32) -> io::Result<()> {
    DirBuilder::new().mode(mode).create(folder)?;
    sync_name(folder)
}
