//! New files on disk, each complete in its place or not there at all.
//!
//! Everything is done through the descriptor of the folder, so that a folder that is renamed, or exchanged for another
//! one, takes nothing with it. Of several ways to write, the best one that the file system has is taken:
//!
//! | the file system has | the file is written | and published by |
//! |---|---|---|
//! | unnamed files (ext4, XFS, Btrfs, tmpfs, overlays of these) | without a name, so that nothing is left of it whatever ends the process | a link; over another file, a link beside it and a rename |
//! | renames that replace nothing (NFS of Linux, FAT) | beside its place, as `.abreast-*.tmp` | such a rename |
//! | links | the same | a link |
//! | neither, but renames | the same, while an empty file reserves its place from the beginning | a rename over that file |
//! | no renames at all (buckets as folders) | in its place, in order | the last write |
//!
//! In the last row an incomplete file shows under the final name while the work goes on; when the work fails, it is
//! removed. Such a file system cannot replace a file in one step, and a request for that is an error before any work.
//!
//! # Checks, and when they are made
//!
//! Before a file is published, the path of its folder must still lead to the folder that was opened, and a file that has a
//! name must still be the one that was written. Afterwards both are looked at again. If the folder has gone, a new file is
//! taken back and the call fails. There remain moments between two system calls: a folder that is renamed between the last
//! look and the return of the call takes the complete file along, as it would a moment later; and where the file replaced
//! another one, the old file cannot be brought back, so that an error leaves the complete new one in the folder that was
//! moved. Somebody who can write to the folder can exchange a file that has a name between the look at it and its rename;
//! the second look sees that, and the call fails. A folder without `/proc` beside it is known by the path that was given,
//! so that a rename of the working directory of the process is not seen there.
//!
//! Other systems than Linux do all this by names, and look at the folder no second time.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Output;

#[cfg(any(target_os = "linux", target_os = "android"))]
#[path = "linux.rs"]
mod system;

#[cfg(not(any(target_os = "linux", target_os = "android")))]
#[path = "by_name.rs"]
mod system;

pub use system::leftovers;
use system::{Folder, Identity, identity, lock};

/// The beginning of the name of a temporary file.
const PREFIX: &str = ".abreast-";

/// The number of random names that are tried before the folder is taken for one that has them all.
const ATTEMPTS: usize = 16;

/// Why an output cannot be created, or not be given its place. Nothing is left of it then, except after
/// [`NotOnDisk`](OutputError::NotOnDisk).
#[derive(Debug)]
#[non_exhaustive]
pub enum OutputError {
    /// There is something under the name already, and it was not to be replaced.
    Exists,
    /// The path ends in a slash or in dots, and names no file.
    NoName,
    /// The folder was renamed, removed or exchanged while the file was written.
    FolderMoved,
    /// The file was exchanged for another one under its name while it was written.
    Exchanged,
    /// The file system cannot replace a file in one step.
    CannotReplace,
    /// The system failed.
    System(io::Error),
    /// The file replaced another one and is complete, but the system failed to put its name on the disk.
    NotOnDisk(io::Error),
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OutputError::Exists => f.write_str("exists already"),
            OutputError::NoName => f.write_str("names no file: it ends in a slash, or in the name . or .."),
            OutputError::FolderMoved => {
                f.write_str("its folder was renamed or replaced during the work: nothing was kept, run it again")
            }
            OutputError::Exchanged => f.write_str("was replaced by another file during the work: run it again"),
            OutputError::CannotReplace => f.write_str(
                "exists, and its file system cannot replace a file in one step: remove it, or give another name",
            ),
            OutputError::System(error) => error.fmt(f),
            OutputError::NotOnDisk(error) => {
                write!(f, "replaced, but perhaps not on the disk for good: {error}")
            }
        }
    }
}

impl std::error::Error for OutputError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            OutputError::System(error) | OutputError::NotOnDisk(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for OutputError {
    fn from(error: io::Error) -> OutputError {
        match error.kind() {
            io::ErrorKind::AlreadyExists => OutputError::Exists,
            _ => OutputError::System(error),
        }
    }
}

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
    folder: Folder,
    /// The name in it.
    name: OsString,
    /// True if the file may replace another one.
    replace: bool,
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

/// Splits a path into a folder and a name in it.
fn split(path: &Path) -> Option<(PathBuf, OsString)> {
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

/// The names that a file has in its folder before it is published, each of which is to be removed unless it is.
#[derive(Debug)]
struct Names {
    /// The place of the file.
    place: Arc<Place>,
    /// Each name, and the file that it stood for.
    list: Mutex<Vec<(OsString, Identity)>>,
}

impl Names {
    /// Locks the list.
    fn list(&self) -> MutexGuard<'_, Vec<(OsString, Identity)>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a name.
    fn add(&self, name: &OsStr, file: Identity) {
        system::begin_use(file);
        self.list().push((name.to_os_string(), file));
    }

    /// Strikes a name off: it has gone, or is to stay.
    fn strike(&self, name: &OsStr) {
        self.list().retain(|(known, file)| {
            if known == name {
                system::end_use(*file);
            }
            known != name
        });
    }

    /// Removes a name, or leaves it to [`remove`](Names::remove).
    fn remove_one(&self, name: &OsStr) {
        match self.place.folder.find(name) {
            Ok(Some(_)) if self.place.folder.remove(name).is_err() => {}
            Ok(_) => self.strike(name),
            Err(_) => {}
        }
    }

    /// Removes all names that still stand for the same files.
    fn remove(&self) {
        for (name, file) in self.list().drain(..) {
            if matches!(self.place.folder.find(&name), Ok(Some(found)) if found == file) {
                let _ = self.place.folder.remove(&name);
            }
            system::end_use(file);
        }
    }
}

/// Removes a file that is not to stay, from any thread: for programs that end by a signal, where nothing is dropped.
#[derive(Clone, Debug)]
pub struct Remover(Arc<Names>);

impl Remover {
    /// Removes whatever shows of the file in its folder, if it is still there. A published file stays, unless this is the
    /// remover of [`Published`].
    pub fn remove(&self) {
        self.0.remove();
    }

    /// Returns true if there is nothing to remove at this moment: the file has no name, was published, or is gone.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.0.list().is_empty()
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
    fn with_name(place: Arc<Place>) -> Result<NewFile, OutputError> {
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

    /// The file, to be written at any offset. If it is [in order](NewFile::is_in_order), only at its end.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Returns true if the file may only be written in order, as buckets demand that are mounted as folders.
    #[must_use]
    pub fn is_in_order(&self) -> bool {
        matches!(self.stage, Stage::InPlace)
    }

    /// The file as an output to seal or open into.
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
    pub fn publish(mut self) -> Result<Published, OutputError> {
        self.sync()?;
        let place = Arc::clone(&self.names.place);
        let folder = &place.folder;
        let own = identity(&self.file)?;
        if !folder.is_where_it_was()? {
            return Err(OutputError::FolderMoved);
        }
        // The answer may get lost although the call did its work, as on a network.
        let is_there = || matches!(folder.find(&place.name), Ok(Some(found)) if found == own);
        match self.take_place(&place, own) {
            Err(OutputError::System(error))
                if matches!(self.stage, Stage::Unnamed) && is_unsupported(&error) =>
            {
                // Links were refused against all expectation. The work is not thrown away for that.
                return self.copy_with_name(place)?.publish();
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
        let published = Published { names: Arc::new(Names { place: Arc::clone(&place), list }) };
        if !folder.is_where_it_was().map_err(system)? {
            if !place.replace {
                published.names.remove();
            }
            return Err(OutputError::FolderMoved);
        }
        folder.sync(&self.file).map_err(system)?;
        Ok(published)
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
#[derive(Debug)]
pub struct Published {
    /// Its name.
    names: Arc<Names>,
}

impl Published {
    /// Returns a handle that takes the file back.
    #[must_use]
    pub fn remover(&self) -> Remover {
        Remover(Arc::clone(&self.names))
    }
}

/// Tries a call with random names until it is not refused because there is a file.
fn with_random_name<T>(suffix: &str, call: impl Fn(&OsStr) -> io::Result<T>) -> io::Result<(OsString, T)> {
    for _ in 1..ATTEMPTS {
        let name = random_name(suffix)?;
        match call(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            done => return Ok((name, done?)),
        }
    }
    let name = random_name(suffix)?;
    let done = call(&name)?;
    Ok((name, done))
}

/// Returns a name such as `.abreast-0123456789ab.tmp`.
fn random_name(suffix: &str) -> io::Result<OsString> {
    let mut bytes = [0; 6];
    getrandom::fill(&mut bytes)?;
    Ok(format!("{PREFIX}{}.{suffix}", data_encoding::HEXLOWER.encode(&bytes)).into())
}

/// Returns true if a name is one that [`random_name`] gives to locked files.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn is_temporary(name: &[u8]) -> bool {
    let random = name.strip_prefix(PREFIX.as_bytes()).and_then(|rest| rest.strip_suffix(b".tmp"));
    random.is_some_and(|random| random.len() == 12 && random.iter().all(u8::is_ascii_hexdigit))
}

/// Returns true if an error of a link or a rename means that the file system has none.
fn is_unsupported(error: &io::Error) -> bool {
    system::is_unsupported(error)
}

#[cfg(test)]
mod tests;
