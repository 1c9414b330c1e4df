//! Arguments that are no bytes and no numbers: texts, flags, paths, times, and objects of the package's classes. An object of another type is
//! refused in one sentence, to which the interpreter adds the argument's name.

use pyo3::PyClass;
use pyo3::exceptions::{PyTypeError, PyUnicodeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBool;
use std::path::PathBuf;
use std::time::Duration;

/// The name of an object's class, for the text about one that is refused.
#[cold]
pub(crate) fn class_of(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "another object".to_owned(), |name| name.to_string())
}

/// Says that an argument has another type than is required.
#[cold]
pub(crate) fn required(what: &str, object: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("{what} is required, not {}", class_of(object)))
}

/// Reads a text, such as the name of a kernel.
///
/// # Errors
/// `TypeError` for an object of another type, `UnicodeEncodeError` for lone surrogates.
pub(crate) fn text<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    object.extract().map_err(|error: PyErr| match error.is_instance_of::<PyUnicodeError>(object.py()) {
        true => error,
        false => required("a str", object),
    })
}

/// Reads a text that may be left out.
///
/// # Errors
/// The errors of [`text`].
pub(crate) fn optional_text<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Option<&'a str>> {
    if object.is_none() { Ok(None) } else { text(object).map(Some) }
}

/// Reads a flag.
///
/// # Errors
/// `TypeError` for all but the two bools and those of NumPy.
pub(crate) fn flag(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    object.extract().map_err(|_: PyErr| required("True or False", object))
}

/// Reads the path of a file. Refuses numbers, which the system would take for open files.
///
/// # Errors
/// `TypeError` for all but a str and an `os.PathLike` of one.
pub(crate) fn path(object: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    object.extract().map_err(|error: PyErr| match error.is_instance_of::<PyTypeError>(object.py()) {
        true => required("a path as a str or a pathlib.Path", object),
        false => error,
    })
}

/// Reads a path that may be left out.
///
/// # Errors
/// The errors of [`path`].
pub(crate) fn optional_path(object: &Bound<'_, PyAny>) -> PyResult<Option<PathBuf>> {
    if object.is_none() { Ok(None) } else { path(object).map(Some) }
}

/// Reads a time in seconds, if it is not left out.
///
/// # Errors
/// `TypeError` for all but a number, `ValueError` for one that is not above 0 or too large for a clock.
pub(crate) fn optional_seconds(object: &Bound<'_, PyAny>) -> PyResult<Option<Duration>> {
    if object.is_none() {
        return Ok(None);
    }
    let seconds: f64 = match object.is_instance_of::<PyBool>() {
        false => object.extract().map_err(|_: PyErr| required("a number of seconds", object))?,
        true => return Err(required("a number of seconds", object)),
    };
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() => Ok(Some(time)),
        Ok(_) | Err(_) => Err(PyValueError::new_err(format!(
            "a time of {seconds} seconds is not one above 0 that a clock has"
        ))),
    }
}

/// Reads an object of a class of the package.
///
/// # Errors
/// `TypeError` for one of another class.
pub(crate) fn instance<'py, C: PyClass>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, C>> {
    object.cast::<C>().cloned().or_else(|_| {
        let class = object.py().get_type::<C>().fully_qualified_name()?;
        Err(required(&format!("an {class}"), object))
    })
}
