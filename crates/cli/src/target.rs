//! The output of a command: all of it in place, or nothing.
//!
//! A file is written under a temporary name beside its place, with mode 0600, and renamed when it is
//! complete and on the disk: over another file only with `--force`, and never over one that came to
//! be there in the meantime. Pipes and devices are written through, and so is whatever a name in the
//! folders of devices and processes leads to, as in `-o /dev/stdout`.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::cleanup;
use crate::failure::{Exit, Failure, output_name};
use crate::sealed::Output;
use crate::streams::Stream;

/// An output, open.
pub(crate) struct Target {
    /// Its name, `-` for standard output.
    path: PathBuf,
    /// The file.
    kind: Kind,
}

/// The two ways to write.
enum Kind {
    /// A temporary file that takes its place in the end.
    Beside {
        /// That file.
        temporary: NamedTempFile,
        /// The folder of both.
        folder: File,
        /// Whether it may replace another file.
        replace: bool,
    },
    /// In order, to something that is there already.
    Through(Stream),
}

impl Target {
    /// Opens an output by name, for something made from that input.
    pub(crate) fn create(path: &Path, replace: bool, input: Option<&Metadata>) -> Result<Target, Failure> {
        let failure = |error| Failure::output(path, &error);
        if path == Path::new("-") {
            let stream = Stream::stdout().map_err(failure)?;
            let metadata = stream.file().metadata().map_err(failure)?;
            return Target::through(path, stream, &metadata, input);
        }
        let exists = || Failure::new(Exit::Exists, path, "exists already; --force replaces it");
        let apart = is_device_folder(&folder_of(path));
        match fs::metadata(path) {
            Ok(metadata) => {
                refuse_same(path, &metadata, input)?;
                if metadata.is_dir() {
                    return Err(Failure::new(Exit::Io, path, "is a folder"));
                }
                if metadata.is_file() && !replace {
                    return Err(exists());
                }
                if apart || !metadata.is_file() {
                    let file = OpenOptions::new().write(true).truncate(metadata.is_file()).open(path);
                    return Target::through(path, Stream::new(file.map_err(failure)?), &metadata, input);
                }
            }
            // A symbolic link to nothing is something all the same.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !apart => {
                if !replace && fs::symlink_metadata(path).is_ok() {
                    return Err(exists());
                }
            }
            Err(error) => return Err(failure(error)),
        }
        let folder = File::open(folder_of(path)).map_err(failure)?;
        let temporary = cleanup::create(|| {
            let temporary =
                tempfile::Builder::new().prefix(".abreast-").suffix(".tmp").tempfile_in(folder_of(path))?;
            Ok((temporary.path().to_path_buf(), temporary))
        })
        .map_err(failure)?;
        Ok(Target { path: path.to_path_buf(), kind: Kind::Beside { temporary, folder, replace } })
    }

    /// An output that is there already.
    fn through(
        path: &Path,
        stream: Stream,
        metadata: &Metadata,
        input: Option<&Metadata>,
    ) -> Result<Target, Failure> {
        refuse_same(path, metadata, input)?;
        if stream.file().is_terminal() {
            return Err(Failure::usage("no binary data to a terminal: use -o FILE or a pipe"));
        }
        Ok(Target { path: path.to_path_buf(), kind: Kind::Through(stream) })
    }

    /// Its name.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether what is written shows before [`Target::commit`].
    pub(crate) fn shows_at_once(&self) -> bool {
        matches!(self.kind, Kind::Through(_))
    }

    /// To seal or open into.
    pub(crate) fn output(&mut self) -> Output<'_> {
        match &mut self.kind {
            Kind::Beside { temporary, .. } => Output::File(temporary.as_file()),
            Kind::Through(stream) => Output::Stream(stream),
        }
    }

    /// Makes the output final.
    pub(crate) fn commit(self) -> Result<(), Failure> {
        self.commit_as(false)
    }

    /// Makes the output final for now: it is removed again if a signal comes before the next one is
    /// final.
    pub(crate) fn commit_provisionally(self) -> Result<(), Failure> {
        self.commit_as(true)
    }

    /// Makes the output final.
    fn commit_as(self, provisional: bool) -> Result<(), Failure> {
        let Target { path, kind } = self;
        let failure = |error| Failure::output(&path, &error);
        let provisional = provisional.then_some(&*path);
        let Kind::Beside { temporary, folder, replace } = kind else {
            return cleanup::publish(None, || Ok(()));
        };
        temporary.as_file().sync_all().map_err(failure)?;
        cleanup::publish(provisional, || {
            let renamed = if replace { temporary.persist(&path) } else { temporary.persist_noclobber(&path) };
            renamed.map_err(|error| match error.error.kind() {
                io::ErrorKind::AlreadyExists => {
                    Failure::new(Exit::Exists, &path, "exists already; --force replaces it")
                }
                _ => failure(error.error),
            })
        })?;
        folder.sync_all().map_err(|error| {
            if replace {
                // The old file cannot be had back.
                let cause = format!("replaced, but perhaps not on the disk for good: {error}");
                return Failure::new(Exit::Io, &path, cause);
            }
            cleanup::remove(&path);
            failure(error)
        })
    }
}

impl Write for Target {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match &mut self.kind {
            Kind::Beside { temporary, .. } => temporary.as_file_mut().write(buffer),
            Kind::Through(stream) => stream.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The folder that a name is in.
fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Whether a folder is the one of devices or one of processes, where nothing is created or renamed.
fn is_device_folder(folder: &Path) -> bool {
    fs::canonicalize(folder).is_ok_and(|folder| folder == Path::new("/dev") || folder.starts_with("/proc"))
}

/// Refuses an output that is the input, under whatever name. Character devices read and write apart.
fn refuse_same(path: &Path, output: &Metadata, input: Option<&Metadata>) -> Result<(), Failure> {
    let same = |input: &Metadata| (input.dev(), input.ino()) == (output.dev(), output.ino());
    if input.is_some_and(same) && !output.file_type().is_char_device() {
        return Err(Failure::new(Exit::Exists, output_name(path), "is the input"));
    }
    Ok(())
}
