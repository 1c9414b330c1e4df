//! Memory that calls work on, with pointers into it that overlap, are not aligned, or are NULL.

use std::ptr::null_mut;

use arbitrary::Arbitrary;

/// Bytes of it.
pub(super) const SIZE: usize = 4096;

/// A pointer and a length, as a caller may get them wrong.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub(super) enum Span {
    Null(Length),
    At(u16, Length),
}

/// A length.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub(super) enum Length {
    Short(u8),
    Long(u16),
    /// A block, a nonce, a key or a tag.
    Usual(u8),
    /// More than any buffer can have, which has to be refused before anything is read.
    Huge(u8),
}

impl Length {
    fn bytes(self) -> usize {
        match self {
            Self::Short(len) => (len % 72).into(),
            Self::Long(len) => usize::from(len) % SIZE,
            Self::Usual(which) => [8, 12, 16, 24, 32, 48][usize::from(which) % 6],
            Self::Huge(less) => {
                [usize::MAX, isize::MAX as usize + 1 + 255][usize::from(less) % 2] - usize::from(less)
            }
        }
    }
}

/// The pointer and the length that a call gets for a span.
#[derive(Clone, Copy, Debug)]
pub(super) struct Buffer {
    pub(super) start: *mut u8,
    pub(super) len: usize,
}

/// The memory.
pub(super) struct Memory {
    bytes: *mut [u8; SIZE],
    before: Box<[u8; SIZE]>,
}

impl Memory {
    pub(super) fn new(seed: u64) -> Self {
        let bytes = crate::common::Random::new(seed).bytes(SIZE);
        let bytes: Box<[u8; SIZE]> = bytes.try_into().expect("as many as were asked for");
        Self { before: bytes.clone(), bytes: Box::into_raw(bytes) }
    }

    /// Returns the pointer and the length of a span. The caller's promise is kept: a buffer that is not NULL ends within the
    /// memory, unless its length is one that no buffer can have.
    pub(super) fn buffer(&self, span: Span) -> Buffer {
        match span {
            Span::Null(len) => Buffer { start: null_mut(), len: len.bytes() },
            Span::At(at, len) => {
                let at = usize::from(at) % (SIZE + 1);
                let len = len.bytes();
                let len = if len > isize::MAX as usize { len } else { len.min(SIZE - at) };
                Buffer { start: self.bytes.cast::<u8>().wrapping_add(at), len }
            }
        }
    }

    /// Input and output of one length: both in the memory, or both with a length that cannot be.
    pub(super) fn in_out(&self, input: Span, output: Span) -> [Buffer; 2] {
        let [mut input, mut output] = [self.buffer(input), self.buffer(output)];
        let room = |buffer: &Buffer| match buffer.start.is_null() {
            true => usize::MAX,
            false => SIZE - (buffer.start.addr() - self.bytes.addr()),
        };
        if input.len <= isize::MAX as usize {
            input.len = input.len.min(room(&input)).min(room(&output));
        }
        output.len = input.len;
        [input, output]
    }

    /// Bytes that a call reads whatever their number is said to be, or `None` if they end beyond the memory.
    pub(super) fn fixed(&self, span: Span, len: usize) -> Option<*mut u8> {
        let buffer = self.buffer(span);
        let fits = buffer.start.is_null() || buffer.start.addr() + len <= self.bytes.addr() + SIZE;
        fits.then_some(buffer.start)
    }

    /// Puts values into the memory, where they are aligned, or gives `None` if they would end beyond it.
    pub(super) fn put<T: Copy>(&mut self, at: u16, values: &[T]) -> Option<*mut T> {
        let to = self.bytes.cast::<u8>().wrapping_add(usize::from(at) % SIZE);
        let to = to.wrapping_add(to.align_offset(align_of::<T>()));
        let end = to.addr() + size_of_val(values);
        (end <= self.bytes.addr() + SIZE).then(|| {
            // SAFETY: aligned and in the memory, to which no reference is held.
            unsafe { to.cast::<T>().copy_from_nonoverlapping(values.as_ptr(), values.len()) };
            to.cast()
        })
    }

    /// The bytes as they are now.
    pub(super) fn bytes(&self) -> &[u8; SIZE] {
        // SAFETY: from `Box::into_raw` in `new`, and no call is at work, to which alone pointers are handed.
        unsafe { &*self.bytes }
    }

    /// Remembers the bytes as they are before a call.
    pub(super) fn begin(&mut self) {
        *self.before = *self.bytes();
    }

    /// After a call that may have written these buffers: nothing else was written, and nothing at all if `nothing` is
    /// to have been done.
    pub(super) fn check(&self, written: &[Buffer], nothing: bool, what: impl Fn() -> String) {
        for (at, (after, before)) in self.bytes().iter().zip(&*self.before).enumerate() {
            let address = self.bytes.addr() + at;
            let inside = |buffer: &Buffer| {
                !buffer.start.is_null()
                    && address >= buffer.start.addr()
                    && address - buffer.start.addr() < buffer.len
            };
            let allowed = !nothing && written.iter().any(inside);
            assert!(after == before || allowed, "{}: byte {at} was written", what());
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: from `Box::into_raw` in `new`, and dropped once.
        drop(unsafe { Box::from_raw(self.bytes) });
    }
}

/// True if two buffers have a byte in common.
pub(super) fn overlap(a: Buffer, b: Buffer) -> bool {
    let [from, to] = [a, b].map(|buffer| buffer.start.addr());
    a.len > 0 && b.len > 0 && from < to.saturating_add(b.len) && to < from.saturating_add(a.len)
}
