//! A message in GCM that comes in pieces, split anywhere.

use super::limits::{check_lengths, check_nonce, check_tag};
use super::{Gcm, same_tag};
use crate::engine::backend::{Direction, Secrecy};
use crate::ghash::BLOCK;
use crate::loops::gcm::{Begin, Finish, Piece, Running, advance};
use crate::mode_call::Work128;
use crate::modes::part_of_block;
use crate::{BlockCipher128, Error, InOutBuf};
use core::fmt;
use zeroize::Zeroize;

/// A message in pieces, split anywhere.
pub(super) struct Pieces<'g, C> {
    gcm: &'g Gcm<C>,
    direction: Direction,
    running: Running,
    aad_len: u64,
    data_len: u64,
    /// The block that the last piece ended in: its keystream, and its ciphertext so far.
    stream: [u8; BLOCK],
    ciphertext: [u8; BLOCK],
}

impl<'g, C: BlockCipher128> Pieces<'g, C> {
    pub(super) fn new(
        gcm: &'g Gcm<C>,
        direction: Direction,
        nonce: &[u8],
        aad: &[u8],
    ) -> Result<Self, Error> {
        check_nonce(nonce)?;
        check_lengths(aad.len() as u64, 0)?;
        let (running, aad_len) = (Running::default(), aad.len() as u64);
        let mut pieces = Self {
            gcm,
            direction,
            running,
            aad_len,
            data_len: 0,
            stream: [0; BLOCK],
            ciphertext: [0; BLOCK],
        };
        let begin = Begin { key: &gcm.key, nonce, aad, running: &mut pieces.running };
        gcm.cipher.work_128(&mut Work128::GcmBegin(begin));
        Ok(pieces)
    }

    fn update(&mut self, mut io: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        let len = self.data_len.checked_add(io.len() as u64).ok_or(Error::MessageTooLong)?;
        check_lengths(self.aad_len, len)?;
        let filled = (self.data_len % BLOCK as u64) as usize;
        self.data_len = len;
        if filled > 0 {
            let head = io.len().min(BLOCK - filled);
            let (head, rest) = io.split_at(head);
            let end = filled + head.len();
            self.part_of_block(head, filled);
            io = rest;
            if end < BLOCK {
                return Ok(());
            }
            self.hash_block(BLOCK);
        }
        let whole = io.len() - io.len() % BLOCK;
        let (mut whole, tail) = io.split_at(whole);
        let (key, direction) = (&self.gcm.key, self.direction);
        let piece = Piece { key, direction, running: &mut self.running, io: &mut whole };
        self.gcm.cipher.work_128(&mut Work128::GcmPiece(piece));
        if !tail.is_empty() {
            self.stream = [0; BLOCK];
            let counter = self.running.counter;
            self.gcm.cipher.xor_keystream(counter, Secrecy::Secret, &mut self.stream.as_mut_slice().into());
            self.running.counter = advance(counter, 1);
            self.part_of_block(tail, 0);
        }
        Ok(())
    }

    /// Goes on in the kept block, from byte `at` on.
    fn part_of_block(&mut self, io: InOutBuf<'_, '_, u8>, at: usize) {
        part_of_block(self.direction, &self.stream, &mut self.ciphertext, at, io);
    }

    /// Hashes the first bytes of the kept block of ciphertext.
    fn hash_block(&mut self, len: usize) {
        let block = &self.ciphertext[..len];
        self.gcm.cipher.work_128(&mut Work128::GcmHash(&self.gcm.key, &mut self.running, block));
    }

    fn tag(mut self) -> [u8; BLOCK] {
        let filled = (self.data_len % BLOCK as u64) as usize;
        if filled > 0 {
            self.hash_block(filled);
        }
        let mut tag = [0; BLOCK];
        let (key, running) = (&self.gcm.key, &self.running);
        let finish = Finish { key, running, aad_len: self.aad_len, data_len: self.data_len, tag: &mut tag };
        self.gcm.cipher.work_128(&mut Work128::GcmFinish(finish));
        tag
    }
}

impl<C> Drop for Pieces<'_, C> {
    fn drop(&mut self) {
        self.stream.zeroize();
    }
}

/// A message that is encrypted in pieces; made by [`Gcm::encryptor`].
pub struct GcmEncryptor<'g, C>(pub(super) Pieces<'g, C>);

impl<C: BlockCipher128> GcmEncryptor<'_, C> {
    /// Encrypts the next piece, of any length.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`]; then nothing was done.
    pub fn update(&mut self, io: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.0.update(io)
    }

    /// Writes the tag, which is as long as the buffer for it.
    ///
    /// # Errors
    /// [`Error::TagLength`].
    pub fn finish(self, tag: &mut [u8]) -> Result<(), Error> {
        check_tag(tag)?;
        let full = self.0.tag();
        tag.copy_from_slice(&full[..tag.len()]);
        Ok(())
    }
}

/// A message that is decrypted in pieces; made by [`Gcm::decryptor`].
pub struct GcmDecryptor<'g, C>(pub(super) Pieces<'g, C>);

impl<C: BlockCipher128> GcmDecryptor<'_, C> {
    /// Decrypts the next piece, of any length. The caller keeps the plaintext to itself until
    /// [`verify`](Self::verify) has said that it is authentic.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`]; then nothing was done.
    pub fn update(&mut self, io: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.0.update(io)
    }

    /// Compares the tag, in constant time.
    ///
    /// # Errors
    /// [`Error::TagMismatch`]: all plaintext is to be thrown away. [`Error::TagLength`].
    pub fn verify(self, tag: &[u8]) -> Result<(), Error> {
        check_tag(tag)?;
        let full = self.0.tag();
        same_tag(&full, tag)
    }
}

impl<C> fmt::Debug for GcmEncryptor<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GcmEncryptor").finish_non_exhaustive()
    }
}

impl<C> fmt::Debug for GcmDecryptor<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GcmDecryptor").finish_non_exhaustive()
    }
}
