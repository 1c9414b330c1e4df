//! `HCTR2`: a message as one wide block, over AES under a key of bytes or over a block cipher.

use abreast::modes::{Direction, Hctr2};
use abreast::packets::{self, Buffer, Hctr2Key, Packet};
use abreast::{BlockCipher128, Counted, Error};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use std::sync::Arc;

use crate::buffers::{Input, NewBytes, Output, release};
use crate::ciphers::Key;
use crate::errors;
use crate::windows::{in_turns, in_windows, inputs};

/// HCTR2 (eprint 2021/1441): a message of 16 bytes or more as one wide block under a tweak. Nothing is authenticated. The key is
/// bytes, 16, 24 or 32 of them for AES, or a block cipher with blocks of 16 bytes.
#[pyclass(name = "HCTR2", module = "abreast", frozen)]
pub(crate) struct PyHctr2 {
    /// In a box of its own: Python aligns objects to 16 bytes, and the powers of the hash key want 64.
    hctr2: Box<Hctr2<Arc<dyn BlockCipher128>>>,
}

/// Returns the exception for an error of a message of a length.
#[cold]
fn of(py: Python<'_>, error: Error, len: usize) -> PyErr {
    match error {
        Error::MessageTooShort => PyValueError::new_err(format!(
            "the message has {}; HCTR2 takes 16 or more",
            Counted(len, "bytes")
        )),
        error => errors::of(py, error),
    }
}

impl PyHctr2 {
    fn crypt(
        &self,
        py: Python<'_>,
        direction: Direction,
        tweak: &[u8],
        mut buffer: Buffer<'_>,
    ) -> PyResult<()> {
        let len = buffer.len();
        release(py, buffer.len(), || match direction {
            Direction::Encrypt => self.hctr2.encrypt(tweak, buffer.reborrow()),
            Direction::Decrypt => self.hctr2.decrypt(tweak, buffer.reborrow()),
        })
        .map_err(|error| of(py, error, len))
    }

    fn many<'py>(
        &self,
        py: Python<'py>,
        direction: Direction,
        messages: &Bound<'py, PyAny>,
        tweaks: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        let results = PyList::empty(py);
        in_windows((messages, "messages"), [Some((tweaks, "tweaks"))], |first, messages, [tweaks]| {
            let tweaks = inputs(tweaks)?;
            let made = messages.iter().map(|message| NewBytes::new(py, message.len()));
            let mut made = made.collect::<PyResult<Vec<_>>>()?;
            let mut batch: Vec<Packet<'_, Hctr2Key<'_>>> = (made.iter_mut().zip(messages).zip(&tweaks))
                .map(|((made, message), tweak)| Packet {
                    key: (&*self.hctr2).into(),
                    iv: tweak,
                    associated_data: &[],
                    buffer: made.in_out(message).0,
                    tag: &mut [],
                    result: Err(Error::NotProcessed),
                })
                .collect();
            let run = match direction {
                Direction::Encrypt => packets::hctr2_encrypt,
                Direction::Decrypt => packets::hctr2_decrypt,
            };
            in_turns(py, None, &mut batch, |at| messages[at].len(), run)?;
            let failed = batch.iter().enumerate().find_map(|(at, packet)| Some((at, packet.result.err()?)));
            drop(batch);
            if let Some((at, error)) = failed {
                return Err(errors::numbered(py, "message", first + at, &of(py, error, messages[at].len())));
            }
            made.into_iter().try_for_each(|made| results.append(made.finish()))
        })?;
        Ok(results)
    }
}

#[pymethods]
impl PyHctr2 {
    #[new]
    fn new(key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let cipher = Key::of_argument(key)?.of_128(key.py())?;
        Ok(Self { hctr2: Box::new(Hctr2::from_cipher(cipher)) })
    }

    /// Encrypts a message of 16 bytes or more under a tweak of any length.
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        data: Input<'_>,
        tweak: Input<'_>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut new = NewBytes::new(py, data.len())?;
        self.crypt(py, Direction::Encrypt, &tweak, new.in_out(&data).0)?;
        Ok(new.finish())
    }

    /// Decrypts a result of encrypt for the same tweak.
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        data: Input<'_>,
        tweak: Input<'_>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut new = NewBytes::new(py, data.len())?;
        self.crypt(py, Direction::Decrypt, &tweak, new.in_out(&data).0)?;
        Ok(new.finish())
    }

    /// Encrypts as encrypt does, into a buffer, which may be the data itself. Returns the number of bytes.
    fn encrypt_into(
        &self,
        py: Python<'_>,
        data: Input<'_>,
        tweak: Input<'_>,
        mut buf: Output,
    ) -> PyResult<usize> {
        buf.apart_from(&tweak, "the tweak")?;
        self.crypt(py, Direction::Encrypt, &tweak, buf.of(&data)?)?;
        Ok(data.len())
    }

    /// Decrypts as decrypt does, into a buffer, which may be the data itself. Returns the number of bytes.
    fn decrypt_into(
        &self,
        py: Python<'_>,
        data: Input<'_>,
        tweak: Input<'_>,
        mut buf: Output,
    ) -> PyResult<usize> {
        buf.apart_from(&tweak, "the tweak")?;
        self.crypt(py, Direction::Decrypt, &tweak, buf.of(&data)?)?;
        Ok(data.len())
    }

    /// Encrypts many messages in one call, each under a tweak of its own.
    fn encrypt_many<'py>(
        &self,
        py: Python<'py>,
        messages: &Bound<'py, PyAny>,
        tweaks: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        self.many(py, Direction::Encrypt, messages, tweaks)
    }

    /// Decrypts results of encrypt_many for the same tweaks.
    fn decrypt_many<'py>(
        &self,
        py: Python<'py>,
        messages: &Bound<'py, PyAny>,
        tweaks: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        self.many(py, Direction::Decrypt, messages, tweaks)
    }
}
