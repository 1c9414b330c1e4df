//! Lanes of `u32`: the vocabulary of bit-sliced and ARX ciphers.

use crate::WordsIsa;
use core::ops::{Add, BitAnd, BitOr, BitXor, Not, Sub};

/// A vector of [`LANES`](Self::LANES) independent 32-bit words; arithmetic wraps.
///
/// Lanes come in rows of four, the 128-bit lanes of the hardware; operations that move data between
/// lanes stay within such a row. Bytes are numbered as in memory, words are little-endian.
pub trait Words:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + BitXor<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Not<Output = Self>
{
    /// The instruction set that the vector proves.
    type Isa: WordsIsa<Words = Self>;
    /// Words in the vector, a multiple of four.
    const LANES: usize;
    /// Bytes in the vector.
    const BYTES: usize = 4 * Self::LANES;
    /// Whether [`ternary`](Self::ternary) is one instruction.
    const TERNARY: bool;

    /// `x` in every lane.
    fn splat(isa: Self::Isa, x: u32) -> Self;
    /// Sixteen bytes in every row of four lanes.
    fn splat_row(isa: Self::Isa, row: &[u8; 16]) -> Self;
    /// Words from [`BYTES`](Self::BYTES) bytes.
    ///
    /// # Panics
    /// If `src` has another length.
    fn load(isa: Self::Isa, src: &[u8]) -> Self;
    /// Words to [`BYTES`](Self::BYTES) bytes.
    ///
    /// # Panics
    /// If `dst` has another length.
    fn store(self, dst: &mut [u8]);
    /// Words from at most [`BYTES`](Self::BYTES) bytes; the rest is zero.
    ///
    /// # Panics
    /// If `src` is longer.
    fn load_partial(isa: Self::Isa, src: &[u8]) -> Self;
    /// The first bytes to `dst`, at most [`BYTES`](Self::BYTES).
    ///
    /// # Panics
    /// If `dst` is longer.
    fn store_partial(self, dst: &mut [u8]);

    /// Every lane rotated left by `n` bits, `0 < n < 32`.
    fn rotl(self, n: u32) -> Self;
    /// Every lane shifted left by `n < 32` bits.
    fn shl(self, n: u32) -> Self;
    /// Every lane shifted right by `n < 32` bits.
    fn shr(self, n: u32) -> Self;
    /// Any function of three bits: bit `4a + 2b + c` of `TABLE` is its value at `(a, b, c)`.
    fn ternary<const TABLE: i32>(a: Self, b: Self, c: Self) -> Self;
    /// Bytes of every lane reversed.
    fn swap_bytes(self) -> Self;
    /// In every row of 16 bytes, byte `i` becomes what byte `pattern[i]` was; entries are below 16.
    fn shuffle_bytes(self, pattern: [u8; 16]) -> Self;
    /// Every row of 16 bytes is a 4 x 4 matrix, one lane a matrix row: its element at `(row, column)`
    /// becomes what was at `(row + rows, column + columns)`, counted modulo four.
    fn rotate_bytes(self, rows: usize, columns: usize) -> Self;
    /// The same matrix transposed.
    fn transpose_bytes(self) -> Self;
    /// Pairs of words to a vector of firsts and one of seconds, row by row.
    fn unzip(a: Self, b: Self) -> (Self, Self);
    /// The converse of [`unzip`](Self::unzip).
    fn zip(a: Self, b: Self) -> (Self, Self);
    /// In every row, the 4 x 4 matrix of words that four vectors make, transposed.
    fn transpose(x: [Self; 4]) -> [Self; 4];
}
