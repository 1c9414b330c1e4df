//! Modes: messages in one call, and as streams that are split anywhere.

pub mod operation;

pub mod padded;
pub mod stream;

pub mod aead;
pub mod aead_stream;
pub mod cmac;
pub mod hctr2;
pub mod hmac;
pub mod key_wrap;
mod mac_stream;
pub mod xts;

use abreast::modes::{Decryptor, Encryptor, Streaming};
use abreast::{Error, InOutBuf};

use crate::status::Status;

/// The state of a stream from the beginning of a message until it is finished.
pub(crate) struct UntilFinished<C> {
    cell: C,
    /// The reason why there is no message to go on with.
    closed: Option<Status>,
}

impl<C> UntilFinished<C> {
    pub(crate) fn new(cell: C) -> Self {
        Self { cell, closed: None }
    }

    /// Returns the state before the first message, with a cell that nobody uses.
    pub(crate) fn idle(cell: C) -> Self {
        Self { cell, closed: Some(Status::NotBegun) }
    }

    pub(crate) fn get(&mut self) -> Result<&mut C, Status> {
        self.closed.map_or(Ok(&mut self.cell), Err)
    }

    /// Refuses a stream that has had no message yet.
    pub(crate) fn had_message(&self) -> Result<(), Status> {
        if self.closed == Some(Status::NotBegun) { Err(Status::NotBegun) } else { Ok(()) }
    }

    /// Returns a copy of the state, finished or not, with the cell that `copy` makes of this one's.
    pub(crate) fn again(&self, copy: impl FnOnce(&C) -> Result<C, Status>) -> Result<Self, Status> {
        Ok(Self { cell: copy(&self.cell)?, closed: self.closed })
    }

    /// Another message in place of this one, finished or not, unless that fails.
    pub(crate) fn reset(&mut self, begin: impl FnOnce(&mut C) -> Result<(), Status>) -> Result<(), Status> {
        begin(&mut self.cell)?;
        self.closed = None;
        Ok(())
    }

    /// Ends the message on a copy, so that a call that ends with one of `refused` leaves the stream as it was. Otherwise
    /// `cover` overwrites the remains of the message.
    pub(crate) fn finish<R>(
        &mut self,
        copy: impl FnOnce(&C) -> Result<C, Status>,
        end: impl FnOnce(C) -> Result<R, Status>,
        refused: &[Status],
        cover: impl FnOnce(&mut C),
    ) -> Result<R, Status> {
        let ended = end(copy(self.get()?)?);
        if !ended.as_ref().is_err_and(|status| refused.contains(status)) {
            self.closed = Some(Status::Finished);
            cover(&mut self.cell);
        }
        ended
    }
}

/// A message in pieces, either way.
pub(crate) enum Pieces<'k, M: Streaming> {
    Encrypt(Encryptor<'k, M>),
    Decrypt(Decryptor<'k, M>),
}

impl<M: Streaming> Pieces<'_, M> {
    /// A copy under the same key, which another stream keeps.
    pub(crate) fn again<'n>(&self, mode: &'n M) -> Pieces<'n, M> {
        match self {
            Self::Encrypt(pieces) => Pieces::Encrypt(pieces.clone_under(mode)),
            Self::Decrypt(pieces) => Pieces::Decrypt(pieces.clone_under(mode)),
        }
    }

    pub(crate) fn associated_data(&mut self, data: &[u8]) -> Result<(), Error> {
        match self {
            Self::Encrypt(pieces) => pieces.associated_data(data),
            Self::Decrypt(pieces) => pieces.associated_data(data),
        }
    }

    pub(crate) fn update(&mut self, io: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        match self {
            Self::Encrypt(pieces) => pieces.update(io),
            Self::Decrypt(pieces) => pieces.update(io),
        }
    }

    /// Writes the tag, which is as long as the caller says.
    pub(crate) fn finish(self, tag: &mut [u8]) -> Result<(), Status> {
        match self {
            Self::Encrypt(pieces) => Ok(pieces.with_tag_len(tag.len())?.finish(tag)?),
            Self::Decrypt(_) => Err(Status::Direction),
        }
    }

    /// Compares the tag, which is as long as the caller says.
    pub(crate) fn verify(self, tag: &[u8]) -> Result<(), Status> {
        match self {
            Self::Decrypt(pieces) => Ok(pieces.with_tag_len(tag.len())?.verify(tag)?),
            Self::Encrypt(_) => Err(Status::Direction),
        }
    }
}
