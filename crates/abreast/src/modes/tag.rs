//! Lengths of tags: those that a mode has by itself, and others by name.

use crate::Error;
use abreast_simd::Block;
use core::fmt;
use core::hint::black_box;
use subtle::{Choice, ConstantTimeEq};

/// A mode under a key with tags of another length than its own; made by `with_tag_len` of [`Gcm`](super::Gcm),
/// [`Eax`](super::Eax), [`Cmac`](super::Cmac), `Aez` and `Hmac`.
///
/// The length of a tag decides how likely a forgery is, so it is never taken from a message: a tag of any other length
/// than the one that was asked for is refused. Batches take it in place of the mode's key, as
/// `Packet::new(gcm.with_tag_len(12)?, ..)`.
///
/// ```
/// use abreast::{Error, aes::Aes128, modes::Gcm};
///
/// let gcm = Gcm::from_cipher(Aes128::new(b"a key of 16 byte"));
/// let gcm = gcm.with_tag_len(12)?;
/// let (mut data, mut tag) = (*b"attack at dawn", [0; 12]);
/// gcm.encrypt_detached(&[1; 12], b"", data.as_mut_slice(), &mut tag)?;
/// let cut = gcm.decrypt_detached(&[1; 12], b"", data.as_mut_slice(), &tag[..4]);
/// assert_eq!(cut, Err(Error::TagLength));
/// gcm.decrypt_detached(&[1; 12], b"", data.as_mut_slice(), &tag)?;
/// assert_eq!(&data, b"attack at dawn");
/// # Ok::<(), Error>(())
/// ```
pub struct WithTagLen<'m, M> {
    pub(crate) mode: &'m M,
    /// One that the mode allows.
    pub(crate) tag_len: usize,
}

impl<M> WithTagLen<'_, M> {
    /// Returns the number of bytes of a tag.
    ///
    /// ```
    /// use abreast::{Error, aes::Aes128, modes::Gcm};
    ///
    /// let gcm = Gcm::from_cipher(Aes128::new(&[7; 16]));
    /// assert_eq!(gcm.with_tag_len(12)?.tag_len(), 12);
    /// assert_eq!(gcm.with_tag_len(3).err(), Some(Error::TagLength));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn tag_len(&self) -> usize {
        self.tag_len
    }

    /// Refuses a tag of another length.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn check(&self, tag: &[u8]) -> Result<(), Error> {
        check_len(tag, self.tag_len)
    }
}

impl<M> Clone for WithTagLen<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for WithTagLen<'_, M> {}

impl<M> fmt::Debug for WithTagLen<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WithTagLen").field("tag_len", &self.tag_len).finish_non_exhaustive()
    }
}

/// Refuses a tag of another length than the one that the key is for.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn check_len(tag: &[u8], tag_len: usize) -> Result<(), Error> {
    if tag.len() == tag_len { Ok(()) } else { Err(Error::TagLength) }
}

/// Compares a tag with the beginning of the full one. Its length is no secret; its bytes are compared in constant time.
///
/// # Errors
/// [`Error::TagMismatch`].
pub(crate) fn same_tag(full: &[u8; 16], tag: &[u8]) -> Result<(), Error> {
    // Numbers are compared: byte by byte, with a barrier after each, costs as much as a short message.
    let number = |tag: &[u8]| u128::from_le_bytes(*Block::from_part(tag).as_bytes());
    verdict(number(&full[..tag.len()]).ct_eq(&number(tag)))
}

/// Compares a tag as [`same_tag`] does, with the beginning of one of 32 bytes.
///
/// # Errors
/// [`Error::TagMismatch`].
#[cfg(feature = "hmac")]
pub(crate) fn same_tag_of_32(full: &[u8; 32], tag: &[u8]) -> Result<(), Error> {
    let number = |tag: &[u8]| u128::from_le_bytes(*Block::from_part(tag).as_bytes());
    let at = tag.len().min(16);
    let (first, rest) = full[..tag.len()].split_at(at);
    verdict(number(first).ct_eq(&number(&tag[..at])) & number(rest).ct_eq(&number(&tag[at..])))
}

/// Makes a secret comparison the public answer of a call.
///
/// The branch stands here alone and not in the callers, so that `cargo xtask ct` finds it in one function, however the
/// compiler arranges the others.
///
/// # Errors
/// [`Error::TagMismatch`] if the comparison failed.
#[inline(never)]
pub(crate) fn verdict(equal: Choice) -> Result<(), Error> {
    if equal.into() { black_box(Ok(())) } else { black_box(Err(Error::TagMismatch)) }
}
