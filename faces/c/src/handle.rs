//! Handles: keys and streams as C holds them.
//!
//! A key is counted. C has one reference to it, and every stream, and every key of a mode that is over this one, has
//! another: whatever is freed first, nothing is used that is gone. A stream is one object.
//!
//! A key lies in memory that is allocated for it, or in memory of the caller, who keeps it there until the last
//! reference is gone. So does a stream, until it is freed. Memory of the caller is wiped then.
//!
//! Handles come back as pointers that may be anything. NULL and addresses at which no handle can be are refused, and
//! handles of another type too, as each begins with a number for its type.

use std::alloc::{Layout, alloc, dealloc};
use std::ffi::{c_int, c_void};
use std::fmt;
use std::mem::MaybeUninit;
use std::ops::Deref;
use std::ptr::{NonNull, drop_in_place, null_mut};
use std::sync::atomic::{AtomicU32, Ordering, fence};

use abreast_simd::Wiped;
use abreast_simd::inlined::ArrayList;

use crate::buffers::{Out, Place, Span, check};
use crate::status::{Status, guarded};

/// The alignment of handles: that of cache lines, so that a batch reads one line of a key for XTEA, when a server wakes
/// up and finds all of its keys cold.
const ALIGNMENT: usize = 64;

/// Keys that are made together in a caller's memory.
pub(crate) const TOGETHER: usize = 16;

/// A key. C holds a pointer to it, which is one of the references that are counted.
#[repr(C)]
#[derive(Debug)]
pub struct Handle<T> {
    /// In front, where it is found whatever `T` is; 0 as soon as the key is gone.
    kind: u32,
    references: AtomicU32,
    /// Ends it. Set by the creator, who knows the type after it and the owner of the memory.
    end: unsafe fn(NonNull<Self>),
    /// The key.
    pub(crate) key: T,
}

/// A handle, and the referent of its key.
#[repr(C, align(64))]
struct Whole<T, B> {
    handle: Handle<T>,
    referent: B,
    /// Bytes of allocated memory in front of the handle.
    in_front: u8,
}

/// The relation between C's type `Self` and the keys `T` that its handles may hold. Each handle begins with a number for its
/// kind, which is compared.
pub trait About<T> {}

impl<T: Kind> About<T> for Handle<T> {}

/// Keys that handles may hold: several threads may use one at once.
pub trait Kind: Send + Sync {
    /// A number that tells the kinds of keys apart, and that is unlikely elsewhere in memory.
    const KIND: u32;
}

/// Objects of C's functions for streams.
pub trait StreamKind {
    /// A number that no other kind of streams has and no kind of keys.
    const KIND: u32;
}

/// A stream as C holds it, by a pointer to the stream's type that points to all of this.
#[repr(C)]
struct Begun<S> {
    /// In front, as that of a key; 0 as soon as the stream is gone.
    kind: u32,
    /// True if the memory is the caller's.
    placed: bool,
    stream: S,
}

impl<T: Kind, B: 'static> Whole<T, B> {
    /// Memory in which there is a place for a handle, wherever in the memory it has to begin. More is asked for than a
    /// handle takes because allocators hand out memory of the alignment of 16 at once and look for that of 64.
    const LAYOUT: Layout = {
        assert!(align_of::<Self>() == ALIGNMENT, "what a key refers to wants no more");
        match Layout::from_size_align(size_of::<Self>() + ALIGNMENT - 16, 16) {
            Ok(layout) => layout,
            Err(_) => panic!("a handle is smaller than the largest allocation"),
        }
    };

    /// Puts a handle into memory that is allocated for it.
    ///
    /// # Errors
    /// [`Status::OutOfMemory`].
    #[inline(always)]
    fn allocate(
        referent: impl FnOnce(&mut MaybeUninit<B>) -> Result<&mut B, Status>,
        key: impl FnOnce(&'static B) -> T,
    ) -> Result<NonNull<Handle<T>>, Status> {
        // SAFETY: the layout has bytes.
        let memory = NonNull::new(unsafe { alloc(Self::LAYOUT) }).ok_or(Status::OutOfMemory)?;
        let in_front = memory.align_offset(ALIGNMENT);
        // SAFETY: the layout has room for the bytes in front, 48 at most, and a handle after them. Nobody else has the
        // memory.
        unsafe {
            let place = memory.add(in_front);
            if let Err(status) = Self::begin(place, in_front as u8, referent) {
                dealloc(memory.as_ptr(), Self::LAYOUT);
                return Err(status);
            }
            Ok(Self::finish(place, end_allocated::<T, B>, key))
        }
    }

    /// Puts a value into memory where the key of a handle will refer to it.
    ///
    /// # Errors
    /// The status of `referent`, which has left nothing there to be dropped.
    ///
    /// # Safety
    /// The memory is aligned and has room, and its old contents are nobody's. Nobody else uses it for as long as the
    /// reference is there.
    #[inline(always)]
    unsafe fn begin<'b>(
        memory: NonNull<u8>,
        in_front: u8,
        referent: impl FnOnce(&mut MaybeUninit<B>) -> Result<&mut B, Status>,
    ) -> Result<&'b mut B, Status> {
        let whole = memory.cast::<Self>().as_ptr();
        // SAFETY: the caller says so.
        unsafe {
            (&raw mut (*whole).in_front).write(in_front);
            referent(&mut *(&raw mut (*whole).referent).cast())
        }
    }

    /// Makes a handle, with the first reference to it, where a value is. The key may refer to the value for as long as
    /// the key is there.
    ///
    /// # Safety
    /// `begin` put the value there, and the reference to it is gone.
    #[inline(always)]
    unsafe fn finish(
        memory: NonNull<u8>,
        end: unsafe fn(NonNull<Handle<T>>),
        key: impl FnOnce(&'static B) -> T,
    ) -> NonNull<Handle<T>> {
        let whole = memory.cast::<Self>().as_ptr();
        // Each field is written by itself. A move of the whole handle would copy its padding from the stack, where parts of
        // keys may be left, and a drop does not wipe padding.
        // SAFETY: the caller says so. The value after the key is not moved, and dropped after the key.
        unsafe {
            let key = key(&(*whole).referent);
            let handle = &raw mut (*whole).handle;
            (&raw mut (*handle).kind).write(T::KIND);
            (&raw mut (*handle).references).write(AtomicU32::new(1));
            (&raw mut (*handle).end).write(end);
            (&raw mut (*handle).key).write(key);
        }
        memory.cast()
    }
}

/// Ends a handle, and wipes what it took of its memory: all of it, as the padding of a key that was moved may be parts of keys.
///
/// # Safety
/// It is that of a `Whole<T, B>`, and the last reference to it is gone.
unsafe fn end_in_place<T, B>(handle: NonNull<Handle<T>>) {
    // SAFETY: the caller says so. The wrapper has the layout of the handle. The key is dropped first: the handle is the first
    // field.
    unsafe { drop_in_place(handle.cast::<Wiped<Whole<T, B>>>().as_ptr()) }
}

/// Ends a handle and frees its memory.
///
/// # Safety
/// As of `end_in_place`; the memory was allocated in the layout of `Whole<T, B>`.
unsafe fn end_allocated<T: Kind, B: 'static>(handle: NonNull<Handle<T>>) {
    // SAFETY: the caller says so.
    unsafe {
        let in_front = handle.cast::<Whole<T, B>>().as_ref().in_front;
        end_in_place::<T, B>(handle);
        dealloc(handle.cast::<u8>().sub(in_front.into()).as_ptr(), Whole::<T, B>::LAYOUT);
    }
}

impl<T: Kind> Handle<T> {
    /// Puts a key into memory that is allocated for it, with the value it refers to, which `referent` writes in place.
    ///
    /// # Errors
    /// [`Status::OutOfMemory`].
    // Inlined with all that it calls, so that the key is copied once at most.
    #[inline(always)]
    pub(crate) fn allocate<B: 'static>(
        referent: impl FnOnce(&mut MaybeUninit<B>) -> Result<&mut B, Status>,
        key: impl FnOnce(&'static B) -> T,
    ) -> Result<Made<T>, Status> {
        Whole::allocate(referent, key).map(Made)
    }

    /// Puts a key into a caller's memory, with the value it refers to, which `referent` writes in place.
    ///
    /// # Errors
    /// [`Status::MemorySize`] if there are fewer bytes than [`room`](Self::room) tells.
    #[inline(always)]
    pub(crate) fn place<B: 'static>(
        memory: &mut [MaybeUninit<u8>],
        referent: impl FnOnce(&mut MaybeUninit<B>) -> Result<&mut B, Status>,
        key: impl FnOnce(&'static B) -> T,
    ) -> Result<Made<T>, Status> {
        let place = Self::place_in::<B>(memory)?;
        // SAFETY: aligned and long enough. The caller of the C function says that the memory is nobody else's until the key
        // is freed.
        unsafe {
            Whole::<T, B>::begin(place, 0, referent)?;
            Ok(Made(Whole::<T, B>::finish(place, end_in_place::<T, B>, key)))
        }
    }

    /// Returns the beginning of a handle in a caller's memory.
    #[inline(always)]
    fn place_in<B>(memory: &mut [MaybeUninit<u8>]) -> Result<NonNull<u8>, Status> {
        aligned(memory, ALIGNMENT, Self::room::<B>())
    }

    /// Puts keys into a caller's memory, one every `stride` bytes, each with the value it refers to: one from `blank`,
    /// which `fill` completes in place, some of them at a time. `made` takes the keys in order.
    ///
    /// # Errors
    /// [`Status::MemorySize`] if a key has fewer bytes than [`room`](Self::room) tells; the status of `fill`. Keys that
    /// `made` took before are there.
    #[inline(always)]
    pub(crate) fn place_each<B: 'static>(
        memory: &mut [MaybeUninit<u8>],
        stride: usize,
        blank: impl Fn() -> B,
        mut fill: impl FnMut(&mut [&mut B]) -> Result<(), Status>,
        key: impl Fn(&'static B) -> T,
        mut made: impl FnMut(Made<T>),
    ) -> Result<(), Status> {
        for group in memory.chunks_mut(stride.saturating_mul(TOGETHER)) {
            let mut places = ArrayList::<NonNull<u8>, TOGETHER>::new();
            for memory in group.chunks_mut(stride) {
                places.push(Self::place_in::<B>(memory)?);
            }
            let mut referents = ArrayList::<&mut B, TOGETHER>::new();
            for place in places.items() {
                // SAFETY: aligned and long enough, and apart from the others. The caller of the C function says that the
                // memory is nobody else's until the key is freed.
                referents.push(unsafe { Whole::<T, B>::begin(*place, 0, |place| Ok(place.write(blank()))) }?);
            }
            if let Err(status) = fill(referents.items_mut()) {
                for referent in referents.items_mut() {
                    // SAFETY: the value is there, and nobody uses it after this.
                    unsafe { drop_in_place(*referent) };
                }
                return Err(status);
            }
            drop(referents);
            for place in places.items() {
                // SAFETY: the value is there, and the reference to it is gone.
                made(Made(unsafe { Whole::<T, B>::finish(*place, end_in_place::<T, B>, &key) }));
            }
        }
        Ok(())
    }

    /// Bytes of a caller's memory that do for a handle, whatever the alignment of the memory is.
    pub(crate) const fn room<B>() -> usize {
        size_of::<Whole<T, B>>() + ALIGNMENT - 1
    }

    /// Counts a reference that is about to be there.
    fn count(&self) -> Result<(), Status> {
        // This many references are leaks, and more than an integer can count would free the key under them.
        if self.references.fetch_add(1, Ordering::Relaxed) > u32::MAX / 2 {
            self.references.fetch_sub(1, Ordering::Relaxed);
            return Err(Status::Other);
        }
        Ok(())
    }

    /// Returns the key that a packet names.
    #[inline]
    pub(crate) fn of_packet(pointer: &*const c_void) -> Result<&Self, Status> {
        // SAFETY: the caller of the C function says that it is a handle of this library, which nobody frees during the
        // call.
        unsafe { key_at(pointer.cast()) }
    }
}

/// Returns the first aligned byte of a caller's memory, which has to have `room` bytes: enough wherever it begins.
#[inline(always)]
fn aligned(memory: &mut [MaybeUninit<u8>], alignment: usize, room: usize) -> Result<NonNull<u8>, Status> {
    let in_front = memory.as_ptr().align_offset(alignment);
    // Independent of the alignment, so that memory that is too small is rejected each time.
    let long_enough = memory.len() >= room;
    let place = memory.get_mut(in_front..).filter(|_| long_enough);
    Ok(NonNull::from(place.ok_or(Status::MemorySize)?).cast())
}

/// Memory of a caller, as a function of C is given it.
pub(crate) struct Memory<'m> {
    memory: &'m Out,
    size: usize,
}

impl<'m> Memory<'m> {
    pub(crate) fn of(memory: &'m Out, size: usize) -> Self {
        Self { memory, size }
    }

    /// Returns the memory, apart from what the call reads and from the place of the handle.
    fn get<H>(&self, read: &[Span], place: &Place<*mut H>) -> Result<&'m mut [MaybeUninit<u8>], Status> {
        let memory = self.memory.room(self.size, read)?;
        place.get(&[Span::of(memory)])?;
        Ok(memory)
    }
}

/// A handle that C is to get.
pub(crate) struct Made<T>(NonNull<Handle<T>>);

impl<T> Made<T> {
    /// The pointer for C.
    pub(crate) fn into_raw(self) -> *mut Handle<T> {
        self.0.as_ptr()
    }

    /// Returns the first reference, for a key that C does not get.
    pub(crate) fn kept(self) -> Kept<T>
    where
        T: Kind,
    {
        Kept(self.0)
    }

    /// Changes the key in place. Moving a large one would take longer than making it.
    #[inline]
    pub(crate) fn finish(self, how: impl FnOnce(&mut T)) -> Self {
        // SAFETY: nobody else has the handle yet.
        how(unsafe { &mut (*self.0.as_ptr()).key });
        self
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
    // SAFETY: every handle is aligned so and begins with its kind.
    if !pointer.addr().is_multiple_of(ALIGNMENT) || unsafe { *pointer.cast::<u32>() } != T::KIND {
        return Err(Status::WrongKey);
    }
    // SAFETY: a handle of this kind, which is there.
    Ok(unsafe { &*pointer })
}

/// A reference that keeps a key.
pub struct Kept<T: Kind>(NonNull<Handle<T>>);

// SAFETY: a key may be used by several threads at once, whichever of them drops the last reference.
unsafe impl<T: Kind> Send for Kept<T> {}
// SAFETY: as above.
unsafe impl<T: Kind> Sync for Kept<T> {}

impl<T: Kind> Kept<T> {
    /// One reference more.
    pub(crate) fn again(&self) -> Result<Self, Status> {
        self.count()?;
        Ok(Self(self.0))
    }

    /// Returns the key for a message that lies in one object with this reference, so that moving the object moves neither.
    ///
    /// # Safety
    /// The message is gone before this reference is.
    pub(crate) unsafe fn lasting(&self) -> &'static T {
        // SAFETY: it is there for as long as references to it are; the rest is the caller's.
        unsafe { &(*self.0.as_ptr()).key }
    }
}

impl<T: Kind> Clone for Kept<T> {
    /// For types that are cloned as a whole; who can give an error calls `again`.
    fn clone(&self) -> Self {
        // `Arc` aborts in this case too.
        self.again().unwrap_or_else(|_| std::process::abort())
    }
}

impl<T: Kind> Deref for Kept<T> {
    type Target = Handle<T>;

    #[inline]
    fn deref(&self) -> &Handle<T> {
        // SAFETY: it is there for as long as references to it are.
        unsafe { self.0.as_ref() }
    }
}

impl<T: Kind> Drop for Kept<T> {
    fn drop(&mut self) {
        // `Arc` does the same: the other threads' use of the key comes before its end.
        if self.references.fetch_sub(1, Ordering::Release) == 1 {
            fence(Ordering::Acquire);
            // SAFETY: this was the last reference.
            unsafe { (self.end)(self.0) }
        }
    }
}

impl<T: Kind> fmt::Debug for Kept<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").finish_non_exhaustive()
    }
}

/// A pointer to a key.
#[repr(transparent)]
pub struct KeyPtr<H>(*const H);

// Not derived, which would want a type behind it that can be shown.
impl<H> fmt::Debug for KeyPtr<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KeyPtr").field(&self.0).finish()
    }
}

impl<T: Kind> KeyPtr<Handle<T>> {
    /// The key.
    #[inline]
    pub(crate) fn get(&self) -> Result<&Handle<T>, Status> {
        self.about()
    }
}

impl<H> KeyPtr<H> {
    /// The range of what all handles have in front of their keys, in which nothing else may be put.
    pub(crate) fn span(&self) -> Span {
        Span::at(self.0.cast::<Handle<()>>())
    }

    /// Returns its address, if it has one.
    pub(crate) fn address(&self) -> *const c_void {
        self.0.cast()
    }

    /// One reference more to the key, if it is about a `T`.
    pub(crate) fn keep<T: Kind>(&self) -> Result<Kept<T>, Status>
    where
        H: About<T>,
    {
        self.about::<T>()?.count()?;
        // The pointer of C, and not one of the reference: it is good for the memory too.
        NonNull::new(self.0.cast_mut().cast()).map(Kept).ok_or(Status::NullPointer)
    }

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

impl<S: StreamKind> StreamPtr<S> {
    /// The stream.
    #[allow(
        clippy::mut_from_ref,
        reason = "the stream is not the pointer's own; callers take each of them once"
    )]
    #[inline]
    pub(crate) fn get(&self) -> Result<&mut S, Status> {
        // SAFETY: the caller of the C function says that it is a handle of this library, which nobody else uses or frees
        // during the call; batches refer to each stream once at a time.
        Ok(unsafe { &mut (*stream_at(self.0)?).stream })
    }
}

impl<S> StreamPtr<S> {
    /// Returns its address, if it has one.
    pub(crate) fn address(&self) -> *const c_void {
        self.0.cast_const().cast()
    }

    /// True if both are the same stream.
    pub(crate) fn is(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

/// A pointer to a stream that a call only looks at.
#[repr(transparent)]
#[derive(Debug)]
pub struct ConstStreamPtr<S>(*const S);

impl<S: StreamKind> ConstStreamPtr<S> {
    /// The stream.
    pub(crate) fn get(&self) -> Result<&S, Status> {
        // SAFETY: the caller of the C function says that it is a handle of this library, which nobody else uses or frees
        // during the call.
        Ok(unsafe { &(*stream_at(self.0.cast_mut())?).stream })
    }
}

/// The stream that a pointer points to, if it is one of this type.
///
/// # Safety
/// NULL, not aligned as a handle is, or a handle of this library, of any type.
#[inline]
unsafe fn stream_at<S: StreamKind>(pointer: *mut S) -> Result<*mut Begun<S>, Status> {
    // The least that handles are aligned to, of whichever type.
    check(pointer.cast::<u32>())?;
    // SAFETY: every handle begins with its kind.
    if unsafe { *pointer.cast::<u32>() } == S::KIND { Ok(pointer.cast()) } else { Err(Status::WrongKey) }
}

/// Makes a key and gives it to C, or NULL where there is none.
pub(crate) fn make<T: Kind, H: About<T>>(
    place: &Place<*mut H>,
    key: impl FnOnce() -> Result<Made<T>, Status>,
) -> c_int {
    give(place, || Ok(key()?.into_raw().cast()))
}

/// Makes a key that refers to nothing else in its memory, and gives it to C.
#[inline(always)]
pub(crate) fn make_alone<T: Kind, H: About<T>>(
    place: &Place<*mut H>,
    key: impl FnOnce() -> Result<T, Status>,
) -> c_int {
    make(place, || {
        let key = key()?;
        Handle::allocate(|place| Ok(place.write(())), |()| key)
    })
}

/// Makes a key as [`make_alone`] does, in a caller's memory. `read` tells what else the call reads; `finish` completes the
/// key in place.
#[inline(always)]
pub(crate) fn make_alone_in<T: Kind, H: About<T>, const N: usize>(
    memory: Memory<'_>,
    place: &Place<*mut H>,
    read: impl FnOnce() -> Result<[Span; N], Status>,
    key: impl FnOnce() -> Result<T, Status>,
    finish: impl FnOnce(&mut T),
) -> c_int {
    make(place, || {
        let memory = memory.get(&read()?, place)?;
        let key = key()?;
        Ok(Handle::place(memory, |place| Ok(place.write(())), |()| key)?.finish(finish))
    })
}

/// Makes a stream and gives it to C, or NULL where there is none.
pub(crate) fn begin<S: StreamKind>(
    place: Place<*mut S>,
    stream: impl FnOnce() -> Result<S, Status>,
) -> c_int {
    give(&place, || {
        let stream = Wiped::new(Begun { kind: S::KIND, placed: false, stream: stream()? });
        Ok(boxed(stream)?.cast())
    })
}

/// Bytes of a caller's memory that do for a stream, whatever the alignment of the memory is.
pub(crate) const fn stream_room<S>() -> usize {
    size_of::<Begun<S>>() + align_of::<Begun<S>>() - 1
}

/// Makes a stream in a caller's memory and gives it to C, or NULL where there is none. `read` tells what else the call reads.
pub(crate) fn begin_in<S: StreamKind, const N: usize>(
    memory: Memory<'_>,
    place: Place<*mut S>,
    read: impl FnOnce() -> Result<[Span; N], Status>,
    stream: impl FnOnce() -> Result<S, Status>,
) -> c_int {
    give(&place, || {
        let memory = memory.get(&read()?, &place)?;
        let begun = aligned(memory, align_of::<Begun<S>>(), stream_room::<S>())?.cast::<Wiped<Begun<S>>>();
        let stream = Wiped::new(Begun { kind: S::KIND, placed: true, stream: stream()? });
        // SAFETY: aligned and long enough. The caller of the C function says that the memory is nobody else's until the
        // stream is freed.
        unsafe { begun.write(stream) };
        Ok(begun.as_ptr().cast())
    })
}

/// Puts a value where a [`Box`] has it.
pub(crate) fn boxed<T>(value: T) -> Result<*mut T, Status> {
    const { assert!(size_of::<T>() > 0) };
    // SAFETY: the layout has bytes.
    let memory = unsafe { alloc(Layout::new::<T>()) }.cast::<T>();
    if memory.is_null() {
        return Err(Status::OutOfMemory);
    }
    // SAFETY: the memory has the layout of the value and is nobody else's.
    unsafe { memory.write(value) };
    Ok(memory)
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
        // The reference that `make` gave away. The caller of the C function says that it was not freed yet.
        let kept = NonNull::new(handle.0.cast::<Handle<T>>()).map(Kept);
        guarded((), || drop(kept));
    }
    is_one
}

/// Takes a stream back. A handle of another type is left alone.
pub(crate) fn close<S: StreamKind>(stream: StreamPtr<S>) {
    // SAFETY: the caller of the C function says that it is a handle of this library, or NULL.
    if let Ok(begun) = unsafe { stream_at(stream.0) } {
        let wiped = begun.cast::<Wiped<Begun<S>>>();
        // SAFETY: the caller of the C function says that it was not freed yet. `begin` allocated it as a `Box` of this type
        // does, unless `begin_in` wrote it where the caller wanted it.
        guarded((), || unsafe {
            if (*begun).placed {
                drop_in_place(wiped);
            } else {
                drop(Box::from_raw(wiped));
            }
        });
    }
}

#[cfg(test)]
impl<H> From<*mut H> for KeyPtr<H> {
    fn from(pointer: *mut H) -> Self {
        Self(pointer)
    }
}

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
