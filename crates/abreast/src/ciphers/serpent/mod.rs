//! Serpent (Anderson, Biham and Knudsen, "Serpent: A Proposal for the Advanced Encryption Standard", 1998):
//! 128-bit blocks, keys of 16 to 32 bytes, 32 rounds.
//!
//! It was built for bit-slicing, and runs in constant time at every width, with no instruction made for it.
//! `circuits` has the S-boxes, found by a search; `rounds` says how they are put together.
//!
//! # Byte order
//! As in NESSIE's test vectors and in Botan, libgcrypt, Linux and VeraCrypt: words are little-endian. The
//! submission to AES prints all bytes of key, plaintext and ciphertext the other way round, and so does
//! Bouncy Castle's Tnepres: [`SubmissionOrder`] is for that.

mod circuits;
#[cfg(feature = "alloc")]
mod lanes;
mod one_block;
mod round_order;
mod rounds;
mod sboxes;
mod schedule;

use crate::engine::backend::Direction;
#[cfg(feature = "alloc")]
use crate::engine::keyed::in_groups;
use crate::engine::keyed::{KeyedCipher, Variant};
use crate::engine::multibuf::{Batch, MultiBufferSpec};
use crate::engine::passes::ModeLoop;
use crate::{Error, InOutBuf, Kernel};
use abreast_simd::inlined::Zipped;
use abreast_simd::{AesLevel, Level, Wiped, dispatch};
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use cipher::consts::U32;
use rounds::Bitsliced;
use schedule::SerpentRoundKeys;

/// The round keys as bytes, for encryption and for decryption, for kernels outside of this crate.
#[cfg(feature = "alloc")]
pub(crate) fn round_keys(key: &[u8]) -> [[[u8; 16]; 33]; 2] {
    let mut keys = Wiped::new(SerpentRoundKeys::zero(None));
    keys.expand(abreast_simd::portable::Portable, key);
    [keys.encrypt, keys.decrypt]
}

/// Serpent under a key.
///
/// ```
/// use abreast::{BlockCipher, serpent::Serpent};
///
/// // The first of NESSIE's test vectors.
/// let mut key = [0; 16];
/// key[0] = 0x80;
/// let mut block = [0; 16];
/// Serpent::new(&key)?.encrypt_raw_blocks(block.as_mut_slice().into())?;
/// assert_eq!(block[..4], [0x26, 0x4e, 0x54, 0x81]);
/// # Ok::<(), abreast::Error>(())
/// ```
pub struct Serpent(Wiped<SerpentKey>);

/// A key, laid out for the kernel that will use it.
struct SerpentKey {
    level: Level,
    /// Bytes of the key.
    len: u8,
    keys: SerpentRoundKeys,
}

impl Serpent {
    /// Expands a key of 16 to 32 bytes, for the best kernel of this CPU.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        Self::checked(key, Level::best())
    }

    /// Expands a key of 16 to 32 bytes for a given kernel, one of [`kernels`](Self::kernels).
    ///
    /// # Errors
    /// [`Error::KeyLength`]; [`Error::KernelUnavailable`] if the kernel is another cipher's.
    pub fn with_kernel(key: &[u8], kernel: Kernel) -> Result<Self, Error> {
        Self::checked(key, kernel.words_level()?)
    }

    fn checked(key: &[u8], level: Level) -> Result<Self, Error> {
        if (16..=32).contains(&key.len()) { Ok(Self::at_level(key, level)) } else { Err(Error::KeyLength) }
    }

    /// Expands a key whose length is known to be right.
    fn at_level(key: &[u8], level: Level) -> Self {
        let mut cipher = Self::without_key(key.len(), level);
        cipher.set_key(key);
        cipher
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn without_key(len: usize, level: Level) -> Self {
        let keys = SerpentRoundKeys::zero(AesLevel::detect_all().next_back());
        Self(Wiped::new(SerpentKey { level, len: len as u8, keys }))
    }

    /// Expands many keys of 16 to 32 bytes, for the best kernel of this CPU: as many side by side as its vectors have lanes,
    /// in a fraction of the time that they take one after the other.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    #[cfg(feature = "alloc")]
    pub fn many<const N: usize>(keys: &[[u8; N]]) -> Result<Vec<Self>, Error> {
        if !(16..=32).contains(&N) {
            return Err(Error::KeyLength);
        }
        let level = Level::best();
        Ok(Self::expand_many(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            || Self::without_key(N, level),
            keys,
        ))
    }

    /// Returns the kernels that this CPU can run, best first.
    pub fn kernels() -> impl Iterator<Item = Kernel> {
        Kernel::of_words()
    }
}

impl KeyedCipher for Serpent {
    const BLOCK: usize = 16;
    const ALGORITHMS: &'static [Variant] = &[
        Variant { name: "serpent-128", key_len: 16 },
        Variant { name: "serpent-192", key_len: 24 },
        Variant { name: "serpent-256", key_len: 32 },
    ];
    const ROUNDS_ARE_CALLS: bool = true;
    type BatchKey = Self;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn batch_key(&self) -> &Self {
        self
    }

    #[cfg(feature = "alloc")]
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn blanks(variant: u8, kernel: Kernel) -> Result<impl Fn() -> Self + Copy, Error> {
        let (len, level) = (Self::ALGORITHMS[usize::from(variant)].key_len, kernel.words_level()?);
        Ok(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            move || Self::without_key(len, level),
        )
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn set_key(&mut self, key: &[u8]) {
        let cipher = &mut *self.0;
        dispatch!(cipher.level, isa => cipher.keys.expand(isa, key));
    }
    /// In lanes.
    #[cfg(feature = "alloc")]
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn set_keys<'a>(keyed: impl Iterator<Item = (&'a mut Self, &'a [u8])>) {
        in_groups(keyed, set_group);
    }

    fn name(&self) -> &'static str {
        let variant = Self::ALGORITHMS.iter().find(|variant| variant.key_len == usize::from(self.0.len));
        variant.map_or("serpent", |variant| variant.name)
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
        dispatch!(self.0.level, isa => job.run::<_, Bitsliced>(isa, &self.0.keys))
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn few_blocks(&self, direction: Direction, io: &mut InOutBuf<'_, '_, u8>) -> bool {
        let cipher = &*self.0;
        io.len() == Self::BLOCK
            && dispatch!(cipher.level, isa => cipher.keys.one_block_in_registers(isa))
            && one_block::from_memory(&cipher.keys, direction, io)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn visit_batch(&self, batch: impl Batch) {
        dispatch!(self.0.level, isa => batch.in_lanes::<_, Bitsliced>(isa, self.0.level));
    }
}

/// Expands the keys of a group, filled from the front. A call, because there are many iterators.
#[cfg(feature = "alloc")]
#[inline(never)]
fn set_group(group: &mut [Option<(&mut Serpent, &[u8])>; lanes::TOGETHER]) {
    let mut expansions = [const { None }; lanes::TOGETHER];
    let mut level = None;
    for (place, (cipher, key)) in expansions.iter_mut().zipped(group.iter_mut().flatten()) {
        level = Some(cipher.0.level);
        *place = Some((&mut cipher.0.keys, *key));
    }
    if let Some(level) = level {
        dispatch!(level, isa => lanes::expand_each(isa, &mut expansions));
    }
}

impl MultiBufferSpec for Bitsliced {
    type Key = Serpent;
    type Level = Level;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn keys_at(key: &Serpent, level: Level) -> Option<&SerpentRoundKeys> {
        (key.0.level == level).then_some(&key.0.keys)
    }
}

/// With keys of 32 bytes; [`Serpent::new`] takes the others.
impl cipher::KeySizeUser for Serpent {
    type KeySize = U32;
}

impl cipher::KeyInit for Serpent {
    fn new(key: &cipher::Key<Self>) -> Self {
        Self::at_level(key, Level::best())
    }

    fn new_from_slice(key: &[u8]) -> Result<Self, cipher::InvalidLength> {
        Self::new(key).map_err(|_| cipher::InvalidLength)
    }
}
