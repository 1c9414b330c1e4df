//! Numbers that callers give: what is out of range is a wrong value, as any other.

use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyInt;

use crate::arguments::required;

/// A type of numbers from 0 on.
pub(crate) trait Whole {
    /// The largest, as a reader finds it easiest.
    fn most() -> String;
}

macro_rules! whole {
    ($($number:ty)*) => {
        $(impl Whole for $number {
            fn most() -> String {
                if Self::BITS > 32 { format!("2^{} - 1", Self::BITS) } else { Self::MAX.to_string() }
            }
        })*
    };
}
whole!(u8 u16 u32 u64 u128 usize);

/// Reads a number.
///
/// # Errors
/// `ValueError` for a negative or too large number, `TypeError` for anything else.
pub(crate) fn number<'py, T>(object: &Bound<'py, PyAny>) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr> + Whole,
{
    let whole = whole(object)?;
    whole.extract().map_err(|error: PyErr| {
        if !error.is_instance_of::<PyOverflowError>(object.py()) {
            return error;
        }
        // The text of a number of thousands of digits is an error of its own.
        let given = whole.str().map_or_else(|_| "that number".to_owned(), |text| text.to_string());
        PyValueError::new_err(format!("a number from 0 to {} is taken here, not {given}", T::most()))
    })
}

/// The `int` of an object, which may be one of any type with `__index__`.
///
/// # Errors
/// `TypeError` for anything else.
pub(crate) fn whole<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    static INDEX: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if object.is_instance_of::<PyInt>() {
        return Ok(object.clone());
    }
    if !object.hasattr("__index__")? {
        return Err(required("a whole number", object));
    }
    INDEX.import(object.py(), "operator", "index")?.call1((object,))
}

/// Reads a number that may be left out.
///
/// # Errors
/// `ValueError` and `TypeError`, like [`number`].
pub(crate) fn optional<'py, T>(object: &Bound<'py, PyAny>) -> PyResult<Option<T>>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr> + Whole,
{
    if object.is_none() { Ok(None) } else { number(object).map(Some) }
}

/// Returns a number of things whose name is in the plural: `1 message`, `2 messages`, `1 string of associated data`.
pub(crate) fn in_words(number: usize, things: &str) -> String {
    let (noun, rest) =
        things.split_once(" of ").map_or((things, ""), |(noun, _)| (noun, &things[noun.len()..]));
    let noun = if number == 1 { noun.strip_suffix('s').unwrap_or(noun) } else { noun };
    format!("{number} {noun}{rest}")
}
