//! The modes of authenticated encryption with their keys, and messages in them that signals can interrupt.

use abreast::aez::Aez;
use abreast::modes::{Eax, Gcm, WithTagLen};
use abreast::packets::Buffer;
use abreast::table::{ModeRow, Sealer, Vector};
use abreast::{BlockCipher, BlockCipher128, Counted, Error, InOutBuf};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

use crate::errors;
use crate::signals::{PIECE, Stop, Watch, in_pieces};

/// A value that objects share, in a box of its own: an `Arc` pads values aligned to cache lines, a move fills that padding
/// from the stack, where parts of keys may be left, and nothing wipes it.
pub(crate) type Shared<T> = Arc<Box<T>>;

pub(crate) type GcmMode = Gcm<Arc<dyn BlockCipher128>>;
pub(crate) type EaxMode = Eax<Arc<dyn BlockCipher>>;

/// A key in its mode.
#[derive(Clone)]
pub(crate) enum Mode {
    Gcm(Shared<GcmMode>),
    Eax(Shared<EaxMode>),
    Aez(Shared<Aez>),
    /// Another mode of the library's table, with tags of one length and one string of associated data.
    Other(Shared<dyn Sealer>),
}

/// AEZ with tags of a length, which may be 0: then it authenticates nothing.
pub(crate) fn aez_with(aez: &Aez, tag_len: usize) -> Result<WithTagLen<'_, Aez>, Error> {
    if tag_len == 0 { Ok(aez.unauthenticated()) } else { aez.with_tag_len(tag_len) }
}

impl Mode {
    pub(crate) fn seal(
        &self,
        tag_len: usize,
        nonce: &[u8],
        associated_data: &[&[u8]],
        io: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        let one = associated_data.first().copied().unwrap_or_default();
        match self {
            Self::Gcm(gcm) => gcm.with_tag_len(tag_len)?.encrypt_detached(nonce, one, io, tag),
            Self::Eax(eax) => eax.with_tag_len(tag_len)?.encrypt_detached(nonce, one, io, tag),
            Self::Aez(aez) => aez_with(aez, tag_len)?.encrypt_detached(nonce, associated_data, io, tag),
            Self::Other(sealer) => sealer.seal(nonce, one, io, tag),
        }
    }

    pub(crate) fn open(
        &self,
        tag_len: usize,
        nonce: &[u8],
        associated_data: &[&[u8]],
        io: InOutBuf<'_, '_, u8>,
        tag: &[u8],
    ) -> Result<(), Error> {
        let one = associated_data.first().copied().unwrap_or_default();
        match self {
            Self::Gcm(gcm) => gcm.with_tag_len(tag_len)?.decrypt_detached(nonce, one, io, tag),
            Self::Eax(eax) => eax.with_tag_len(tag_len)?.decrypt_detached(nonce, one, io, tag),
            Self::Aez(aez) => aez_with(aez, tag_len)?.decrypt_detached(nonce, associated_data, io, tag),
            Self::Other(sealer) => sealer.open(nonce, one, io, tag),
        }
    }

    /// Returns the exception for an error of a message: that of a nonce says how many bytes it has and the mode takes.
    #[cold]
    pub(crate) fn exception(&self, py: Python<'_>, error: Error, nonce: &[u8]) -> PyErr {
        let name = self.name();
        let taken = match (error, ModeRow::from_name(name).map(|row| row.vector)) {
            (Error::NonceLength, Some(Vector::Nonce(least, most))) if least == most => least.to_string(),
            (Error::NonceLength, Some(Vector::Nonce(least, _))) => format!("{least} or more"),
            _ => return errors::of(py, error),
        };
        let len = Counted(nonce.len(), "bytes");
        PyValueError::new_err(format!("the nonce has {len}, and {name} accepts {taken}"))
    }

    /// True if this takes long and can be done in pieces.
    pub(crate) fn in_pieces(&self, len: usize, associated_data: &[&[u8]]) -> bool {
        let one = associated_data.first().map_or(0, |one| one.len());
        len.max(one) > PIECE && matches!(self, Self::Gcm(_) | Self::Eax(_))
    }

    /// Seals as [`seal`](Self::seal) does, with a look at signals between the pieces of a long message. AEZ has no pieces: all
    /// of a message depends on all of it.
    pub(crate) fn seal_watched(
        &self,
        watch: &mut Watch,
        tag_len: usize,
        nonce: &[u8],
        associated_data: &[&[u8]],
        mut buffer: Buffer<'_>,
        tag: &mut [u8],
    ) -> Result<(), Stop> {
        if !self.in_pieces(buffer.len(), associated_data) {
            return Ok(self.seal(tag_len, nonce, associated_data, buffer.reborrow(), tag)?);
        }
        let one = associated_data.first().copied().unwrap_or_default();
        macro_rules! pieces {
            ($message:expr) => {{
                let mut message = $message.with_tag_len(tag_len)?;
                watched(watch, one, |piece| message.associated_data(piece))?;
                in_pieces(watch, &mut buffer, PIECE, 1, |io| message.update(io))?;
                Ok(message.finish(tag)?)
            }};
        }
        match self {
            Self::Gcm(gcm) => pieces!(gcm.encryptor(nonce, b"")?),
            Self::Eax(eax) => pieces!(eax.encryptor(nonce, b"")),
            Self::Aez(_) | Self::Other(_) => Err(Error::NotProcessed.into()),
        }
    }

    /// Opens as [`open`](Self::open) does, with a look at signals between the pieces of a long message.
    pub(crate) fn open_watched(
        &self,
        watch: &mut Watch,
        tag_len: usize,
        nonce: &[u8],
        associated_data: &[&[u8]],
        mut buffer: Buffer<'_>,
        tag: &[u8],
    ) -> Result<(), Stop> {
        if !self.in_pieces(buffer.len(), associated_data) {
            return Ok(self.open(tag_len, nonce, associated_data, buffer.reborrow(), tag)?);
        }
        let one = associated_data.first().copied().unwrap_or_default();
        macro_rules! pieces {
            ($message:expr) => {{
                let mut message = $message.with_tag_len(tag_len)?;
                watched(watch, one, |piece| message.associated_data(piece))?;
                in_pieces(watch, &mut buffer, PIECE, 1, |io| message.update(io))?;
                message.verify(tag)
            }};
        }
        let done = match self {
            Self::Gcm(gcm) => pieces!(gcm.decryptor(nonce, b"")?),
            Self::Eax(eax) => pieces!(eax.decryptor(nonce, b"")),
            Self::Aez(_) | Self::Other(_) => Err(Error::NotProcessed),
        };
        if done.is_err() {
            buffer.reborrow().get_out().fill(0);
        }
        Ok(done?)
    }

    /// Returns the name of the mode in the library's table.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Gcm(_) => "gcm",
            Self::Eax(_) => "eax",
            Self::Aez(_) => "aez",
            Self::Other(sealer) => sealer.mode(),
        }
    }

    /// Refuses lengths of tags that the mode does not have.
    pub(crate) fn check_tag_len(&self, tag_len: usize) -> Result<(), Error> {
        match self {
            Self::Gcm(gcm) => gcm.with_tag_len(tag_len).map(drop),
            Self::Eax(eax) => eax.with_tag_len(tag_len).map(drop),
            // The longest tag of AEZ that need not follow the ciphertext in one piece.
            Self::Aez(_) if tag_len > 32 => Err(Error::TagLength),
            Self::Aez(aez) => aez_with(aez, tag_len).map(drop),
            Self::Other(_) => {
                if tag_len == 16 {
                    Ok(())
                } else {
                    Err(Error::TagLength)
                }
            }
        }
    }
}

/// Takes in associated data in pieces, with a look at signals between them.
pub(crate) fn watched(
    watch: &mut Watch,
    data: &[u8],
    mut take_in: impl FnMut(&[u8]) -> Result<(), Error>,
) -> Result<(), Stop> {
    data.chunks(PIECE).try_for_each(|piece| {
        take_in(piece)?;
        watch.look().map_err(Stop::Signal)
    })
}
