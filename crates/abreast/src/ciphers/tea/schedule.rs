//! TEA's key, which has no schedule: the four words that every cycle takes.

use crate::engine::two_words::ByteOrder;
use crate::wipe::wipe;

/// The four words of a key, and how blocks are read as words.
#[repr(C)]
pub(crate) struct TeaKeys {
    pub(super) order: ByteOrder,
    /// Little-endian, as lanes take them.
    pub(super) words: [u8; 16],
}

impl TeaKeys {
    pub(super) fn new(key: &[u8; 16], order: ByteOrder) -> Self {
        let mut words = Self { order, words: *key };
        if order == ByteOrder::BigEndian {
            words.words.as_chunks_mut::<4>().0.iter_mut().for_each(|word| word.reverse());
        }
        words
    }

    #[inline(always)]
    pub(super) fn word(&self, n: usize) -> u32 {
        u32::from_le_bytes(self.words.as_chunks().0[n])
    }
}

impl Drop for TeaKeys {
    fn drop(&mut self) {
        wipe(&mut self.words);
    }
}
