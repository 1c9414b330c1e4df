//! Whole sealed files by their paths, with a key or a passphrase: `seal_file`, `open_file` and `verify_file` of `abreast.sealed`.

use abreast_sealed::{
    Costs, Error, FileKey, Format, Header, Input as Source, Key, Opener, Output as Target, ReadAt, Sealer,
    ags1::{self, SealedLength},
    output::{NewFile, OutputError, Place},
};
use pyo3::exceptions::{PyFileExistsError, PyMemoryError, PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::fs::File;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;

use crate::arguments::{class_of, flag, optional_path, path, text};
use crate::buffers::Input;
use crate::numbers::{optional, optional_from_1};
use crate::sealed::{PyFileKey, PyKey, aead_of};
use crate::{errors, signals};

/// Returns the number of threads that work on a file: all cores, unless it is given.
fn workers(threads: Option<usize>) -> NonZeroUsize {
    let cores = || available_parallelism().unwrap_or(NonZeroUsize::MIN);
    threads.and_then(NonZeroUsize::new).unwrap_or_else(cores)
}

/// A key of files: one for any number of them, or that of streams of AGS1.
pub(crate) enum AnyKey {
    Key(Py<PyKey>),
    Streams(Py<PyFileKey>),
}

impl<'py> FromPyObject<'_, 'py> for AnyKey {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(key) = object.cast::<PyKey>() {
            return Ok(Self::Key(key.to_owned().unbind()));
        }
        if let Ok(key) = object.cast::<PyFileKey>() {
            return Ok(Self::Streams(key.to_owned().unbind()));
        }
        Err(PyTypeError::new_err(format!(
            "a key of files is a Key of abreast.sealed, or for streams of AGS1 FileKey.ags1(...), and not {}",
            class_of(&object)
        )))
    }
}

/// The key or the passphrase of a file, of which there must be exactly one.
enum Secret<'a> {
    Key(&'a Key),
    Streams(&'a FileKey),
    Passphrase(&'a [u8]),
}

fn secret<'a>(key: Option<&'a AnyKey>, passphrase: Option<&'a [u8]>) -> PyResult<Secret<'a>> {
    match (key, passphrase) {
        (Some(AnyKey::Key(key)), None) => Ok(Secret::Key(&key.get().key)),
        (Some(AnyKey::Streams(key)), None) if key.get().key.format() == Format::Ags1 => {
            Ok(Secret::Streams(&key.get().key))
        }
        (Some(AnyKey::Streams(_)), None) => Err(PyValueError::new_err(
            "these are the keys of one file, whose nonces would be used again: pass a Key, or FileKey.ags1(...)",
        )),
        (None, Some(passphrase)) => Ok(Secret::Passphrase(passphrase)),
        (key, _) => Err(PyValueError::new_err(format!(
            "a file is sealed with a key or with a passphrase, one of them: {} given",
            if key.is_some() { "both were" } else { "neither was" }
        ))),
    }
}

/// The reason why work on files failed.
pub(crate) enum Failed {
    /// The format or a file.
    Sealed(Error),
    /// The file that was to be written.
    Output(OutputError),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Sealed(error)
    }
}

impl From<OutputError> for Failed {
    fn from(error: OutputError) -> Self {
        Self::Output(error)
    }
}

impl Failed {
    /// The exception, with the name of the file that it is about.
    #[cold]
    pub(crate) fn into_py(self, py: Python<'_>, source: &Path, target: Option<&Path>) -> PyErr {
        let error = match self {
            Self::Sealed(error @ (Error::OutOfMemory | Error::NoMemory(_))) => {
                return PyMemoryError::new_err(error.to_string());
            }
            Self::Sealed(error) => return errors::of_files(py, &error, Some(source), target),
            Self::Output(error) => error,
        };
        let name = target.unwrap_or(source).display();
        match error {
            OutputError::Exists => {
                PyFileExistsError::new_err(format!("{name} exists already; replace=True replaces it"))
            }
            OutputError::CannotReplace => PyFileExistsError::new_err(format!("{name} {error}")),
            OutputError::NoName => PyValueError::new_err(format!("{name} {error}")),
            OutputError::System(error) => errors::of_system(py, &error, target),
            error => PyOSError::new_err(format!("{name}: {error}")),
        }
    }
}

/// A file that is read until the work is to stop.
struct Stoppable<'a> {
    file: &'a File,
    stop: &'a AtomicBool,
}

impl Stoppable<'_> {
    fn check(&self) -> io::Result<()> {
        if self.stop.load(Ordering::Relaxed) {
            Err(io::Error::other("the call was ended by a signal"))
        } else {
            Ok(())
        }
    }
}

impl ReadAt for Stoppable<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.check()?;
        ReadAt::read_at(self.file, buffer, offset)
    }

    fn size(&self) -> io::Result<u64> {
        self.check()?;
        self.file.size()
    }
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.check()?;
        self.file.read(buffer)
    }
}

/// Opens a source. True if it is a regular file.
fn open_source(py: Python<'_>, path: &Path) -> PyResult<(File, bool)> {
    let opened = py.detach(|| {
        let file = File::open(path)?;
        let regular = file.metadata()?.is_file();
        Ok((file, regular))
    });
    opened.map_err(|error| errors::of_system(py, &error, Some(path)))
}

/// Reads the header of a sealed file, and finds its key.
fn unlocked(
    input: &mut Stoppable<'_>,
    regular: bool,
    secret: &Secret<'_>,
    length: SealedLength,
) -> Result<Opener, Error> {
    if let Secret::Streams(keys) = secret {
        let header = if regular { ags1::Header::read_at(&*input)? } else { ags1::Header::read(input)? };
        return Opener::ags1(&header, keys, length);
    }
    let header = &if regular { Header::read_at(&*input)? } else { Header::read(input)? };
    match (secret, header.passphrase_line()) {
        (Secret::Streams(_), _) => Err(Error::OtherFormat),
        (Secret::Key(key), None) => Opener::new(header, key),
        (Secret::Passphrase(passphrase), Some(line)) => Opener::new(header, &line.stretch(passphrase)?),
        // A key file does not open a file sealed with a passphrase, nor the other way round.
        (Secret::Key(_), Some(_)) => Err(Error::WithPassphrase),
        (Secret::Passphrase(_), None) => Err(Error::WrongKey),
    }
}

/// Seals a file into a new one, which appears complete or not at all.
#[pyfunction]
#[pyo3(signature = (source, target, key, passphrase, aead, replace, threads))]
#[expect(clippy::too_many_arguments, reason = "those of `seal_file`")]
pub(crate) fn seal_path(
    py: Python<'_>,
    #[pyo3(from_py_with = path)] source: PathBuf,
    #[pyo3(from_py_with = path)] target: PathBuf,
    key: Option<AnyKey>,
    passphrase: Option<Input<'_>>,
    #[pyo3(from_py_with = text)] aead: &str,
    #[pyo3(from_py_with = flag)] replace: bool,
    #[pyo3(from_py_with = optional_from_1)] threads: Option<usize>,
) -> PyResult<u64> {
    let secret = secret(key.as_ref(), passphrase.as_deref())?;
    let (aead, workers) = (aead_of(aead)?, workers(threads));
    let (file, regular) = open_source(py, &source)?;
    let work = |stop: &AtomicBool| {
        let place = Place::open(&target, replace)?;
        // Before anything is created: to hash a passphrase takes memory, and a process that has none left may be killed.
        let sealer = match secret {
            Secret::Key(key) => Sealer::new(key)?,
            Secret::Streams(keys) => Sealer::ags1(keys)?,
            Secret::Passphrase(passphrase) => Sealer::with_passphrase(passphrase, aead, Costs::DEFAULT)?,
        };
        let mut output = place.create()?;
        let mut input = Stoppable { file: &file, stop };
        let input = if regular { Source::At(&input) } else { Source::Stream(&mut input) };
        let len = sealer.seal(input, output.output(), workers, &())?;
        output.sync().map_err(Error::Write)?;
        Stoppable { file: &file, stop }.check().map_err(Error::Read)?;
        output.publish()?;
        Ok(len)
    };
    signals::beside(py, work)?.map_err(|error: Failed| error.into_py(py, &source, Some(&target)))
}

/// Opens a sealed file into a new one, which appears complete or not at all, or into nothing, which verifies it.
#[pyfunction]
#[pyo3(signature = (source, target, key, passphrase, sealed_length, replace, threads))]
#[expect(clippy::too_many_arguments, reason = "those of `open_file`")]
pub(crate) fn open_path(
    py: Python<'_>,
    #[pyo3(from_py_with = path)] source: PathBuf,
    #[pyo3(from_py_with = optional_path)] target: Option<PathBuf>,
    key: Option<AnyKey>,
    passphrase: Option<Input<'_>>,
    #[pyo3(from_py_with = optional)] sealed_length: Option<u64>,
    #[pyo3(from_py_with = flag)] replace: bool,
    #[pyo3(from_py_with = optional_from_1)] threads: Option<usize>,
) -> PyResult<()> {
    let secret = secret(key.as_ref(), passphrase.as_deref())?;
    let length = sealed_length.map_or(SealedLength::Unknown, SealedLength::Trusted);
    let workers = workers(threads);
    let (file, regular) = open_source(py, &source)?;
    let work = |stop: &AtomicBool| {
        let place = target.as_ref().map(|target| Place::open(target, replace)).transpose()?;
        let mut input = Stoppable { file: &file, stop };
        let opener = unlocked(&mut input, regular, &secret, length)?;
        let mut output = place.map(Place::create).transpose()?;
        let to = output.as_mut().map_or(Target::Nothing, NewFile::output);
        if regular {
            opener.open_range(.., &input, to, workers, &())?;
        } else {
            opener.open(Source::Stream(&mut input), to, workers, &())?;
        }
        if let Some(mut output) = output {
            output.sync().map_err(Error::Write)?;
            input.check().map_err(Error::Read)?;
            output.publish()?;
        }
        Ok(())
    };
    signals::beside(py, work)?.map_err(|error: Failed| error.into_py(py, &source, target.as_deref()))
}
