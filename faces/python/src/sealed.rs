//! Sealed files: keys, chunks and plans of `abreast.sealed`, on the crate `abreast-sealed`.

use abreast::Counted;
use abreast_sealed::{
    Aead, CHUNK, Error, FileCipher, FileKey, Format, HEADER, Header, Key, Layout, Limits, MAX_HEADER, Plan,
    PlannedPart, SALT, SEALED_CHUNK,
    ags1::{self, SealedLength},
};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple, PyType};

use crate::arguments::{flag, instance, text};
use crate::buffers::{Input, NewBytes, Output, release};
use crate::errors;
use crate::numbers::{number, optional, optional_from_1, whole};

/// The AEAD of a name.
pub(crate) fn aead_of(name: &str) -> PyResult<Aead> {
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
    pub(crate) key: Key,
}

#[pymethods]
impl PyKey {
    /// A key of bytes that the caller has.
    #[new]
    #[pyo3(signature = (key, *, aead="aes-256-gcm"))]
    fn new(py: Python<'_>, key: Input<'_>, #[pyo3(from_py_with = text)] aead: &str) -> PyResult<Self> {
        let aead = aead_of(aead)?;
        Ok(Self { key: Key::new(aead, &key).map_err(|error| errors::of_sealed(py, &error))? })
    }

    /// Returns a new random key.
    #[classmethod]
    #[pyo3(signature = (*, aead="aes-256-gcm"))]
    fn generate(class: &Bound<'_, PyType>, #[pyo3(from_py_with = text)] aead: &str) -> PyResult<Self> {
        let key = Key::generate(aead_of(aead)?).map_err(|error| errors::of_sealed(class.py(), &error))?;
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
    pub(crate) key: FileKey,
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
fn limits(min_part: Option<u64>, max_parts: Option<u32>, preferred_part: Option<u64>) -> Limits {
    let usual = Limits::default();
    Limits {
        min_part: min_part.unwrap_or(usual.min_part),
        max_parts: max_parts.unwrap_or(usual.max_parts),
        preferred_part: preferred_part.unwrap_or(usual.preferred_part),
    }
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
        #[pyo3(from_py_with = optional_from_1)] max_parts: Option<u32>,
        #[pyo3(from_py_with = optional_from_1)] preferred_part: Option<u64>,
        salt: Option<Input<'_>>,
    ) -> PyResult<Self> {
        let limits = limits(min_part, max_parts, preferred_part);
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
        #[pyo3(from_py_with = optional_from_1)] max_parts: Option<u32>,
        #[pyo3(from_py_with = optional_from_1)] preferred_part: Option<u64>,
    ) -> PyResult<Self> {
        let limits = limits(min_part, max_parts, preferred_part);
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
        #[pyo3(from_py_with = optional_from_1)] max_parts: Option<u32>,
        #[pyo3(from_py_with = optional_from_1)] preferred_part: Option<u64>,
    ) -> PyResult<Self> {
        let plan = Plan::ags1(message_len, limits(min_part, max_parts, preferred_part));
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
        let number = whole(number)?;
        let part = number.extract().ok().and_then(|number| self.plan.part(number).ok());
        let none = || {
            let parts = Counted(self.__len__(), "parts");
            PyIndexError::new_err(format!("the plan has no part {number}: it has {parts}, counted from 0"))
        };
        Ok(PyPart { part: part.ok_or_else(none)? })
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

/// The name of a format.
fn format_name(format: Format) -> &'static str {
    match format {
        Format::Cobblestone => "cobblestone",
        Format::Ags1 => "ags1",
    }
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
