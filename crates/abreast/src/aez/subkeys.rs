//! The subkeys of AEZ.

use crate::gf128::times_x;
use crate::wipe::wipe;
use abreast_simd::inlined::Zipped;
use blake2::digest::consts::U48;
use blake2::{Blake2b, Digest};

/// The sum of doublings that the bits of `n` ask for.
pub(crate) const fn times(mut block: u128, mut n: u128) -> u128 {
    let mut product = 0;
    while n != 0 {
        if n & 1 == 1 {
            product ^= block;
        }
        block = times_x(block, 1);
        n >>= 1;
    }
    product
}

/// Eight times the double of the one before, beginning after `block`, each with `j` added. Gives the last
/// without it.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn octets(mut block: u128, j: u128, octets: &mut [[u8; 16]; 8]) -> u128 {
    for octet in octets {
        block = times_x(block, 1);
        *octet = (block ^ j).to_be_bytes();
    }
    block
}

/// The subkeys I, J and L (paper, section 4, "Extract") and the values that are always derived from them.
///
/// The tweaks (j, i) of AEZ add j J, a power of two times I, and the multiple i mod 8 of L. So the offsets of
/// tweaks i from 8 k + 1 to 8 k + 8 are one *octet*: the multiples 1, 2, .., 7, 0 of L, with j J and 2^(k+1) I.
#[repr(C, align(64))] // Fields that are used together share cache lines.
pub(crate) struct AezSubkeys {
    /// I and J.
    pub(crate) i_j: [[u8; 16]; 2],
    /// L, and the hash of a tag length of 16 bytes, which begins every hash with such a tag.
    pub(crate) l_tag: [[u8; 16]; 2],
    /// The multiples 1, 2, .., 7, 0 of L.
    pub(crate) multiples: [[u8; 16]; 8],
    /// J with 2 I, 4 I, .., 256 I: the common part of the first octets where j is 1.
    pub(crate) octets: [[u8; 16]; 8],
    /// The offsets of the tweaks (0, i) and (-1, i) for i from 1 to 7.
    pub(crate) tweaks: [[[u8; 16]; 2]; 7],
    /// The multiple of J by 3, the difference of j = 1 and j = 2.
    pub(crate) j_3: [u8; 16],
    /// E of padding alone with the tweak (0, 5), which is in the sums of most messages in whole blocks.
    pub(crate) padding: [u8; 16],
    /// The offset of the nonce.
    pub(crate) nonce: StringOffsets,
    /// The offset of the first string of associated data.
    pub(crate) data: StringOffsets,
}

/// The offsets of a string that is hashed.
pub(crate) struct StringOffsets {
    /// The common summand, a multiple of J.
    pub(crate) j: [u8; 16],
    /// The offset of the tweak (j, 0), for a part of a block, or nothing.
    pub(crate) part: [u8; 16],
    /// The offset of the tweak (j, 1), for the first block.
    pub(crate) whole: [u8; 16],
}

impl StringOffsets {
    const ZERO: Self = Self { j: [0; 16], part: [0; 16], whole: [0; 16] };
}

impl AezSubkeys {
    /// No key yet.
    pub(crate) const ZERO: Self = Self {
        i_j: [[0; 16]; 2],
        l_tag: [[0; 16]; 2],
        multiples: [[0; 16]; 8],
        octets: [[0; 16]; 8],
        tweaks: [[[0; 16]; 2]; 7],
        j_3: [0; 16],
        padding: [0; 16],
        nonce: StringOffsets::ZERO,
        data: StringOffsets::ZERO,
    };

    /// Takes a key of any length where the subkeys stay: one of 48 bytes is I, J and L; of any other they are a hash.
    pub(crate) fn set(&mut self, key: &[u8]) {
        if let Ok(key) = <&[u8; 48]>::try_from(key) {
            self.set_extracted(key);
        } else {
            let mut key = Blake2b::<U48>::digest(key);
            self.set_extracted(key.as_ref());
            wipe(&mut key);
        }
    }

    fn set_extracted(&mut self, key: &[u8; 48]) {
        let [i, j, l] = [0, 1, 2].map(|n| key.as_chunks().0[n]);
        (self.i_j, self.l_tag[0]) = ([i, j], l);
        let [i, j, l] = [i, j, l].map(u128::from_be_bytes);
        let i_2 = times(i, 2);
        for (n, multiple) in (1..8).zipped(&mut self.multiples) {
            *multiple = times(l, n).to_be_bytes();
        }
        for (tweak, multiple) in self.tweaks.iter_mut().zipped(&self.multiples) {
            *tweak = [(i_2 ^ u128::from_be_bytes(*multiple)).to_be_bytes(), *multiple];
        }
        octets(i, j, &mut self.octets);
        self.j_3 = times(j, 3).to_be_bytes();
        (self.nonce, self.data) = (self.string(4), self.string(5));
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn i(&self) -> &[u8; 16] {
        &self.i_j[0]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn j(&self) -> &[u8; 16] {
        &self.i_j[1]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn l(&self) -> &[u8; 16] {
        &self.l_tag[0]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn tag_16(&self) -> &[u8; 16] {
        &self.l_tag[1]
    }

    /// The last of the first octets, without J.
    pub(crate) fn last_octet(&self) -> u128 {
        u128::from_be_bytes(self.octets[7]) ^ u128::from_be_bytes(*self.j())
    }

    /// The offsets of a string.
    pub(crate) fn string(&self, j: u128) -> StringOffsets {
        let j = times(u128::from_be_bytes(*self.j()), j);
        let with = |block: [u8; 16]| (j ^ u128::from_be_bytes(block)).to_be_bytes();
        StringOffsets { j: with([0; 16]), part: with(*self.i()), whole: with(self.tweaks[0][0]) }
    }
}
