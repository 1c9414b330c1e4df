//! RC4: streams, messages with keys of their own, and many of both.

use std::cell::Cell;
use std::ffi::c_int;
use std::mem::MaybeUninit;

use abreast::Error;
use abreast::rc4::{Message, Rc4, Stream, apply_keys, apply_many};

use crate::buffers::{In, Out, in_out};
use crate::handle::{begin, close, need};
use crate::packets::{Described, Items, batch};
use crate::status::{Status, call};

/// A stream of RC4.
#[derive(Debug)]
pub struct Rc4Stream(Rc4);

/// Encrypts or decrypts a message under a key of its own. RC4 is broken and not constant time: this is for what speaks
/// it and cannot be changed.
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
        let buffer = in_out(&input, &output, len, &[key])?;
        Ok(apply_keys(&mut [Message { key, skip, buffer }])?)
    })
}

/// Begins the stream of a key of 1 to 256 bytes.
///
/// ABREAST_KEY_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_rc4_stream_new(
    key: In,
    key_len: usize,
    stream: Option<&mut MaybeUninit<Option<Box<Rc4Stream>>>>,
) -> c_int {
    begin(stream, || Ok(Rc4Stream(Rc4::new(key.bytes(key_len)?)?)))
}

/// Goes on where another stream was, from the 258 bytes that abreast_rc4_stream_export gave.
///
/// ABREAST_PERMUTATION.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_rc4_stream_import(
    state: In,
    stream: Option<&mut MaybeUninit<Option<Box<Rc4Stream>>>>,
) -> c_int {
    begin(stream, || Ok(Rc4Stream(Rc4::import(state.array()?)?)))
}

/// Writes where a stream is, 258 bytes: S, i and j. Whoever has them has the rest of the keystream.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_rc4_stream_export(stream: Option<&Rc4Stream>, state: Out) -> c_int {
    call(|| {
        *state.array()? = need(stream)?.0.export();
        Ok(())
    })
}

/// Leaves out the next bytes of keystream.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_rc4_stream_skip(stream: Option<&mut Rc4Stream>, bytes: u64) -> c_int {
    call(|| {
        need(stream)?.0.skip(bytes);
        Ok(())
    })
}

/// Xors the next keystream into the data.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_rc4_stream_apply(
    stream: Option<&mut Rc4Stream>,
    input: In,
    output: Out,
    len: usize,
) -> c_int {
    call(|| {
        need(stream)?.0.apply(in_out(&input, &output, len, &[])?);
        Ok(())
    })
}

/// Frees a stream and wipes it. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_rc4_stream_free(stream: Option<Box<Rc4Stream>>) {
    close(stream);
}

/// A stream of a batch, and data for it.
#[repr(C)]
#[derive(Debug)]
pub struct Rc4Piece {
    /// The stream.
    pub stream: *mut Rc4Stream,
    /// The data.
    pub input: In,
    /// Where the result goes: input itself, or apart from it.
    pub output: Out,
    /// Bytes of both.
    pub len: usize,
    /// What became of it.
    pub status: Cell<c_int>,
}

impl Described for Rc4Piece {
    fn status(&self) -> &Cell<c_int> {
        &self.status
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
    /// How many bytes of keystream are left out in front of the message.
    pub skip: u64,
    /// The message.
    pub input: In,
    /// Where the result goes: input itself, or apart from it.
    pub output: Out,
    /// Bytes of both.
    pub len: usize,
    /// What became of it.
    pub status: Cell<c_int>,
}

impl Described for Rc4Message {
    fn status(&self) -> &Cell<c_int> {
        &self.status
    }
}

/// Does as abreast_rc4_stream_apply for each of many streams, which go side by side.
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
    batch(&pieces, count, piece_size, taken, apply_many, |_| Ok(()))
}

/// A stream and its data, unless the stream is in the window already.
fn taken<'p>(piece: &'p Rc4Piece, window: &[&'p Rc4Piece]) -> Result<Option<Stream<'p, 'p, 'p>>, Status> {
    if window.iter().any(|other| std::ptr::eq(other.stream, piece.stream)) {
        return Ok(None);
    }
    let buffer = in_out(&piece.input, &piece.output, piece.len, &[])?;
    // SAFETY: NULL, or a stream that the caller of the C function does not use or free during the call, and that is
    // in this window once.
    let state = &mut need(unsafe { piece.stream.as_mut() })?.0;
    Ok(Some(Stream { state, buffer }))
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
    let run = |window: &mut [Message<'_, '_, '_>]| {
        // Keys of these lengths are not refused.
        let _: Result<(), Error> = apply_keys(window);
    };
    batch(&messages, count, message_size, keyed, run, |_| Ok(()))
}

/// A message, whose key is one.
fn keyed<'m>(message: &'m Rc4Message, _: &[&'m Rc4Message]) -> Result<Option<Message<'m, 'm, 'm>>, Status> {
    // One that is refused would keep the others from being done.
    if !(1..=256).contains(&message.key_len) {
        return Err(Status::KeyLength);
    }
    let key = message.key.bytes(message.key_len)?;
    let buffer = in_out(&message.input, &message.output, message.len, &[key])?;
    Ok(Some(Message { key, skip: message.skip, buffer }))
}
