//! Functions of `core` that hot loops call, inlined whatever the profile.
//!
//! `core` leaves `#[inline]` off some of its shortest functions, such as the constructor of `Zip`. Each is a call across
//! codegen units where a profile has `lto = "off"`, and what it hands over goes through memory: Serpent was five times
//! slower by it.

/// Iterators by pairs.
pub trait Zipped: Iterator + Sized {
    /// Walks two iterators at once, as [`zip`](Iterator::zip) does.
    #[inline]
    fn zipped<B: IntoIterator>(self, other: B) -> Pairs<Self, B::IntoIter> {
        Pairs { a: self, b: other.into_iter() }
    }
}

impl<I: Iterator> Zipped for I {}

/// Items of two iterators; see [`Zipped::zipped`].
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

#[cfg(test)]
mod tests {
    use super::{CopyFrom, Flat, Zipped};

    #[test]
    fn agrees_with_core() {
        for (a, b) in [(0, 0), (0, 3), (3, 0), (3, 5), (5, 3), (4, 4)] {
            let [mut ours, mut cores] =
                [(0..a).zipped(10..10 + b).collect::<Vec<_>>(), (0..a).zip(10..10 + b).collect()];
            assert_eq!(ours, cores);
            assert_eq!((0..a).zipped(0..b).size_hint(), (0..a).zip(0..b).size_hint());
            assert_eq!((0..a).zipped(0..).size_hint(), (0..a).zip(0..).size_hint());
            cores.iter_mut().for_each(|pair| pair.0 += 1);
            ours.copy_from(&cores);
            assert_eq!(ours, cores);
        }
        let mut arrays = [[1, 2, 3], [4, 5, 6]];
        assert_eq!(arrays.flat(), arrays.as_flattened());
        arrays.flat_mut()[4] = 7;
        assert_eq!(arrays, [[1, 2, 3], [4, 7, 6]]);
        assert!(<[[u8; 4]]>::flat(&[]).is_empty());
        assert!([[0_u8; 0]; 3].flat().is_empty());
    }

    #[test]
    #[should_panic(expected = "different lengths")]
    fn different_lengths() {
        [0; 3].copy_from(&[0; 4]);
    }
}
