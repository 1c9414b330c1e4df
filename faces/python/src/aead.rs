//! Authenticated encryption of messages: `AESGCM`, `AESGCMSIV`, `SerpentGCM`, `AESEAX`, `SerpentEAX` and `AEZ`, with the methods of
//! pyca/cryptography's classes. One class does the work for all modes; the others say how a key is made.

use abreast::aez::Aez;
use abreast::modes::{Direction, Eax, Gcm};
use abreast::packets::Buffer;
use abreast::table::{ModeRow, OneOf, sealing_modes};
use abreast::{BlockCipher, Error};
use pyo3::exceptions::{PyOSError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFrozenSet, PySet, PyString, PyType};
use std::sync::Arc;
use zeroize::Zeroize;

use crate::aead_mode::Mode;
use crate::aead_stream::AeadStream;
use crate::arguments::{instance, optional_text};
use crate::buffers::{Input, NewBytes, OTHERS, Output, release};
use crate::ciphers::{Key, PyCipher, named};
use crate::errors;
use crate::numbers::{number, optional, whole};
use crate::signals::{Stop, Watch};

/// Associated data: one string or several.
pub(crate) enum AssociatedData<'a> {
    One(Input<'a>),
    Several(Vec<Input<'static>>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for AssociatedData<'a> {
    type Error = PyErr;

    #[inline]
    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyBytes>() {
            return object.extract().map(Self::One);
        }
        match Input::unless_several(&object)? {
            Some(one) => Ok(Self::One(one)),
            None if object.is_instance_of::<PyString>() || !object.hasattr("__iter__")? => {
                Input::exported(&object).map(Self::One)
            }
            None => several(&object, usize::MAX).map(Self::Several),
        }
    }
}

/// The strings of an iterable, whose order counts; no more than `most` of them are read.
///
/// # Errors
/// `TypeError` for an object that is not iterable, or has no order.
pub(crate) fn several(strings: &Bound<'_, PyAny>, most: usize) -> PyResult<Vec<Input<'static>>> {
    if strings.is_instance_of::<PySet>() || strings.is_instance_of::<PyFrozenSet>() {
        return Err(PyTypeError::new_err(
            "associated data in a set has no order, and its order counts: pass a list, such as [b\"header\"]",
        ));
    }
    strings.try_iter()?.take(most).map(|string| Input::exported(&string?)).collect()
}

/// Hands associated data to a work as strings. An empty one by itself is none, as in batches.
#[inline]
fn with_strings<T>(associated_data: Option<&AssociatedData<'_>>, work: impl FnOnce(&[&[u8]]) -> T) -> T {
    match associated_data {
        None => work(&[]),
        Some(AssociatedData::One(one)) if one.is_empty() => work(&[]),
        Some(AssociatedData::One(one)) => work(&[&**one]),
        Some(AssociatedData::Several(several)) => work(&several.iter().map(|one| &**one).collect::<Vec<_>>()),
    }
}

/// Refuses a buffer for the result that overlaps the nonce or associated data.
fn apart(buf: &Output, nonce: &[u8], associated_data: Option<&AssociatedData<'_>>) -> PyResult<()> {
    buf.apart_from(nonce, OTHERS)?;
    with_strings(associated_data, |strings| {
        strings.iter().try_for_each(|string| buf.apart_from(string, OTHERS))
    })
}

/// A key for authenticated encryption of messages that have a nonce: the base class of all such keys.
#[pyclass(name = "AEAD", module = "abreast", subclass, frozen)]
pub(crate) struct Aead {
    pub(crate) mode: Mode,
    pub(crate) tag_len: usize,
}

impl Aead {
    pub(crate) fn new(py: Python<'_>, mode: Mode, tag_len: usize) -> PyResult<Self> {
        mode.check_tag_len(tag_len).map_err(|error| errors::of_tags(py, error, mode.name(), 16, tag_len))?;
        Ok(Self { mode, tag_len })
    }

    /// Refuses arguments that the mode does not take.
    fn check(&self, associated_data: Option<&AssociatedData<'_>>) -> PyResult<()> {
        match (associated_data, &self.mode) {
            (Some(AssociatedData::Several(_)), Mode::Gcm(_) | Mode::Eax(_) | Mode::Other(_)) => {
                Err(PyTypeError::new_err(
                    "associated_data is one bytes-like object here; only AEZ and AES-SIV take several",
                ))
            }
            _ => Ok(()),
        }
    }

    fn seal(
        &self,
        py: Python<'_>,
        nonce: &[u8],
        associated_data: Option<&AssociatedData<'_>>,
        mut buffer: Buffer<'_>,
        tag: &mut [u8],
    ) -> PyResult<()> {
        self.check(associated_data)?;
        with_strings(associated_data, |strings| {
            if self.mode.in_pieces(buffer.len(), strings) {
                let (mode, mut watch) = (&self.mode, Watch::new());
                let done =
                    py.detach(|| mode.seal_watched(&mut watch, self.tag_len, nonce, strings, buffer, tag));
                return done.map_err(|stop| match stop {
                    Stop::Failed(error) => mode.exception(py, error, nonce),
                    signal @ Stop::Signal(_) => signal.into_py(py),
                });
            }
            release(py, buffer.len(), || self.mode.seal(self.tag_len, nonce, strings, buffer.reborrow(), tag))
                .map_err(|error| self.mode.exception(py, error, nonce))
        })
    }

    fn open(
        &self,
        py: Python<'_>,
        nonce: &[u8],
        associated_data: Option<&AssociatedData<'_>>,
        mut buffer: Buffer<'_>,
        tag: &[u8],
    ) -> PyResult<()> {
        self.check(associated_data)?;
        with_strings(associated_data, |strings| {
            if self.mode.in_pieces(buffer.len(), strings) {
                let (mode, mut watch) = (&self.mode, Watch::new());
                let done =
                    py.detach(|| mode.open_watched(&mut watch, self.tag_len, nonce, strings, buffer, tag));
                return done.map_err(|stop| match stop {
                    Stop::Failed(error) => mode.exception(py, error, nonce),
                    signal @ Stop::Signal(_) => signal.into_py(py),
                });
            }
            release(py, buffer.len(), || self.mode.open(self.tag_len, nonce, strings, buffer.reborrow(), tag))
                .map_err(|error| self.mode.exception(py, error, nonce))
        })
    }

    /// Ciphertext and tag.
    fn split<'d>(&self, py: Python<'_>, data: &'d [u8]) -> PyResult<(&'d [u8], &'d [u8])> {
        let len = data.len().checked_sub(self.tag_len).ok_or_else(|| errors::of(py, Error::TagMismatch))?;
        Ok(data.split_at(len))
    }
}

#[pymethods]
impl Aead {
    /// Encrypts and authenticates data; returns the ciphertext and the tag after it.
    #[pyo3(signature = (nonce, data, associated_data=None))]
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        nonce: Input<'_>,
        data: Input<'_>,
        associated_data: Option<AssociatedData<'_>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut new = NewBytes::new(py, data.len() + self.tag_len)?;
        let (buffer, tag) = new.in_out(&data);
        self.seal(py, &nonce, associated_data.as_ref(), buffer, tag)?;
        Ok(new.finish())
    }

    /// Decrypts a result of encrypt, or raises InvalidTag.
    #[pyo3(signature = (nonce, data, associated_data=None))]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        nonce: Input<'_>,
        data: Input<'_>,
        associated_data: Option<AssociatedData<'_>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (ciphertext, tag) = self.split(py, &data)?;
        let mut new = NewBytes::new(py, ciphertext.len())?;
        self.open(py, &nonce, associated_data.as_ref(), new.in_out(ciphertext).0, tag)?;
        Ok(new.finish())
    }

    /// Encrypts as encrypt does, into a buffer with room for data and tag, which may begin with the data itself. Returns the
    /// number of bytes written.
    fn encrypt_into(
        &self,
        py: Python<'_>,
        nonce: Input<'_>,
        data: Input<'_>,
        associated_data: Option<AssociatedData<'_>>,
        mut buf: Output,
    ) -> PyResult<usize> {
        apart(&buf, &nonce, associated_data.as_ref())?;
        let (buffer, tag) = buf.in_out(&data, self.tag_len)?;
        self.seal(py, &nonce, associated_data.as_ref(), buffer, tag)?;
        Ok(data.len() + self.tag_len)
    }

    /// Decrypts as decrypt does, into a buffer, which may be the data itself. Returns the number of bytes written. If the tag
    /// is wrong, they are zeros.
    fn decrypt_into(
        &self,
        py: Python<'_>,
        nonce: Input<'_>,
        data: Input<'_>,
        associated_data: Option<AssociatedData<'_>>,
        mut buf: Output,
    ) -> PyResult<usize> {
        apart(&buf, &nonce, associated_data.as_ref())?;
        let (ciphertext, tag) = self.split(py, &data)?;
        let buffer = buf.of_first(&data, ciphertext.len())?;
        self.open(py, &nonce, associated_data.as_ref(), buffer, tag)?;
        Ok(ciphertext.len())
    }

    /// Bytes of a tag.
    #[getter]
    fn tag_length(&self) -> usize {
        self.tag_len
    }

    /// The kernel that computes the cipher.
    #[getter]
    fn kernel(&self) -> &'static str {
        match &self.mode {
            Mode::Gcm(gcm) => gcm.cipher().kernel().name(),
            Mode::Eax(eax) => eax.cipher().kernel().name(),
            Mode::Aez(aez) => aez.kernel().name(),
            Mode::Other(sealer) => sealer.kernel().name(),
        }
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        Ok(format!("<{} by {}>", slf.get_type().name()?, slf.get().kernel()))
    }
}

/// A key of GCM or EAX, which take messages in pieces too: the base class of all such keys.
#[pyclass(name = "StreamingAEAD", module = "abreast", extends = Aead, subclass, frozen)]
pub(crate) struct StreamingAead;

#[pymethods]
impl StreamingAead {
    /// Begins a message to encrypt in pieces.
    #[pyo3(signature = (nonce, associated_data=None))]
    fn encryptor(
        slf: &Bound<'_, Self>,
        nonce: Input<'_>,
        associated_data: Option<Input<'_>>,
    ) -> PyResult<AeadStream> {
        let aead = slf.as_super().get();
        AeadStream::new(
            slf.py(),
            &aead.mode,
            aead.tag_len,
            Direction::Encrypt,
            &nonce,
            associated_data.as_deref(),
        )
    }

    /// Begins a message to decrypt in pieces. No bytes that update returns are authentic before finalize_with_tag has accepted the
    /// tag.
    #[pyo3(signature = (nonce, associated_data=None))]
    fn decryptor(
        slf: &Bound<'_, Self>,
        nonce: Input<'_>,
        associated_data: Option<Input<'_>>,
    ) -> PyResult<AeadStream> {
        let aead = slf.as_super().get();
        AeadStream::new(
            slf.py(),
            &aead.mode,
            aead.tag_len,
            Direction::Decrypt,
            &nonce,
            associated_data.as_deref(),
        )
    }
}

/// The classes above an instance.
fn streaming(py: Python<'_>, mode: Mode, tag_len: usize) -> PyResult<PyClassInitializer<StreamingAead>> {
    Ok(PyClassInitializer::from(Aead::new(py, mode, tag_len)?).add_subclass(StreamingAead))
}

fn gcm(py: Python<'_>, key: &Key, tag_len: usize) -> PyResult<PyClassInitializer<StreamingAead>> {
    streaming(py, Mode::Gcm(Arc::new(Box::new(Gcm::from_cipher(key.of_128(py)?)))), tag_len)
}

fn eax(py: Python<'_>, key: &Key, tag_len: usize) -> PyResult<PyClassInitializer<StreamingAead>> {
    streaming(py, Mode::Eax(Arc::new(Box::new(Eax::from_cipher(key.any())))), tag_len)
}

/// A key in a mode of the library's table, by the mode's name, with tags of 16 bytes.
fn other(py: Python<'_>, mode: &str, key: &[u8], kernel: Option<&str>) -> PyResult<Aead> {
    let sealing = ModeRow::from_name(mode).and_then(|row| row.sealing);
    let sealing = sealing.ok_or_else(|| PyValueError::new_err(format!("there is no mode {mode:?}")))?;
    if !sealing.key_lens.contains(&key.len()) {
        let (lens, len) = (OneOf(sealing.key_lens), key.len());
        return Err(PyValueError::new_err(format!(
            "a key of {mode} has {lens} bytes, and this one has {len}"
        )));
    }
    let kernels: Vec<_> = sealing.kernels().collect();
    let kernel = kernel.map_or_else(|| Ok(kernels[0]), |name| named(&kernels, name))?;
    let sealer = sealing.make(key, kernel).map_err(|error| errors::of(py, error))?;
    Aead::new(py, Mode::Other(Arc::new(sealer)), 16)
}

/// Makes a key in a mode of the library's table, by the mode's name: for tests of all of them.
#[pyfunction]
#[pyo3(signature = (mode, key, *, kernel=None))]
fn _aead_of(
    py: Python<'_>,
    mode: &str,
    key: Input<'_>,
    #[pyo3(from_py_with = optional_text)] kernel: Option<&str>,
) -> PyResult<Aead> {
    other(py, mode, &key, kernel)
}

/// Adds the classes of this file to the module, and the modes of the library's table with the lengths of their keys.
pub(crate) fn export(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Aead>()?;
    module.add_class::<StreamingAead>()?;
    module.add_class::<AesGcm>()?;
    module.add_class::<SerpentGcm>()?;
    module.add_class::<AesEax>()?;
    module.add_class::<SerpentEax>()?;
    module.add_class::<PyAez>()?;
    module.add_class::<AesGcmSiv>()?;
    module.add_class::<PyEax>()?;
    module.add_function(wrap_pyfunction!(_aead_of, module)?)?;
    let modes: Vec<_> = sealing_modes().map(|(row, sealing)| (row.name, sealing.key_lens.to_vec())).collect();
    module.add("_AEAD_MODES", modes)
}

/// The bits of a key that is to be made, and the number as the caller gave it: a number that is no length is refused like any
/// other that the class does not take.
pub(crate) struct Bits {
    number: Option<usize>,
    given: String,
}

impl<'py> FromPyObject<'_, 'py> for Bits {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let object = whole(&object)?;
        let number = match object.extract::<usize>() {
            Ok(number) => Some(number),
            Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => None,
            Err(error) => return Err(error),
        };
        Ok(Self { number, given: object.str()?.to_string() })
    }
}

impl Bits {
    /// A number that the class takes.
    pub(crate) const fn of(number: usize) -> Self {
        Self { number: Some(number), given: String::new() }
    }
}

/// A new key of one of these numbers of bits from the system's source of random bytes.
pub(crate) fn random_key<'py>(py: Python<'py>, bits: &Bits, of: &[usize]) -> PyResult<Bound<'py, PyBytes>> {
    match bits.number {
        Some(number) if of.contains(&number) => random_bytes(py, number / 8),
        _ => Err(PyValueError::new_err(format!("bit_length is {}, not {}", bits.given, OneOf(of)))),
    }
}

pub(crate) fn random_bytes(py: Python<'_>, len: usize) -> PyResult<Bound<'_, PyBytes>> {
    let mut key = vec![0; len];
    getrandom::fill(&mut key)
        .map_err(|error| PyOSError::new_err(format!("the system gives no random bytes: {error}")))?;
    let bytes = PyBytes::new(py, &key);
    key.zeroize();
    Ok(bytes)
}

/// AES in Galois/Counter Mode, with keys of 16, 24 or 32 bytes. A nonce, of 12 bytes as a rule, must not repeat under a key.
/// tag_length: 4, 8 or 12 to 16 bytes.
#[pyclass(name = "AESGCM", module = "abreast", extends = StreamingAead, frozen)]
pub(crate) struct AesGcm;

#[pymethods]
impl AesGcm {
    #[new]
    #[pyo3(signature = (key, *, tag_length=16, kernel=None))]
    fn new(
        py: Python<'_>,
        key: Input<'_>,
        #[pyo3(from_py_with = number)] tag_length: usize,
        #[pyo3(from_py_with = optional_text)] kernel: Option<&str>,
    ) -> PyResult<PyClassInitializer<Self>> {
        Ok(gcm(py, &Key::new(py, "aes", &key, kernel)?, tag_length)?.add_subclass(Self))
    }

    /// Returns a new random key.
    #[classmethod]
    #[pyo3(signature = (bit_length=Bits::of(256)), text_signature = "($cls, bit_length=256)")]
    fn generate_key<'py>(class: &Bound<'py, PyType>, bit_length: Bits) -> PyResult<Bound<'py, PyBytes>> {
        random_key(class.py(), &bit_length, &[128, 192, 256])
    }
}

/// Serpent in Galois/Counter Mode, with keys of 16, 24 or 32 bytes. Nonces and tag_length are as with AESGCM.
#[pyclass(name = "SerpentGCM", module = "abreast", extends = StreamingAead, frozen)]
pub(crate) struct SerpentGcm;

#[pymethods]
impl SerpentGcm {
    #[new]
    #[pyo3(signature = (key, *, tag_length=16, kernel=None))]
    fn new(
        py: Python<'_>,
        key: Input<'_>,
        #[pyo3(from_py_with = number)] tag_length: usize,
        #[pyo3(from_py_with = optional_text)] kernel: Option<&str>,
    ) -> PyResult<PyClassInitializer<Self>> {
        Ok(gcm(py, &Key::new(py, "serpent", &key, kernel)?, tag_length)?.add_subclass(Self))
    }

    /// Returns a new random key.
    #[classmethod]
    #[pyo3(signature = (bit_length=Bits::of(256)), text_signature = "($cls, bit_length=256)")]
    fn generate_key<'py>(class: &Bound<'py, PyType>, bit_length: Bits) -> PyResult<Bound<'py, PyBytes>> {
        random_key(class.py(), &bit_length, &[128, 192, 256])
    }
}

/// AES-GCM-SIV (RFC 8452), with keys of 16 or 32 bytes and nonces of 12: a nonce that repeats reveals equal messages alone.
#[pyclass(name = "AESGCMSIV", module = "abreast", extends = Aead, frozen)]
pub(crate) struct AesGcmSiv;

#[pymethods]
impl AesGcmSiv {
    #[new]
    #[pyo3(signature = (key, *, kernel=None))]
    fn new(
        py: Python<'_>,
        key: Input<'_>,
        #[pyo3(from_py_with = optional_text)] kernel: Option<&str>,
    ) -> PyResult<PyClassInitializer<Self>> {
        Ok(PyClassInitializer::from(other(py, "gcm-siv", &key, kernel)?).add_subclass(Self))
    }

    /// Returns a new random key, of 128 or 256 bits.
    #[classmethod]
    #[pyo3(signature = (bit_length=Bits::of(256)), text_signature = "($cls, bit_length=256)")]
    fn generate_key<'py>(class: &Bound<'py, PyType>, bit_length: Bits) -> PyResult<Bound<'py, PyBytes>> {
        random_key(class.py(), &bit_length, &[128, 256])
    }
}

/// AES in EAX mode, with keys of 16, 24 or 32 bytes. A nonce, of any length, must not repeat under a key. tag_length: 1 to 16 bytes.
#[pyclass(name = "AESEAX", module = "abreast", extends = StreamingAead, frozen)]
pub(crate) struct AesEax;

#[pymethods]
impl AesEax {
    #[new]
    #[pyo3(signature = (key, *, tag_length=16, kernel=None))]
    fn new(
        py: Python<'_>,
        key: Input<'_>,
        #[pyo3(from_py_with = number)] tag_length: usize,
        #[pyo3(from_py_with = optional_text)] kernel: Option<&str>,
    ) -> PyResult<PyClassInitializer<Self>> {
        Ok(eax(py, &Key::new(py, "aes", &key, kernel)?, tag_length)?.add_subclass(Self))
    }

    /// Returns a new random key.
    #[classmethod]
    #[pyo3(signature = (bit_length=Bits::of(256)), text_signature = "($cls, bit_length=256)")]
    fn generate_key<'py>(class: &Bound<'py, PyType>, bit_length: Bits) -> PyResult<Bound<'py, PyBytes>> {
        random_key(class.py(), &bit_length, &[128, 192, 256])
    }
}

/// Serpent in EAX mode, with keys of 16, 24 or 32 bytes. Nonces and tag_length are as with AESEAX.
#[pyclass(name = "SerpentEAX", module = "abreast", extends = StreamingAead, frozen)]
pub(crate) struct SerpentEax;

#[pymethods]
impl SerpentEax {
    #[new]
    #[pyo3(signature = (key, *, tag_length=16, kernel=None))]
    fn new(
        py: Python<'_>,
        key: Input<'_>,
        #[pyo3(from_py_with = number)] tag_length: usize,
        #[pyo3(from_py_with = optional_text)] kernel: Option<&str>,
    ) -> PyResult<PyClassInitializer<Self>> {
        Ok(eax(py, &Key::new(py, "serpent", &key, kernel)?, tag_length)?.add_subclass(Self))
    }

    /// Returns a new random key.
    #[classmethod]
    #[pyo3(signature = (bit_length=Bits::of(256)), text_signature = "($cls, bit_length=256)")]
    fn generate_key<'py>(class: &Bound<'py, PyType>, bit_length: Bits) -> PyResult<Bound<'py, PyBytes>> {
        random_key(class.py(), &bit_length, &[128, 192, 256])
    }
}

/// AEZ v5, with keys of any length, 0 included: 48 bytes are used unchanged, others are hashed. With tag_length=0 nothing is
/// authenticated: messages become no longer, and every ciphertext decrypts to something. associated_data: a bytes-like object, or
/// an iterable of several. None, b"" and [] are no string at all, and [b""] is one empty string, which gives another ciphertext.
#[pyclass(name = "AEZ", module = "abreast", extends = Aead, frozen)]
pub(crate) struct PyAez;

#[pymethods]
impl PyAez {
    #[new]
    #[pyo3(signature = (key, *, tag_length=16, kernel=None))]
    fn new(
        py: Python<'_>,
        key: Input<'_>,
        #[pyo3(from_py_with = number)] tag_length: usize,
        #[pyo3(from_py_with = optional_text)] kernel: Option<&str>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let kernels: Vec<_> = Aez::kernels().collect();
        let aez = match kernel {
            Some(name) => {
                Aez::with_kernel(&key, named(&kernels, name)?).map_err(|error| errors::of(py, error))?
            }
            None => Aez::new(&key),
        };
        Ok(PyClassInitializer::from(Aead::new(py, Mode::Aez(Arc::new(Box::new(aez))), tag_length)?)
            .add_subclass(Self))
    }

    /// Returns a new random key of 48 bytes.
    #[classmethod]
    fn generate_key<'py>(class: &Bound<'py, PyType>) -> PyResult<Bound<'py, PyBytes>> {
        random_bytes(class.py(), 48)
    }
}

/// Any block cipher in EAX mode, such as XTEA. A nonce, of any length, must not repeat under a key. tag_length: 1 byte to a block, which
/// is the default.
#[pyclass(name = "EAX", module = "abreast", extends = StreamingAead, frozen)]
pub(crate) struct PyEax;

#[pymethods]
impl PyEax {
    #[new]
    #[pyo3(signature = (cipher, *, tag_length=None))]
    fn new(
        #[pyo3(from_py_with = instance)] cipher: Bound<'_, PyCipher>,
        #[pyo3(from_py_with = optional)] tag_length: Option<usize>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let key = &cipher.get().key;
        let tag_length = tag_length.unwrap_or_else(|| key.cipher().block_size());
        Ok(eax(cipher.py(), key, tag_length)?.add_subclass(Self))
    }
}
