//! Messages with a tag that come in pieces, split anywhere: one pair of types for all modes that have them.

use super::tag::check_len;
use super::tag::same_tag;
use crate::engine::backend::Direction;
use crate::{Error, InOutBuf};
use abreast_simd::Wiped;
use abreast_simd::inlined::CopyFrom;
use core::fmt;

pub(crate) mod sealed {
    /// Implemented by the modes of this crate.
    pub trait SealedStreaming {}
}

/// A mode whose messages may come in pieces. The trait is closed.
///
/// ```
/// use abreast::{Error, aes::Aes128, modes::{Decryptor, Eax, Gcm, Streaming}};
///
/// fn open<M: Streaming>(mut message: Decryptor<'_, M>, pieces: &mut [Vec<u8>], tag: &[u8]) -> Result<(), Error> {
///     pieces.iter_mut().try_for_each(|piece| message.update(piece.as_mut_slice()))?;
///     message.verify(tag)
/// }
/// let (gcm, eax) = (Gcm::from_cipher(Aes128::new(&[1; 16])), Eax::from_cipher(Aes128::new(&[2; 16])));
/// assert!(open(gcm.decryptor(&[1; 12], b"")?, &mut [vec![0; 9]], &[0; 16]).is_err());
/// assert!(open(eax.decryptor(&[1; 12], b""), &mut [vec![0; 9]], &[0; 16]).is_err());
/// # Ok::<(), Error>(())
/// ```
pub trait Streaming: sealed::SealedStreaming {
    /// The state of a message between two pieces, wiped when it is dropped.
    #[doc(hidden)]
    type State: Clone;

    /// The beginning of a message that has no associated data yet.
    #[doc(hidden)]
    fn begin(&self, nonce: &[u8]) -> Result<Self::State, Error>;

    /// Takes in the next piece of the associated data, all of which comes before the message.
    #[doc(hidden)]
    fn associated_data(&self, state: &mut Self::State, data: &[u8]) -> Result<(), Error>;

    /// Encrypts or decrypts the next piece.
    #[doc(hidden)]
    fn update(
        &self,
        state: &mut Self::State,
        direction: Direction,
        io: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Error>;

    /// The full tag of a message that has ended.
    #[doc(hidden)]
    fn full_tag(&self, state: &mut Self::State) -> [u8; 16];

    /// Returns the number of bytes of the full tag.
    #[doc(hidden)]
    fn full_tag_len(&self) -> usize;

    /// Refuses lengths of tags that the mode does not define.
    #[doc(hidden)]
    fn check_tag_len(&self, tag_len: usize) -> Result<(), Error>;
}

/// The common part of both directions.
struct TaggedStream<'m, M: Streaming> {
    mode: &'m M,
    state: M::State,
    tag_len: usize,
}

impl<'m, M: Streaming> TaggedStream<'m, M> {
    fn new(mode: &'m M, state: M::State) -> Wiped<Self> {
        Wiped::new(Self { mode, state, tag_len: mode.full_tag_len() })
    }

    fn set_tag_len(&mut self, tag_len: usize) -> Result<(), Error> {
        self.mode.check_tag_len(tag_len)?;
        self.tag_len = tag_len;
        Ok(())
    }

    fn associated_data(&mut self, data: &[u8]) -> Result<(), Error> {
        self.mode.associated_data(&mut self.state, data)
    }

    fn clone_under<'n>(&self, mode: &'n M) -> Wiped<TaggedStream<'n, M>> {
        Wiped::new(TaggedStream { mode, state: self.state.clone(), tag_len: self.tag_len })
    }
}

/// A message that is encrypted in pieces; made by [`Gcm::encryptor`](super::Gcm::encryptor) and
/// [`Eax::encryptor`](super::Eax::encryptor).
///
/// ```
/// use abreast::{aes::Aes128, modes::Gcm};
///
/// let gcm = Gcm::from_cipher(Aes128::new(b"a key of 16 byte"));
/// let (mut first, mut second, mut tag) = (*b"attack ", *b"at dawn", [0; 16]);
/// let mut encryptor = gcm.encryptor(&[1; 12], b"sent in clear")?;
/// encryptor.update(first.as_mut_slice())?;
/// encryptor.update(second.as_mut_slice())?;
/// encryptor.finish(&mut tag)?;
///
/// let mut decryptor = gcm.decryptor(&[1; 12], b"sent in clear")?;
/// decryptor.update(first.as_mut_slice())?;
/// decryptor.update(second.as_mut_slice())?;
/// decryptor.verify(&tag)?;
/// assert_eq!((&first, &second), (b"attack ", b"at dawn"));
/// # Ok::<(), abreast::Error>(())
/// ```
pub struct Encryptor<'m, M: Streaming>(Wiped<TaggedStream<'m, M>>);

impl<'m, M: Streaming> Encryptor<'m, M> {
    pub(crate) fn new(mode: &'m M, state: M::State) -> Self {
        Self(TaggedStream::new(mode, state))
    }

    /// Returns the message with a tag of `tag_len` bytes instead of the mode's own length.
    ///
    /// ```
    /// use abreast::{aes::Aes128, modes::Gcm};
    ///
    /// let gcm = Gcm::from_cipher(Aes128::new(&[7; 16]));
    /// let mut encryptor = gcm.encryptor(&[1; 12], b"header, ")?.with_tag_len(12)?;
    /// encryptor.associated_data(b"and its end")?;
    /// let (mut message, mut tag) = (*b"attack at dawn", [0; 12]);
    /// encryptor.update(message.as_mut_slice())?;
    /// encryptor.finish(&mut tag)?;
    ///
    /// let mut decryptor = gcm.decryptor(&[1; 12], b"header, and its end")?.with_tag_len(12)?;
    /// decryptor.update(message.as_mut_slice())?;
    /// decryptor.verify(&tag)?;
    /// # Ok::<(), abreast::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TagLength`] if the mode does not define that length.
    pub fn with_tag_len(mut self, tag_len: usize) -> Result<Self, Error> {
        self.0.set_tag_len(tag_len)?;
        Ok(self)
    }

    /// Takes in the next piece of the associated data, after the associated data with which it began.
    ///
    /// # Errors
    /// [`Error::AssociatedDataLate`] after data of the message; [`Error::MessageTooLong`], by GCM alone. Then nothing was
    /// done.
    pub fn associated_data(&mut self, data: &[u8]) -> Result<(), Error> {
        self.0.associated_data(data)
    }

    /// Encrypts the next piece, of any length.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`], by GCM alone; then nothing was done.
    pub fn update<'i, 'o>(&mut self, io: impl Into<InOutBuf<'i, 'o, u8>>) -> Result<(), Error> {
        let stream = &mut *self.0;
        stream.mode.update(&mut stream.state, Direction::Encrypt, io.into())
    }

    /// Writes the tag.
    ///
    /// # Errors
    /// [`Error::TagLength`] if the buffer is not as long as the tag.
    pub fn finish(mut self, tag: &mut [u8]) -> Result<(), Error> {
        check_len(tag, self.0.tag_len)?;
        let stream = &mut *self.0;
        let full = stream.mode.full_tag(&mut stream.state);
        tag.copy_from(&full[..tag.len()]);
        Ok(())
    }
}

/// A message that is decrypted in pieces; made by [`Gcm::decryptor`](super::Gcm::decryptor) and
/// [`Eax::decryptor`](super::Eax::decryptor). See [`Encryptor`] for an example.
pub struct Decryptor<'m, M: Streaming>(Wiped<TaggedStream<'m, M>>);

impl<'m, M: Streaming> Decryptor<'m, M> {
    pub(crate) fn new(mode: &'m M, state: M::State) -> Self {
        Self(TaggedStream::new(mode, state))
    }

    /// Returns the message with a tag of `tag_len` bytes instead of the mode's own length. That length is the protocol's:
    /// taken from the message, it would let an attacker choose how likely a forgery is.
    ///
    /// # Errors
    /// [`Error::TagLength`] if the mode does not define that length.
    pub fn with_tag_len(mut self, tag_len: usize) -> Result<Self, Error> {
        self.0.set_tag_len(tag_len)?;
        Ok(self)
    }

    /// Takes in the next piece of the associated data, after the associated data with which it began.
    ///
    /// # Errors
    /// [`Error::AssociatedDataLate`] after data of the message; [`Error::MessageTooLong`], by GCM alone. Then nothing was
    /// done.
    pub fn associated_data(&mut self, data: &[u8]) -> Result<(), Error> {
        self.0.associated_data(data)
    }

    /// Decrypts the next piece, of any length. The caller keeps the plaintext back until [`verify`](Self::verify) has
    /// said that it is authentic.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`], by GCM alone; then nothing was done.
    pub fn update<'i, 'o>(&mut self, io: impl Into<InOutBuf<'i, 'o, u8>>) -> Result<(), Error> {
        let stream = &mut *self.0;
        stream.mode.update(&mut stream.state, Direction::Decrypt, io.into())
    }

    /// Compares the tag, in constant time.
    ///
    /// # Errors
    /// [`Error::TagMismatch`] and [`Error::TagLength`], if the tag is not as long as it is to be: all plaintext is to
    /// be thrown away.
    pub fn verify(mut self, tag: &[u8]) -> Result<(), Error> {
        check_len(tag, self.0.tag_len)?;
        let stream = &mut *self.0;
        same_tag(&stream.mode.full_tag(&mut stream.state), tag)
    }
}

impl<M: Streaming> fmt::Debug for Encryptor<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encryptor").finish_non_exhaustive()
    }
}

impl<M: Streaming> fmt::Debug for Decryptor<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decryptor").finish_non_exhaustive()
    }
}

impl<M: Streaming> Encryptor<'_, M> {
    /// Makes a copy under the same key, which the caller has in another place.
    #[doc(hidden)]
    #[must_use]
    pub fn clone_under<'n>(&self, mode: &'n M) -> Encryptor<'n, M> {
        Encryptor(self.0.clone_under(mode))
    }
}

impl<M: Streaming> Clone for Encryptor<'_, M> {
    fn clone(&self) -> Self {
        self.clone_under(self.0.mode)
    }
}

impl<M: Streaming> Decryptor<'_, M> {
    /// Makes a copy under the same key, which the caller has in another place.
    #[doc(hidden)]
    #[must_use]
    pub fn clone_under<'n>(&self, mode: &'n M) -> Decryptor<'n, M> {
        Decryptor(self.0.clone_under(mode))
    }
}

impl<M: Streaming> Clone for Decryptor<'_, M> {
    fn clone(&self) -> Self {
        self.clone_under(self.0.mode)
    }
}
