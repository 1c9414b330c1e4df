//! Handles: what C holds of keys and streams.
//!
//! A key is a counted reference. C has one of them, and every stream, and every key of a mode that is over this one,
//! has another: whatever is freed first, nothing is used that is gone. A stream is one object.
//!
//! Handles come back as pointers that may be anything. NULL and addresses at which no handle can be are refused, and
//! keys of another type too, as a key begins with a number for its type.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::{Arc, Weak};

use crate::buffers::{Place, check};
use crate::status::{Status, guarded};

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

/// What is behind a handle of C's type `Self` may be about a `T`.
/// Handles say themselves what they are about, and that is compared.
pub trait About<T> {}

impl<T: Kind> About<T> for Handle<T> {}

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

    /// What a packet says is its key.
    #[inline]
    pub(crate) fn of_packet(pointer: &*const c_void) -> Result<&Self, Status> {
        // SAFETY: the caller of the C function says that it is a handle of this library, which nobody frees during the
        // call.
        unsafe { key_at(pointer.cast()) }
    }
}

/// The key that a pointer points to, if it is one of this type.
///
/// # Safety
/// NULL, or a handle of this library, of any type, which is there for `'h`.
#[inline]
unsafe fn key_at<'h, T: Kind>(pointer: *const Handle<T>) -> Result<&'h Handle<T>, Status> {
    if pointer.is_null() {
        return Err(Status::NullPointer);
    }
    // SAFETY: every handle is aligned like this one and begins with its kind.
    if !pointer.is_aligned() || unsafe { *pointer.cast::<u32>() } != T::KIND {
        return Err(Status::WrongKey);
    }
    // SAFETY: a handle of this kind, which is there.
    Ok(unsafe { &*pointer })
}

/// A pointer to a key.
#[repr(transparent)]
#[derive(Debug)]
pub struct KeyPtr<H>(*const H);

impl<T: Kind> KeyPtr<Handle<T>> {
    /// The key.
    #[inline]
    pub(crate) fn get(&self) -> Result<&Handle<T>, Status> {
        self.about()
    }
}

impl<H> KeyPtr<H> {
    /// The key, if it is about a `T`, of all that handles of this type may be about.
    #[inline]
    pub(crate) fn about<T: Kind>(&self) -> Result<&Handle<T>, Status>
    where
        H: About<T>,
    {
        // SAFETY: the caller of the C function says that it is a handle of this library, which nobody frees during the
        // call.
        unsafe { key_at(self.0.cast()) }
    }
}

/// A pointer to a key that C gives back.
#[repr(transparent)]
#[derive(Debug)]
pub struct FreedKeyPtr<H>(*mut H);

/// A pointer to a stream that a call works on or takes back.
#[repr(transparent)]
#[derive(Debug)]
pub struct StreamPtr<S>(*mut S);

impl<S> StreamPtr<S> {
    /// The stream.
    #[allow(
        clippy::mut_from_ref,
        reason = "the stream is not the pointer's own; callers take each of them once"
    )]
    #[inline]
    pub(crate) fn get(&self) -> Result<&mut S, Status> {
        check(self.0)?;
        // SAFETY: aligned and not NULL. The caller of the C function says that it is a stream of this type, which
        // nobody else uses or frees during the call; batches refer to each stream once at a time.
        Ok(unsafe { &mut *self.0 })
    }

    /// Whether both are the same stream.
    pub(crate) fn is(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

/// A pointer to a stream that a call only looks at.
#[repr(transparent)]
#[derive(Debug)]
pub struct ConstStreamPtr<S>(*const S);

impl<S> ConstStreamPtr<S> {
    /// The stream.
    pub(crate) fn get(&self) -> Result<&S, Status> {
        check(self.0)?;
        // SAFETY: aligned and not NULL. The caller of the C function says that it is a stream of this type, which
        // nobody else uses or frees during the call.
        Ok(unsafe { &*self.0 })
    }
}

/// Makes a key and gives it to C, or NULL where there is none.
pub(crate) fn make<T: Kind, H: About<T>>(
    place: Place<*mut H>,
    key: impl FnOnce() -> Result<T, Status>,
) -> c_int {
    give(&place, || {
        let key = key()?;
        let handle = Arc::new_cyclic(|me| Handle { kind: T::KIND, me: me.clone(), key });
        Ok(Arc::into_raw(handle).cast_mut().cast())
    })
}

/// Makes a stream and gives it to C, or NULL where there is none.
pub(crate) fn begin<S>(place: Place<*mut S>, stream: impl FnOnce() -> Result<S, Status>) -> c_int {
    give(&place, || Ok(Box::into_raw(Box::new(stream()?))))
}

/// Writes a handle, or NULL where there is none. The place is written last, when all that was given is read: it may
/// even be where the key came from.
fn give<H>(place: &Place<*mut H>, make: impl FnOnce() -> Result<*mut H, Status>) -> c_int {
    if let Err(status) = place.get(&[]) {
        return status as c_int;
    }
    let made = guarded(Err(Status::Panic), make);
    match place.get(&[]) {
        Ok(place) => place.write(made.unwrap_or(null_mut())),
        Err(status) => return status as c_int,
    };
    made.err().unwrap_or(Status::Ok) as c_int
}

/// Takes back the reference that C has of a key that is about a `T`, and tells whether it is. Any other is left alone.
pub(crate) fn release<T: Kind, H: About<T>>(handle: &FreedKeyPtr<H>) -> bool {
    let is_one = KeyPtr(handle.0.cast_const()).about::<T>().is_ok();
    if is_one {
        // SAFETY: an `Arc` gave it away in `make`. The caller of the C function says that it was not freed yet.
        let handle = unsafe { Arc::from_raw(handle.0.cast::<Handle<T>>()) };
        guarded((), || drop(handle));
    }
    is_one
}

/// Takes a stream back. What can be no stream is left alone.
pub(crate) fn close<S>(stream: StreamPtr<S>) {
    if check(stream.0).is_ok() {
        // SAFETY: a `Box` gave it away in `begin`. The caller of the C function says that it was not freed yet.
        let stream = unsafe { Box::from_raw(stream.0) };
        guarded((), || drop(stream));
    }
}

#[cfg(test)]
impl<H> From<*mut H> for KeyPtr<H> {
    fn from(pointer: *mut H) -> Self {
        Self(pointer)
    }
}

#[cfg(test)]
impl<H> From<*mut H> for FreedKeyPtr<H> {
    fn from(pointer: *mut H) -> Self {
        Self(pointer)
    }
}

#[cfg(test)]
impl<S> From<*mut S> for StreamPtr<S> {
    fn from(pointer: *mut S) -> Self {
        Self(pointer)
    }
}

#[cfg(test)]
impl<S> From<*mut S> for ConstStreamPtr<S> {
    fn from(pointer: *mut S) -> Self {
        Self(pointer)
    }
}
