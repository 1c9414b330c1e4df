//! A new file, from its creation to its place.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek};
use std::sync::{Arc, Mutex};

use super::error::OutputError;
use super::names::{Names, Remover};
use super::place::Place;
use super::system::{self, Identity, Kept, identity, is_known, keep, lock};
use super::temporary::with_random_name;
use crate::Output;

impl Place {
    /// Creates the file, which its owner alone can read and write.
    ///
    /// # Errors
    /// [`OutputError::System`]; [`OutputError::Exists`] and [`OutputError::CannotReplace`] where the file system makes
    /// that known this early.
    pub fn create(self) -> Result<NewFile, OutputError> {
        let place = Arc::new(self);
        match place.folder.unnamed()? {
            Some(file) => {
                let names = Arc::new(Names { place, list: Mutex::default() });
                Ok(NewFile { file, stage: Stage::Unnamed, names, synced: false })
            }
            None => NewFile::with_name(place),
        }
    }
}

/// The state of a file that has not its place yet.
#[derive(Debug)]
enum Stage {
    /// A file without a name.
    Unnamed,
    /// A file with a temporary name.
    Beside(OsString, Way),
    /// A file that is in its place from the beginning.
    InPlace,
}

/// The way in which a file that has a name of its own gets its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// A rename that may replace a file.
    Replace,
    /// A rename that fails if there is a file.
    New,
    /// A link, after which the other name is removed.
    Link,
    /// A rename over the empty file that reserves the place.
    Reserved(Identity),
}

/// A file that is not in its place yet. Unless it is [published](NewFile::publish), nothing is left of it.
///
/// ```
/// use abreast_sealed::output::Place;
/// use std::io::Write;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("report");
/// let mut new = Place::open(&path, false)?.with_umask().create()?;
/// // For a handler of signals, on another thread.
/// let remover = new.remover();
/// new.file().write_all(b"all of it")?;
/// let published = new.publish_unsynced()?;
/// published.sync()?;
/// assert!(remover.is_done() && path.exists());
/// // Takes the file back.
/// published.remover().remove();
/// assert!(!path.exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct NewFile {
    /// The file.
    file: File,
    /// Its state.
    stage: Stage,
    /// Its names.
    names: Arc<Names>,
    /// True if its bytes are on the disk.
    synced: bool,
}

impl NewFile {
    /// Creates a file with a name of its own, and finds out how it can be published.
    pub(super) fn with_name(place: Arc<Place>) -> Result<NewFile, OutputError> {
        let names = Arc::new(Names { place: Arc::clone(&place), list: Mutex::default() });
        // Nobody takes a file of this name for left over. It gets another one once it is locked.
        let (first, file) = with_random_name("new", |name| place.folder.create(name))?;
        let own = identity(&file)?;
        names.add(&first, own);
        let suffix = if lock(&file) { "tmp" } else { "part" };
        // From here on it is removed again if anything fails.
        let mut new = NewFile { file, stage: Stage::Unnamed, names, synced: false };
        match new.rename_first(&first, suffix)? {
            Some((name, way)) => {
                new.names.add(&name, own);
                new.stage = Stage::Beside(name, way);
            }
            None if place.replace && place.folder.find(&place.name)?.is_some() => {
                return Err(OutputError::CannotReplace);
            }
            None => {
                let file = place.folder.create(&place.name)?;
                new.names.add(&place.name, identity(&file)?);
                (new.file, new.stage) = (file, Stage::InPlace);
            }
        }
        new.names.remove_one(&first);
        Ok(new)
    }

    /// Gives an empty file another name, by the best way that the file system has; `None` if it has none.
    fn rename_first(&self, first: &OsStr, suffix: &str) -> Result<Option<(OsString, Way)>, OutputError> {
        let place = &self.names.place;
        let folder = &place.folder;
        let attempt = |call: &dyn Fn(&OsStr) -> io::Result<()>| match with_random_name(suffix, call) {
            Ok((name, ())) => Ok(Some(name)),
            Err(error) if is_unsupported(&error) => Ok(None),
            Err(error) => Err(error),
        };
        if place.replace {
            let renamed = attempt(&|name| folder.rename(first, name))?;
            return Ok(renamed.map(|name| (name, Way::Replace)));
        }
        if let Some(name) = attempt(&|name| folder.rename_new(first, name))? {
            return Ok(Some((name, Way::New)));
        }
        if let Some(name) = attempt(&|name| folder.hard_link(first, name))? {
            return Ok(Some((name, Way::Link)));
        }
        let Some(name) = attempt(&|name| folder.rename(first, name))? else { return Ok(None) };
        self.names.add(&name, identity(&self.file)?);
        let reserved = identity(&folder.create(&place.name)?)?;
        self.names.add(&place.name, reserved);
        Ok(Some((name, Way::Reserved(reserved))))
    }

    /// Returns the file, to be written at any offset. If it is [in order](NewFile::is_in_order), only at its end.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Returns true if the file may only be written in order, as buckets demand that are mounted as folders.
    #[must_use]
    pub fn is_in_order(&self) -> bool {
        matches!(self.stage, Stage::InPlace)
    }

    /// Returns the file as an output to seal or open into.
    pub fn output(&mut self) -> Output<'_> {
        if self.is_in_order() { Output::Stream(&mut self.file) } else { Output::At(&self.file) }
    }

    /// Returns a handle that removes the file when the process is about to end.
    #[must_use]
    pub fn remover(&self) -> Remover {
        Remover(Arc::clone(&self.names))
    }

    /// Puts the bytes of the file on the disk.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn sync(&mut self) -> io::Result<()> {
        if !self.synced {
            self.file.sync_all()?;
            self.synced = true;
        }
        Ok(())
    }

    /// Gives the file its place, once its bytes are on the disk, and puts its name on the disk.
    ///
    /// # Errors
    /// [`OutputError::Exists`], [`OutputError::FolderMoved`], [`OutputError::Exchanged`], [`OutputError::System`], after
    /// which nothing is left, and [`OutputError::NotOnDisk`].
    pub fn publish(self) -> Result<Published, OutputError> {
        let published = self.publish_unsynced()?;
        published.sync().map_err(|error| {
            // An old file cannot be had back.
            if published.names.place.replace {
                return OutputError::NotOnDisk(error);
            }
            published.names.remove();
            OutputError::System(error)
        })?;
        Ok(published)
    }

    /// Gives the file its place, once its bytes are on the disk. Its name is on the disk after [`Published::sync`] of any
    /// later file in the same folder, so that a thousand files need one.
    ///
    /// # Errors
    /// The errors of [`publish`](NewFile::publish).
    pub fn publish_unsynced(mut self) -> Result<Published, OutputError> {
        self.sync()?;
        let place = Arc::clone(&self.names.place);
        let folder = &place.folder;
        let own = identity(&self.file)?;
        if !folder.is_where_it_was()? {
            return Err(OutputError::FolderMoved);
        }
        // The answer may get lost although the call did its work, as on a network.
        let is_there =
            || is_known(own) && matches!(folder.find(&place.name), Ok(Some(found)) if found == own);
        match self.take_place(&place, own) {
            Err(OutputError::System(error))
                if matches!(self.stage, Stage::Unnamed) && is_unsupported(&error) =>
            {
                // Links were refused against all expectation. The work is not thrown away for that.
                return self.copy_with_name(place)?.publish_unsynced();
            }
            Err(_) if is_there() => {}
            Err(error) => return Err(error),
            Ok(()) => {}
        }
        // The file is in its place now, and goes again if anything is wrong. An old file cannot be had back.
        let system = |error| {
            if place.replace {
                return OutputError::NotOnDisk(error);
            }
            let _ = folder.remove(&place.name);
            OutputError::System(error)
        };
        // The link of an open file is of that file. A name may have become that of another one.
        if (place.replace || !matches!(self.stage, Stage::Unnamed))
            && folder.find(&place.name).map_err(system)? != Some(own)
        {
            return Err(OutputError::Exchanged);
        }
        // Every other name that it still has is removed with `self`.
        self.names.strike(&place.name);
        let list = Mutex::new(vec![(place.name.clone(), own)]);
        let names = Arc::new(Names { place: Arc::clone(&place), list });
        if !folder.is_where_it_was().map_err(system)? {
            if !place.replace {
                names.remove();
            }
            return Err(OutputError::FolderMoved);
        }
        Ok(Published { file: keep(&self.file).map_err(system)?, names })
    }

    /// Gives the file its name.
    fn take_place(&self, place: &Place, own: Identity) -> Result<(), OutputError> {
        let folder = &place.folder;
        let is_own = |name: &OsStr| Ok::<_, io::Error>(folder.find(name)? == Some(own));
        match &self.stage {
            Stage::Unnamed => match folder.link(&self.file, &place.name) {
                // A link never replaces a file, so that another name has to come first.
                Err(error) if place.replace && error.kind() == io::ErrorKind::AlreadyExists => {
                    let suffix = if lock(&self.file) { "tmp" } else { "part" };
                    let link = |name: &OsStr| folder.link(&self.file, name);
                    let (beside, ()) = with_random_name(suffix, link)?;
                    self.names.add(&beside, own);
                    Ok(folder.rename(&beside, &place.name)?)
                }
                linked => Ok(linked?),
            },
            Stage::Beside(name, _) if !is_own(name)? => Err(OutputError::Exchanged),
            Stage::Beside(name, Way::Replace) => Ok(folder.rename(name, &place.name)?),
            Stage::Beside(name, Way::New) => Ok(folder.rename_new(name, &place.name)?),
            Stage::Beside(name, Way::Link) => Ok(folder.hard_link(name, &place.name)?),
            Stage::Beside(name, Way::Reserved(reserved)) => {
                if folder.find(&place.name)? != Some(*reserved) {
                    return Err(OutputError::Exchanged);
                }
                Ok(folder.rename(name, &place.name)?)
            }
            Stage::InPlace => Ok(()),
        }
    }

    /// Copies a file without a name to one with a name.
    fn copy_with_name(&mut self, place: Arc<Place>) -> Result<NewFile, OutputError> {
        let copy = NewFile::with_name(place)?;
        self.file.rewind()?;
        // The file may have any length. The buffer need not be wiped: the contents of the file are in the copy, too.
        let mut buffer = [0; 1 << 14];
        loop {
            let read = match self.file.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            io::Write::write_all(&mut copy.file(), &buffer[..read])?;
        }
        copy.file.set_permissions(self.file.metadata()?.permissions())?;
        Ok(copy)
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        self.names.remove();
    }
}

/// A file in its place.
///
/// ```
/// use abreast_sealed::output::Place;
/// use std::io::Write;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("report");
/// let mut new = Place::open(&path, false)?.create()?;
/// new.file().write_all(b"all of it")?;
/// let published = new.publish_unsynced()?;
/// assert_eq!(std::fs::read(&path)?, b"all of it");
/// // Its name outlasts a loss of power from here on.
/// published.sync()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Published {
    /// The file.
    file: Kept,
    /// Its name.
    names: Arc<Names>,
}

impl Published {
    /// Puts the names in its folder on the disk: its own, and those that other files got there before.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn sync(&self) -> io::Result<()> {
        self.names.place.folder.sync(&self.file)
    }

    /// Returns a handle that takes the file back.
    #[must_use]
    pub fn remover(&self) -> Remover {
        Remover(Arc::clone(&self.names))
    }
}

/// Returns true if an error of a link or a rename means that the file system has none.
fn is_unsupported(error: &io::Error) -> bool {
    system::is_unsupported(error)
}
