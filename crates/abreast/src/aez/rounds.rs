//! AES rounds as AEZ uses them, over AES instructions and bit-sliced.
//!
//! AEZ calls AES with four rounds or with ten, all of them whole and none with a key before (paper,
//! section 3, "AES4" and "AES10"). Its two sides of a message lie in vectors of their own, so that one offset
//! vector serves a left and a right block at the same place.

use super::subkeys::AezSubkeys;
use crate::ciphers::aes::sliced::{AesSliced, PlaneKey, plane_key, whole_rounds};
use crate::engine::backend::Backend;
use crate::wipe::wipe;
use abreast_simd::inlined::{Flat, Zipped};
use abreast_simd::{AesBlocks, AesIsa, Blocks, Isa, Places, WordsIsa};

/// Bytes of the widest vector: two groups of eight registers of AVX-512.
pub(crate) const WIDEST: usize = 1024;

/// AES rounds on a vector of blocks, on an instruction set.
pub(crate) trait AezVectors<I: Isa>: 'static {
    /// Some blocks.
    type Vector: Copy;
    /// The number, at least one.
    const LANES: usize;
    /// Bytes of a vector.
    const BYTES: usize = 16 * Self::LANES;
    /// The part of a key beside its subkeys.
    type Kept: 'static;
    /// I, J and L as round keys.
    type Keys<'k>: Copy;
    /// The narrowest vectors of the same instructions.
    type One: AezVectors<I, One = Self::One, Kept = Self::Kept>;

    /// The round keys.
    fn keys<'k>(isa: I, subkeys: &'k AezSubkeys, kept: &'k Self::Kept) -> Self::Keys<'k>;

    /// A block in every lane.
    fn splat(isa: I, block: &[u8; 16]) -> Self::Vector;
    /// A block in the first lane, anything in the others.
    fn first(isa: I, block: &[u8; 16]) -> Self::Vector;
    /// The first block in every lane.
    fn broadcast(isa: I, vector: Self::Vector) -> Self::Vector;
    /// A vector from exactly [`BYTES`](Self::BYTES) bytes.
    fn load(isa: I, src: &[u8]) -> Self::Vector;
    /// A vector from fewer bytes, zeros after them.
    fn load_partial(isa: I, src: &[u8]) -> Self::Vector;
    /// A vector to exactly [`BYTES`](Self::BYTES) bytes.
    fn store(vector: Self::Vector, dst: &mut [u8]);
    /// The first bytes of a vector.
    fn store_partial(vector: Self::Vector, dst: &mut [u8]);
    /// The first block.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn to_first(vector: Self::Vector) -> [u8; 16] {
        let mut block = [0; 16];
        Self::store_partial(vector, &mut block);
        block
    }
    /// The sum of two vectors.
    fn xor(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// The bits that two vectors have in common.
    fn and(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// A narrow vector over and over.
    fn widen(one: <Self::One as AezVectors<I>>::Vector) -> Self::Vector;
    /// The sum of the narrow vectors that this one is made of.
    fn fold(vector: Self::Vector) -> <Self::One as AezVectors<I>>::Vector;
    /// The sum of all blocks of a vector, in every lane.
    fn total(isa: I, vector: Self::Vector) -> Self::Vector;
    /// The left and the right blocks of exactly twice [`BYTES`](Self::BYTES) bytes, or of fewer if it is not
    /// `WHOLE`.
    fn load_pairs<const WHOLE: bool>(isa: I, src: &[u8]) -> (Self::Vector, Self::Vector);
    /// The inverse of [`load_pairs`](Self::load_pairs).
    fn store_pairs<const WHOLE: bool>(isa: I, left: Self::Vector, right: Self::Vector, dst: &mut [u8]);
    /// The offsets of a vector of tweaks from `at` on, a multiple of [`LANES`](Self::LANES), where the tweaks
    /// from 8 k on have the sum of `octets[k]` and the multiple of L of their place.
    fn offsets(isa: I, octets: &[[u8; 16]; 8], multiples: &[[u8; 16]; 8], at: usize) -> Self::Vector;

    /// AES4 and then the sum with `add`, which costs nothing: its last round key is zero.
    fn aes4(isa: I, keys: Self::Keys<'_>, x: Self::Vector, add: Self::Vector) -> Self::Vector;
    /// AES10, and the sum with `add`.
    fn aes10(isa: I, keys: Self::Keys<'_>, x: Self::Vector, add: Self::Vector) -> Self::Vector;
}

/// Vectors of `N` registers, by AES instructions.
pub(crate) struct Instructions<const N: usize>;

/// I, J and L, lane by lane.
#[derive(Clone, Copy)]
pub(crate) struct LaneSubkeys<V> {
    i: V,
    j: V,
    l: V,
}

impl<V: Copy> LaneSubkeys<V> {
    /// I, which is the offset of the tweak (0, 0) too.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn i(self) -> V {
        self.i
    }
}

impl<const N: usize> Instructions<N> {
    /// Returns other subkeys in every lane, and the value that is kept beside L.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn keys_of<'k, I: AesIsa>(
        isa: I,
        subkeys: impl Fn(usize) -> &'k AezSubkeys,
    ) -> (LaneSubkeys<[I::Blocks; N]>, [I::Blocks; N]) {
        let (i, j) = Self::gather_pairs(
            isa,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |lane| &subkeys(lane).i_j,
        );
        let (l, tag) = Self::gather_pairs(
            isa,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |lane| &subkeys(lane).l_tag,
        );
        (LaneSubkeys { i, j, l }, tag)
    }

    /// Lane by lane a block from somewhere.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn gather<'b, I: AesIsa>(isa: I, block: impl Fn(usize) -> &'b [u8; 16]) -> [I::Blocks; N] {
        let mut vector = <Self as AezVectors<I>>::splat(isa, &[0; 16]);
        for (n, register) in vector.iter_mut().enumerate() {
            *register = I::Blocks::gather(
                isa,
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |lane| block(n * I::Blocks::LANES + lane),
            );
        }
        vector
    }

    /// Lane by lane at most 16 bytes from somewhere, zeros after them.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn gather_parts<'b, I: AesIsa>(isa: I, part: impl Fn(usize) -> &'b [u8]) -> [I::Blocks; N] {
        let mut vector = <Self as AezVectors<I>>::splat(isa, &[0; 16]);
        for (n, register) in vector.iter_mut().enumerate() {
            *register = I::Blocks::gather_parts(
                isa,
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |lane| part(n * I::Blocks::LANES + lane),
            );
        }
        vector
    }

    /// Lane by lane two blocks from somewhere.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn gather_pairs<'b, I: AesIsa>(
        isa: I,
        pair: impl Fn(usize) -> &'b [[u8; 16]; 2],
    ) -> ([I::Blocks; N], [I::Blocks; N]) {
        let zero = <Self as AezVectors<I>>::splat(isa, &[0; 16]);
        let (mut firsts, mut seconds) = (zero, zero);
        for n in 0..N {
            (firsts[n], seconds[n]) = I::Blocks::gather_pairs(
                isa,
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |lane| pair(n * I::Blocks::LANES + lane),
            );
        }
        (firsts, seconds)
    }

    /// Lane by lane a block to somewhere.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn scatter<I: AesIsa>(vector: [I::Blocks; N], places: &mut impl Places<[u8; 16]>) {
        for (n, register) in vector.iter().enumerate() {
            register.scatter(&mut LanesAfter { places, lanes: n * I::Blocks::LANES });
        }
    }

    /// Lane by lane two blocks to somewhere.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn scatter_pairs<I: AesIsa>(
        firsts: [I::Blocks; N],
        seconds: [I::Blocks; N],
        places: &mut impl Places<[[u8; 16]; 2]>,
    ) {
        for n in 0..N {
            let places = &mut LanesAfter { places, lanes: n * I::Blocks::LANES };
            I::Blocks::scatter_pairs(firsts[n], seconds[n], places);
        }
    }

    /// A round on every register.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn round<I: AesIsa>(mut x: [I::Blocks; N], key: [I::Blocks; N]) -> [I::Blocks; N] {
        for n in 0..N {
            x[n] = x[n].encrypt_round(key[n]);
        }
        x
    }
}

/// The places of lanes after some others.
struct LanesAfter<'p, P> {
    places: &'p mut P,
    lanes: usize,
}

impl<T, P: Places<T>> Places<T> for LanesAfter<'_, P> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn of(&mut self, lane: usize) -> Option<&mut T> {
        self.places.of(self.lanes + lane)
    }
}

/// The register of a number, all of it there or only a part.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn part<const WHOLE: bool, I: AesIsa>(isa: I, src: &[u8], n: usize) -> I::Blocks {
    let at = n * I::Blocks::BYTES;
    if WHOLE {
        return I::Blocks::load(isa, &src[at..][..I::Blocks::BYTES]);
    }
    let src = &src[at.min(src.len())..];
    I::Blocks::load_partial(isa, &src[..src.len().min(I::Blocks::BYTES)])
}

/// The inverse.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn set_part<const WHOLE: bool, I: AesIsa>(register: I::Blocks, dst: &mut [u8], n: usize) {
    let at = n * I::Blocks::BYTES;
    if WHOLE {
        return register.store(&mut dst[at..][..I::Blocks::BYTES]);
    }
    let at = at.min(dst.len());
    let len = (dst.len() - at).min(I::Blocks::BYTES);
    register.store_partial(&mut dst[at..][..len]);
}

impl<I: AesIsa, const N: usize> AezVectors<I> for Instructions<N> {
    type Vector = [I::Blocks; N];
    const LANES: usize = N * I::Blocks::LANES;
    type Kept = ();
    type Keys<'k> = LaneSubkeys<[I::Blocks; N]>;
    type One = Instructions<1>;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn keys(isa: I, subkeys: &AezSubkeys, (): &()) -> LaneSubkeys<[I::Blocks; N]> {
        let splat = <Self as AezVectors<I>>::splat;
        LaneSubkeys { i: splat(isa, subkeys.i()), j: splat(isa, subkeys.j()), l: splat(isa, subkeys.l()) }
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn splat(isa: I, block: &[u8; 16]) -> [I::Blocks; N] {
        [I::Blocks::splat(isa, block); N]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn first(isa: I, block: &[u8; 16]) -> [I::Blocks; N] {
        [I::Blocks::first(isa, block); N]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn broadcast(_: I, vector: [I::Blocks; N]) -> [I::Blocks; N] {
        [vector[0].broadcast(); N]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn load(isa: I, src: &[u8]) -> [I::Blocks; N] {
        let mut vector = Self::splat(isa, &[0; 16]);
        for n in 0..N {
            vector[n] = I::Blocks::load(isa, &src[n * I::Blocks::BYTES..][..I::Blocks::BYTES]);
        }
        vector
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn load_partial(isa: I, src: &[u8]) -> [I::Blocks; N] {
        let mut vector = Self::splat(isa, &[0; 16]);
        for (register, src) in vector.iter_mut().zipped(src.chunks(I::Blocks::BYTES)) {
            *register = I::Blocks::load_partial(isa, src);
        }
        vector
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn store(vector: [I::Blocks; N], dst: &mut [u8]) {
        for n in 0..N {
            vector[n].store(&mut dst[n * I::Blocks::BYTES..][..I::Blocks::BYTES]);
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn store_partial(vector: [I::Blocks; N], dst: &mut [u8]) {
        for (register, dst) in vector.iter().zipped(dst.chunks_mut(I::Blocks::BYTES)) {
            register.store_partial(dst);
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn xor(mut a: [I::Blocks; N], b: [I::Blocks; N]) -> [I::Blocks; N] {
        for n in 0..N {
            a[n] = a[n] ^ b[n];
        }
        a
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn and(mut a: [I::Blocks; N], b: [I::Blocks; N]) -> [I::Blocks; N] {
        for n in 0..N {
            a[n] = a[n] & b[n];
        }
        a
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn widen([register]: [I::Blocks; 1]) -> [I::Blocks; N] {
        [register; N]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn fold(vector: [I::Blocks; N]) -> [I::Blocks; 1] {
        let mut sum = vector[0];
        for &register in &vector[1..] {
            sum = sum ^ register;
        }
        [sum]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn total(_: I, vector: [I::Blocks; N]) -> [I::Blocks; N] {
        let [sum] = <Self as AezVectors<I>>::fold(vector);
        [sum.total(); N]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn load_pairs<const WHOLE: bool>(isa: I, src: &[u8]) -> ([I::Blocks; N], [I::Blocks; N]) {
        let mut pairs = (Self::splat(isa, &[0; 16]), Self::splat(isa, &[0; 16]));
        for n in 0..N {
            let (a, b) = (part::<WHOLE, I>(isa, src, 2 * n), part::<WHOLE, I>(isa, src, 2 * n + 1));
            (pairs.0[n], pairs.1[n]) = I::Blocks::unzip(a, b);
        }
        pairs
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn store_pairs<const WHOLE: bool>(_: I, left: [I::Blocks; N], right: [I::Blocks; N], dst: &mut [u8]) {
        for n in 0..N {
            let (a, b) = I::Blocks::zip(left[n], right[n]);
            set_part::<WHOLE, I>(a, dst, 2 * n);
            set_part::<WHOLE, I>(b, dst, 2 * n + 1);
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn offsets(isa: I, octets: &[[u8; 16]; 8], multiples: &[[u8; 16]; 8], at: usize) -> [I::Blocks; N] {
        let mut vector = Self::splat(isa, &octets[at / 8 % 8]);
        for (n, register) in vector.iter_mut().enumerate() {
            // Written so that the compiler knows the place where it is the same for all vectors.
            let lanes = n * I::Blocks::LANES;
            let place = if <Self as AezVectors<I>>::LANES == 8 { lanes } else { (at + lanes) % 8 };
            let multiples = &multiples.flat()[16 * place..][..I::Blocks::BYTES];
            *register = *register ^ I::Blocks::load(isa, multiples);
        }
        vector
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn aes4(_: I, keys: Self::Keys<'_>, x: [I::Blocks; N], add: [I::Blocks; N]) -> [I::Blocks; N] {
        let LaneSubkeys { i, j, l } = keys;
        let x = Self::round::<I>(Self::round::<I>(x, j), i);
        Self::round::<I>(Self::round::<I>(x, l), add)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn aes10(_: I, keys: Self::Keys<'_>, x: [I::Blocks; N], add: [I::Blocks; N]) -> [I::Blocks; N] {
        let LaneSubkeys { i, j, l } = keys;
        let mut x = x;
        for _ in 0..3 {
            x = Self::round::<I>(Self::round::<I>(Self::round::<I>(x, i), j), l);
        }
        Self::round::<I>(x, <Self as AezVectors<I>>::xor(i, add))
    }
}

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
