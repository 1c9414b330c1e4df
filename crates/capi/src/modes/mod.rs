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

use abreast::modes::Direction;

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
