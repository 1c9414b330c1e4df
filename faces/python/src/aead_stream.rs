//! Messages of GCM and EAX in pieces, with the methods of pyca/cryptography's contexts.

use abreast::Error;
use abreast::modes::{Decryptor, Direction, Encryptor};
use abreast::packets::Buffer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use self_cell::self_cell;
use std::sync::Arc;

use crate::aead_mode::{EaxMode, GcmMode, Mode, Shared, watched};
use crate::buffers::{Input, NewBytes, Output, release};
use crate::errors;
use crate::signals::{self, PIECE, Stop, Watch};
use crate::turns::Turns;

/// A message with the mode that it borrows.
enum Message<'m> {
    GcmEncrypt(Encryptor<'m, GcmMode>),
    GcmDecrypt(Decryptor<'m, GcmMode>),
    EaxEncrypt(Encryptor<'m, EaxMode>),
    EaxDecrypt(Decryptor<'m, EaxMode>),
    /// A message that has ended.
    Ended,
}

/// The modes that have messages in pieces.
enum Keyed {
    Gcm(Shared<GcmMode>),
    Eax(Shared<EaxMode>),
}

self_cell!(
    struct Cell {
        owner: Keyed,
        #[not_covariant]
        dependent: Message,
    }
);

/// A message that is encrypted or decrypted in pieces.
#[pyclass(name = "AEADContext", module = "abreast", frozen)]
pub(crate) struct AeadStream {
    state: Turns<State>,
    tag_len: usize,
    direction: Direction,
}

/// The state of the message between calls.
struct State {
    cell: Cell,
    tag: Option<[u8; 16]>,
    ended: bool,
}

impl AeadStream {
    pub(crate) fn new(
        py: Python<'_>,
        mode: &Mode,
        tag_len: usize,
        direction: Direction,
        nonce: &[u8],
        associated_data: Option<&[u8]>,
    ) -> PyResult<Self> {
        let keyed = match mode {
            Mode::Gcm(gcm) => Keyed::Gcm(Arc::clone(gcm)),
            Mode::Eax(eax) => Keyed::Eax(Arc::clone(eax)),
            Mode::Aez(_) | Mode::Other(_) => {
                return Err(PyTypeError::new_err(
                    "this mode needs the whole message; use encrypt and decrypt",
                ));
            }
        };
        let cell = Cell::try_new(keyed, |keyed| {
            Ok(match (keyed, direction) {
                (Keyed::Gcm(gcm), Direction::Encrypt) => {
                    Message::GcmEncrypt(gcm.encryptor(nonce, b"")?.with_tag_len(tag_len)?)
                }
                (Keyed::Gcm(gcm), Direction::Decrypt) => {
                    Message::GcmDecrypt(gcm.decryptor(nonce, b"")?.with_tag_len(tag_len)?)
                }
                (Keyed::Eax(eax), Direction::Encrypt) => {
                    Message::EaxEncrypt(eax.encryptor(nonce, b"").with_tag_len(tag_len)?)
                }
                (Keyed::Eax(eax), Direction::Decrypt) => {
                    Message::EaxDecrypt(eax.decryptor(nonce, b"").with_tag_len(tag_len)?)
                }
            })
        });
        let cell = cell.map_err(|error: Error| mode.exception(py, error, nonce))?;
        let mut state = State { cell, tag: None, ended: false };
        state.associated_data(py, associated_data.unwrap_or_default())?;
        Ok(Self { state: Turns::new(state), tag_len, direction })
    }
}

impl State {
    /// Takes in associated data, before any of the message.
    fn associated_data(&mut self, py: Python<'_>, data: &[u8]) -> PyResult<()> {
        self.cell
            .with_dependent_mut(|_, message| {
                release(py, data.len(), || {
                    watched(&mut Watch::new(), data, |piece| match message {
                        Message::GcmEncrypt(message) => message.associated_data(piece),
                        Message::GcmDecrypt(message) => message.associated_data(piece),
                        Message::EaxEncrypt(message) => message.associated_data(piece),
                        Message::EaxDecrypt(message) => message.associated_data(piece),
                        Message::Ended => Err(Error::NotProcessed),
                    })
                })
            })
            .map_err(|stop| stop.into_py(py))
    }

    /// The message has ended if a signal ends the call: nobody knows how far it got.
    fn piece(&mut self, py: Python<'_>, buffer: Buffer<'_>) -> PyResult<()> {
        if self.ended {
            return Err(errors::finalized(py));
        }
        let done = self.cell.with_dependent_mut(|_, message| {
            signals::through(py, buffer, PIECE, 1, |io| match message {
                Message::GcmEncrypt(message) => message.update(io),
                Message::GcmDecrypt(message) => message.update(io),
                Message::EaxEncrypt(message) => message.update(io),
                Message::EaxDecrypt(message) => message.update(io),
                Message::Ended => Err(Error::NotProcessed),
            })
        });
        done.map_err(|stop| {
            self.ended |= matches!(stop, Stop::Signal(_));
            stop.into_py(py)
        })
    }

    /// Ends the message: writes the tag or compares it.
    fn end(&mut self, py: Python<'_>, tag: &mut [u8]) -> PyResult<()> {
        if self.ended {
            return Err(errors::finalized(py));
        }
        self.ended = true;
        self.cell
            .with_dependent_mut(|_, message| match std::mem::replace(message, Message::Ended) {
                Message::GcmEncrypt(message) => message.finish(tag),
                Message::GcmDecrypt(message) => message.verify(tag),
                Message::EaxEncrypt(message) => message.finish(tag),
                Message::EaxDecrypt(message) => message.verify(tag),
                Message::Ended => Err(Error::NotProcessed),
            })
            .map_err(|error| errors::of(py, error))
    }
}

#[pymethods]
impl AeadStream {
    /// Encrypts or decrypts the next piece, of any length.
    fn update<'py>(&self, py: Python<'py>, data: Input<'_>) -> PyResult<Bound<'py, PyBytes>> {
        let mut new = NewBytes::new(py, data.len())?;
        self.state.with(py, |state| state.piece(py, new.in_out(&data).0))?;
        Ok(new.finish())
    }

    /// Processes a piece as update does, into a buffer, which may be the data itself. Returns the number of bytes.
    fn update_into(&self, py: Python<'_>, data: Input<'_>, mut buf: Output) -> PyResult<usize> {
        self.state.with(py, |state| state.piece(py, buf.of(&data)?))?;
        Ok(data.len())
    }

    /// Ends a message that is encrypted; then its tag is there. Returns no bytes.
    fn finalize<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        if self.direction == Direction::Decrypt {
            return Err(PyValueError::new_err("a message that is decrypted ends by finalize_with_tag(tag)"));
        }
        self.state.with(py, |state| {
            let mut tag = [0; 16];
            state.end(py, &mut tag[..self.tag_len])?;
            state.tag = Some(tag);
            Ok(())
        })?;
        Ok(PyBytes::new(py, b""))
    }

    /// Ends a message that is decrypted, or raises InvalidTag: then all plaintext is to be thrown away. Returns no bytes.
    fn finalize_with_tag<'py>(&self, py: Python<'py>, tag: Input<'_>) -> PyResult<Bound<'py, PyBytes>> {
        if self.direction == Direction::Encrypt {
            return Err(PyValueError::new_err("a message that is encrypted ends by finalize()"));
        }
        self.state.with(py, |state| {
            if tag.len() == self.tag_len {
                return state.end(py, &mut tag.to_vec());
            }
            // It is a wrong tag, and the message has ended as it has after those.
            let ended = std::mem::replace(&mut state.ended, true);
            Err(if ended { errors::finalized(py) } else { errors::of(py, Error::TagMismatch) })
        })?;
        Ok(PyBytes::new(py, b""))
    }

    /// The tag of a message that was encrypted and has ended.
    #[getter]
    fn tag<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        match &self.state.turn(py)?.tag {
            Some(tag) => Ok(PyBytes::new(py, &tag[..self.tag_len])),
            None if self.direction == Direction::Decrypt => {
                Err(PyValueError::new_err("the tag of a message that is decrypted is known to its sender"))
            }
            None => Err(PyValueError::new_err("the tag is there after finalize()")),
        }
    }
}
