//! Registers of SHA-NI as words of SHA-1 and of SHA-256.

use super::ShaNi;
use crate::intrinsic::intrinsic;
use crate::sha::{Chain, SHA256_CONSTANTS, ShaIsa, ShaRounds};
#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

impl ShaIsa for ShaNi {
    type Sha1 = ShaNi1;
    type Sha256 = ShaNi256;
}

/// Loads sixteen bytes from memory.
#[inline(always)]
fn loaded(row: &[u8; 16]) -> __m128i {
    intrinsic!(_mm_loadu_si128(row.as_ptr().cast()))
}

/// Returns the bytes of a register.
#[inline(always)]
fn row_of(x: __m128i) -> [u8; 16] {
    let mut row = [0; 16];
    intrinsic!(_mm_storeu_si128(row.as_mut_ptr().cast(), x));
    row
}

/// Four words of SHA-1 in a register, the first in the highest lane.
///
/// ```
/// use abreast_simd::ShaRounds;
/// use abreast_simd::x86::ShaNi1;
///
/// // 80 rounds in four quarters of five steps, with a function of their own each.
/// assert_eq!((4 * 4 * ShaNi1::STEPS, ShaNi1::UNIFORM), (80, false));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ShaNi1(__m128i, ShaNi);

/// A state of SHA-1 in two registers.
///
/// ```
/// use abreast_simd::x86::{ShaNi, ShaNi1};
/// use abreast_simd::{Isa, ShaRounds};
///
/// let Some(isa) = ShaNi::detect() else { return };
/// // Five words: the rest of the second row is not kept.
/// let mut stored = [[0; 16]; 2];
/// isa.run(|| ShaNi1::store(ShaNi1::load(isa, |_| &[[1; 16]; 2]), |_, chain| stored = *chain));
/// assert_eq!(stored, [[1; 16], [1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ShaNi1State {
    /// The first four words, the first in the highest lane.
    abcd: __m128i,
    /// In its highest lane the fifth word, and between rounds what `SHA1NEXTE` makes it of: `a` of four rounds ago.
    e: __m128i,
    isa: ShaNi,
}

impl ShaRounds for ShaNi1 {
    type Isa = ShaNi;
    type State = ShaNi1State;
    const LANES: usize = 1;
    const STEPS: usize = 5;
    const UNIFORM: bool = false;

    #[inline(always)]
    fn load<'b>(isa: ShaNi, chain: impl Fn(usize) -> &'b Chain) -> ShaNi1State {
        let [low, high] = [loaded(&chain(0)[0]), loaded(&chain(0)[1])];
        let (abcd, e) = intrinsic!((_mm_shuffle_epi32::<0b00_01_10_11>(low), _mm_slli_si128::<12>(high)));
        ShaNi1State { abcd, e, isa }
    }
    #[inline(always)]
    fn store(state: ShaNi1State, mut chain: impl FnMut(usize, &Chain)) {
        let low = intrinsic!(_mm_shuffle_epi32::<0b00_01_10_11>(state.abcd));
        let high = intrinsic!(_mm_srli_si128::<12>(state.e));
        chain(0, &[row_of(low), row_of(high)]);
    }
    #[inline(always)]
    fn message<'b>(isa: ShaNi, row: impl Fn(usize) -> &'b [u8; 16]) -> Self {
        let reversed = intrinsic!(_mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f));
        Self(intrinsic!(_mm_shuffle_epi8(loaded(row(0)), reversed)), isa)
    }
    #[inline(always)]
    fn schedule([a, b, c, d]: [Self; 4]) -> Self {
        let x = intrinsic!(_mm_xor_si128(_mm_sha1msg1_epu32(a.0, b.0), c.0));
        Self(intrinsic!(_mm_sha1msg2_epu32(x, d.0)), a.1)
    }
    /// Turns `e` to the right by 30 bits, which `SHA1NEXTE` turns back.
    #[inline(always)]
    fn begin(chain: ShaNi1State) -> ShaNi1State {
        let e = intrinsic!(_mm_or_si128(_mm_slli_epi32::<2>(chain.e), _mm_srli_epi32::<30>(chain.e)));
        ShaNi1State { e, ..chain }
    }
    #[inline(always)]
    fn rounds<const QUARTER: usize>(self, state: ShaNi1State, _: usize) -> ShaNi1State {
        let ShaNi1State { abcd, e, isa } = state;
        let words = intrinsic!(_mm_sha1nexte_epu32(e, self.0));
        let next = match QUARTER {
            0 => intrinsic!(_mm_sha1rnds4_epu32::<0>(abcd, words)),
            1 => intrinsic!(_mm_sha1rnds4_epu32::<1>(abcd, words)),
            2 => intrinsic!(_mm_sha1rnds4_epu32::<2>(abcd, words)),
            _ => intrinsic!(_mm_sha1rnds4_epu32::<3>(abcd, words)),
        };
        ShaNi1State { abcd: next, e: abcd, isa }
    }
    #[inline(always)]
    fn finish(state: ShaNi1State, before: ShaNi1State) -> ShaNi1State {
        let abcd = intrinsic!(_mm_add_epi32(state.abcd, before.abcd));
        let e = intrinsic!(_mm_sha1nexte_epu32(state.e, before.e));
        ShaNi1State { abcd, e, isa: state.isa }
    }
}

/// Four words of SHA-256 in a register, the first in the lowest lane.
///
/// ```
/// use abreast_simd::ShaRounds;
/// use abreast_simd::x86::ShaNi256;
///
/// // 64 rounds, which differ in their constants alone.
/// assert_eq!((4 * 4 * ShaNi256::STEPS, ShaNi256::UNIFORM), (64, true));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ShaNi256(__m128i, ShaNi);

/// A state of SHA-256 in two registers, as the instructions want it: `f`, `e`, `b`, `a` and `h`, `g`, `d`, `c`, from the
/// lowest lane to the highest.
///
/// ```
/// use abreast_simd::x86::{ShaNi, ShaNi256};
/// use abreast_simd::{Isa, ShaRounds};
///
/// let Some(isa) = ShaNi::detect() else { return };
/// // Words are in the order of the standard again when they are stored.
/// let (chain, mut stored) = ([*b"aaaabbbbccccdddd", *b"eeeeffffgggghhhh"], [[0; 16]; 2]);
/// isa.run(|| ShaNi256::store(ShaNi256::load(isa, |_| &chain), |_, chain| stored = *chain));
/// assert_eq!(stored, chain);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ShaNi256State {
    abef: __m128i,
    cdgh: __m128i,
    isa: ShaNi,
}

impl ShaRounds for ShaNi256 {
    type Isa = ShaNi;
    type State = ShaNi256State;
    const LANES: usize = 1;
    const STEPS: usize = 4;
    const UNIFORM: bool = true;

    #[inline(always)]
    fn load<'b>(isa: ShaNi, chain: impl Fn(usize) -> &'b Chain) -> ShaNi256State {
        let [low, high] = [loaded(&chain(0)[0]), loaded(&chain(0)[1])];
        intrinsic!({
            let badc = _mm_shuffle_epi32::<0b10_11_00_01>(low);
            let hgfe = _mm_shuffle_epi32::<0b00_01_10_11>(high);
            let abef = _mm_alignr_epi8::<8>(badc, hgfe);
            let cdgh = _mm_blend_epi16::<0b1111_0000>(hgfe, badc);
            ShaNi256State { abef, cdgh, isa }
        })
    }
    #[inline(always)]
    fn store(state: ShaNi256State, mut chain: impl FnMut(usize, &Chain)) {
        let (low, high) = intrinsic!({
            let abef = _mm_shuffle_epi32::<0b00_01_10_11>(state.abef);
            let ghcd = _mm_shuffle_epi32::<0b10_11_00_01>(state.cdgh);
            (_mm_blend_epi16::<0b1111_0000>(abef, ghcd), _mm_alignr_epi8::<8>(ghcd, abef))
        });
        chain(0, &[row_of(low), row_of(high)]);
    }
    #[inline(always)]
    fn message<'b>(isa: ShaNi, row: impl Fn(usize) -> &'b [u8; 16]) -> Self {
        let swapped = intrinsic!(_mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203));
        Self(intrinsic!(_mm_shuffle_epi8(loaded(row(0)), swapped)), isa)
    }
    #[inline(always)]
    fn schedule([a, b, c, d]: [Self; 4]) -> Self {
        let nine_to_twelve = intrinsic!(_mm_alignr_epi8::<4>(d.0, c.0));
        let x = intrinsic!(_mm_add_epi32(_mm_sha256msg1_epu32(a.0, b.0), nine_to_twelve));
        Self(intrinsic!(_mm_sha256msg2_epu32(x, d.0)), a.1)
    }
    #[inline(always)]
    fn begin(chain: ShaNi256State) -> ShaNi256State {
        chain
    }
    #[inline(always)]
    fn rounds<const QUARTER: usize>(self, state: ShaNi256State, step: usize) -> ShaNi256State {
        let ShaNi256State { abef, cdgh, isa } = state;
        let constants = &SHA256_CONSTANTS[step % 16];
        intrinsic!({
            let words = _mm_add_epi32(self.0, _mm_loadu_si128(constants.as_ptr().cast()));
            let cdgh = _mm_sha256rnds2_epu32(cdgh, abef, words);
            let abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32::<0b00_00_11_10>(words));
            ShaNi256State { abef, cdgh, isa }
        })
    }
    #[inline(always)]
    fn finish(state: ShaNi256State, before: ShaNi256State) -> ShaNi256State {
        let abef = intrinsic!(_mm_add_epi32(state.abef, before.abef));
        let cdgh = intrinsic!(_mm_add_epi32(state.cdgh, before.cdgh));
        ShaNi256State { abef, cdgh, isa: state.isa }
    }
}
