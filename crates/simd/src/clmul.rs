//! Carry-less products: polynomials over GF(2), bit `i` of a little-endian number being the
//! coefficient of `x^i`.

use crate::blocks::Blocks;

/// Products of the 64-bit halves of blocks, lane by lane.
///
/// ```
/// use abreast_simd::{AesIsa, AesLevel, Blocks, Clmul, dispatch_aes};
///
/// #[inline(always)]
/// fn product<I: AesIsa>(isa: I, a: u64, b: u64) -> u128 {
///     let block = |x: u64| I::Blocks::first(isa, &u128::from(x).to_le_bytes());
///     u128::from_le_bytes(block(a).clmul_low(block(b)).to_first())
/// }
/// for level in AesLevel::detect_all() {
///     // (x + 1)^2 = x^2 + 1.
///     assert_eq!(dispatch_aes!(level, isa => product(isa, 0b11, 0b11)), 0b101);
/// }
/// ```
pub trait Clmul: Blocks {
    /// True if products are instructions instead of a hundred of them each.
    const INSTRUCTIONS: bool;

    /// The low halves multiplied.
    fn clmul_low(self, other: Self) -> Self;
    /// The high halves multiplied.
    fn clmul_high(self, other: Self) -> Self;
    /// The two halves of every block exchanged.
    fn swap_halves(self) -> Self;
}
