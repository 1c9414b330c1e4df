//! AES key wrap (RFC 3394, RFC 5649): the functions of pyca/cryptography's `keywrap`, and the same for many keys.

use abreast::Error;
use abreast::packets::{self, CipherKey, WrapPacket};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use zeroize::Zeroizing;

use crate::arguments::{flag, text};
use crate::buffers::{Input, release};
use crate::ciphers::Key;
use crate::errors;
use crate::windows::{OneOrEach, in_turns, in_windows};

/// An operation of key wrap.
#[derive(Clone, Copy)]
struct Operation {
    run: fn(&mut [WrapPacket<'_>]),
    unwraps: bool,
    /// Lengths that are taken, for the text about one that is not.
    lengths: &'static str,
}

const WRAP: Operation = Operation {
    run: packets::key_wrap,
    unwraps: false,
    lengths: "a key to wrap has 16 bytes or more, a multiple of 8",
};
const UNWRAP: Operation = Operation {
    run: packets::key_unwrap,
    unwraps: true,
    lengths: "a wrapped key has 24 bytes or more, a multiple of 8",
};
const WRAP_PADDED: Operation = Operation {
    run: packets::key_wrap_padded,
    unwraps: false,
    lengths: "a key to wrap with padding has 1 byte to 2^32 - 1",
};
const UNWRAP_PADDED: Operation = Operation {
    run: packets::key_unwrap_padded,
    unwraps: true,
    lengths: "a key wrapped with padding has 16 bytes or more, a multiple of 8",
};

impl Operation {
    /// A place for the result, as long as it would be if the length of the input were right.
    fn room(self, len: usize) -> Zeroizing<Vec<u8>> {
        let len =
            if self.unwraps { len.saturating_sub(8) } else { len.next_multiple_of(8).saturating_add(8) };
        Zeroizing::new(vec![0; len])
    }

    /// Says why a key of a length was not done.
    #[cold]
    fn text(self, error: Error, len: usize) -> String {
        match error {
            Error::WrapLength => format!("{}, and this one has {len}", self.lengths),
            Error::TagMismatch => "the key was not wrapped by this one, or was changed".to_owned(),
            Error::BlockLength => {
                "the cipher of the wrapping key has blocks of 8 bytes; it takes one with 16".to_owned()
            }
            error => error.to_string(),
        }
    }

    /// An error of one key, which is of those that are unwrapped alone, or has the given number.
    #[cold]
    fn failed(self, py: Python<'_>, row: Option<usize>, len: usize, error: Error) -> PyErr {
        let text = self.text(error, len);
        if self.unwraps && matches!(error, Error::WrapLength | Error::TagMismatch) {
            return errors::invalid_unwrap(py, text);
        }
        PyValueError::new_err(match row {
            Some(row) => format!("key {row}: {text}"),
            None => text,
        })
    }

    /// Does one key.
    fn one<'py>(
        self,
        py: Python<'py>,
        wrapping: &Bound<'py, PyAny>,
        input: &Input<'_>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let wrapping = Key::of_argument(wrapping)?;
        let mut output = self.room(input.len());
        let mut packets = [WrapPacket::new(wrapping.cipher(), input, &mut output)];
        release(py, 6 * input.len(), || (self.run)(&mut packets));
        let [WrapPacket { result, .. }] = packets;
        let written = result.map_err(|error| self.failed(py, None, input.len(), error))?;
        Ok(PyBytes::new(py, &output[..written]))
    }

    /// Does many keys; returns the results, `None` for those that are not right, and the numbers of these.
    fn many<'py>(
        self,
        wrapping: &Bound<'py, PyAny>,
        keys: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyList>, Vec<usize>, Option<String>)> {
        let py = wrapping.py();
        let wrapping = OneOrEach::new(wrapping, "wrapping keys", Key::of_argument)?;
        let (results, mut refused, mut reason) = (PyList::empty(py), Vec::new(), None);
        in_windows((keys, "keys"), [wrapping.each()], |first, inputs, [keys]| {
            let keys = wrapping.window(first, inputs.len(), keys)?;
            let mut outputs: Vec<_> = inputs.iter().map(|input| self.room(input.len())).collect();
            let mut batch: Vec<WrapPacket<'_>> = (inputs.iter().zip(&mut outputs).zip(&keys))
                .map(|((input, output), key)| WrapPacket::new(CipherKey::from(key.cipher()), input, output))
                .collect();
            // A block for every eight bytes, six times, and each waits for the one before.
            in_turns(py, None, &mut batch, |at| 24 * inputs[at].len(), self.run)?;
            let done: Vec<_> = batch.iter().map(|packet| packet.result).collect();
            for (row, ((input, output), done)) in (first..).zip(inputs.iter().zip(&outputs).zip(done)) {
                match done {
                    Ok(written) => results.append(PyBytes::new(py, &output[..written]))?,
                    Err(error @ (Error::TagMismatch | Error::WrapLength)) if self.unwraps => {
                        reason.get_or_insert_with(|| self.text(error, input.len()));
                        refused.push(row);
                        results.append(py.None())?;
                    }
                    Err(error) => return Err(self.failed(py, Some(row), input.len(), error)),
                }
            }
            Ok(())
        })?;
        Ok((results, refused, reason))
    }

    /// Unwraps many keys, and raises an exception for those that are not right, unless they are to be `None`.
    fn unwrap_many<'py>(
        self,
        wrapping: &Bound<'py, PyAny>,
        inputs: &Bound<'py, PyAny>,
        invalid: &str,
    ) -> PyResult<Bound<'py, PyList>> {
        let to_none = errors::to_none(invalid)?;
        let (results, refused, reason) = self.many(wrapping, inputs)?;
        if refused.is_empty() || to_none {
            Ok(results)
        } else {
            Err(errors::invalid_unwraps(wrapping.py(), refused, reason))
        }
    }
}

/// Wraps a key of 16 bytes or more, a multiple of 8 (RFC 3394). wrapping_key: 16, 24 or 32 bytes, or a block cipher such as AES.
#[pyfunction]
pub(crate) fn aes_key_wrap<'py>(
    py: Python<'py>,
    wrapping_key: &Bound<'py, PyAny>,
    key_to_wrap: Input<'_>,
) -> PyResult<Bound<'py, PyBytes>> {
    WRAP.one(py, wrapping_key, &key_to_wrap)
}

/// Unwraps a result of aes_key_wrap, or raises InvalidUnwrap.
#[pyfunction]
pub(crate) fn aes_key_unwrap<'py>(
    py: Python<'py>,
    wrapping_key: &Bound<'py, PyAny>,
    wrapped_key: Input<'_>,
) -> PyResult<Bound<'py, PyBytes>> {
    UNWRAP.one(py, wrapping_key, &wrapped_key)
}

/// Wraps a key of any length but 0, with zeros up to a multiple of 8 (RFC 5649).
#[pyfunction]
pub(crate) fn aes_key_wrap_with_padding<'py>(
    py: Python<'py>,
    wrapping_key: &Bound<'py, PyAny>,
    key_to_wrap: Input<'_>,
) -> PyResult<Bound<'py, PyBytes>> {
    WRAP_PADDED.one(py, wrapping_key, &key_to_wrap)
}

/// Unwraps a result of aes_key_wrap_with_padding, or raises InvalidUnwrap.
#[pyfunction]
pub(crate) fn aes_key_unwrap_with_padding<'py>(
    py: Python<'py>,
    wrapping_key: &Bound<'py, PyAny>,
    wrapped_key: Input<'_>,
) -> PyResult<Bound<'py, PyBytes>> {
    UNWRAP_PADDED.one(py, wrapping_key, &wrapped_key)
}

/// Wraps many keys side by side, as aes_key_wrap does, or with padding. wrapping_keys: one for all, or an iterable with one for
/// each key.
#[pyfunction]
#[pyo3(signature = (wrapping_keys, keys_to_wrap, *, padding=false))]
pub(crate) fn aes_key_wrap_many<'py>(
    wrapping_keys: &Bound<'py, PyAny>,
    keys_to_wrap: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = flag)] padding: bool,
) -> PyResult<Bound<'py, PyList>> {
    Ok(if padding { WRAP_PADDED } else { WRAP }.many(wrapping_keys, keys_to_wrap)?.0)
}

/// Unwraps a result of aes_key_wrap_many. If some keys are not right, raises InvalidUnwrap, whose rows are their numbers; with
/// invalid="none", they are None in the list.
#[pyfunction]
#[pyo3(signature = (wrapping_keys, wrapped_keys, *, padding=false, invalid="raise"))]
pub(crate) fn aes_key_unwrap_many<'py>(
    wrapping_keys: &Bound<'py, PyAny>,
    wrapped_keys: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = flag)] padding: bool,
    #[pyo3(from_py_with = text)] invalid: &str,
) -> PyResult<Bound<'py, PyList>> {
    if padding { UNWRAP_PADDED } else { UNWRAP }.unwrap_many(wrapping_keys, wrapped_keys, invalid)
}
