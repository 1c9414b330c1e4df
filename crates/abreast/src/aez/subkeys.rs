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
#[repr(align(64))]
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
    /// The double of I.
    pub(super) i_2: [u8; 16],
    /// The multiple of J by 3, the difference of j = 1 and j = 2.
    pub(super) j_3: [u8; 16],
    /// Those by 4 and 5, for the nonce and the first string of associated data.
    pub(super) strings: [[u8; 16]; 2],
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
            i_2: [0; 16],
            j_3: [0; 16],
            strings: [[0; 16]; 2],
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
        let [i, j, l] = [0, 1, 2].map(|n| key.as_chunks().0[n]);
        (self.i, self.j, self.l) = (i, j, l);
        let l = u128::from_be_bytes(l);
        for (n, multiple) in (1..8).zip(&mut self.multiples) {
            *multiple = times(l, n).to_be_bytes();
        }
        let (i, j) = (u128::from_be_bytes(i), u128::from_be_bytes(j));
        octets(i, j, &mut self.octets);
        self.i_2 = times(i, 2).to_be_bytes();
        self.j_3 = self.times_j(3);
        self.strings = [4, 5].map(|n| self.times_j(n));
    }

    /// The last of the first octets, without J.
    pub(super) fn last_octet(&self) -> u128 {
        u128::from_be_bytes(self.octets[7]) ^ u128::from_be_bytes(self.j)
    }

    /// A multiple of J.
    pub(super) fn times_j(&self, n: u128) -> [u8; 16] {
        times(u128::from_be_bytes(self.j), n).to_be_bytes()
    }
}

impl Drop for Subkeys {
    fn drop(&mut self) {
        let blocks = [&mut self.i, &mut self.j, &mut self.l, &mut self.tag_16, &mut self.i_2, &mut self.j_3];
        for block in blocks {
            block.zeroize();
        }
        self.multiples.zeroize();
        self.octets.zeroize();
        self.strings.zeroize();
    }
}
