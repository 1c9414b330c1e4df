//! The instruction set that every CPU has, in plain Rust: the model that the others are tested
//! against, and what runs where nothing better is known.

use crate::blocks::{Blocks, Places};
use crate::clmul::Clmul;
use crate::inlined::{CopyFrom, Zipped};
use crate::isa::{CompiledFor, Isa, sealed::Sealed};
use crate::partial;
use crate::planes::{Circuit, Plane};
use crate::words::{Word, Words, WordsIsa};
use core::ops::{Add, BitAnd, BitOr, BitXor, Not, Sub};

/// No instructions beyond those of the target's baseline; anybody may have the token.
///
/// ```
/// use abreast_simd::portable::{Portable, Words4};
/// use abreast_simd::{Level, Words, WordsIsa, dispatch};
///
/// #[inline(always)]
/// fn shuffled<W: Words>(isa: W::Isa, row: &[u8; 16]) -> [u8; 16] {
///     let (mut bytes, words) = ([0; 16], W::splat_row(isa, row));
///     words.rotate_bytes(1, 2).store_partial(&mut bytes);
///     bytes
/// }
/// #[inline(always)]
/// fn shuffled_at<I: WordsIsa>(isa: I, row: &[u8; 16]) -> [u8; 16] {
///     shuffled::<I::Words>(isa, row)
/// }
/// // The model that other sets are compared with.
/// let model = shuffled::<Words4>(Portable, b"abcdefghijklmnop");
/// for level in Level::detect_all() {
///     assert_eq!(dispatch!(level, isa => shuffled_at(isa, b"abcdefghijklmnop")), model, "{level:?}");
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Portable;

impl Portable {
    /// Returns the token: as with the other sets, but always there.
    ///
    /// ```
    /// use abreast_simd::portable::Portable;
    ///
    /// assert_eq!(Portable::detect(), Some(Portable));
    /// ```
    #[must_use]
    pub fn detect() -> Option<Self> {
        Some(Self)
    }
}

impl Sealed for Portable {}

impl Isa for Portable {
    #[inline(always)]
    fn run<R>(self, f: impl FnOnce() -> R) -> R {
        // SAFETY: every CPU has the instruction set.
        unsafe { CompiledFor::<Self, R>::run(f) }
    }
}

impl<R, F: FnOnce() -> R> CompiledFor<Portable, R> for F {
    #[inline(never)]
    unsafe fn run(self) -> R {
        self()
    }
}

impl WordsIsa for Portable {
    type Words = Words4;
}

/// Four words in plain registers; the compiler vectorises them with what the target has.
///
/// ```
/// use abreast_simd::Words;
/// use abreast_simd::portable::{Portable, Words4};
///
/// let mut row = *b"0123456789abcdef";
/// (Words4::load(Portable, &row) + Words4::splat(Portable, 1)).store(&mut row);
/// assert_eq!(&row, b"1123556799abddef");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Words4([u32; 4]);

impl Words4 {
    #[inline(always)]
    fn map(self, f: impl Fn(u32) -> u32) -> Self {
        let Self([a, b, c, d]) = self;
        Self([f(a), f(b), f(c), f(d)])
    }

    #[inline(always)]
    fn zip_with(self, other: Self, f: impl Fn(u32, u32) -> u32) -> Self {
        let (Self([a, b, c, d]), Self([w, x, y, z])) = (self, other);
        Self([f(a, w), f(b, x), f(c, y), f(d, z)])
    }

    #[inline(always)]
    const fn to_array(self) -> [u32; 4] {
        self.0
    }

    #[inline(always)]
    const fn from_array(words: [u32; 4]) -> Self {
        Self(words)
    }

    #[inline(always)]
    fn to_bytes(self) -> [u8; 16] {
        SoftBlock::from_words(self.0).0.to_le_bytes()
    }

    #[inline(always)]
    fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(SoftBlock(u128::from_le_bytes(bytes)).words())
    }
}

impl Add for Words4 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip_with(other, u32::wrapping_add)
    }
}

impl Sub for Words4 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip_with(other, u32::wrapping_sub)
    }
}

impl BitXor for Words4 {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        self.zip_with(other, |a, b| a ^ b)
    }
}

impl BitAnd for Words4 {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        self.zip_with(other, |a, b| a & b)
    }
}

impl BitOr for Words4 {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        self.zip_with(other, |a, b| a | b)
    }
}

impl Not for Words4 {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        self.map(|a| !a)
    }
}

impl Word for Words4 {
    #[inline(always)]
    fn rotl(self, n: u32) -> Self {
        self.map(|x| x.rotate_left(n))
    }
    #[inline(always)]
    fn shl(self, n: u32) -> Self {
        self.map(|x| x << n)
    }
}

impl Words for Words4 {
    type Isa = Portable;
    type Plane = Plane64x2;
    const LANES: usize = 4;
    const TERNARY: bool = false;
    const LOOKUP: bool = false;

    #[inline(always)]
    fn splat(_: Portable, x: u32) -> Self {
        Self([x; 4])
    }
    #[inline(always)]
    fn splat_row(_: Portable, row: &[u8; 16]) -> Self {
        Self::from_bytes(*row)
    }
    #[inline(always)]
    fn gather<'b>(isa: Portable, row: impl Fn(usize) -> &'b [u8; 16]) -> Self {
        Words::splat_row(isa, row(0))
    }
    #[inline(always)]
    fn load(_: Portable, src: &[u8]) -> Self {
        Self::from_bytes(exactly(src))
    }
    #[inline(always)]
    fn store(self, dst: &mut [u8]) {
        dst.copy_from(&self.to_bytes());
    }
    #[inline(always)]
    fn load_partial(_: Portable, src: &[u8]) -> Self {
        Self(SoftBlock(partial::read(src)).words())
    }
    #[inline(always)]
    fn store_partial(self, dst: &mut [u8]) {
        partial::write(SoftBlock::from_words(self.0).0, dst);
    }
    #[inline(always)]
    fn shr(self, n: u32) -> Self {
        self.map(|x| x >> n)
    }
    #[inline(always)]
    fn ternary<const TABLE: i32>(a: Self, b: Self, c: Self) -> Self {
        ternary_by_parts::<TABLE, Self>(a, b, c)
    }
    #[inline(always)]
    fn swap_bytes(self) -> Self {
        self.map(u32::swap_bytes)
    }
    #[inline(always)]
    fn shuffle_bytes(self, pattern: [u8; 16]) -> Self {
        Self::from_bytes(shuffled(self.to_bytes(), pattern))
    }
    #[inline(always)]
    fn lookup(self, table: &[u8; 16]) -> Self {
        Self::from_bytes(looked_up(self.to_bytes(), table))
    }
    #[inline(always)]
    fn rotate_bytes(self, rows: usize, columns: usize) -> Self {
        let Self(x) = self;
        Self([x[rows & 3], x[(rows + 1) & 3], x[(rows + 2) & 3], x[(rows + 3) & 3]])
            .map(|x| x.rotate_right(8 * columns as u32))
    }
    #[inline(always)]
    fn transpose_bytes(self) -> Self {
        self.shuffle_bytes(TRANSPOSED)
    }
    #[inline(always)]
    fn unzip(Self(a): Self, Self(b): Self) -> (Self, Self) {
        (Self([a[0], a[2], b[0], b[2]]), Self([a[1], a[3], b[1], b[3]]))
    }
    #[inline(always)]
    fn zip(Self(a): Self, Self(b): Self) -> (Self, Self) {
        (Self([a[0], b[0], a[1], b[1]]), Self([a[2], b[2], a[3], b[3]]))
    }
    #[inline(always)]
    fn transpose([Self(a), Self(b), Self(c), Self(d)]: [Self; 4]) -> [Self; 4] {
        [
            Self([a[0], b[0], c[0], d[0]]),
            Self([a[1], b[1], c[1], d[1]]),
            Self([a[2], b[2], c[2], d[2]]),
            Self([a[3], b[3], c[3], d[3]]),
        ]
    }
    #[inline(always)]
    fn shift_in(self, before: Self, bytes: usize) -> Self {
        let (Self(a), Self(b)) = (self, before);
        if bytes == 16 { before } else { Self([b[2], b[3], a[0], a[1]]) }
    }
}

/// A plane of one row in two general registers: rows 0 and 1 of the matrix, and rows 2 and 3, both read little-endian.
///
/// ```
/// use abreast_simd::planes::{Plane, Plane64x2};
/// use abreast_simd::portable::{Portable, Words4};
/// use abreast_simd::Words;
///
/// // Words become planes for as long as the closure runs.
/// let mut words = [[Words4::load(Portable, b"abcdefghijklmnop"); 8]];
/// Plane64x2::with(&mut words, |groups| {
///     for plane in groups.as_flattened_mut() {
///         *plane = plane.transpose_bytes();
///     }
/// });
/// let mut row = [0; 16];
/// words[0][7].store(&mut row);
/// assert_eq!(&row, b"aeimbfjncgkodhlp");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Plane64x2([u64; 2]);

impl BitXor for Plane64x2 {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        let (Self([a, b]), Self([x, y])) = (self, other);
        Self([a ^ x, b ^ y])
    }
}

impl BitAnd for Plane64x2 {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        let (Self([a, b]), Self([x, y])) = (self, other);
        Self([a & x, b & y])
    }
}

/// Swaps bits as [`Plane::swap_bits`] does, with masks of a register, of whose bits under `mask << shift` none is lost.
#[inline(always)]
const fn swap(mask: u64, shift: u32, x: u64, y: u64) -> (u64, u64) {
    let difference = (x >> shift ^ y) & mask;
    (x ^ difference << shift, y ^ difference)
}

/// Swaps bits within one register.
#[inline(always)]
const fn swap_within(mask: u64, shift: u32, x: u64) -> u64 {
    let difference = (x >> shift ^ x) & mask;
    x ^ difference ^ difference << shift
}

/// Rotates both halves of a register right by `bytes`, 0 to 3.
#[inline(always)]
const fn rotate_halves(x: u64, bytes: usize) -> u64 {
    if bytes == 0 {
        return x;
    }
    let bits = 8 * bytes as u32;
    let low = (u32::MAX >> bits) as u64;
    let kept = low | low << 32;
    (x >> bits & kept) | (x << (32 - bits) & !kept)
}

impl Plane for Plane64x2 {
    type Isa = Portable;
    type Words = Words4;
    const REGISTERS: usize = 2;

    #[inline(always)]
    fn with(words: &mut [[Words4; 8]], work: impl Fn(&mut [[Self; 8]])) {
        for words in words {
            let mut planes = [Self([0; 2]); 8];
            for (Self([x, y]), words) in planes.iter_mut().zipped(&*words) {
                let [a, b, c, d] = words.to_array();
                *x = u64::from(a) | u64::from(b) << 32;
                *y = u64::from(c) | u64::from(d) << 32;
            }
            work(core::slice::from_mut(&mut planes));
            for (Self([x, y]), words) in planes.iter().zipped(words) {
                *words = Words4::from_array([*x as u32, (x >> 32) as u32, *y as u32, (y >> 32) as u32]);
            }
        }
    }
    #[inline(always)]
    fn splat_row(_: Portable, row: &[u8; 16]) -> Self {
        let row = u128::from_le_bytes(*row);
        Self([row as u64, (row >> 64) as u64])
    }
    #[inline(always)]
    fn swap_bits(_: Portable, mask: u8, shift: u32, Self([a, b]): Self, Self([x, y]): Self) -> (Self, Self) {
        let mask = u64::from_ne_bytes([mask; 8]);
        let ((a, x), (b, y)) = (swap(mask, shift, a, x), swap(mask, shift, b, y));
        (Self([a, b]), Self([x, y]))
    }
    #[inline(always)]
    fn rotate_bytes(self, rows: usize, columns: usize) -> Self {
        let Self([x, y]) = self;
        let [x, y] = match rows & 3 {
            0 => [x, y],
            1 => [x >> 32 | y << 32, y >> 32 | x << 32],
            2 => [y, x],
            _ => [y >> 32 | x << 32, x >> 32 | y << 32],
        };
        Self([rotate_halves(x, columns & 3), rotate_halves(y, columns & 3)])
    }
    #[inline(always)]
    fn transpose_bytes(self) -> Self {
        // The matrix of 2 x 2 blocks transposed, and each of these.
        let Self([x, y]) = self;
        let (x, y) = swap(0x0000_ffff_0000_ffff, 16, x, y);
        let each = |x| swap_within(0x0000_0000_ff00_ff00, 24, x);
        Self([each(x), each(y)])
    }
    #[inline(always)]
    fn apply(circuit: impl Circuit, planes: [Self; 8]) -> [Self; 8] {
        let (mut first, mut second) = ([0; 8], [0; 8]);
        for (i, Self([x, y])) in planes.into_iter().enumerate() {
            (first[i], second[i]) = (x, y);
        }
        (first, second) = (circuit.apply(first), circuit.apply(second));
        let mut planes = planes;
        for (i, plane) in planes.iter_mut().enumerate() {
            *plane = Self([first[i], second[i]]);
        }
        planes
    }
}

/// The pattern with which [`Words::shuffle_bytes`] transposes a row.
pub(crate) const TRANSPOSED: [u8; 16] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];

/// Returns the pattern with which [`Words::shuffle_bytes`] does [`Words::rotate_bytes`].
#[inline(always)]
#[allow(dead_code, reason = "some targets have nothing but the portable set")]
pub(crate) const fn rotated(rows: usize, columns: usize) -> [u8; 16] {
    let mut pattern = [0; 16];
    let mut i = 0;
    while i < 16 {
        pattern[i] = (4 * ((i / 4 + rows) % 4) + (i + columns) % 4) as u8;
        i += 1;
    }
    pattern
}

/// Copies `src`, whose length the caller's contract fixes.
#[inline(always)]
pub(crate) fn exactly<const N: usize>(src: &[u8]) -> [u8; N] {
    let mut all = [0; N];
    all.copy_from(src);
    all
}

/// Returns the bytes of a row in another order.
#[inline(always)]
pub(crate) fn shuffled(bytes: [u8; 16], pattern: [u8; 16]) -> [u8; 16] {
    let mut out = [0; 16];
    let mut i = 0;
    while i < 16 {
        out[i] = bytes[(pattern[i] & 15) as usize];
        i += 1;
    }
    out
}

/// Looks up as [`Words::lookup`] does, on one row: every entry is read for every byte.
pub(crate) fn looked_up(indices: [u8; 16], table: &[u8; 16]) -> [u8; 16] {
    let mut out = [0; 16];
    for (out, index) in out.iter_mut().zipped(indices) {
        for (n, entry) in (0..).zipped(table) {
            // 255 if they are equal: the difference is the only one from which 1 borrows.
            *out |= entry & (u16::from(index ^ n).wrapping_sub(1) >> 8) as u8;
        }
    }
    out
}

/// Computes a function of three bits from operations on two, as the sum of the minterms in its table.
#[inline(always)]
#[allow(clippy::eq_op, reason = "zero, for which the vector itself is the token")]
pub(crate) fn ternary_by_parts<const TABLE: i32, W: Words>(a: W, b: W, c: W) -> W {
    let mut sum = a ^ a;
    let mut i = 0;
    while i < 8 {
        if TABLE >> i & 1 == 1 {
            let x = if i & 4 == 0 { !a } else { a };
            let y = if i & 2 == 0 { !b } else { b };
            let z = if i & 1 == 0 { !c } else { c };
            sum = sum | (x & y & z);
        }
        i += 1;
    }
    sum
}

/// One block as a little-endian number.
///
/// ```
/// use abreast_simd::Blocks;
/// use abreast_simd::portable::{Portable, SoftBlock};
///
/// // A tweak of XTS and the next.
/// let tweak = SoftBlock::splat(Portable, &(1_u128 << 64).to_le_bytes());
/// assert_eq!(u128::from_le_bytes(tweak.times_x(1).to_first()), 1 << 65);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SoftBlock(u128);

impl SoftBlock {
    #[inline(always)]
    fn words(self) -> [u32; 4] {
        [self.0 as u32, (self.0 >> 32) as u32, (self.0 >> 64) as u32, (self.0 >> 96) as u32]
    }

    #[inline(always)]
    fn from_words([a, b, c, d]: [u32; 4]) -> Self {
        Self(u128::from(a) | u128::from(b) << 32 | u128::from(c) << 64 | u128::from(d) << 96)
    }
}

impl BitXor for SoftBlock {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl BitAnd for SoftBlock {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl Blocks for SoftBlock {
    type Isa = Portable;
    const LANES: usize = 1;

    #[inline(always)]
    fn splat(_: Portable, block: &[u8; 16]) -> Self {
        Self(u128::from_le_bytes(*block))
    }
    #[inline(always)]
    fn first(_: Portable, block: &[u8; 16]) -> Self {
        Self(u128::from_le_bytes(*block))
    }
    #[inline(always)]
    fn to_first(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }
    #[inline(always)]
    fn load(_: Portable, src: &[u8]) -> Self {
        Self(u128::from_le_bytes(exactly(src)))
    }
    #[inline(always)]
    fn store(self, dst: &mut [u8]) {
        dst.copy_from(&self.0.to_le_bytes());
    }
    #[inline(always)]
    fn load_partial(_: Portable, src: &[u8]) -> Self {
        Self(partial::read(src))
    }
    #[inline(always)]
    fn store_partial(self, dst: &mut [u8]) {
        partial::write(self.0, dst);
    }
    #[inline(always)]
    fn reverse_bytes(self) -> Self {
        Self(self.0.swap_bytes())
    }
    #[inline(always)]
    fn add_words(self, other: Self) -> Self {
        Self::from_words((Words4(self.words()) + Words4(other.words())).0)
    }
    #[inline(always)]
    fn count(_: Portable, base: u32) -> Self {
        Self(base.into())
    }
    #[inline(always)]
    fn fold(self) -> Self {
        self
    }
    #[inline(always)]
    fn broadcast(self) -> Self {
        self
    }
    #[inline(always)]
    fn total(self) -> Self {
        self
    }
    #[inline(always)]
    fn unzip(a: Self, b: Self) -> (Self, Self) {
        (a, b)
    }
    #[inline(always)]
    fn zip(a: Self, b: Self) -> (Self, Self) {
        (a, b)
    }
    #[inline(always)]
    fn gather<'b>(isa: Portable, block: impl Fn(usize) -> &'b [u8; 16]) -> Self {
        Self::splat(isa, block(0))
    }
    #[inline(always)]
    fn gather_parts<'b>(isa: Portable, part: impl Fn(usize) -> &'b [u8]) -> Self {
        Self::load_partial(isa, part(0))
    }
    #[inline(always)]
    fn gather_pairs<'b>(isa: Portable, pair: impl Fn(usize) -> &'b [[u8; 16]; 2]) -> (Self, Self) {
        let [first, second] = pair(0);
        (Self::splat(isa, first), Self::splat(isa, second))
    }
    #[inline(always)]
    fn scatter(self, places: &mut impl Places<[u8; 16]>) {
        if let Some(place) = places.of(0) {
            *place = self.to_first();
        }
    }
    #[inline(always)]
    fn scatter_pairs(first: Self, second: Self, places: &mut impl Places<[[u8; 16]; 2]>) {
        if let Some(place) = places.of(0) {
            *place = [first.to_first(), second.to_first()];
        }
    }
    #[inline(always)]
    fn shift_in(self, before: Self) -> Self {
        before
    }
    #[inline(always)]
    fn times_x(self, n: u32) -> Self {
        let out = self.0 >> (128 - n);
        Self(self.0 << n ^ out ^ out << 1 ^ out << 2 ^ out << 7)
    }
}

impl Clmul for SoftBlock {
    const INSTRUCTIONS: bool = false;

    #[inline(always)]
    fn clmul_low(self, other: Self) -> Self {
        Self(clmul(self.0 as u64, other.0 as u64))
    }
    #[inline(always)]
    fn clmul_high(self, other: Self) -> Self {
        Self(clmul((self.0 >> 64) as u64, (other.0 >> 64) as u64))
    }
    #[inline(always)]
    fn swap_halves(self) -> Self {
        Self(self.0.rotate_left(64))
    }
}

/// Computes a carry-less product, in constant time wherever integer multiplication is.
///
/// The technique is Pornin's (BearSSL, `ghash_ctmul64`): of each operand every fourth bit is kept, so
/// that the up to sixteen terms of a column of an integer product carry into bits that are masked
/// away. A 64-bit product holds the low half; the high half is the low half of the product of the
/// bit-reversed operands. The topmost column has sixteen terms, and their carry leaves the word.
#[inline(always)]
fn clmul(a: u64, b: u64) -> u128 {
    let low = clmul_low_half(a, b);
    let high = clmul_low_half(a.reverse_bits(), b.reverse_bits()).reverse_bits() >> 1;
    u128::from(low) | u128::from(high) << 64
}

#[inline(always)]
fn clmul_low_half(a: u64, b: u64) -> u64 {
    const EVERY_FOURTH: u64 = 0x1111_1111_1111_1111;
    let (a0, b0) = (a & EVERY_FOURTH, b & EVERY_FOURTH);
    let (a1, b1) = (a & EVERY_FOURTH << 1, b & EVERY_FOURTH << 1);
    let (a2, b2) = (a & EVERY_FOURTH << 2, b & EVERY_FOURTH << 2);
    let (a3, b3) = (a & EVERY_FOURTH << 3, b & EVERY_FOURTH << 3);
    let column = |w: u64, x: u64, y: u64, z: u64, kept: u32| (w ^ x ^ y ^ z) & EVERY_FOURTH << kept;
    let times = u64::wrapping_mul;
    column(times(a0, b0), times(a1, b3), times(a2, b2), times(a3, b1), 0)
        | column(times(a0, b1), times(a1, b0), times(a2, b3), times(a3, b2), 1)
        | column(times(a0, b2), times(a1, b1), times(a2, b0), times(a3, b3), 2)
        | column(times(a0, b3), times(a1, b2), times(a2, b1), times(a3, b0), 3)
}
