//! Batches: many messages with a key each, or one for all, in one call: `seal_many`, `open_many` and `xtea_many`.

use abreast::Error;
use abreast::packets::{self, AezKey, CipherKey, EaxKey, GcmKey, Packet};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use std::iter::{repeat_n, zip};

use crate::aead::{Aead, Mode};
use crate::buffers::{Input, NewBytes, release};
use crate::ciphers::PyCipher;
use crate::errors;

/// The items of a sequence, each held by a reference of its own, so that the sequence may change meanwhile.
fn items<'py>(sequence: &Bound<'py, PyAny>, what: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
    sequence
        .try_iter()
        .map_err(|_| {
            PyTypeError::new_err(format!("{what} has to be a sequence with an item for each message"))
        })?
        .collect()
}

/// Refuses a sequence of another length than the messages.
fn as_many(what: &str, len: usize, messages: usize) -> PyResult<()> {
    if len == messages {
        return Ok(());
    }
    Err(PyValueError::new_err(format!(
        "there are {messages} messages and {len} {what}; there has to be one for each"
    )))
}

/// One for all messages, or one for each.
enum PerMessage<T> {
    One(T),
    Each(Vec<T>),
}

impl<T> PerMessage<T> {
    /// One for each of `messages`.
    fn iter(&self, messages: usize) -> impl Iterator<Item = &T> {
        let (one, each) = match self {
            Self::One(one) => (Some(one), [].as_slice()),
            Self::Each(each) => (None, each.as_slice()),
        };
        one.into_iter().flat_map(move |one| repeat_n(one, messages)).chain(each)
    }
}

/// The keys of a batch: an object of a class, or a sequence of them.
fn keys<'py, C: pyo3::PyClass>(
    keys: &Bound<'py, PyAny>,
    class: &str,
    messages: usize,
) -> PyResult<PerMessage<Bound<'py, C>>> {
    if let Ok(one) = keys.cast::<C>() {
        return Ok(PerMessage::One(one.clone()));
    }
    let of_class = |key: Bound<'py, PyAny>| {
        let other =
            key.get_type().name().map_or_else(|_| "another object".to_owned(), |name| name.to_string());
        key.cast_into::<C>()
            .map_err(|_| PyTypeError::new_err(format!("a key has to be {class}, and this one is {other}")))
    };
    let each: Vec<_> = items(keys, "keys")?.into_iter().map(of_class).collect::<PyResult<_>>()?;
    as_many("keys", each.len(), messages)?;
    Ok(PerMessage::Each(each))
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

/// What becomes of each message: its new `bytes`, or why there is none.
type Results<'py> = Vec<Result<Bound<'py, PyBytes>, Error>>;

/// The messages of a batch with what belongs to each.
struct Messages<'p> {
    inputs: &'p [Input<'p>],
    nonces: &'p [Input<'p>],
    associated_data: &'p PerMessage<Input<'p>>,
    keys: &'p [&'p Aead],
    opening: bool,
}

impl Messages<'_> {
    fn run<'py, 'a, K: BatchMode<'a>>(&'a self, py: Python<'py>) -> PyResult<Results<'py>> {
        let count = self.inputs.len();
        let mut new = Vec::with_capacity(count);
        for (input, key) in zip(self.inputs, self.keys) {
            let (len, tag_len) = (input.len(), key.tag_len);
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
        let each = zip(zip(self.keys, self.associated_data.iter(count)), zip(self.inputs, self.nonces));
        for ((row, new), ((aead, associated_data), (input, nonce))) in zip(new.iter_mut().enumerate(), each) {
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
        release(py, total, || if self.opening { K::open(&mut batch) } else { K::seal(&mut batch) });
        for (row, packet) in zip(rows, &batch) {
            results[row] = packet.result;
        }
        drop(batch);
        Ok(zip(new, results).map(|(new, result)| result.map(|()| new.finish())).collect())
    }
}

/// A batch that is sealed or opened.
fn run<'py>(
    keys: &Bound<'py, PyAny>,
    nonces: &Bound<'py, PyAny>,
    messages: &Bound<'py, PyAny>,
    associated_data: Option<&Bound<'py, PyAny>>,
    opening: bool,
) -> PyResult<Results<'py>> {
    let py = keys.py();
    let messages = items(messages, "messages")?;
    let inputs: Vec<Input<'_>> = messages.iter().map(|one| one.extract()).collect::<PyResult<_>>()?;
    let count = inputs.len();
    let nonces = items(nonces, "nonces")?;
    as_many("nonces", nonces.len(), count)?;
    let nonces: Vec<Input<'_>> = nonces.iter().map(|one| one.extract()).collect::<PyResult<_>>()?;
    let empty = PyBytes::new(py, b"").into_any();
    let strings;
    let associated_data = match associated_data.map_or_else(|| empty.extract(), |one| one.extract()) {
        Ok(one) => PerMessage::One(one),
        Err(_) => {
            strings = associated_data.map_or(Ok(Vec::new()), |several| items(several, "associated_data"))?;
            as_many("strings of associated data", strings.len(), count)?;
            PerMessage::Each(strings.iter().map(|one| one.extract()).collect::<PyResult<_>>()?)
        }
    };
    let keys = self::keys::<Aead>(keys, "an AEAD such as AESGCM", count)?;
    let keys: Vec<&Aead> = keys.iter(count).map(Bound::get).collect();
    let all = Messages {
        inputs: &inputs,
        nonces: &nonces,
        associated_data: &associated_data,
        keys: &keys,
        opening,
    };
    match keys.first().map(|key| &key.mode) {
        None => Ok(Vec::new()),
        Some(Mode::Gcm(_)) => all.run::<GcmKey<'_>>(py),
        Some(Mode::Eax(_)) => all.run::<EaxKey<'_>>(py),
        Some(Mode::Aez(_)) => all.run::<AezKey<'_>>(py),
    }
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
    let py = keys.py();
    let results = run(keys, nonces, messages, associated_data, false)?;
    let mut sealed = Vec::with_capacity(results.len());
    for (row, result) in results.into_iter().enumerate() {
        sealed.push(result.map_err(|error| PyValueError::new_err(format!("message {row}: {error}")))?);
    }
    PyList::new(py, sealed)
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
    let results = run(keys, nonces, messages, associated_data, true)?;
    let mut opened = Vec::with_capacity(results.len());
    let mut refused = Vec::new();
    for (row, result) in results.into_iter().enumerate() {
        match result {
            Ok(message) => opened.push(Some(message)),
            Err(Error::TagMismatch) => {
                opened.push(None);
                refused.push(row);
            }
            Err(error) => return Err(PyValueError::new_err(format!("message {row}: {error}"))),
        }
    }
    if refused.is_empty() || invalid == "none" {
        PyList::new(py, opened)
    } else {
        Err(errors::invalid_rows(py, refused))
    }
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
    let messages = items(messages, "messages")?;
    let inputs: Vec<Input<'_>> = messages.iter().map(|one| one.extract()).collect::<PyResult<_>>()?;
    let keys = self::keys::<PyCipher>(keys, "a block cipher such as XTEA", inputs.len())?;
    let mut new: Vec<_> =
        inputs.iter().map(|input| NewBytes::new(py, input.len())).collect::<PyResult<_>>()?;
    let mut batch: Vec<Packet<'_, CipherKey<'_>>> = zip(zip(&inputs, &mut new), keys.iter(inputs.len()))
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
    for (row, packet) in batch.iter().enumerate() {
        packet.result.map_err(|error| PyValueError::new_err(format!("message {row}: {error}")))?;
    }
    drop(batch);
    PyList::new(py, new.into_iter().map(NewBytes::finish))
}
