//! Handles: what C holds of keys and streams.
//!
//! A key is a counted reference. C has one of them, and every stream, and every key of a mode that is over this one,
//! has another: whatever is freed first, nothing is used that is gone. A stream is one object.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::{Arc, Weak};

use crate::status::{Status, call, guarded};

/// A key. C holds a pointer to it that an `Arc` gave away.
///
/// At the beginning of a cache line, so that what a batch reads of a key for XTEA is one line, when a server wakes up
/// and finds all of its keys cold.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct Handle<T> {
    /// In front, where it is found whatever `T` is.
    kind: u32,
    /// Itself, to be counted anew.
    me: Weak<Self>,
    /// What it is about.
    pub(crate) key: T,
}

/// What a handle may be about: what several threads may use at once.
pub trait Kind: Send + Sync {
    /// A number that tells the kinds of keys apart, and that is unlikely elsewhere in memory.
    const KIND: u32;
}

impl<T: Kind> Handle<T> {
    /// One reference more.
    pub(crate) fn share(&self) -> Result<Arc<Self>, Status> {
        self.me.upgrade().ok_or(Status::WrongKey)
    }

    /// What a packet says is its key, if it is one of this kind.
    #[inline]
    pub(crate) fn of_packet(pointer: &*const c_void) -> Result<&Self, Status> {
        let kind = pointer.cast::<u32>();
        if kind.is_null() {
            return Err(Status::NullPointer);
        }
        // SAFETY: the caller of the C function says that it is a handle of this library, which begins with its kind.
        if !kind.is_aligned() || unsafe { *kind } != T::KIND {
            return Err(Status::WrongKey);
        }
        // SAFETY: a handle of this kind, which the caller does not free during the call.
        Ok(unsafe { &*pointer.cast() })
    }
}

/// What a pointer refers to.
#[inline]
pub(crate) fn need<T>(pointer: Option<T>) -> Result<T, Status> {
    pointer.ok_or(Status::NullPointer)
}

/// Makes a key and gives it to C, or NULL where there is none.
pub(crate) fn make<T: Kind>(
    place: Option<&mut MaybeUninit<*mut Handle<T>>>,
    key: impl FnOnce() -> Result<T, Status>,
) -> c_int {
    call(|| {
        let place = need(place)?.write(null_mut());
        let key = key()?;
        let handle = Arc::new_cyclic(|me| Handle { kind: T::KIND, me: me.clone(), key });
        *place = Arc::into_raw(handle).cast_mut();
        Ok(())
    })
}

/// Takes back the reference that C has of a key.
///
/// # Safety
/// NULL, or from [`make`] and not taken back yet.
pub(crate) unsafe fn release<T>(handle: *mut Handle<T>) {
    if !handle.is_null() {
        // SAFETY: an `Arc` gave it away in `make`.
        let handle = unsafe { Arc::from_raw(handle) };
        guarded((), || drop(handle));
    }
}

/// Makes a stream and gives it to C, or NULL where there is none.
pub(crate) fn begin<S>(
    place: Option<&mut MaybeUninit<Option<Box<S>>>>,
    stream: impl FnOnce() -> Result<S, Status>,
) -> c_int {
    call(|| {
        let place = need(place)?.write(None);
        *place = Some(Box::new(stream()?));
        Ok(())
    })
}

/// Takes a stream back.
pub(crate) fn close<S>(stream: Option<Box<S>>) {
    guarded((), || drop(stream));
}
