//! RC4, for what old protocols and formats need: `abreast.legacy`.

use abreast::packets::Buffer;
use abreast::rc4::Rc4;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::buffers::{Input, NewBytes, Output, release};
use crate::errors;

/// A stream of RC4, under a key of 1 to 256 bytes. It is broken for secrecy.
#[pyclass(name = "RC4", module = "abreast.legacy")]
pub(crate) struct PyRc4 {
    rc4: Rc4,
}

impl PyRc4 {
    fn piece(&mut self, py: Python<'_>, mut buffer: Buffer<'_>) {
        release(py, buffer.len(), || self.rc4.apply(buffer.reborrow()));
    }
}

#[pymethods]
impl PyRc4 {
    #[new]
    fn new(py: Python<'_>, key: Input<'_>) -> PyResult<Self> {
        Ok(Self { rc4: Rc4::new(&key).map_err(|error| errors::of(py, error))? })
    }

    /// The next piece, encrypted or decrypted, which is the same.
    fn update<'py>(&mut self, py: Python<'py>, data: Input<'_>) -> PyResult<Bound<'py, PyBytes>> {
        let mut new = NewBytes::new(py, data.len())?;
        self.piece(py, new.in_out(&data).0);
        Ok(new.finish())
    }

    /// As update, into a buffer, which may be the data itself. Returns the number of bytes.
    fn update_into(&mut self, py: Python<'_>, data: Input<'_>, mut buf: Output) -> PyResult<usize> {
        self.piece(py, buf.of(&data)?);
        Ok(data.len())
    }

    /// Throws away bytes of the keystream.
    fn skip(&mut self, py: Python<'_>, bytes: u64) {
        release(py, usize::try_from(bytes).unwrap_or(usize::MAX), || self.rc4.skip(bytes));
    }
}
