//! Whole blocks out of pieces that are split anywhere, for modes that want whole blocks, with or without padding.

use super::cbc::unpadded;
use crate::engine::backend::Direction;
use crate::wipe::wipe;
use crate::{Error, InOutBuf};
use abreast_simd::inlined::CopyFrom;
use core::fmt;

/// The part of a block at the end of a piece, kept for the next one.
///
/// With padding (PKCS #7: RFC 5652, section 6.3) a message has any length. Decryption then keeps the last block back, as
/// long as it may be the one with the padding.
///
/// ```
/// use abreast::{aes::Aes128, modes::{BlockBuffer, Cbc, Direction}};
///
/// let mut cbc = Cbc::from_cipher(Aes128::new(b"a key of 16 byte"), &[7; 16])?;
/// let mut buffer = BlockBuffer::padded(16, Direction::Encrypt);
/// let mut ciphertext = [0; 48];
/// let mut len = 0;
/// for piece in [b"attack at dawn,".as_slice(), b" and ", b"not at dusk"] {
///     len += buffer.update(piece, &mut ciphertext[len..], |io| cbc.encrypt(io))?;
/// }
/// len += buffer.finish(&mut ciphertext[len..], |io| cbc.encrypt(io))?;
/// assert_eq!(len, 32);
/// # Ok::<(), abreast::Error>(())
/// ```
#[derive(Clone)]
pub struct BlockBuffer {
    held: [u8; 16],
    len: usize,
    /// Bytes of a block, a power of two.
    size: usize,
    /// The padding and the direction.
    padding: Option<Direction>,
}

impl BlockBuffer {
    /// Makes a buffer for messages of whole blocks, of 8 or 16 bytes.
    ///
    /// ```
    /// use abreast::{aes::Aes128, modes::{BlockBuffer, Cbc}};
    ///
    /// let mut cbc = Cbc::from_cipher(Aes128::new(b"a key of 16 byte"), &[7; 16])?;
    /// let mut buffer = BlockBuffer::whole(16);
    /// let mut output = [0; 32];
    /// assert_eq!(buffer.output_len(20), 16);
    /// assert_eq!(buffer.update(&[0; 20], &mut output, |io| cbc.encrypt(io))?, 16);
    /// assert_eq!(buffer.held(), 4);
    /// # Ok::<(), abreast::Error>(())
    /// ```
    ///
    /// # Panics
    /// If blocks have another size.
    #[must_use]
    pub fn whole(block_size: usize) -> Self {
        assert!(block_size == 8 || block_size == 16, "blocks have 8 or 16 bytes");
        Self { held: [0; 16], len: 0, size: block_size, padding: None }
    }

    /// Makes a buffer for messages of any length that are padded when they are encrypted and whose padding is taken off when they are
    /// decrypted.
    ///
    /// # Panics
    /// As for [`whole`](Self::whole).
    #[must_use]
    pub fn padded(block_size: usize, direction: Direction) -> Self {
        Self { padding: Some(direction), ..Self::whole(block_size) }
    }

    /// Returns the number of bytes kept of the pieces so far: less than a block, or a whole one while it may be the last that is
    /// decrypted.
    #[must_use]
    pub fn held(&self) -> usize {
        self.len
    }

    /// Returns the number of bytes that come out when a piece of `len` bytes goes in: whole blocks.
    #[must_use]
    pub fn output_len(&self, len: usize) -> usize {
        let all = self.len.saturating_add(len);
        let whole = all & !(self.size - 1);
        let keeps_last = self.padding == Some(Direction::Decrypt);
        if keeps_last && whole == all { whole.saturating_sub(self.size) } else { whole }
    }

    /// Takes a piece, and hands the blocks that are whole now to `blocks`, in one call, from one buffer to another or in
    /// place. Gives the bytes of the output that were written, as many as [`output_len`](Self::output_len) says.
    ///
    /// # Errors
    /// [`Error::BufferLengths`] if the output is shorter; the errors of `blocks`. Then nothing was taken.
    pub fn update(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        mut blocks: impl FnMut(InOutBuf<'_, '_, u8>) -> Result<(), Error>,
    ) -> Result<usize, Error> {
        let len = self.output_len(input.len());
        if len == 0 {
            self.hold(input);
            return Ok(0);
        }
        let output = output.get_mut(..len).ok_or(Error::BufferLengths)?;
        // The held bytes are no more than a block.
        let (now, later) = input.split_at(len - self.len);
        if self.len == 0 {
            blocks(InOutBuf::new(now, output)?)?;
        } else {
            let (front, back) = output.split_at_mut(self.len);
            front.copy_from(&self.held[..self.len]);
            back.copy_from(now);
            blocks(output.into())?;
        }
        self.forget();
        self.hold(later);
        Ok(len)
    }

    /// Updates as [`update`](Self::update) does, in place: the piece is the first `len` bytes of the buffer, and the output
    /// replaces it. With the rest of the piece before, the output may be longer than the piece: the buffer must have room.
    ///
    /// ```
    /// use abreast::{aes::Aes128, modes::{BlockBuffer, Cbc}};
    ///
    /// let mut cbc = Cbc::from_cipher(Aes128::new(b"a key of 16 byte"), &[7; 16])?;
    /// let mut blocks = BlockBuffer::whole(16);
    /// let mut piece = [0; 32];
    /// assert_eq!(blocks.update_in_place(&mut piece, 20, |io| cbc.encrypt(io))?, 16);
    /// assert_eq!(blocks.update_in_place(&mut piece, 12, |io| cbc.encrypt(io))?, 16);
    /// # Ok::<(), abreast::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`update`](Self::update).
    pub fn update_in_place(
        &mut self,
        buffer: &mut [u8],
        len: usize,
        mut blocks: impl FnMut(InOutBuf<'_, '_, u8>) -> Result<(), Error>,
    ) -> Result<usize, Error> {
        let piece = buffer.get(..len).ok_or(Error::BufferLengths)?;
        let out = self.output_len(len);
        if out == 0 {
            self.hold(piece);
            return Ok(0);
        }
        if out > buffer.len() {
            return Err(Error::BufferLengths);
        }
        let now = out - self.len;
        let mut later = [0; 16];
        let later_len = len - now;
        later[..later_len].copy_from(&buffer[now..len]);
        if self.len > 0 {
            buffer.copy_within(..now, self.len);
            buffer[..self.len].copy_from(&self.held[..self.len]);
        }
        blocks((&mut buffer[..out]).into())?;
        self.forget();
        self.hold(&later[..later_len]);
        wipe(&mut later);
        Ok(out)
    }

    /// Ends the message: hands the last block to `blocks` if the message is padded. Gives the bytes of the output that
    /// were written. The next message may begin then.
    ///
    /// # Errors
    /// [`Error::PartialBlock`] if the message should have had whole blocks; [`Error::BufferLengths`] if the output is
    /// shorter than the last block, with its padding when encrypting; [`Error::Padding`] if a decrypted message does not
    /// end with padding, or is empty; the errors of `blocks`.
    pub fn finish(
        &mut self,
        output: &mut [u8],
        mut blocks: impl FnMut(InOutBuf<'_, '_, u8>) -> Result<(), Error>,
    ) -> Result<usize, Error> {
        match self.padding {
            None if self.len == 0 => Ok(0),
            None => Err(Error::PartialBlock),
            Some(Direction::Encrypt) => {
                let output = output.get_mut(..self.size).ok_or(Error::BufferLengths)?;
                let padding = self.size - self.len;
                output[..self.len].copy_from(&self.held[..self.len]);
                output[self.len..].fill(padding as u8);
                blocks(output.into())?;
                self.forget();
                Ok(self.size)
            }
            Some(Direction::Decrypt) => {
                if self.len == 0 {
                    return Err(Error::Padding);
                }
                if self.len < self.size {
                    return Err(Error::PartialBlock);
                }
                let mut block = self.held;
                let last = &mut block[..self.size];
                let taken = blocks((&mut *last).into()).and_then(|()| unpadded(last).ok_or(Error::Padding));
                let written = taken.and_then(|len| {
                    output.get_mut(..len).ok_or(Error::BufferLengths)?.copy_from(&last[..len]);
                    Ok(len)
                });
                wipe(&mut block);
                if written.is_ok() {
                    self.forget();
                }
                written
            }
        }
    }

    /// Keeps bytes after the kept ones; there is room, as `output_len` says.
    fn hold(&mut self, bytes: &[u8]) {
        self.held[self.len..][..bytes.len()].copy_from(bytes);
        self.len += bytes.len();
    }

    /// Begins another message.
    fn forget(&mut self) {
        wipe(&mut self.held);
        self.len = 0;
    }
}

impl Drop for BlockBuffer {
    fn drop(&mut self) {
        wipe(&mut self.held);
    }
}

impl fmt::Debug for BlockBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockBuffer").finish_non_exhaustive()
    }
}
