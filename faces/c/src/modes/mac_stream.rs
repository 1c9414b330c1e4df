//! Messages in pieces for CMAC and HMAC.

use abreast::Error;
use abreast::hmac::{Hmac, HmacHash, HmacPieces};
use abreast::modes::{Cmac, CmacPieces};

use super::UntilFinished;
use crate::cipher::Shared;
use crate::handle::{Kept, Kind};
use crate::status::Status;

/// A MAC whose messages come in pieces.
pub(crate) trait Mac: Kind + Sized + 'static {
    /// A message under a key that outlives it.
    type Pieces;

    fn pieces(&'static self) -> Self::Pieces;
    /// Returns a copy of a message, under this key, which is equal to the message's.
    fn copied(&'static self, pieces: &Self::Pieces) -> Self::Pieces;
    fn update(pieces: &mut Self::Pieces, data: &[u8]);
    /// Writes the tag, of the length that the buffer has.
    fn finish(pieces: Self::Pieces, tag: &mut [u8]) -> Result<(), Error>;
    /// Compares the tag.
    fn verify(pieces: Self::Pieces, tag: &[u8]) -> Result<(), Error>;
}

macro_rules! mac {
    ([$($parameter:tt)*] $mac:ty, pieces $pieces:ty, where $($bound:tt)*) => {
        impl<$($parameter)*> Mac for $mac
        where
            $($bound)*
        {
            type Pieces = $pieces;

            fn pieces(&'static self) -> Self::Pieces {
                self.pieces()
            }
            fn copied(&'static self, pieces: &Self::Pieces) -> Self::Pieces {
                pieces.clone_under(self)
            }
            fn update(pieces: &mut Self::Pieces, data: &[u8]) {
                pieces.update(data);
            }
            fn finish(pieces: Self::Pieces, tag: &mut [u8]) -> Result<(), Error> {
                pieces.with_tag_len(tag.len())?.finish(tag)
            }
            fn verify(pieces: Self::Pieces, tag: &[u8]) -> Result<(), Error> {
                pieces.with_tag_len(tag.len())?.verify(tag)
            }
        }
    };
}
mac!([] Cmac<Shared>, pieces CmacPieces<'static, Shared>, where);
mac!([H: HmacHash + 'static] Hmac<H>, pieces HmacPieces<'static, H>, where Self: Kind);

/// A message, and the key that it refers to.
pub(crate) struct MacMessage<M: Mac> {
    // Before the key: fields are dropped in this order.
    pieces: UntilFinished<M::Pieces>,
    key: Kept<M>,
}

impl<M: Mac> MacMessage<M> {
    /// A message under a key.
    pub(crate) fn new(key: Kept<M>) -> Self {
        Self { pieces: UntilFinished::new(lasting(&key).pieces()), key }
    }

    /// Begins another message.
    pub(crate) fn reset(&mut self) -> Result<(), Status> {
        let key = lasting(&self.key);
        self.pieces.reset(|pieces| {
            *pieces = key.pieces();
            Ok(())
        })
    }

    pub(crate) fn update(&mut self, data: &[u8]) -> Result<(), Status> {
        M::update(self.pieces.get()?, data);
        Ok(())
    }

    /// Writes the tag.
    pub(crate) fn finish(&mut self, tag: &mut [u8]) -> Result<(), Status> {
        self.end(|pieces| M::finish(pieces, tag))
    }

    /// Compares the tag.
    pub(crate) fn verify(&mut self, tag: &[u8]) -> Result<(), Status> {
        self.end(|pieces| M::verify(pieces, tag))
    }

    fn end(&mut self, end: impl FnOnce(M::Pieces) -> Result<(), Error>) -> Result<(), Status> {
        let key = lasting(&self.key);
        let copy = |pieces: &M::Pieces| Ok(key.copied(pieces));
        let end = |pieces| Ok(end(pieces)?);
        self.pieces.finish(copy, end, &[Status::TagLength], |pieces| *pieces = key.pieces())
    }

    /// Returns a copy with a reference to the key of its own.
    pub(crate) fn again(&self) -> Result<Self, Status> {
        let key = self.key.again()?;
        Ok(Self { pieces: self.pieces.again(|pieces| Ok(lasting(&key).copied(pieces)))?, key })
    }
}

/// Returns the key of a message.
fn lasting<M: Mac>(key: &Kept<M>) -> &'static M {
    // SAFETY: a message keeps the key for longer than its pieces, and nothing else is made of the reference.
    unsafe { key.lasting() }
}
