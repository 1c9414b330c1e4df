//! Values whose memory is all zeros once they are dropped, padding included.
//!
//! A drop that overwrites the fields of a value leaves its padding as it is, and so the bytes that a variant of an enum does
//! not use. A move copies these bytes along with the fields, from a place on the stack that may have held the words of a key
//! schedule before: a key that is moved to the heap takes them there, where later calls do not overwrite them.

use core::mem::MaybeUninit;
use core::ops::{Deref, DerefMut};

use zeroize::{ZeroizeOnDrop, optimization_barrier};

/// A value that is dropped and then overwritten with zeros, its padding too.
///
/// Memory that the value owns elsewhere, such as a box, is for its own drop to wipe, and so are the places from which it was
/// moved.
///
/// ```
/// use abreast_simd::Wiped;
///
/// struct Key {
///     rounds: u8,
///     words: [u64; 4],
/// }
///
/// let mut key = Wiped::new(Key { rounds: 12, words: [0; 4] });
/// key.words[0] = 1;
/// assert_eq!((key.rounds, key.words[0]), (12, 1));
/// ```
#[repr(transparent)]
pub struct Wiped<T>(MaybeUninit<T>);

impl<T> Wiped<T> {
    /// Takes up a value, also in a constant.
    ///
    /// ```
    /// use abreast_simd::Wiped;
    ///
    /// const KEY: Wiped<[u8; 3]> = Wiped::new([1, 2, 3]);
    /// assert_eq!(KEY.len(), 3);
    /// ```
    #[inline(always)]
    pub const fn new(value: T) -> Self {
        Self(MaybeUninit::new(value))
    }
}

impl<T> Deref for Wiped<T> {
    type Target = T;
    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: the value is there from `new` on until it is dropped.
        unsafe { self.0.assume_init_ref() }
    }
}

impl<T> DerefMut for Wiped<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as in `deref`.
        unsafe { self.0.assume_init_mut() }
    }
}

impl<T> Drop for Wiped<T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the value is there, and nothing reads it after this.
        unsafe { self.0.assume_init_drop() };
        // SAFETY: the place is this value's own, and `MaybeUninit` may hold any bytes.
        unsafe { self.0.as_mut_ptr().write_bytes(0, 1) };
        optimization_barrier(&self.0);
    }
}

impl<T> ZeroizeOnDrop for Wiped<T> {}
