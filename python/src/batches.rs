//! Batches: many messages with a key each, or one for all, in one call: `seal_many`, `open_many`, `ecb_many` and
//! `xtea_many`. The messages are objects of a sequence, or lie in one buffer with offsets, as the values of a column do.

use abreast::Error;
use abreast::columns::{self, RowKeys, Values};
use abreast::packets::{self, AezKey, CipherKey, EaxKey, GcmKey, Packet};
use pyo3::PyClass;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyList};
use std::iter::{repeat_n, zip};

use crate::aead::{Aead, Mode};
use crate::buffers::{Input, NewBytes, in_out, release};
use crate::ciphers::{PyCipher, PyXtea};
use crate::columns::{Column, XteaKeys, of as of_column};
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

/// The keys of a batch: an object of a class, or a sequence of them.
enum Keys<'py, C> {
    One(Bound<'py, C>),
    Each(Items<'py>),
}

/// A window of keys.
enum KeyWindow<'py, C> {
    One(Bound<'py, C>),
    Each(Vec<Bound<'py, C>>),
}

impl<'py, C> KeyWindow<'py, C> {
    /// The first `count` of them, of as many messages.
    fn iter(&self, count: usize) -> impl Iterator<Item = &Bound<'py, C>> {
        let (one, each) = match self {
            Self::One(one) => (Some(one), [].as_slice()),
            Self::Each(each) => (None, each.as_slice()),
        };
        one.into_iter().flat_map(move |one| repeat_n(one, count)).chain(each)
    }
}

impl<'py, C: PyClass> Keys<'py, C> {
    fn new(keys: &Bound<'py, PyAny>, messages: usize) -> PyResult<Self> {
        Ok(match keys.cast::<C>() {
            Ok(one) => Self::One(one.clone()),
            Err(_) => Self::Each(Items::new(keys, "keys", messages)?),
        })
    }

    fn window(&mut self, count: usize, class: &str) -> PyResult<KeyWindow<'py, C>> {
        Ok(match self {
            Self::One(one) => KeyWindow::One(one.clone()),
            Self::Each(items) => {
                let items = items.window(count)?.into_iter();
                let of_class = |key: Bound<'py, PyAny>| {
                    key.cast_into::<C>().map_err(|error| wrong_key(class, &error.into_inner()))
                };
                KeyWindow::Each(items.map(of_class).collect::<PyResult<_>>()?)
            }
        })
    }
}

#[cold]
fn wrong_key(class: &str, key: &Bound<'_, PyAny>) -> PyErr {
    let other = key.get_type().name().map_or_else(|_| "another object".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("a key has to be {class}, and this one is {other}"))
}

/// The bytes that each message of a batch has of something: of the message itself, of its nonce or associated data.
enum Source<'a, 'py> {
    /// The items of a sequence.
    Items(Items<'py>),
    /// One buffer and offsets.
    Column(Values<'a>),
    /// One buffer, of which each message has as many bytes.
    Rows { all: Input<'static>, size: usize },
    /// The same for all.
    Same(Input<'static>),
}

impl Source<'_, '_> {
    /// Runs with the bytes of each of the `count` messages from `first` on, which are the next.
    fn with<R>(
        &mut self,
        first: usize,
        count: usize,
        run: impl FnOnce(&[&[u8]]) -> PyResult<R>,
    ) -> PyResult<R> {
        match self {
            Self::Items(items) => {
                let objects = items.window(count)?;
                let inputs: Vec<Input<'_>> =
                    objects.iter().map(|one| one.extract()).collect::<PyResult<_>>()?;
                run(&inputs.iter().map(|input| &**input).collect::<Vec<_>>())
            }
            Self::Column(values) => {
                run(&(first..first + count).map(|row| values.value(row)).collect::<Vec<_>>())
            }
            Self::Rows { all, size } => {
                run(&(first..first + count).map(|row| &all[row * *size..][..*size]).collect::<Vec<_>>())
            }
            Self::Same(one) => run(&vec![&**one; count]),
        }
    }
}

/// The messages of a batch.
struct Messages<'py> {
    object: Bound<'py, PyAny>,
    column: Option<Column>,
}

impl<'py> Messages<'py> {
    fn new(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let column = Column::of(object)?;
        if column.as_ref().is_some_and(Column::has_nulls) {
            return Err(PyValueError::new_err(
                "the messages of a batch cannot be null; abreast.columns.encrypt leaves nulls as they are",
            ));
        }
        Ok(Self { object: object.clone(), column })
    }

    /// The bytes of the messages, and how many messages there are.
    fn source(&self) -> PyResult<(Source<'_, 'py>, usize)> {
        if let Some(column) = &self.column {
            let values = column.values()?;
            return Ok((Source::Column(values), values.len()));
        }
        let count = length(&self.object, "messages")?;
        Ok((Source::Items(Items::new(&self.object, "messages", count)?), count))
    }

    /// Where the results go, which become longer by the length of a tag, or shorter, and are of the same kind.
    fn results(&self, count: usize) -> Results<'_, 'py> {
        Results {
            py: self.object.py(),
            messages: self,
            list: PyList::empty(self.object.py()),
            data: Vec::new(),
            ends: Vec::new(),
            nulls: Vec::new(),
            count,
        }
    }
}

/// What becomes of the messages of a batch: a list of `bytes`, or one buffer with offsets.
struct Results<'a, 'py> {
    py: Python<'py>,
    messages: &'a Messages<'py>,
    /// For messages of a sequence.
    list: Bound<'py, PyList>,
    /// For those of a column, the bytes of all results, and where each ends.
    data: Vec<u8>,
    ends: Vec<usize>,
    /// The messages that have no result.
    nulls: Vec<usize>,
    count: usize,
}

impl<'py> Results<'_, 'py> {
    /// Runs with places for results of these lengths, and keeps those for which it returns that there is one.
    fn with(
        &mut self,
        lengths: impl Iterator<Item = usize>,
        run: impl FnOnce(Vec<&mut [u8]>) -> PyResult<Vec<bool>>,
    ) -> PyResult<()> {
        let py = self.py;
        if self.messages.column.is_none() {
            let mut new: Vec<_> = lengths.map(|len| NewBytes::new(py, len)).collect::<PyResult<_>>()?;
            let made = run(new.iter_mut().map(NewBytes::as_mut).collect())?;
            for (new, made) in zip(new, made) {
                if made { self.list.append(new.finish())? } else { self.list.append(py.None())? }
            }
            return Ok(());
        }
        let lengths: Vec<_> = lengths.collect();
        let before = self.data.len();
        self.data.resize(before + lengths.iter().sum::<usize>(), 0);
        let mut rest = &mut self.data[before..];
        let places = lengths.iter().map(|len| rest.split_off_mut(..*len).unwrap_or_default()).collect();
        let made = run(places)?;
        let first = self.ends.len();
        let mut end = before;
        self.ends.extend(lengths.iter().map(|len| {
            end += len;
            end
        }));
        self.nulls.extend((first..).zip(made).filter(|(_, made)| !made).map(|(row, _)| row));
        Ok(())
    }

    fn finish(self) -> PyResult<Bound<'py, PyAny>> {
        let Some(column) = &self.messages.column else { return Ok(self.list.into_any()) };
        let py = self.py;
        let offsets = column.offsets_like(py, &self.ends)?;
        let validity = (!self.nulls.is_empty()).then(|| {
            let mut bitmap = vec![0xff; self.count.div_ceil(8)];
            self.nulls.iter().for_each(|row| bitmap[row / 8] &= !(1 << (row % 8)));
            PyBytes::new(py, &bitmap)
        });
        let made = py.import("abreast.columns")?.getattr("_made")?;
        made.call1((&self.messages.object, (offsets, PyBytes::new(py, &self.data), validity)))
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

/// A window of messages with what belongs to each.
struct Batch<'p, 'py> {
    keys: &'p KeyWindow<'py, Aead>,
    nonces: &'p [&'p [u8]],
    associated_data: &'p [&'p [u8]],
    messages: &'p [&'p [u8]],
    opening: bool,
}

impl Batch<'_, '_> {
    /// The lengths of the results.
    fn lengths(&self) -> impl Iterator<Item = usize> {
        zip(self.messages, self.keys.iter(self.messages.len())).map(|(message, key)| {
            let tag_len = key.get().tag_len;
            if self.opening { message.len().saturating_sub(tag_len) } else { message.len() + tag_len }
        })
    }

    /// Seals or opens to places of these lengths.
    fn run<'a, K: BatchMode<'a>>(
        &'a self,
        py: Python<'_>,
        places: Vec<&mut [u8]>,
    ) -> PyResult<Vec<Result<(), Error>>> {
        let count = self.messages.len();
        // A packet can write to its tag, so the tag of a message that is opened is copied.
        let mut tags = vec![[0; 32]; if self.opening { count } else { 0 }];
        let mut tags = tags.iter_mut();
        // What is shorter than a tag is not authentic, and no packet.
        let mut results = vec![Err(Error::TagMismatch); count];
        let mut rows = Vec::with_capacity(count);
        let mut batch = Vec::with_capacity(count);
        let mut total = 0;
        let each = zip(zip(self.keys.iter(count), self.associated_data), zip(self.messages, self.nonces));
        for ((row, place), ((key, associated_data), (message, nonce))) in
            zip(places.into_iter().enumerate(), each)
        {
            let aead = key.get();
            let key = K::of(aead).ok_or_else(|| {
                PyTypeError::new_err("all keys of a batch have to be of one mode: GCM, EAX or AEZ")
            })?;
            let (buffer, tag) = if let (true, Some(tag)) = (self.opening, tags.next()) {
                let Some(len) = message.len().checked_sub(aead.tag_len) else { continue };
                let (text, sealed) = message.split_at(len);
                let tag = &mut tag[..aead.tag_len];
                tag.copy_from_slice(sealed);
                (in_out(text, place).0, tag)
            } else {
                in_out(message, place)
            };
            total += message.len();
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
        Ok(results)
    }
}

/// Runs over the windows of a batch, each by the number of its first message and its size.
fn windows(count: usize, mut run: impl FnMut(usize, usize) -> PyResult<()>) -> PyResult<()> {
    (0..count).step_by(WINDOW).try_for_each(|first| run(first, WINDOW.min(count - first)))
}

/// A batch that is sealed or opened; also the numbers of the messages that are not authentic.
fn run<'py>(
    keys: &Bound<'py, PyAny>,
    nonces: &Bound<'py, PyAny>,
    messages: &Bound<'py, PyAny>,
    associated_data: Option<&Bound<'py, PyAny>>,
    opening: bool,
) -> PyResult<(Bound<'py, PyAny>, Vec<usize>)> {
    let py = keys.py();
    let messages = Messages::new(messages)?;
    let (mut source, count) = messages.source()?;
    let mut nonces = match Input::exported(nonces) {
        Ok(all) if count > 0 && all.len().is_multiple_of(count) => {
            Source::Rows { size: all.len() / count, all }
        }
        Ok(all) if all.is_empty() => Source::Same(all),
        Ok(all) => {
            return Err(PyValueError::new_err(format!(
                "nonces in one buffer have the same length for each of the {count} messages, and these have {} bytes",
                all.len()
            )));
        }
        Err(_) => Source::Items(Items::new(nonces, "nonces", count)?),
    };
    let mut keys = Keys::<Aead>::new(keys, count)?;
    let empty = PyBytes::new(py, b"").into_any();
    let associated_data = associated_data.unwrap_or(&empty);
    // Bytes are for all messages; anything else, if it has no buffer, is a sequence.
    let mut strings = match Input::exported(associated_data) {
        Ok(one) => Source::Same(one),
        Err(_) => Source::Items(Items::new(associated_data, "strings of associated data", count)?),
    };
    let mut results = messages.results(count);
    let (mut refused, mut mode) = (Vec::new(), None);
    windows(count, |first, size| {
        let keys = keys.window(size, "an AEAD such as AESGCM")?;
        // The first key of all says which mode it is, in the windows after the first too.
        mode = mode.take().or_else(|| keys.iter(size).next().map(|key| key.get().mode.clone()));
        source.with(first, size, |messages| {
            nonces.with(first, size, |nonces| {
                strings.with(first, size, |associated_data| {
                    let batch = Batch { keys: &keys, nonces, associated_data, messages, opening };
                    results.with(batch.lengths(), |places| {
                        let done = match &mode {
                            Some(Mode::Gcm(_)) => batch.run::<GcmKey<'_>>(py, places)?,
                            Some(Mode::Eax(_)) => batch.run::<EaxKey<'_>>(py, places)?,
                            Some(Mode::Aez(_)) => batch.run::<AezKey<'_>>(py, places)?,
                            None => unreachable!("a window has a message, and each message a key"),
                        };
                        let each = zip(first.., done).map(|(row, done)| match done {
                            Ok(()) => Ok(true),
                            Err(Error::TagMismatch) if opening => {
                                refused.push(row);
                                Ok(false)
                            }
                            Err(error) => Err(of_message(row, error)),
                        });
                        each.collect()
                    })
                })
            })
        })
    })?;
    Ok((results.finish()?, refused))
}

/// An error of one message, which says of which.
#[cold]
fn of_message(row: usize, error: Error) -> PyErr {
    PyValueError::new_err(format!("message {row}: {error}"))
}

/// Encrypts and authenticates messages: what each key's encrypt would return.
///
/// keys: an AEAD for all messages, or a sequence with one for each, all of one mode. messages: a sequence of bytes-like
/// objects, of which a list of bytes is made, or an abreast.columns.Values, one buffer with offsets, of which another one is
/// made. nonces: a sequence, or one buffer with the nonces one after the other. associated_data: a bytes-like object for
/// all, or a sequence with one for each.
#[pyfunction]
#[pyo3(signature = (keys, nonces, messages, associated_data=None))]
pub(crate) fn seal_many<'py>(
    keys: &Bound<'py, PyAny>,
    nonces: &Bound<'py, PyAny>,
    messages: &Bound<'py, PyAny>,
    associated_data: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(run(keys, nonces, messages, associated_data, false)?.0)
}

/// Decrypts what seal_many returned. If some messages are not authentic, raises InvalidTag, whose rows are their numbers;
/// with invalid="none", they are None in the list, or null among values.
#[pyfunction]
#[pyo3(signature = (keys, nonces, messages, associated_data=None, *, invalid="raise"))]
pub(crate) fn open_many<'py>(
    keys: &Bound<'py, PyAny>,
    nonces: &Bound<'py, PyAny>,
    messages: &Bound<'py, PyAny>,
    associated_data: Option<&Bound<'py, PyAny>>,
    invalid: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let py = keys.py();
    if !["raise", "none"].contains(&invalid) {
        return Err(PyValueError::new_err(format!("invalid is 'raise' or 'none', and not {invalid:?}")));
    }
    let (opened, refused) = run(keys, nonces, messages, associated_data, true)?;
    if refused.is_empty() || invalid == "none" { Ok(opened) } else { Err(errors::invalid_rows(py, refused)) }
}

/// Encrypts or decrypts the blocks of a window of messages.
fn blocks<'k, 'm>(
    py: Python<'_>,
    keys: impl Iterator<Item = CipherKey<'k>>,
    messages: &[&'m [u8]],
    places: impl Iterator<Item = &'m mut [u8]>,
    decrypt: bool,
) -> Vec<Result<(), Error>> {
    let packet = |(key, (message, place)): (CipherKey<'k>, (&&'m [u8], &'m mut [u8]))| Packet {
        key,
        iv: &[],
        associated_data: &[],
        buffer: in_out(message, place).0,
        tag: &mut [],
        result: Err(Error::NotProcessed),
    };
    let mut batch: Vec<Packet<'_, CipherKey<'_>>> = zip(keys, zip(messages, places)).map(packet).collect();
    let total = messages.iter().map(|message| message.len()).sum();
    release(py, total, || {
        if decrypt { packets::ecb_decrypt(&mut batch) } else { packets::ecb_encrypt(&mut batch) }
    });
    batch.iter().map(|packet| packet.result).collect()
}

/// A batch of raw blocks. A key of another class than `class` says is refused, or one that is not `accepted`.
fn ecb<'py>(
    keys: &Bound<'py, PyAny>,
    messages: &Bound<'py, PyAny>,
    decrypt: bool,
    class: &str,
    accepted: fn(&Bound<'py, PyCipher>) -> bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = keys.py();
    let messages = Messages::new(messages)?;
    let (mut source, count) = messages.source()?;
    let mut results = messages.results(count);
    let all_done = |first: usize, done: Vec<Result<(), Error>>| {
        zip(first.., done)
            .map(|(row, done)| done.map(|()| true).map_err(|error| of_message(row, error)))
            .collect::<PyResult<Vec<bool>>>()
    };
    if let Ok(raw) = keys.cast::<XteaKeys>() {
        let raw = raw.get();
        if raw.__len__() != count {
            return Err(PyValueError::new_err(format!(
                "there are {count} messages and {} keys; there has to be one for each",
                raw.__len__()
            )));
        }
        let mut keys = raw.keys()?;
        windows(count, |first, size| {
            source.with(first, size, |messages| {
                results.with(messages.iter().map(|message| message.len()), |places| {
                    let mut places = places.into_iter();
                    let mut made = Vec::with_capacity(size);
                    // As many as keys are prepared for at a time.
                    for (at, messages) in
                        zip((first..).step_by(columns::WINDOW), messages.chunks(columns::WINDOW))
                    {
                        let rows: Vec<_> = (at..at + messages.len()).collect();
                        let places = places.by_ref().take(messages.len());
                        let done = keys.with_keys(&rows, |keys| {
                            blocks(py, keys.iter().map(|key| (*key).into()), messages, places, decrypt)
                        });
                        made.extend(all_done(at, done.map_err(of_column)?)?);
                    }
                    Ok(made)
                })
            })
        })?;
        return results.finish();
    }
    let mut keys = Keys::<PyCipher>::new(keys, count)?;
    windows(count, |first, size| {
        let keys = keys.window(size, class)?;
        if let Some(key) = keys.iter(size).find(|key| !accepted(key)) {
            return Err(wrong_key(class, key.as_any()));
        }
        source.with(first, size, |messages| {
            results.with(messages.iter().map(|message| message.len()), |places| {
                let keys = keys.iter(size).map(|key| key.get().key.cipher().into());
                all_done(first, blocks(py, keys, messages, places.into_iter(), decrypt))
            })
        })
    })?;
    results.finish()
}

/// Encrypts the blocks of messages, each with a key of its own or all with one (ECB), or decrypts them. The keys may be
/// those of any block cipher. messages: as for seal_many.
#[pyfunction]
#[pyo3(signature = (keys, messages, *, decrypt=false))]
pub(crate) fn ecb_many<'py>(
    keys: &Bound<'py, PyAny>,
    messages: &Bound<'py, PyAny>,
    decrypt: bool,
) -> PyResult<Bound<'py, PyAny>> {
    ecb(keys, messages, decrypt, "a block cipher such as XTEA", |_| true)
}

/// As ecb_many, for keys of XTEA: what game servers do. An abreast.columns.XTEAKeys has the keys of all messages as bytes,
/// which are read where they are and need no object each.
#[pyfunction]
#[pyo3(signature = (keys, messages, *, decrypt=false))]
pub(crate) fn xtea_many<'py>(
    keys: &Bound<'py, PyAny>,
    messages: &Bound<'py, PyAny>,
    decrypt: bool,
) -> PyResult<Bound<'py, PyAny>> {
    ecb(keys, messages, decrypt, "an XTEA", |key| key.is_instance_of::<PyXtea>())
}
