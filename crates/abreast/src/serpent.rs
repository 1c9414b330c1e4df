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

pub use crate::ciphers::serpent::Serpent;

use crate::block_cipher::{BlockCipher as _, whole_blocks};
use crate::wipe::wipe;
use crate::{Error, InOutBuf};

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
/// let serpent = SubmissionOrder::new(&key)?;
/// serpent.encrypt_raw_blocks(block.as_mut_slice())?;
/// assert_eq!(block[..4], [0x49, 0xaf, 0xbf, 0xad]);
/// serpent.decrypt_raw_blocks(block.as_mut_slice())?;
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
        wipe(&mut reversed);
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
    whole_blocks(16, &io)?;
    let out = io.reborrow().into_out_with_copied_in();
    let reverse = |out: &mut [u8]| out.chunks_exact_mut(16).for_each(<[u8]>::reverse);
    reverse(out);
    f((&mut *out).into())?;
    reverse(out);
    Ok(())
}
