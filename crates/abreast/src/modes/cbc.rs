//! Cipher block chaining (SP 800-38A, section 6.2).
//!
//! Encryption is a chain, one block after the other. Decryption is not: all blocks of a pass are decrypted
//! together, and the ciphertext before each comes from a shuffle of registers that hold it already.

use super::chain::Chain;
use crate::block_cipher::whole_blocks;
use crate::engine::backend::Direction;
use crate::mode_call::ModeCall;
use crate::wipe::wipe;
use crate::{BlockCipher, Error, InOutBuf};
use core::fmt;
use subtle::ConstantTimeEq;

/// A message in cipher block chaining mode, encrypted or decrypted in one piece or in several.
///
/// The initialisation vector, one block, must be unpredictable for each message. Blocks are whole; the
/// methods with `pkcs7` in their name end a message of any length by PKCS#7 (RFC 5652, section 6.3).
///
/// CBC does not authenticate, and whoever learns whether the padding of a forged message was right learns the message:
/// authenticate the ciphertext before it is decrypted.
///
/// A 64-bit cipher must not encrypt more than some 2^20 blocks under one key: by 2^32 blocks, two are likely to be equal and to
/// reveal plaintext (Sweet32). A message of more than 2^32 such blocks is [`Error::MessageTooLong`].
///
/// ```
/// use abreast::{aes::Aes128, modes::Cbc};
///
/// let aes = Aes128::new(b"a key of 16 byte");
/// let mut data = *b"attack at dawn, and not at dusk.";
/// Cbc::from_cipher(&aes, &[7; 16])?.encrypt(data.as_mut_slice())?;
/// Cbc::from_cipher(&aes, &[7; 16])?.decrypt(data.as_mut_slice())?;
/// assert_eq!(&data, b"attack at dawn, and not at dusk.");
///
/// let mut buffer = *b"attack at dawn..";
/// let ciphertext = Cbc::from_cipher(&aes, &[8; 16])?.encrypt_pkcs7(&mut buffer, 14)?;
/// assert_eq!(Cbc::from_cipher(&aes, &[8; 16])?.decrypt_pkcs7(ciphertext)?, b"attack at dawn");
/// # Ok::<(), abreast::Error>(())
/// ```
// The chain first: `Chain` says why.
#[derive(Clone)]
#[repr(C)]
pub struct Cbc<C> {
    chain: Chain,
    cipher: C,
    /// Bytes done.
    len: u64,
}

/// Bytes of a message with blocks of 64 bits: 2^32 blocks.
pub(crate) const MOST_OF_64: u64 = 8 << 32;

impl<C: BlockCipher> Cbc<C> {
    /// Begins a message with an initialisation vector.
    ///
    /// # Errors
    /// [`Error::IvLength`] if it is not one block long.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub fn from_cipher(cipher: C, iv: &[u8]) -> Result<Self, Error> {
        let chain = Chain::from_iv(&cipher, iv)?;
        Ok(Self { cipher, chain, len: 0 })
    }

    /// Writes the initialisation vector with which another message would go on where this one is: the
    /// last block of ciphertext.
    ///
    /// ```
    /// use abreast::{aes::Aes128, modes::Cbc};
    ///
    /// let aes = Aes128::new(b"a key of 16 byte");
    /// let (mut data, mut iv) = ([0; 32], [7; 16]);
    /// let mut cbc = Cbc::from_cipher(&aes, &iv)?;
    /// cbc.encrypt(&mut data[..16])?;
    /// // Another object goes on where this one is.
    /// cbc.running_iv(&mut iv)?;
    /// assert_eq!(iv, data[..16]);
    /// Cbc::from_cipher(&aes, &iv)?.encrypt(&mut data[16..])?;
    /// # Ok::<(), abreast::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::IvLength`] if the buffer is not one block long.
    pub fn running_iv(&self, iv: &mut [u8]) -> Result<(), Error> {
        self.chain.write_to(iv)
    }

    /// Encrypts the next blocks.
    ///
    /// # Errors
    /// [`Error::PartialBlock`] if they are not whole, [`Error::MessageTooLong`] if blocks of 64 bits become
    /// more than 2^32; then nothing was done.
    pub fn encrypt<'i, 'o>(&mut self, io: impl Into<InOutBuf<'i, 'o, u8>>) -> Result<(), Error> {
        self.transform(Direction::Encrypt, io.into())
    }

    /// Decrypts the next blocks.
    ///
    /// # Errors
    /// As when encrypting.
    pub fn decrypt<'i, 'o>(&mut self, io: impl Into<InOutBuf<'i, 'o, u8>>) -> Result<(), Error> {
        self.transform(Direction::Decrypt, io.into())
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn transform(&mut self, direction: Direction, io: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        let size = self.chain.block_size();
        whole_blocks(size, &io)?;
        let len = self.len.saturating_add(io.len() as u64);
        if size == 8 && len > MOST_OF_64 {
            return Err(Error::MessageTooLong);
        }
        self.len = len;
        self.unlimited(direction, io);
        Ok(())
    }

    /// Whole blocks, however many: the traits of `cipher` have no way to refuse any, and to leave them as they
    /// are would be worse than to go on.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn unlimited(&mut self, direction: Direction, mut io: InOutBuf<'_, '_, u8>) {
        self.cipher.mode_call(&mut ModeCall::Cbc(direction, self.chain.value(), &mut io));
    }

    /// Encrypts the rest of a message in place: the first `len` bytes of the buffer and the padding after
    /// them, 1 to [`block_size`](BlockCipher::block_size) bytes. Gives the ciphertext.
    ///
    /// # Errors
    /// [`Error::BufferLengths`] if the buffer has no room for message and padding; [`Error::MessageTooLong`] as
    /// for [`encrypt`](Self::encrypt).
    pub fn encrypt_pkcs7(mut self, buffer: &mut [u8], len: usize) -> Result<&mut [u8], Error> {
        let size = self.chain.block_size();
        let padding = size - len % size;
        let end = len.checked_add(padding).ok_or(Error::BufferLengths)?;
        let buffer = buffer.get_mut(..end).ok_or(Error::BufferLengths)?;
        buffer[len..].fill(padding as u8);
        self.transform(Direction::Encrypt, (&mut *buffer).into())?;
        Ok(buffer)
    }

    /// Decrypts the rest of a message in place. Gives the plaintext without its padding.
    ///
    /// Padding is examined in constant time, but the answer tells whether it was right: see [`Cbc`].
    ///
    /// # Errors
    /// [`Error::PartialBlock`] if the ciphertext is not a number of whole blocks, and [`Error::MessageTooLong`]; then
    /// nothing was done. [`Error::Padding`] if the plaintext does not end with padding; then the buffer is zeros. An empty
    /// ciphertext is [`Error::Padding`], because the ciphertext of an empty message is a block of padding.
    pub fn decrypt_pkcs7(mut self, buffer: &mut [u8]) -> Result<&mut [u8], Error> {
        let size = self.chain.block_size();
        if buffer.is_empty() {
            return Err(Error::Padding);
        }
        self.transform(Direction::Decrypt, (&mut *buffer).into())?;
        let Some(len) = unpadded(&buffer[buffer.len() - size..]) else {
            wipe(buffer);
            return Err(Error::Padding);
        };
        let len = buffer.len() - size + len;
        Ok(&mut buffer[..len])
    }
}

/// Returns how many bytes of a last block, of 8 or 16, are no padding; none if the padding is wrong (PKCS #7: RFC 5652, section 6.3).
/// The time tells nothing but that.
#[doc(hidden)]
#[must_use]
#[inline(never)]
pub fn unpadded(block: &[u8]) -> Option<usize> {
    if let Ok(block) = block.try_into() {
        unpadded_of::<16>(block)
    } else {
        unpadded_of::<8>(block.try_into().ok()?)
    }
}

/// Looks at all bytes side by side, in vectors, and once at what came of it: with a barrier for each byte that took longer than
/// the decryption of a kilobyte.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn unpadded_of<const N: usize>(block: &[u8; N]) -> Option<usize> {
    // All ones if `a` is less than `b`.
    let less = |a: u8, b: u8| (u16::from(a).wrapping_sub(b.into()) >> 8) as u8;
    let padding = block[N - 1];
    let mut wrong = less(padding, 1) | less(N as u8, padding);
    for (at, byte) in block.iter().rev().enumerate() {
        wrong |= less(at as u8, padding) & (byte ^ padding);
    }
    bool::from(wrong.ct_eq(&0)).then(|| N - usize::from(padding))
}

impl<C> fmt::Debug for Cbc<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cbc").finish_non_exhaustive()
    }
}
