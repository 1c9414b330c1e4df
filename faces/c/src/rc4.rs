//! RC4: streams, messages with keys of their own, and many of both.

use std::cell::Cell;
use std::ffi::{c_int, c_void};

use abreast::Error;
use abreast::rc4::{Message, Rc4, Stream, apply_keys, apply_many};

use crate::buffers::{In, Out, Place, Span, in_out};
use crate::handle::{ConstStreamPtr, Memory, StreamKind, StreamPtr, begin, begin_in, close, stream_room};
use crate::packets::{Batch, Described, Items, Room, WINDOW, batch};
use crate::status::{Status, call, guarded};

/// A stream of RC4.
#[derive(Debug)]
pub struct Rc4Stream(Rc4);

impl StreamKind for Rc4Stream {
    const KIND: u32 = 0xab12_4c45;
}

/// Encrypts or decrypts a message under a key of its own. RC4 is broken and not constant time: this is for protocols
/// and formats that cannot be changed.
///
/// key: 1 to 256 bytes. skip: how many bytes of keystream are left out in front.
///
/// ABREAST_KEY_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_rc4_apply(
    key: In,
    key_len: usize,
    skip: u64,
    input: In,
    output: Out,
    len: usize,
) -> c_int {
    call(|| {
        let key = key.bytes(key_len)?;
        let buffer = in_out(&input, &output, len, &[Span::of(key)])?;
        Ok(apply_keys(&mut [Message { key, skip, buffer }])?)
    })
}

/// Begins the stream of a key of 1 to 256 bytes.
///
/// ABREAST_KEY_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_rc4_stream_new(key: In, key_len: usize, stream: Place<*mut Rc4Stream>) -> c_int {
    begin(stream, || Ok(Rc4Stream(Rc4::new(key.bytes(key_len)?)?)))
}

/// The bytes of memory that abreast_rc4_stream_init needs. Other versions of this library may need another number.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_rc4_stream_size() -> usize {
    guarded(0, stream_room::<Rc4Stream>)
}

/// Begins the stream of a key as abreast_rc4_stream_new does, in memory of the caller: see abreast_stream_init.
///
/// ABREAST_MEMORY_SIZE, ABREAST_OVERLAP, ABREAST_KEY_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_rc4_stream_init(
    memory: Out,
    size: usize,
    key: In,
    key_len: usize,
    stream: Place<*mut Rc4Stream>,
) -> c_int {
    begin_in(
        Memory::of(&memory, size),
        stream,
        || Ok([key.span(key_len)?]),
        || Ok(Rc4Stream(Rc4::new(key.bytes(key_len)?)?)),
    )
}

/// Goes on where another stream was, from the 258 bytes that abreast_rc4_stream_export gave.
///
/// ABREAST_PERMUTATION.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_rc4_stream_import(state: In, stream: Place<*mut Rc4Stream>) -> c_int {
    begin(stream, || Ok(Rc4Stream(Rc4::import(state.array()?)?)))
}

/// Writes where a stream is, 258 bytes: S, i and j. Whoever has them has the rest of the keystream.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_rc4_stream_export(stream: ConstStreamPtr<Rc4Stream>, state: Out) -> c_int {
    call(|| {
        *state.array()? = stream.get()?.0.export();
        Ok(())
    })
}

/// Leaves out the next bytes of keystream.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_rc4_stream_skip(stream: StreamPtr<Rc4Stream>, bytes: u64) -> c_int {
    call(|| {
        stream.get()?.0.skip(bytes);
        Ok(())
    })
}

/// Xors the next keystream into the data.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_rc4_stream_apply(
    stream: StreamPtr<Rc4Stream>,
    input: In,
    output: Out,
    len: usize,
) -> c_int {
    call(|| {
        stream.get()?.0.apply(in_out(&input, &output, len, &[])?);
        Ok(())
    })
}

/// Frees a stream and wipes it. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_rc4_stream_free(stream: StreamPtr<Rc4Stream>) {
    close(stream);
}

/// A stream of a batch, and data for it.
#[repr(C)]
#[derive(Debug)]
pub struct Rc4Piece {
    /// The stream.
    pub stream: StreamPtr<Rc4Stream>,
    /// The data.
    pub input: In,
    /// The place of the result: input itself, or apart from it.
    pub output: Out,
    /// Bytes of both.
    pub len: usize,
    /// The result: a status.
    pub status: Cell<c_int>,
}

impl Described for Rc4Piece {
    fn status(&self) -> &Cell<c_int> {
        &self.status
    }
    fn key(&self) -> *const c_void {
        self.stream.address()
    }
}

/// A message of a batch, with a key of its own.
#[repr(C)]
#[derive(Debug)]
pub struct Rc4Message {
    /// The key.
    pub key: In,
    /// Its bytes, 1 to 256.
    pub key_len: usize,
    /// The number of bytes of keystream to leave out in front of the message.
    pub skip: u64,
    /// The message.
    pub input: In,
    /// The place of the result: input itself, or apart from it.
    pub output: Out,
    /// Bytes of both.
    pub len: usize,
    /// The result: a status.
    pub status: Cell<c_int>,
}

impl Described for Rc4Message {
    fn status(&self) -> &Cell<c_int> {
        &self.status
    }
    fn key(&self) -> *const c_void {
        self.key.address()
    }
}

/// Applies many streams side by side, each as abreast_rc4_stream_apply does.
///
/// A stream may be there several times: its pieces are done in their order, as by calls one after the other.
/// piece_size: sizeof(struct abreast_rc4_piece).
///
/// ABREAST_BATCH if some were not done: each has its own status.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_rc4_apply_streams(
    pieces: Items<Rc4Piece>,
    count: usize,
    piece_size: usize,
) -> c_int {
    batch::<WINDOW, _, _>(&pieces, count, piece_size, Streams)
}

/// A batch of streams and their data.
struct Streams;

impl<'i> Batch<'i, Rc4Piece> for Streams {
    type Packet<'w>
        = Stream<'w, 'w, 'w>
    where
        'i: 'w;

    /// A stream and its data, unless the stream is in the window already.
    fn take<'w>(
        &self,
        piece: &'i Rc4Piece,
        array: Span,
        window: &'i [Rc4Piece],
        _: &'w mut Room,
    ) -> Result<Option<Stream<'w, 'w, 'w>>, Status>
    where
        'i: 'w,
    {
        if window.iter().any(|other| other.stream.is(&piece.stream)) {
            return Ok(None);
        }
        let buffer = in_out(&piece.input, &piece.output, piece.len, &[array])?;
        Ok(Some(Stream { state: &mut piece.stream.get()?.0, buffer }))
    }

    fn run(&mut self, window: &mut [Stream<'_, '_, '_>]) -> Result<(), Error> {
        apply_many(window);
        Ok(())
    }

    fn result(_: &Rc4Piece, _: &Stream<'_, '_, '_>) -> Result<(), Status> {
        Ok(())
    }
}

/// Does as abreast_rc4_apply for each of many messages, whose key schedules and data go side by side.
///
/// message_size: sizeof(struct abreast_rc4_message).
///
/// ABREAST_BATCH if some were not done: each has its own status, which may be ABREAST_KEY_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_rc4_apply_keys(
    messages: Items<Rc4Message>,
    count: usize,
    message_size: usize,
) -> c_int {
    batch::<WINDOW, _, _>(&messages, count, message_size, Keys)
}

/// A message of an array as the library takes it.
pub(crate) fn message_of(message: &Rc4Message, array: Span) -> Result<Message<'_, '_, '_>, Status> {
    // One that is refused would keep the others from being done.
    if !(1..=256).contains(&message.key_len) {
        return Err(Status::KeyLength);
    }
    let key = message.key.bytes(message.key_len)?;
    let buffer = in_out(&message.input, &message.output, message.len, &[array, Span::of(key)])?;
    Ok(Message { key, skip: message.skip, buffer })
}

/// A batch of messages and their keys.
struct Keys;

impl<'i> Batch<'i, Rc4Message> for Keys {
    type Packet<'w>
        = Message<'w, 'w, 'w>
    where
        'i: 'w;

    /// A message, whose key is one.
    fn take<'w>(
        &self,
        message: &'i Rc4Message,
        array: Span,
        _: &'i [Rc4Message],
        _: &'w mut Room,
    ) -> Result<Option<Message<'w, 'w, 'w>>, Status>
    where
        'i: 'w,
    {
        message_of(message, array).map(Some)
    }

    fn run(&mut self, window: &mut [Message<'_, '_, '_>]) -> Result<(), Error> {
        apply_keys(window)
    }

    fn result(_: &Rc4Message, _: &Message<'_, '_, '_>) -> Result<(), Status> {
        Ok(())
    }
}
