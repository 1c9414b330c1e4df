//! Strings from C.

use std::ffi::{CStr, c_char};
use std::path::PathBuf;

use crate::buffers::Span;
use crate::status::Status;

/// A string that ends with a zero.
#[repr(transparent)]
#[derive(Debug)]
pub struct Text(*const c_char);

impl Text {
    /// The string, if there is one. A string that is not UTF-8 names nothing, and comes as an empty one.
    pub(crate) fn get(&self) -> Option<&str> {
        if self.0.is_null() {
            return None;
        }
        // SAFETY: not NULL. The caller of the C function says that a zero ends it, and that nobody writes it during
        // the call.
        Some(unsafe { CStr::from_ptr(self.0) }.to_str().unwrap_or_default())
    }

    /// The name of a file, if there is one, which need not be UTF-8 where such names need not be.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        if self.0.is_null() {
            return None;
        }
        // SAFETY: as above.
        let name = unsafe { CStr::from_ptr(self.0) };
        #[cfg(unix)]
        let name = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(name.to_bytes());
        #[cfg(not(unix))]
        let name = name.to_str().unwrap_or_default();
        Some(PathBuf::from(name))
    }

    /// Returns its address, with the zero at its end.
    pub(crate) fn span(&self) -> Span {
        if self.0.is_null() {
            return Span::of(&[0; 0]);
        }
        // SAFETY: as above.
        Span::of(unsafe { CStr::from_ptr(self.0) }.to_bytes_with_nul())
    }

    /// The string that has to be there.
    pub(crate) fn need(&self) -> Result<&str, Status> {
        self.get().ok_or(Status::NullPointer)
    }
}

#[cfg(test)]
impl Text {
    /// A string somewhere.
    pub(crate) fn at(pointer: *const c_char) -> Self {
        Self(pointer)
    }

    /// NULL.
    pub(crate) fn none() -> Self {
        Self(std::ptr::null())
    }
}

#[cfg(test)]
impl From<&'static CStr> for Text {
    fn from(text: &'static CStr) -> Self {
        Self(text.as_ptr())
    }
}
