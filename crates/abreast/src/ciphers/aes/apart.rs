//! Round keys that lie apart from the rest of a key.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

use crate::Error;

/// The round keys of a bit-sliced kernel, in memory of their own where there is an allocator: they have four times the size
/// of other round keys, and every move of a key would copy as much.
pub(crate) struct Apart<T> {
    /// One value, or none while the memory is not allocated.
    #[cfg(feature = "alloc")]
    one: Vec<T>,
    #[cfg(not(feature = "alloc"))]
    one: Option<T>,
}

impl<T> Apart<T> {
    /// No round keys yet, and no memory for them.
    #[cfg(feature = "alloc")]
    pub(crate) const NONE: Self = Self { one: Vec::new() };
    #[cfg(not(feature = "alloc"))]
    pub(crate) const NONE: Self = Self { one: None };

    /// Allocates the memory and puts a value there, unless there is one.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(crate) fn try_fill_place(&mut self, value: T) -> Result<(), Error> {
        #[cfg(feature = "alloc")]
        if self.one.is_empty() {
            self.one.try_reserve_exact(1).map_err(|_| Error::OutOfMemory)?;
        }
        self.place(value);
        Ok(())
    }

    /// Returns the value that is there, or the given one after putting it there. Aborts if there is no memory.
    #[inline]
    pub(crate) fn place(&mut self, value: T) -> &mut T {
        #[cfg(feature = "alloc")]
        if self.one.is_empty() {
            self.one.reserve_exact(1);
            self.one.push(value);
        }
        #[cfg(not(feature = "alloc"))]
        self.one.get_or_insert(value);
        self
    }
}

impl<T> Deref for Apart<T> {
    type Target = T;
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn deref(&self) -> &T {
        self.one.as_slice().first().expect("a key is set before it is used")
    }
}

impl<T> DerefMut for Apart<T> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn deref_mut(&mut self) -> &mut T {
        self.one.as_mut_slice().first_mut().expect("a key is set before it is used")
    }
}
