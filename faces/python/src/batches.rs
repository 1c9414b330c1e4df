//! Batches: many messages with a key each, or one for all, in one call: `seal_many`, `open_many`, `ecb_many` and
//! `xtea_many`. The messages are objects of a sequence, or lie in one buffer with offsets, as the values of a column do.

use abreast::Error;
use abreast::columns::{self, RowKeys, Values};
use abreast::modes::Direction;
use abreast::packets::{self, AezKey, CipherKey, EaxKey, GcmKey, Packet};
use abreast::table::{ModeRow, Sealer};
use pyo3::PyClass;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyFrozenSet, PyIterator, PyList, PySet, PyString};
use std::iter::{repeat_n, zip};

use crate::aead::Aead;
use crate::aead_mode::{Mode, aez_with};
use crate::buffers::{Input, NewBytes, in_out, release};
use crate::ciphers::{PyCipher, PyXtea};
use crate::columns::{Column, XteaKeys, of as of_column};
use crate::errors;
use crate::signals::{Stop, Watch};

/// The number of messages that are worked on at a time. Their data stays in the processor's caches until the objects for their
/// results are made, and is enough for all lanes of a kernel; the whole of a long batch would not stay there.
pub(crate) const WINDOW: usize = 512;

/// Bytes of messages between two looks at signals.
const TURN: usize = 2 << 20;

/// The items of an iterable, a window of messages at a time.
pub(crate) struct Items<'py> {
    iterator: Bound<'py, PyIterator>,
    what: &'static str,
    /// The things that each item belongs to.
    of: &'static str,
}

/// A number of things whose name is in the plural: `1 message`, `2 messages`, `1 string of associated data`.
fn in_words(number: usize, things: &str) -> String {
    let (noun, rest) =
        things.split_once(" of ").map_or((things, ""), |(noun, _)| (noun, &things[noun.len()..]));
    let noun = if number == 1 { noun.strip_suffix('s').unwrap_or(noun) } else { noun };
    format!("{number} {noun}{rest}")
}

/// The exception for an argument that has not one item for each message.
fn not_one_for_each(number: usize, of: &str, len: usize, what: &str) -> PyErr {
    let (are, for_each) = if number == 1 { ("is", "it") } else { ("are", "each") };
    PyValueError::new_err(format!(
        "there {are} {} and {}; there has to be one for {for_each}",
        in_words(number, of),
        in_words(len, what)
    ))
}

impl<'py> Items<'py> {
    /// Reads an iterable that has as many items as there are messages.
    ///
    /// # Errors
    /// `TypeError` for an object that is not an iterable of them, `ValueError` for one that reports another length.
    pub(crate) fn new(iterable: &Bound<'py, PyAny>, what: &'static str, messages: usize) -> PyResult<Self> {
        Self::one_for_each(iterable, what, messages, "messages")
    }

    /// Reads an iterable as [`new`](Self::new) does, with as many items as there are of other things.
    pub(crate) fn one_for_each(
        iterable: &Bound<'py, PyAny>,
        what: &'static str,
        number: usize,
        of: &'static str,
    ) -> PyResult<Self> {
        let iterator = iterator(iterable, what)?;
        match iterable.len() {
            Ok(len) if len != number => Err(not_one_for_each(number, of, len, what)),
            _ => Ok(Self { iterator, what, of }),
        }
    }

    /// The next `count` items, each held by a reference of its own.
    pub(crate) fn window(&mut self, count: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let items: Vec<_> = self.iterator.by_ref().take(count).collect::<PyResult<_>>()?;
        if items.len() == count {
            return Ok(items);
        }
        let Self { what, of, .. } = self;
        Err(PyValueError::new_err(if what == of {
            format!("there are fewer {what} than their sequence said")
        } else {
            format!("there are fewer {what} than {of}")
        }))
    }

    /// Refuses more items than there are messages, which an iterator does not say before it is asked for them.
    pub(crate) fn end(&mut self) -> PyResult<()> {
        match self.iterator.next().transpose()? {
            None => Ok(()),
            Some(_) => Err(PyValueError::new_err(format!("there are more {} than {}", self.what, self.of))),
        }
    }
}

/// Runs with windows of messages, and of other objects of which there is one for each, where they are given; and with the number of
/// the first message. A signal ends it between two windows.
pub(crate) fn in_windows<'py, const N: usize>(
    (messages, of): (&Bound<'py, PyAny>, &'static str),
    others: [Option<(&Bound<'py, PyAny>, &'static str)>; N],
    mut run: impl FnMut(usize, &[Input<'_>], [&[Bound<'py, PyAny>]; N]) -> PyResult<()>,
) -> PyResult<()> {
    each_window((messages, of), others, &mut run)
}

/// The work on a window, given the number of its first message.
type OnWindow<'w, 'py, const N: usize> =
    &'w mut dyn FnMut(usize, &[Input<'_>], [&[Bound<'py, PyAny>]; N]) -> PyResult<()>;

/// Does what [`in_windows`] does, once for all kinds of work.
fn each_window<'py, const N: usize>(
    (messages, of): (&Bound<'py, PyAny>, &'static str),
    others: [Option<(&Bound<'py, PyAny>, &'static str)>; N],
    run: OnWindow<'_, 'py, N>,
) -> PyResult<()> {
    // Before their numbers: text and sets have one too.
    iterator(messages, of)?;
    let mut known = Vec::with_capacity(N);
    for (others, what) in others.into_iter().flatten() {
        iterator(others, what)?;
        known.push((what, Some(others)));
    }
    let counted = counted(messages, of, &known)?;
    let (count, mut watch) = (counted.len()?, Watch::new());
    let mut messages = Items::one_for_each(&counted, of, count, of)?;
    let items = |(others, what)| Items::one_for_each(others, what, count, of);
    let others = others.into_iter().map(|others| others.map(items).transpose());
    let mut others = others.collect::<PyResult<Vec<_>>>()?;
    for first in (0..count).step_by(WINDOW) {
        let size = WINDOW.min(count - first);
        let objects = messages.window(size)?;
        let mut windows = [const { Vec::new() }; N];
        for (window, others) in zip(&mut windows, &mut others) {
            if let Some(others) = others {
                *window = others.window(size)?;
            }
        }
        run(first, &inputs(&objects)?, windows.each_ref().map(Vec::as_slice))?;
        watch.look()?;
    }
    others.iter_mut().flatten().try_for_each(Items::end)
}

/// Something of which a batch has one for all messages, or one for each.
pub(crate) struct OneOrEach<'a, 'py, T> {
    read: fn(&Bound<'py, PyAny>) -> PyResult<T>,
    what: &'static str,
    one: Result<T, &'a Bound<'py, PyAny>>,
}

impl<'a, 'py, T: Clone> OneOrEach<'a, 'py, T> {
    /// Takes an argument for one if it can be read as such, and for an iterable of them otherwise. `what` is their name in the plural.
    ///
    /// # Errors
    /// `TypeError` for an object that is neither; other errors of `read`.
    pub(crate) fn new(
        object: &'a Bound<'py, PyAny>,
        what: &'static str,
        read: fn(&Bound<'py, PyAny>) -> PyResult<T>,
    ) -> PyResult<Self> {
        let one = match read(object) {
            Ok(one) => Ok(one),
            Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => {
                iterator(object, &format!("{what}, unless one is for all,"))?;
                Err(object)
            }
            Err(error) => return Err(error),
        };
        Ok(Self { read, what, one })
    }

    /// The argument for [`in_windows`], if it is an iterable.
    pub(crate) fn each(&self) -> Option<(&'a Bound<'py, PyAny>, &'static str)> {
        self.one.as_ref().err().map(|each| (*each, self.what))
    }

    /// Reads those of a window of `count` messages from `first` on.
    ///
    /// # Errors
    /// The errors of reading one, with its number before the text.
    pub(crate) fn window(&self, first: usize, count: usize, items: &[Bound<'py, PyAny>]) -> PyResult<Vec<T>> {
        let Err(each) = &self.one else {
            return Ok(self.one.iter().cloned().cycle().take(count).collect());
        };
        let what = self.what.strip_suffix('s').unwrap_or(self.what);
        let numbered =
            |(row, item)| (self.read)(item).map_err(|error| errors::numbered(each.py(), what, row, &error));
        zip(first.., items).map(numbered).collect()
    }
}

/// An object as one of a class, whose name is in the error: `an abreast.cgo.Relay`.
///
/// # Errors
/// `TypeError` for one of another class.
pub(crate) fn instance<'py, C: PyClass>(object: &Bound<'py, PyAny>, class: &str) -> PyResult<Bound<'py, C>> {
    let refused = |_| PyTypeError::new_err(format!("{class} is required, not {}", errors::class_of(object)));
    object.cast::<C>().cloned().map_err(refused)
}

/// The buffers of objects.
pub(crate) fn inputs<'o>(objects: &'o [Bound<'_, PyAny>]) -> PyResult<Vec<Input<'o>>> {
    objects.iter().map(|one| one.extract()).collect()
}

/// The items of an iterable.
///
/// # Errors
/// `TypeError` for an object that is not iterable, for text and bytes, whose items are characters and numbers, and for a set,
/// whose items would meet those of others in any order.
pub(crate) fn iterator<'py>(iterable: &Bound<'py, PyAny>, what: &str) -> PyResult<Bound<'py, PyIterator>> {
    if iterable.is_instance_of::<PySet>() || iterable.is_instance_of::<PyFrozenSet>() {
        return Err(PyTypeError::new_err(format!(
            "{what} in a {} have no order, and the order counts: pass a list",
            errors::class_of(iterable)
        )));
    }
    let one = iterable.is_instance_of::<PyString>()
        || iterable.is_instance_of::<PyBytes>()
        || iterable.is_instance_of::<PyByteArray>();
    match iterable.try_iter() {
        Ok(iterator) if !one => Ok(iterator),
        // An exception of the caller's own iterable is passed on.
        Err(error) if !error.is_instance_of::<PyTypeError>(iterable.py()) => Err(error),
        _ if iterable.is_instance_of::<PyString>() => Err(PyTypeError::new_err(format!(
            "{what} are an iterable such as a list, not str: pass [\"abc\".encode()] or [b\"abc\"]"
        ))),
        _ => Err(PyTypeError::new_err(format!(
            "{what} are an iterable such as a list, not {}",
            errors::class_of(iterable)
        ))),
    }
}

/// The keys of a batch: an object of a class, or an iterable of them.
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

    fn end(&mut self) -> PyResult<()> {
        match self {
            Self::One(_) => Ok(()),
            Self::Each(items) => items.end(),
        }
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
    PyTypeError::new_err(format!("a key of the batch is {}; all have to be {class}", errors::class_of(key)))
}

/// The bytes that each message of a batch has of something: of the message itself, of its nonce or associated data.
enum Source<'a, 'py> {
    /// The items of an iterable.
    Items(Items<'py>),
    /// One buffer and offsets.
    Column(Values<'a>),
    /// One buffer, of which each message has as many bytes.
    Rows { all: Input<'static>, size: usize },
    /// One value for all.
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

    /// Refuses more of them than there are messages.
    fn end(&mut self) -> PyResult<()> {
        match self {
            Self::Items(items) => items.end(),
            Self::Column(_) | Self::Rows { .. } | Self::Same(_) => Ok(()),
        }
    }
}

/// Returns the messages, or what else a call is about, as an object that knows their number: a list of those that come from a
/// generator.
pub(crate) fn counted<'py>(
    messages: &Bound<'py, PyAny>,
    what: &str,
    others: &[(&str, Option<&Bound<'py, PyAny>>)],
) -> PyResult<Bound<'py, PyAny>> {
    match messages.len() {
        Ok(_) => Ok(messages.clone()),
        Err(_) => Ok(listed(messages, what, others)?.into_any()),
    }
}

/// Lists the items of an iterable that does not know their number. Others that have one say how many there may be; if none has, a
/// signal can end it.
fn listed<'py>(
    messages: &Bound<'py, PyAny>,
    what: &str,
    others: &[(&str, Option<&Bound<'py, PyAny>>)],
) -> PyResult<Bound<'py, PyList>> {
    let (list, mut watch) = (PyList::empty(messages.py()), Watch::new());
    // Bytes of nonces and associated data say nothing about their number.
    let numbers = others.iter().filter_map(|(what, other)| {
        let other = (*other)?;
        if Input::exported(other).is_ok() { None } else { Some((*what, other.len().ok()?)) }
    });
    let least = numbers.min_by_key(|(_, len)| *len);
    for item in iterator(messages, what)? {
        if let Some((other, len)) = least
            && list.len() == len
        {
            return Err(PyValueError::new_err(format!(
                "there are more {what} than the {}; there has to be one for each",
                in_words(len, other)
            )));
        }
        list.append(item?)?;
        watch.look()?;
    }
    Ok(list)
}

/// The messages of a batch.
struct Messages<'py> {
    object: Bound<'py, PyAny>,
    column: Option<Column>,
}

impl<'py> Messages<'py> {
    /// Reads as many items of an argument as another argument, whose length is known, has.
    fn new(object: &Bound<'py, PyAny>, others: &[(&str, Option<&Bound<'py, PyAny>>)]) -> PyResult<Self> {
        let column = Column::of(object)?;
        if column.as_ref().is_some_and(Column::has_nulls) {
            return Err(PyValueError::new_err(
                "the messages of a batch cannot be null; abreast.columns.encrypt leaves nulls as they are",
            ));
        }
        let object = if column.is_some() { object.clone() } else { counted(object, "messages", others)? };
        Ok(Self { object, column })
    }

    /// The bytes of the messages, and how many messages there are.
    fn source(&self) -> PyResult<(Source<'_, 'py>, usize)> {
        if let Some(column) = &self.column {
            let values = column.values()?;
            return Ok((Source::Column(values), values.len()));
        }
        // Before their number: text and bytes have one too.
        iterator(&self.object, "messages")?;
        let count = self.object.len()?;
        Ok((Source::Items(Items::new(&self.object, "messages", count)?), count))
    }

    /// Returns the place for the results, which become longer by the length of a tag, or shorter, and are of the same kind.
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

/// The results of a batch: a list of `bytes`, or one buffer with offsets.
struct Results<'a, 'py> {
    py: Python<'py>,
    messages: &'a Messages<'py>,
    /// For messages of an iterable.
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
        let mut total = 0;
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
            total += message.len() + associated_data.len();
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
        in_turns(py, watch, total, &mut batch, if self.opening { K::open } else { K::seal })?;
        for (row, packet) in zip(rows, &batch) {
            results[row] = packet.result;
        }
        Ok(results)
    }
}

/// Does the packets of a window, of `total` bytes, and looks at signals between as many of them as have [`TURN`] bytes.
fn in_turns<K: Send>(
    py: Python<'_>,
    watch: &mut Watch,
    total: usize,
    mut packets: &mut [Packet<'_, K>],
    run: fn(&mut [Packet<'_, K>]),
) -> PyResult<()> {
    if total <= TURN {
        release(py, total, || run(packets));
        return watch.look();
    }
    py.detach(|| {
        while !packets.is_empty() {
            let mut bytes = 0;
            let fits = |packet: &&Packet<'_, K>| {
                bytes += packet.buffer.len() + packet.associated_data.len();
                bytes <= TURN
            };
            let count = packets.iter().take_while(fits).count().max(1);
            let (now, later) = std::mem::take(&mut packets).split_at_mut(count);
            run(now);
            packets = later;
            watch.look()?;
        }
        Ok(())
    })
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
                "nonces in one buffer have the same length for each of the {count} messages, and these have {} bytes",
                all.len()
            )));
        }
        None => Source::Items(Items::new(nonces, "nonces", count)?),
    };
    let mut keys = Keys::<Aead>::new(keys, count)?;
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
        let keys = keys.window(size, "an AEAD such as AESGCM")?;
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
    keys.end()?;
    nonces.end()?;
    strings.end()?;
    Ok((results.finish()?, refused))
}

/// An error of one message, which says of which.
#[cold]
fn of_message(row: usize, error: Error) -> PyErr {
    PyValueError::new_err(format!("message {row}: {error}"))
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
    invalid: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let py = keys.py();
    let to_none = errors::to_none(invalid)?;
    let (opened, refused) = run(keys, nonces, messages, associated_data, true)?;
    if refused.is_empty() || to_none { Ok(opened) } else { Err(errors::invalid_rows(py, refused)) }
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
    let total = messages.iter().map(|message| message.len()).sum();
    in_turns(
        py,
        watch,
        total,
        &mut batch,
        if decrypt { packets::ecb_decrypt } else { packets::ecb_encrypt },
    )?;
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
                        made.extend(all_done(at, done.map_err(of_column)??)?);
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
                all_done(first, blocks(py, &mut watch, keys, messages, places.into_iter(), decrypt)?)
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
    decrypt: bool,
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
    decrypt: bool,
) -> PyResult<Bound<'py, PyAny>> {
    ecb(keys, messages, decrypt, "an XTEA", |key| key.is_instance_of::<PyXtea>())
}
