//! A message of a batch.

use crate::{Error, InOutBuf};
use abreast_simd::buffer::Buffer;
use core::fmt;

/// A message of a batch, with its key and its result.
///
/// See [the module](crate::packets) for the meaning of the fields in each mode.
pub struct Packet<'a, K> {
    /// The key, its own or shared with others.
    pub key: K,
    /// Initialisation vector, nonce, counter block or number.
    pub iv: &'a [u8],
    /// Associated data: authenticated, not encrypted.
    pub associated_data: &'a [u8],
    /// The message.
    pub buffer: Buffer<'a>,
    /// The tag: written by encryption, read by decryption.
    pub tag: &'a mut [u8],
    /// The result, the same as of a single call. [`Error::NotProcessed`] until a batch has processed it;
    /// a batch does not read the result of an earlier one.
    pub result: Result<(), Error>,
}

impl<'a, K> Packet<'a, K> {
    /// Makes a message without associated data and tag.
    #[inline]
    pub fn new(key: impl Into<K>, iv: &'a [u8], buffer: impl Into<InOutBuf<'a, 'a, u8>>) -> Self {
        Self {
            key: key.into(),
            iv,
            associated_data: &[],
            buffer: buffer.into().into(),
            tag: &mut [],
            result: Err(Error::NotProcessed),
        }
    }

    /// Returns the message with associated data and a tag.
    #[inline]
    #[must_use]
    pub fn with_tag(self, associated_data: &'a [u8], tag: &'a mut [u8]) -> Self {
        Self { associated_data, tag, ..self }
    }
}

impl<K> fmt::Debug for Packet<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let len = self.buffer.len();
        f.debug_struct("Packet").field("len", &len).field("result", &self.result).finish_non_exhaustive()
    }
}
