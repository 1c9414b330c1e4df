//! Strings from C and for C.

use std::ffi::{CStr, c_char};
use std::fmt::{self, Display, Write as _};
use std::path::PathBuf;
use std::ptr::null;
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use crate::buffers::Span;
use crate::status::Status;

/// A string that ends with a zero.
#[repr(transparent)]
#[derive(Debug)]
pub struct Text(*const c_char);

impl Text {
    /// The string, if there is one. What is not UTF-8 is no name of anything, and comes as an empty string.
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

/// Bytes for all texts of [`text_for_c`]: twice as many as there are names and errors.
const ROOM: usize = 8192;

/// Texts for C that are there for good, one after the other with a zero behind each.
///
/// They are those of ciphers, kernels, devices and errors, of which there are few, and are kept without an allocator: who asks
/// for the sentence of ABREAST_OUT_OF_MEMORY has no memory. Atomic, as C reads texts while others are added.
static TEXTS: [AtomicU8; ROOM] = [const { AtomicU8::new(0) }; ROOM];

/// A text that is written after all others.
struct End {
    from: usize,
    len: usize,
}

impl fmt::Write for End {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let from = self.from + self.len;
        let room = TEXTS.get(from..from + text.len()).ok_or(fmt::Error)?;
        room.iter().zip(text.bytes()).for_each(|(place, byte)| place.store(byte, Relaxed));
        self.len += text.len();
        Ok(())
    }
}

/// Returns the display of a value as a string for C that is there for good; NULL if there is no room, as after hundreds
/// of devices.
pub(crate) fn text_for_c(value: &dyn Display) -> *const c_char {
    static LEN: Mutex<usize> = Mutex::new(0);
    let mut len = LEN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut end = End { from: *len, len: 0 };
    if write!(end, "{value}\0").is_err() {
        return null();
    }
    let (kept, rest) = TEXTS.split_at(*len);
    let text = || rest[..end.len].iter().map(|byte| byte.load(Relaxed));
    let is_same = |known: &[AtomicU8]| known.iter().map(|byte| byte.load(Relaxed)).eq(text());
    let mut at = 0;
    for known in kept.split_inclusive(|byte| byte.load(Relaxed) == 0) {
        if is_same(known) {
            break;
        }
        at += known.len();
    }
    if at == *len {
        *len += end.len;
    }
    TEXTS[at..].as_ptr().cast()
}

/// Returns a name as a string for C that is there for good.
pub(crate) fn name_for_c(name: &str) -> *const c_char {
    text_for_c(&name)
}

#[cfg(test)]
impl Text {
    /// A string somewhere.
    pub(crate) fn at(pointer: *const c_char) -> Self {
        Self(pointer)
    }

    /// NULL.
    pub(crate) fn none() -> Self {
        Self(null())
    }
}

#[cfg(test)]
impl From<&'static CStr> for Text {
    fn from(text: &'static CStr) -> Self {
        Self(text.as_ptr())
    }
}
