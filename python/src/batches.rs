//! Batches: many messages with a key each, or one for all, in one call: `seal_many`, `open_many` and `xtea_many`.

use abreast::Error;
use abreast::packets::{self, AezKey, CipherKey, EaxKey, GcmKey, Packet};
use pyo3::PyClass;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyList};
use std::iter::{repeat_n, zip};

use crate::aead::{Aead, Mode};
use crate::buffers::{Input, NewBytes, release};
use crate::ciphers::PyCipher;
use crate::errors;

/// How many messages are worked on at a time. What belongs to so many stays in the processor's caches until the objects
/// for their results are made, and is enough for all lanes of a kernel; the whole of a long batch is not.
pub(crate) const WINDOW: usize = 512;

/// The items of a sequence, a window of messages at a time.
struct Items<'py> {
    iterator: Bound<'py, PyIterator>,
    what: &'static str,
}

impl<'py> Items<'py> {
    /// Those of a sequence that has as many items as there are messages.
    ///
    /// # Errors
    /// `TypeError` for what is no sequence, `ValueError` for one of another length.
    fn new(sequence: &Bound<'py, PyAny>, what: &'static str, messages: usize) -> PyResult<Self> {
        let len = length(sequence, what)?;
        if len != messages {
            return Err(PyValueError::new_err(format!(
                "there are {messages} messages and {len} {what}; there has to be one for each"
            )));
        }
        Ok(Self { iterator: sequence.try_iter()?, what })
    }

    /// The next `count` items, each held by a reference of its own.
    fn window(&mut self, count: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let items: Vec<_> = self.iterator.by_ref().take(count).collect::<PyResult<_>>()?;
        if items.len() == count {
            return Ok(items);
        }
        Err(PyValueError::new_err(format!("the sequence of {} became shorter during the call", self.what)))
    }
}

/// The number of items of a sequence.
fn length(sequence: &Bound<'_, PyAny>, what: &str) -> PyResult<usize> {
    sequence.len().map_err(|_| {
        PyTypeError::new_err(format!(
            "{what} have to be in a sequence that knows its length, such as a list, with one for each message"
        ))
    })
}

/// One for all messages, or one for each.
enum PerMessage<'py, T> {
    One(T),
    Each(Items<'py>),
}

/// A window of them.
enum Window<T> {
    One(T),
    Each(Vec<T>),
}

impl<T> Window<T> {
    /// The first `count` of them, of as many messages.
    fn iter(&self, count: usize) -> impl Iterator<Item = &T> {
        let (one, each) = match self {
            Self::One(one) => (Some(one), [].as_slice()),
            Self::Each(each) => (None, each.as_slice()),
        };
        one.into_iter().flat_map(move |one| repeat_n(one, count)).chain(each)
    }
}

/// The keys of a batch: an object of a class, or a sequence of them.
struct Keys<'py, C: PyClass> {
    keys: PerMessage<'py, Bound<'py, C>>,
    class: &'static str,
}

impl<'py, C: PyClass> Keys<'py, C> {
    fn new(keys: &Bound<'py, PyAny>, class: &'static str, messages: usize) -> PyResult<Self> {
        let keys = match keys.cast::<C>() {
            Ok(one) => PerMessage::One(one.clone()),
            Err(_) => PerMessage::Each(Items::new(keys, "keys", messages)?),
        };
        Ok(Self { keys, class })
    }

    fn window(&mut self, count: usize) -> PyResult<Window<Bound<'py, C>>> {
        let of_class = |key: Bound<'py, PyAny>| {
            let other =
                key.get_type().name().map_or_else(|_| "another object".to_owned(), |name| name.to_string());
            let class = self.class;
            key.cast_into::<C>().map_err(|_| {
                PyTypeError::new_err(format!("a key has to be {class}, and this one is {other}"))
            })
        };
        Ok(match &mut self.keys {
            PerMessage::One(one) => Window::One(one.clone()),
            PerMessage::Each(items) => {
                Window::Each(items.window(count)?.into_iter().map(of_class).collect::<PyResult<_>>()?)
            }
        })
    }
}

/// A mode that batches have, by the key of its packets.
trait BatchMode<'a>: Sized + Send {
    /// The key, if it is one of this mode.
    fn of(aead: &'a Aead) -> Option<Self>;
    fn seal(packets: &mut [Packet<'_, Self>]);
    fn open(packets: &mut [Packet<'_, Self>]);
}

impl<'a> BatchMode<'a> for GcmKey<'a> {
    fn of(aead: &'a Aead) -> Option<Self> {
        let Mode::Gcm(gcm) = &aead.mode else { return None };
        Some(gcm.with_tag_len(aead.tag_len).ok()?.into())
    }
    fn seal(packets: &mut [Packet<'_, Self>]) {
        packets::gcm_encrypt(packets);
    }
    fn open(packets: &mut [Packet<'_, Self>]) {
        packets::gcm_decrypt(packets);
    }
}

impl<'a> BatchMode<'a> for EaxKey<'a> {
    fn of(aead: &'a Aead) -> Option<Self> {
        let Mode::Eax(eax) = &aead.mode else { return None };
        Some(eax.with_tag_len(aead.tag_len).ok()?.into())
    }
    fn seal(packets: &mut [Packet<'_, Self>]) {
        packets::eax_encrypt(packets);
    }
    fn open(packets: &mut [Packet<'_, Self>]) {
        packets::eax_decrypt(packets);
    }
}

impl<'a> BatchMode<'a> for AezKey<'a> {
    fn of(aead: &'a Aead) -> Option<Self> {
        let Mode::Aez(aez) = &aead.mode else { return None };
        Some(aez.with_tag_len(aead.tag_len).ok()?.into())
    }
    fn seal(packets: &mut [Packet<'_, Self>]) {
        packets::aez_encrypt(packets);
    }
    fn open(packets: &mut [Packet<'_, Self>]) {
        packets::aez_decrypt(packets);
    }
}

/// What becomes of a message: its new `bytes`, or why there is none.
type Made<'py> = Result<Bound<'py, PyBytes>, Error>;

/// A window of messages with what belongs to each.
struct Messages<'p> {
    inputs: &'p [Input<'p>],
    nonces: &'p [Input<'p>],
    associated_data: &'p Window<Input<'p>>,
    keys: &'p Window<Bound<'p, Aead>>,
    opening: bool,
}

impl Messages<'_> {
    fn run<'py, 'a, K: BatchMode<'a>>(&'a self, py: Python<'py>) -> PyResult<Vec<Made<'py>>> {
        let count = self.inputs.len();
        let mut new = Vec::with_capacity(count);
        for (input, key) in zip(self.inputs, self.keys.iter(count)) {
            let (len, tag_len) = (input.len(), key.get().tag_len);
            new.push(NewBytes::new(
                py,
                if self.opening { len.saturating_sub(tag_len) } else { len + tag_len },
            )?);
        }
        // A packet can write to its tag, so the tag of a message that is opened is copied.
        let mut tags = vec![[0; 32]; if self.opening { count } else { 0 }];
        let mut tags = tags.iter_mut();
        // What is shorter than a tag is not authentic, and no packet.
        let mut results = vec![Err(Error::TagMismatch); count];
        let mut rows = Vec::with_capacity(count);
        let mut batch = Vec::with_capacity(count);
        let mut total = 0;
        let each =
            zip(zip(self.keys.iter(count), self.associated_data.iter(count)), zip(self.inputs, self.nonces));
        for ((row, new), ((key, associated_data), (input, nonce))) in zip(new.iter_mut().enumerate(), each) {
            let aead = key.get();
            let key = K::of(aead).ok_or_else(|| {
                PyTypeError::new_err("all keys of a batch have to be of one mode: GCM, EAX or AEZ")
            })?;
            let (buffer, tag) = if let (true, Some(tag)) = (self.opening, tags.next()) {
                let Some(len) = input.len().checked_sub(aead.tag_len) else { continue };
                let (text, sealed) = input.split_at(len);
                let tag = &mut tag[..aead.tag_len];
                tag.copy_from_slice(sealed);
                (new.in_out(text).0, tag)
            } else {
                new.in_out(input)
            };
            total += input.len();
            rows.push(row);
            batch.push(Packet {
                key,
                iv: nonce,
                associated_data,
                buffer,
                tag,
                result: Err(Error::NotProcessed),
            });
        }
        let opening = self.opening;
        release(py, total, || if opening { K::open(&mut batch) } else { K::seal(&mut batch) });
        for (row, packet) in zip(rows, &batch) {
            results[row] = packet.result;
        }
        drop(batch);
        Ok(zip(new, results).map(|(new, result)| result.map(|()| new.finish())).collect())
    }
}

/// The buffers of a window of items.
fn inputs<'a>(items: &'a [Bound<'_, PyAny>]) -> PyResult<Vec<Input<'a>>> {
    items.iter().map(|one| one.extract()).collect()
}

/// A batch that is sealed or opened; `done` gets the number of each message and what became of it.
fn run<'py>(
    keys: &Bound<'py, PyAny>,
    nonces: &Bound<'py, PyAny>,
    messages: &Bound<'py, PyAny>,
    associated_data: Option<&Bound<'py, PyAny>>,
    opening: bool,
    mut done: impl FnMut(usize, Made<'py>) -> PyResult<()>,
) -> PyResult<()> {
    let py = keys.py();
    let count = length(messages, "messages")?;
    let mut messages = Items::new(messages, "messages", count)?;
    let mut nonces = Items::new(nonces, "nonces", count)?;
    let mut keys = Keys::<Aead>::new(keys, "an AEAD such as AESGCM", count)?;
    let empty = PyBytes::new(py, b"").into_any();
    let associated_data = associated_data.unwrap_or(&empty);
    // Bytes are for all messages; anything else, if it has no buffer, is a sequence.
    let mut strings = match Input::exported(associated_data) {
        Ok(_) => PerMessage::One(associated_data.clone()),
        Err(_) => PerMessage::Each(Items::new(associated_data, "strings of associated data", count)?),
    };
    let mut mode = None;
    for first in (0..count).step_by(WINDOW) {
        let size = WINDOW.min(count - first);
        let (messages, nonces) = (messages.window(size)?, nonces.window(size)?);
        let keys = keys.window(size)?;
        let several;
        let associated_data = match &mut strings {
            PerMessage::One(one) => Window::One(one.extract()?),
            PerMessage::Each(items) => {
                several = items.window(size)?;
                Window::Each(inputs(&several)?)
            }
        };
        let all = Messages {
            inputs: &inputs(&messages)?,
            nonces: &inputs(&nonces)?,
            associated_data: &associated_data,
            keys: &keys,
            opening,
        };
        // The first key of all says which mode it is, in the windows after the first too.
        mode = mode.or_else(|| keys.iter(size).next().map(|key| key.get().mode.clone()));
        let made = match &mode {
            Some(Mode::Gcm(_)) => all.run::<GcmKey<'_>>(py)?,
            Some(Mode::Eax(_)) => all.run::<EaxKey<'_>>(py)?,
            Some(Mode::Aez(_)) => all.run::<AezKey<'_>>(py)?,
            None => unreachable!("a window has a message, and each message a key"),
        };
        for (row, result) in (first..).zip(made) {
            done(row, result)?;
        }
    }
    Ok(())
}

/// An error of one message, which says of which.
#[cold]
fn of_message(row: usize, error: Error) -> PyErr {
    PyValueError::new_err(format!("message {row}: {error}"))
}

/// Encrypts and authenticates messages: a list of what each key's encrypt would return.
///
/// keys: an AEAD for all messages, or a sequence with one for each, all of one mode. nonces and messages: sequences of
/// bytes-like objects. associated_data: a bytes-like object for all, or a sequence with one for each.
#[pyfunction]
#[pyo3(signature = (keys, nonces, messages, associated_data=None))]
pub(crate) fn seal_many<'py>(
    keys: &Bound<'py, PyAny>,
    nonces: &Bound<'py, PyAny>,
    messages: &Bound<'py, PyAny>,
    associated_data: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let sealed = PyList::empty(keys.py());
    run(keys, nonces, messages, associated_data, false, |row, made| {
        sealed.append(made.map_err(|error| of_message(row, error))?)
    })?;
    Ok(sealed)
}

/// Decrypts what seal_many returned. If some messages are not authentic, raises InvalidTag, whose rows are their numbers;
/// with invalid="none", they are None in the list.
#[pyfunction]
#[pyo3(signature = (keys, nonces, messages, associated_data=None, *, invalid="raise"))]
pub(crate) fn open_many<'py>(
    keys: &Bound<'py, PyAny>,
    nonces: &Bound<'py, PyAny>,
    messages: &Bound<'py, PyAny>,
    associated_data: Option<&Bound<'py, PyAny>>,
    invalid: &str,
) -> PyResult<Bound<'py, PyList>> {
    let py = keys.py();
    if !["raise", "none"].contains(&invalid) {
        return Err(PyValueError::new_err(format!("invalid is 'raise' or 'none', and not {invalid:?}")));
    }
    let opened = PyList::empty(py);
    let mut refused = Vec::new();
    run(keys, nonces, messages, associated_data, true, |row, made| match made {
        Ok(message) => opened.append(message),
        Err(Error::TagMismatch) => {
            refused.push(row);
            opened.append(py.None())
        }
        Err(error) => Err(of_message(row, error)),
    })?;
    if refused.is_empty() || invalid == "none" { Ok(opened) } else { Err(errors::invalid_rows(py, refused)) }
}

/// Encrypts the blocks of messages, each with a key of its own or all with one (ECB), or decrypts them: what game servers
/// do with XTEA. The keys may be those of any block cipher.
#[pyfunction]
#[pyo3(signature = (keys, messages, *, decrypt=false))]
pub(crate) fn ecb_many<'py>(
    keys: &Bound<'py, PyAny>,
    messages: &Bound<'py, PyAny>,
    decrypt: bool,
) -> PyResult<Bound<'py, PyList>> {
    let py = keys.py();
    let count = length(messages, "messages")?;
    let mut keys = Keys::<PyCipher>::new(keys, "a block cipher such as XTEA", count)?;
    let mut messages = Items::new(messages, "messages", count)?;
    let made = PyList::empty(py);
    for first in (0..count).step_by(WINDOW) {
        let size = WINDOW.min(count - first);
        let (messages, keys) = (messages.window(size)?, keys.window(size)?);
        let inputs = inputs(&messages)?;
        let mut new: Vec<_> =
            inputs.iter().map(|input| NewBytes::new(py, input.len())).collect::<PyResult<_>>()?;
        let mut batch: Vec<Packet<'_, CipherKey<'_>>> = zip(zip(&inputs, &mut new), keys.iter(size))
            .map(|((input, new), key)| Packet {
                key: key.get().key.cipher().into(),
                iv: &[],
                associated_data: &[],
                buffer: new.in_out(input).0,
                tag: &mut [],
                result: Err(Error::NotProcessed),
            })
            .collect();
        let total = inputs.iter().map(|input| input.len()).sum();
        release(py, total, || {
            if decrypt { packets::ecb_decrypt(&mut batch) } else { packets::ecb_encrypt(&mut batch) }
        });
        for (row, packet) in (first..).zip(&batch) {
            packet.result.map_err(|error| of_message(row, error))?;
        }
        drop(batch);
        for new in new {
            made.append(new.finish())?;
        }
    }
    Ok(made)
}
