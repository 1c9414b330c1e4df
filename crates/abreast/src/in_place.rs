//! Messages and their tags in one buffer: a `Vec` that grows by the tag, or a slice.

#[cfg(feature = "aez")]
use crate::aez::Aez;
#[cfg(feature = "modes")]
use crate::modes::Eax;
use crate::modes::{Gcm, WithTagLen};
#[cfg(feature = "siv")]
use crate::modes::{GcmSiv, Siv};
use crate::{BlockCipher, BlockCipher128, Error};
#[cfg(feature = "alloc")]
use alloc::vec::Vec;

/// Bytes of the tag of a mode that has tags of one length.
// No boundary: a length of tags.
const TAG: usize = 16;

/// Appends room for a tag and encrypts the message in place. If that fails, the message is unchanged.
#[cfg(feature = "alloc")]
fn seal(
    message: &mut Vec<u8>,
    tag_len: usize,
    encrypt: impl FnOnce(&mut [u8], &mut [u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    let len = message.len();
    message.try_reserve(tag_len).map_err(|_| Error::OutOfMemory)?;
    message.resize(len + tag_len, 0);
    let (data, tag) = message.split_at_mut(len);
    encrypt(data, tag).inspect_err(|_| message.truncate(len))
}

/// Moves a ciphertext and its tag to the start of a buffer, decrypts it there and returns the message.
fn open(
    buffer: &mut [u8],
    from: usize,
    tag_len: usize,
    decrypt: impl FnOnce(&mut [u8], &[u8]) -> Result<(), Error>,
) -> Result<&mut [u8], Error> {
    let sealed = buffer.len().checked_sub(from).ok_or(Error::BufferLengths)?;
    let Some(len) = sealed.checked_sub(tag_len) else {
        buffer[from..].fill(0);
        return Err(Error::TagMismatch);
    };
    if from > 0 {
        buffer.copy_within(from.., 0);
    }
    let (data, tag) = buffer[..sealed].split_at_mut(len);
    decrypt(data, tag)?;
    Ok(data)
}

/// Defines the calls of a mode that appends its tag. `$aad` is the type of its associated data, `$tag` the type of its tags.
macro_rules! in_place {
    ([$($parameter:tt)*] $mode:ty, |$self:ident| aad $aad:ty, tag $tag:ty, of $tag_len:expr) => {
        impl<$($parameter)*> $mode {
            /// Encrypts a message in place and appends its tag. A vector with spare capacity for the tag is not reallocated.
            ///
            /// ```
            /// // So with each mode that puts its tag last.
            /// use abreast::{aes::Aes128, modes::Gcm};
            ///
            /// let gcm = Gcm::from_cipher(Aes128::new(&[7; 16]));
            /// let mut message = b"attack at dawn".to_vec();
            /// gcm.seal_in_place(&[1; 12], b"", &mut message)?;
            /// assert_eq!(message.len(), 14 + 16);
            /// gcm.open_in_place(&[1; 12], b"", &mut message)?;
            /// assert_eq!(message, b"attack at dawn");
            /// # Ok::<(), abreast::Error>(())
            /// ```
            ///
            /// # Errors
            /// The errors of [`encrypt_detached`](Self::encrypt_detached); [`Error::OutOfMemory`] if the vector cannot grow. The
            /// message is then unchanged.
            #[cfg(feature = "alloc")]
            pub fn seal_in_place(
                &$self,
                nonce: &[u8],
                associated_data: $aad,
                message: &mut Vec<u8>,
            ) -> Result<(), Error> {
                seal(message, $tag_len, |data, tag| {
                    let tag: &mut $tag = tag.try_into().map_err(|_| Error::TagLength)?;
                    $self.encrypt_detached(nonce, associated_data, data, tag)
                })
            }

            /// Decrypts a ciphertext in place and removes the tag at its end. If the tag is wrong, the message is overwritten
            /// with zeros.
            ///
            /// # Errors
            /// [`Error::TagMismatch`], also for input shorter than a tag; the other errors of
            /// [`decrypt_detached`](Self::decrypt_detached), and then nothing was done.
            #[cfg(feature = "alloc")]
            pub fn open_in_place(
                &$self,
                nonce: &[u8],
                associated_data: $aad,
                sealed: &mut Vec<u8>,
            ) -> Result<(), Error> {
                let len = $self.open_within(nonce, associated_data, sealed, 0)?.len();
                sealed.truncate(len);
                Ok(())
            }

            /// Decrypts the ciphertext and tag from byte `from` to the end of a buffer, and returns the message, which is moved to
            /// the start of the buffer. If the tag is wrong, zeros are there instead.
            ///
            /// ```
            /// // So with each mode that puts its tag last.
            /// use abreast::{aes::Aes128, modes::Gcm};
            ///
            /// let gcm = Gcm::from_cipher(Aes128::new(&[7; 16]));
            /// let (mut message, nonce) = (b"attack at dawn".to_vec(), [1; 12]);
            /// gcm.seal_in_place(&nonce, b"", &mut message)?;
            /// let mut packet = [&nonce[..], &message].concat();
            /// assert_eq!(gcm.open_within(&nonce, b"", &mut packet, 12)?, b"attack at dawn");
            /// # Ok::<(), abreast::Error>(())
            /// ```
            ///
            /// # Errors
            /// [`Error::TagMismatch`], also for input shorter than a tag; [`Error::BufferLengths`] if the buffer ends before
            /// `from`; the other errors of [`decrypt_detached`](Self::decrypt_detached).
            pub fn open_within<'b>(
                &$self,
                nonce: &[u8],
                associated_data: $aad,
                buffer: &'b mut [u8],
                from: usize,
            ) -> Result<&'b mut [u8], Error> {
                open(buffer, from, $tag_len, |data, tag| {
                    let tag: &$tag = tag.try_into().map_err(|_| Error::TagLength)?;
                    $self.decrypt_detached(nonce, associated_data, data, tag)
                })
            }
        }
    };
}
in_place!([C: BlockCipher128] Gcm<C>, |self| aad &[u8], tag [u8; TAG], of TAG);
in_place!([C: BlockCipher128] WithTagLen<'_, Gcm<C>>, |self| aad &[u8], tag [u8], of self.tag_len);
#[cfg(feature = "modes")]
in_place!([C: BlockCipher] Eax<C>, |self| aad &[u8], tag [u8], of self.cipher().block_size());
#[cfg(feature = "modes")]
in_place!([C: BlockCipher] WithTagLen<'_, Eax<C>>, |self| aad &[u8], tag [u8], of self.tag_len);
#[cfg(feature = "siv")]
in_place!([] GcmSiv, |self| aad &[u8], tag [u8; TAG], of TAG);
#[cfg(feature = "aez")]
in_place!([] Aez, |self| aad &[&[u8]], tag [u8; TAG], of TAG);
#[cfg(feature = "aez")]
in_place!([] WithTagLen<'_, Aez>, |self| aad &[&[u8]], tag [u8], of self.tag_len);

/// The tag comes first, in the order of the RFC.
#[cfg(all(feature = "siv", feature = "alloc"))]
impl<C: BlockCipher128> Siv<C> {
    /// Encrypts a message and inserts its tag in front. A vector with spare capacity for the tag is not reallocated.
    ///
    /// ```
    /// use abreast::{aes::Aes128, modes::Siv};
    ///
    /// let siv = Siv::<Aes128>::new(&[7; 32])?;
    /// let mut message = b"attack at dawn".to_vec();
    /// siv.seal_in_place(&[b"sent in clear"], &mut message)?;
    /// siv.open_in_place(&[b"sent in clear"], &mut message)?;
    /// assert_eq!(message, b"attack at dawn");
    /// # Ok::<(), abreast::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::MessageTooLong`] if there are more than 126 strings; [`Error::OutOfMemory`] if the vector cannot grow. The
    /// message is then unchanged.
    pub fn seal_in_place(&self, associated_data: &[&[u8]], message: &mut Vec<u8>) -> Result<(), Error> {
        let mut tag = [0; TAG];
        message.try_reserve(TAG).map_err(|_| Error::OutOfMemory)?;
        self.encrypt_detached(associated_data, message.as_mut_slice(), &mut tag)?;
        message.splice(..0, tag);
        Ok(())
    }

    /// Decrypts a ciphertext in place and removes the tag in front. If the tag is wrong, everything is overwritten with zeros.
    ///
    /// # Errors
    /// [`Error::TagMismatch`], also for input shorter than a tag; [`Error::MessageTooLong`] if there are more than 126
    /// strings, and then nothing was done.
    pub fn open_in_place(&self, associated_data: &[&[u8]], sealed: &mut Vec<u8>) -> Result<(), Error> {
        self.decrypt_joined(associated_data, sealed.as_mut_slice())?;
        sealed.drain(..TAG);
        Ok(())
    }
}
