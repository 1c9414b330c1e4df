//! AES rounds of AEZ on bit-sliced blocks.

use super::rounds::{AezVectors, WIDEST};
use super::subkeys::AezSubkeys;
use crate::ciphers::aes::sliced::{AesSliced, PlaneKey, plane_key, whole_rounds};
use crate::engine::backend::Backend;
use crate::wipe::wipe;
use abreast_simd::WordsIsa;
use abreast_simd::inlined::{Flat, Zipped};

/// Vectors of `N` groups of bit-sliced blocks.
pub(crate) struct Circuit<const N: usize>;

/// The round keys of AES4 and AES10 as planes.
#[repr(align(16))]
pub(crate) struct CircuitKeys {
    four: [PlaneKey; 4],
    ten: [PlaneKey; 10],
}

impl CircuitKeys {
    /// No key yet.
    pub(crate) const ZERO: Self = Self { four: [[[0; 16]; 8]; 4], ten: [[[0; 16]; 8]; 10] };

    /// Lays out the subkeys where the planes stay.
    pub(crate) fn set(&mut self, subkeys: &AezSubkeys) {
        let (i, j, l) = (subkeys.i(), subkeys.j(), subkeys.l());
        for (n, key) in [j, i, l, &[0; 16]].into_iter().enumerate() {
            self.four[n] = plane_key(key, n + 1);
        }
        for (n, key) in [i, j, l, i, j, l, i, j, l, i].into_iter().enumerate() {
            self.ten[n] = plane_key(key, n + 1);
        }
    }
}

impl Drop for CircuitKeys {
    fn drop(&mut self) {
        wipe(self.four.flat_mut().flat_mut());
        wipe(self.ten.flat_mut().flat_mut());
    }
}

/// A group of bit-sliced blocks.
type SlicedGroup<I> = <AesSliced as Backend<I>>::Group;
const fn group_bytes<I: WordsIsa>() -> usize {
    <AesSliced as Backend<I>>::GROUP
}

impl<const N: usize> Circuit<N> {
    /// Returns a vector from a function that writes its bytes. Rearranging blocks in memory is little beside the rounds.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn vector_by<I: WordsIsa>(isa: I, write: impl FnOnce(&mut [u8])) -> [SlicedGroup<I>; N] {
        let mut bytes = [0; WIDEST];
        let bytes = &mut bytes[..N * group_bytes::<I>()];
        write(bytes);
        <Self as AezVectors<I>>::load(isa, bytes)
    }

    /// The left or the right blocks of pairs.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn side<I: WordsIsa>(isa: I, src: &[u8], side: usize) -> [SlicedGroup<I>; N] {
        Self::vector_by(
            isa,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |bytes| {
                for (block, pair) in bytes.as_chunks_mut::<16>().0.iter_mut().zipped(src.as_chunks::<32>().0)
                {
                    *block = pair.as_chunks::<16>().0[side];
                }
            },
        )
    }

    /// The bytes of a vector.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn with_bytes<I: WordsIsa, R>(vector: [SlicedGroup<I>; N], read: impl FnOnce(&[u8]) -> R) -> R {
        let mut bytes = [0; WIDEST];
        let bytes = &mut bytes[..N * group_bytes::<I>()];
        <Self as AezVectors<I>>::store(vector, bytes);
        read(bytes)
    }
}

impl<I: WordsIsa, const N: usize> AezVectors<I> for Circuit<N> {
    type Vector = [SlicedGroup<I>; N];
    const LANES: usize = N * group_bytes::<I>() / 16;
    type Kept = CircuitKeys;
    type Keys<'k> = &'k CircuitKeys;
    type One = Circuit<1>;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn keys<'k>(_: I, _: &'k AezSubkeys, kept: &'k CircuitKeys) -> &'k CircuitKeys {
        kept
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn splat(isa: I, block: &[u8; 16]) -> [SlicedGroup<I>; N] {
        [<AesSliced as Backend<I>>::splat(isa, block); N]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn first(isa: I, block: &[u8; 16]) -> [SlicedGroup<I>; N] {
        Self::splat(isa, block)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn broadcast(isa: I, vector: [SlicedGroup<I>; N]) -> [SlicedGroup<I>; N] {
        Self::splat(isa, &<Self as AezVectors<I>>::to_first(vector))
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn load(isa: I, src: &[u8]) -> [SlicedGroup<I>; N] {
        let mut vector = Self::splat(isa, &[0; 16]);
        for (group, src) in vector.iter_mut().zipped(src.chunks_exact(group_bytes::<I>())) {
            *group = <AesSliced as Backend<I>>::load(isa, src);
        }
        vector
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn load_partial(isa: I, src: &[u8]) -> [SlicedGroup<I>; N] {
        let mut vector = Self::splat(isa, &[0; 16]);
        for (group, src) in vector.iter_mut().zipped(src.chunks(group_bytes::<I>())) {
            *group = <AesSliced as Backend<I>>::load_partial(isa, src);
        }
        vector
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn store(vector: [SlicedGroup<I>; N], dst: &mut [u8]) {
        for (group, dst) in vector.into_iter().zipped(dst.chunks_exact_mut(group_bytes::<I>())) {
            <AesSliced as Backend<I>>::store(group, dst);
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn store_partial(vector: [SlicedGroup<I>; N], dst: &mut [u8]) {
        for (group, dst) in vector.into_iter().zipped(dst.chunks_mut(group_bytes::<I>())) {
            <AesSliced as Backend<I>>::store_partial(group, dst);
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn xor(mut a: [SlicedGroup<I>; N], b: [SlicedGroup<I>; N]) -> [SlicedGroup<I>; N] {
        for (a, b) in a.iter_mut().zipped(b) {
            *a = <AesSliced as Backend<I>>::xor(*a, b);
        }
        a
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn and(mut a: [SlicedGroup<I>; N], b: [SlicedGroup<I>; N]) -> [SlicedGroup<I>; N] {
        for (a, b) in a.iter_mut().zipped(b) {
            for (a, b) in a.iter_mut().zipped(b) {
                *a = *a & b;
            }
        }
        a
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn widen([group]: [SlicedGroup<I>; 1]) -> [SlicedGroup<I>; N] {
        [group; N]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn fold(vector: [SlicedGroup<I>; N]) -> [SlicedGroup<I>; 1] {
        let mut sum = vector[0];
        for &group in &vector[1..] {
            sum = <AesSliced as Backend<I>>::xor(sum, group);
        }
        [sum]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn total(isa: I, vector: [SlicedGroup<I>; N]) -> [SlicedGroup<I>; N] {
        let sum = Self::with_bytes::<I, _>(
            vector,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |bytes| {
                bytes.as_chunks().0.iter().fold(
                    0,
                    #[cfg_attr(not(abreast_unoptimized), inline(always))]
                    |sum, &block| sum ^ u128::from_ne_bytes(block),
                )
            },
        );
        Self::splat(isa, &sum.to_ne_bytes())
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn load_pairs<const WHOLE: bool>(isa: I, src: &[u8]) -> ([SlicedGroup<I>; N], [SlicedGroup<I>; N]) {
        (Self::side(isa, src, 0), Self::side(isa, src, 1))
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn store_pairs<const WHOLE: bool>(
        _: I,
        left: [SlicedGroup<I>; N],
        right: [SlicedGroup<I>; N],
        dst: &mut [u8],
    ) {
        for (side, blocks) in [left, right].into_iter().enumerate() {
            Self::with_bytes::<I, _>(
                blocks,
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |bytes| {
                    for (pair, &block) in
                        dst.as_chunks_mut::<32>().0.iter_mut().zipped(bytes.as_chunks::<16>().0)
                    {
                        pair.as_chunks_mut::<16>().0[side] = block;
                    }
                },
            );
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn offsets(isa: I, octets: &[[u8; 16]; 8], multiples: &[[u8; 16]; 8], at: usize) -> [SlicedGroup<I>; N] {
        Self::vector_by(
            isa,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |bytes| {
                for (n, block) in bytes.as_chunks_mut().0.iter_mut().enumerate() {
                    let octet = u128::from_ne_bytes(octets[(at + n) / 8 % 8]);
                    *block = (octet ^ u128::from_ne_bytes(multiples[(at + n) % 8])).to_ne_bytes();
                }
            },
        )
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn aes4(
        isa: I,
        keys: &CircuitKeys,
        mut x: [SlicedGroup<I>; N],
        add: [SlicedGroup<I>; N],
    ) -> [SlicedGroup<I>; N] {
        whole_rounds(isa, &keys.four, &mut x);
        <Self as AezVectors<I>>::xor(x, add)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn aes10(
        isa: I,
        keys: &CircuitKeys,
        mut x: [SlicedGroup<I>; N],
        add: [SlicedGroup<I>; N],
    ) -> [SlicedGroup<I>; N] {
        whole_rounds(isa, &keys.ten, &mut x);
        <Self as AezVectors<I>>::xor(x, add)
    }
}
