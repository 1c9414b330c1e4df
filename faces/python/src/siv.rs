//! `AESSIV`: deterministic authenticated encryption (RFC 5297), with the methods of pyca/cryptography's class.

use abreast::modes::Siv;
use abreast::{BlockCipher128, Error};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple, PyType};
use std::sync::Arc;

use crate::aead::{Bits, random_key, several};
use crate::arguments::optional_text;
use crate::buffers::{Input, NewBytes, Output, in_out, release};
use crate::ciphers::Key;
use crate::errors;

/// Bytes of the synthetic initialisation vector, which is the tag and comes first.
const TAG: usize = 16;

/// AES in SIV mode under a key of 32, 48 or 64 bytes, which are two keys of AES. associated_data: an iterable of bytes-like objects,
/// at most 126. None and [] are no string at all, and [b""] is one empty string, which gives another ciphertext.
#[pyclass(name = "AESSIV", module = "abreast", frozen)]
pub(crate) struct AesSiv {
    pub(crate) siv: Siv<Arc<dyn BlockCipher128>>,
}

/// The most strings of associated data (RFC 5297, section 7).
const MOST_STRINGS: usize = 126;

/// The strings of associated data, whose order counts.
fn strings(associated_data: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Input<'static>>> {
    let Some(object) = associated_data else { return Ok(Vec::new()) };
    // One string is iterable too, of numbers or characters.
    let text = object.is_instance_of::<PyString>();
    let usual = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
    if !usual && (text || Input::unless_several(object)?.is_some() || !object.hasattr("__iter__")?) {
        let name = object.get_type().name()?;
        let fix = if text { ": pass [\"abc\".encode()] or [b\"abc\"]" } else { "" };
        return Err(PyTypeError::new_err(format!(
            "the associated data of AES-SIV is several bytes-like objects, such as [b\"header\"], not {name}{fix}"
        )));
    }
    // An iterator may have no end, and one string more than the limit is enough to refuse it.
    let strings = several(object, MOST_STRINGS + 1)?;
    if strings.len() > MOST_STRINGS {
        return Err(PyValueError::new_err(format!(
            "AES-SIV takes at most {MOST_STRINGS} strings of associated data, and there are more"
        )));
    }
    Ok(strings)
}

impl AesSiv {
    /// Encrypts data to a place that is as long.
    fn seal(
        &self,
        py: Python<'_>,
        strings: &[&[u8]],
        data: &[u8],
        tag: &mut [u8],
        text: &mut [u8],
    ) -> PyResult<()> {
        let mut made = [0; TAG];
        let mut buffer = in_out(data, text).0;
        release(py, data.len(), || self.siv.encrypt_detached(strings, buffer.reborrow(), &mut made))
            .map_err(|error| errors::of(py, error))?;
        tag.copy_from_slice(&made);
        Ok(())
    }
}

#[pymethods]
impl AesSiv {
    #[new]
    #[pyo3(signature = (key, *, kernel=None))]
    fn new(
        py: Python<'_>,
        key: Input<'_>,
        #[pyo3(from_py_with = optional_text)] kernel: Option<&str>,
    ) -> PyResult<Self> {
        if ![32, 48, 64].contains(&key.len()) {
            let len = key.len();
            return Err(PyValueError::new_err(format!(
                "a key of AES-SIV has 32, 48 or 64 bytes, and this one has {len}"
            )));
        }
        let (mac, text) = key.split_at(key.len() / 2);
        let cipher = |half: &[u8]| Key::new(py, "aes", half, kernel)?.of_128(py);
        Ok(Self { siv: Siv::from_ciphers(cipher(mac)?, cipher(text)?) })
    }

    /// Returns a new random key of 256, 384 or 512 bits.
    #[classmethod]
    #[pyo3(signature = (bit_length=Bits::of(512)), text_signature = "($cls, bit_length=512)")]
    fn generate_key<'py>(class: &Bound<'py, PyType>, bit_length: Bits) -> PyResult<Bound<'py, PyBytes>> {
        random_key(class.py(), &bit_length, &[256, 384, 512])
    }

    /// Encrypts and authenticates data; returns the tag and the ciphertext after it. associated_data is
    /// several bytes-like objects in order, of which a nonce can be the last.
    #[pyo3(signature = (data, associated_data=None))]
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        data: Input<'_>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let strings = strings(associated_data)?;
        let strings: Vec<&[u8]> = strings.iter().map(|string| &**string).collect();
        let mut new = NewBytes::new(py, TAG + data.len())?;
        let (tag, text) = new.as_mut().split_at_mut(TAG);
        self.seal(py, &strings, &data, tag, text)?;
        Ok(new.finish())
    }

    /// Decrypts a result of encrypt, or raises InvalidTag.
    #[pyo3(signature = (data, associated_data=None))]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        data: Input<'_>,
        associated_data: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let strings = strings(associated_data)?;
        let strings: Vec<&[u8]> = strings.iter().map(|string| &**string).collect();
        let (tag, text) =
            data.split_first_chunk::<TAG>().ok_or_else(|| errors::of(py, Error::TagMismatch))?;
        let mut new = NewBytes::new(py, text.len())?;
        let mut buffer = new.in_out(text).0;
        release(py, text.len(), || self.siv.decrypt_detached(&strings, buffer.reborrow(), tag))
            .map_err(|error| errors::of(py, error))?;
        Ok(new.finish())
    }

    /// Encrypts as encrypt does, into a buffer with room for tag and data, apart from the data. Returns the number of bytes
    /// written.
    #[pyo3(signature = (data, associated_data, buf))]
    fn encrypt_into<'py>(
        &self,
        py: Python<'py>,
        data: Input<'_>,
        associated_data: Option<&Bound<'py, PyAny>>,
        mut buf: Output,
    ) -> PyResult<usize> {
        let strings = strings(associated_data)?;
        let strings: Vec<&[u8]> = strings.iter().map(|string| &**string).collect();
        buf.apart_from_all(&data, &strings)?;
        let (tag, text) = buf.first(TAG + data.len())?.split_at_mut(TAG);
        self.seal(py, &strings, &data, tag, text)?;
        Ok(TAG + data.len())
    }

    /// Decrypts as decrypt does, into a buffer apart from the data. Returns the number of bytes written. If the tag is wrong,
    /// they are zeros.
    #[pyo3(signature = (data, associated_data, buf))]
    fn decrypt_into<'py>(
        &self,
        py: Python<'py>,
        data: Input<'_>,
        associated_data: Option<&Bound<'py, PyAny>>,
        mut buf: Output,
    ) -> PyResult<usize> {
        let strings = strings(associated_data)?;
        let strings: Vec<&[u8]> = strings.iter().map(|string| &**string).collect();
        buf.apart_from_all(&data, &strings)?;
        let (tag, text) =
            data.split_first_chunk::<TAG>().ok_or_else(|| errors::of(py, Error::TagMismatch))?;
        let mut buffer = in_out(text, buf.first(text.len())?).0;
        release(py, text.len(), || self.siv.decrypt_detached(&strings, buffer.reborrow(), tag))
            .map_err(|error| errors::of(py, error))?;
        Ok(text.len())
    }

    /// The kernel that computes the cipher.
    #[getter]
    fn kernel(&self) -> &'static str {
        self.siv.ciphers()[0].kernel().name()
    }

    fn __repr__(&self) -> String {
        format!("<AESSIV by {}>", self.kernel())
    }
}
