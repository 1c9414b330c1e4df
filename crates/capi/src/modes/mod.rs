//! Modes: messages in one call, and as streams that are split anywhere.

pub mod operation;

pub mod stream;

pub mod aead;
pub mod aead_stream;
pub mod cmac;
pub mod xts;

use crate::status::Status;

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
