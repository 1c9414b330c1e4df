//! What AEZ makes of a key.

use blake2::digest::consts::U48;
use blake2::{Blake2b, Digest};
use zeroize::Zeroize;

/// A block as a big-endian number, times `x` in GF(2^128) (paper, section 3, "doubling").
const fn doubled(block: u128) -> u128 {
    // The top bit as a mask, and not as a branch.
    block << 1 ^ (0x87 & (block >> 127).wrapping_neg())
}

/// The sum of doublings that the bits of `n` ask for.
pub(super) const fn times(mut block: u128, mut n: u128) -> u128 {
    let mut product = 0;
    while n != 0 {
        if n & 1 == 1 {
            product ^= block;
        }
        block = doubled(block);
        n >>= 1;
    }
    product
}

/// Eight times the double of the one before, beginning behind `block`, each with `j` added. Gives the last
/// without it.
#[inline(always)]
pub(super) fn octets(mut block: u128, j: u128, octets: &mut [[u8; 16]; 8]) -> u128 {
    for octet in octets {
        block = doubled(block);
        *octet = (block ^ j).to_be_bytes();
    }
    block
}

/// The subkeys I, J and L (paper, section 4, "Extract") and what is always made of them.
///
/// The tweaks (j, i) of AEZ add j J, a power of two times I, and the multiple i mod 8 of L. So the offsets of
/// tweaks i from 8 k + 1 to 8 k + 8 are one *octet*: the multiples 1, 2, .., 7, 0 of L, with j J and 2^(k+1) I.
#[repr(C, align(64))] // What is used together is on the same cache lines.
pub(super) struct Subkeys {
    pub(super) i: [u8; 16],
    pub(super) j: [u8; 16],
    pub(super) l: [u8; 16],
    /// The hash of a tag length of 16 bytes, which begins every hash with such a tag.
    pub(super) tag_16: [u8; 16],
    /// The multiples 1, 2, .., 7, 0 of L.
    pub(super) multiples: [[u8; 16]; 8],
    /// J with 2 I, 4 I, .., 256 I: what the first octets have in common where j is 1.
    pub(super) octets: [[u8; 16]; 8],
    /// The offsets of the tweaks (0, 1), (0, 2), .., (0, 7).
    pub(super) offsets: [[u8; 16]; 7],
    /// The multiple of J by 3, the difference of j = 1 and j = 2.
    pub(super) j_3: [u8; 16],
    /// What the nonce has.
    pub(super) nonce: StringOffsets,
    /// What the first string of associated data has.
    pub(super) data: StringOffsets,
}

/// The offsets of a string that is hashed.
pub(super) struct StringOffsets {
    /// What all have in common, the multiple of J.
    pub(super) j: [u8; 16],
    /// That of the tweak (j, 0), for a part of a block, or nothing.
    pub(super) part: [u8; 16],
    /// That of the tweak (j, 1), for the first block.
    pub(super) whole: [u8; 16],
}

impl StringOffsets {
    const ZERO: Self = Self { j: [0; 16], part: [0; 16], whole: [0; 16] };
}

impl Subkeys {
    /// From a key of any length: one of 48 bytes is I, J and L; of any other they are a hash.
    pub(super) fn new(key: &[u8]) -> Self {
        let mut subkeys = Self {
            i: [0; 16],
            j: [0; 16],
            l: [0; 16],
            tag_16: [0; 16],
            multiples: [[0; 16]; 8],
            octets: [[0; 16]; 8],
            offsets: [[0; 16]; 7],
            j_3: [0; 16],
            nonce: StringOffsets::ZERO,
            data: StringOffsets::ZERO,
        };
        if let Ok(key) = <&[u8; 48]>::try_from(key) {
            subkeys.set(key);
        } else {
            let mut key = Blake2b::<U48>::digest(key);
            subkeys.set(key.as_ref());
            key.zeroize();
        }
        subkeys
    }

    fn set(&mut self, key: &[u8; 48]) {
        [self.i, self.j, self.l] = [0, 1, 2].map(|n| key.as_chunks().0[n]);
        let [i, j, l] = [self.i, self.j, self.l].map(u128::from_be_bytes);
        let i_2 = times(i, 2);
        for (n, multiple) in (1..8).zip(&mut self.multiples) {
            *multiple = times(l, n).to_be_bytes();
        }
        for (offset, multiple) in self.offsets.iter_mut().zip(&self.multiples) {
            *offset = (i_2 ^ u128::from_be_bytes(*multiple)).to_be_bytes();
        }
        octets(i, j, &mut self.octets);
        self.j_3 = times(j, 3).to_be_bytes();
        (self.nonce, self.data) = (self.string(4), self.string(5));
    }

    /// The last of the first octets, without J.
    pub(super) fn last_octet(&self) -> u128 {
        u128::from_be_bytes(self.octets[7]) ^ u128::from_be_bytes(self.j)
    }

    /// The offsets of a string.
    pub(super) fn string(&self, j: u128) -> StringOffsets {
        let j = times(u128::from_be_bytes(self.j), j);
        let with = |block: [u8; 16]| (j ^ u128::from_be_bytes(block)).to_be_bytes();
        StringOffsets { j: with([0; 16]), part: with(self.i), whole: with(self.offsets[0]) }
    }
}

impl Drop for StringOffsets {
    fn drop(&mut self) {
        for block in [&mut self.j, &mut self.part, &mut self.whole] {
            block.zeroize();
        }
    }
}

impl Drop for Subkeys {
    fn drop(&mut self) {
        for block in [&mut self.i, &mut self.j, &mut self.l, &mut self.tag_16, &mut self.j_3] {
            block.zeroize();
        }
        self.multiples.zeroize();
        self.octets.zeroize();
        self.offsets.zeroize();
    }
}
