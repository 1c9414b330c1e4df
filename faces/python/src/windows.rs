//! The items of a batch, a window of messages at a time: keys and bytes of iterables and columns, and places for results.

use abreast::Counted;
use abreast::columns::Values;
use pyo3::PyClass;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyFrozenSet, PyIterator, PyList, PySet, PyString};
use std::iter::{repeat_n, zip};

use crate::arguments::class_of;
use crate::buffers::{Input, NewBytes, release};
use crate::columns::Column;
use crate::errors;
use crate::signals::Watch;

/// The number of messages that are worked on at a time. Their data stays in the processor's caches until the objects for their
/// results are made, and is enough for all lanes of a kernel; the whole of a long batch would not stay there.
pub(crate) const WINDOW: usize = 512;

/// Bytes of messages between two looks at signals.
pub(crate) const TURN: usize = 2 << 20;

/// Runs the packets of a window in turns of at most [`TURN`] bytes, a longer packet in a turn of its own, and looks at signals after
/// each. `size` returns the work of the packet at a place, in bytes. `watch` is the watch of the whole call, if it has one.
pub(crate) fn in_turns<P: Send>(
    py: Python<'_>,
    watch: Option<&mut Watch>,
    mut packets: &mut [P],
    size: impl Fn(usize) -> usize + Sync,
    mut run: impl FnMut(&mut [P]) + Send,
) -> PyResult<()> {
    let total = (0..packets.len()).map(&size).sum();
    if total <= TURN {
        release(py, total, || run(packets));
        return watch.map_or(Ok(()), Watch::look);
    }
    py.detach(|| {
        let (mut first, mut own) = (0, None);
        let watch = watch.unwrap_or_else(|| own.insert(Watch::new()));
        while !packets.is_empty() {
            let mut bytes = 0;
            let fits = |at: &usize| {
                bytes += size(*at);
                bytes <= TURN
            };
            let count = (first..first + packets.len()).take_while(fits).count().max(1);
            let (now, later) = std::mem::take(&mut packets).split_at_mut(count);
            run(now);
            (packets, first) = (later, first + count);
            watch.look()?;
        }
        Ok(())
    })
}

/// The items of an iterable, a window of messages at a time.
pub(crate) struct Items<'py> {
    iterator: Bound<'py, PyIterator>,
    what: &'static str,
    /// The things that each item belongs to.
    of: &'static str,
}

/// The exception for an argument that has not one item for each message.
pub(crate) fn not_one_for_each(number: usize, of: &str, len: usize, what: &str) -> PyErr {
    let (are, for_each) = if number == 1 { ("is", "it") } else { ("are", "each") };
    PyValueError::new_err(format!(
        "there {are} {} and {}; there has to be one for {for_each}",
        Counted(number, of),
        Counted(len, what)
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
            class_of(iterable)
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
            class_of(iterable)
        ))),
    }
}

/// The keys of a batch: an object of a class, or an iterable of them.
pub(crate) enum Keys<'py, C> {
    One(Bound<'py, C>),
    Each(Items<'py>),
}

/// A window of keys.
pub(crate) enum KeyWindow<'py, C> {
    One(Bound<'py, C>),
    Each(Vec<Bound<'py, C>>),
}

impl<'py, C> KeyWindow<'py, C> {
    /// The first `count` of them, of as many messages.
    pub(crate) fn iter(&self, count: usize) -> impl Iterator<Item = &Bound<'py, C>> + Clone {
        let (one, each) = match self {
            Self::One(one) => (Some(one), [].as_slice()),
            Self::Each(each) => (None, each.as_slice()),
        };
        one.into_iter().flat_map(move |one| repeat_n(one, count)).chain(each)
    }
}

impl<'py, C: PyClass> Keys<'py, C> {
    /// Reads keys, each of which is what `class` says.
    ///
    /// # Errors
    /// `TypeError` for an object that is neither one nor an iterable, `ValueError` for one that reports another length.
    pub(crate) fn new(keys: &Bound<'py, PyAny>, class: &str, messages: usize) -> PyResult<Self> {
        Ok(match keys.cast::<C>() {
            Ok(one) => Self::One(one.clone()),
            Err(_) => {
                iterator(keys, &format!("keys, unless {class} is for all messages,"))?;
                Self::Each(Items::new(keys, "keys", messages)?)
            }
        })
    }

    pub(crate) fn end(&mut self) -> PyResult<()> {
        match self {
            Self::One(_) => Ok(()),
            Self::Each(items) => items.end(),
        }
    }

    pub(crate) fn window(&mut self, count: usize, class: &str) -> PyResult<KeyWindow<'py, C>> {
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
pub(crate) fn wrong_key(class: &str, key: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("a key of the batch is {}; all have to be {class}", class_of(key)))
}

/// The bytes that each message of a batch has of something: of the message itself, of its nonce or associated data.
pub(crate) enum Source<'a, 'py> {
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
    pub(crate) fn with<R>(
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
    pub(crate) fn end(&mut self) -> PyResult<()> {
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
                Counted(len, other)
            )));
        }
        list.append(item?)?;
        watch.look()?;
    }
    Ok(list)
}

/// The messages of a batch.
pub(crate) struct Messages<'py> {
    pub(crate) object: Bound<'py, PyAny>,
    pub(crate) column: Option<Column>,
}

impl<'py> Messages<'py> {
    /// Reads as many items of an argument as another argument, whose length is known, has.
    pub(crate) fn new(
        object: &Bound<'py, PyAny>,
        others: &[(&str, Option<&Bound<'py, PyAny>>)],
    ) -> PyResult<Self> {
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
    pub(crate) fn source(&self) -> PyResult<(Source<'_, 'py>, usize)> {
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
    pub(crate) fn results(&self, count: usize) -> Results<'_, 'py> {
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
pub(crate) struct Results<'a, 'py> {
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
    pub(crate) fn with(
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

    pub(crate) fn finish(self) -> PyResult<Bound<'py, PyAny>> {
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
