//! Lanes of `u32`: the vocabulary of bit-sliced and ARX ciphers.

use crate::isa::Isa;
use crate::planes::{Circuit, Plane};
use core::ops::{Add, BitAnd, BitOr, BitXor, Not, Sub};

/// A word of 32 bits, or many side by side: what circuits and rotations are written over.
///
/// ```
/// use abreast_simd::Word;
///
/// /// A round of XTEA over a word, or over many.
/// fn mix<W: Word>(x: W) -> W {
///     x.shl(4) ^ x.rotl(27)
/// }
/// assert_eq!(mix(1_u32), 0x10 ^ 1 << 27);
/// ```
pub trait Word:
    Copy + BitXor<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    /// Rotated left by `n` bits, `0 < n < 32`.
    fn rotl(self, n: u32) -> Self;
    /// Shifted left by `n < 32` bits.
    fn shl(self, n: u32) -> Self;
}

/// In a general register.
impl Word for u32 {
    #[inline(always)]
    fn rotl(self, n: u32) -> Self {
        self.rotate_left(n)
    }
    #[inline(always)]
    fn shl(self, n: u32) -> Self {
        self << n
    }
}

/// An instruction set that computes on vectors of 32-bit words.
pub trait WordsIsa: Isa {
    /// Its register, seen as words.
    type Words: Words<Isa = Self>;
}

/// A vector of [`LANES`](Self::LANES) independent 32-bit words; arithmetic wraps.
///
/// Lanes come in rows of four, the 128-bit lanes of the hardware; operations that move data between
/// lanes stay within such a row. Bytes are numbered as in memory, words are little-endian.
///
/// ```
/// use abreast_simd::{Level, Words, WordsIsa, dispatch};
///
/// #[inline(always)]
/// fn count<I: WordsIsa>(isa: I, data: &mut [u8]) -> usize {
///     (I::Words::splat(isa, 7) + I::Words::splat(isa, 1)).store_partial(data);
///     I::Words::LANES
/// }
/// for level in Level::detect_all() {
///     let mut data = [0; 16];
///     assert!(dispatch!(level, isa => count(isa, &mut data)) >= 4);
///     assert_eq!(data, [8, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0, 0]);
/// }
/// ```
pub trait Words: Word + Add<Output = Self> + Sub<Output = Self> {
    /// The instruction set that the vector proves.
    type Isa: WordsIsa<Words = Self>;
    /// The operands of bit-sliced AES: the vector itself, or registers that do more by each gate.
    type Plane: Plane<Isa = Self::Isa, Words = Self>;
    /// Words in the vector, a multiple of four.
    const LANES: usize;
    /// Bytes in the vector.
    const BYTES: usize = 4 * Self::LANES;
    /// True if [`ternary`](Self::ternary) is one instruction.
    const TERNARY: bool;
    /// True if [`lookup`](Self::lookup) is one instruction.
    const LOOKUP: bool;

    /// `x` in every lane.
    fn splat(isa: Self::Isa, x: u32) -> Self;
    /// Sixteen bytes in every row of four lanes.
    fn splat_row(isa: Self::Isa, row: &[u8; 16]) -> Self;
    /// Row by row sixteen bytes from somewhere.
    fn gather<'b>(isa: Self::Isa, row: impl Fn(usize) -> &'b [u8; 16]) -> Self;
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

    /// Every lane shifted right by `n < 32` bits.
    fn shr(self, n: u32) -> Self;
    /// Any function of three bits: bit `4a + 2b + c` of `TABLE` is its value at `(a, b, c)`.
    fn ternary<const TABLE: i32>(a: Self, b: Self, c: Self) -> Self;
    /// Bytes of every lane reversed.
    fn swap_bytes(self) -> Self;
    /// In every row of 16 bytes, byte `i` becomes what byte `pattern[i]` was; entries are below 16.
    fn shuffle_bytes(self, pattern: [u8; 16]) -> Self;
    /// In every row, byte `i` with value `n` becomes what byte `n` of the table is if `n < 16`, and 0 if `n >= 0x80`; there
    /// are no others. The time does not depend on the bytes.
    fn lookup(self, table: &[u8; 16]) -> Self;
    /// Every row of 16 bytes is a 4 x 4 matrix, one lane a matrix row: its element at `(row, column)`
    /// becomes what was at `(row + rows, column + columns)`, counted modulo four.
    fn rotate_bytes(self, rows: usize, columns: usize) -> Self;
    /// Transposes a matrix.
    fn transpose_bytes(self) -> Self;
    /// Pairs of words to a vector of firsts and one of seconds, row by row.
    fn unzip(a: Self, b: Self) -> (Self, Self);
    /// The inverse of [`unzip`](Self::unzip).
    fn zip(a: Self, b: Self) -> (Self, Self);
    /// In every row, the 4 x 4 matrix of words that four vectors make, transposed.
    fn transpose(x: [Self; 4]) -> [Self; 4];
    /// The last `bytes`, 8 or 16, of `before`, and after them all of this vector but its last `bytes`:
    /// where this one holds blocks of that size, the block before each.
    fn shift_in(self, before: Self, bytes: usize) -> Self;

    /// Every row, a little-endian polynomial over GF(2), times `x^n` modulo `x^128 + x^7 + x^2 + x + 1`,
    /// `0 < n <= 24`: the field of XTS, CMAC and EAX (NIST SP 800-38B, section 5.3).
    #[inline(always)]
    fn times_x(self, isa: Self::Isa, n: u32) -> Self {
        // The bits that leave a lane enter the next one, and from the last the first, where they are reduced.
        let carries = self.shr(32 - n).rotate_bytes(3, 0);
        let out = carries & Self::splat_row(isa, &FIRST_LANE);
        self.shl(n) ^ carries ^ out.shl(1) ^ out.shl(2) ^ out.shl(7)
    }
    /// Row `i` times `x^i` in that field.
    #[inline(always)]
    fn times_powers_of_x(self, isa: Self::Isa) -> Self {
        let mut powers = self;
        if Self::BYTES > 16 {
            let odd = Self::load(isa, &ODD_ROWS[..Self::BYTES]);
            powers = powers ^ ((powers ^ powers.times_x(isa, 1)) & odd);
        }
        if Self::BYTES > 32 {
            let upper = Self::load(isa, &UPPER_ROWS[..Self::BYTES]);
            powers = powers ^ ((powers ^ powers.times_x(isa, 2)) & upper);
        }
        powers
    }
}

impl<W: Words> Plane for W {
    type Isa = W::Isa;
    type Words = Self;
    const REGISTERS: usize = 1;

    #[inline(always)]
    fn with(words: &mut [[Self; 8]], work: impl Fn(&mut [[Self; 8]])) {
        work(words);
    }
    #[inline(always)]
    fn splat_row(isa: W::Isa, row: &[u8; 16]) -> Self {
        Words::splat_row(isa, row)
    }
    #[inline(always)]
    fn swap_bits(isa: W::Isa, mask: u8, shift: u32, x: Self, y: Self) -> (Self, Self) {
        let mask = W::splat(isa, u32::from_ne_bytes([mask; 4]));
        let difference = (x.shr(shift) ^ y) & mask;
        (x ^ difference.shl(shift), y ^ difference)
    }
    #[inline(always)]
    fn rotate_bytes(self, rows: usize, columns: usize) -> Self {
        Words::rotate_bytes(self, rows, columns)
    }
    #[inline(always)]
    fn transpose_bytes(self) -> Self {
        Words::transpose_bytes(self)
    }
    #[inline(always)]
    fn apply(circuit: impl Circuit, planes: [Self; 8]) -> [Self; 8] {
        circuit.apply(planes)
    }
}

/// The first of the four lanes of a row.
const FIRST_LANE: [u8; 16] = [255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// Selects, of up to four rows, those whose number has a given bit.
const fn rows_with(bit: usize) -> [u8; 64] {
    let mut bytes = [0; 64];
    let mut i = 0;
    while i < 64 {
        if (i / 16) & bit != 0 {
            bytes[i] = 255;
        }
        i += 1;
    }
    bytes
}

/// The odd ones of up to four rows.
pub(crate) const ODD_ROWS: [u8; 64] = rows_with(1);
/// The third and the fourth of four rows.
pub(crate) const UPPER_ROWS: [u8; 64] = rows_with(2);
