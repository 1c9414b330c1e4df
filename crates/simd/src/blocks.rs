//! 128-bit blocks in one register.

use crate::isa::Isa;
use crate::partial;
use crate::words::{ODD_ROWS, UPPER_ROWS};
use core::ops::{BitAnd, BitXor};

/// A vector of [`LANES`](Self::LANES) blocks of 16 bytes.
///
/// ```
/// use abreast_simd::{AesIsa, AesLevel, Blocks, dispatch_aes};
///
/// #[inline(always)]
/// fn xor_all<I: AesIsa>(isa: I, data: &[u8]) -> [u8; 16] {
///     let mut sum = I::Blocks::splat(isa, &[0; 16]);
///     for part in data.chunks(I::Blocks::BYTES) {
///         sum = sum ^ I::Blocks::load_partial(isa, part);
///     }
///     sum.fold().to_first()
/// }
/// for level in AesLevel::detect_all() {
///     assert_eq!(dispatch_aes!(level, isa => xor_all(isa, &[5; 7 * 16])), [5; 16]);
/// }
/// ```
pub trait Blocks: Copy + BitXor<Output = Self> + BitAnd<Output = Self> {
    /// The instruction set that the vector proves.
    type Isa: Isa;
    /// Blocks in the vector.
    const LANES: usize;
    /// Bytes in the vector.
    const BYTES: usize = 16 * Self::LANES;

    /// `block` in every lane.
    fn splat(isa: Self::Isa, block: &[u8; 16]) -> Self;
    /// `block` in the first lane, zeros in the others.
    fn first(isa: Self::Isa, block: &[u8; 16]) -> Self;
    /// The block in the first lane.
    fn to_first(self) -> [u8; 16];
    /// Blocks from [`BYTES`](Self::BYTES) bytes.
    ///
    /// # Panics
    /// If `src` has another length.
    fn load(isa: Self::Isa, src: &[u8]) -> Self;
    /// Blocks to [`BYTES`](Self::BYTES) bytes.
    ///
    /// # Panics
    /// If `dst` has another length.
    fn store(self, dst: &mut [u8]);
    /// Blocks from at most [`BYTES`](Self::BYTES) bytes; the rest is zero.
    ///
    /// # Panics
    /// If `src` is longer.
    fn load_partial(isa: Self::Isa, src: &[u8]) -> Self;
    /// The first bytes to `dst`, at most [`BYTES`](Self::BYTES).
    ///
    /// # Panics
    /// If `dst` is longer.
    fn store_partial(self, dst: &mut [u8]);
    /// Bytes of every block reversed.
    fn reverse_bytes(self) -> Self;
    /// Little-endian words of 32 bits added lane by lane; no carry between words.
    fn add_words(self, other: Self) -> Self;
    /// `base`, `base + 1`, .. in the first 32-bit words of the blocks, zeros elsewhere.
    fn count(isa: Self::Isa, base: u32) -> Self;
    /// The blocks xored together in the first lane, zeros in the others.
    fn fold(self) -> Self;
    /// The first block in every lane.
    fn broadcast(self) -> Self;
    /// The blocks xored together, in every lane.
    fn total(self) -> Self;
    /// Blocks 0, 2, .. of two vectors side by side, and blocks 1, 3, ..
    fn unzip(a: Self, b: Self) -> (Self, Self);
    /// The inverse of [`unzip`](Self::unzip).
    fn zip(a: Self, b: Self) -> (Self, Self);
    /// Lane by lane a block from somewhere.
    fn gather<'b>(isa: Self::Isa, block: impl Fn(usize) -> &'b [u8; 16]) -> Self;
    /// Lane by lane at most 16 bytes from somewhere, zeros after them.
    fn gather_parts<'b>(isa: Self::Isa, part: impl Fn(usize) -> &'b [u8]) -> Self;
    /// Lane by lane two blocks from somewhere: all first ones, and all second ones.
    fn gather_pairs<'b>(isa: Self::Isa, pair: impl Fn(usize) -> &'b [[u8; 16]; 2]) -> (Self, Self);
    /// Lane by lane a block to somewhere.
    fn scatter(self, places: &mut impl Places<[u8; 16]>);
    /// The inverse of [`gather_pairs`](Self::gather_pairs).
    fn scatter_pairs(firsts: Self, seconds: Self, places: &mut impl Places<[[u8; 16]; 2]>);
    /// The last block of `before`, and after it all blocks of this vector but the last: the block in
    /// front of each.
    fn shift_in(self, before: Self) -> Self;
    /// Every block, a little-endian polynomial over GF(2), times `x^n` modulo
    /// `x^128 + x^7 + x^2 + x + 1`, `0 < n <= 32`: the field of XTS, CMAC and EAX (NIST SP 800-38B,
    /// section 5.3).
    fn times_x(self, n: u32) -> Self;

    /// Block `i` times `x^i` in that field.
    #[inline(always)]
    fn times_powers_of_x(self, isa: Self::Isa) -> Self {
        let mut powers = self;
        if Self::LANES > 1 {
            let odd = Self::load(isa, &ODD_ROWS[..Self::BYTES]);
            powers = powers ^ ((powers ^ powers.times_x(1)) & odd);
        }
        if Self::LANES > 2 {
            let upper = Self::load(isa, &UPPER_ROWS[..Self::BYTES]);
            powers = powers ^ ((powers ^ powers.times_x(2)) & upper);
        }
        powers
    }
}

/// The places of the lanes of a vector.
pub trait Places<T> {
    /// Returns the place of a lane if there is one.
    fn of(&mut self, lane: usize) -> Option<&mut T>;
}

/// One block on its way between functions, as a little-endian number.
///
/// A number of 128 bits is written to memory in two halves. A vector load of both then finds no single
/// store to take them from and waits until both have left the store buffer, some twenty cycles that
/// short messages notice. This type is written in one piece.
///
/// ```
/// use abreast_simd::Block;
///
/// let block = Block::from_part(b"a part");
/// let mut part = [0; 6];
/// block.to_part(&mut part);
/// assert_eq!((&part, block.as_bytes()[6]), (b"a part", 0));
/// ```
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
pub struct Block([u8; 16]);

impl Block {
    /// The bytes, from the least significant one.
    #[inline(always)]
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// At most 16 bytes, zeros after them, without a detour through memory.
    ///
    /// # Panics
    /// If `src` is longer.
    #[inline(always)]
    #[must_use]
    pub fn from_part(src: &[u8]) -> Self {
        partial::read(src).into()
    }

    /// The first bytes, as many as `dst` takes.
    ///
    /// # Panics
    /// If it takes more than there are.
    #[inline(always)]
    pub fn to_part(self, dst: &mut [u8]) {
        partial::write(u128::from_le_bytes(*self.as_bytes()), dst);
    }
}

impl From<[u8; 16]> for Block {
    #[inline(always)]
    fn from(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

impl BitXor for Block {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        #[cfg(target_feature = "sse2")]
        {
            Self(crate::x86::xor(&self.0, &other.0))
        }
        #[cfg(not(target_feature = "sse2"))]
        {
            Self((u128::from_ne_bytes(self.0) ^ u128::from_ne_bytes(other.0)).to_ne_bytes())
        }
    }
}

impl From<u128> for Block {
    #[inline(always)]
    fn from(number: u128) -> Self {
        #[cfg(target_feature = "sse2")]
        {
            Self(crate::x86::bytes(number))
        }
        #[cfg(not(target_feature = "sse2"))]
        {
            Self(number.to_le_bytes())
        }
    }
}
