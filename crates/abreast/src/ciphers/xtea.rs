//! XTEA (Needham and Wheeler, "Tea extensions", 1997): 64-bit blocks, keys of 16 bytes, 32 cycles of two
//! rounds.
//!
//! Old, small, and in many protocols, which do not agree on two things.
//!
//! | words | cycles | who |
//! |---|---|---|
//! | little-endian | 32 | game servers (TFS, OTClient, Canary), Linux |
//! | big-endian | 32 | mbed TLS 2, Go, Bouncy Castle, Botan |
//! | either | 1 to 255 | others; 16 on the PlayStation |
//!
//! Some encrypt whole blocks and leave the rest in clear (`len mod 8` bytes, as RuneScape's caches do).
//! Callers do so themselves:
//!
//! ```
//! use abreast::{BlockCipher, xtea::Xtea};
//!
//! let xtea = Xtea::new(b"a key of 16 byte");
//! let mut data = *b"two whole blocks and a tail";
//! let whole = data.len() - data.len() % 8;
//! xtea.encrypt_raw_blocks((&mut data[..whole]).into())?;
//! assert_eq!(&data[whole..], b"ail");
//! # Ok::<(), abreast::Error>(())
//! ```
//!
//! A block of 64 bits is small. After 2^32 blocks under one key two of them are likely to be equal, which
//! the feedback modes give away (Sweet32): a key is for some 2^20 blocks, 8 MiB.

use super::two_words::{RoundFunction, TwoWordsKey, TwoWordsKeys};
use crate::engine::backend::Direction;
use crate::engine::keyed::{KeyedCipher, Variant};
use crate::engine::multibuf::Batch;
use crate::engine::passes::ModeLoop;
pub use crate::engine::two_words::ByteOrder;
use crate::{Error, InOutBuf, Kernel};
use abreast_simd::inlined::Flat;
use abreast_simd::{Level, Wiped};
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use cipher::consts::U16;

/// The round keys of 32 cycles as little-endian words in their order, for kernels outside of this crate.
#[cfg(feature = "alloc")]
pub(crate) fn round_keys(key: &[u8; 16], order: ByteOrder) -> Vec<u8> {
    let mut keys = Wiped::new(TwoWordsKeys::zero(RoundFunction::Xtea, order));
    keys.set(key);
    // The capacity is reserved first, since a vector that grows leaves copies of the keys in the memory that it frees.
    let words = keys.pairs().flat();
    let mut bytes = Vec::with_capacity(size_of_val(words));
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    bytes
}

/// XTEA under a key.
///
/// ```
/// use abreast::{BlockCipher, xtea::{ByteOrder, Xtea}};
///
/// let mut block = [0; 8];
/// Xtea::new(&[0; 16]).encrypt_raw_blocks(block.as_mut_slice().into())?;
/// assert_eq!(block, [0xd8, 0xd4, 0xe9, 0xde, 0xd9, 0x1e, 0x13, 0xf7]);
///
/// // Big-endian words, 16 cycles.
/// let xtea = Xtea::with_kernel(&[0; 16], ByteOrder::BigEndian, 16, Xtea::kernels().next().unwrap())?;
/// # Ok::<(), abreast::Error>(())
/// ```
pub struct Xtea(Wiped<TwoWordsKey>);

impl Xtea {
    /// Expands a key for little-endian words and 32 cycles, for the best kernel of this CPU.
    #[must_use]
    pub fn new(key: &[u8; 16]) -> Self {
        Self::usual(key, ByteOrder::LittleEndian)
    }

    /// Expands a key for big-endian words and 32 cycles, for the best kernel of this CPU.
    ///
    /// ```
    /// use abreast::{BlockCipher, xtea::Xtea};
    ///
    /// let mut block = [0; 8];
    /// Xtea::big_endian(&[0; 16]).encrypt_raw_blocks(block.as_mut_slice().into())?;
    /// assert_eq!(block, [0xde, 0xe9, 0xd4, 0xd8, 0xf7, 0x13, 0x1e, 0xd9]);
    /// # Ok::<(), abreast::Error>(())
    /// ```
    #[must_use]
    pub fn big_endian(key: &[u8; 16]) -> Self {
        Self::usual(key, ByteOrder::BigEndian)
    }

    /// Takes a key of 16 bytes for a few messages, most of which go through lanes: it is expanded anew for each that does
    /// not.
    #[cfg(feature = "alloc")]
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn set_words(&mut self, key: &[u8; 16]) {
        self.0.keys.set_words(key);
    }

    fn usual(key: &[u8; 16], order: ByteOrder) -> Self {
        let mut cipher = Self::keyed(Level::best(), TwoWordsKeys::zero(RoundFunction::Xtea, order));
        cipher.set_key(key);
        cipher
    }

    /// Expands a key for a given kernel, one of [`kernels`](Self::kernels), and for 1 to 255 cycles.
    ///
    /// # Errors
    /// [`Error::Cycles`] if there is none, or more than 32 and the feature `alloc` is off;
    /// [`Error::KernelUnavailable`] if the kernel is another cipher's.
    pub fn with_kernel(key: &[u8; 16], order: ByteOrder, cycles: u8, kernel: Kernel) -> Result<Self, Error> {
        Ok(Self::keyed(kernel.words_level()?, TwoWordsKeys::new(key, order, cycles)?))
    }

    /// Takes the 64 round keys of 32 cycles that were expanded elsewhere: for each cycle the sum and the word
    /// of the key that it chooses, before the sum grows and after.
    ///
    /// ```
    /// use abreast::{BlockCipher, xtea::{ByteOrder, Xtea}};
    ///
    /// // Words of the key 0: all round keys are the sums alone.
    /// let mut sum = 0_u32;
    /// let keys: Vec<u32> = (0..32).flat_map(|_| {
    ///     let before = sum;
    ///     sum = sum.wrapping_add(0x9e37_79b9);
    ///     [before, sum]
    /// }).collect();
    /// let xtea = Xtea::from_round_keys(keys.as_slice().try_into()?, ByteOrder::LittleEndian);
    /// let mut block = [0; 8];
    /// xtea.encrypt_raw_blocks(block.as_mut_slice().into())?;
    /// assert_eq!(block[..2], [0xd8, 0xd4]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn from_round_keys(keys: &[u32; 64], order: ByteOrder) -> Self {
        Self::keyed(Level::best(), TwoWordsKeys::expanded(keys, order))
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn keyed(level: Level, keys: TwoWordsKeys) -> Self {
        Self(Wiped::new(TwoWordsKey { level, keys }))
    }

    /// Returns the kernels that this CPU can run, best first.
    pub fn kernels() -> impl Iterator<Item = Kernel> {
        Kernel::of_words()
    }
}

impl KeyedCipher for Xtea {
    const BLOCK: usize = 8;
    const ALGORITHMS: &'static [Variant] =
        &[Variant { name: "xtea", key_len: 16 }, Variant { name: "xtea-be", key_len: 16 }];
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
            move || Self::keyed(level, TwoWordsKeys::zero(RoundFunction::Xtea, order)),
        )
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn set_key(&mut self, key: &[u8]) {
        self.0.keys.set(key);
    }

    fn name(&self) -> &'static str {
        match self.0.keys.order {
            ByteOrder::LittleEndian => "xtea",
            ByteOrder::BigEndian => "xtea-be",
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

impl cipher::KeySizeUser for Xtea {
    type KeySize = U16;
}

impl cipher::KeyInit for Xtea {
    fn new(key: &cipher::Key<Self>) -> Self {
        Self::new(key.as_ref())
    }
}
