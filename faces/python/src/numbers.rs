//! Numbers that callers give. One that is out of range is a wrong value like any other; a bool is refused.

use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyInt};

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

/// Reads a number. What it stands for may have narrower bounds than its type, which the caller checks.
///
/// # Errors
/// `ValueError` for a negative or too large number, `TypeError` for anything else.
pub(crate) fn number<'py, T>(object: &Bound<'py, PyAny>) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr> + Whole,
{
    let whole = whole(object)?;
    whole.extract().map_err(|error: PyErr| {
        if error.is_instance_of::<PyOverflowError>(object.py()) {
            return out_of_range::<T>(&whole, 0);
        }
        error
    })
}

/// Says that a number is below the least one, or above those of its type. No range: it might be wider than what is accepted.
#[cold]
fn out_of_range<T: Whole>(given: &Bound<'_, PyAny>, least: u8) -> PyErr {
    // The text of a number of thousands of digits is an error of its own.
    let text = given.str().map_or_else(|_| "the number".to_owned(), |text| text.to_string());
    PyValueError::new_err(match given.lt(least) {
        Ok(true) => format!("{text} is too small: no number below {least} is taken here"),
        _ => format!("{text} is too large: no number above {} is taken here", T::most()),
    })
}

/// Reads a number from 1 on, if it is not left out.
///
/// # Errors
/// `ValueError` for 0 too, and the errors of [`number`].
pub(crate) fn optional_from_1<'py, T>(object: &Bound<'py, PyAny>) -> PyResult<Option<T>>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr> + Whole + PartialEq + From<u8>,
{
    let found = optional(object)?;
    if found == Some(T::from(0)) {
        return Err(out_of_range::<T>(object, 1));
    }
    Ok(found)
}

/// The `int` of an object, which may be one of any type with `__index__` except `bool`: a truth in the place of a number is a mistake.
///
/// # Errors
/// `TypeError` for anything else.
pub(crate) fn whole<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    static INDEX: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if object.is_instance_of::<PyBool>() || !object.hasattr("__index__")? {
        return Err(required("a whole number", object));
    }
    if object.is_instance_of::<PyInt>() {
        return Ok(object.clone());
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
