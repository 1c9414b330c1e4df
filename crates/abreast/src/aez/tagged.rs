//! AEZ with tags of a length that was asked for.

use super::limits::check_length;
use super::text::Text;
use super::{Aez, Encipher, MAX_DETACHED, all_zeros, check_tag};
use crate::engine::backend::Direction;
use crate::modes::WithTagLen;
use crate::{Error, InOutBuf};
use abreast_simd::inlined::CopyFrom;

/// With tags of a length that was asked for, or without.
impl WithTagLen<'_, Aez> {
    /// Encrypts as [`Aez::encrypt_detached`] does.
    ///
    /// # Errors
    /// The errors of [`Aez::encrypt_detached`]; [`Error::TagLength`] if the buffer is not as long as the tag, or the tag longer
    /// than 32 bytes, and then nothing was done.
    #[cfg_attr(not(abreast_unoptimized), inline(always))] // Inlined, as the mode's own is.
    pub fn encrypt_detached<'i, 'o>(
        &self,
        nonce: &[u8],
        associated_data: &[&[u8]],
        io: impl Into<InOutBuf<'i, 'o, u8>>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        let io = io.into();
        self.check(tag)?;
        check_tag(tag.len())?;
        check_length(io.len())?;
        let (aez, tag_len) = (self.mode, tag.len());
        let text = &mut Text { io, end: &[0; MAX_DETACHED][..tag_len], end_out: tag };
        aez.encipher(&mut Encipher { direction: Direction::Encrypt, tag_len, nonce, associated_data, text });
        Ok(())
    }

    /// Decrypts as [`Aez::decrypt_detached`] does.
    ///
    /// # Errors
    /// The errors of [`Aez::decrypt_detached`]; [`Error::TagLength`] if the tag has another length, or is longer than 32 bytes,
    /// and then nothing was done.
    #[cfg_attr(not(abreast_unoptimized), inline(always))] // Inlined, as the mode's own is.
    pub fn decrypt_detached<'i, 'o>(
        &self,
        nonce: &[u8],
        associated_data: &[&[u8]],
        io: impl Into<InOutBuf<'i, 'o, u8>>,
        tag: &[u8],
    ) -> Result<(), Error> {
        let io = io.into();
        self.check(tag)?;
        check_tag(tag.len())?;
        check_length(io.len())?;
        let (aez, tag_len) = (self.mode, tag.len());
        let mut end_out = [0; MAX_DETACHED];
        let text = &mut Text { io, end: tag, end_out: &mut end_out[..tag_len] };
        aez.encipher(&mut Encipher { direction: Direction::Decrypt, tag_len, nonce, associated_data, text });
        all_zeros(text.end_out).inspect_err(|_| text.io.get_out().fill(0))
    }

    /// Encrypts as [`Aez::encrypt_joined`] does, with room for as many bytes as the tag has.
    ///
    /// # Errors
    /// The errors of [`Aez::encrypt_joined`].
    pub fn encrypt_joined<'i, 'o>(
        &self,
        nonce: &[u8],
        associated_data: &[&[u8]],
        io: impl Into<InOutBuf<'i, 'o, u8>>,
    ) -> Result<(), Error> {
        let io = io.into();
        let tag_len = self.tag_len;
        check_length(io.len())?;
        let message = io.len().checked_sub(tag_len).ok_or(Error::BufferTooShort)?;
        if tag_len <= MAX_DETACHED {
            let (io, mut end) = io.split_at(message);
            return self.encrypt_detached(nonce, associated_data, io, end.get_out());
        }
        let buffer = io.into_out_with_copied_in();
        buffer[message..].fill(0);
        self.mode.whole(Direction::Encrypt, tag_len, nonce, associated_data, buffer);
        Ok(())
    }

    /// Decrypts as [`Aez::decrypt_joined`] does; the output ends in as many zeros as the tag has bytes.
    ///
    /// # Errors
    /// The errors of [`Aez::decrypt_joined`].
    pub fn decrypt_joined<'i, 'o>(
        &self,
        nonce: &[u8],
        associated_data: &[&[u8]],
        io: impl Into<InOutBuf<'i, 'o, u8>>,
    ) -> Result<(), Error> {
        let mut io = io.into();
        let tag_len = self.tag_len;
        check_length(io.len())?;
        let Some(message) = io.len().checked_sub(tag_len) else {
            io.get_out().fill(0);
            return Err(Error::TagMismatch);
        };
        if tag_len <= MAX_DETACHED {
            let (io, mut end) = io.split_at(message);
            let mut tag = [0; MAX_DETACHED];
            tag[..tag_len].copy_from(end.get_in());
            end.get_out().fill(0);
            return self.decrypt_detached(nonce, associated_data, io, &tag[..tag_len]);
        }
        let buffer = io.into_out_with_copied_in();
        self.mode.whole(Direction::Decrypt, tag_len, nonce, associated_data, buffer);
        all_zeros(&buffer[message..]).inspect_err(|_| buffer.fill(0))
    }
}
