//! `HMAC` of a message in pieces, and `hmac_many`: tags of many messages, with a key each or one for all.

use abreast::hmac::{Hmac, HmacHash, HmacPieces, Sha1, Sha256};
use abreast::packets::{self, HmacKey, Packet};
use abreast::{Counted, Error};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use self_cell::self_cell;
use std::sync::Arc;

use crate::arguments::text;
use crate::buffers::Input;
use crate::errors;
use crate::numbers::optional;
use crate::signals::take_in;
use crate::turns::Turns;
use crate::windows::{TURN, in_turns, in_windows, inputs};

/// A message under a key that it keeps.
trait Message: Send + Sync {
    /// Takes in a piece.
    fn update(&mut self, data: &[u8]);
    /// Returns a copy that goes on by itself.
    fn copy(&self) -> Box<dyn Message>;
    /// Writes the tag, of the length that the message was begun with.
    fn finish(&self, tag: &mut [u8]) -> Result<(), Error>;
    /// Compares the tag.
    fn verify(&self, tag: &[u8]) -> Result<(), Error>;
}

/// A message for a hash: its type, and that of its cell.
macro_rules! messages {
    ($($cell:ident, $pieces:ident: $hash:ty;)*) => {
        $(
            type $pieces<'h> = HmacPieces<'h, $hash>;

            self_cell!(
                struct $cell {
                    owner: Arc<Hmac<$hash>>,
                    #[not_covariant]
                    dependent: $pieces,
                }
            );

            impl $cell {
                fn begin(key: &[u8], tag_len: usize) -> Result<Box<dyn Message>, Error> {
                    let cell = Self::try_new(Arc::new(Hmac::new(key)), |hmac| hmac.pieces().with_tag_len(tag_len));
                    Ok(Box::new(cell?))
                }
            }

            impl Message for $cell {
                fn update(&mut self, data: &[u8]) {
                    self.with_dependent_mut(|_, pieces| pieces.update(data));
                }
                fn copy(&self) -> Box<dyn Message> {
                    let owner = Arc::clone(self.borrow_owner());
                    Box::new(self.with_dependent(|_, pieces| Self::new(owner, |hmac| pieces.clone_under(hmac))))
                }
                fn finish(&self, tag: &mut [u8]) -> Result<(), Error> {
                    self.with_dependent(|_, pieces| pieces.clone().finish(tag))
                }
                fn verify(&self, tag: &[u8]) -> Result<(), Error> {
                    self.with_dependent(|_, pieces| pieces.clone().verify(tag))
                }
            }
        )*
    };
}
messages! {
    OfSha1, PiecesOfSha1: Sha1;
    OfSha256, PiecesOfSha256: Sha256;
}

/// A hash by its name.
#[derive(Clone, Copy)]
enum Hash {
    Sha1,
    Sha256,
}

impl Hash {
    fn of(name: &str) -> PyResult<Self> {
        match name {
            "sha1" => Ok(Self::Sha1),
            "sha256" => Ok(Self::Sha256),
            _ => Err(PyValueError::new_err(format!(
                "the hash is {name:?}; it has to be \"sha1\" or \"sha256\""
            ))),
        }
    }

    fn tag_len(self) -> usize {
        match self {
            Self::Sha1 => Sha1::TAG_LEN,
            Self::Sha256 => Sha256::TAG_LEN,
        }
    }

    /// Returns the length of tags that was asked for, or that of the hash.
    fn tag_len_of(self, asked: Option<usize>) -> PyResult<usize> {
        let (len, most) = (asked.unwrap_or(self.tag_len()), self.tag_len());
        if (1..=most).contains(&len) {
            return Ok(len);
        }
        Err(PyValueError::new_err(format!(
            "the tag has {}; it has to have 1 to {most}",
            Counted(len, "bytes")
        )))
    }
}

/// HMAC (RFC 2104) of a message in pieces, under a key of any length. hash: "sha1" or "sha256". tag_length: 1 byte to all of the
/// hash, 20 or 32, which is the default.
#[pyclass(name = "HMAC", module = "abreast", frozen)]
pub(crate) struct PyHmac {
    /// None once it has ended.
    message: Turns<Option<Box<dyn Message>>>,
    tag_len: usize,
}

impl PyHmac {
    fn end(&self, py: Python<'_>) -> PyResult<Box<dyn Message>> {
        self.message.with(py, |message| message.take().ok_or_else(|| errors::finalized(py)))
    }
}

#[pymethods]
impl PyHmac {
    #[new]
    #[pyo3(signature = (key, hash, *, tag_length=None))]
    fn new(
        py: Python<'_>,
        key: Input<'_>,
        #[pyo3(from_py_with = text)] hash: &str,
        #[pyo3(from_py_with = optional)] tag_length: Option<usize>,
    ) -> PyResult<Self> {
        let hash = Hash::of(hash)?;
        let tag_len = hash.tag_len_of(tag_length)?;
        let message = match hash {
            Hash::Sha1 => OfSha1::begin(&key, tag_len),
            Hash::Sha256 => OfSha256::begin(&key, tag_len),
        };
        let message = message.map_err(|error| errors::of(py, error))?;
        Ok(Self { message: Turns::new(Some(message)), tag_len })
    }

    /// Takes in the next piece of the message, of any length.
    fn update(&self, py: Python<'_>, data: Input<'_>) -> PyResult<()> {
        self.message.with(py, |place| {
            let message = place.as_mut().ok_or_else(|| errors::finalized(py))?;
            let done = take_in(py, &data, |piece| message.update(piece));
            // Nobody knows how far it got when a signal ends it.
            if done.is_err() {
                *place = None;
            }
            done
        })
    }

    /// Returns a copy of the message as it is now, which goes on by itself.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let copy = self.message.with(py, |place| match place {
            Some(message) => Ok(message.copy()),
            None => Err(errors::finalized(py)),
        })?;
        Ok(Self { message: Turns::new(Some(copy)), tag_len: self.tag_len })
    }

    /// Ends the message, and returns its tag.
    fn finalize<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let (message, mut tag) = (self.end(py)?, [0; 32]);
        message.finish(&mut tag[..self.tag_len]).map_err(|error| errors::of(py, error))?;
        Ok(PyBytes::new(py, &tag[..self.tag_len]))
    }

    /// Compares the tag with another one in constant time; raises InvalidSignature if they differ, be it in length. The
    /// message has ended then.
    fn verify(&self, py: Python<'_>, tag: Input<'_>) -> PyResult<()> {
        let message = self.end(py)?;
        let same = if tag.len() == self.tag_len { message.verify(&tag) } else { Err(Error::TagMismatch) };
        same.map_err(|error| errors::invalid_signature(py, error.to_string()))
    }
}

/// Returns the tags of many messages by HMAC, side by side: under one key, or under a key each. hash, tag_length: as for HMAC.
#[pyfunction]
#[pyo3(signature = (keys, messages, hash, *, tag_length=None))]
pub(crate) fn hmac_many<'py>(
    keys: &Bound<'py, PyAny>,
    messages: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = text)] hash: &str,
    #[pyo3(from_py_with = optional)] tag_length: Option<usize>,
) -> PyResult<Bound<'py, PyList>> {
    let hash = Hash::of(hash)?;
    let tag_len = hash.tag_len_of(tag_length)?;
    match hash {
        Hash::Sha1 => many::<Sha1>(keys, messages, tag_len),
        Hash::Sha256 => many::<Sha256>(keys, messages, tag_len),
    }
}

fn many<'py, H: HmacHash>(
    keys: &Bound<'py, PyAny>,
    messages: &Bound<'py, PyAny>,
    tag_len: usize,
) -> PyResult<Bound<'py, PyList>> {
    let py = keys.py();
    let one = Input::unless_several(keys)?.map(|key| Hmac::<H>::new(&key));
    let each = one.is_none().then_some((keys, "keys"));
    let results = PyList::empty(py);
    in_windows((messages, "messages"), [each], |_, messages, [keys]| {
        let keys = inputs(keys)?;
        let made = Hmac::<H>::many(&keys.iter().map(|key| &**key).collect::<Vec<&[u8]>>());
        let mut tags = vec![[0; 32]; messages.len()];
        let (mut batch, mut sizes) = (Vec::with_capacity(messages.len()), Vec::with_capacity(messages.len()));
        for (at, (message, tag)) in messages.iter().zip(&mut tags).enumerate() {
            let Some(key) = one.as_ref().or_else(|| made.get(at)) else { break };
            // A long message goes through its pieces alone.
            if message.len() > TURN {
                let pieces = key.pieces().with_tag_len(tag_len);
                let mut pieces = pieces.map_err(|error| errors::of(py, error))?;
                take_in(py, message, |piece| pieces.update(piece))?;
                pieces.finish(&mut tag[..tag_len]).map_err(|error| errors::of(py, error))?;
                continue;
            }
            sizes.push(message.len());
            let key = key.with_tag_len(tag_len).map_err(|error| errors::of(py, error))?;
            let packet = Packet::<HmacKey<'_, H>>::new(key, &[], [].as_mut_slice());
            batch.push(packet.with_tag(message, &mut tag[..tag_len]));
        }
        in_turns(py, None, &mut batch, |at| sizes[at], packets::hmac)?;
        let failed = batch.iter().find_map(|packet| packet.result.err());
        drop(batch);
        if let Some(error) = failed {
            return Err(errors::of(py, error));
        }
        tags.iter().try_for_each(|tag| results.append(PyBytes::new(py, &tag[..tag_len])))
    })?;
    Ok(results)
}
