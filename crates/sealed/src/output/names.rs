//! The names of a file before it is published, and their removal.

use std::ffi::{OsStr, OsString};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::place::Place;
use super::system::{self, Identity};

/// The names that a file has in its folder before it is published, each of which is to be removed unless it is.
#[derive(Debug)]
pub(super) struct Names {
    /// The place of the file.
    pub(super) place: Arc<Place>,
    /// Each name, and the file that it stood for.
    pub(super) list: Mutex<Vec<(OsString, Identity)>>,
}

impl Names {
    /// Locks the list.
    pub(super) fn list(&self) -> MutexGuard<'_, Vec<(OsString, Identity)>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a name.
    pub(super) fn add(&self, name: &OsStr, file: Identity) {
        system::begin_use(file);
        self.list().push((name.to_os_string(), file));
    }

    /// Strikes a name off: it has gone, or is to stay.
    pub(super) fn strike(&self, name: &OsStr) {
        self.list().retain(|(known, file)| {
            if known == name {
                system::end_use(*file);
            }
            known != name
        });
    }

    /// Removes a name, or leaves it to [`remove`](Names::remove).
    pub(super) fn remove_one(&self, name: &OsStr) {
        match self.place.folder.find(name) {
            Ok(Some(_)) if self.place.folder.remove(name).is_err() => {}
            Ok(_) => self.strike(name),
            Err(_) => {}
        }
    }

    /// Removes all names that still stand for the same files.
    pub(super) fn remove(&self) {
        for (name, file) in self.list().drain(..) {
            if matches!(self.place.folder.find(&name), Ok(Some(found)) if found == file) {
                let _ = self.place.folder.remove(&name);
            }
            system::end_use(file);
        }
    }
}

/// A handle by which any thread can remove a file that is not to stay: for programs that end by a signal, where nothing is dropped.
///
/// ```
/// use abreast_sealed::output::Place;
///
/// let folder = tempfile::tempdir()?;
/// let new = Place::open(&folder.path().join("report"), false)?.create()?;
/// let remover = new.remover();
/// // On another thread, which is told that the program is to end.
/// std::thread::spawn(move || remover.remove()).join().expect("no panic");
/// assert_eq!(folder.path().read_dir()?.count(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Remover(pub(super) Arc<Names>);

impl Remover {
    /// Removes whatever shows of the file in its folder, if it is still there. A published file stays, unless this is the
    /// remover of [`Published`](super::Published).
    pub fn remove(&self) {
        self.0.remove();
    }

    /// Returns true if there is nothing to remove at this moment: the file has no name, was published, or is gone.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.0.list().is_empty()
    }
}
