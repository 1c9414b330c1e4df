//! Authenticated encryption of messages in pieces.

use std::ffi::c_int;

use abreast::InOutBuf;
use abreast::modes::{Direction, Eax, Gcm};

use super::aead::{Aead, AeadHandle, EaxKey};
use super::operation::direction;
use super::{Pieces, UntilFinished};
use crate::buffers::{In, Out, Place, in_out};
use crate::cipher::{Shared, Shared128};
use crate::handle::{
    ConstStreamPtr, Kept, KeyPtr, Memory, StreamKind, StreamPtr, begin, begin_in, close, stream_room,
};
use crate::status::{Status, call, guarded};

/// A key that a stream keeps.
enum Key {
    Gcm(Kept<Gcm<Shared128>>),
    Eax(Kept<EaxKey>),
}

impl Key {
    /// One reference more to the key of a handle.
    fn of(aead: &KeyPtr<AeadHandle>) -> Result<Self, Status> {
        match Aead::of(aead)? {
            Aead::Gcm(_) => Ok(Self::Gcm(aead.keep()?)),
            Aead::Eax(_) => Ok(Self::Eax(aead.keep()?)),
            // The others have no streams.
            _ => Err(Status::WrongKey),
        }
    }

    /// One reference more.
    fn again(&self) -> Result<Self, Status> {
        Ok(match self {
            Self::Gcm(gcm) => Self::Gcm(gcm.again()?),
            Self::Eax(eax) => Self::Eax(eax.again()?),
        })
    }
}

/// A message in pieces, in one of the modes.
///
/// A message refers to the key of its stream, which keeps the key for longer than the message: that is the
/// reason of each `lasting`.
enum Message {
    Gcm(Pieces<'static, Gcm<Shared128>>),
    Eax(Pieces<'static, Eax<Shared>>),
}

impl Message {
    fn new(key: &Key, direction: Direction, nonce: &[u8], aad: &[u8]) -> Result<Self, Status> {
        Ok(match key {
            Key::Gcm(gcm) => {
                // SAFETY: see the type.
                let gcm = unsafe { gcm.lasting() };
                Self::Gcm(match direction {
                    Direction::Encrypt => Pieces::Encrypt(gcm.encryptor(nonce, aad)?),
                    Direction::Decrypt => Pieces::Decrypt(gcm.decryptor(nonce, aad)?),
                })
            }
            Key::Eax(eax) => {
                // SAFETY: see the type.
                let eax = unsafe { &eax.lasting().mode };
                Self::Eax(match direction {
                    Direction::Encrypt => Pieces::Encrypt(eax.encryptor(nonce, aad)),
                    Direction::Decrypt => Pieces::Decrypt(eax.decryptor(nonce, aad)),
                })
            }
        })
    }

    /// A fresh message, in a place where nobody uses it.
    fn unused(key: &Key, direction: Direction) -> Result<Self, Status> {
        Self::new(key, direction, &[0; 12], &[])
    }

    /// Returns a copy under a reference to the same key.
    fn again(&self, key: &Key) -> Result<Self, Status> {
        match (self, key) {
            // SAFETY: see the type.
            (Self::Gcm(pieces), Key::Gcm(gcm)) => Ok(Self::Gcm(pieces.again(unsafe { gcm.lasting() }))),
            // SAFETY: see the type.
            (Self::Eax(pieces), Key::Eax(eax)) => Ok(Self::Eax(pieces.again(unsafe { &eax.lasting().mode }))),
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

/// A message with a tag in pieces.
pub struct AeadStream {
    // Before the key, to which it refers: fields are dropped in this order.
    message: UntilFinished<Message>,
    key: Key,
    direction: Direction,
}

impl StreamKind for AeadStream {
    const KIND: u32 = 0xab12_aea5;
}

impl AeadStream {
    /// A stream under a key, before its first message.
    fn idle(aead: &KeyPtr<AeadHandle>) -> Result<Self, Status> {
        let (key, direction) = (Key::of(aead)?, Direction::Encrypt);
        let message = UntilFinished::idle(Message::unused(&key, direction)?);
        Ok(Self { message, key, direction })
    }

    /// Another message in place of this one, unless that fails.
    #[inline(never)]
    fn begin(&mut self, direction: Direction, nonce: &[u8], aad: &[u8]) -> Result<(), Status> {
        let key = &self.key;
        self.message.reset(|message| {
            *message = Message::new(key, direction, nonce, aad)?;
            Ok(())
        })?;
        self.direction = direction;
        Ok(())
    }

    /// The end of a stream that goes that way.
    fn end(
        &mut self,
        direction: Direction,
        end: impl FnOnce(Message) -> Result<(), Status>,
    ) -> Result<(), Status> {
        let Self { message, key, direction: own } = self;
        message.get()?;
        if *own != direction {
            return Err(Status::Direction);
        }
        let cover = |message: &mut Message| {
            // This message cannot be refused: one like it was begun.
            if let Ok(fresh) = Message::unused(key, direction) {
                *message = fresh;
            }
        };
        message.finish(|message| message.again(key), end, &[Status::TagLength], cover)
    }
}

/// Begins a message that comes in pieces; see abreast_aead_encrypt. The stream keeps the key, of GCM or EAX: the other
/// modes take the whole message at once.
///
/// direction: ABREAST_ENCRYPT or ABREAST_DECRYPT. The plaintext of a decrypting stream is not to be trusted before
/// abreast_aead_stream_verify says so.
///
/// ABREAST_DIRECTION, ABREAST_NONCE_LENGTH, ABREAST_MESSAGE_TOO_LONG for the associated data; ABREAST_WRONG_KEY for a key
/// of another mode.
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
        let key = Key::of(&aead)?;
        let message = UntilFinished::new(Message::new(&key, direction, nonce, aad)?);
        Ok(AeadStream { message, key, direction })
    })
}

/// Makes a stream without a message, which keeps the key, of GCM or EAX: abreast_aead_stream_begin begins each message in it,
/// in whichever direction. A server has a stream for each connection before there is a nonce.
///
/// Until then, calls with the stream are ABREAST_NOT_BEGUN, except abreast_aead_stream_clone and abreast_aead_stream_free.
/// ABREAST_WRONG_KEY for a key of another mode.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aead_stream_new_idle(
    aead: KeyPtr<AeadHandle>,
    stream: Place<*mut AeadStream>,
) -> c_int {
    begin(stream, || AeadStream::idle(&aead))
}

/// The bytes of memory that abreast_aead_stream_init needs. Other versions of this library may need another number.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aead_stream_size() -> usize {
    guarded(0, stream_room::<AeadStream>)
}

/// Makes a stream without a message as abreast_aead_stream_new_idle does, in memory of the caller: see abreast_stream_init.
///
/// ABREAST_MEMORY_SIZE, ABREAST_OVERLAP, ABREAST_WRONG_KEY.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aead_stream_init(
    memory: Out,
    size: usize,
    aead: KeyPtr<AeadHandle>,
    stream: Place<*mut AeadStream>,
) -> c_int {
    begin_in(Memory::of(&memory, size), stream, || Ok([aead.span()]), || AeadStream::idle(&aead))
}

/// Begins a message under the key of a stream, in either direction and whichever the one before it had, be that finished or not.
/// Nothing is allocated.
///
/// direction: ABREAST_ENCRYPT or ABREAST_DECRYPT.
///
/// ABREAST_DIRECTION, ABREAST_NONCE_LENGTH, ABREAST_MESSAGE_TOO_LONG for the associated data; then the stream is as it was.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aead_stream_begin(
    stream: StreamPtr<AeadStream>,
    direction: c_int,
    nonce: In,
    nonce_len: usize,
    aad: In,
    aad_len: usize,
) -> c_int {
    call(|| {
        let wanted = self::direction(direction)?;
        let (nonce, aad) = (nonce.bytes(nonce_len)?, aad.bytes(aad_len)?);
        stream.get()?.begin(wanted, nonce, aad)
    })
}

/// Begins another message under the key and in the direction of a stream, whether the one before is finished or not.
/// Nothing is allocated.
///
/// ABREAST_NONCE_LENGTH, ABREAST_MESSAGE_TOO_LONG for the associated data, ABREAST_NOT_BEGUN if there is no direction yet;
/// then the stream is as it was.
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
        let stream = stream.get()?;
        stream.message.had_message()?;
        stream.begin(stream.direction, nonce, aad)
    })
}

/// Takes in the next piece of the associated data, after the associated data with which the message began. All of it
/// comes before the message: the tag is the same however it is split.
///
/// ABREAST_ASSOCIATED_DATA_LATE after data of the message, unless aad is empty; ABREAST_MESSAGE_TOO_LONG for GCM,
/// ABREAST_FINISHED. Then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aead_stream_aad(stream: StreamPtr<AeadStream>, aad: In, aad_len: usize) -> c_int {
    call(|| {
        let aad = aad.bytes(aad_len)?;
        let message = stream.get()?.message.get()?;
        // Nothing is never late: it changes no tag.
        if aad.is_empty() { Ok(()) } else { message.associated_data(aad) }
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
        stream.get()?.message.get()?.update(io)
    })
}

/// Writes the tag of an encrypted message. The stream is finished then.
///
/// ABREAST_TAG_LENGTH: then the stream is as it was. ABREAST_FINISHED, ABREAST_DIRECTION if it decrypts.
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
/// ABREAST_TAG_MISMATCH: all plaintext is to be thrown away. ABREAST_TAG_LENGTH: then the stream is as it was.
/// ABREAST_FINISHED, ABREAST_DIRECTION if it encrypts.
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

/// Makes a stream that goes on as this one would, finished or not. Each keeps the key, and neither affects the other. Under
/// one nonce, the two must not encrypt different data: go on with one of them only.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aead_stream_clone(
    stream: ConstStreamPtr<AeadStream>,
    clone: Place<*mut AeadStream>,
) -> c_int {
    begin(clone, || {
        let AeadStream { message, key, direction } = stream.get()?;
        let key = key.again()?;
        let message = message.again(|message| message.again(&key))?;
        Ok(AeadStream { message, key, direction: *direction })
    })
}

/// Frees a stream and wipes it. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aead_stream_free(stream: StreamPtr<AeadStream>) {
    close(stream);
}
