//! Sixteen bytes on their way into a register of the baseline and out of it.

use crate::intrinsic::intrinsic;
#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

/// Moves sixteen bytes to a register; any x86-64 can.
#[inline(always)]
pub(super) fn register(x: u128) -> __m128i {
    intrinsic!(_mm_set_epi64x((x >> 64) as i64, x as i64))
}

/// Returns the bytes of a little-endian number, which reach memory in one piece.
#[inline(always)]
pub(crate) fn bytes(x: u128) -> [u8; 16] {
    in_one_piece(register(x))
}

/// Returns the XOR of two blocks, which reaches memory in one piece.
#[inline(always)]
pub(crate) fn xor(a: &[u8; 16], b: &[u8; 16]) -> [u8; 16] {
    in_one_piece(intrinsic!(_mm_xor_si128(
        _mm_loadu_si128(a.as_ptr().cast()),
        _mm_loadu_si128(b.as_ptr().cast())
    )))
}

/// Returns the bytes of a register. The compiler, which may know both halves, would store them one by one. It cannot see
/// through this.
#[inline(always)]
fn in_one_piece(
    #[cfg_attr(miri, allow(unused_mut, reason = "changed by assembly alone"))] mut x: __m128i,
) -> [u8; 16] {
    // Miri runs no assembly, and has no stores to join.
    #[cfg(not(miri))]
    // SAFETY: no instruction is emitted, and the register is the baseline's.
    unsafe {
        core::arch::asm!("/* {0} */", inout(xmm_reg) x, options(pure, nomem, nostack, preserves_flags))
    };
    let mut bytes = [0; 16];
    intrinsic!(_mm_storeu_si128(bytes.as_mut_ptr().cast(), x));
    bytes
}

/// Returns the number in a register: undoes [`register`].
#[inline(always)]
pub(super) fn number(x: __m128i) -> u128 {
    // General registers of 32 bits have no such move.
    #[cfg(target_arch = "x86")]
    return u128::from_le_bytes(in_one_piece(x));
    #[cfg(target_arch = "x86_64")]
    {
        let (low, high) = intrinsic!((_mm_cvtsi128_si64(x), _mm_cvtsi128_si64(_mm_unpackhi_epi64(x, x))));
        u128::from(low as u64) | u128::from(high as u64) << 64
    }
}
