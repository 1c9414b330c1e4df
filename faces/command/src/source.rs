//! The input of a command.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::failure::{Exit, Failure};
use crate::os::{self, Facts as _, Metadata};
use crate::streams::Stream;
use abreast::Counted;
use abreast_sealed::{Header, Input};

/// An input, open.
pub struct Source {
    /// Its name, `-` for standard input.
    path: PathBuf,
    /// Its metadata from the system.
    metadata: Metadata,
    /// The file.
    kind: Kind,
}

/// The two ways to read.
enum Kind {
    /// At any offset.
    File(File),
    /// In order, after a byte that was read ahead.
    Stream(Ahead),
}

/// A stream, of which one byte may have been read ahead.
struct Ahead {
    /// The byte that was read ahead.
    byte: Option<u8>,
    /// The rest.
    stream: Stream,
}

impl Read for Ahead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match (self.byte, buffer.first_mut()) {
            (Some(byte), Some(first)) => {
                *first = byte;
                self.byte = None;
                Ok(1)
            }
            _ => self.stream.read(buffer),
        }
    }
}

impl Kind {
    /// A stream of which nothing has been read.
    fn stream(stream: Stream) -> Kind {
        Kind::Stream(Ahead { byte: None, stream })
    }

    /// The file, in both cases.
    fn file(&self) -> &File {
        match self {
            Kind::File(file) => file,
            Kind::Stream(ahead) => ahead.stream.file(),
        }
    }
}

impl Source {
    /// Opens an input by name.
    pub(crate) fn open(path: &Path) -> Result<Source, Failure> {
        let failure = |error| Failure::io(path, &error);
        let kind = if path == Path::new("-") {
            Kind::stream(Stream::stdin().map_err(failure)?)
        } else {
            let file = File::open(path).map_err(failure)?;
            if os::metadata_of(&file).map_err(failure)?.is_file() {
                Kind::File(file)
            } else {
                Kind::stream(Stream::new(file))
            }
        };
        let metadata = os::metadata_of(kind.file()).map_err(failure)?;
        if metadata.is_dir() {
            return Err(Failure::new(Exit::Io, path, "is a folder"));
        }
        Ok(Source { path: path.to_path_buf(), metadata, kind })
    }

    /// Opens an input that is to be read at any offset, which a regular file can be; anything else is refused with
    /// `cause`. To open a pipe would wait for its writer, so the name is looked at first, and opened in a way that does
    /// not wait if it has become a pipe.
    ///
    /// # Errors
    ///
    /// Fails if there is no such file, or with `cause` if it is not regular.
    pub fn open_regular(path: &Path, cause: &'static str) -> Result<Source, Failure> {
        let failure = |error| Failure::io(path, &error);
        let refused = |metadata: &Metadata| {
            if metadata.is_dir() {
                Failure::new(Exit::Io, path, "is a folder")
            } else {
                Failure::new(Exit::Usage, path, cause)
            }
        };
        if path == Path::new("-") {
            return Err(Failure::new(Exit::Usage, path, cause));
        }
        let metadata = os::metadata(path).map_err(failure)?;
        if !metadata.is_file() {
            return Err(refused(&metadata));
        }
        let file = os::open_without_waiting(path).map_err(failure)?;
        let metadata = os::metadata_of(&file).map_err(failure)?;
        if !metadata.is_file() {
            return Err(refused(&metadata));
        }
        Ok(Source { path: path.to_path_buf(), metadata, kind: Kind::File(file) })
    }

    /// Its name.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns its metadata from the system.
    pub(crate) fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Closes it, and returns its metadata.
    pub(crate) fn into_metadata(self) -> Metadata {
        self.metadata
    }

    /// Its length, if it has one.
    pub(crate) fn len(&self) -> Option<u64> {
        self.file().map(|_| self.metadata.len())
    }

    /// The file, if it can be read at any offset.
    pub(crate) fn file(&self) -> Option<&File> {
        match &self.kind {
            Kind::File(file) => Some(file),
            Kind::Stream(_) => None,
        }
    }

    /// Fails if the file was changed since it was opened, or if `read`, the number of bytes read from its beginning where
    /// that is known, is not its length.
    ///
    /// The bytes read then belong to no state that the file ever was in. The time of change of the inode counts too, since
    /// the time of modification can be set back.
    pub(crate) fn check_unchanged(&self, read: Option<u64>) -> Result<(), Failure> {
        if !self.metadata.is_file() {
            return Ok(());
        }
        let now = os::metadata_of(self.kind.file()).map_err(|error| Failure::io(&self.path, &error))?;
        if now.state() != self.metadata.state() {
            return Err(Failure::new(Exit::Io, &self.path, "the file was changed while it was read"));
        }
        // Files that the kernel makes up when they are read have no length to rely on, and say 0.
        match (self.len(), read) {
            (Some(len), Some(read)) if len != 0 && read != len => {
                let cause = format!(
                    "gave {}, and has {len}: if that is usual, read it through a pipe",
                    Counted(read, "bytes")
                );
                Err(Failure::new(Exit::Io, &self.path, cause))
            }
            _ => Ok(()),
        }
    }

    /// Reads the header of a sealed file.
    pub(crate) fn header(&mut self) -> Result<Header, Failure> {
        let header = Header::read(self.reader());
        header.map_err(|error| Failure::sealed(&self.path, Path::new("-"), &error))
    }

    /// Returns true if it is a stream that ends before its first byte.
    pub(crate) fn is_empty_stream(&mut self) -> Result<bool, Failure> {
        let Kind::Stream(ahead) = &mut self.kind else { return Ok(false) };
        let mut first = [0];
        let read = loop {
            match ahead.stream.read(&mut first) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read.map_err(|error| Failure::io(&self.path, &error))?,
            }
        };
        ahead.byte = (read > 0).then_some(first[0]);
        Ok(read == 0)
    }

    /// Returns the input for reading from its beginning.
    pub fn reader(&mut self) -> &mut (dyn Read + Send) {
        match &mut self.kind {
            Kind::File(file) => file,
            Kind::Stream(stream) => stream,
        }
    }

    /// To seal or open. A file of length 0 may be one that the kernel makes up when it is read; such a file has no size to
    /// rely on, and is read like a stream.
    pub(crate) fn input(&mut self) -> Input<'_> {
        let has_size = self.metadata.len() != 0;
        match &mut self.kind {
            Kind::File(file) => {
                if has_size {
                    Input::At(file)
                } else {
                    Input::Stream(file)
                }
            }
            Kind::Stream(stream) => Input::Stream(stream),
        }
    }
}
