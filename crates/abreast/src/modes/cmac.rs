//! CMAC (SP 800-38B), also known as OMAC1: the last output of a CBC chain as a tag, for blocks of 64 and
//! of 128 bits.

use super::WithTagLen;
use super::tag::{check_len, same_tag};
use crate::engine::backend::ChainingValue;
use crate::gf128::{times_x, times_x_64};
use crate::mode_call::ModeCall;
use crate::wipe::wipe;
use crate::{BlockCipher, Error};
use abreast_simd::inlined::CopyFrom;
use abreast_simd::{Block, Wiped};
use core::fmt;

/// The subkeys for the last block of a message: one value if it is whole, another if it is padded.
pub(crate) struct CmacSubkeys {
    whole: ChainingValue,
    padded: ChainingValue,
}

/// Zeros, for the blocks of a message before its last, of which the chain alone is wanted.
pub(crate) static NO_SUBKEYS: CmacSubkeys = CmacSubkeys::ZERO;

/// A block times `x` (section 5.3). The bytes of a 64-bit block come first.
fn doubled(block: &ChainingValue, size: usize) -> ChainingValue {
    let number = u128::from_be_bytes(*block);
    let doubled =
        if size == 8 { u128::from(times_x_64((number >> 64) as u64)) << 64 } else { times_x(number, 1) };
    doubled.to_be_bytes()
}

impl CmacSubkeys {
    /// Section 6.1.
    pub(super) fn new(cipher: &impl BlockCipher) -> Self {
        // Filled where they are returned, so that no copy is left behind.
        let mut keys = Self::ZERO;
        keys.set(cipher);
        keys
    }

    /// No key yet.
    pub(crate) const ZERO: Self = Self { whole: [0; 16], padded: [0; 16] };

    /// Computes them where they are.
    pub(super) fn set(&mut self, cipher: &impl BlockCipher) {
        let size = cipher.block_size();
        self.whole = [0; 16];
        cipher.mode_call(&mut ModeCall::Mac(&mut self.whole, &[0; 16][..size]));
        self.whole = doubled(&self.whole, size);
        self.padded = doubled(&self.whole, size);
    }

    /// The chaining value after a whole message (section 6.2).
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn mac(
        &self,
        cipher: &(impl BlockCipher + ?Sized),
        mut chain: ChainingValue,
        message: &[u8],
    ) -> ChainingValue {
        let (head, last) = before_last(message, cipher.block_size());
        if !head.is_empty() {
            cipher.mode_call(&mut ModeCall::Mac(&mut chain, head));
        }
        self.finish(cipher, &mut chain, last);
        chain
    }

    /// Takes in the last block, of up to a block of bytes.
    pub(super) fn finish(
        &self,
        cipher: &(impl BlockCipher + ?Sized),
        chain: &mut ChainingValue,
        last: &[u8],
    ) {
        let size = cipher.block_size();
        let mut block = self.last_block(last, size);
        cipher.mode_call(&mut ModeCall::Mac(chain, &block[..size]));
        wipe(&mut block);
    }

    /// The last block, of up to `size` bytes, with its subkey (section 6.2, steps 1 to 4).
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn last_block(&self, last: &[u8], size: usize) -> ChainingValue {
        let block = u128::from_le_bytes(*Block::from_part(last).as_bytes());
        let (subkey, padding) =
            if last.len() == size { (&self.whole, 0) } else { (&self.padded, 0x80 << (8 * last.len())) };
        *Block::from(block ^ padding ^ u128::from_le_bytes(*subkey)).as_bytes()
    }
}

/// Splits a message before its last block, which is not empty unless the message is.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn before_last(data: &[u8], size: usize) -> (&[u8], &[u8]) {
    data.split_at(data.len().saturating_sub(1) / size * size)
}

/// A key for CMAC.
///
/// Tags have as many bytes as the cipher's blocks, or by [`with_tag_len`](Self::with_tag_len) fewer.
///
/// A 64-bit cipher must not authenticate more than 2^21 messages under one key (appendix B).
///
/// ```
/// use abreast::{aes::Aes128, modes::Cmac};
///
/// let cmac = Cmac::from_cipher(Aes128::new(b"a key of 16 byte"));
/// let mut tag = [0; 16];
/// cmac.mac(b"attack at dawn", &mut tag)?;
/// cmac.verify(b"attack at dawn", &tag)?;
/// assert!(cmac.verify(b"attack at dusk", &tag).is_err());
/// # Ok::<(), abreast::Error>(())
/// ```
pub struct Cmac<C>(Wiped<KeyedCmac<C>>);

/// A cipher with its subkeys.
struct KeyedCmac<C> {
    cipher: C,
    subkeys: CmacSubkeys,
}

impl<C: BlockCipher> Cmac<C> {
    /// Makes the mode under a cipher's key.
    pub fn from_cipher(cipher: C) -> Self {
        let subkeys = CmacSubkeys::new(&cipher);
        Self(Wiped::new(KeyedCmac { cipher, subkeys }))
    }

    /// Returns the cipher.
    pub fn cipher(&self) -> &C {
        &self.0.cipher
    }

    /// Returns the subkeys for last blocks.
    pub(crate) fn subkeys(&self) -> &CmacSubkeys {
        &self.0.subkeys
    }

    /// Returns this key with tags of `tag_len` bytes, 1 to a block: the first ones of the full tag. A forgery by chance
    /// succeeds with a probability of `2^-8n` for `n` bytes, so fewer than eight are for special cases only.
    ///
    /// ```
    /// use abreast::{aes::Aes128, modes::Cmac};
    ///
    /// let cmac = Cmac::from_cipher(Aes128::new(b"a key of 16 byte"));
    /// let mut tag = [0; 8];
    /// cmac.with_tag_len(8)?.mac(b"attack at dawn", &mut tag)?;
    /// cmac.with_tag_len(8)?.verify(b"attack at dawn", &tag)?;
    /// assert!(cmac.verify(b"attack at dawn", &tag).is_err());
    /// # Ok::<(), abreast::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TagLength`] if it is another number.
    pub fn with_tag_len(&self, tag_len: usize) -> Result<WithTagLen<'_, Self>, Error> {
        check_tag_len(tag_len, self.0.cipher.block_size())?;
        Ok(WithTagLen { mode: self, tag_len })
    }

    /// Writes the tag of a message, a block.
    ///
    /// # Errors
    /// [`Error::TagLength`] if the buffer for it is not as long.
    pub fn mac(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        self.with_full_tag().mac(message, tag)
    }

    /// Compares the tag of a message, a block, in constant time.
    ///
    /// # Errors
    /// [`Error::TagMismatch`]; [`Error::TagLength`] if the tag is not as long.
    pub fn verify(&self, message: &[u8], tag: &[u8]) -> Result<(), Error> {
        self.with_full_tag().verify(message, tag)
    }

    /// With tags of a block.
    pub(crate) fn with_full_tag(&self) -> WithTagLen<'_, Self> {
        WithTagLen { mode: self, tag_len: self.0.cipher.block_size() }
    }

    fn full(&self, message: &[u8]) -> ChainingValue {
        self.0.subkeys.mac(&self.0.cipher, [0; 16], message)
    }

    /// Begins a message in pieces, split anywhere.
    pub fn pieces(&self) -> CmacPieces<'_, C> {
        CmacPieces { cmac: self, chain: [0; 16], held: [0; 16], len: 0, tag_len: self.0.cipher.block_size() }
    }
}

/// With tags of a length that was asked for.
impl<C: BlockCipher> WithTagLen<'_, Cmac<C>> {
    /// Computes a tag as [`Cmac::mac`] does.
    ///
    /// # Errors
    /// [`Error::TagLength`] if the buffer is not as long as the tag.
    pub fn mac(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        self.check(tag)?;
        write_tag(&self.mode.full(message), tag);
        Ok(())
    }

    /// Verifies a tag as [`Cmac::verify`] does.
    ///
    /// # Errors
    /// [`Error::TagMismatch`]; [`Error::TagLength`] if the tag has another length.
    pub fn verify(&self, message: &[u8], tag: &[u8]) -> Result<(), Error> {
        self.check(tag)?;
        same_tag(&self.mode.full(message), tag)
    }
}

/// Refuses a length of no bytes, or of more than a block.
pub(crate) fn check_tag_len(tag_len: usize, size: usize) -> Result<(), Error> {
    if (1..=size).contains(&tag_len) { Ok(()) } else { Err(Error::TagLength) }
}

/// Writes the first bytes of the full tag, as many as there is room for.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn write_tag(full: &[u8; 16], tag: &mut [u8]) {
    Block::from(u128::from_le_bytes(*full)).to_part(tag);
}

impl<C> fmt::Debug for Cmac<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cmac").finish_non_exhaustive()
    }
}

/// A message for CMAC in pieces; made by [`Cmac::pieces`].
///
/// ```
/// use abreast::{aes::Aes128, modes::Cmac};
///
/// let cmac = Cmac::from_cipher(Aes128::new(b"a key of 16 byte"));
/// let (mut tag, mut whole) = ([0; 8], [0; 16]);
/// let mut pieces = cmac.pieces().with_tag_len(8)?;
/// pieces.update(b"attack ");
/// pieces.update(b"at dawn");
/// pieces.finish(&mut tag)?;
/// cmac.mac(b"attack at dawn", &mut whole)?;
/// assert_eq!(tag, whole[..8]);
/// # Ok::<(), abreast::Error>(())
/// ```
pub struct CmacPieces<'c, C> {
    cmac: &'c Cmac<C>,
    chain: ChainingValue,
    /// The end of the message so far, which may be its last block.
    held: [u8; 16],
    len: usize,
    tag_len: usize,
}

impl<C: BlockCipher> CmacPieces<'_, C> {
    /// Returns the message with a tag of `tag_len` bytes instead of a block.
    ///
    /// # Errors
    /// [`Error::TagLength`] if that is 0 or more than a block.
    pub fn with_tag_len(mut self, tag_len: usize) -> Result<Self, Error> {
        check_tag_len(tag_len, self.cmac.0.cipher.block_size())?;
        self.tag_len = tag_len;
        Ok(self)
    }

    /// Takes in the next piece, of any length.
    pub fn update(&mut self, mut data: &[u8]) {
        let cipher = &self.cmac.0.cipher;
        let size = cipher.block_size();
        let room = (size - self.len).min(data.len());
        let (head, rest) = data.split_at(room);
        self.held[self.len..][..room].copy_from(head);
        self.len += room;
        data = rest;
        if data.is_empty() {
            return;
        }
        // The held bytes are a whole block, and not the last.
        cipher.mode_call(&mut ModeCall::Mac(&mut self.chain, &self.held[..size]));
        let (whole, last) = before_last(data, size);
        cipher.mode_call(&mut ModeCall::Mac(&mut self.chain, whole));
        self.held[..last.len()].copy_from(last);
        self.len = last.len();
    }

    /// Writes the tag.
    ///
    /// # Errors
    /// [`Error::TagLength`] if the buffer is not as long as the tag.
    pub fn finish(self, tag: &mut [u8]) -> Result<(), Error> {
        check_len(tag, self.tag_len)?;
        write_tag(&self.full(), tag);
        Ok(())
    }

    /// Compares the tag, in constant time.
    ///
    /// # Errors
    /// [`Error::TagMismatch`]; [`Error::TagLength`] if the tag is not as long as it is to be.
    pub fn verify(self, tag: &[u8]) -> Result<(), Error> {
        check_len(tag, self.tag_len)?;
        same_tag(&self.full(), tag)
    }

    fn full(mut self) -> ChainingValue {
        let held = &self.held[..self.len];
        self.cmac.0.subkeys.finish(&self.cmac.0.cipher, &mut self.chain, held);
        self.chain
    }
}

impl<C> CmacPieces<'_, C> {
    /// Makes a copy under the same key, which the caller has in another place.
    #[doc(hidden)]
    #[must_use]
    pub fn clone_under<'n>(&self, cmac: &'n Cmac<C>) -> CmacPieces<'n, C> {
        CmacPieces { cmac, chain: self.chain, held: self.held, len: self.len, tag_len: self.tag_len }
    }
}

// Not derived, which would want a cipher that can be copied.
impl<C> Clone for CmacPieces<'_, C> {
    fn clone(&self) -> Self {
        self.clone_under(self.cmac)
    }
}

impl<C> Drop for CmacPieces<'_, C> {
    fn drop(&mut self) {
        wipe(&mut self.chain);
        wipe(&mut self.held);
    }
}

impl<C> fmt::Debug for CmacPieces<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CmacPieces").finish_non_exhaustive()
    }
}
