//! The output of a command: all of it in place, or nothing.
//!
//! A new file, with mode 0600, gets its name when it is complete and on the disk, by
//! [`abreast_sealed::output`]: over another file only with `--force`, and never over one that came to
//! be there in the meantime. Pipes and devices are written through, and so is whatever a name in the folders of devices
//! and processes leads to, as in `-o /dev/stdout`. A name can lead to another file at any time, so there the open file is
//! examined before anything is written.

use std::fs::OpenOptions;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use crate::cleanup;
use crate::failure::{Exit, Failure, output_name};
use crate::files::folders;
use crate::identity::folder_of;
use crate::leftovers;
use crate::os::{self, Facts as _, Metadata};
use crate::outputs::Outputs;
use crate::streams::Stream;
use abreast_sealed::Output;
use abreast_sealed::output::{NewFile, OutputError, Place, Published, check_name};

/// Error text for an output that another output of the same call would take the place of.
const ANOTHER_OUTPUT: &str = "is another output of the same call";

/// An output, open.
pub struct Target {
    /// Its name, `-` for standard output.
    path: PathBuf,
    /// The file.
    kind: Kind,
}

/// The two ways to write.
enum Kind {
    /// A file that takes its place in the end.
    New(NewFile, Replace),
    /// In order, to something that is there already.
    Through(Stream),
}

/// An output that is known to be allowed, and that nothing has been done for yet: the time to ask for a passphrase, and to
/// hash it.
pub(crate) struct Prepared {
    /// Its name.
    path: PathBuf,
    /// True if it may take the place of something.
    replace: Replace,
    /// The next step.
    kind: PreparedKind,
}

/// The ways to go on.
enum PreparedKind {
    /// To create a file here.
    New(Place),
    /// To open something that is there, in a folder of devices or elsewhere.
    There {
        /// True in a folder of devices or processes.
        apart: bool,
    },
    /// Nothing: it is open.
    Open(Target),
}

/// The thing that has the name of an output already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Occupant {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A block device, which is as much data as a file is.
    BlockDevice,
    /// A pipe or a character device, which passes bytes on and keeps none.
    Stream,
}

impl Occupant {
    /// Returns the occupant that has this metadata.
    fn of(metadata: &Metadata) -> Occupant {
        match metadata {
            file if file.is_file() => Occupant::File,
            file if file.is_dir() => Occupant::Folder,
            file if file.block_device().is_some() => Occupant::BlockDevice,
            _ => Occupant::Stream,
        }
    }

    /// Checks that it may be written over, by the permission `replace` of the user.
    fn permit(self, replace: Replace) -> Result<(), (Exit, &'static str)> {
        match (self, replace) {
            (Occupant::Folder, _) => Err((Exit::Io, "is a folder")),
            (Occupant::File, Replace::No | Replace::Never) => Err((Exit::Exists, replace.exists())),
            (Occupant::BlockDevice, Replace::No) => {
                Err((Exit::Exists, "is a block device; --force overwrites what is on it"))
            }
            (Occupant::BlockDevice, Replace::Never) => {
                Err((Exit::Exists, "is a block device, and a key is never written over anything"))
            }
            (Occupant::File | Occupant::BlockDevice | Occupant::Stream, _) => Ok(()),
        }
    }
}

/// The permission of an output to take the place of something that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replace {
    /// Never: the output is a key, and the file that it would replace may be one, without which files cannot be opened.
    Never,
    /// No, since the user did not allow it.
    No,
    /// Yes.
    Yes,
}

impl Replace {
    /// Returns the permission by the option `--force`.
    #[must_use]
    pub const fn by_force(force: bool) -> Replace {
        if force { Replace::Yes } else { Replace::No }
    }

    /// Returns the error text for an output that exists already.
    const fn exists(self) -> &'static str {
        match self {
            Replace::Never => "exists already, and a new key replaces no file: give another name",
            Replace::No | Replace::Yes => "exists already; --force replaces it",
        }
    }
}

impl Target {
    /// Opens an output by name; `-` is standard output. It is none of the files that `outputs` keeps.
    ///
    /// # Errors
    ///
    /// Fails if something is in its place that `replace` does not allow to replace, or if the system refuses.
    pub fn create(path: &Path, replace: Replace, outputs: &Outputs) -> Result<Target, Failure> {
        Target::prepare(path, replace, outputs)?.create(outputs)
    }

    /// Checks that there may be an output of that name.
    pub(crate) fn prepare(path: &Path, replace: Replace, outputs: &Outputs) -> Result<Prepared, Failure> {
        let failure = |error| Failure::output(path, &error);
        let prepared = |kind| Ok(Prepared { path: path.to_path_buf(), replace, kind });
        if path == Path::new("-") {
            let stream = Stream::stdout().map_err(failure)?;
            return prepared(PreparedKind::Open(Target::through(path, stream, outputs)?));
        }
        check_name(path).map_err(|error| refused(path, replace, error))?;
        outputs.check_name(path)?;
        let apart = os::is_device_folder(&folder_of(path));
        match os::metadata(path) {
            Ok(metadata) => {
                let occupant = Occupant::of(&metadata);
                occupant.permit(replace).map_err(|(exit, cause)| Failure::new(exit, path, cause))?;
                if apart || occupant != Occupant::File {
                    return prepared(PreparedKind::There { apart });
                }
            }
            // A symbolic link to nothing is something all the same, which the place knows.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !apart => {}
            Err(error) => return Err(failure(error)),
        }
        let place =
            Place::open(path, replace == Replace::Yes).map_err(|error| refused(path, replace, error))?;
        prepared(PreparedKind::New(place))
    }

    /// Opens an output that is there already, to write it through. A regular file is emptied, which happens
    /// in the folders of devices and processes alone (`apart`); elsewhere it has just taken the place of another file, and
    /// is left as it is.
    fn open(path: &Path, replace: Replace, apart: bool, outputs: &Outputs) -> Result<Target, Failure> {
        let failure = |error| Failure::output(path, &error);
        let file = OpenOptions::new().write(true).open(path).map_err(failure)?;
        let occupant = Occupant::of(&os::metadata_of(&file).map_err(failure)?);
        occupant.permit(replace).map_err(|(exit, cause)| Failure::new(exit, path, cause))?;
        if occupant == Occupant::File && !apart {
            return Err(Failure::new(Exit::Io, path, "was replaced by another file while it was opened"));
        }
        let target = Target::through(path, Stream::new(file), outputs)?;
        if let (Occupant::File, Kind::Through(stream)) = (occupant, &target.kind) {
            stream.file().set_len(0).map_err(failure)?;
        }
        Ok(target)
    }

    /// An output that is there already, and open.
    fn through(path: &Path, stream: Stream, outputs: &Outputs) -> Result<Target, Failure> {
        outputs.check(path, &stream.metadata().map_err(|error| Failure::output(path, &error))?)?;
        if stream.file().is_terminal() {
            return Err(Failure::new(
                Exit::Usage,
                output_name(path),
                "is a terminal, which other bytes than text can disturb: give -o FILE, or pipe it through cat",
            ));
        }
        Ok(Target { path: path.to_path_buf(), kind: Kind::Through(stream) })
    }

    /// Lets everybody read the output, if it is a new file.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses.
    pub fn show_to_all(&self) -> Result<(), Failure> {
        let Kind::New(file, _) = &self.kind else { return Ok(()) };
        os::show_to_all(file.file()).map_err(|error| Failure::output(&self.path, &error))
    }

    /// Gives the output the permissions and the times of its input, if it is a new file.
    pub(crate) fn copy_metadata(&self, from: &Metadata) -> Result<(), Failure> {
        let Kind::New(file, _) = &self.kind else { return Ok(()) };
        if !from.is_file() {
            return Ok(());
        }
        let copied = folders::copy_metadata(file.file(), from);
        copied.map_err(|error| Failure::output(&self.path, &error))
    }

    /// Gives the output to the owner and the group of the file that it takes the place of, where the system allows that.
    pub(crate) fn copy_owner(&self, from: &Metadata) {
        if let Kind::New(file, _) = &self.kind {
            os::copy_owner(file.file(), from);
        }
    }

    /// Returns its name, `-` for standard output.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if written bytes are visible before [`Target::commit`].
    pub(crate) fn shows_at_once(&self) -> bool {
        match &self.kind {
            Kind::New(file, _) => file.is_in_order(),
            Kind::Through(_) => true,
        }
    }

    /// Returns true if it is a new file, which can be taken back.
    pub(crate) fn is_new_file(&self) -> bool {
        matches!(self.kind, Kind::New(..))
    }

    /// To seal or open into.
    pub(crate) fn output(&mut self) -> Output<'_> {
        match &mut self.kind {
            Kind::New(file, _) => file.output(),
            Kind::Through(stream) => Output::Stream(stream),
        }
    }

    /// Makes the output final. From then on it is one of the files that `outputs` keeps.
    ///
    /// # Errors
    ///
    /// Fails if something has come to be in its place, or if the system refuses. Then there is no output.
    pub fn commit(self, outputs: &mut Outputs) -> Result<(), Failure> {
        self.commit_by(outputs, ANOTHER_OUTPUT, |file| cleanup::publish(file, NewFile::publish)).map(drop)
    }

    /// Makes the output final, but for its name, which is on the disk after the folder is synced. `None` if it is not a new
    /// file.
    pub(crate) fn commit_unsynced(self, outputs: &mut Outputs) -> Result<Option<Published>, Failure> {
        self.commit_by(outputs, ANOTHER_OUTPUT, |file| cleanup::publish(file, NewFile::publish_unsynced))
    }

    /// Makes a new key final for now: it is removed again if a signal comes before the next output is
    /// final.
    pub(crate) fn commit_new_key(self, outputs: &mut Outputs) -> Result<(), Failure> {
        self.commit_by(outputs, "is the new key", cleanup::publish_new_key).map(drop)
    }

    /// Makes the output final. `what` is the error text for another output that would replace it.
    fn commit_by<T>(
        self,
        outputs: &mut Outputs,
        what: &'static str,
        publish: fn(NewFile) -> Result<T, OutputError>,
    ) -> Result<Option<T>, Failure> {
        let Target { path, kind } = self;
        let failure = |error| Failure::output(&path, &error);
        let (mut file, replace) = match kind {
            Kind::New(file, replace) => (file, replace),
            Kind::Through(stream) => {
                // A device reports failed writes when it is synced, and only then.
                let metadata = stream.metadata().map_err(failure)?;
                if Occupant::of(&metadata) == Occupant::BlockDevice {
                    stream.file().sync_all().map_err(failure)?;
                }
                cleanup::keep_new_key();
                return Ok(None);
            }
        };
        // Before signals have to wait for the file to be published.
        file.sync().map_err(failure)?;
        let metadata = os::metadata_of(file.file()).map_err(failure)?;
        // Asked again: the work may have taken hours, in which files were moved.
        if !file.is_in_order() {
            outputs.check_name(&path)?;
        }
        let published = publish(file).map_err(|error| refused(&path, replace, error))?;
        outputs.keep(&metadata, what);
        Ok(Some(published))
    }
}

impl Prepared {
    /// Creates the file, or opens the existing one.
    pub(crate) fn create(self, outputs: &Outputs) -> Result<Target, Failure> {
        let Prepared { path, replace, kind } = self;
        let place = match kind {
            PreparedKind::New(place) => place,
            PreparedKind::There { apart } => return Target::open(&path, replace, apart, outputs),
            PreparedKind::Open(target) => return Ok(target),
        };
        leftovers::report(&folder_of(&path));
        let file = cleanup::create(|| place.create()).map_err(|error| refused(&path, replace, error))?;
        Ok(Target { path, kind: Kind::New(file, replace) })
    }
}

/// The failure of a new file.
fn refused(path: &Path, replace: Replace, error: OutputError) -> Failure {
    match error {
        OutputError::Exists => Failure::new(Exit::Exists, path, replace.exists()),
        OutputError::CannotReplace => Failure::new(Exit::Exists, path, error),
        OutputError::NoName | OutputError::NotAFile(_) => Failure::new(Exit::Usage, path, error),
        OutputError::System(error) => Failure::output(path, &error),
        error => Failure::new(Exit::Io, path, error),
    }
}

impl Write for Target {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match &mut self.kind {
            Kind::New(file, _) => file.file().write(buffer),
            Kind::Through(stream) => stream.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_replaced_by_force_alone() {
        let exit = |occupant: Occupant, replace| occupant.permit(replace).map_err(|(exit, _)| exit);
        for occupant in [Occupant::File, Occupant::BlockDevice] {
            assert_eq!(exit(occupant, Replace::Never), Err(Exit::Exists));
            assert_eq!(exit(occupant, Replace::No), Err(Exit::Exists));
            assert_eq!(exit(occupant, Replace::Yes), Ok(()));
        }
        for replace in [Replace::Never, Replace::No, Replace::Yes] {
            assert_eq!(exit(Occupant::Folder, replace), Err(Exit::Io));
            assert_eq!(exit(Occupant::Stream, replace), Ok(()));
        }
    }
}
