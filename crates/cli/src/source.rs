//! The input of a command.

use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};

use crate::failure::{Exit, Failure};
use crate::sealed::Input;
use crate::streams::Stream;

/// An input, open.
pub(crate) struct Source {
    /// Its name, `-` for standard input.
    path: PathBuf,
    /// What the system says about it.
    metadata: Metadata,
    /// The file.
    kind: Kind,
}

/// The two ways to read.
enum Kind {
    /// At any offset.
    File(File),
    /// In order.
    Stream(Stream),
}

impl Source {
    /// Opens an input by name.
    pub(crate) fn open(path: &Path) -> Result<Source, Failure> {
        let failure = |error| Failure::io(path, &error);
        let kind = if path == Path::new("-") {
            Kind::Stream(Stream::stdin().map_err(failure)?)
        } else {
            let file = File::open(path).map_err(failure)?;
            if file.metadata().map_err(failure)?.is_file() {
                Kind::File(file)
            } else {
                Kind::Stream(Stream::new(file))
            }
        };
        let file = match &kind {
            Kind::File(file) => file,
            Kind::Stream(stream) => stream.file(),
        };
        let metadata = file.metadata().map_err(failure)?;
        if metadata.is_dir() {
            return Err(Failure::new(Exit::Io, path, "is a folder"));
        }
        Ok(Source { path: path.to_path_buf(), metadata, kind })
    }

    /// Its name.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What the system says about it.
    pub(crate) fn metadata(&self) -> &Metadata {
        &self.metadata
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

    /// To read from the beginning.
    pub(crate) fn reader(&mut self) -> &mut (dyn std::io::Read + Send) {
        match &mut self.kind {
            Kind::File(file) => file,
            Kind::Stream(stream) => stream,
        }
    }

    /// To seal or open.
    pub(crate) fn input(&mut self) -> Input<'_> {
        match &mut self.kind {
            Kind::File(file) => Input::File(file),
            Kind::Stream(stream) => Input::Stream(stream),
        }
    }
}
