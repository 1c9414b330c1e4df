//! The buffers of a call: pointers become slices here, or what is worked on in place.

use std::slice::{from_raw_parts, from_raw_parts_mut};

use abreast::InOutBuf;
use zeroize::Zeroizing;

use crate::fault::Fault;

/// An input and an output, either of which may be missing. They may be the same memory, or overlap.
pub(crate) struct Buffers {
    input: *const u8,
    len: usize,
    output: *mut u8,
    room: usize,
}

impl Buffers {
    /// # Safety
    /// For as long as this is used, `len` bytes of the input can be read and `room` bytes of the output written, unless
    /// they are NULL, and nobody else writes to them.
    pub(crate) unsafe fn new(input: *const u8, len: usize, output: *mut u8, room: usize) -> Self {
        Self { input, len: if input.is_null() { 0 } else { len }, output, room }
    }

    /// Bytes of the input.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Is there an input, perhaps of no bytes?
    pub(crate) fn has_input(&self) -> bool {
        !self.input.is_null()
    }

    /// Is there an output?
    pub(crate) fn has_output(&self) -> bool {
        !self.output.is_null()
    }

    /// Is the output where the input is?
    pub(crate) fn in_place(&self) -> bool {
        std::ptr::eq(self.input, self.output)
    }

    /// The input, of a call that writes nothing meanwhile.
    pub(crate) fn input(&self) -> &[u8] {
        // SAFETY: `new` says that they can be read, and whoever writes borrows this exclusively.
        if self.input.is_null() { &[] } else { unsafe { from_raw_parts(self.input, self.len) } }
    }

    /// Returns `len` bytes of the output, for a call that reads nothing meanwhile. OpenSSL may say that there is more room than
    /// the program has, so no slice covers the rest.
    pub(crate) fn output(&mut self, len: usize) -> Result<&mut [u8], Fault> {
        if len == 0 {
            return Ok(&mut []);
        }
        if self.output.is_null() || self.room < len {
            return Err(Fault::OutputSize);
        }
        // SAFETY: `new` says that they can be written, and whoever reads borrows this.
        Ok(unsafe { from_raw_parts_mut(self.output, len) })
    }

    /// Do the input and so many bytes of the output have some bytes in common?
    fn overlap(&self, written: usize) -> bool {
        let (input, output) = (self.input.addr(), self.output.addr());
        input < output.saturating_add(written) && output < input.saturating_add(self.len)
    }

    /// Works on the input from end to end, in place or to the output.
    #[inline]
    pub(crate) fn in_out<R>(
        &mut self,
        work: impl FnOnce(InOutBuf<'_, '_, u8>) -> Result<R, Fault>,
    ) -> Result<R, Fault> {
        self.front(self.len, work)
    }

    /// Works on the first bytes of the input, in place or to the output.
    #[inline]
    pub(crate) fn front<R>(
        &mut self,
        len: usize,
        work: impl FnOnce(InOutBuf<'_, '_, u8>) -> Result<R, Fault>,
    ) -> Result<R, Fault> {
        debug_assert!(len <= self.len);
        if len == 0 {
            return work(InOutBuf::from(&mut [][..]));
        }
        if self.output.is_null() || self.room < len {
            return Err(Fault::OutputSize);
        }
        if !self.in_place() && self.overlap(len) {
            let copy = Zeroizing::new(self.input()[..len].to_vec());
            return work(InOutBuf::new(&copy, self.output(len)?).map_err(|_| Fault::Other)?);
        }
        // SAFETY: both have so many bytes, by `new` and the check, and are the same or disjoint.
        work(unsafe { InOutBuf::from_raw(self.input, self.output, len) })
    }

    /// Works on an input and `written` bytes of output, which are slices of their own: an input that overlaps them is
    /// copied.
    pub(crate) fn apart<R>(
        &mut self,
        written: usize,
        work: impl FnOnce(&[u8], &mut [u8]) -> R,
    ) -> Result<R, Fault> {
        if self.len == 0 {
            return Ok(work(&[], self.output(written)?));
        }
        if self.overlap(written) {
            let copy = Zeroizing::new(self.input().to_vec());
            return Ok(work(&copy, self.output(written)?));
        }
        // SAFETY: the input can be read, and has no byte in common with the bytes of the output that are written.
        let input = unsafe { from_raw_parts(self.input, self.len) };
        Ok(work(input, self.output(written)?))
    }
}
