//! Batches: many messages with a key each, or one for all, in one call: `seal_many`, `open_many`, `ecb_many` and
//! `xtea_many`. The messages are objects of a sequence, or lie in one buffer with offsets, as the values of a column do.

use abreast::columns::{self, RowKeys};
use abreast::modes::Direction;
use abreast::packets::{self, AezKey, CipherKey, EaxKey, GcmKey, Packet};
use abreast::table::{ModeRow, Sealer};
use abreast::{Counted, Error};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::iter::zip;

use crate::aead::Aead;
use crate::aead_mode::{Mode, aez_with};
use crate::arguments::{flag, text};
use crate::buffers::{Input, in_out, release};
use crate::ciphers::{PyCipher, PyXtea};
use crate::columns::{XteaKeys, of as of_column};
use crate::errors::{self, numbered};
use crate::signals::{Stop, Watch};
use crate::windows::{
    Items, KeyWindow, Keys, Messages, Source, TURN, WINDOW, in_turns, not_one_for_each, wrong_key,
};

/// The keys of messages that are authenticated, in errors.
const CLASS: &str = "an AEAD such as AESGCM";

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
        Some(aez_with(aez, aead.tag_len).ok()?.into())
    }
    fn seal(packets: &mut [Packet<'_, Self>]) {
        packets::aez_encrypt(packets);
    }
    fn open(packets: &mut [Packet<'_, Self>]) {
        packets::aez_decrypt(packets);
    }
}

impl<'a> BatchMode<'a> for &'a dyn Sealer {
    fn of(aead: &'a Aead) -> Option<Self> {
        let Mode::Other(sealer) = &aead.mode else { return None };
        Some(&***sealer)
    }
    fn seal(packets: &mut [Packet<'_, Self>]) {
        by_its_row(Direction::Encrypt, packets);
    }
    fn open(packets: &mut [Packet<'_, Self>]) {
        by_its_row(Direction::Decrypt, packets);
    }
}

/// Does a batch by the row of its mode in the library's table. A key of another mode than the first is not processed.
fn by_its_row(direction: Direction, packets: &mut [Packet<'_, &dyn Sealer>]) {
    let row = packets.first().and_then(|packet| ModeRow::from_name(packet.key.mode()));
    if let Some(sealing) = row.and_then(|row| row.sealing) {
        sealing.batch(direction, packets);
    }
}

/// A window of messages with the parameters of each.
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
        watch: &mut Watch,
        places: Vec<&mut [u8]>,
    ) -> PyResult<Vec<Result<(), Error>>> {
        let count = self.messages.len();
        // A packet can write to its tag, so the tag of a message that is opened is copied.
        let mut tags = vec![[0; 32]; if self.opening { count } else { 0 }];
        let mut tags = tags.iter_mut();
        // A message shorter than a tag is not authentic, and no packet.
        let mut results = vec![Err(Error::TagMismatch); count];
        let mut rows = Vec::with_capacity(count);
        let mut batch = Vec::with_capacity(count);
        let each = zip(zip(self.keys.iter(count), self.associated_data), zip(self.messages, self.nonces));
        for ((row, place), ((key, associated_data), (message, nonce))) in
            zip(places.into_iter().enumerate(), each)
        {
            let aead = key.get();
            let key = K::of(aead).ok_or_else(|| {
                PyTypeError::new_err("the batch has keys of several modes; all have to be of one of them")
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
            // A long message goes through its pieces alone.
            if message.len() > TURN && matches!(aead.mode, Mode::Gcm(_) | Mode::Eax(_)) {
                let (mode, tag_len, strings) = (&aead.mode, aead.tag_len, [*associated_data]);
                let opening = self.opening;
                let done = release(py, message.len(), || match opening {
                    true => mode.open_watched(watch, tag_len, nonce, &strings, buffer, tag),
                    false => mode.seal_watched(watch, tag_len, nonce, &strings, buffer, tag),
                });
                results[row] = match done {
                    Ok(()) => Ok(()),
                    Err(Stop::Failed(error)) => Err(error),
                    Err(Stop::Signal(raised)) => return Err(raised),
                };
                continue;
            }
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
        let size = |at: usize| self.messages[rows[at]].len() + self.associated_data[rows[at]].len();
        in_turns(py, Some(watch), &mut batch, size, if self.opening { K::open } else { K::seal })?;
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
    let others =
        [("keys", Some(keys)), ("nonces", Some(nonces)), ("strings of associated data", associated_data)];
    let messages = Messages::new(messages, &others)?;
    let (mut source, count) = messages.source()?;
    let mut nonces = match Input::unless_several(nonces)? {
        Some(all) if count > 0 && all.len().is_multiple_of(count) => {
            Source::Rows { size: all.len() / count, all }
        }
        Some(all) if all.is_empty() => Source::Same(all),
        Some(all) => {
            return Err(PyValueError::new_err(format!(
                "nonces in one buffer have the same length for each of {}, and these have {}",
                Counted(count, "messages"),
                Counted(all.len(), "bytes")
            )));
        }
        None => Source::Items(Items::new(nonces, "nonces", count)?),
    };
    let mut keys = Keys::<Aead>::new(keys, CLASS, count)?;
    let empty = PyBytes::new(py, b"").into_any();
    let associated_data = associated_data.unwrap_or(&empty);
    // Bytes are for all messages; anything else, if it has no buffer, is an iterable.
    let mut strings = match Input::unless_several(associated_data)? {
        Some(one) => Source::Same(one),
        None => Source::Items(Items::new(associated_data, "strings of associated data", count)?),
    };
    let mut results = messages.results(count);
    let (mut refused, mut mode, mut watch) = (Vec::new(), None, Watch::new());
    windows(count, |first, size| {
        let keys = keys.window(size, CLASS)?;
        // The first key of all says which mode it is, in the windows after the first too.
        mode = mode.take().or_else(|| keys.iter(size).next().map(|key| key.get().mode.clone()));
        source.with(first, size, |messages| {
            nonces.with(first, size, |nonces| {
                strings.with(first, size, |associated_data| {
                    let batch = Batch { keys: &keys, nonces, associated_data, messages, opening };
                    results.with(batch.lengths(), |places| {
                        let done = match &mode {
                            Some(Mode::Gcm(_)) => batch.run::<GcmKey<'_>>(py, &mut watch, places)?,
                            Some(Mode::Eax(_)) => batch.run::<EaxKey<'_>>(py, &mut watch, places)?,
                            Some(Mode::Aez(_)) => batch.run::<AezKey<'_>>(py, &mut watch, places)?,
                            Some(Mode::Other(_)) => batch.run::<&dyn Sealer>(py, &mut watch, places)?,
                            None => unreachable!("a window has a message, and each message a key"),
                        };
                        let each = zip(zip(first.., nonces), done).map(|((row, nonce), done)| match done {
                            Ok(()) => Ok(true),
                            Err(Error::TagMismatch) if opening => {
                                refused.push(row);
                                Ok(false)
                            }
                            Err(error) => Err(match &mode {
                                Some(mode) => numbered(py, "message", row, &mode.exception(py, error, nonce)),
                                None => errors::of(py, error),
                            }),
                        });
                        each.collect()
                    })
                })
            })
        })
    })?;
    keys.end()?;
    nonces.end()?;
    strings.end()?;
    Ok((results.finish()?, refused))
}

/// Encrypts and authenticates messages, as encrypt of each key would.
///
/// keys: an AEAD for all messages, or an iterable with one for each, all of one mode. messages: an iterable of bytes-like
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

/// Decrypts a result of seal_many. If some messages are not authentic, raises InvalidTag, whose rows are their numbers; with
/// invalid="none", they are None in the list, or null among values.
#[pyfunction]
#[pyo3(signature = (keys, nonces, messages, associated_data=None, *, invalid="raise"))]
pub(crate) fn open_many<'py>(
    keys: &Bound<'py, PyAny>,
    nonces: &Bound<'py, PyAny>,
    messages: &Bound<'py, PyAny>,
    associated_data: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = text)] invalid: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let py = keys.py();
    let to_none = errors::to_none(invalid)?;
    let (opened, refused) = run(keys, nonces, messages, associated_data, true)?;
    if refused.is_empty() || to_none { Ok(opened) } else { Err(errors::invalid_rows(py, "message", refused)) }
}

/// Encrypts or decrypts the blocks of a window of messages.
fn blocks<'k, 'm>(
    py: Python<'_>,
    watch: &mut Watch,
    keys: impl Iterator<Item = CipherKey<'k>>,
    messages: &[&'m [u8]],
    places: impl Iterator<Item = &'m mut [u8]>,
    decrypt: bool,
) -> PyResult<Vec<Result<(), Error>>> {
    let (mut batch, mut rows) = (Vec::with_capacity(messages.len()), Vec::with_capacity(messages.len()));
    for (row, (key, (message, place))) in zip(keys, zip(messages, places)).enumerate() {
        // A long message is several packets. If the last is refused, so is the message.
        let pieces = message.len().div_ceil(TURN).max(1);
        let mut rest = (*message, place);
        for _ in 0..pieces {
            let len = TURN.min(rest.0.len());
            let ((message, more), (place, room)) = (rest.0.split_at(len), rest.1.split_at_mut(len));
            rest = (more, room);
            rows.push(row);
            batch.push(Packet {
                key,
                iv: &[],
                associated_data: &[],
                buffer: in_out(message, place).0,
                tag: &mut [],
                result: Err(Error::NotProcessed),
            });
        }
    }
    let size = |at: usize| messages[rows[at]].len().min(TURN);
    let run = if decrypt { packets::ecb_decrypt } else { packets::ecb_encrypt };
    in_turns(py, Some(watch), &mut batch, size, run)?;
    let mut results = vec![Ok(()); messages.len()];
    for (row, packet) in zip(rows, &batch) {
        results[row] = results[row].and(packet.result);
    }
    Ok(results)
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
    let messages = Messages::new(messages, &[("keys", Some(keys))])?;
    let (mut source, count) = messages.source()?;
    let (mut results, mut watch) = (messages.results(count), Watch::new());
    let all_done = |first: usize, lens: Vec<(usize, usize)>, done: Vec<Result<(), Error>>| {
        let of = |(row, (len, size)), error| {
            numbered(py, "message", row, &errors::of_blocks(py, error, len, size))
        };
        zip(zip(first.., lens), done)
            .map(|(message, done)| done.map(|()| true).map_err(|error| of(message, error)))
            .collect::<PyResult<Vec<bool>>>()
    };
    if let Ok(raw) = keys.cast::<XteaKeys>() {
        let raw = raw.get();
        if raw.__len__() != count {
            return Err(not_one_for_each(count, "messages", raw.__len__(), "keys"));
        }
        let mut keys = raw.keys()?;
        windows(count, |first, size| {
            source.with(first, size, |messages| {
                results.with(messages.iter().map(|message| message.len()), |places| {
                    let mut places = places.into_iter();
                    let mut made = Vec::with_capacity(size);
                    // One batch for each window of keys that are prepared at a time.
                    for (at, messages) in
                        zip((first..).step_by(columns::WINDOW), messages.chunks(columns::WINDOW))
                    {
                        let rows: Vec<_> = (at..at + messages.len()).collect();
                        let places = places.by_ref().take(messages.len());
                        let done = keys.with_keys(&rows, |keys| {
                            let keys = keys.iter().map(|key| (*key).into());
                            blocks(py, &mut watch, keys, messages, places, decrypt)
                        });
                        let lens = messages.iter().map(|message| (message.len(), 8)).collect();
                        made.extend(all_done(at, lens, done.map_err(of_column)??)?);
                    }
                    Ok(made)
                })
            })
        })?;
        return results.finish();
    }
    let mut keys = Keys::<PyCipher>::new(keys, class, count)?;
    windows(count, |first, size| {
        let keys = keys.window(size, class)?;
        if let Some(key) = keys.iter(size).find(|key| !accepted(key)) {
            return Err(wrong_key(class, key.as_any()));
        }
        source.with(first, size, |messages| {
            results.with(messages.iter().map(|message| message.len()), |places| {
                let keys = keys.iter(size).map(|key| key.get().key.cipher());
                let lens = zip(messages, keys.clone())
                    .map(|(message, key)| (message.len(), key.block_size()))
                    .collect();
                let keys = keys.map(CipherKey::from);
                all_done(first, lens, blocks(py, &mut watch, keys, messages, places.into_iter(), decrypt)?)
            })
        })
    })?;
    keys.end()?;
    results.finish()
}

/// Encrypts the blocks of messages, each with a key of its own or all with one (ECB), or decrypts them. The keys may be
/// those of any block cipher. messages: as for seal_many.
#[pyfunction]
#[pyo3(signature = (keys, messages, *, decrypt=false))]
pub(crate) fn ecb_many<'py>(
    keys: &Bound<'py, PyAny>,
    messages: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = flag)] decrypt: bool,
) -> PyResult<Bound<'py, PyAny>> {
    ecb(keys, messages, decrypt, "a block cipher such as XTEA", |_| true)
}

/// Encrypts or decrypts with keys of XTEA as ecb_many does: the work of game servers. An abreast.columns.XTEAKeys has the keys
/// of all messages as bytes, which are read where they are and need no object each.
#[pyfunction]
#[pyo3(signature = (keys, messages, *, decrypt=false))]
pub(crate) fn xtea_many<'py>(
    keys: &Bound<'py, PyAny>,
    messages: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = flag)] decrypt: bool,
) -> PyResult<Bound<'py, PyAny>> {
    ecb(keys, messages, decrypt, "an XTEA", |key| key.is_instance_of::<PyXtea>())
}
