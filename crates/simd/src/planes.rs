//! Bit planes: what bit-sliced AES computes on.
//!
//! A plane holds one bit of every byte of a few blocks. Circuits combine planes by gates; `ShiftRows` and `MixColumns` move
//! bytes within them. A vector of words is a plane by itself. Where there are no vectors, ciphers over words compute on
//! registers of 32 bits, but a gate on 64 bits does twice as much: [`Plane64x2`] is two registers of these.

use crate::Words;
use crate::inlined::{Flat, Zipped};
use crate::portable::{Portable, Words4};
use core::ops::{BitAnd, BitXor};

/// The operands of a circuit: the bits of a register.
pub trait Gates: Copy + BitXor<Output = Self> + BitAnd<Output = Self> {}
impl<T: Copy + BitXor<Output = T> + BitAnd<Output = T>> Gates for T {}

/// A circuit over the eight bits of bytes.
pub trait Circuit: Copy {
    /// Eight bits of each byte to eight others, the lowest first.
    fn apply<G: Gates>(self, bits: [G; 8]) -> [G; 8];
}

/// One bit of every byte of as many blocks as eight registers hold.
///
/// Rows of 16 bytes are as in [`Words`]: a row is a 4 x 4 matrix, and four bytes one after the other are a row of the matrix.
pub trait Plane: Gates {
    /// The instruction set that the plane proves.
    type Isa: Copy;
    /// The vector of words that has the same bits.
    type Words: Copy;
    /// The registers of the CPU that it takes.
    const REGISTERS: usize;

    /// Runs `work` on words as planes: they become planes before it, and words again after it.
    fn with<const N: usize>(words: &mut [[Self::Words; 8]; N], work: impl FnOnce(&mut [[Self; 8]; N]));
    /// Sixteen bytes in every row.
    fn splat_row(isa: Self::Isa, row: &[u8; 16]) -> Self;
    /// Exchanges in every byte the bits of `x` that are under `mask << shift` with those of `y` under `mask`. No bit of
    /// `mask << shift` is beyond the byte.
    fn swap_bits(isa: Self::Isa, mask: u8, shift: u32, x: Self, y: Self) -> (Self, Self);
    /// See [`Words::rotate_bytes`].
    fn rotate_bytes(self, rows: usize, columns: usize) -> Self;
    /// See [`Words::transpose_bytes`].
    fn transpose_bytes(self) -> Self;
    /// The outputs of a circuit for eight planes. A plane of several registers goes through the circuit one register after the
    /// other: a CPU without vectors has too few for the intermediate results of all at once.
    fn apply(circuit: impl Circuit, planes: [Self; 8]) -> [Self; 8];
}

impl<W: Words> Plane for W {
    type Isa = W::Isa;
    type Words = Self;
    const REGISTERS: usize = 1;

    #[inline(always)]
    fn with<const N: usize>(words: &mut [[Self; 8]; N], work: impl FnOnce(&mut [[Self; 8]; N])) {
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

/// A plane of one row in two general registers: rows 0 and 1 of the matrix, and rows 2 and 3, both read little-endian.
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

/// [`Plane::swap_bits`] with masks of a register, of whose bits under `mask << shift` none is lost.
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

/// Both halves of a register, each rotated right by `bytes`, 0 to 3.
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
    fn with<const N: usize>(words: &mut [[Words4; 8]; N], work: impl FnOnce(&mut [[Self; 8]; N])) {
        let mut planes = [[Self([0; 2]); 8]; N];
        let pairs = planes.flat_mut().iter_mut().zipped(words.flat());
        for (Self([x, y]), words) in pairs {
            let [a, b, c, d] = words.to_array();
            *x = u64::from(a) | u64::from(b) << 32;
            *y = u64::from(c) | u64::from(d) << 32;
        }
        work(&mut planes);
        let pairs = planes.flat().iter().zipped(words.flat_mut());
        for (Self([x, y]), words) in pairs {
            *words = Words4::from_array([*x as u32, (x >> 32) as u32, *y as u32, (y >> 32) as u32]);
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
