//! Identities of files, so that two names of one file are known to be the same.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::os::{self, Facts as _, Metadata};
use crate::streams::Stream;

/// A file, whatever its name. Names are looked up through symbolic links.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Identity {
    /// A file that is there: its device and inode.
    File(u64, u64),
    /// A block device, under whichever of its nodes.
    BlockDevice(u64),
    /// A file that is not there: device and inode of its folder, and its name.
    Absent(u64, u64, OsString),
}

impl Identity {
    /// The file that this was asked of.
    pub(crate) fn of(metadata: &Metadata) -> Identity {
        if let Some(device) = metadata.block_device() {
            return Identity::BlockDevice(device);
        }
        let (volume, file) = metadata.file_id();
        Identity::File(volume, file)
    }

    /// The file that has this name, or would have it; `None` where not even its folder can be found.
    pub(crate) fn of_name(path: &Path) -> Option<Identity> {
        match os::metadata(path) {
            Ok(metadata) => Some(Identity::of(&metadata)),
            Err(_) => {
                let (volume, folder) = os::metadata(folder_of(path).as_path()).ok()?.file_id();
                Some(Identity::Absent(volume, folder, os::folded(path.file_name()?.to_os_string())))
            }
        }
    }

    /// Returns the identity of an input by its name; `-` is standard input.
    pub(crate) fn of_input(path: &Path) -> Option<Identity> {
        if path == Path::new("-") {
            return Some(Identity::of(&Stream::stdin().ok()?.metadata().ok()?));
        }
        Identity::of_name(path)
    }
}

/// The folder that a name is in.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}
