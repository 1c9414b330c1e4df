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
///     let square: u128 = dispatch_aes!(level, isa => product(isa, 0b11, 0b11));
///     assert_eq!(square, 0b101);
/// }
/// ```
///
/// A product of whole blocks is four of halves. Those of a low and a high half take [`swap_halves`](Self::swap_halves):
///
/// ```
/// use abreast_simd::portable::{Portable, SoftBlock};
/// use abreast_simd::{Blocks, Clmul};
///
/// /// Returns the low and the high half of a product of 255 bits.
/// fn product<B: Clmul>(a: B, b: B) -> [u128; 2] {
///     let crossed = b.swap_halves();
///     let middle = a.clmul_low(crossed) ^ a.clmul_high(crossed);
///     let [low, middle, high] = [a.clmul_low(b), middle, a.clmul_high(b)]
///         .map(|product| u128::from_le_bytes(product.to_first()));
///     [low ^ middle << 64, high ^ middle >> 64]
/// }
/// // (x^100 + 1)(x^90 + x^30) = x^190 + x^130 + x^90 + x^30.
/// let block = |x: u128| SoftBlock::splat(Portable, &x.to_le_bytes());
/// let product = product(block(1 << 100 | 1), block(1 << 90 | 1 << 30));
/// assert_eq!(product, [1 << 90 | 1 << 30, 1 << (190 - 128) | 1 << (130 - 128)]);
/// ```
pub trait Clmul: Blocks {
    /// True if products are instructions instead of a hundred of them each.
    const INSTRUCTIONS: bool;

    /// Multiplies the low halves of blocks, bytes 0 to 7.
    ///
    /// ```
    /// use abreast_simd::portable::{Portable, SoftBlock};
    /// use abreast_simd::{Blocks, Clmul};
    ///
    /// let block = |low: u64, high: u64| {
    ///     SoftBlock::splat(Portable, &(u128::from(high) << 64 | u128::from(low)).to_le_bytes())
    /// };
    /// let (a, b) = (block(0b101, 0b11), block(0b10, 0b111));
    /// let [low, high] = [a.clmul_low(b), a.clmul_high(b)].map(|x| u128::from_le_bytes(x.to_first()));
    /// // (x^2 + 1) x, and (x + 1)(x^2 + x + 1).
    /// assert_eq!((low, high), (0b1010, 0b1001));
    /// ```
    fn clmul_low(self, other: Self) -> Self;
    /// Multiplies the high halves of blocks, bytes 8 to 15; see [`clmul_low`](Self::clmul_low).
    fn clmul_high(self, other: Self) -> Self;
    /// Exchanges the two halves of every block.
    ///
    /// ```
    /// use abreast_simd::portable::{Portable, SoftBlock};
    /// use abreast_simd::{Blocks, Clmul};
    ///
    /// let block = SoftBlock::splat(Portable, b"low halfhighhalf").swap_halves();
    /// assert_eq!(&block.to_first(), b"highhalflow half");
    /// ```
    fn swap_halves(self) -> Self;
}
