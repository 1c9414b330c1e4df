//! WebAssembly: its vectors of 128 bits, as words.
//!
//! A module of WebAssembly either has vectors or does not: an engine without them refuses it as a whole, so there is
//! nothing to detect at run time. The instruction set is there where the target was compiled for it, by
//! `-C target-feature=+simd128`.
//!
//! An engine compiles each instruction to one or a few of the CPU's. What it makes of a byte shuffle whose pattern is
//! in the instruction is better than what it makes of one whose pattern is a vector, so patterns are constants wherever
//! they are known.

use crate::intrinsic::intrinsic;
use crate::isa::token;
use crate::partial;
use crate::portable::{TRANSPOSED, rotated, ternary_by_parts};
use crate::words::{Word, Words, WordsIsa};
use core::arch::wasm32::*;
use core::ops::{Add, BitAnd, BitOr, BitXor, Not, Sub};

token! {
    /// The vectors of 128 bits that WebAssembly 2.0 has.
    ///
    /// ```
    /// use abreast_simd::wasm::Simd128;
    ///
    /// let isa: Simd128 = abreast_simd::baseline();
    /// assert_eq!(Simd128::detect(), Some(isa));
    /// ```
    Simd128, "simd128"
}

impl WordsIsa for Simd128 {
    type Words = Simd128Words;
}

/// Four words in a vector of WebAssembly.
///
/// ```
/// use abreast_simd::Words;
/// use abreast_simd::wasm::Simd128Words;
///
/// let mut row = *b"0123456789abcdef";
/// Simd128Words::load(abreast_simd::baseline(), &row).swap_bytes().store(&mut row);
/// assert_eq!(&row, b"32107654ba98fedc");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Simd128Words(v128, Simd128);

/// Returns the bytes of a vector in another order, which is a constant.
macro_rules! in_order {
    ($x:expr, $pattern:expr) => {{
        const P: [u8; 16] = $pattern;
        let x = $x;
        intrinsic!(i8x16_shuffle::<
            { P[0] as usize },
            { P[1] as usize },
            { P[2] as usize },
            { P[3] as usize },
            { P[4] as usize },
            { P[5] as usize },
            { P[6] as usize },
            { P[7] as usize },
            { P[8] as usize },
            { P[9] as usize },
            { P[10] as usize },
            { P[11] as usize },
            { P[12] as usize },
            { P[13] as usize },
            { P[14] as usize },
            { P[15] as usize },
        >(x, x))
    }};
}

/// Bytes of each word reversed, as a pattern.
const SWAPPED: [u8; 16] = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12];

impl Add for Simd128Words {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(intrinsic!(u32x4_add(self.0, other.0)), self.1)
    }
}

impl Sub for Simd128Words {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(intrinsic!(u32x4_sub(self.0, other.0)), self.1)
    }
}

impl BitXor for Simd128Words {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(intrinsic!(v128_xor(self.0, other.0)), self.1)
    }
}

impl BitAnd for Simd128Words {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(intrinsic!(v128_and(self.0, other.0)), self.1)
    }
}

impl BitOr for Simd128Words {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(intrinsic!(v128_or(self.0, other.0)), self.1)
    }
}

impl Not for Simd128Words {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(intrinsic!(v128_not(self.0)), self.1)
    }
}

impl Word for Simd128Words {
    /// Rotates whole bytes by one instruction, and the rest by two shifts and their sum: there are no rotations.
    #[inline(always)]
    fn rotl(self, n: u32) -> Self {
        if n.is_multiple_of(8) {
            self.rotate_bytes(0, 4 - n as usize / 8)
        } else {
            self.shl(n) | self.shr(32 - n)
        }
    }
    #[inline(always)]
    fn shl(self, n: u32) -> Self {
        Self(intrinsic!(u32x4_shl(self.0, n)), self.1)
    }
}

impl Words for Simd128Words {
    type Isa = Simd128;
    type Plane = Self;
    const LANES: usize = 4;
    const TERNARY: bool = false;
    const LOOKUP: bool = true;

    #[inline(always)]
    fn splat(isa: Simd128, x: u32) -> Self {
        Self(intrinsic!(u32x4_splat(x)), isa)
    }
    #[inline(always)]
    fn splat_row(isa: Simd128, row: &[u8; 16]) -> Self {
        Self(intrinsic!(v128_load(row.as_ptr().cast())), isa)
    }
    #[inline(always)]
    fn gather<'b>(isa: Simd128, row: impl Fn(usize) -> &'b [u8; 16]) -> Self {
        Self::splat_row(isa, row(0))
    }
    #[inline(always)]
    fn load(isa: Simd128, src: &[u8]) -> Self {
        assert_eq!(src.len(), Self::BYTES);
        Self(intrinsic!(v128_load(src.as_ptr().cast())), isa)
    }
    #[inline(always)]
    fn store(self, dst: &mut [u8]) {
        assert_eq!(dst.len(), Self::BYTES);
        intrinsic!(v128_store(dst.as_mut_ptr().cast(), self.0));
    }
    #[inline(always)]
    fn load_partial(isa: Simd128, src: &[u8]) -> Self {
        let x = partial::read(src);
        Self(intrinsic!(u64x2(x as u64, (x >> 64) as u64)), isa)
    }
    #[inline(always)]
    fn store_partial(self, dst: &mut [u8]) {
        let [low, high] = intrinsic!([u64x2_extract_lane::<0>(self.0), u64x2_extract_lane::<1>(self.0)]);
        partial::write(u128::from(low) | u128::from(high) << 64, dst);
    }
    #[inline(always)]
    fn shr(self, n: u32) -> Self {
        Self(intrinsic!(u32x4_shr(self.0, n)), self.1)
    }
    #[inline(always)]
    fn ternary<const TABLE: i32>(a: Self, b: Self, c: Self) -> Self {
        ternary_by_parts::<TABLE, Self>(a, b, c)
    }
    #[inline(always)]
    fn swap_bytes(self) -> Self {
        Self(in_order!(self.0, SWAPPED), self.1)
    }
    #[inline(always)]
    fn shuffle_bytes(self, pattern: [u8; 16]) -> Self {
        Self(intrinsic!(u8x16_swizzle(self.0, v128_load(pattern.as_ptr().cast()))), self.1)
    }
    /// Looks up by the instruction, for which every index of 16 or more gives 0.
    #[inline(always)]
    fn lookup(self, table: &[u8; 16]) -> Self {
        Self(intrinsic!(u8x16_swizzle(v128_load(table.as_ptr().cast()), self.0)), self.1)
    }
    /// Rotates in one of sixteen ways. Where it is inlined, one is left, as the numbers are constants.
    #[inline(always)]
    fn rotate_bytes(self, rows: usize, columns: usize) -> Self {
        let x = self.0;
        let turned = match (rows % 4, columns % 4) {
            (0, 0) => x,
            (0, 1) => in_order!(x, rotated(0, 1)),
            (0, 2) => in_order!(x, rotated(0, 2)),
            (0, _) => in_order!(x, rotated(0, 3)),
            (1, 0) => in_order!(x, rotated(1, 0)),
            (1, 1) => in_order!(x, rotated(1, 1)),
            (1, 2) => in_order!(x, rotated(1, 2)),
            (1, _) => in_order!(x, rotated(1, 3)),
            (2, 0) => in_order!(x, rotated(2, 0)),
            (2, 1) => in_order!(x, rotated(2, 1)),
            (2, 2) => in_order!(x, rotated(2, 2)),
            (2, _) => in_order!(x, rotated(2, 3)),
            (_, 0) => in_order!(x, rotated(3, 0)),
            (_, 1) => in_order!(x, rotated(3, 1)),
            (_, 2) => in_order!(x, rotated(3, 2)),
            (_, _) => in_order!(x, rotated(3, 3)),
        };
        Self(turned, self.1)
    }
    #[inline(always)]
    fn transpose_bytes(self) -> Self {
        Self(in_order!(self.0, TRANSPOSED), self.1)
    }
    #[inline(always)]
    fn unzip(a: Self, b: Self) -> (Self, Self) {
        let firsts = intrinsic!(u32x4_shuffle::<0, 2, 4, 6>(a.0, b.0));
        let seconds = intrinsic!(u32x4_shuffle::<1, 3, 5, 7>(a.0, b.0));
        (Self(firsts, a.1), Self(seconds, a.1))
    }
    #[inline(always)]
    fn zip(a: Self, b: Self) -> (Self, Self) {
        let low = intrinsic!(u32x4_shuffle::<0, 4, 1, 5>(a.0, b.0));
        let high = intrinsic!(u32x4_shuffle::<2, 6, 3, 7>(a.0, b.0));
        (Self(low, a.1), Self(high, a.1))
    }
    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        let pairs = |x: Self, y: Self| {
            let low = intrinsic!(u64x2_shuffle::<0, 2>(x.0, y.0));
            let high = intrinsic!(u64x2_shuffle::<1, 3>(x.0, y.0));
            (Self(low, x.1), Self(high, x.1))
        };
        let ((ab, ab2), (cd, cd2)) = (Self::zip(a, b), Self::zip(c, d));
        let ((e, f), (g, h)) = (pairs(ab, cd), pairs(ab2, cd2));
        [e, f, g, h]
    }
    #[inline(always)]
    fn shift_in(self, before: Self, bytes: usize) -> Self {
        if bytes == 16 { before } else { Self(intrinsic!(u64x2_shuffle::<1, 2>(before.0, self.0)), self.1) }
    }
}
