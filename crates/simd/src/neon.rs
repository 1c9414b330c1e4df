//! ARM: NEON, its AES instructions, and their register as words and as a block.
//!
//! Both vectors are one register of 128 bits. The baseline of AArch64 has NEON; the AES instructions
//! with the carry-less product are an extension that servers, phones and Macs have and a Raspberry Pi 4
//! has not. Big-endian AArch64, where a load of words turns their bytes, is left to the portable set.
//!
//! ```
//! use abreast_simd::neon::{NeonAesBlock, NeonWords};
//! use abreast_simd::{Blocks, Words};
//!
//! assert_eq!((NeonWords::LANES, NeonAesBlock::LANES), (4, 1));
//! ```

mod sha;

pub use sha::{NeonSha1, NeonSha1State, NeonSha256, NeonSha256State};

use crate::aes::{AesBlocks, AesIsa};
use crate::blocks::{Blocks, Places};
use crate::clmul::Clmul;
use crate::intrinsic::intrinsic;
use crate::isa::token;
use crate::partial;
use crate::portable::{TRANSPOSED, rotated, ternary_by_parts};
use crate::words::{Word, Words, WordsIsa};
use core::arch::aarch64::*;
use core::ops::{Add, BitAnd, BitOr, BitXor, Not, Sub};

token! {
    /// NEON, the baseline of AArch64.
    ///
    /// ```
    /// use abreast_simd::neon::Neon;
    ///
    /// let isa: Neon = abreast_simd::baseline();
    /// assert_eq!(Neon::detect(), Some(isa));
    /// ```
    Neon, "neon", is_aarch64_feature_detected!["neon"]
}
token! {
    /// NEON with AES rounds and carry-less products (`AESE`, `AESD`, `PMULL`).
    ///
    /// ```
    /// use abreast_simd::{AesLevel, neon::NeonAes};
    ///
    /// assert_eq!(NeonAes::detect().map(AesLevel::from), AesLevel::detect_all().last());
    /// ```
    NeonAes, "neon,aes", is_aarch64_feature_detected!["neon", "aes"]
}
token! {
    /// NEON with rounds of SHA-1 and of SHA-256 (`SHA1C`, `SHA256H`).
    ///
    /// ```
    /// use abreast_simd::{ShaLevel, neon::NeonSha};
    ///
    /// assert_eq!(NeonSha::detect().map(ShaLevel::from), ShaLevel::detect_all().last());
    /// ```
    NeonSha, "neon,sha2", is_aarch64_feature_detected!["neon", "sha2"]
}

impl WordsIsa for Neon {
    type Words = NeonWords;
}

impl AesIsa for NeonAes {
    type Blocks = NeonAesBlock;
    type Narrow = Self;

    #[inline(always)]
    fn narrow(self) -> Self {
        self
    }
}

/// Moves sixteen bytes to a register.
#[inline(always)]
fn register(x: u128) -> uint8x16_t {
    intrinsic!(vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(x as u64), vcreate_u64((x >> 64) as u64))))
}

/// Returns the number in a register: undoes [`register`].
#[inline(always)]
fn number(x: uint8x16_t) -> u128 {
    let halves = intrinsic!(vreinterpretq_u64_u8(x));
    let (low, high) = intrinsic!((vgetq_lane_u64::<0>(halves), vgetq_lane_u64::<1>(halves)));
    u128::from(low) | u128::from(high) << 64
}

/// Four words in a register of NEON.
///
/// ```
/// use abreast_simd::Words;
/// use abreast_simd::neon::NeonWords;
///
/// let mut row = *b"0123456789abcdef";
/// NeonWords::load(abreast_simd::baseline(), &row).swap_bytes().store(&mut row);
/// assert_eq!(&row, b"32107654ba98fedc");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NeonWords(uint32x4_t, Neon);

impl NeonWords {
    #[inline(always)]
    fn from_bytes(isa: Neon, x: uint8x16_t) -> Self {
        Self(intrinsic!(vreinterpretq_u32_u8(x)), isa)
    }

    #[inline(always)]
    fn bytes(self) -> uint8x16_t {
        intrinsic!(vreinterpretq_u8_u32(self.0))
    }

    /// Joins pairs of words: the low ones of two vectors, and the high ones.
    #[inline(always)]
    fn zip_pairs(a: Self, b: Self) -> (Self, Self) {
        let (x, y) = intrinsic!((vreinterpretq_u64_u32(a.0), vreinterpretq_u64_u32(b.0)));
        let low = intrinsic!(vreinterpretq_u32_u64(vzip1q_u64(x, y)));
        let high = intrinsic!(vreinterpretq_u32_u64(vzip2q_u64(x, y)));
        (Self(low, a.1), Self(high, a.1))
    }
}

impl Add for NeonWords {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(intrinsic!(vaddq_u32(self.0, other.0)), self.1)
    }
}

impl Sub for NeonWords {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(intrinsic!(vsubq_u32(self.0, other.0)), self.1)
    }
}

impl BitXor for NeonWords {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(intrinsic!(veorq_u32(self.0, other.0)), self.1)
    }
}

impl BitAnd for NeonWords {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(intrinsic!(vandq_u32(self.0, other.0)), self.1)
    }
}

impl BitOr for NeonWords {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(intrinsic!(vorrq_u32(self.0, other.0)), self.1)
    }
}

impl Not for NeonWords {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(intrinsic!(vmvnq_u32(self.0)), self.1)
    }
}

impl Word for NeonWords {
    /// Moves whole bytes; for the rest, the compiler makes `SHL` and `USRA` of the two shifts.
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
        Self(intrinsic!(vshlq_u32(self.0, vdupq_n_s32(n as i32))), self.1)
    }
}

impl Words for NeonWords {
    type Isa = Neon;
    type Plane = Self;
    const LANES: usize = 4;
    const TERNARY: bool = false;
    const LOOKUP: bool = true;

    #[inline(always)]
    fn splat(isa: Neon, x: u32) -> Self {
        Self(intrinsic!(vdupq_n_u32(x)), isa)
    }
    #[inline(always)]
    fn splat_row(isa: Neon, row: &[u8; 16]) -> Self {
        Self::from_bytes(isa, intrinsic!(vld1q_u8(row.as_ptr())))
    }
    #[inline(always)]
    fn gather<'b>(isa: Neon, row: impl Fn(usize) -> &'b [u8; 16]) -> Self {
        Self::splat_row(isa, row(0))
    }
    #[inline(always)]
    fn load(isa: Neon, src: &[u8]) -> Self {
        assert_eq!(src.len(), Self::BYTES);
        Self::from_bytes(isa, intrinsic!(vld1q_u8(src.as_ptr())))
    }
    #[inline(always)]
    fn store(self, dst: &mut [u8]) {
        assert_eq!(dst.len(), Self::BYTES);
        intrinsic!(vst1q_u8(dst.as_mut_ptr(), self.bytes()));
    }
    #[inline(always)]
    fn load_partial(isa: Neon, src: &[u8]) -> Self {
        Self::from_bytes(isa, register(partial::read(src)))
    }
    #[inline(always)]
    fn store_partial(self, dst: &mut [u8]) {
        partial::write(number(self.bytes()), dst);
    }
    /// Shifts left by a negative count.
    #[inline(always)]
    fn shr(self, n: u32) -> Self {
        Self(intrinsic!(vshlq_u32(self.0, vdupq_n_s32(-(n as i32)))), self.1)
    }
    #[inline(always)]
    fn ternary<const TABLE: i32>(a: Self, b: Self, c: Self) -> Self {
        ternary_by_parts::<TABLE, Self>(a, b, c)
    }
    #[inline(always)]
    fn swap_bytes(self) -> Self {
        Self::from_bytes(self.1, intrinsic!(vrev32q_u8(self.bytes())))
    }
    #[inline(always)]
    fn shuffle_bytes(self, pattern: [u8; 16]) -> Self {
        Self::from_bytes(self.1, intrinsic!(vqtbl1q_u8(self.bytes(), vld1q_u8(pattern.as_ptr()))))
    }
    #[inline(always)]
    fn lookup(self, table: &[u8; 16]) -> Self {
        Self::from_bytes(self.1, intrinsic!(vqtbl1q_u8(vld1q_u8(table.as_ptr()), self.bytes())))
    }
    /// Moves whole words and halves without a table, which would hold a register.
    #[inline(always)]
    fn rotate_bytes(self, rows: usize, columns: usize) -> Self {
        let x = self.0;
        let rotated_words = match (rows % 4, columns % 4) {
            (0, 0) => x,
            (1, 0) => intrinsic!(vextq_u32::<1>(x, x)),
            (2, 0) => intrinsic!(vextq_u32::<2>(x, x)),
            (3, 0) => intrinsic!(vextq_u32::<3>(x, x)),
            (0, 2) => intrinsic!(vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(x)))),
            _ => return self.shuffle_bytes(rotated(rows, columns)),
        };
        Self(rotated_words, self.1)
    }
    #[inline(always)]
    fn transpose_bytes(self) -> Self {
        self.shuffle_bytes(TRANSPOSED)
    }
    #[inline(always)]
    fn unzip(a: Self, b: Self) -> (Self, Self) {
        let (firsts, seconds) = intrinsic!((vuzp1q_u32(a.0, b.0), vuzp2q_u32(a.0, b.0)));
        (Self(firsts, a.1), Self(seconds, a.1))
    }
    #[inline(always)]
    fn zip(a: Self, b: Self) -> (Self, Self) {
        let (low, high) = intrinsic!((vzip1q_u32(a.0, b.0), vzip2q_u32(a.0, b.0)));
        (Self(low, a.1), Self(high, a.1))
    }
    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        let ((ab, ab2), (cd, cd2)) = (Self::zip(a, b), Self::zip(c, d));
        let ((e, f), (g, h)) = (Self::zip_pairs(ab, cd), Self::zip_pairs(ab2, cd2));
        [e, f, g, h]
    }
    #[inline(always)]
    fn shift_in(self, before: Self, bytes: usize) -> Self {
        if bytes == 16 { before } else { Self(intrinsic!(vextq_u32::<2>(before.0, self.0)), self.1) }
    }
}

/// Bytes of a block reversed, as a pattern for a byte shuffle.
const REVERSED: u128 = 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f;

/// One block in a register of NEON.
///
/// `AESE` adds its key before the other steps. It is given zeros and the key added after `AESMC`: the
/// compiler sees `AESE` of a sum with zeros and makes it `AESE` of the summands, so a chain of rounds
/// has no additions but the last.
///
/// ```
/// use abreast_simd::neon::{NeonAes, NeonAesBlock};
/// use abreast_simd::{AesBlocks, Blocks, Isa};
///
/// let Some(isa) = NeonAes::detect() else { return };
/// // The S-box makes 0x63 of zero, and the key comes last.
/// let block = isa.run(#[inline(always)] || {
///     let (zero, key) = (NeonAesBlock::splat(isa, &[0; 16]), NeonAesBlock::splat(isa, &[0x0f; 16]));
///     zero.encrypt_last(key).to_first()
/// });
/// assert_eq!(block, [0x6c; 16]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NeonAesBlock(uint8x16_t, NeonAes);

impl NeonAesBlock {
    #[inline(always)]
    fn words(self) -> uint32x4_t {
        intrinsic!(vreinterpretq_u32_u8(self.0))
    }

    #[inline(always)]
    fn halves(self) -> [u64; 2] {
        let halves = intrinsic!(vreinterpretq_u64_u8(self.0));
        intrinsic!([vgetq_lane_u64::<0>(halves), vgetq_lane_u64::<1>(halves)])
    }

    /// Multiplies halves, which are numbers in general registers only in name: the compiler knows `PMULL2`.
    #[inline(always)]
    #[allow(unknown_lints, inline_always_mismatching_target_features, reason = "as for the rounds")]
    fn product(self, a: u64, b: u64) -> Self {
        Self(register(intrinsic!(vmull_p64(a, b))), self.1)
    }
}

impl BitXor for NeonAesBlock {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(intrinsic!(veorq_u8(self.0, other.0)), self.1)
    }
}

impl BitAnd for NeonAesBlock {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(intrinsic!(vandq_u8(self.0, other.0)), self.1)
    }
}

impl Blocks for NeonAesBlock {
    type Isa = NeonAes;
    const LANES: usize = 1;

    #[inline(always)]
    fn splat(isa: NeonAes, block: &[u8; 16]) -> Self {
        Self(intrinsic!(vld1q_u8(block.as_ptr())), isa)
    }
    #[inline(always)]
    fn first(isa: NeonAes, block: &[u8; 16]) -> Self {
        Self::splat(isa, block)
    }
    #[inline(always)]
    fn to_first(self) -> [u8; 16] {
        number(self.0).to_le_bytes()
    }
    #[inline(always)]
    fn load(isa: NeonAes, src: &[u8]) -> Self {
        assert_eq!(src.len(), Self::BYTES);
        Self(intrinsic!(vld1q_u8(src.as_ptr())), isa)
    }
    #[inline(always)]
    fn store(self, dst: &mut [u8]) {
        assert_eq!(dst.len(), Self::BYTES);
        intrinsic!(vst1q_u8(dst.as_mut_ptr(), self.0));
    }
    #[inline(always)]
    fn load_partial(isa: NeonAes, src: &[u8]) -> Self {
        Self(register(partial::read(src)), isa)
    }
    #[inline(always)]
    fn store_partial(self, dst: &mut [u8]) {
        partial::write(number(self.0), dst);
    }
    #[inline(always)]
    fn reverse_bytes(self) -> Self {
        Self(intrinsic!(vqtbl1q_u8(self.0, register(REVERSED))), self.1)
    }
    #[inline(always)]
    fn add_words(self, other: Self) -> Self {
        Self(intrinsic!(vreinterpretq_u8_u32(vaddq_u32(self.words(), other.words()))), self.1)
    }
    #[inline(always)]
    fn count(isa: NeonAes, base: u32) -> Self {
        Self(register(base.into()), isa)
    }
    #[inline(always)]
    fn fold(self) -> Self {
        self
    }
    #[inline(always)]
    fn broadcast(self) -> Self {
        self
    }
    #[inline(always)]
    fn total(self) -> Self {
        self
    }
    #[inline(always)]
    fn unzip(a: Self, b: Self) -> (Self, Self) {
        (a, b)
    }
    #[inline(always)]
    fn zip(a: Self, b: Self) -> (Self, Self) {
        (a, b)
    }
    #[inline(always)]
    fn gather<'b>(isa: NeonAes, block: impl Fn(usize) -> &'b [u8; 16]) -> Self {
        Self::splat(isa, block(0))
    }
    #[inline(always)]
    fn gather_parts<'b>(isa: NeonAes, part: impl Fn(usize) -> &'b [u8]) -> Self {
        Self::load_partial(isa, part(0))
    }
    #[inline(always)]
    fn gather_pairs<'b>(isa: NeonAes, pair: impl Fn(usize) -> &'b [[u8; 16]; 2]) -> (Self, Self) {
        let [first, second] = pair(0);
        (Self::splat(isa, first), Self::splat(isa, second))
    }
    #[inline(always)]
    fn scatter(self, places: &mut impl Places<[u8; 16]>) {
        if let Some(place) = places.of(0) {
            *place = self.to_first();
        }
    }
    #[inline(always)]
    fn scatter_pairs(first: Self, second: Self, places: &mut impl Places<[[u8; 16]; 2]>) {
        if let Some(place) = places.of(0) {
            *place = [first.to_first(), second.to_first()];
        }
    }
    #[inline(always)]
    fn shift_in(self, before: Self) -> Self {
        before
    }
    /// Reduces the few bits that leave the top by shifts.
    #[inline(always)]
    fn times_x(self, n: u32) -> Self {
        let x = intrinsic!(vreinterpretq_u64_u8(self.0));
        let n = i64::from(n);
        let (here, carries) = intrinsic!((vshlq_u64(x, vdupq_n_s64(n)), vshlq_u64(x, vdupq_n_s64(n - 64))));
        intrinsic!({
            let zero = vdupq_n_u64(0);
            let (up, out) = (vextq_u64::<1>(zero, carries), vextq_u64::<1>(carries, zero));
            let low = veorq_u64(veorq_u64(out, vshlq_n_u64::<1>(out)), vshlq_n_u64::<2>(out));
            let reduced = veorq_u64(low, vshlq_n_u64::<7>(out));
            Self(vreinterpretq_u8_u64(veorq_u64(veorq_u64(here, up), reduced)), self.1)
        })
    }
}

// The lint came with Rust 1.95.
#[allow(
    unknown_lints,
    inline_always_mismatching_target_features,
    reason = "what is not inlined here is inlined when the method was, into `Isa::run`, which has the features"
)]
impl AesBlocks for NeonAesBlock {
    #[inline(always)]
    fn encrypt_round(self, key: Self) -> Self {
        Self(intrinsic!(vaesmcq_u8(vaeseq_u8(self.0, vdupq_n_u8(0)))), self.1) ^ key
    }
    #[inline(always)]
    fn encrypt_last(self, key: Self) -> Self {
        Self(intrinsic!(vaeseq_u8(self.0, vdupq_n_u8(0))), self.1) ^ key
    }
    #[inline(always)]
    fn decrypt_round(self, key: Self) -> Self {
        Self(intrinsic!(vaesimcq_u8(vaesdq_u8(self.0, vdupq_n_u8(0)))), self.1) ^ key
    }
    #[inline(always)]
    fn decrypt_last(self, key: Self) -> Self {
        Self(intrinsic!(vaesdq_u8(self.0, vdupq_n_u8(0))), self.1) ^ key
    }
    #[inline(always)]
    fn shuffle_bytes(self, indices: &[u8; 16]) -> Self {
        Self(intrinsic!(vqtbl1q_u8(self.0, vld1q_u8(indices.as_ptr()))), self.1)
    }
    #[inline(always)]
    fn inv_mix_columns(self) -> Self {
        Self(intrinsic!(vaesimcq_u8(self.0)), self.1)
    }
}

impl Clmul for NeonAesBlock {
    const INSTRUCTIONS: bool = true;

    #[inline(always)]
    fn clmul_low(self, other: Self) -> Self {
        let ([a, _], [b, _]) = (self.halves(), other.halves());
        self.product(a, b)
    }
    #[inline(always)]
    fn clmul_high(self, other: Self) -> Self {
        let ([_, a], [_, b]) = (self.halves(), other.halves());
        self.product(a, b)
    }
    #[inline(always)]
    fn swap_halves(self) -> Self {
        Self(intrinsic!(vextq_u8::<8>(self.0, self.0)), self.1)
    }
}
