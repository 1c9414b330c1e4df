//! TEA's key, which has no schedule: the four words that every cycle takes.

use crate::engine::two_words::ByteOrder;
use abreast_simd::inlined::CopyFrom;

/// The four words of a key, and how blocks are read as words.
#[repr(C)]
pub(crate) struct TeaKeys {
    pub(super) order: ByteOrder,
    /// Little-endian, as lanes take them.
    pub(super) words: [u8; 16],
}

impl TeaKeys {
    /// No key yet.
    pub(super) const fn zero(order: ByteOrder) -> Self {
        Self { order, words: [0; 16] }
    }

    /// Takes a key of 16 bytes.
    pub(super) fn set(&mut self, key: &[u8]) {
        self.words.copy_from(key);
        if self.order == ByteOrder::BigEndian {
            self.words.as_chunks_mut::<4>().0.iter_mut().for_each(|word| word.reverse());
        }
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(super) fn word(&self, n: usize) -> u32 {
        u32::from_le_bytes(self.words.as_chunks().0[n])
    }
}
