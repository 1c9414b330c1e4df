//! Folders with new names that are not on the disk yet. A folder with a thousand new files is synced once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use abreast_sealed::output::Published;

use crate::failure::{Exit, Failure, without_code};
use crate::identity::folder_of;

use super::originals::Original;

/// The folders, by their names as outputs have them.
#[derive(Default)]
pub(crate) struct Unsynced(BTreeMap<PathBuf, Pending>);

/// A folder with new names.
struct Pending {
    /// A file in it, which knows the folder.
    published: Published,
    /// The originals to remove once the names are on the disk.
    originals: Vec<Original>,
}

impl Unsynced {
    /// Adds a file that was published, and its original if that is to be removed.
    pub(crate) fn add(&mut self, output: &Path, published: Published, original: Option<Original>) {
        let pending = self.0.entry(folder_of(output));
        let pending = pending.or_insert_with(|| Pending { published, originals: Vec::new() });
        pending.originals.extend(original);
    }

    /// Puts the names in a folder on the disk, and removes the originals of its files. Returns what failed, by the name of the
    /// file or folder.
    pub(crate) fn settle(&mut self, folder: &Path) -> Vec<(PathBuf, Failure)> {
        self.0.remove(folder).map_or_else(Vec::new, |pending| pending.settle(folder))
    }

    /// Settles all folders.
    pub(crate) fn settle_all(&mut self) -> Vec<(PathBuf, Failure)> {
        let all = std::mem::take(&mut self.0).into_iter();
        all.flat_map(|(folder, pending)| pending.settle(&folder)).collect()
    }
}

impl Pending {
    /// Puts the names on the disk, and removes the originals.
    fn settle(self, folder: &Path) -> Vec<(PathBuf, Failure)> {
        if let Err(error) = self.published.sync() {
            let (error, lost) =
                (error.to_string(), "the new files in it are complete, but may be lost if the power fails");
            let cause = format_args!("{}: {lost}", without_code(&error));
            return vec![(folder.to_path_buf(), Failure::new(Exit::Io, folder, cause))];
        }
        let removed =
            self.originals.into_iter().map(|original| (original.path().to_path_buf(), original.remove()));
        removed.filter_map(|(path, removed)| Some((path, removed.err()?))).collect()
    }
}
