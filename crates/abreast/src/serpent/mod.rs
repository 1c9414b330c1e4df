//! Serpent (Anderson, Biham and Knudsen, "Serpent: A Proposal for the Advanced Encryption Standard", 1998):
//! 128-bit blocks, keys of 16 to 32 bytes, 32 rounds.
//!
//! It was built for bit-slicing, and runs in constant time at every width, with no instruction made for it.
//! `circuits` has the S-boxes, found by a search; `rounds` says how they are put together.
//!
//! # Byte order
//! As in NESSIE's test vectors and in Botan, libgcrypt, Linux and VeraCrypt: words are little-endian. The
//! submission to AES prints all bytes of key, plaintext and ciphertext the other way round, and so does what
//! Bouncy Castle calls Tnepres: [`SubmissionOrder`] is for that.

mod circuits;
mod rounds;
mod schedule;

use crate::block_cipher::{self, Keyed as _, block_cipher_128};
use crate::kernels::Choice;
use crate::packets::Batch;
use crate::spec::Job;
use crate::{BlockCipher as _, Error, InOutBuf, Kernel};
use abreast_simd::{AesLevel, Level, dispatch};
use cipher::consts::{U32, U64};
use rounds::Bitsliced;
use schedule::RoundKeys;
use zeroize::Zeroize;

/// Round keys, and the level of the kernel that uses them.
struct Keyed {
    level: Level,
    /// Bytes of the key.
    len: u8,
    keys: RoundKeys,
}

impl block_cipher::Keyed for Keyed {
    fn name(&self) -> &'static str {
        match self.len {
            16 => "serpent-128",
            24 => "serpent-192",
            32 => "serpent-256",
            _ => "serpent",
        }
    }

    fn kernel(&self) -> Kernel {
        Kernel::words(self.level)
    }

    #[inline(always)]
    fn visit<J: Job>(&self, job: J) -> J::Out {
        dispatch!(self.level, isa => job.run::<_, Bitsliced>(isa, &self.keys))
    }
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
pub struct Serpent(Keyed);

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
        let Choice::Words(level) = kernel.0 else {
            return Err(Error::KernelUnavailable);
        };
        Self::checked(key, level)
    }

    fn checked(key: &[u8], level: Level) -> Result<Self, Error> {
        if (16..=32).contains(&key.len()) { Ok(Self::at_level(key, level)) } else { Err(Error::KeyLength) }
    }

    /// Expands a key whose length is known to be right.
    fn at_level(key: &[u8], level: Level) -> Self {
        Self(Keyed { level, len: key.len() as u8, keys: RoundKeys::new(key, carryless(level)) })
    }

    /// The kernels that this CPU can run, best first.
    pub fn kernels() -> impl Iterator<Item = Kernel> {
        Kernel::of_words()
    }

    /// The round keys, if they are for kernels of a level.
    #[inline(always)]
    fn keys_at(&self, level: Level) -> Option<&RoundKeys> {
        (self.0.level == level).then_some(&self.0.keys)
    }

    /// Runs a batch at the level of this key.
    #[inline(always)]
    pub(crate) fn visit_batch(&self, batch: impl Batch) {
        dispatch!(self.0.level, isa => batch.in_lanes::<_, Bitsliced>(isa, self.0.level));
    }
}

/// The carry-less products beside a level of words: the portable kernel is portable throughout.
fn carryless(level: Level) -> Option<AesLevel> {
    if matches!(level, Level::Portable(_)) { None } else { AesLevel::detect_all().next_back() }
}

block_cipher_128!(Serpent, pass U64);

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

/// Serpent with the bytes of key and blocks in the order of the submission to AES: all reversed.
///
/// An adapter for raw blocks, which are reversed one by one on their way in and out. Modes want the cipher
/// itself.
///
/// ```
/// use abreast::serpent::SubmissionOrder;
///
/// let mut key = [0; 16];
/// key[0] = 0x80;
/// let mut block = [0; 16];
/// SubmissionOrder::new(&key)?.encrypt_raw_blocks(block.as_mut_slice())?;
/// assert_eq!(block[..4], [0x49, 0xaf, 0xbf, 0xad]);
/// # Ok::<(), abreast::Error>(())
/// ```
#[derive(Debug)]
pub struct SubmissionOrder(Serpent);

impl SubmissionOrder {
    /// Expands a key of 16 to 32 bytes, for the best kernel of this CPU.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        let mut reversed = [0; 32];
        let Some(part) = reversed.get_mut(..key.len()) else {
            return Err(Error::KeyLength);
        };
        part.copy_from_slice(key);
        part.reverse();
        let serpent = Serpent::new(part);
        reversed.zeroize();
        serpent.map(Self)
    }

    /// Encrypts whole blocks, each on its own.
    ///
    /// # Errors
    /// [`Error::PartialBlock`] if the length is no multiple of 16; then nothing was done.
    pub fn encrypt_raw_blocks<'i, 'o>(&self, io: impl Into<InOutBuf<'i, 'o, u8>>) -> Result<(), Error> {
        reversed(io.into(), |io| self.0.encrypt_raw_blocks(io))
    }

    /// Decrypts whole blocks, each on its own.
    ///
    /// # Errors
    /// [`Error::PartialBlock`] if the length is no multiple of 16; then nothing was done.
    pub fn decrypt_raw_blocks<'i, 'o>(&self, io: impl Into<InOutBuf<'i, 'o, u8>>) -> Result<(), Error> {
        reversed(io.into(), |io| self.0.decrypt_raw_blocks(io))
    }
}

/// Applies `f` in place between two reversals of every block.
fn reversed(
    mut io: InOutBuf<'_, '_, u8>,
    f: impl FnOnce(InOutBuf<'_, '_, u8>) -> Result<(), Error>,
) -> Result<(), Error> {
    block_cipher::whole_blocks(16, &io)?;
    let out = io.reborrow().into_out_with_copied_in();
    let reverse = |out: &mut [u8]| out.chunks_exact_mut(16).for_each(<[u8]>::reverse);
    reverse(out);
    f((&mut *out).into())?;
    reverse(out);
    Ok(())
}
