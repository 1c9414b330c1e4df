//! Functions of `core` that hot loops call, inlined whatever the profile.
//!
//! `core` leaves `#[inline]` off some of its shortest functions, such as the constructor of `Zip`. Each is a call across
//! codegen units where a profile has `lto = "off"`, and what it hands over goes through memory: Serpent was five times
//! slower by it.

use core::mem::MaybeUninit;

/// Iterators by pairs.
///
/// ```
/// use abreast_simd::inlined::{CopyFrom, Flat, Zipped};
///
/// let mut blocks = [[0; 4]; 2];
/// for (block, part) in blocks.iter_mut().zipped([[1; 4], [2; 4]]) {
///     block.copy_from(&part);
/// }
/// assert_eq!(blocks.flat(), [1, 1, 1, 1, 2, 2, 2, 2]);
/// ```
pub trait Zipped: Iterator + Sized {
    /// Walks two iterators at once, as [`zip`](Iterator::zip) does: it ends with the shorter one.
    ///
    /// ```
    /// use abreast_simd::inlined::Zipped;
    ///
    /// assert!([1, 2, 3].iter().zipped(["one", "two"]).eq([(&1, "one"), (&2, "two")]));
    /// ```
    #[inline]
    fn zipped<B: IntoIterator>(self, other: B) -> Pairs<Self, B::IntoIter> {
        Pairs { a: self, b: other.into_iter() }
    }
}

impl<I: Iterator> Zipped for I {}

/// Items of two iterators; see [`Zipped::zipped`].
///
/// ```
/// use abreast_simd::inlined::Zipped;
///
/// // The number of pairs is that of the shorter iterator, also before the first is taken.
/// assert_eq!((0..10).zipped(0..).size_hint(), (10, Some(10)));
/// ```
#[derive(Clone, Debug)]
pub struct Pairs<A, B> {
    a: A,
    b: B,
}

impl<A: Iterator, B: Iterator> Iterator for Pairs<A, B> {
    type Item = (A::Item, B::Item);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        Some((self.a.next()?, self.b.next()?))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let (a, b) = (self.a.size_hint(), self.b.size_hint());
        let most = match (a.1, b.1) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        (a.0.min(b.0), most)
    }
}

/// Slices of arrays.
///
/// ```
/// use abreast_simd::inlined::Flat;
///
/// let mut pairs = [[1, 2], [3, 4], [5, 6]];
/// pairs[1..].flat_mut().reverse();
/// assert_eq!(pairs.flat(), [1, 2, 6, 5, 4, 3]);
/// ```
pub trait Flat {
    /// Type of what the arrays hold.
    type Item;
    /// Views all items as one slice, as [`as_flattened`](slice::as_flattened) does.
    fn flat(&self) -> &[Self::Item];
    /// Views all items as one slice to write to.
    fn flat_mut(&mut self) -> &mut [Self::Item];
}

impl<T, const N: usize> Flat for [[T; N]] {
    type Item = T;
    #[inline]
    fn flat(&self) -> &[T] {
        // SAFETY: arrays have no padding between their items, nor slices between arrays, and `self` covers all of it.
        unsafe { core::slice::from_raw_parts(self.as_ptr().cast(), self.len() * N) }
    }
    #[inline]
    fn flat_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `flat`; `self` is borrowed alone.
        unsafe { core::slice::from_raw_parts_mut(self.as_mut_ptr().cast(), self.len() * N) }
    }
}

/// Slices to copy to.
///
/// ```
/// use abreast_simd::inlined::CopyFrom;
///
/// let mut nonce = [0; 16];
/// nonce[..12].copy_from(b"twelve bytes");
/// assert_eq!(&nonce, b"twelve bytes\0\0\0\0");
/// ```
pub trait CopyFrom<T> {
    /// Copies all items, as [`copy_from_slice`](slice::copy_from_slice) does.
    ///
    /// # Panics
    /// If the slices have different lengths.
    fn copy_from(&mut self, src: &[T]);
}

impl<T: Copy> CopyFrom<T> for [T] {
    #[inline]
    fn copy_from(&mut self, src: &[T]) {
        assert!(self.len() == src.len(), "the slices have different lengths");
        // SAFETY: both have that many items, and a slice that is borrowed alone overlaps with no other.
        unsafe { core::ptr::copy_nonoverlapping(src.as_ptr(), self.as_mut_ptr(), src.len()) }
    }
}

/// A list of up to `N` items in an array, whose items are pushed without a call.
///
/// ```
/// use abreast_simd::inlined::ArrayList;
///
/// let mut list = ArrayList::<_, 4>::new();
/// list.push("one");
/// list.push("another");
/// assert_eq!(list.items(), ["one", "another"]);
/// list.items_mut().reverse();
/// assert_eq!(list.items(), ["another", "one"]);
/// ```
pub struct ArrayList<T, const N: usize> {
    /// The first `len` are there.
    places: [MaybeUninit<T>; N],
    len: usize,
}

impl<T, const N: usize> ArrayList<T, N> {
    /// Creates an empty list.
    #[inline(always)]
    #[must_use]
    pub const fn new() -> Self {
        Self { places: [const { MaybeUninit::uninit() }; N], len: 0 }
    }

    /// Adds an item at the end.
    ///
    /// # Panics
    /// If the list is full.
    #[inline(always)]
    pub fn push(&mut self, item: T) {
        self.places[self.len].write(item);
        self.len += 1;
    }

    /// Views the items as one slice.
    #[inline(always)]
    #[must_use]
    pub fn items(&self) -> &[T] {
        // SAFETY: the first `len` items were written, and `len` is at most `N`.
        unsafe { core::slice::from_raw_parts(self.places.as_ptr().cast(), self.len) }
    }

    /// Views the items as one slice to write to.
    #[inline(always)]
    pub fn items_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `items`; `self` is borrowed alone.
        unsafe { core::slice::from_raw_parts_mut(self.places.as_mut_ptr().cast(), self.len) }
    }
}

impl<T, const N: usize> Default for ArrayList<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, const N: usize> Drop for ArrayList<T, N> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: the items are there, and nobody uses them after this.
        unsafe { core::ptr::drop_in_place(self.items_mut()) };
    }
}
