//! Lanes of `u32`: the vocabulary of bit-sliced and ARX ciphers.

use crate::isa::Isa;
use crate::planes::{Circuit, Plane};
use core::ops::{Add, BitAnd, BitOr, BitXor, Not, Sub};

/// A word of 32 bits, or many side by side: what circuits and rotations are written over.
///
/// ```
/// use abreast_simd::portable::{Portable, Words4};
/// use abreast_simd::{Word, Words};
///
/// /// A step of a cipher: over one word, or over many.
/// fn mix<W: Word>(x: W) -> W {
///     x.shl(4) ^ x.rotl(27)
/// }
/// assert_eq!(mix(1_u32), 0x0800_0010);
/// let mut words = [[0; 4]; 4];
/// mix(Words4::splat(Portable, 1)).store(words.as_flattened_mut());
/// assert_eq!(words.map(u32::from_le_bytes), [0x0800_0010; 4]);
/// ```
pub trait Word:
    Copy + BitXor<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    /// Rotates left by `n` bits, `0 < n < 32`: the bits that leave at the top enter at the bottom.
    ///
    /// ```
    /// use abreast_simd::Word;
    ///
    /// assert_eq!(0xc000_0001_u32.rotl(4), 0x1c);
    /// // A rotation right by 4 is one left by 28.
    /// assert_eq!(0x1c_u32.rotl(28), 0xc000_0001);
    /// ```
    fn rotl(self, n: u32) -> Self;
    /// Shifts left by `n < 32` bits: the bits that leave are lost.
    ///
    /// ```
    /// use abreast_simd::Word;
    ///
    /// assert_eq!(0xc000_0001_u32.shl(4), 0x10);
    /// ```
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
///
/// ```
/// use abreast_simd::{Level, Words, WordsIsa, dispatch};
///
/// #[inline(always)]
/// fn blocks_of_eight_bytes<I: WordsIsa>(_: I) -> usize {
///     I::Words::BYTES / 8
/// }
/// // From least to most: a level never has narrower vectors than the one before.
/// let widths = Level::detect_all().map(|level| dispatch!(level, isa => blocks_of_eight_bytes(isa)));
/// assert!(widths.is_sorted());
/// ```
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
///
/// Operators and shifts work on each lane alone. The examples of the methods use [`Words4`](crate::portable::Words4), a single
/// row that needs no detection:
///
/// ```
/// use abreast_simd::portable::{Portable, Words4};
/// use abreast_simd::{Word, Words};
///
/// fn words(vector: Words4) -> [u32; 4] {
///     let mut words = [[0; 4]; 4];
///     vector.store(words.as_flattened_mut());
///     words.map(u32::from_le_bytes)
/// }
///
/// let x = Words4::load(Portable, [0_u32, 1, 0x8000_0000, u32::MAX].map(u32::to_le_bytes).as_flattened());
/// let one = Words4::splat(Portable, 1);
/// // Sums and differences wrap: no carry or borrow reaches the next lane.
/// assert_eq!(words(x + one), [1, 2, 0x8000_0001, 0]);
/// assert_eq!(words(x - one), [u32::MAX, 0, 0x7fff_ffff, u32::MAX - 1]);
/// assert_eq!(words(!x), [u32::MAX, u32::MAX - 1, 0x7fff_ffff, 0]);
/// assert_eq!(words((x | one) ^ (x & one)), [1, 0, 0x8000_0001, u32::MAX - 1]);
/// assert_eq!(words(x.rotl(1)), [0, 2, 1, u32::MAX]);
/// assert_eq!(words(x.shl(1)), [0, 2, 0, u32::MAX - 1]);
/// assert_eq!(words(x.shr(1)), [0, 0, 0x4000_0000, 0x7fff_ffff]);
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

    /// Fills every lane with `x`.
    ///
    /// ```
    /// use abreast_simd::Words;
    /// use abreast_simd::portable::{Portable, Words4};
    ///
    /// let mut bytes = [0; 16];
    /// Words4::splat(Portable, u32::from_le_bytes(*b"abcd")).store(&mut bytes);
    /// assert_eq!(&bytes, b"abcdabcdabcdabcd");
    /// ```
    fn splat(isa: Self::Isa, x: u32) -> Self;
    /// Fills every row of four lanes with the same sixteen bytes.
    ///
    /// ```
    /// use abreast_simd::{Level, Words, WordsIsa, dispatch};
    ///
    /// #[inline(always)]
    /// fn rows<I: WordsIsa>(isa: I) -> Vec<u8> {
    ///     let mut bytes = vec![0; I::Words::BYTES];
    ///     I::Words::splat_row(isa, b"four lanes a row").store(&mut bytes);
    ///     bytes
    /// }
    /// for level in Level::detect_all() {
    ///     let bytes = dispatch!(level, isa => rows(isa));
    ///     assert!(bytes.chunks(16).all(|row| row == b"four lanes a row"));
    /// }
    /// ```
    fn splat_row(isa: Self::Isa, row: &[u8; 16]) -> Self;
    /// Fills row `i`, counted from 0, with the sixteen bytes of `row(i)`.
    ///
    /// ```
    /// use abreast_simd::{Level, Words, WordsIsa, dispatch};
    ///
    /// /// The last block of each of some messages, one in each row.
    /// #[inline(always)]
    /// fn last_blocks<I: WordsIsa>(isa: I, messages: &[[[u8; 16]; 3]; 4]) -> Vec<u8> {
    ///     let mut bytes = vec![0; I::Words::BYTES];
    ///     I::Words::gather(isa, |i| &messages[i][2]).store(&mut bytes);
    ///     bytes
    /// }
    /// let messages = [b'a', b'b', b'c', b'd'].map(|letter| [[0; 16], [0; 16], [letter; 16]]);
    /// for level in Level::detect_all() {
    ///     let bytes = dispatch!(level, isa => last_blocks(isa, &messages));
    ///     assert!(bytes.chunks(16).zip(messages).all(|(row, message)| row == message[2]));
    /// }
    /// ```
    fn gather<'b>(isa: Self::Isa, row: impl Fn(usize) -> &'b [u8; 16]) -> Self;
    /// Loads the words from [`BYTES`](Self::BYTES) bytes, at any address.
    ///
    /// ```
    /// use abreast_simd::Words;
    /// use abreast_simd::portable::{Portable, Words4};
    ///
    /// // Little-endian: 255 and 1, 255, 0 and 65535.
    /// let mut data = [255, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0];
    /// (Words4::load(Portable, &data) + Words4::splat(Portable, 1)).store(&mut data);
    /// assert_eq!(data, [0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0]);
    /// ```
    ///
    /// # Panics
    /// If `src` has another length.
    fn load(isa: Self::Isa, src: &[u8]) -> Self;
    /// Stores the words in [`BYTES`](Self::BYTES) bytes, at any address; see [`load`](Self::load).
    ///
    /// # Panics
    /// If `dst` has another length.
    fn store(self, dst: &mut [u8]);
    /// Loads words from at most [`BYTES`](Self::BYTES) bytes; the rest is zero. Nothing beyond `src` is read.
    ///
    /// ```
    /// use abreast_simd::Words;
    /// use abreast_simd::portable::{Portable, Words4};
    ///
    /// let mut bytes = [b'-'; 16];
    /// Words4::load_partial(Portable, b"a part").store(&mut bytes);
    /// assert_eq!(&bytes, b"a part\0\0\0\0\0\0\0\0\0\0");
    /// ```
    ///
    /// # Panics
    /// If `src` is longer.
    fn load_partial(isa: Self::Isa, src: &[u8]) -> Self;
    /// Stores the first bytes in `dst`, which has at most [`BYTES`](Self::BYTES). Nothing beyond `dst` is written.
    ///
    /// ```
    /// use abreast_simd::Words;
    /// use abreast_simd::portable::{Portable, Words4};
    ///
    /// let mut text = *b"nine were here";
    /// Words4::splat(Portable, u32::from_le_bytes(*b"sevn")).store_partial(&mut text[..5]);
    /// assert_eq!(&text, b"sevnswere here");
    /// ```
    ///
    /// # Panics
    /// If `dst` is longer.
    fn store_partial(self, dst: &mut [u8]);

    /// Shifts every lane right by `n < 32` bits: zeros enter at the top, as in `u32`.
    ///
    /// ```
    /// use abreast_simd::Words;
    /// use abreast_simd::portable::{Portable, Words4};
    ///
    /// let mut word = [0; 4];
    /// Words4::splat(Portable, 0x8000_0001).shr(4).store_partial(&mut word);
    /// assert_eq!(u32::from_le_bytes(word), 0x0800_0000);
    /// ```
    fn shr(self, n: u32) -> Self;
    /// Computes any function of three bits: bit `4a + 2b + c` of `TABLE` is its value at `(a, b, c)`.
    ///
    /// `TABLE` is the function of the three constants that stand for the operands:
    ///
    /// ```
    /// use abreast_simd::Words;
    /// use abreast_simd::portable::{Portable, Words4};
    ///
    /// const A: i32 = 0b1111_0000;
    /// const B: i32 = 0b1100_1100;
    /// const C: i32 = 0b1010_1010;
    /// /// Takes a bit from `b` if that of `a` is set, otherwise from `c`.
    /// const CHOOSE: i32 = A & B | !A & C;
    ///
    /// let [a, b, c] = [0xffff_0000, 0x1234_5678, 0x9abc_def0].map(|x| Words4::splat(Portable, x));
    /// let mut word = [0; 4];
    /// Words::ternary::<CHOOSE>(a, b, c).store_partial(&mut word);
    /// assert_eq!((CHOOSE, u32::from_le_bytes(word)), (0xca, 0x1234_def0));
    /// ```
    fn ternary<const TABLE: i32>(a: Self, b: Self, c: Self) -> Self;
    /// Reverses the bytes of every lane, as for big-endian words.
    ///
    /// ```
    /// use abreast_simd::Words;
    /// use abreast_simd::portable::{Portable, Words4};
    ///
    /// let mut bytes = *b"0123456789abcdef";
    /// Words4::load(Portable, &bytes).swap_bytes().store(&mut bytes);
    /// assert_eq!(&bytes, b"32107654ba98fedc");
    /// ```
    fn swap_bytes(self) -> Self;
    /// Moves bytes within every row of 16: byte `i` becomes what byte `pattern[i]` was; entries are below 16.
    ///
    /// A pattern tells each place its source, so an entry may come twice, and others not at all:
    ///
    /// ```
    /// use abreast_simd::Words;
    /// use abreast_simd::portable::{Portable, Words4};
    ///
    /// let mut bytes = *b"shuffle it, now!";
    /// let pattern = [8, 9, 7, 0, 1, 2, 3, 4, 5, 6, 15, 15, 15, 15, 15, 15];
    /// Words4::load(Portable, &bytes).shuffle_bytes(pattern).store(&mut bytes);
    /// assert_eq!(&bytes, b"it shuffle!!!!!!");
    /// ```
    fn shuffle_bytes(self, pattern: [u8; 16]) -> Self;
    /// Looks up every byte in a table: `n < 16` becomes byte `n` of the table, and `n >= 0x80` becomes 0; there must be no
    /// other bytes. The time does not depend on the bytes.
    ///
    /// Here the vector holds the indices; in [`shuffle_bytes`](Self::shuffle_bytes) it holds the bytes that move:
    ///
    /// ```
    /// use abreast_simd::Words;
    /// use abreast_simd::portable::{Portable, Words4};
    ///
    /// let mut digits = [0xa, 0xb, 0xe, 0x5, 0x80, 0xff, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    /// Words4::load(Portable, &digits).lookup(b"0123456789abcdef").store(&mut digits);
    /// assert_eq!(&digits, b"abe5\0\00123456789");
    /// ```
    fn lookup(self, table: &[u8; 16]) -> Self;
    /// Rotates every row as a 4 x 4 matrix of bytes, one lane a row of the matrix: its element at `(row, column)`
    /// becomes what was at `(row + rows, column + columns)`, counted modulo four.
    ///
    /// Rows move up, and columns to the left:
    ///
    /// ```
    /// use abreast_simd::Words;
    /// use abreast_simd::portable::{Portable, Words4};
    ///
    /// let matrix = Words4::load(Portable, b"abcdefghijklmnop");
    /// let mut bytes = [0; 16];
    /// matrix.rotate_bytes(1, 0).store(&mut bytes);
    /// assert_eq!(&bytes, b"efghijklmnopabcd");
    /// matrix.rotate_bytes(0, 1).store(&mut bytes);
    /// assert_eq!(&bytes, b"bcdafghejklinopm");
    /// ```
    fn rotate_bytes(self, rows: usize, columns: usize) -> Self;
    /// Transposes every row as a 4 x 4 matrix of bytes.
    ///
    /// ```
    /// use abreast_simd::Words;
    /// use abreast_simd::portable::{Portable, Words4};
    ///
    /// let mut bytes = *b"abcdefghijklmnop";
    /// Words4::load(Portable, &bytes).transpose_bytes().store(&mut bytes);
    /// assert_eq!(&bytes, b"aeimbfjncgkodhlp");
    /// ```
    fn transpose_bytes(self) -> Self;
    /// Separates pairs of words: returns the first words of all pairs, and the second ones, row by row.
    ///
    /// ```
    /// use abreast_simd::Words;
    /// use abreast_simd::portable::{Portable, Words4};
    ///
    /// // Four blocks of eight bytes to two vectors of halves, and back.
    /// let a = Words4::load(Portable, b"a.0 a.1 b.0 b.1 ");
    /// let b = Words4::load(Portable, b"c.0 c.1 d.0 d.1 ");
    /// let (firsts, seconds) = Words::unzip(a, b);
    /// let mut rows = [[0; 16]; 2];
    /// firsts.store(&mut rows[0]);
    /// seconds.store(&mut rows[1]);
    /// assert_eq!(rows, [*b"a.0 b.0 c.0 d.0 ", *b"a.1 b.1 c.1 d.1 "]);
    ///
    /// let (a, b) = Words::zip(firsts, seconds);
    /// a.store(&mut rows[0]);
    /// b.store(&mut rows[1]);
    /// assert_eq!(rows, [*b"a.0 a.1 b.0 b.1 ", *b"c.0 c.1 d.0 d.1 "]);
    /// ```
    fn unzip(a: Self, b: Self) -> (Self, Self);
    /// Joins words to pairs, row by row: undoes [`unzip`](Self::unzip), whose example shows both.
    fn zip(a: Self, b: Self) -> (Self, Self);
    /// Transposes, in every row, the 4 x 4 matrix of words that four vectors make.
    ///
    /// ```
    /// use abreast_simd::Words;
    /// use abreast_simd::portable::{Portable, Words4};
    ///
    /// // From a block in each vector to a vector for each word of all blocks.
    /// let blocks = [b"a.0 a.1 a.2 a.3 ", b"b.0 b.1 b.2 b.3 ", b"c.0 c.1 c.2 c.3 ", b"d.0 d.1 d.2 d.3 "];
    /// let words = Words::transpose(blocks.map(|block| Words4::load(Portable, block)));
    /// let mut bytes = [0; 16];
    /// words[2].store(&mut bytes);
    /// assert_eq!(&bytes, b"a.2 b.2 c.2 d.2 ");
    /// ```
    fn transpose(x: [Self; 4]) -> [Self; 4];
    /// Returns the last `bytes`, 8 or 16, of `before`, and after them all of this vector but its last `bytes`:
    /// where this one holds blocks of that size, the block before each.
    ///
    /// ```
    /// use abreast_simd::Words;
    /// use abreast_simd::portable::{Portable, Words4};
    ///
    /// // The ciphertext in front of each block of eight bytes, as decryption in CBC mode needs it.
    /// let before = Words4::load(Portable, b"block 0 block 1 ");
    /// let these = Words4::load(Portable, b"block 2 block 3 ");
    /// let mut bytes = [0; 16];
    /// these.shift_in(before, 8).store(&mut bytes);
    /// assert_eq!(&bytes, b"block 1 block 2 ");
    /// // A vector of a single row is one block of sixteen bytes.
    /// these.shift_in(before, 16).store(&mut bytes);
    /// assert_eq!(&bytes, b"block 0 block 1 ");
    /// ```
    fn shift_in(self, before: Self, bytes: usize) -> Self;

    /// Multiplies every row, a little-endian polynomial over GF(2), by `x^n` modulo `x^128 + x^7 + x^2 + x + 1`,
    /// `0 < n <= 24`: the field of XTS, CMAC and EAX (NIST SP 800-38B, section 5.3).
    ///
    /// ```
    /// use abreast_simd::Words;
    /// use abreast_simd::portable::{Portable, Words4};
    ///
    /// // x^127 times x is x^128, which is x^7 + x^2 + x + 1.
    /// let mut tweak = (1_u128 << 127).to_le_bytes();
    /// Words4::load(Portable, &tweak).times_x(Portable, 1).store(&mut tweak);
    /// assert_eq!(u128::from_le_bytes(tweak), 0b1000_0111);
    /// ```
    #[inline(always)]
    fn times_x(self, isa: Self::Isa, n: u32) -> Self {
        // The bits that leave a lane enter the next one, and from the last the first, where they are reduced.
        let carries = self.shr(32 - n).rotate_bytes(3, 0);
        let out = carries & Self::splat_row(isa, &FIRST_LANE);
        self.shl(n) ^ carries ^ out.shl(1) ^ out.shl(2) ^ out.shl(7)
    }
    /// Multiplies row `i` by `x^i` in the field of [`times_x`](Self::times_x).
    ///
    /// ```
    /// use abreast_simd::{Level, Words, WordsIsa, dispatch};
    ///
    /// /// The tweaks of the first blocks of an XTS unit, from its encrypted number.
    /// #[inline(always)]
    /// fn tweaks<I: WordsIsa>(isa: I, number: &[u8; 16]) -> Vec<u8> {
    ///     let mut bytes = vec![0; I::Words::BYTES];
    ///     I::Words::splat_row(isa, number).times_powers_of_x(isa).store(&mut bytes);
    ///     bytes
    /// }
    /// for level in Level::detect_all() {
    ///     let bytes = dispatch!(level, isa => tweaks(isa, &5_u128.to_le_bytes()));
    ///     for (i, row) in bytes.as_chunks().0.iter().enumerate() {
    ///         assert_eq!(u128::from_le_bytes(*row), 5 << i);
    ///     }
    /// }
    /// ```
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
