//! Output feedback (SP 800-38A, section 6.4): the cipher as a generator of keystream that feeds on itself.
//!
//! A chain, one block after the other, in both directions.

use super::cbc::chain_from;
use crate::engine::backend::{Chain, Direction};
use crate::mode_call::Work;
use crate::{BlockCipher, Error, InOutBuf};
use core::fmt;
use zeroize::Zeroize;

/// A message in output feedback mode, in pieces that are split anywhere: encryption and decryption are the
/// same.
///
/// The initialisation vector, one block, must never repeat under one key. OFB does not authenticate: who
/// flips a bit of the ciphertext flips that bit of the plaintext.
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
pub struct Ofb<C> {
    cipher: C,
    /// The last block of keystream.
    chain: Chain,
    /// Bytes of it not yet used.
    left: usize,
}

impl<C: BlockCipher> Ofb<C> {
    /// The message that begins with an initialisation vector.
    ///
    /// # Errors
    /// [`Error::IvLength`] if it is not one block long.
    pub fn from_cipher(cipher: C, iv: &[u8]) -> Result<Self, Error> {
        let chain = chain_from(&cipher, iv)?;
        Ok(Self { cipher, chain, left: 0 })
    }

    /// Xors the next keystream into the data.
    pub fn apply<'i, 'o>(&mut self, io: impl Into<InOutBuf<'i, 'o, u8>>) {
        let io = io.into();
        let size = self.cipher.block_size();
        let head = self.left.min(io.len());
        let (mut head, rest) = io.split_at(head);
        self.part_of_block(&mut head);
        let whole = rest.len() - rest.len() % size;
        let (mut whole, mut tail) = rest.split_at(whole);
        self.cipher.work(&mut Work::Ofb(&mut self.chain, &mut whole));
        if !tail.is_empty() {
            let chain = &mut self.chain[..size];
            self.cipher.work(&mut Work::Ecb(Direction::Encrypt, &mut chain.into()));
            self.left = size;
            self.part_of_block(&mut tail);
        }
    }

    fn part_of_block(&mut self, io: &mut InOutBuf<'_, '_, u8>) {
        let at = self.cipher.block_size() - self.left;
        io.xor_in2out(&self.chain[at..at + io.len()]);
        self.left -= io.len();
    }
}

impl<C> Drop for Ofb<C> {
    fn drop(&mut self) {
        self.chain.zeroize();
    }
}

impl<C> fmt::Debug for Ofb<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ofb").finish_non_exhaustive()
    }
}
