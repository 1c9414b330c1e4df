//! TEA (Wheeler and Needham, "TEA, a Tiny Encryption Algorithm", 1994): 64-bit blocks, keys of 16 bytes, 32 cycles of two
//! rounds.
//!
//! The ancestor of [XTEA](crate::xtea), in old game protocols and firmware. It has the weaknesses that XTEA mended: every key
//! is equivalent to three others, and it falls to attacks with related keys (Kelsey, Schneier and Wagner, 1997). The paper
//! computes on words and does not say how they come from bytes. Both orders are in use:
//!
//! | words | who |
//! |---|---|
//! | little-endian | Linux, protocols of games |
//! | big-endian | Bouncy Castle, QQ |
//!
//! A block of 64 bits is small: a key is for some 2^20 blocks, 8 MiB, as the module of XTEA says.

pub use crate::engine::two_words::ByteOrder;

use super::two_words::{RoundFunction, TwoWordsKey, TwoWordsKeys};
use crate::engine::backend::Direction;
use crate::engine::keyed::{KeyedCipher, Variant};
use crate::engine::multibuf::Batch;
use crate::engine::passes::ModeLoop;
use crate::{Error, InOutBuf, Kernel};
use abreast_simd::{Level, Wiped};
use cipher::consts::U16;

/// TEA under a key.
///
/// ```
/// use abreast::{BlockCipher, tea::Tea};
///
/// let mut block = [0; 8];
/// Tea::big_endian(&[0; 16]).encrypt_raw_blocks(block.as_mut_slice().into())?;
/// assert_eq!(block, [0x41, 0xea, 0x3a, 0x0a, 0x94, 0xba, 0xa9, 0x40]);
/// # Ok::<(), abreast::Error>(())
/// ```
pub struct Tea(Wiped<TwoWordsKey>);

impl Tea {
    /// Takes a key for little-endian words, for the best kernel of this CPU.
    #[must_use]
    pub fn new(key: &[u8; 16]) -> Self {
        Self::at_level(key, ByteOrder::LittleEndian, Level::best())
    }

    /// Takes a key for big-endian words, for the best kernel of this CPU.
    #[must_use]
    pub fn big_endian(key: &[u8; 16]) -> Self {
        Self::at_level(key, ByteOrder::BigEndian, Level::best())
    }

    /// Takes a key for a given kernel, one of [`kernels`](Self::kernels).
    ///
    /// # Errors
    /// [`Error::KernelUnavailable`] if the kernel is another cipher's.
    pub fn with_kernel(key: &[u8; 16], order: ByteOrder, kernel: Kernel) -> Result<Self, Error> {
        Ok(Self::at_level(key, order, kernel.words_level()?))
    }

    fn at_level(key: &[u8; 16], order: ByteOrder, level: Level) -> Self {
        let mut cipher = Self::without_key(order, level);
        cipher.set_key(key);
        cipher
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn without_key(order: ByteOrder, level: Level) -> Self {
        Self(Wiped::new(TwoWordsKey { level, keys: TwoWordsKeys::zero(RoundFunction::Tea, order) }))
    }

    /// Returns the kernels that this CPU can run, best first.
    pub fn kernels() -> impl Iterator<Item = Kernel> {
        Kernel::of_words()
    }
}

impl KeyedCipher for Tea {
    const BLOCK: usize = 8;
    const ALGORITHMS: &'static [Variant] =
        &[Variant { name: "tea", key_len: 16 }, Variant { name: "tea-be", key_len: 16 }];
    const ROUNDS_ARE_CALLS: bool = true;
    type BatchKey = TwoWordsKey;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn batch_key(&self) -> &TwoWordsKey {
        &self.0
    }

    #[cfg(feature = "alloc")]
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn blanks(variant: u8, kernel: Kernel) -> Result<impl Fn() -> Self + Copy, Error> {
        let (order, level) = (ByteOrder::of_variant(variant), kernel.words_level()?);
        Ok(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            move || Self::without_key(order, level),
        )
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn set_key(&mut self, key: &[u8]) {
        self.0.keys.set(key);
    }

    fn name(&self) -> &'static str {
        match self.0.keys.order {
            ByteOrder::LittleEndian => "tea",
            ByteOrder::BigEndian => "tea-be",
        }
    }
    fn kernel(&self) -> Kernel {
        Kernel::words(self.0.level)
    }
    #[cfg(feature = "alloc")]
    fn all_kernels() -> impl Iterator<Item = Kernel> {
        Self::kernels()
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn visit<J: ModeLoop>(&self, job: J) -> J::Out {
        self.0.visit(job)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn few_blocks(&self, direction: Direction, io: &mut InOutBuf<'_, '_, u8>) -> bool {
        self.0.few_blocks(direction, io)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn visit_batch(&self, batch: impl Batch) {
        self.0.visit_batch(batch);
    }
}

impl cipher::KeySizeUser for Tea {
    type KeySize = U16;
}

impl cipher::KeyInit for Tea {
    fn new(key: &cipher::Key<Self>) -> Self {
        Self::new(key.as_ref())
    }
}
