//! Cipher feedback (SP 800-38A, section 6.3), with segments of a block and of a byte.
//!
//! Encryption is a chain, one segment after the other. Decryption is not: the inputs of the cipher are
//! ciphertext, which is all there.

use super::chain::Chain;
use crate::engine::backend::Direction;
use crate::engine::passes::split_up_to;
use crate::loops::cfb::shifted;
use crate::mode_call::ModeCall;
use crate::wipe::wipe;
use crate::{BlockCipher, Error, InOutBuf};
use abreast_simd::inlined::{CopyFrom, Zipped};
use core::fmt;

/// A message in cipher feedback mode with segments of a block, encrypted or decrypted in pieces that are
/// split anywhere. Also known as CFB128, or CFB64 for 64-bit blocks.
///
/// The initialisation vector, one block, must be unpredictable for each message. CFB does not authenticate: whoever flips a bit
/// of the ciphertext flips that bit of the plaintext and garbles the block after it.
///
/// ```
/// use abreast::{modes::Cfb, serpent::Serpent};
///
/// let serpent = Serpent::new(b"a key of 16 byte")?;
/// let mut data = *b"attack at dawn, or a little later than that";
/// Cfb::from_cipher(&serpent, &[7; 16])?.encrypt(data.as_mut_slice());
/// Cfb::from_cipher(&serpent, &[7; 16])?.decrypt(data.as_mut_slice());
/// assert_eq!(&data[..14], b"attack at dawn");
/// # Ok::<(), abreast::Error>(())
/// ```
// The chain first: `Chain` says why.
#[derive(Clone)]
#[repr(C)]
pub struct Cfb<C> {
    /// The last block of ciphertext; or, when a block has been begun, its ciphertext as far as it goes and
    /// then the rest of its keystream.
    chain: Chain,
    cipher: C,
    /// Bytes done of a block that has been begun.
    begun: usize,
}

impl<C: BlockCipher> Cfb<C> {
    /// Begins a message with an initialisation vector.
    ///
    /// # Errors
    /// [`Error::IvLength`] if it is not one block long.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub fn from_cipher(cipher: C, iv: &[u8]) -> Result<Self, Error> {
        let chain = Chain::from_iv(&cipher, iv)?;
        Ok(Self { cipher, chain, begun: 0 })
    }

    /// Writes the initialisation vector with which another message would go on where this one is.
    ///
    /// ```
    /// use abreast::{aes::Aes128, modes::Cfb};
    ///
    /// let aes = Aes128::new(b"a key of 16 byte");
    /// let (mut data, mut iv) = ([0; 40], [7; 16]);
    /// let mut cfb = Cfb::from_cipher(&aes, &iv)?;
    /// cfb.encrypt(&mut data[..16]);
    /// assert_eq!(cfb.within_block(), 0);
    /// cfb.running_iv(&mut iv)?;
    /// Cfb::from_cipher(&aes, &iv)?.encrypt(&mut data[16..]);
    /// # Ok::<(), abreast::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::IvLength`] if the buffer is not one block long.
    pub fn running_iv(&self, iv: &mut [u8]) -> Result<(), Error> {
        self.chain.write_to(iv)
    }

    /// Returns the number of bytes done of a block that has been begun. While there are any, the running initialisation vector is the
    /// ciphertext of that block so far and then the rest of its keystream, which is secret.
    #[must_use]
    pub fn within_block(&self) -> usize {
        self.begun
    }

    /// Encrypts the next piece of the message.
    pub fn encrypt<'i, 'o>(&mut self, io: impl Into<InOutBuf<'i, 'o, u8>>) {
        self.transform(Direction::Encrypt, io.into());
    }

    /// Decrypts the next piece of the message.
    pub fn decrypt<'i, 'o>(&mut self, io: impl Into<InOutBuf<'i, 'o, u8>>) {
        self.transform(Direction::Decrypt, io.into());
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn transform(&mut self, direction: Direction, mut io: InOutBuf<'_, '_, u8>) {
        let size = self.chain.block_size();
        if self.begun > 0 {
            let left = (size - self.begun).min(io.len());
            let (head, rest) = io.split_at(left);
            self.part_of_block(direction, head);
            self.begun %= size;
            io = rest;
        }
        let whole = self.chain.whole_blocks(io.len());
        let (mut whole, tail) = io.split_at(whole);
        self.cipher.mode_call(&mut ModeCall::Cfb(direction, self.chain.value(), &mut whole));
        if !tail.is_empty() {
            let chain = &mut self.chain.value()[..size];
            self.cipher.mode_call(&mut ModeCall::Ecb(Direction::Encrypt, &mut chain.into()));
            self.part_of_block(direction, tail);
        }
    }

    /// Goes on in a block whose keystream is in `chain`.
    fn part_of_block(&mut self, direction: Direction, mut io: InOutBuf<'_, '_, u8>) {
        let part = &mut self.chain.value()[self.begun..][..io.len()];
        for (i, kept) in part.iter_mut().enumerate() {
            let (input, stream) = (io.get_in()[i], *kept);
            io.get_out()[i] = input ^ stream;
            *kept = if direction == Direction::Encrypt { input ^ stream } else { input };
        }
        self.begun += io.len();
    }
}

impl<C> fmt::Debug for Cfb<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cfb").finish_non_exhaustive()
    }
}

/// Bytes that are decrypted together: a block each, in all as many as the widest passes have.
pub(crate) const TOGETHER: usize = 128;

/// A message in cipher feedback mode with segments of a byte (CFB8), in pieces that are split anywhere.
///
/// Encryption runs the cipher once for every byte, decryption does so for many bytes together. All else is
/// as in [`Cfb`].
///
/// ```
/// use abreast::{aes::Aes128, modes::Cfb8};
///
/// let aes = Aes128::new(b"a key of 16 byte");
/// let mut data = *b"attack at dawn";
/// Cfb8::from_cipher(&aes, &[7; 16])?.encrypt(data.as_mut_slice());
/// Cfb8::from_cipher(&aes, &[7; 16])?.decrypt(data.as_mut_slice());
/// assert_eq!(&data, b"attack at dawn");
/// # Ok::<(), abreast::Error>(())
/// ```
#[derive(Clone)]
#[repr(C)]
pub struct Cfb8<C> {
    chain: Chain,
    cipher: C,
}

impl<C: BlockCipher> Cfb8<C> {
    /// Begins a message with an initialisation vector.
    ///
    /// # Errors
    /// [`Error::IvLength`] if it is not one block long.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub fn from_cipher(cipher: C, iv: &[u8]) -> Result<Self, Error> {
        let chain = Chain::from_iv(&cipher, iv)?;
        Ok(Self { cipher, chain })
    }

    /// Writes the initialisation vector with which another message would go on where this one is.
    ///
    /// # Errors
    /// [`Error::IvLength`] if the buffer is not one block long.
    pub fn running_iv(&self, iv: &mut [u8]) -> Result<(), Error> {
        self.chain.write_to(iv)
    }

    /// Encrypts the next piece of the message.
    pub fn encrypt<'i, 'o>(&mut self, io: impl Into<InOutBuf<'i, 'o, u8>>) {
        self.cipher.mode_call(&mut ModeCall::Cfb8(self.chain.value(), &mut io.into()));
    }

    /// Decrypts the next piece of the message.
    pub fn decrypt<'i, 'o>(&mut self, io: impl Into<InOutBuf<'i, 'o, u8>>) {
        let io = io.into();
        let size = self.chain.block_size();
        let mut inputs = [0; 16 * TOGETHER];
        let mut rest = io;
        while !rest.is_empty() {
            let (mut bytes, after) = split_up_to(rest, TOGETHER);
            let inputs = &mut inputs[..bytes.len() * size];
            for (input, byte) in inputs.chunks_exact_mut(size).zipped(bytes.get_in()) {
                input.copy_from(&self.chain.value()[..size]);
                *self.chain.value() = shifted(*self.chain.value(), *byte, size);
            }
            self.cipher.mode_call(&mut ModeCall::Ecb(Direction::Encrypt, &mut (&mut *inputs).into()));
            for (i, stream) in inputs.chunks_exact(size).enumerate() {
                let byte = bytes.get_in()[i] ^ stream[0];
                bytes.get_out()[i] = byte;
            }
            rest = after;
        }
        wipe(&mut inputs);
    }
}

impl<C> fmt::Debug for Cfb8<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cfb8").finish_non_exhaustive()
    }
}
