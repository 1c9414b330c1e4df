//! Bit planes: what bit-sliced AES computes on.
//!
//! A plane holds one bit of every byte of a few blocks. Circuits combine planes by gates; `ShiftRows` and `MixColumns` move
//! bytes within them. A vector of words is a plane by itself. Where there are no vectors, ciphers over words compute on
//! registers of 32 bits, but a gate on 64 bits does twice as much: [`Plane64x2`] is two registers of these.

pub use crate::portable::Plane64x2;

use core::ops::{BitAnd, BitXor};

/// The operands of a circuit: the bits of a register.
pub trait Gates: Copy + BitXor<Output = Self> + BitAnd<Output = Self> {}
impl<T: Copy + BitXor<Output = T> + BitAnd<Output = T>> Gates for T {}

/// A circuit over the eight bits of bytes.
///
/// ```
/// use abreast_simd::{Circuit, Gates};
///
/// /// Twice a byte in the field of AES, `x^8 + x^4 + x^3 + x + 1`.
/// #[derive(Clone, Copy)]
/// struct Double;
/// impl Circuit for Double {
///     fn apply<G: Gates>(self, [a, b, c, d, e, f, g, h]: [G; 8]) -> [G; 8] {
///         [h, a ^ h, b, c ^ h, d ^ h, e, f, g]
///     }
/// }
/// // Bit planes of bytes in registers of 8 bits: one byte, 0x80.
/// assert_eq!(Double.apply([0, 0, 0, 0, 0, 0, 0, 1_u8]), [1, 1, 0, 1, 1, 0, 0, 0]);
/// ```
pub trait Circuit: Copy {
    /// Eight bits of each byte to eight others, the lowest first.
    fn apply<G: Gates>(self, bits: [G; 8]) -> [G; 8];
}

/// One bit of every byte of as many blocks as eight registers hold.
///
/// Rows of 16 bytes are as in [`Words`](crate::Words): a row is a 4 x 4 matrix, and four bytes one after the other are a row of the matrix.
pub trait Plane: Gates {
    /// The instruction set that the plane proves.
    type Isa: Copy;
    /// The vector of words that has the same bits.
    type Words: Copy;
    /// The registers of the CPU that it takes.
    const REGISTERS: usize;

    /// Runs `work` on groups of words as planes, all at once or some at a time: they become planes before it, and words again
    /// after it.
    fn with(words: &mut [[Self::Words; 8]], work: impl Fn(&mut [[Self; 8]]));
    /// Sixteen bytes in every row.
    fn splat_row(isa: Self::Isa, row: &[u8; 16]) -> Self;
    /// Exchanges in every byte the bits of `x` that are under `mask << shift` with those of `y` under `mask`. No bit of
    /// `mask << shift` is beyond the byte.
    fn swap_bits(isa: Self::Isa, mask: u8, shift: u32, x: Self, y: Self) -> (Self, Self);
    /// See [`Words::rotate_bytes`](crate::Words::rotate_bytes).
    fn rotate_bytes(self, rows: usize, columns: usize) -> Self;
    /// See [`Words::transpose_bytes`](crate::Words::transpose_bytes).
    fn transpose_bytes(self) -> Self;
    /// The outputs of a circuit for eight planes. A plane of several registers goes through the circuit one register after the
    /// other: a CPU without vectors has too few for the intermediate results of all at once.
    fn apply(circuit: impl Circuit, planes: [Self; 8]) -> [Self; 8];
}
