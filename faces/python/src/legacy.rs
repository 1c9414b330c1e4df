//! RC4, for old protocols and formats: `abreast.legacy`.

use abreast::Counted;
use abreast::packets::Buffer;
use abreast::rc4::{Message, Rc4, apply_keys};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use std::iter::zip;

use crate::buffers::{Input, NewBytes, Output};
use crate::devices::io;
use crate::errors;
use crate::numbers::number;
use crate::signals::{self, PIECE, Stop, Watch};
use crate::turns::Turns;
use crate::windows::{TURN, in_turns, in_windows, inputs};

/// A stream of RC4, under a key of 1 to 256 bytes. It is broken for secrecy.
#[pyclass(name = "RC4", module = "abreast.legacy", frozen)]
pub(crate) struct PyRc4 {
    /// None once it has ended.
    rc4: Turns<Option<Rc4>>,
}

/// Encrypts or decrypts the next bytes of a stream, which is the same.
fn apply(py: Python<'_>, rc4: &mut Rc4, buffer: Buffer<'_>) -> Result<(), Stop> {
    signals::through(py, buffer, PIECE, 1, |io| {
        rc4.apply(io);
        Ok(())
    })
}

impl PyRc4 {
    /// The stream has ended if a signal ends the call: nobody knows how far it got.
    fn piece(&self, py: Python<'_>, buffer: Buffer<'_>) -> PyResult<()> {
        self.rc4.with(py, |place| {
            let rc4 = place.as_mut().ok_or_else(|| errors::finalized(py))?;
            apply(py, rc4, buffer).map_err(|stop| {
                *place = None;
                stop.into_py(py)
            })
        })
    }
}

#[pymethods]
impl PyRc4 {
    #[new]
    fn new(key: Input<'_>) -> PyResult<Self> {
        let rc4 = Rc4::new(&key).map_err(|_| PyValueError::new_err(key_length("the key", key.len())))?;
        Ok(Self { rc4: Turns::new(Some(rc4)) })
    }

    /// Encrypts or decrypts the next piece, which is the same.
    fn update<'py>(&self, py: Python<'py>, data: Input<'_>) -> PyResult<Bound<'py, PyBytes>> {
        let mut new = NewBytes::new(py, data.len())?;
        self.piece(py, new.in_out(&data).0)?;
        Ok(new.finish())
    }

    /// Encrypts or decrypts as update does, into a buffer, which may be the data itself. Returns the number of bytes.
    fn update_into(&self, py: Python<'_>, data: Input<'_>, mut buf: Output) -> PyResult<usize> {
        self.piece(py, buf.of(&data)?)?;
        Ok(data.len())
    }

    /// Throws away bytes of the keystream.
    fn skip(&self, py: Python<'_>, #[pyo3(from_py_with = number)] bytes: u64) -> PyResult<()> {
        self.rc4.with(py, |place| {
            let rc4 = place.as_mut().ok_or_else(|| errors::finalized(py))?;
            let done = py.detach(|| {
                let (mut left, mut watch) = (bytes, Watch::new());
                while left > 0 {
                    let piece = left.min(PIECE as u64);
                    rc4.skip(piece);
                    left -= piece;
                    watch.look()?;
                }
                Ok(())
            });
            if done.is_err() {
                *place = None;
            }
            done
        })
    }
}

/// Says that a key has another length than RC4 takes.
#[cold]
fn key_length(which: &str, len: usize) -> String {
    format!("{which} has {}; RC4 takes 1 to 256", Counted(len, "bytes"))
}

/// Bytes of keystream that each message of a batch leaves out at most.
const MOST_SKIPPED: u64 = 1 << 16;

/// Encrypts or decrypts many messages by RC4, each under a key of its own, with the first skip bytes of keystream left out, 65536 at
/// most. keys, messages: iterables of bytes-like objects.
#[pyfunction]
#[pyo3(signature = (keys, messages, *, skip=0))]
pub(crate) fn rc4_many<'py>(
    keys: &Bound<'py, PyAny>,
    messages: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = number)] skip: u64,
) -> PyResult<Bound<'py, PyList>> {
    if skip > MOST_SKIPPED {
        return Err(PyValueError::new_err(format!("skip is 0 to {MOST_SKIPPED} here, and not {skip}")));
    }
    let py = keys.py();
    let results = PyList::empty(py);
    in_windows((messages, "messages"), [Some((keys, "keys"))], |first, messages, [keys]| {
        let keys = inputs(keys)?;
        if let Some((at, len)) =
            keys.iter().map(|key| key.len()).enumerate().find(|(_, len)| !(1..=256).contains(len))
        {
            return Err(PyValueError::new_err(key_length(&format!("key {}", first + at), len)));
        }
        let made = messages.iter().map(|message| NewBytes::new(py, message.len()));
        let mut made = made.collect::<PyResult<Vec<_>>>()?;
        let (mut batch, mut sizes) = (Vec::with_capacity(messages.len()), Vec::with_capacity(messages.len()));
        for ((key, message), place) in zip(zip(&keys, messages), made.iter_mut().map(NewBytes::as_mut)) {
            // A long message goes through its pieces alone.
            if message.len() > TURN {
                let mut rc4 = Rc4::new(key).map_err(|error| errors::of(py, error))?;
                rc4.skip(skip);
                apply(py, &mut rc4, io(message, place).into()).map_err(|stop| stop.into_py(py))?;
                continue;
            }
            sizes.push(message.len() + skip as usize);
            batch.push((&**key, &**message, place));
        }
        let mut done = Ok(());
        let run = |batch: &mut [(&[u8], &[u8], &mut [u8])]| {
            let keyed = batch.iter_mut();
            let mut keyed: Vec<_> = keyed
                .map(|(key, message, place)| Message { key, skip, buffer: io(message, place) })
                .collect();
            done = done.and(apply_keys(&mut keyed));
        };
        in_turns(py, None, &mut batch, |at| sizes[at], run)?;
        drop(batch);
        done.map_err(|error| errors::of(py, error))?;
        made.into_iter().try_for_each(|made| results.append(made.finish()))
    })?;
    Ok(results)
}
