//! Authenticated encryption of messages in pieces.

use std::ffi::c_int;
use std::mem::replace;

use abreast::InOutBuf;
use abreast::modes::{Direction, Eax, Gcm};
use self_cell::self_cell;

use super::aead::{Aead, AeadHandle};
use super::operation::direction;
use super::{Pieces, UntilFinished};
use crate::buffers::{In, Out, Place, in_out};
use crate::cipher::{Shared, Shared128};
use crate::handle::{ConstStreamPtr, Kept, KeyPtr, StreamKind, StreamPtr, begin, close};
use crate::status::{Status, call};

/// A key that a stream keeps.
enum Key {
    Gcm(Kept<Gcm<Shared128>>),
    Eax(Kept<Eax<Shared>>),
}

impl Key {
    /// One reference more.
    fn again(&self) -> Result<Self, Status> {
        Ok(match self {
            Self::Gcm(gcm) => Self::Gcm(gcm.again()?),
            Self::Eax(eax) => Self::Eax(eax.again()?),
        })
    }
}

/// A message in pieces, in one of the modes.
enum Message<'k> {
    Gcm(Pieces<'k, Gcm<Shared128>>),
    Eax(Pieces<'k, Eax<Shared>>),
}

impl<'k> Message<'k> {
    fn new(key: &'k Key, direction: Direction, nonce: &[u8], aad: &[u8]) -> Result<Self, Status> {
        Ok(match (key, direction) {
            (Key::Gcm(gcm), Direction::Encrypt) => Self::Gcm(Pieces::Encrypt(gcm.key.encryptor(nonce, aad)?)),
            (Key::Gcm(gcm), Direction::Decrypt) => Self::Gcm(Pieces::Decrypt(gcm.key.decryptor(nonce, aad)?)),
            (Key::Eax(eax), Direction::Encrypt) => Self::Eax(Pieces::Encrypt(eax.key.encryptor(nonce, aad))),
            (Key::Eax(eax), Direction::Decrypt) => Self::Eax(Pieces::Decrypt(eax.key.decryptor(nonce, aad))),
        })
    }

    /// A copy under the same key, which another stream keeps.
    fn again<'n>(&self, key: &'n Key) -> Result<Message<'n>, Status> {
        match (self, key) {
            (Self::Gcm(pieces), Key::Gcm(gcm)) => Ok(Message::Gcm(pieces.again(&gcm.key))),
            (Self::Eax(pieces), Key::Eax(eax)) => Ok(Message::Eax(pieces.again(&eax.key))),
            // A stream has one key.
            _ => Err(Status::Other),
        }
    }

    fn associated_data(&mut self, data: &[u8]) -> Result<(), Status> {
        match self {
            Self::Gcm(pieces) => pieces.associated_data(data)?,
            Self::Eax(pieces) => pieces.associated_data(data)?,
        }
        Ok(())
    }

    fn update(&mut self, io: InOutBuf<'_, '_, u8>) -> Result<(), Status> {
        match self {
            Self::Gcm(pieces) => pieces.update(io)?,
            Self::Eax(pieces) => pieces.update(io)?,
        }
        Ok(())
    }
}

self_cell!(
    struct Cell {
        owner: Key,
        #[not_covariant]
        dependent: Message,
    }
);

/// A message with a tag in pieces.
pub struct AeadStream {
    cell: UntilFinished<Cell>,
    direction: Direction,
}

impl StreamKind for AeadStream {
    const KIND: u32 = 0xab12_aea5;
}

impl AeadStream {
    /// The end of a stream that goes that way.
    fn end(
        &mut self,
        direction: Direction,
        end: impl FnOnce(Message<'_>) -> Result<(), Status>,
    ) -> Result<(), Status> {
        self.cell.get()?;
        if self.direction != direction {
            return Err(Status::Direction);
        }
        self.cell.finish()?.with_dependent_mut(|key, pieces| {
            // The message is moved out. A fresh one in its place, which nobody uses, covers what it leaves behind.
            end(replace(pieces, Message::new(key, direction, &[0; 12], &[])?))
        })
    }
}

/// Begins a message that comes in pieces; see abreast_aead_encrypt. The stream keeps the key, of GCM or EAX: AEZ wants the
/// whole message at once.
///
/// direction: ABREAST_ENCRYPT or ABREAST_DECRYPT. The plaintext of a decrypting stream is not to be trusted before
/// abreast_aead_stream_verify says so.
///
/// ABREAST_DIRECTION, ABREAST_NONCE_LENGTH, ABREAST_MESSAGE_TOO_LONG for the associated data; ABREAST_WRONG_KEY for a key
/// of AEZ.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aead_stream_new(
    aead: KeyPtr<AeadHandle>,
    direction: c_int,
    nonce: In,
    nonce_len: usize,
    aad: In,
    aad_len: usize,
    stream: Place<*mut AeadStream>,
) -> c_int {
    begin(stream, || {
        let direction = self::direction(direction)?;
        let (nonce, aad) = (nonce.bytes(nonce_len)?, aad.bytes(aad_len)?);
        let key = match Aead::of(&aead)? {
            Aead::Gcm(_) => Key::Gcm(aead.keep()?),
            Aead::Eax(_) => Key::Eax(aead.keep()?),
            Aead::Aez(_) => return Err(Status::WrongKey),
        };
        let cell = Cell::try_new(key, |key| Message::new(key, direction, nonce, aad))?;
        Ok(AeadStream { cell: UntilFinished::new(cell), direction })
    })
}

/// Begins another message under the key and in the direction of a stream, whether the one before is finished or not.
/// Nothing is allocated.
///
/// ABREAST_NONCE_LENGTH, ABREAST_MESSAGE_TOO_LONG for the associated data; then the stream is as it was.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aead_stream_reset(
    stream: StreamPtr<AeadStream>,
    nonce: In,
    nonce_len: usize,
    aad: In,
    aad_len: usize,
) -> c_int {
    call(|| {
        let (nonce, aad) = (nonce.bytes(nonce_len)?, aad.bytes(aad_len)?);
        let AeadStream { cell, direction } = stream.get()?;
        cell.reset(|cell| {
            cell.with_dependent_mut(|key, message| {
                *message = Message::new(key, *direction, nonce, aad)?;
                Ok(())
            })
        })
    })
}

/// Takes in the next piece of the associated data, after what the message began with. All of it comes before the message:
/// the tag is the same however it is split.
///
/// ABREAST_ASSOCIATED_DATA_LATE after data of the message; ABREAST_MESSAGE_TOO_LONG for GCM, ABREAST_FINISHED. Then
/// nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aead_stream_aad(stream: StreamPtr<AeadStream>, aad: In, aad_len: usize) -> c_int {
    call(|| {
        let aad = aad.bytes(aad_len)?;
        stream.get()?.cell.get()?.with_dependent_mut(|_, pieces| pieces.associated_data(aad))
    })
}

/// Encrypts or decrypts the next piece, of any length.
///
/// ABREAST_MESSAGE_TOO_LONG for GCM, ABREAST_FINISHED; then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aead_stream_update(
    stream: StreamPtr<AeadStream>,
    input: In,
    output: Out,
    len: usize,
) -> c_int {
    call(|| {
        let io = in_out(&input, &output, len, &[])?;
        stream.get()?.cell.get()?.with_dependent_mut(|_, pieces| pieces.update(io))
    })
}

/// Writes the tag of an encrypted message. The stream is finished then, even if tag_len is refused.
///
/// ABREAST_TAG_LENGTH, ABREAST_FINISHED, ABREAST_DIRECTION if it decrypts.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aead_stream_finish(
    stream: StreamPtr<AeadStream>,
    tag: Out,
    tag_len: usize,
) -> c_int {
    call(|| {
        let tag = tag.bytes(tag_len, &[])?;
        stream.get()?.end(Direction::Encrypt, |pieces| match pieces {
            Message::Gcm(pieces) => pieces.finish(tag),
            Message::Eax(pieces) => pieces.finish(tag),
        })
    })
}

/// Compares the tag of a decrypted message, in constant time. The stream is finished then.
///
/// ABREAST_TAG_MISMATCH: all plaintext is to be thrown away. ABREAST_TAG_LENGTH, ABREAST_FINISHED, ABREAST_DIRECTION if
/// it encrypts.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aead_stream_verify(
    stream: StreamPtr<AeadStream>,
    tag: In,
    tag_len: usize,
) -> c_int {
    call(|| {
        let tag = tag.bytes(tag_len)?;
        stream.get()?.end(Direction::Decrypt, |pieces| match pieces {
            Message::Gcm(pieces) => pieces.verify(tag),
            Message::Eax(pieces) => pieces.verify(tag),
        })
    })
}

/// Makes a stream that goes on as this one would, finished or not. Each keeps the key, and neither sees what the other does.
/// Under one nonce, no more than one of them may encrypt what the other does not.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aead_stream_clone(
    stream: ConstStreamPtr<AeadStream>,
    clone: Place<*mut AeadStream>,
) -> c_int {
    begin(clone, || {
        let AeadStream { cell, direction } = stream.get()?;
        let cell = cell.again(|cell| {
            cell.with_dependent(|key, message| Cell::try_new(key.again()?, |key| message.again(key)))
        })?;
        Ok(AeadStream { cell, direction: *direction })
    })
}

/// Frees a stream and wipes it. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aead_stream_free(stream: StreamPtr<AeadStream>) {
    close(stream);
}
