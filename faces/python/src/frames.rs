//! Packets of protocols, alone or many in one call: what SRTP, ESP and QUIC have in common.

use abreast::Counted;
use abreast_frames::PacketError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::iter::zip;

use crate::errors;
use crate::windows::in_turns;

/// A packet that was given, with its keys and numbers.
pub(crate) trait Given {
    /// The packet in a batch.
    type Packet<'p>: Send;
    /// The outcome of a packet that is right.
    type Done;

    /// Returns the bytes that its buffer has.
    fn room(&self, opens: bool) -> usize;

    /// Copies it to a place, which has this room.
    ///
    /// # Errors
    /// Errors of packets that cannot be in a batch.
    fn in_place<'p>(&'p self, opens: bool, place: &'p mut [u8]) -> Result<Self::Packet<'p>, PacketError>;

    /// Returns the outcome of a packet.
    fn done(packet: &Self::Packet<'_>) -> Result<Self::Done, PacketError>;

    /// Makes the object of an outcome, given the place.
    fn object<'py>(&self, py: Python<'py>, place: &[u8], done: Self::Done) -> PyResult<Bound<'py, PyAny>>;

    /// Says what is wrong.
    fn text(&self, error: PacketError) -> String;
}

/// An operation of a protocol.
pub(crate) struct Operation<G: Given> {
    pub(crate) run: for<'b, 'p> fn(&'b mut [G::Packet<'p>]),
    /// True if it looks at tags. A packet that was received and is malformed is no more authentic than one with a wrong tag.
    pub(crate) opens: bool,
}

impl<G: Given> Operation<G> {
    /// Does one packet.
    pub(crate) fn one<'py>(&self, py: Python<'py>, given: G) -> PyResult<Bound<'py, PyAny>> {
        let given = [given];
        let mut made = None;
        self.each(py, &given, &mut |_, done| {
            made = Some(done.map_err(|error| self.failed(py, None, &given[0], error))?);
            Ok(())
        })?;
        made.ok_or_else(|| self.failed(py, None, &given[0], PacketError::NotProcessed))
    }

    /// Does packets, and hands on the object that each has become.
    fn each<'py>(
        &self,
        py: Python<'py>,
        given: &[G],
        take: &mut dyn FnMut(usize, Result<Bound<'py, PyAny>, PacketError>) -> PyResult<()>,
    ) -> PyResult<()> {
        let sizes: Vec<_> = given.iter().map(|given| given.room(self.opens)).collect();
        let total = sizes.iter().sum();
        let mut room = vec![0; total];
        let mut rest = room.as_mut_slice();
        let (mut batch, mut taken) = (Vec::with_capacity(given.len()), Vec::with_capacity(given.len()));
        let mut lens = Vec::with_capacity(given.len());
        for (given, size) in zip(given, &sizes) {
            let place = rest.split_off_mut(..*size).unwrap_or_default();
            let packet = given.in_place(self.opens, place);
            taken.push(packet.map(|packet| {
                lens.push(*size);
                batch.push(packet);
            }));
        }
        in_turns(py, None, &mut batch, |at| lens[at], self.run)?;
        let mut done = batch.iter().map(G::done);
        let done = taken
            .into_iter()
            .map(|taken| taken.and_then(|()| done.next().unwrap_or(Err(PacketError::NotProcessed))));
        let done: Vec<_> = done.collect();
        drop(batch);
        let mut rest = room.as_slice();
        for (row, ((given, done), size)) in zip(zip(given, done), sizes).enumerate() {
            let place = rest.split_off(..size).unwrap_or_default();
            let made = match done {
                Ok(done) => Ok(given.object(py, place, done)?),
                Err(error) => Err(error),
            };
            take(row, made)?;
        }
        Ok(())
    }

    /// An error of one packet, which is of those that are done alone, or has the given number.
    #[cold]
    fn failed(&self, py: Python<'_>, row: Option<usize>, given: &G, error: PacketError) -> PyErr {
        let text = given.text(error);
        if self.opens {
            return errors::invalid_tag(py, text);
        }
        PyValueError::new_err(match row {
            Some(row) => format!("packet {row}: {text}"),
            None => text,
        })
    }
}

/// The results of many packets: a list, with `None` for those that are not authentic, and the numbers of these.
pub(crate) struct Many<'py> {
    results: Bound<'py, PyList>,
    refused: Vec<usize>,
}

impl<'py> Many<'py> {
    pub(crate) fn new(py: Python<'py>) -> Self {
        Self { results: PyList::empty(py), refused: Vec::new() }
    }

    /// Does a window of packets, of which `first` is the number of the first.
    ///
    /// # Errors
    /// The error of a packet that cannot be sealed.
    pub(crate) fn add<G: Given>(
        &mut self,
        operation: &Operation<G>,
        first: usize,
        given: &[G],
    ) -> PyResult<()> {
        let py = self.results.py();
        operation.each(py, given, &mut |at, done| match done {
            Ok(made) => self.results.append(made),
            Err(_) if operation.opens => {
                self.refused.push(first + at);
                self.results.append(py.None())
            }
            Err(error) => Err(operation.failed(py, Some(first + at), &given[at], error)),
        })
    }

    /// Returns the results.
    ///
    /// # Errors
    /// `InvalidTag` if some packets are not authentic, unless they are to be `None`.
    pub(crate) fn finish(self, to_none: bool) -> PyResult<Bound<'py, PyList>> {
        if self.refused.is_empty() || to_none {
            Ok(self.results)
        } else {
            Err(errors::invalid_rows(self.results.py(), "packet", self.refused))
        }
    }
}

/// The text about a packet with its length, for errors that are about that.
pub(crate) fn with_len(error: PacketError, len: usize) -> String {
    match error {
        PacketError::TooShort | PacketError::TooLong => format!("{error}; it has {}", Counted(len, "bytes")),
        error => error.to_string(),
    }
}
