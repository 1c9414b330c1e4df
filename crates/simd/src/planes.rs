//! Bit planes: what bit-sliced AES computes on.
//!
//! A plane holds one bit of every byte of a few blocks. Circuits combine planes by gates; `ShiftRows` and `MixColumns` move
//! bytes within them. A vector of words is a plane by itself. Where there are no vectors, ciphers over words compute on
//! registers of 32 bits, but a gate on 64 bits does twice as much: [`Plane64x2`] is two registers of these.

pub use crate::portable::Plane64x2;

use core::ops::{BitAnd, BitXor};

/// The operands of a circuit: the bits of a register.
///
/// ```
/// use abreast_simd::portable::{Portable, Words4};
/// use abreast_simd::{Gates, Words};
///
/// /// The carry of three bits.
/// fn carry<G: Gates>(a: G, b: G, c: G) -> G {
///     ((a ^ b) & (a ^ c)) ^ a
/// }
/// // On numbers, and on vectors.
/// assert_eq!(carry(0b1111_0000_u8, 0b1100_1100, 0b1010_1010), 0b1110_1000);
/// let [a, b, c] = [0xf0, 0xcc, 0xaa].map(|x| Words4::splat(Portable, x));
/// let mut first = [0];
/// carry(a, b, c).store_partial(&mut first);
/// assert_eq!(first, [0b1110_1000]);
/// ```
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
    /// Computes eight bits of each byte from eight others, the lowest first.
    fn apply<G: Gates>(self, bits: [G; 8]) -> [G; 8];
}

/// One bit of every byte of as many blocks as eight registers hold.
///
/// Rows of 16 bytes are as in [`Words`](crate::Words): a row is a 4 x 4 matrix, and four bytes one after the other are a row of the
/// matrix.
///
/// ```
/// use abreast_simd::{Circuit, Gates, Level, Plane, Words, WordsIsa, dispatch};
///
/// /// Twice a byte in the field of AES.
/// #[derive(Clone, Copy)]
/// struct Double;
/// impl Circuit for Double {
///     fn apply<G: Gates>(self, [a, b, c, d, e, f, g, h]: [G; 8]) -> [G; 8] {
///         [h, a ^ h, b, c ^ h, d ^ h, e, f, g]
///     }
/// }
///
/// /// Makes planes of eight registers of bytes, or bytes of planes.
/// #[inline(always)]
/// fn turn<P: Plane>(isa: P::Isa, x: &mut [P; 8]) {
///     for (mask, shift) in [(0x55, 1), (0x33, 2), (0x0f, 4)] {
///         for i in (0..8).filter(|i| i & shift == 0) {
///             (x[i], x[i + shift]) = P::swap_bits(isa, mask, shift as u32, x[i], x[i + shift]);
///         }
///     }
/// }
///
/// #[inline(always)]
/// fn double<I: WordsIsa>(isa: I, data: &mut [u8; 512]) {
///     let bytes = I::Words::BYTES;
///     let mut words: [I::Words; 8] = std::array::from_fn(|i| I::Words::load(isa, &data[i * bytes..][..bytes]));
///     <I::Words as Words>::Plane::with(
///         std::slice::from_mut(&mut words),
///         #[inline(always)]
///         |groups| {
///             for planes in groups {
///                 turn(isa, planes);
///                 *planes = Plane::apply(Double, *planes);
///                 turn(isa, planes);
///             }
///         },
///     );
///     for (words, part) in words.into_iter().zip(data.chunks_mut(bytes)) {
///         words.store(part);
///     }
/// }
///
/// for level in Level::detect_all() {
///     // Every even number, of which those from 128 on are reduced. Eight registers have at least 128 bytes.
///     let mut data: [u8; 512] = std::array::from_fn(|i| (2 * i) as u8);
///     dispatch!(level, isa => double(isa, &mut data));
///     assert!((0..64).all(|i| data[i] == 4 * i as u8));
///     assert!((64..128).all(|i| data[i] == (4 * i) as u8 ^ 0x1b));
/// }
/// ```
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
    /// Fills every row with the same sixteen bytes; see [`Words::splat_row`](crate::Words::splat_row).
    fn splat_row(isa: Self::Isa, row: &[u8; 16]) -> Self;
    /// Exchanges in every byte the bits of `x` that are under `mask << shift` with those of `y` under `mask`. No bit of
    /// `mask << shift` is beyond the byte.
    ///
    /// ```
    /// use abreast_simd::portable::{Portable, Words4};
    /// use abreast_simd::{Plane, Words};
    ///
    /// // The high digits of `x` and the low ones of `y`.
    /// let [x, y] = [0xabab_abab, 0xcdcd_cdcd].map(|word| Words4::splat(Portable, word));
    /// let (x, y) = Plane::swap_bits(Portable, 0x0f, 4, x, y);
    /// let mut bytes = [[0; 2]; 2];
    /// x.store_partial(&mut bytes[0]);
    /// y.store_partial(&mut bytes[1]);
    /// assert_eq!(bytes, [[0xdb, 0xdb], [0xca, 0xca]]);
    /// ```
    fn swap_bits(isa: Self::Isa, mask: u8, shift: u32, x: Self, y: Self) -> (Self, Self);
    /// Rotates every row as a matrix; see [`Words::rotate_bytes`](crate::Words::rotate_bytes).
    fn rotate_bytes(self, rows: usize, columns: usize) -> Self;
    /// Transposes every row as a matrix; see [`Words::transpose_bytes`](crate::Words::transpose_bytes).
    fn transpose_bytes(self) -> Self;
    /// Computes the outputs of a circuit for eight planes. A plane of several registers goes through the circuit one register after
    /// the other: a CPU without vectors has too few for the intermediate results of all at once.
    fn apply(circuit: impl Circuit, planes: [Self; 8]) -> [Self; 8];
}
