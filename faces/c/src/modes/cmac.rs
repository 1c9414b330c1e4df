//! CMAC.

use std::ffi::c_int;

use abreast::modes::{Cmac, CmacPieces};

use super::UntilFinished;
use crate::buffers::{In, Out, Place, Span};
use crate::cipher::{CipherHandle, Shared, shared};
use crate::handle::{
    ConstStreamPtr, FreedKeyPtr, Handle, Kept, KeyPtr, Kind, StreamKind, StreamPtr, begin, close, make_alone,
    release,
};
use crate::status::{Status, call};

/// A handle of a key in CMAC.
pub type CmacHandle = Handle<Cmac<Shared>>;

impl Kind for Cmac<Shared> {
    const KIND: u32 = 0xab12_3ac0;
}

/// Makes a key for CMAC from a key of a cipher. The new key keeps the cipher's.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cmac_new(cipher: KeyPtr<CipherHandle>, cmac: Place<*mut CmacHandle>) -> c_int {
    make_alone(&cmac, || Ok(Cmac::from_cipher(shared(cipher.keep()?))))
}

/// Frees a handle. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cmac_free(cmac: FreedKeyPtr<CmacHandle>) {
    release(&cmac);
}

/// Writes the tag of a message, as long as the cipher's blocks or cut down to tag_len bytes, at least one.
///
/// ABREAST_TAG_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cmac_mac(
    cmac: KeyPtr<CmacHandle>,
    message: In,
    len: usize,
    tag: Out,
    tag_len: usize,
) -> c_int {
    call(|| {
        let message = message.bytes(len)?;
        let (cmac, tag) = (cmac.get()?, tag.bytes(tag_len, &[Span::of(message)])?);
        Ok(cmac.key.with_tag_len(tag_len)?.mac(message, tag)?)
    })
}

/// Compares the tag of a message, in constant time.
///
/// ABREAST_TAG_MISMATCH, ABREAST_TAG_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cmac_verify(
    cmac: KeyPtr<CmacHandle>,
    message: In,
    len: usize,
    tag: In,
    tag_len: usize,
) -> c_int {
    call(|| {
        let (cmac, message, tag) = (cmac.get()?, message.bytes(len)?, tag.bytes(tag_len)?);
        Ok(cmac.key.with_tag_len(tag_len)?.verify(message, tag)?)
    })
}

type Pieces = CmacPieces<'static, Shared>;

/// A message for CMAC in pieces.
pub struct CmacStream {
    // Before the key, to which it refers: fields are dropped in this order.
    pieces: UntilFinished<Pieces>,
    key: Kept<Cmac<Shared>>,
}

impl StreamKind for CmacStream {
    const KIND: u32 = 0xab12_3ac5;
}

/// Returns the key of a stream, for its message.
fn lasting(key: &Kept<Cmac<Shared>>) -> &'static Cmac<Shared> {
    // SAFETY: a stream keeps the key for longer than its message, and nothing else is made of the reference.
    unsafe { key.lasting() }
}

impl CmacStream {
    fn end(&mut self, end: impl FnOnce(Pieces) -> Result<(), Status>) -> Result<(), Status> {
        let key = lasting(&self.key);
        let copy = |pieces: &Pieces| Ok(pieces.clone_under(key));
        self.pieces.finish(copy, end, &[Status::TagLength], |pieces| *pieces = key.pieces())
    }
}

/// Begins a message for CMAC that comes in pieces. The stream keeps the key.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cmac_stream_new(cmac: KeyPtr<CmacHandle>, stream: Place<*mut CmacStream>) -> c_int {
    begin(stream, || {
        let key = cmac.keep()?;
        Ok(CmacStream { pieces: UntilFinished::new(lasting(&key).pieces()), key })
    })
}

/// Begins another message under the key of a stream, whether the one before is finished or not. Nothing is allocated.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cmac_stream_reset(stream: StreamPtr<CmacStream>) -> c_int {
    call(|| {
        let CmacStream { pieces, key } = stream.get()?;
        pieces.reset(|pieces| {
            *pieces = lasting(key).pieces();
            Ok(())
        })
    })
}

/// Takes in the next piece, of any length.
///
/// ABREAST_FINISHED.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cmac_stream_update(stream: StreamPtr<CmacStream>, data: In, len: usize) -> c_int {
    call(|| {
        let data = data.bytes(len)?;
        stream.get()?.pieces.get()?.update(data);
        Ok(())
    })
}

/// Writes the tag. The stream is finished then.
///
/// ABREAST_TAG_LENGTH: then the stream is as it was. ABREAST_FINISHED.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cmac_stream_finish(
    stream: StreamPtr<CmacStream>,
    tag: Out,
    tag_len: usize,
) -> c_int {
    call(|| {
        let tag = tag.bytes(tag_len, &[])?;
        stream.get()?.end(|pieces| Ok(pieces.with_tag_len(tag_len)?.finish(tag)?))
    })
}

/// Compares the tag, in constant time. The stream is finished then.
///
/// ABREAST_TAG_MISMATCH; ABREAST_TAG_LENGTH, and then the stream is as it was; ABREAST_FINISHED.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cmac_stream_verify(
    stream: StreamPtr<CmacStream>,
    tag: In,
    tag_len: usize,
) -> c_int {
    call(|| {
        let tag = tag.bytes(tag_len)?;
        stream.get()?.end(|pieces| Ok(pieces.with_tag_len(tag_len)?.verify(tag)?))
    })
}

/// Makes a stream that goes on as this one would, finished or not. Each keeps the key, and neither affects the other: the
/// common beginning of several messages is processed once.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cmac_stream_clone(
    stream: ConstStreamPtr<CmacStream>,
    clone: Place<*mut CmacStream>,
) -> c_int {
    begin(clone, || {
        let CmacStream { pieces, key } = stream.get()?;
        let key = key.again()?;
        Ok(CmacStream { pieces: pieces.again(|pieces| Ok(pieces.clone_under(lasting(&key))))?, key })
    })
}

/// Frees a stream and wipes it. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cmac_stream_free(stream: StreamPtr<CmacStream>) {
    close(stream);
}
