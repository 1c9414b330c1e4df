//! RC4, for old protocols and formats: `abreast.legacy`.

use abreast::packets::Buffer;
use abreast::rc4::Rc4;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::buffers::{Input, NewBytes, Output};
use crate::errors;
use crate::numbers::number;
use crate::signals::{self, PIECE, Watch};

/// A stream of RC4, under a key of 1 to 256 bytes. It is broken for secrecy.
#[pyclass(name = "RC4", module = "abreast.legacy")]
pub(crate) struct PyRc4 {
    /// None once it has ended.
    rc4: Option<Rc4>,
}

impl PyRc4 {
    /// The stream has ended if a signal ends the call: nobody knows how far it got.
    fn piece(&mut self, py: Python<'_>, buffer: Buffer<'_>) -> PyResult<()> {
        let rc4 = self.rc4.as_mut().ok_or_else(|| errors::finalized(py))?;
        let done = signals::through(py, buffer, PIECE, 1, |io| {
            rc4.apply(io);
            Ok(())
        });
        done.map_err(|stop| {
            self.rc4 = None;
            stop.into_py(py)
        })
    }
}

#[pymethods]
impl PyRc4 {
    #[new]
    fn new(py: Python<'_>, key: Input<'_>) -> PyResult<Self> {
        Ok(Self { rc4: Some(Rc4::new(&key).map_err(|error| errors::of(py, error))?) })
    }

    /// The next piece, encrypted or decrypted, which is the same.
    fn update<'py>(&mut self, py: Python<'py>, data: Input<'_>) -> PyResult<Bound<'py, PyBytes>> {
        let mut new = NewBytes::new(py, data.len())?;
        self.piece(py, new.in_out(&data).0)?;
        Ok(new.finish())
    }

    /// Encrypts or decrypts as update does, into a buffer, which may be the data itself. Returns the number of bytes.
    fn update_into(&mut self, py: Python<'_>, data: Input<'_>, mut buf: Output) -> PyResult<usize> {
        self.piece(py, buf.of(&data)?)?;
        Ok(data.len())
    }

    /// Throws away bytes of the keystream.
    fn skip(&mut self, py: Python<'_>, #[pyo3(from_py_with = number)] bytes: u64) -> PyResult<()> {
        let rc4 = self.rc4.as_mut().ok_or_else(|| errors::finalized(py))?;
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
            self.rc4 = None;
        }
        done
    }
}
