//! In/out buffers that can be handed to another thread, as batches on all cores want it.

use core::ops::{Deref, DerefMut};
use inout::InOutBuf;

/// An [`InOutBuf`] of bytes that may go from thread to thread.
///
/// ```
/// use abreast_simd::buffer::Buffer;
///
/// let mut data = [1, 2, 3];
/// let mut buffer = Buffer::from(data.as_mut_slice());
/// # #[cfg(not(target_family = "wasm"))] // It has no threads.
/// std::thread::scope(|scope| scope.spawn(move || buffer.get_out().fill(0)).join()).expect("no panic");
/// # #[cfg(not(target_family = "wasm"))]
/// assert_eq!(data, [0; 3]);
/// ```
pub struct Buffer<'a>(InOutBuf<'a, 'a, u8>);

// SAFETY: it is a shared and an exclusive borrow of bytes, which may be the same bytes, or the exclusive one alone. Both
// kinds of borrow may go to another thread; that they are pointers inside is what keeps the compiler from seeing it.
unsafe impl Send for Buffer<'_> {}

impl<'a> From<InOutBuf<'a, 'a, u8>> for Buffer<'a> {
    #[inline(always)]
    fn from(buffer: InOutBuf<'a, 'a, u8>) -> Self {
        Self(buffer)
    }
}

impl<'a> From<&'a mut [u8]> for Buffer<'a> {
    #[inline(always)]
    fn from(buffer: &'a mut [u8]) -> Self {
        Self(buffer.into())
    }
}

impl<'a> Deref for Buffer<'a> {
    type Target = InOutBuf<'a, 'a, u8>;

    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Buffer<'_> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}
