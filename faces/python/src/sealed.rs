//! Sealed files: `abreast.sealed`, on the crate `abreast-sealed`.

use abreast_sealed::{
    Aead, CHUNK, Costs, Error, FileCipher, FileKey, Format, HEADER, Header, Input as Source, Key, Layout,
    Limits, MAX_HEADER, Opener, Output as Target, Plan, PlannedPart, ReadAt, SALT, SEALED_CHUNK, Sealer,
    ags1::{self, SealedLength},
    output::{NewFile, OutputError, Place},
};
use pyo3::exceptions::{
    PyFileExistsError, PyIndexError, PyMemoryError, PyOSError, PyOverflowError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple, PyType};
use std::fs::File;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;

use crate::arguments::{class_of, flag, instance, text};
use crate::buffers::{Input, NewBytes, Output, release};
use crate::numbers::{number, optional};
use crate::{errors, signals};

/// The AEAD of a name.
fn aead(name: &str) -> PyResult<Aead> {
    let all = [Aead::Aes128Gcm, Aead::Aes256Gcm, Aead::Serpent256Gcm];
    all.into_iter().find(|aead| aead.short_name() == name).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|aead| aead.short_name()).collect();
        PyValueError::new_err(format!("a key is for {}, and not for {name:?}", names.join(", ")))
    })
}

/// Bytes of a fixed length, such as a salt.
fn fixed<const N: usize>(what: &str, bytes: &[u8]) -> PyResult<[u8; N]> {
    bytes
        .try_into()
        .map_err(|_| PyValueError::new_err(format!("{what} has {N} bytes, and this one has {}", bytes.len())))
}

/// A key of sealed files.
#[pyclass(name = "Key", module = "abreast.sealed", frozen)]
pub(crate) struct PyKey {
    key: Key,
}

#[pymethods]
impl PyKey {
    /// A key of bytes that the caller has.
    #[new]
    #[pyo3(signature = (key, *, aead="aes-256-gcm"))]
    fn new(py: Python<'_>, key: Input<'_>, #[pyo3(from_py_with = text)] aead: &str) -> PyResult<Self> {
        let aead = self::aead(aead)?;
        let made = Key::new(aead, &key).map_err(|error| match error {
            Error::KeyLength(_) => PyValueError::new_err(format!(
                "a key for {} has {} bytes, and this one has {}",
                aead.short_name(),
                aead.key_len(),
                key.len()
            )),
            error => errors::of_sealed(py, &error),
        })?;
        Ok(Self { key: made })
    }

    /// Returns a new random key.
    #[classmethod]
    #[pyo3(signature = (*, aead="aes-256-gcm"))]
    fn generate(class: &Bound<'_, PyType>, #[pyo3(from_py_with = text)] aead: &str) -> PyResult<Self> {
        let key = Key::generate(self::aead(aead)?).map_err(|error| errors::of_sealed(class.py(), &error))?;
        Ok(Self { key })
    }

    /// Returns the key of a key file, one line of text.
    #[classmethod]
    fn from_line(_class: &Bound<'_, PyType>, line: Input<'_>) -> PyResult<Self> {
        let key =
            Key::read(&mut &line[..], None).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { key })
    }

    /// Returns the line of its key file.
    fn to_line<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.key.to_line().as_bytes())
    }

    /// The AEAD that the key is for.
    #[getter]
    fn aead(&self) -> &'static str {
        self.key.aead().short_name()
    }

    fn __repr__(&self) -> String {
        format!("<Key for {}>", self.aead())
    }
}

/// The keys of one file.
#[pyclass(name = "FileKey", module = "abreast.sealed", frozen)]
pub(crate) struct PyFileKey {
    key: FileKey,
}

#[pymethods]
impl PyFileKey {
    /// Returns the keys of a new file, with a new salt.
    #[classmethod]
    fn generate(
        class: &Bound<'_, PyType>,
        #[pyo3(from_py_with = instance)] key: Bound<'_, PyKey>,
    ) -> PyResult<Self> {
        let made =
            FileKey::generate(&key.get().key, b"").map_err(|error| errors::of_sealed(class.py(), &error))?;
        Ok(Self { key: made.0 })
    }

    /// Returns the keys of the file of a plan.
    #[classmethod]
    fn of_plan(
        class: &Bound<'_, PyType>,
        #[pyo3(from_py_with = instance)] key: Bound<'_, PyKey>,
        #[pyo3(from_py_with = instance)] plan: Bound<'_, PyPlan>,
    ) -> PyResult<Self> {
        let made = FileKey::of_plan(&key.get().key, &plan.get().plan);
        Ok(Self { key: made.map_err(|error| errors::of_sealed(class.py(), &error))? })
    }

    /// Returns the key and the AAD prefix of streams of Apache Iceberg, AGS1.
    #[classmethod]
    #[pyo3(signature = (key, aad_prefix=None))]
    fn ags1(class: &Bound<'_, PyType>, key: Input<'_>, aad_prefix: Option<Input<'_>>) -> PyResult<Self> {
        let made = FileKey::ags1(&key, aad_prefix.as_deref().unwrap_or_default());
        Ok(Self { key: made.map_err(|error| errors::of_sealed(class.py(), &error))? })
    }

    /// Returns the key and AAD prefix in the key metadata of a file of Iceberg, and the length of the stream if that is there, else None.
    #[classmethod]
    fn from_key_metadata(class: &Bound<'_, PyType>, metadata: Input<'_>) -> PyResult<(Self, Option<u64>)> {
        let of = |error: Error| errors::of_sealed(class.py(), &error);
        let read = ags1::KeyMetadata::parse(&metadata).map_err(of)?;
        let key = FileKey::ags1(read.key(), read.aad_prefix()).map_err(of)?;
        let length = match read.length() {
            SealedLength::Trusted(length) => Some(length),
            SealedLength::Unknown => None,
        };
        Ok((Self { key }, length))
    }

    /// The format of the file, "cobblestone" or "ags1".
    #[getter]
    fn format(&self) -> &'static str {
        format_name(self.key.format())
    }

    /// Returns the keys of the file that begins with this header of 56 bytes; InvalidTag if it was sealed with another key.
    #[classmethod]
    fn from_header(
        class: &Bound<'_, PyType>,
        #[pyo3(from_py_with = instance)] key: Bound<'_, PyKey>,
        header: Input<'_>,
    ) -> PyResult<Self> {
        let header: [u8; HEADER] = fixed("a header", &header)?;
        let made = FileKey::from_header(&key.get().key, &header, b"");
        Ok(Self { key: made.map_err(|error| errors::of_sealed(class.py(), &error))? })
    }

    /// Returns the keys that to_bytes returned.
    #[classmethod]
    fn from_bytes(class: &Bound<'_, PyType>, secret: Input<'_>) -> PyResult<Self> {
        let made = FileKey::from_bytes(&secret).map_err(|error| errors::of_sealed(class.py(), &error))?;
        Ok(Self { key: made })
    }

    /// Returns the keys as bytes, which are as secret as they are.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.key.to_bytes())
    }

    /// The beginning of the file: salt and commitment, which are not secret.
    #[getter]
    fn header<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.key.header())
    }

    fn __repr__(&self) -> String {
        format!("<FileKey for {}>", self.key.name())
    }
}

/// The cipher of one file, which seals and opens its chunks and parts, in any order.
#[pyclass(name = "FileCipher", module = "abreast.sealed", frozen)]
pub(crate) struct PyFileCipher {
    cipher: FileCipher,
}

#[pymethods]
impl PyFileCipher {
    #[new]
    fn new(#[pyo3(from_py_with = instance)] key: Bound<'_, PyFileKey>) -> Self {
        Self { cipher: key.get().key.cipher() }
    }

    /// Seals whole chunks from a number on; with last, the message ends with them.
    #[pyo3(signature = (first_chunk, data, *, last))]
    fn seal_chunks<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = number)] first_chunk: u64,
        data: Input<'_>,
        #[pyo3(from_py_with = flag)] last: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let of = |error: Error| errors::of_sealed(py, &error);
        let mut new =
            NewBytes::new(py, self.cipher.format().sealed_len(first_chunk, data.len(), last).map_err(of)?)?;
        let out = new.as_mut();
        release(py, data.len(), || self.cipher.seal_chunks(first_chunk, &data, last, out)).map_err(of)?;
        Ok(new.finish())
    }

    /// Opens whole chunks from a number on; with last, the file ends with them.
    #[pyo3(signature = (first_chunk, data, *, last))]
    fn open_chunks<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = number)] first_chunk: u64,
        data: Input<'_>,
        #[pyo3(from_py_with = flag)] last: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let of = |error: Error| errors::of_sealed(py, &error);
        let mut new =
            NewBytes::new(py, self.cipher.format().opened_len(first_chunk, data.len(), last).map_err(of)?)?;
        let out = new.as_mut();
        release(py, data.len(), || self.cipher.open_chunks(first_chunk, &data, last, out)).map_err(of)?;
        Ok(new.finish())
    }

    /// Seals a part of a plan, of which data is the whole of its bytes in the message.
    fn seal_part<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = instance)] part: Bound<'_, PyPart>,
        data: Input<'_>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let part = part.get();
        let mut new = NewBytes::new(py, part.sealed_len()?)?;
        let out = new.as_mut();
        release(py, data.len(), || self.cipher.seal_part(&part.part, &data, out))
            .map_err(|error| errors::of_sealed(py, &error))?;
        Ok(new.finish())
    }

    /// Opens a part of a plan, of which data is the whole of its bytes in the file.
    fn open_part<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = instance)] part: Bound<'_, PyPart>,
        data: Input<'_>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let part = part.get();
        let mut new = NewBytes::new(py, part.plain_len()?)?;
        let out = new.as_mut();
        release(py, data.len(), || self.cipher.open_part(&part.part, &data, out))
            .map_err(|error| errors::of_sealed(py, &error))?;
        Ok(new.finish())
    }

    /// Seals a part again under another key, in place: its plaintext is in no other buffer.
    fn reseal_part(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = instance)] to: Bound<'_, PyFileCipher>,
        #[pyo3(from_py_with = instance)] part: Bound<'_, PyPart>,
        mut buf: Output,
    ) -> PyResult<()> {
        let (to, part) = (&to.get().cipher, part.get());
        let len = buf.len();
        let bytes = buf.first(len)?;
        release(py, len, || self.cipher.reseal_part(to, &part.part, bytes))
            .map_err(|error| errors::of_sealed(py, &error))
    }
}

/// The plan of a sealed file in parts. It is not secret.
#[pyclass(name = "Plan", module = "abreast.sealed", frozen, eq, hash)]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PyPlan {
    plan: Plan,
}

/// The limits of parts; the usual ones by default.
fn limits(min_part: Option<u64>, max_parts: Option<u32>, preferred_part: Option<u64>) -> PyResult<Limits> {
    for (name, zero) in [("max_parts", max_parts == Some(0)), ("preferred_part", preferred_part == Some(0))] {
        if zero {
            return Err(PyValueError::new_err(format!("{name} is 0; it has to be 1 or more")));
        }
    }
    let usual = Limits::default();
    Ok(Limits {
        min_part: min_part.unwrap_or(usual.min_part),
        max_parts: max_parts.unwrap_or(usual.max_parts),
        preferred_part: preferred_part.unwrap_or(usual.preferred_part),
    })
}

#[pymethods]
impl PyPlan {
    /// The plan of a new file for a message of that length, with a new salt unless one is given.
    #[new]
    #[pyo3(signature = (message_len, *, min_part=None, max_parts=None, preferred_part=None, salt=None))]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = number)] message_len: u64,
        #[pyo3(from_py_with = optional)] min_part: Option<u64>,
        #[pyo3(from_py_with = optional)] max_parts: Option<u32>,
        #[pyo3(from_py_with = optional)] preferred_part: Option<u64>,
        salt: Option<Input<'_>>,
    ) -> PyResult<Self> {
        let limits = limits(min_part, max_parts, preferred_part)?;
        let plan = match salt {
            Some(salt) => Plan::with_salt(message_len, limits, &fixed::<SALT>("a salt", &salt)?),
            None => Plan::new(message_len, limits),
        };
        Ok(Self { plan: plan.map_err(|error| errors::of_sealed(py, &error))? })
    }

    /// Returns a plan by which to open a sealed file of that length, which begins with this header.
    #[classmethod]
    #[pyo3(signature = (header, sealed_len, *, min_part=None, max_parts=None, preferred_part=None))]
    fn of_sealed(
        class: &Bound<'_, PyType>,
        header: Input<'_>,
        #[pyo3(from_py_with = number)] sealed_len: u64,
        #[pyo3(from_py_with = optional)] min_part: Option<u64>,
        #[pyo3(from_py_with = optional)] max_parts: Option<u32>,
        #[pyo3(from_py_with = optional)] preferred_part: Option<u64>,
    ) -> PyResult<Self> {
        let limits = limits(min_part, max_parts, preferred_part)?;
        let plan = Plan::of_sealed(&header, sealed_len, limits);
        Ok(Self { plan: plan.map_err(|error| errors::of_sealed(class.py(), &error))? })
    }

    /// Returns the plan of a line of text, which str() makes.
    #[classmethod]
    fn parse(_class: &Bound<'_, PyType>, #[pyo3(from_py_with = text)] text: &str) -> PyResult<Self> {
        let plan: Plan = text.parse().map_err(|error| PyValueError::new_err(format!("{error}")))?;
        Ok(Self { plan })
    }

    /// Returns the plan of a new stream of Apache Iceberg, AGS1, for a message of that length.
    #[classmethod]
    #[pyo3(signature = (message_len, *, min_part=None, max_parts=None, preferred_part=None))]
    fn ags1(
        class: &Bound<'_, PyType>,
        #[pyo3(from_py_with = number)] message_len: u64,
        #[pyo3(from_py_with = optional)] min_part: Option<u64>,
        #[pyo3(from_py_with = optional)] max_parts: Option<u32>,
        #[pyo3(from_py_with = optional)] preferred_part: Option<u64>,
    ) -> PyResult<Self> {
        let plan = Plan::ags1(message_len, limits(min_part, max_parts, preferred_part)?);
        Ok(Self { plan: plan.map_err(|error| errors::of_sealed(class.py(), &error))? })
    }

    /// The salt of the file; None for a stream of AGS1.
    #[getter]
    fn salt<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.plan.salt().map(|salt| PyBytes::new(py, salt))
    }

    /// Bytes of the message.
    #[getter]
    fn message_len(&self) -> u64 {
        self.plan.message_len()
    }

    /// Bytes of the sealed file.
    #[getter]
    fn sealed_len(&self) -> u64 {
        self.plan.sealed_len()
    }

    /// Chunks of each part except the last one.
    #[getter]
    fn part_chunks(&self) -> u32 {
        self.plan.part_chunks()
    }

    fn __len__(&self) -> usize {
        self.plan.parts().len()
    }

    /// Returns the part of a number, from 0.
    fn __getitem__(&self, number: &Bound<'_, PyAny>) -> PyResult<PyPart> {
        let part = match number.extract() {
            Ok(number) => self.plan.part(number).ok(),
            Err(error) if error.is_instance_of::<PyOverflowError>(number.py()) => None,
            Err(error) => return Err(error),
        };
        Ok(PyPart { part: part.ok_or_else(|| PyIndexError::new_err("the plan has no part of this number"))? })
    }

    /// Returns the runs of chunks of at most about size bytes that a part consists of, as parts themselves: for parts that are
    /// longer than the memory that there is for them.
    #[pyo3(signature = (number, size=4 << 20))]
    fn pieces(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = number)] number: u32,
        #[pyo3(from_py_with = number)] size: u64,
    ) -> PyResult<Vec<PyPart>> {
        let of = |error: Error| errors::of_sealed(py, &error);
        let part = self.plan.part(number).map_err(of)?;
        let chunk = self.plan.chunk() as u64;
        // The plan of the same file whose parts are single chunks, of which any that follow each other are a part too.
        let single = Limits { min_part: 0, max_parts: u32::MAX, preferred_part: chunk };
        let chunks = self.plan.with_limits(single).map_err(of)?;
        let unit = u64::from(chunks.part_chunks()) * chunk;
        let (start, end) =
            (u32::try_from(part.plain.start / unit)?, u32::try_from(part.plain.end.div_ceil(unit))?);
        if chunks.part_chunks() != 1 || start == end {
            return Ok(vec![PyPart { part }]);
        }
        let step = u32::try_from((size / chunk).max(1)).unwrap_or(u32::MAX);
        let piece = |from: u32| {
            chunks.span(from..end.min(from.saturating_add(step))).map(|part| PyPart { part }).map_err(of)
        };
        (start..end).step_by(step as usize).map(piece).collect()
    }

    /// Returns the parts that one of several workers takes: share is one of 1 to shares.
    fn share(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = number)] share: u32,
        #[pyo3(from_py_with = number)] shares: u32,
    ) -> PyResult<Vec<PyPart>> {
        let range = self.plan.share(share, shares).map_err(|error| errors::of_sealed(py, &error))?;
        let part = |number| self.plan.part(number).map(|part| PyPart { part });
        range.map(part).collect::<Result<_, _>>().map_err(|error| errors::of_sealed(py, &error))
    }

    fn __str__(&self) -> String {
        self.plan.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Plan.parse({:?})", self.plan.to_string())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let parse = slf.get_type().getattr("parse")?;
        Ok((parse, PyTuple::new(slf.py(), [slf.get().plan.to_string()])?))
    }
}

/// The place of a part of a plan.
#[pyclass(name = "Part", module = "abreast.sealed", frozen)]
pub(crate) struct PyPart {
    part: PlannedPart,
}

impl PyPart {
    fn sealed_len(&self) -> PyResult<usize> {
        Ok(usize::try_from(self.part.sealed.end - self.part.sealed.start)?)
    }

    fn plain_len(&self) -> PyResult<usize> {
        Ok(usize::try_from(self.part.plain.end - self.part.plain.start)?)
    }
}

#[pymethods]
impl PyPart {
    /// Its number, from 0.
    #[getter]
    fn number(&self) -> u32 {
        self.part.number
    }

    /// The number of its first chunk.
    #[getter]
    fn first_chunk(&self) -> u64 {
        self.part.first_chunk
    }

    /// The beginning and the end of its bytes in the message.
    #[getter]
    fn plain(&self) -> (u64, u64) {
        (self.part.plain.start, self.part.plain.end)
    }

    /// The beginning and the end of its bytes in the sealed file. The bytes of the first part begin with the header.
    #[getter]
    fn sealed(&self) -> (u64, u64) {
        (self.part.sealed.start, self.part.sealed.end)
    }

    /// True if the file ends with it.
    #[getter]
    fn last(&self) -> bool {
        self.part.last
    }

    fn __repr__(&self) -> String {
        let PlannedPart { number, plain, sealed, last, .. } = &self.part;
        format!(
            "<Part {number}, plain {plain:?}, sealed {sealed:?}{}>",
            if *last { ", the last" } else { "" }
        )
    }
}

/// Returns the number of threads that work on a file.
fn workers(threads: Option<usize>) -> PyResult<NonZeroUsize> {
    match threads {
        None => Ok(available_parallelism().unwrap_or(NonZeroUsize::MIN)),
        Some(threads) => NonZeroUsize::new(threads)
            .ok_or_else(|| PyValueError::new_err("threads is 0; it has to be 1 or more")),
    }
}

/// The name of a format.
fn format_name(format: Format) -> &'static str {
    match format {
        Format::Cobblestone => "cobblestone",
        Format::Ags1 => "ags1",
    }
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
        _ => Err(PyValueError::new_err("a file is sealed with a key or with a passphrase: pass one of them")),
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
    source: PathBuf,
    target: PathBuf,
    key: Option<AnyKey>,
    passphrase: Option<Input<'_>>,
    #[pyo3(from_py_with = text)] aead: &str,
    #[pyo3(from_py_with = flag)] replace: bool,
    #[pyo3(from_py_with = optional)] threads: Option<usize>,
) -> PyResult<u64> {
    let secret = secret(key.as_ref(), passphrase.as_deref())?;
    let (aead, workers) = (self::aead(aead)?, workers(threads)?);
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
    source: PathBuf,
    target: Option<PathBuf>,
    key: Option<AnyKey>,
    passphrase: Option<Input<'_>>,
    #[pyo3(from_py_with = optional)] sealed_length: Option<u64>,
    #[pyo3(from_py_with = flag)] replace: bool,
    #[pyo3(from_py_with = optional)] threads: Option<usize>,
) -> PyResult<()> {
    let secret = secret(key.as_ref(), passphrase.as_deref())?;
    let length = sealed_length.map_or(SealedLength::Unknown, SealedLength::Trusted);
    let workers = workers(threads)?;
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

/// Returns the length of the message in a sealed file of that length, header and all.
#[pyfunction]
#[pyo3(signature = (sealed_len, *, format="cobblestone"))]
pub(crate) fn message_len(
    py: Python<'_>,
    #[pyo3(from_py_with = number)] sealed_len: u64,
    #[pyo3(from_py_with = text)] format: &str,
) -> PyResult<u64> {
    let known = [Format::Cobblestone, Format::Ags1].into_iter().find(|known| format_name(*known) == format);
    let format = known.ok_or_else(|| {
        PyValueError::new_err(format!("format is 'cobblestone' or 'ags1', and not {format:?}"))
    })?;
    let header = if format == Format::Ags1 { ags1::HEADER } else { HEADER };
    let body = sealed_len.checked_sub(header as u64).ok_or(Error::Truncated);
    let layout = body.and_then(|body| Layout::of_body(format, body));
    layout.map(|layout| layout.message).map_err(|error| errors::of_sealed(py, &error))
}

/// Returns the length of the header of a sealed file that begins with these bytes, of which there have to be MAX_HEADER if the
/// file has as many, and its key if it was sealed with a passphrase.
#[pyfunction]
pub(crate) fn unlock_passphrase(
    py: Python<'_>,
    start: Input<'_>,
    passphrase: Input<'_>,
) -> PyResult<(u64, PyFileKey)> {
    let of = |error: Error| errors::of_sealed(py, &error);
    let header = Header::from_bytes(&start).map_err(of)?;
    let line = header.passphrase_line().ok_or(Error::WrongKey).map_err(of)?;
    let key = py.detach(|| line.stretch(&passphrase)).map_err(of)?;
    let offset = header.body_offset();
    let head =
        fixed::<HEADER>("a header", &start[usize::try_from(offset)? - HEADER..usize::try_from(offset)?])?;
    let key = FileKey::from_header(&key, &head, &start[..usize::try_from(offset)? - HEADER]).map_err(of)?;
    Ok((offset, PyFileKey { key }))
}

/// Sizes of the format.
pub(crate) const SIZES: [(&str, usize); 6] = [
    ("CHUNK", CHUNK),
    ("SEALED_CHUNK", SEALED_CHUNK),
    ("HEADER", HEADER),
    ("MAX_HEADER", MAX_HEADER),
    ("AGS1_BLOCK", ags1::BLOCK),
    ("AGS1_SEALED_BLOCK", ags1::SEALED_BLOCK),
];
