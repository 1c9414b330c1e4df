//! Errors of the library as exceptions: `InvalidTag` for data that is not authentic, `InvalidSignature` for a CMAC that does
//! not match, `AlreadyFinalized` for a stream that has ended, all with the names of pyca/cryptography, and `ValueError` for
//! everything else that is wrong with a value.

use abreast::table::{ModeRow, OneOf, TagLengths};
use abreast::{Counted, Error};
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use std::path::Path;

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

/// `InvalidSignature`, with a sentence.
#[cold]
pub(crate) fn invalid_signature(py: Python<'_>, message: impl Into<String>) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    exception(py, &CLASS, "InvalidSignature", message.into())
}

/// `InvalidTag` for some of many things of a name, such as "message", whose numbers are its attribute `rows`.
#[cold]
pub(crate) fn invalid_rows(py: Python<'_>, what: &str, rows: Vec<usize>) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let made = CLASS
        .import(py, "abreast._errors", "InvalidTag")
        .and_then(|class| class.call_method1("of_rows", (rows, what)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// `MissingKey`, with a sentence, the column, unless it is about the footer, and the row group in which it was met.
#[cold]
pub(crate) fn missing_key(
    py: Python<'_>,
    message: String,
    column: Option<&str>,
    row_group: Option<u16>,
) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let made = CLASS
        .import(py, "abreast._errors", "MissingKey")
        .and_then(|class| class.call1((message, column, row_group)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// `UnknownKey` for values that name keys that a ring does not have, with their rows and the numbers of the keys.
#[cold]
pub(crate) fn unknown_keys(py: Python<'_>, rows: Vec<usize>, ids: Vec<u32>) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let made = CLASS
        .import(py, "abreast._errors", "UnknownKey")
        .and_then(|class| class.call_method1("of_ids", (rows, ids)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// True if an argument `invalid` asks for `None` in the place of what is not right, instead of an exception.
///
/// # Errors
/// `ValueError` for anything but "raise" and "none".
pub(crate) fn to_none(invalid: &str) -> PyResult<bool> {
    match invalid {
        "raise" => Ok(false),
        "none" => Ok(true),
        _ => Err(PyValueError::new_err(format!("invalid is 'raise' or 'none', and not {invalid:?}"))),
    }
}

/// `InvalidUnwrap`, with a sentence.
#[cold]
pub(crate) fn invalid_unwrap(py: Python<'_>, message: String) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    exception(py, &CLASS, "InvalidUnwrap", message)
}

/// `InvalidUnwrap` for some keys of many, whose numbers are its attribute `rows`, with the reason for the first.
#[cold]
pub(crate) fn invalid_unwraps(py: Python<'_>, rows: Vec<usize>, reason: Option<String>) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let made = CLASS
        .import(py, "abreast._errors", "InvalidUnwrap")
        .and_then(|class| class.call_method1("of_rows", (rows, reason)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// `AlreadyFinalized`.
#[cold]
pub(crate) fn finalized(py: Python<'_>) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    exception(py, &CLASS, "AlreadyFinalized", "the message has been finalized; begin another one".into())
}

/// An exception about one of many things, with its number before the text: `wrapping key 7: ...`. Only a `ValueError` or a `TypeError`
/// gets it, since others are made of more than a text.
#[cold]
pub(crate) fn numbered(py: Python<'_>, what: &str, row: usize, error: &PyErr) -> PyErr {
    let class = error.get_type(py);
    if !class.is(py.get_type::<PyValueError>()) && !class.is(py.get_type::<PyTypeError>()) {
        return error.clone_ref(py);
    }
    PyErr::from_type(class, format!("{what} {row}: {}", error.value(py)))
}

/// An error of the library.
#[cold]
pub(crate) fn of(py: Python<'_>, error: Error) -> PyErr {
    match error {
        Error::TagMismatch => invalid_tag(py, error.to_string()),
        error => PyValueError::new_err(error.to_string()),
    }
}

/// Returns the exception for an error in encrypting `len` bytes in whole blocks of `size` bytes.
#[cold]
pub(crate) fn of_blocks(py: Python<'_>, error: Error, len: usize, size: usize) -> PyErr {
    match error {
        Error::PartialBlock => PyValueError::new_err(format!(
            "the data is not a whole number of blocks of {size} bytes; it has {}",
            Counted(len, "bytes")
        )),
        error => of(py, error),
    }
}

/// An error of the library about tags of a `given` length, in a mode by its name over a cipher with blocks of `block` bytes.
#[cold]
pub(crate) fn of_tags(py: Python<'_>, error: Error, mode: &str, block: usize, given: usize) -> PyErr {
    if error != Error::TagLength {
        return of(py, error);
    }
    let accepted = match ModeRow::from_name(mode).map(|row| row.tags) {
        Some(TagLengths::Of(lens)) => OneOf(lens).to_string(),
        Some(TagLengths::UpTo(most)) => format!("0 to {most}"),
        Some(TagLengths::UpToABlock | TagLengths::NoTag) | None => format!("1 to {block}"),
    };
    let given = Counted(given, "bytes");
    PyValueError::new_err(format!("no tag of {mode} has {given}; tag_length is {accepted}"))
}

/// An error of an OpenCL device: `DeviceError` with its reason and with how many bytes of the message are done, and
/// `ValueError` for arguments that the CPU refuses too.
#[cold]
pub(crate) fn of_device(py: Python<'_>, error: &abreast_gpu::Error, done: usize) -> PyErr {
    use abreast_gpu::Error;
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let reason = match error {
        Error::Cipher(error) => return of(py, *error),
        Error::NoLibrary => "no-opencl",
        Error::NoDevice => "no-device",
        Error::Name { .. } => "name",
        Error::Unsuitable { .. } => "unsuitable",
        Error::Build { .. } => "kernels",
        Error::WrongResult { .. } => "wrong-result",
        Error::OutOfMemory => "memory",
        Error::TimedOut { .. } => "timed-out",
        Error::Dropped => "dropped",
        Error::Unsupported(_) => "unsupported",
        _ => "lost",
    };
    let made = CLASS
        .import(py, "abreast._errors", "DeviceError")
        .and_then(|class| class.call1((error.to_string(), reason, done)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// An error of the system as `OSError` with its number, of which Python chooses the class, and the name of the file if it
/// is known.
#[cold]
pub(crate) fn of_system(py: Python<'_>, error: &std::io::Error, path: Option<&Path>) -> PyErr {
    let Some(number) = error.raw_os_error() else {
        return PyOSError::new_err(match path {
            Some(path) => format!("{}: {error}", path.display()),
            None => error.to_string(),
        });
    };
    let text = py.import("os").and_then(|os| os.call_method1("strerror", (number,))).map(Bound::unbind);
    match text {
        // A string, as Python's own functions have it, and not a `pathlib.Path`.
        Ok(text) => PyOSError::new_err((number, text, path.map(|path| path.as_os_str().to_owned()))),
        Err(error) => error,
    }
}

/// An error of a sealed file: `InvalidTag` for data that is not authentic, `OSError` for errors of the system, else
/// `ValueError`.
#[cold]
pub(crate) fn of_sealed(py: Python<'_>, error: &abreast_sealed::Error) -> PyErr {
    of_files(py, error, None, None)
}

/// Converts an error as [`of_sealed`] does, with the names of the files that are read and written, as far as they are known.
#[cold]
pub(crate) fn of_files(
    py: Python<'_>,
    error: &abreast_sealed::Error,
    source: Option<&Path>,
    target: Option<&Path>,
) -> PyErr {
    use abreast_sealed::Error;
    match error {
        Error::WrongKey
        | Error::Chunk(_)
        | Error::LastChunk(_)
        | Error::Block(_)
        | Error::NotAgs1
        | Error::SealedLength { .. }
        | Error::Truncated
        | Error::PassphraseLine(_) => invalid_tag(py, error.to_string()),
        Error::Read(system) => of_system(py, system, source),
        Error::Write(system) => of_system(py, system, target),
        Error::Random(_) | Error::NotRandom | Error::InputChanged => PyOSError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}
