//! Carry-less products: polynomials over GF(2), bit `i` of a little-endian number being the
//! coefficient of `x^i`.

use crate::blocks::Blocks;

/// Products of the 64-bit halves of blocks, lane by lane.
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
