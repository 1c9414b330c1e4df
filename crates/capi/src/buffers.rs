//! Pointers with lengths, and what becomes of them.

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

/// Refuses what can be no buffer.
#[inline]
fn check(pointer: *const u8, len: usize) -> Result<(), Status> {
    if len > isize::MAX as usize {
        Err(Status::Length)
    } else if pointer.is_null() && len > 0 {
        Err(Status::NullPointer)
    } else {
        Ok(())
    }
}

/// Refuses an output that overlaps any of the others.
#[inline]
fn apart(output: *const u8, len: usize, others: &[&[u8]]) -> Result<(), Status> {
    let overlaps = |other: &&[u8]| overlap(output, len, other.as_ptr(), other.len());
    if others.iter().any(overlaps) { Err(Status::Overlap) } else { Ok(()) }
}

/// Whether two buffers, neither of which wraps around the end of memory, have a byte in common.
#[inline]
fn overlap(a: *const u8, a_len: usize, b: *const u8, b_len: usize) -> bool {
    let (a, b) = (a.addr(), b.addr());
    a_len > 0 && b_len > 0 && a < b.saturating_add(b_len) && b < a.saturating_add(a_len)
}

impl In {
    /// The bytes.
    #[inline]
    pub(crate) fn bytes(&self, len: usize) -> Result<&[u8], Status> {
        check(self.0, len)?;
        if len == 0 {
            return Ok(&[]);
        }
        // SAFETY: not NULL and not too long. The caller of the C function says that so many bytes may be read for as
        // long as the call takes, and that nobody writes them meanwhile.
        Ok(unsafe { slice::from_raw_parts(self.0, len) })
    }

    /// So many bytes.
    #[inline]
    pub(crate) fn array<const N: usize>(&self) -> Result<&[u8; N], Status> {
        self.bytes(N)?.try_into().map_err(|_| Status::Length)
    }
}

impl Out {
    /// The bytes, apart from all that the call looks at besides.
    #[inline]
    #[allow(
        clippy::mut_from_ref,
        reason = "the memory is not the pointer's own; callers take each of them once"
    )]
    pub(crate) fn bytes(&self, len: usize, others: &[&[u8]]) -> Result<&mut [u8], Status> {
        check(self.0, len)?;
        if len == 0 {
            return Ok(&mut []);
        }
        apart(self.0, len, others)?;
        // SAFETY: not NULL and not too long. The caller of the C function says that so many bytes may be read and
        // written for as long as the call takes, and that nobody else does meanwhile; the call itself does not, as
        // they are apart from all else.
        Ok(unsafe { slice::from_raw_parts_mut(self.0, len) })
    }

    /// So many bytes.
    #[inline]
    pub(crate) fn array<const N: usize>(&self) -> Result<&mut [u8; N], Status> {
        self.bytes(N, &[])?.try_into().map_err(|_| Status::Length)
    }
}

impl Words {
    /// The words.
    #[inline]
    pub(crate) fn array(&self) -> Result<&[u32; 64], Status> {
        if self.0.is_null() {
            return Err(Status::NullPointer);
        }
        if !self.0.is_aligned() {
            return Err(Status::Alignment);
        }
        // SAFETY: aligned and not NULL. The caller of the C function says that 64 words may be read for as long as
        // the call takes, and that nobody writes them meanwhile.
        Ok(unsafe { &*self.0.cast() })
    }
}

/// Input and output of one length: the same buffer or two apart, and the output apart from all that the call looks
/// at besides.
#[inline]
pub(crate) fn in_out<'b>(
    input: &'b In,
    output: &'b Out,
    len: usize,
    others: &[&[u8]],
) -> Result<InOutBuf<'b, 'b, u8>, Status> {
    check(input.0, len)?;
    check(output.0, len)?;
    if len == 0 {
        return Ok(InOutBuf::from(&mut [][..]));
    }
    if !std::ptr::eq(input.0, output.0) && overlap(input.0, len, output.0, len) {
        return Err(Status::Overlap);
    }
    apart(output.0, len, others)?;
    // SAFETY: neither is NULL or too long; they are the same or apart. The caller of the C function says that so many
    // bytes may be read and written for as long as the call takes, and that nobody else does meanwhile; the call
    // itself does not, as the output is apart from all else.
    Ok(unsafe { InOutBuf::from_raw(input.0, output.0, len) })
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
mod tests {
    use super::*;

    #[test]
    fn what_can_be_no_buffer_is_refused() {
        let byte = [7];
        let (none, some) = (In(std::ptr::null()), In(byte.as_ptr()));
        assert_eq!(none.bytes(0), Ok(&[][..]));
        assert_eq!(none.bytes(1), Err(Status::NullPointer));
        assert_eq!(some.bytes(1), Ok(&[7][..]));
        assert_eq!(some.bytes(isize::MAX as usize + 1), Err(Status::Length));
        assert_eq!(Out(std::ptr::null_mut()).bytes(1, &[]), Err(Status::NullPointer));
        let words = [7_u32; 65];
        let crooked = Words(words.as_ptr().cast::<u8>().wrapping_add(1).cast());
        assert_eq!(crooked.array(), Err(Status::Alignment));
        assert_eq!(Words(words.as_ptr()).array(), Ok(&[7; 64]));
    }

    #[test]
    fn in_place_or_apart() {
        let mut memory = [0_u8; 64];
        let start = memory.as_mut_ptr();
        let io = |from: usize, to: usize| {
            let (input, output) = (In(start.wrapping_add(from)), Out(start.wrapping_add(to)));
            in_out(&input, &output, 16, &[]).map(|io| io.len())
        };
        assert_eq!((io(0, 0), io(0, 16), io(16, 0)), (Ok(16), Ok(16), Ok(16)));
        assert_eq!(
            (io(0, 15), io(15, 0), io(1, 0)),
            (Err(Status::Overlap), Err(Status::Overlap), Err(Status::Overlap))
        );
        let end = In(std::ptr::without_provenance(usize::MAX - 3));
        assert!(overlap(end.0, 16, end.0.wrapping_add(2), 1));
    }

    #[test]
    fn outputs_are_apart_from_all_else() {
        let mut memory = [0_u8; 64];
        let (front, back) = memory.split_at_mut(16);
        let output = Out(front.as_mut_ptr());
        assert_eq!(output.bytes(16, &[back, &[]]).map(|bytes| bytes.len()), Ok(16));
        assert_eq!(output.bytes(17, &[&[], back]), Err(Status::Overlap));
    }
}
