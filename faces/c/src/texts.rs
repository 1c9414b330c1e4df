//! Texts for C that are there for good.

use std::ffi::c_char;
use std::fmt::{self, Display, Write as _};
use std::ptr::null;
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

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
