//! XTEA's key schedule, worked out once per key.

use super::ByteOrder;
use crate::Error;
#[cfg(feature = "alloc")]
use alloc::{boxed::Box, vec};
use zeroize::Zeroize;

/// What the sum grows by in every cycle: the golden ratio's fraction, as in the paper.
const DELTA: u32 = 0x9e37_79b9;

/// Cycles whose keys are kept in place.
const USUAL: usize = 32;

/// Two round keys for each cycle, and the byte order of the blocks' words.
pub(crate) struct RoundKeys {
    pairs: Pairs,
    pub(super) order: ByteOrder,
}

#[allow(clippy::large_enum_variant, reason = "the large one is the usual one, and asks for no allocation")]
enum Pairs {
    /// As many of them as there are cycles.
    Few(u8, [[u32; 2]; USUAL]),
    #[cfg(feature = "alloc")]
    Many(Box<[[u32; 2]]>),
}

impl RoundKeys {
    /// Expands a key for any number of cycles.
    pub(super) fn new(key: &[u8; 16], order: ByteOrder, cycles: u8) -> Result<Self, Error> {
        let mut keys = Self { pairs: Pairs::zero(cycles)?, order };
        keys.expand(key);
        Ok(keys)
    }

    /// Expands a key for the usual number of cycles.
    pub(super) fn usual(key: &[u8; 16], order: ByteOrder) -> Self {
        let mut keys = Self { pairs: Pairs::Few(USUAL as u8, [[0; 2]; USUAL]), order };
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
    }

    /// Round keys that were expanded elsewhere, in their order.
    pub(super) fn expanded(keys: &[u32; 2 * USUAL], order: ByteOrder) -> Self {
        // Filled where they are returned, so that no copy is left behind.
        let mut expanded = Self { pairs: Pairs::Few(USUAL as u8, [[0; 2]; USUAL]), order };
        expanded.pairs.as_mut_slice().as_flattened_mut().copy_from_slice(keys);
        expanded
    }

    /// The two keys of each cycle.
    #[inline(always)]
    pub(super) fn pairs(&self) -> &[[u32; 2]] {
        match &self.pairs {
            Pairs::Few(cycles, pairs) => &pairs[..usize::from(*cycles)],
            #[cfg(feature = "alloc")]
            Pairs::Many(pairs) => pairs,
        }
    }
}

impl Pairs {
    /// Room for the keys of so many cycles; without memory to allocate, for the usual ones.
    fn zero(cycles: u8) -> Result<Self, Error> {
        if cycles == 0 {
            return Err(Error::Cycles);
        }
        if usize::from(cycles) <= USUAL {
            return Ok(Self::Few(cycles, [[0; 2]; USUAL]));
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

impl Drop for RoundKeys {
    fn drop(&mut self) {
        self.pairs.as_mut_slice().as_flattened_mut().zeroize();
    }
}
