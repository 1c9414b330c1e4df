//! Output feedback (SP 800-38A, section 6.4): the cipher as a generator of keystream that feeds on itself.
//!
//! A chain, one block after the other, in both directions.

use super::chain::Chain;
use crate::engine::backend::Direction;
use crate::mode_call::ModeCall;
use crate::{BlockCipher, Error, InOutBuf};
use core::fmt;

/// A message in output feedback mode, in pieces that are split anywhere: encryption and decryption are the
/// same.
///
/// The initialisation vector, one block, must never repeat under one key. OFB does not authenticate: whoever flips a bit of the
/// ciphertext flips that bit of the plaintext.
///
/// ```
/// use abreast::{aes::Aes128, modes::Ofb};
///
/// let aes = Aes128::new(b"a key of 16 byte");
/// let mut data = *b"attack at dawn";
/// Ofb::from_cipher(&aes, &[7; 16])?.apply(data.as_mut_slice());
/// Ofb::from_cipher(&aes, &[7; 16])?.apply(data.as_mut_slice());
/// assert_eq!(&data, b"attack at dawn");
/// # Ok::<(), abreast::Error>(())
/// ```
// The chain first: `Chain` says why.
#[derive(Clone)]
#[repr(C)]
pub struct Ofb<C> {
    /// The last block of keystream.
    chain: Chain,
    cipher: C,
    /// Bytes of it not yet used.
    left: usize,
}

impl<C: BlockCipher> Ofb<C> {
    /// Begins a message with an initialisation vector.
    ///
    /// # Errors
    /// [`Error::IvLength`] if it is not one block long.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub fn from_cipher(cipher: C, iv: &[u8]) -> Result<Self, Error> {
        let chain = Chain::from_iv(&cipher, iv)?;
        Ok(Self { cipher, chain, left: 0 })
    }

    /// Writes the initialisation vector with which another message would go on where this one is: the last block of keystream.
    /// Within a block, the rest of that keystream is still to be used.
    ///
    /// # Errors
    /// [`Error::IvLength`] if the buffer is not one block long.
    pub fn running_iv(&self, iv: &mut [u8]) -> Result<(), Error> {
        self.chain.write_to(iv)
    }

    /// Returns the number of bytes done of a block that has been begun.
    #[must_use]
    pub fn within_block(&self) -> usize {
        if self.left == 0 { 0 } else { self.chain.block_size() - self.left }
    }

    /// Xors the next keystream into the data.
    pub fn apply<'i, 'o>(&mut self, io: impl Into<InOutBuf<'i, 'o, u8>>) {
        let io = io.into();
        let size = self.chain.block_size();
        let head = self.left.min(io.len());
        let (mut head, rest) = io.split_at(head);
        self.part_of_block(&mut head);
        let whole = self.chain.whole_blocks(rest.len());
        let (mut whole, mut tail) = rest.split_at(whole);
        self.cipher.mode_call(&mut ModeCall::Ofb(self.chain.value(), &mut whole));
        if !tail.is_empty() {
            let chain = &mut self.chain.value()[..size];
            self.cipher.mode_call(&mut ModeCall::Ecb(Direction::Encrypt, &mut chain.into()));
            self.left = size;
            self.part_of_block(&mut tail);
        }
    }

    fn part_of_block(&mut self, io: &mut InOutBuf<'_, '_, u8>) {
        let at = self.chain.block_size() - self.left;
        io.xor_in2out(&self.chain.value()[at..at + io.len()]);
        self.left -= io.len();
    }
}

impl<C> fmt::Debug for Ofb<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ofb").finish_non_exhaustive()
    }
}
