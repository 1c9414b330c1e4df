//! Pointers of C: their checks, and the references that they become.
//!
//! This is the one place where pointers are checked. Each kind of pointer is a type of its own, with one way to the
//! memory behind it, which refuses NULL, lengths that no buffer can have, addresses that are not aligned, and
//! buffers that overlap. The rules for overlap are the same for all functions:
//!
//! * `input` and `output` may be the same buffer, or have no byte in common.
//! * Read-only arguments (keys, nonces, associated data, tags that are compared) may overlap anything else that is only
//!   read.
//! * Any other output (a tag, an exported state, where a length goes) may have no byte in common with anything that
//!   the call reads or writes: not with buffers, and not with arrays of descriptors, strings or round keys.
//! * Where a handle goes is written after everything else was read, and may overlap it.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::{NonNull, from_ref};
use std::slice;

use abreast::InOutBuf;

use crate::status::Status;

/// Bytes that are read.
#[repr(transparent)]
#[derive(Debug)]
pub struct In(*const u8);

/// Bytes that are written.
#[repr(transparent)]
#[derive(Debug)]
pub struct Out(*mut u8);

/// 64 words that are read.
#[repr(transparent)]
#[derive(Debug)]
pub struct Words(*const u32);

/// The place of one value to write, such as a handle or a length.
#[repr(transparent)]
#[derive(Debug)]
pub struct Place<T>(*mut T);

/// The place of several values to write, one after the other.
#[repr(transparent)]
#[derive(Debug)]
pub struct Places<T>(*mut T);

/// A range of addresses. Its bytes are not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    start: usize,
    /// Bytes, which do not reach beyond the last address.
    len: usize,
}

impl Span {
    /// Returns the range of a referent.
    #[inline]
    pub(crate) fn of<T: ?Sized>(value: &T) -> Self {
        Self { start: from_ref(value).addr(), len: size_of_val(value) }
    }

    /// The range of what a pointer of C points at, which is not looked at.
    pub(crate) fn at<T>(pointer: *const T) -> Self {
        Self { start: pointer.addr(), len: size_of::<T>() }
    }

    /// Returns the range of a buffer of C, if it can be one.
    #[inline(always)]
    fn new(pointer: *const u8, len: usize) -> Result<Self, Status> {
        let start = pointer.addr();
        let span = Self { start, len };
        if len == 0 {
            return Ok(span);
        }
        // A buffer that begins in the lower half of the address space, and is no longer than that half, ends within the
        // address space.
        if start | len > isize::MAX as usize {
            return span.in_upper_half();
        }
        if start == 0 { Err(Status::NullPointer) } else { Ok(span) }
    }

    /// The checks of `new` where the sum of address and length could overflow. Programs seldom have such addresses.
    #[cold]
    fn in_upper_half(self) -> Result<Self, Status> {
        let Self { start, len } = self;
        if len > isize::MAX as usize || start.checked_add(len).is_none() {
            Err(Status::Length)
        } else {
            Ok(self)
        }
    }

    /// Refuses an output that has a byte in common with any of the others.
    #[inline]
    pub(crate) fn apart(self, others: &[Self]) -> Result<(), Status> {
        let overlaps = |other: &Self| self.len > 0 && other.len > 0 && self.may_overlap(*other);
        if others.iter().any(overlaps) { Err(Status::Overlap) } else { Ok(()) }
    }

    /// True if the two have a byte in common and neither is empty.
    #[inline(always)]
    fn may_overlap(self, other: Self) -> bool {
        // The distance of this one's last byte from the beginning of the other, modulo 2^64.
        let last = self.start.wrapping_sub(other.start).wrapping_add(self.len).wrapping_sub(1);
        last < self.len.wrapping_add(other.len).wrapping_sub(1)
    }

    /// Returns the range of a buffer of C whose address and length are in the lower half of their values, as in almost all
    /// buffers. `None` means that [`new`](Self::new) has to decide if it can be a buffer.
    #[inline(always)]
    fn usual(pointer: *const u8, len: usize) -> Option<Self> {
        let address = pointer.addr();
        if len == 0 {
            return Some(Self::NOTHING);
        }
        if address == 0 || address | len > isize::MAX as usize {
            return None;
        }
        Some(Self { start: address, len })
    }

    /// The place of the slice without bytes. It overlaps nothing.
    const NOTHING: Self = Self { start: 1, len: 0 };

    /// True if the two have no byte in common. If this one is empty, the answer may be false even so.
    #[inline(always)]
    pub(crate) fn is_apart(self, other: Self) -> bool {
        other.len == 0 || !self.may_overlap(other)
    }
}

impl In {
    /// Returns the address of the first, if there are any.
    pub(crate) fn address(&self) -> *const c_void {
        self.0.cast()
    }

    /// Returns the range of the bytes.
    #[inline]
    pub(crate) fn span(&self, len: usize) -> Result<Span, Status> {
        Span::new(self.0, len)
    }

    /// The bytes, with where they lie, if there is nothing unusual about that.
    #[inline(always)]
    pub(crate) fn usual(&self, len: usize) -> Option<(&[u8], Span)> {
        let span = Span::usual(self.0, len)?;
        // SAFETY: a span says that they can be there.
        Some((unsafe { self.assume(len) }, span))
    }

    /// The bytes.
    #[inline]
    pub(crate) fn bytes(&self, len: usize) -> Result<&[u8], Status> {
        self.span(len)?;
        // SAFETY: a span says that they can be there.
        Ok(unsafe { self.assume(len) })
    }

    /// The bytes.
    ///
    /// # Safety
    /// There are none, or the pointer is not NULL and they are not too many.
    #[inline(always)]
    unsafe fn assume(&self, len: usize) -> &[u8] {
        if len == 0 {
            return &[];
        }
        // SAFETY: the caller says so; and that of the C function, that `len` bytes may be read for as long as the call
        // takes, and that nobody writes them meanwhile.
        unsafe { slice::from_raw_parts(self.0, len) }
    }

    /// Returns the bytes.
    #[inline]
    pub(crate) fn array<const N: usize>(&self) -> Result<&[u8; N], Status> {
        self.bytes(N)?.try_into().map_err(|_| Status::Length)
    }
}

impl Out {
    /// Returns the range of the bytes.
    #[inline]
    pub(crate) fn span(&self, len: usize) -> Result<Span, Status> {
        Span::new(self.0, len)
    }

    /// The bytes, if there is nothing unusual about where they lie and that is apart from all that the call looks at besides.
    #[inline(always)]
    #[allow(
        clippy::mut_from_ref,
        reason = "the memory is not the pointer's own; callers take each of them once"
    )]
    pub(crate) fn usual<const N: usize>(&self, len: usize, others: [Span; N]) -> Option<&mut [u8]> {
        let span = Span::usual(self.0, len)?;
        if len == 0 {
            return Some(&mut []);
        }
        if !others.iter().all(|other| span.is_apart(*other)) {
            return None;
        }
        // SAFETY: the pointer is not NULL, and `len` is not too large. The caller of the C function says that the bytes may
        // be read and written for as long as the call takes, and that nobody else uses them meanwhile; the call itself does
        // not, as they are apart from all else.
        Some(unsafe { slice::from_raw_parts_mut(self.0, len) })
    }

    /// The bytes, apart from all that the call looks at besides.
    #[inline]
    #[allow(
        clippy::mut_from_ref,
        reason = "the memory is not the pointer's own; callers take each of them once"
    )]
    pub(crate) fn bytes(&self, len: usize, others: &[Span]) -> Result<&mut [u8], Status> {
        let room = self.room(len, others)?;
        // SAFETY: the caller of the C function says that the bytes may be read as well.
        Ok(unsafe { slice::from_raw_parts_mut(room.as_mut_ptr().cast(), room.len()) })
    }

    /// Returns the memory, which need not be initialised.
    #[inline(always)]
    #[allow(
        clippy::mut_from_ref,
        reason = "the memory is not the pointer's own; callers take each of them once"
    )]
    pub(crate) fn room(&self, len: usize, others: &[Span]) -> Result<&mut [MaybeUninit<u8>], Status> {
        self.span(len)?.apart(others)?;
        if len == 0 {
            return Ok(&mut []);
        }
        // SAFETY: the pointer is not NULL, and `len` is not too large. The caller of the C function says that the bytes may
        // be written for as long as the call takes, and that nobody else uses them meanwhile; the call itself does not, as
        // they are apart from all else.
        Ok(unsafe { slice::from_raw_parts_mut(self.0.cast(), len) })
    }

    /// Returns the bytes to read: a tag that is compared, which other packets may refer to as well.
    #[inline(always)]
    pub(crate) fn only_read(&self) -> &In {
        // SAFETY: both are transparent, about a pointer to bytes.
        unsafe { &*from_ref(self).cast() }
    }

    /// Returns the bytes.
    #[inline]
    pub(crate) fn array<const N: usize>(&self) -> Result<&mut [u8; N], Status> {
        self.bytes(N, &[])?.try_into().map_err(|_| Status::Length)
    }
}

impl Words {
    /// The words.
    #[inline]
    pub(crate) fn array(&self) -> Result<&[u32; 64], Status> {
        check(self.0)?;
        // SAFETY: aligned and not NULL. The caller of the C function says that 64 words may be read for as long as
        // the call takes, and that nobody writes them meanwhile.
        Ok(unsafe { &*self.0.cast() })
    }
}

impl<T> Places<T> {
    /// The places, apart from all that the call looks at besides.
    #[allow(
        clippy::mut_from_ref,
        reason = "the memory is not the pointer's own; callers take each of them once"
    )]
    pub(crate) fn get(&self, count: usize, others: &[Span]) -> Result<&mut [MaybeUninit<T>], Status> {
        if count == 0 {
            return Ok(&mut []);
        }
        check(self.0)?;
        let bytes = count.checked_mul(size_of::<T>()).ok_or(Status::Length)?;
        Span::new(self.0.cast(), bytes)?.apart(others)?;
        // SAFETY: aligned, not NULL and not too long. The caller of the C function says that they may be written for as
        // long as the call takes, and that nobody else looks at them meanwhile; the call itself does not, as they are
        // apart from all that it looks at.
        Ok(unsafe { slice::from_raw_parts_mut(self.0.cast(), count) })
    }
}

impl<T> Place<T> {
    /// Returns the range of the place, which is not looked at.
    pub(crate) fn span(&self) -> Span {
        Span::at(self.0)
    }

    /// The place, if the caller wants to be told.
    pub(crate) fn wanted(&self, others: &[Span]) -> Result<Option<&mut MaybeUninit<T>>, Status> {
        if self.0.is_null() { Ok(None) } else { self.get(others).map(Some) }
    }

    /// The place, apart from all that the call looks at besides.
    #[allow(
        clippy::mut_from_ref,
        reason = "the memory is not the pointer's own; callers take each of them once"
    )]
    pub(crate) fn get(&self, others: &[Span]) -> Result<&mut MaybeUninit<T>, Status> {
        check(self.0)?;
        Span::new(self.0.cast(), size_of::<T>())?.apart(others)?;
        // SAFETY: aligned and not NULL. The caller of the C function says that it may be written for as long as the
        // call takes, and that nobody else looks at it meanwhile; the call itself does not, as it is apart from all
        // that the call looks at while this reference is there.
        Ok(unsafe { &mut *self.0.cast() })
    }
}

/// Refuses a pointer that can point to nothing of its type.
#[inline]
pub(crate) fn check<T>(pointer: *const T) -> Result<(), Status> {
    if pointer.is_null() {
        Err(Status::NullPointer)
    } else if !pointer.is_aligned() {
        Err(Status::Alignment)
    } else {
        Ok(())
    }
}

/// `count` values from a pointer on, in an array that C only reads and writes by this call.
///
/// # Safety
/// If they can be there at all, they are, for `'a`, and nobody writes them but through cells.
#[inline]
pub(crate) unsafe fn values<'a, T>(pointer: *const T, count: usize) -> Result<&'a [T], Status> {
    let bytes = count.checked_mul(size_of::<T>()).ok_or(Status::Length)?;
    Span::new(pointer.cast(), bytes)?;
    if count == 0 {
        return Ok(&[]);
    }
    check(pointer)?;
    // SAFETY: aligned, not NULL and not too long; the rest is the caller's.
    Ok(unsafe { slice::from_raw_parts(pointer, count) })
}

/// Input and output of one length: the same buffer or two apart, and the output apart from all that the call looks
/// at besides.
#[inline(always)]
pub(crate) fn in_out<'b>(
    input: &'b In,
    output: &'b Out,
    len: usize,
    others: &[Span],
) -> Result<InOutBuf<'b, 'b, u8>, Status> {
    Checked::one_by_one(input, output, len, others).map(Checked::buffers)
}

/// Input and output that may be used as [`in_out`] says.
///
/// Not yet an [`InOutBuf`], which the compiler puts into memory where several functions are handed the same one: they
/// read as one vector the words just written there, and wait for them.
pub(crate) struct Checked<'b> {
    from: *const u8,
    to: *mut u8,
    len: usize,
    buffers: PhantomData<&'b mut [u8]>,
}

impl<'b> Checked<'b> {
    /// Any buffers, or the fault of the first that must not be used.
    #[inline(always)]
    pub(crate) fn new<const N: usize>(
        input: &'b In,
        output: &'b Out,
        len: usize,
        others: [Span; N],
    ) -> Result<Self, Status> {
        match Self::usual(input, output, len, others) {
            Some((usual, _)) => Ok(usual),
            None => Self::unusual(input, output, len, &others),
        }
    }

    /// Checks as [`one_by_one`](Self::one_by_one) does, out of the way of usual buffers.
    #[cold]
    fn unusual(input: &'b In, output: &'b Out, len: usize, others: &[Span]) -> Result<Self, Status> {
        Self::one_by_one(input, output, len, others)
    }

    /// Returns usual buffers and their ranges: neither is NULL or in the upper half of the address space. `None` says that
    /// [`one_by_one`](Self::one_by_one) has to tell whether they may be used, and why not.
    #[inline(always)]
    pub(crate) fn usual<const N: usize>(
        input: &'b In,
        output: &'b Out,
        len: usize,
        others: [Span; N],
    ) -> Option<(Self, [Span; 2])> {
        let (from, to) = (Span { start: input.0.addr(), len }, Span { start: output.0.addr(), len });
        if from.start == 0 || to.start == 0 || from.start | to.start | len > isize::MAX as usize {
            return None;
        }
        if from != to && !to.is_apart(from) || !others.iter().all(|other| to.is_apart(*other)) {
            return None;
        }
        Some((Self { from: input.0, to: output.0, len, buffers: PhantomData }, [from, to]))
    }

    /// Checks one property after the other, each with its own status.
    #[inline(always)]
    fn one_by_one(input: &'b In, output: &'b Out, len: usize, others: &[Span]) -> Result<Self, Status> {
        let (from, to) = (input.span(len)?, output.span(len)?);
        if from != to {
            to.apart(&[from])?;
        }
        to.apart(others)?;
        // Pointers of empty buffers may be NULL, and those of slices may not.
        let empty: *mut u8 = NonNull::dangling().as_ptr();
        let (from, to) = if len == 0 { (empty.cast_const(), empty) } else { (input.0, output.0) };
        Ok(Self { from, to, len, buffers: PhantomData })
    }

    /// The buffers.
    #[inline(always)]
    pub(crate) fn buffers(self) -> InOutBuf<'b, 'b, u8> {
        // SAFETY: no pointer is NULL and the length is not too large; the buffers are the same or apart. The caller of
        // the C function says that `len` bytes may be read and written for as long as the call takes, and that nobody
        // else does meanwhile; the call itself does not, as the output is apart from all else.
        unsafe { InOutBuf::from_raw(self.from, self.to, self.len) }
    }
}

#[cfg(test)]
impl From<*const u8> for In {
    fn from(pointer: *const u8) -> Self {
        Self(pointer)
    }
}

#[cfg(test)]
impl<const N: usize> From<&[u8; N]> for In {
    fn from(bytes: &[u8; N]) -> Self {
        Self(bytes.as_ptr())
    }
}

#[cfg(test)]
impl From<*mut u8> for Out {
    fn from(pointer: *mut u8) -> Self {
        Self(pointer)
    }
}

#[cfg(test)]
impl From<*const u32> for Words {
    fn from(pointer: *const u32) -> Self {
        Self(pointer)
    }
}

#[cfg(test)]
impl<T> From<*mut T> for Places<T> {
    fn from(pointer: *mut T) -> Self {
        Self(pointer)
    }
}

#[cfg(test)]
impl<T> Place<T> {
    /// Returns the pointer.
    pub(crate) fn pointer(&self) -> *mut T {
        self.0
    }
}

#[cfg(test)]
impl<T> From<*mut T> for Place<T> {
    fn from(pointer: *mut T) -> Self {
        Self(pointer)
    }
}

#[cfg(test)]
mod tests;
