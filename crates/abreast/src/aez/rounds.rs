//! AES rounds as AEZ uses them, by AES instructions ([`instructions`](super::instructions)) and bit-sliced
//! ([`circuit`](super::circuit)).
//!
//! AEZ calls AES with four rounds or with ten, all of them whole and none with a key before (paper,
//! section 3, "AES4" and "AES10"). Its two sides of a message lie in vectors of their own, so that one offset
//! vector serves a left and a right block at the same place.

use super::subkeys::AezSubkeys;
use abreast_simd::Isa;

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
