//! Registers of NEON as words of SHA-1 and of SHA-256.

use super::NeonSha;
use crate::intrinsic::intrinsic;
use crate::sha::{Chain, SHA1_CONSTANTS, SHA256_CONSTANTS, ShaIsa, ShaRounds};
use core::arch::aarch64::*;

impl ShaIsa for NeonSha {
    type Sha1 = NeonSha1;
    type Sha256 = NeonSha256;
}

/// Loads four words as they are in memory.
#[inline(always)]
fn loaded(row: &[u8; 16]) -> uint32x4_t {
    intrinsic!(vreinterpretq_u32_u8(vld1q_u8(row.as_ptr())))
}

/// Returns the bytes of a register.
#[inline(always)]
fn row_of(x: uint32x4_t) -> [u8; 16] {
    let mut row = [0; 16];
    intrinsic!(vst1q_u8(row.as_mut_ptr(), vreinterpretq_u8_u32(x)));
    row
}

/// Loads four big-endian words.
#[inline(always)]
fn big_endian(row: &[u8; 16]) -> uint32x4_t {
    intrinsic!(vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(row.as_ptr()))))
}

/// Four words of SHA-1 in a register.
///
/// ```
/// use abreast_simd::ShaRounds;
/// use abreast_simd::neon::NeonSha1;
///
/// // 80 rounds in four quarters of five steps, with a function of their own each.
/// assert_eq!((4 * 4 * NeonSha1::STEPS, NeonSha1::UNIFORM), (80, false));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NeonSha1(uint32x4_t, NeonSha);

/// A state of SHA-1: four words in a register, and the fifth.
///
/// ```
/// use abreast_simd::neon::{NeonSha, NeonSha1};
/// use abreast_simd::{Isa, ShaRounds};
///
/// let Some(isa) = NeonSha::detect() else { return };
/// // Five words: the rest of the second row is not kept.
/// let mut stored = [[0; 16]; 2];
/// isa.run(|| NeonSha1::store(NeonSha1::load(isa, |_| &[[1; 16]; 2]), |_, chain| stored = *chain));
/// assert_eq!(stored, [[1; 16], [1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NeonSha1State {
    abcd: uint32x4_t,
    e: u32,
    isa: NeonSha,
}

// The lint came with Rust 1.95.
#[allow(
    unknown_lints,
    inline_always_mismatching_target_features,
    reason = "what is not inlined here is inlined when the method was, into `Isa::run`, which has the features"
)]
impl ShaRounds for NeonSha1 {
    type Isa = NeonSha;
    type State = NeonSha1State;
    const LANES: usize = 1;
    const STEPS: usize = 5;
    const UNIFORM: bool = false;

    #[inline(always)]
    fn load<'b>(isa: NeonSha, chain: impl Fn(usize) -> &'b Chain) -> NeonSha1State {
        let [abcd, high] = [loaded(&chain(0)[0]), loaded(&chain(0)[1])];
        NeonSha1State { abcd, e: intrinsic!(vgetq_lane_u32::<0>(high)), isa }
    }
    #[inline(always)]
    fn store(state: NeonSha1State, mut chain: impl FnMut(usize, &Chain)) {
        let high = intrinsic!(vsetq_lane_u32::<0>(state.e, vdupq_n_u32(0)));
        chain(0, &[row_of(state.abcd), row_of(high)]);
    }
    #[inline(always)]
    fn message<'b>(isa: NeonSha, row: impl Fn(usize) -> &'b [u8; 16]) -> Self {
        Self(big_endian(row(0)), isa)
    }
    #[inline(always)]
    fn schedule([a, b, c, d]: [Self; 4]) -> Self {
        Self(intrinsic!(vsha1su1q_u32(vsha1su0q_u32(a.0, b.0, c.0), d.0)), a.1)
    }
    #[inline(always)]
    fn begin(chain: NeonSha1State) -> NeonSha1State {
        chain
    }
    #[inline(always)]
    fn rounds<const QUARTER: usize>(self, state: NeonSha1State, _: usize) -> NeonSha1State {
        let NeonSha1State { abcd, e, isa } = state;
        let words = intrinsic!(vaddq_u32(self.0, vdupq_n_u32(SHA1_CONSTANTS[QUARTER])));
        let next = match QUARTER {
            0 => intrinsic!(vsha1cq_u32(abcd, e, words)),
            2 => intrinsic!(vsha1mq_u32(abcd, e, words)),
            _ => intrinsic!(vsha1pq_u32(abcd, e, words)),
        };
        NeonSha1State { abcd: next, e: intrinsic!(vsha1h_u32(vgetq_lane_u32::<0>(abcd))), isa }
    }
    #[inline(always)]
    fn finish(state: NeonSha1State, before: NeonSha1State) -> NeonSha1State {
        let abcd = intrinsic!(vaddq_u32(state.abcd, before.abcd));
        NeonSha1State { abcd, e: state.e.wrapping_add(before.e), isa: state.isa }
    }
}

/// Four words of SHA-256 in a register.
///
/// ```
/// use abreast_simd::ShaRounds;
/// use abreast_simd::neon::NeonSha256;
///
/// // 64 rounds, which differ in their constants alone.
/// assert_eq!((4 * 4 * NeonSha256::STEPS, NeonSha256::UNIFORM), (64, true));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NeonSha256(uint32x4_t, NeonSha);

/// A state of SHA-256 in two registers.
///
/// ```
/// use abreast_simd::neon::{NeonSha, NeonSha256};
/// use abreast_simd::{Isa, ShaRounds};
///
/// let Some(isa) = NeonSha::detect() else { return };
/// // Words are in the order of the standard again when they are stored.
/// let (chain, mut stored) = ([*b"aaaabbbbccccdddd", *b"eeeeffffgggghhhh"], [[0; 16]; 2]);
/// isa.run(|| NeonSha256::store(NeonSha256::load(isa, |_| &chain), |_, chain| stored = *chain));
/// assert_eq!(stored, chain);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NeonSha256State {
    abcd: uint32x4_t,
    efgh: uint32x4_t,
    isa: NeonSha,
}

#[allow(unknown_lints, inline_always_mismatching_target_features, reason = "as for SHA-1")]
impl ShaRounds for NeonSha256 {
    type Isa = NeonSha;
    type State = NeonSha256State;
    const LANES: usize = 1;
    const STEPS: usize = 4;
    const UNIFORM: bool = true;

    #[inline(always)]
    fn load<'b>(isa: NeonSha, chain: impl Fn(usize) -> &'b Chain) -> NeonSha256State {
        let [abcd, efgh] = [loaded(&chain(0)[0]), loaded(&chain(0)[1])];
        NeonSha256State { abcd, efgh, isa }
    }
    #[inline(always)]
    fn store(state: NeonSha256State, mut chain: impl FnMut(usize, &Chain)) {
        chain(0, &[row_of(state.abcd), row_of(state.efgh)]);
    }
    #[inline(always)]
    fn message<'b>(isa: NeonSha, row: impl Fn(usize) -> &'b [u8; 16]) -> Self {
        Self(big_endian(row(0)), isa)
    }
    #[inline(always)]
    fn schedule([a, b, c, d]: [Self; 4]) -> Self {
        Self(intrinsic!(vsha256su1q_u32(vsha256su0q_u32(a.0, b.0), c.0, d.0)), a.1)
    }
    #[inline(always)]
    fn begin(chain: NeonSha256State) -> NeonSha256State {
        chain
    }
    #[inline(always)]
    fn rounds<const QUARTER: usize>(self, state: NeonSha256State, step: usize) -> NeonSha256State {
        let NeonSha256State { abcd, efgh, isa } = state;
        let constants = &SHA256_CONSTANTS[step % 16];
        intrinsic!({
            let words = vaddq_u32(self.0, vld1q_u32(constants.as_ptr()));
            let next = vsha256hq_u32(abcd, efgh, words);
            NeonSha256State { abcd: next, efgh: vsha256h2q_u32(efgh, abcd, words), isa }
        })
    }
    #[inline(always)]
    fn finish(state: NeonSha256State, before: NeonSha256State) -> NeonSha256State {
        let abcd = intrinsic!(vaddq_u32(state.abcd, before.abcd));
        let efgh = intrinsic!(vaddq_u32(state.efgh, before.efgh));
        NeonSha256State { abcd, efgh, isa: state.isa }
    }
}
