//! Errors of the library as exceptions: `InvalidTag` for what is not authentic, `AlreadyFinalized` for a stream that has
//! ended, both with the names of pyca/cryptography, and `ValueError` for everything else that is wrong with a value.

use abreast::Error;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// An exception class of `abreast._errors`, which is written in Python, so that it can have documentation and attributes.
fn exception(py: Python<'_>, cell: &'static PyOnceLock<Py<PyType>>, name: &str, message: String) -> PyErr {
    match cell.import(py, "abreast._errors", name) {
        Ok(class) => PyErr::from_type(class.clone(), message),
        Err(error) => error,
    }
}

/// `InvalidTag`, with a sentence.
#[cold]
pub(crate) fn invalid_tag(py: Python<'_>, message: impl Into<String>) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    exception(py, &CLASS, "InvalidTag", message.into())
}

/// `InvalidTag` for some rows of many, whose numbers are its attribute `rows`.
#[cold]
pub(crate) fn invalid_rows(py: Python<'_>, rows: Vec<usize>) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let made = CLASS
        .import(py, "abreast._errors", "InvalidTag")
        .and_then(|class| class.call_method1("of_rows", (rows,)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// `AlreadyFinalized`.
#[cold]
pub(crate) fn finalized(py: Python<'_>) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    exception(py, &CLASS, "AlreadyFinalized", "the message has been finalized; begin another one".into())
}

/// An error of the library.
#[cold]
pub(crate) fn of(py: Python<'_>, error: Error) -> PyErr {
    match error {
        Error::TagMismatch => invalid_tag(py, error.to_string()),
        error => PyValueError::new_err(error.to_string()),
    }
}

/// An error of a sealed file: `InvalidTag` for what is not authentic, `OSError` for what the system did, else
/// `ValueError`.
#[cold]
pub(crate) fn of_sealed(py: Python<'_>, error: &abreast_sealed::Error) -> PyErr {
    use abreast_sealed::Error;
    match error {
        Error::WrongKey
        | Error::Chunk(_)
        | Error::LastChunk(_)
        | Error::Truncated
        | Error::PassphraseLine(_) => invalid_tag(py, error.to_string()),
        Error::Read(_) | Error::Write(_) | Error::Random(_) | Error::NotRandom | Error::InputChanged => {
            PyOSError::new_err(error.to_string())
        }
        _ => PyValueError::new_err(error.to_string()),
    }
}
