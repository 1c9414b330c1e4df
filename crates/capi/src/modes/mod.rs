//! Modes: messages in one call, and as streams that are split anywhere.

pub mod cbc;
pub mod cfb;
pub mod cmac;
pub mod ctr;
pub mod eax;
pub mod gcm;
pub mod ofb;
pub mod xts;

use std::ffi::c_int;

use abreast::modes::{Decryptor, Direction, Encryptor, Streaming};
use abreast::{Error, InOutBuf};

use crate::status::Status;

/// Which way a stream goes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub enum WhichWay {
    /// From plaintext to ciphertext.
    Encrypt = 0,
    /// From ciphertext to plaintext.
    Decrypt = 1,
}

/// A direction by its number.
pub(crate) fn direction(number: c_int) -> Result<Direction, Status> {
    match number {
        _ if number == WhichWay::Encrypt as c_int => Ok(Direction::Encrypt),
        _ if number == WhichWay::Decrypt as c_int => Ok(Direction::Decrypt),
        _ => Err(Status::Direction),
    }
}

/// Refuses what is for streams of the other direction.
pub(crate) fn goes(is: Direction, wanted: Direction) -> Result<(), Status> {
    if is == wanted { Ok(()) } else { Err(Status::Direction) }
}

/// What a stream works with until it is finished.
pub(crate) struct UntilFinished<C> {
    cell: C,
    finished: bool,
}

impl<C> UntilFinished<C> {
    pub(crate) fn new(cell: C) -> Self {
        Self { cell, finished: false }
    }

    pub(crate) fn get(&mut self) -> Result<&mut C, Status> {
        if self.finished { Err(Status::Finished) } else { Ok(&mut self.cell) }
    }

    /// For the last time.
    pub(crate) fn finish(&mut self) -> Result<&mut C, Status> {
        if std::mem::replace(&mut self.finished, true) { Err(Status::Finished) } else { Ok(&mut self.cell) }
    }
}

/// A message in pieces, either way.
pub(crate) enum Pieces<'k, M: Streaming> {
    Encrypt(Encryptor<'k, M>),
    Decrypt(Decryptor<'k, M>),
}

impl<M: Streaming> Pieces<'_, M> {
    pub(crate) fn direction(&self) -> Direction {
        match self {
            Self::Encrypt(_) => Direction::Encrypt,
            Self::Decrypt(_) => Direction::Decrypt,
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
