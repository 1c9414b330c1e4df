//! The part of a block between two pieces of a message, for modes over whole blocks, with and without padding.
//!
//! `BlockBuffer` of the library is told at the beginning of a message if it is padded. Programs on OpenSSL may say so at any
//! time, and ask for another direction with it, so padding is an argument here and nothing that is kept.

use abreast::modes::{Direction, unpadded};
use abreast::{Error, InOutBuf};
use zeroize::{Zeroize as _, optimization_barrier};

use crate::fault::Fault;

/// Bytes that wait for the rest of their block, or a whole block that may be the last one to be decrypted.
#[derive(Clone)]
pub(super) struct Pending {
    bytes: [u8; 16],
    len: usize,
    /// Bytes of a block.
    size: usize,
}

impl Pending {
    /// For blocks of 8 or 16 bytes.
    pub(super) fn new(size: usize) -> Self {
        Self { bytes: [0; 16], len: 0, size }
    }

    /// Begins another message.
    pub(super) fn forget(&mut self) {
        // In one piece, as they are loaded.
        self.bytes = [0; 16];
        optimization_barrier(&self.bytes);
        self.len = 0;
    }

    /// True if nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns how many bytes come out when `len` more go in: whole blocks, without the last one if it may hold the padding
    /// that is to be taken off.
    pub(super) fn output_len(&self, len: usize, keeps_last: bool) -> usize {
        let all = self.len.saturating_add(len);
        // The size is a power of two, and a division takes long.
        let whole = all & !(self.size - 1);
        if keeps_last && whole == all { whole.saturating_sub(self.size) } else { whole }
    }

    /// Keeps the end of a piece, which is less than a block, or one that may be the last.
    pub(super) fn keep(&mut self, bytes: &[u8]) {
        self.bytes[self.len..][..bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }

    /// Takes a piece, and fills the output, which is as long as [`output_len`](Self::output_len) says.
    pub(super) fn update(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        blocks: impl FnOnce(InOutBuf<'_, '_, u8>) -> Result<(), Error>,
    ) -> Result<usize, Error> {
        if output.is_empty() {
            self.keep(input);
            return Ok(0);
        }
        // No more is held than a block, and at least one comes out.
        let (now, later) = input.split_at(output.len() - self.len);
        let (front, back) = output.split_at_mut(self.len);
        front.copy_from_slice(&self.bytes[..self.len]);
        back.copy_from_slice(now);
        let len = output.len();
        blocks(output.into())?;
        self.forget();
        self.keep(later);
        Ok(len)
    }

    /// Ends the message, and returns its last bytes.
    ///
    /// A block whose padding was wrong stays, decrypted, as in OpenSSL: calls after that get nothing that they could use.
    pub(super) fn finish(
        &mut self,
        direction: Direction,
        padded: bool,
        blocks: impl FnOnce(InOutBuf<'_, '_, u8>) -> Result<(), Error>,
    ) -> Result<&[u8], Fault> {
        match direction {
            _ if !padded && self.len == 0 => return Ok(&[]),
            Direction::Encrypt if padded => {
                let (len, padding) = (self.len, (self.size - self.len) as u8);
                // In one piece, as it is loaded. Nobody reads what is beyond the block.
                for (at, byte) in self.bytes.iter_mut().enumerate() {
                    *byte = if at < len { *byte } else { padding };
                }
            }
            _ if self.len < self.size => return Err(Fault::PartialBlock),
            _ => {}
        }
        let block = &mut self.bytes[..self.size];
        blocks((&mut *block).into())?;
        let keeps = match direction {
            Direction::Decrypt if padded => unpadded(block).ok_or(Fault::Padding)?,
            _ => self.size,
        };
        self.len = 0;
        Ok(&self.bytes[..keeps])
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.bytes.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cipher that changes nothing.
    fn copy(mut io: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        let input = io.get_in().to_vec();
        io.get_out().copy_from_slice(&input);
        Ok(())
    }

    #[test]
    fn padding_is_a_flag_alone() {
        let mut pending = Pending::new(16);
        pending.keep(b"ABCD");
        assert_eq!(pending.finish(Direction::Encrypt, false, copy), Err(Fault::PartialBlock));
        assert_eq!(
            pending.finish(Direction::Encrypt, true, copy),
            Ok(b"ABCD\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c".as_slice())
        );
        // A whole block that was held back comes out with the next piece, an empty one too, and at the end.
        let mut pending = Pending::new(8);
        assert_eq!(pending.output_len(8, true), 0);
        pending.keep(b"12345678");
        assert_eq!((pending.output_len(0, true), pending.output_len(0, false)), (0, 8));
        let mut other = pending.clone();
        let mut out = [0; 8];
        assert_eq!(other.update(&[], &mut out, copy), Ok(8));
        assert_eq!(&out, b"12345678");
        assert!(other.is_empty());
        assert_eq!(pending.finish(Direction::Decrypt, false, copy), Ok(b"12345678".as_slice()));
    }

    #[test]
    fn padding_of_every_length() {
        for size in [8, 16] {
            for padding in 0..=20_u8 {
                let mut block = vec![9; size];
                let len = usize::from(padding).min(size);
                block[size - len..].fill(padding);
                if padding == 0 {
                    block[size - 1] = 0;
                }
                let expected = (1..=size).contains(&usize::from(padding)).then(|| size - len);
                assert_eq!(unpadded(&block), expected, "{size} {padding}");
                if len > 1 {
                    block[size - len] ^= 1;
                    assert_eq!(unpadded(&block), None);
                }
            }
        }
    }
}
