//! XTEA's key schedule, worked out once per key.

use crate::Error;
use crate::engine::two_words::{ByteOrder, DELTA, USUAL_CYCLES};
#[cfg(feature = "alloc")]
use alloc::{boxed::Box, vec};
use zeroize::Zeroize;

/// Two round keys for each cycle, and the byte order of the blocks' words. What a batch reads comes first.
#[repr(C)]
pub(crate) struct XteaRoundKeys {
    pub(super) order: ByteOrder,
    /// The four words of the key, little-endian, if the cycles are the usual ones: what a lane needs of it.
    words: Option<[u8; 16]>,
    pairs: CycleKeys,
}

/// What a cycle adds to words of the key, before the sum grows and after, and which words these are.
pub(super) struct Cycle {
    pub(super) sums: [u32; 2],
    pub(super) words: [usize; 2],
}

/// The usual cycles.
pub(super) const CYCLES: [Cycle; USUAL_CYCLES] = {
    let mut cycles = [const { Cycle { sums: [0; 2], words: [0; 2] } }; USUAL_CYCLES];
    let (mut i, mut sum) = (0, 0u32);
    while i < USUAL_CYCLES {
        let next = sum.wrapping_add(DELTA);
        cycles[i] = Cycle { sums: [sum, next], words: [(sum & 3) as usize, (next >> 11 & 3) as usize] };
        sum = next;
        i += 1;
    }
    cycles
};

#[allow(clippy::large_enum_variant, reason = "the large one is the usual one, and asks for no allocation")]
enum CycleKeys {
    /// As many of them as there are cycles.
    Few(u8, [[u32; 2]; USUAL_CYCLES]),
    #[cfg(feature = "alloc")]
    Many(Box<[[u32; 2]]>),
}

impl XteaRoundKeys {
    /// Expands a key for any number of cycles.
    pub(super) fn new(key: &[u8; 16], order: ByteOrder, cycles: u8) -> Result<Self, Error> {
        let mut keys = Self { pairs: CycleKeys::zero(cycles)?, order, words: None };
        keys.expand(key);
        Ok(keys)
    }

    /// Expands a key for the usual number of cycles.
    pub(super) fn usual(key: &[u8; 16], order: ByteOrder) -> Self {
        let mut keys =
            Self { pairs: CycleKeys::Few(USUAL_CYCLES as u8, [[0; 2]; USUAL_CYCLES]), order, words: None };
        keys.expand(key);
        keys
    }

    fn expand(&mut self, key: &[u8; 16]) {
        let mut words = [0; 4];
        for (word, bytes) in words.iter_mut().zip(key.chunks_exact(4)) {
            let bytes = [bytes[0], bytes[1], bytes[2], bytes[3]];
            *word = match self.order {
                ByteOrder::LittleEndian => u32::from_le_bytes(bytes),
                ByteOrder::BigEndian => u32::from_be_bytes(bytes),
            };
        }
        let mut sum = 0u32;
        // The places of the key's words follow from the number of the cycle alone.
        for pair in self.pairs.as_mut_slice() {
            pair[0] = sum.wrapping_add(words[(sum & 3) as usize]);
            sum = sum.wrapping_add(DELTA);
            pair[1] = sum.wrapping_add(words[(sum >> 11 & 3) as usize]);
        }
        words.zeroize();
        self.find_words();
    }

    /// Finds the words of the key after round keys of the usual number of cycles, if there are any.
    fn find_words(&mut self) {
        let Ok(pairs) = <&[[u32; 2]; USUAL_CYCLES]>::try_from(self.pairs()) else {
            return;
        };
        // The first four cycles choose each word once.
        let mut words = [0; 4];
        for (cycle, pair) in CYCLES[..4].iter().zip(pairs) {
            words[cycle.words[0]] = pair[0].wrapping_sub(cycle.sums[0]);
        }
        let mut difference = 0;
        for (cycle, pair) in CYCLES.iter().zip(pairs) {
            for i in 0..2 {
                difference |= pair[i] ^ cycle.sums[i].wrapping_add(words[cycle.words[i]]);
            }
        }
        if difference == 0 {
            let bytes = self.words.insert([0; 16]);
            for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
                *bytes = word.to_le_bytes();
            }
        }
        words.zeroize();
    }

    /// The words of the key, if the cycles are the usual ones.
    #[inline(always)]
    pub(super) fn words(&self) -> Option<&[u8; 16]> {
        self.words.as_ref()
    }

    /// Round keys that were expanded elsewhere, in their order.
    pub(super) fn expanded(keys: &[u32; 2 * USUAL_CYCLES], order: ByteOrder) -> Self {
        // Filled where they are returned, so that no copy is left behind.
        let mut expanded =
            Self { pairs: CycleKeys::Few(USUAL_CYCLES as u8, [[0; 2]; USUAL_CYCLES]), order, words: None };
        expanded.pairs.as_mut_slice().as_flattened_mut().copy_from_slice(keys);
        expanded.find_words();
        expanded
    }

    /// The two keys of each cycle.
    #[inline(always)]
    pub(super) fn pairs(&self) -> &[[u32; 2]] {
        match &self.pairs {
            CycleKeys::Few(cycles, pairs) => &pairs[..usize::from(*cycles)],
            #[cfg(feature = "alloc")]
            CycleKeys::Many(pairs) => pairs,
        }
    }
}

impl CycleKeys {
    /// Room for the keys of so many cycles; without memory to allocate, for the usual ones.
    fn zero(cycles: u8) -> Result<Self, Error> {
        if cycles == 0 {
            return Err(Error::Cycles);
        }
        if usize::from(cycles) <= USUAL_CYCLES {
            return Ok(Self::Few(cycles, [[0; 2]; USUAL_CYCLES]));
        }
        #[cfg(feature = "alloc")]
        let pairs = Ok(Self::Many(vec![[0; 2]; cycles.into()].into_boxed_slice()));
        #[cfg(not(feature = "alloc"))]
        let pairs = Err(Error::Cycles);
        pairs
    }

    fn as_mut_slice(&mut self) -> &mut [[u32; 2]] {
        match self {
            Self::Few(cycles, pairs) => &mut pairs[..usize::from(*cycles)],
            #[cfg(feature = "alloc")]
            Self::Many(pairs) => pairs,
        }
    }
}

impl Drop for XteaRoundKeys {
    fn drop(&mut self) {
        self.pairs.as_mut_slice().as_flattened_mut().zeroize();
        self.words.zeroize();
    }
}
