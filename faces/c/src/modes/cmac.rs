//! CMAC.

use std::ffi::c_int;

use abreast::modes::Cmac;

use super::mac_stream::MacMessage;
use crate::buffers::{In, Out, Place, Span};
use crate::cipher::{CipherHandle, Shared, shared};
use crate::handle::{
    ConstStreamPtr, FreedKeyPtr, Handle, KeyPtr, Kind, Memory, StreamKind, StreamPtr, begin, begin_in, close,
    make_alone, release, stream_room,
};
use crate::status::{call, guarded};

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

/// A message for CMAC in pieces.
pub struct CmacStream(MacMessage<Cmac<Shared>>);

impl StreamKind for CmacStream {
    const KIND: u32 = 0xab12_3ac5;
}

/// Begins a message for CMAC that comes in pieces. The stream keeps the key.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cmac_stream_new(cmac: KeyPtr<CmacHandle>, stream: Place<*mut CmacStream>) -> c_int {
    begin(stream, || Ok(CmacStream(MacMessage::new(cmac.keep()?))))
}

/// The bytes of memory that abreast_cmac_stream_init needs. Other versions of this library may need another number.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cmac_stream_size() -> usize {
    guarded(0, stream_room::<CmacStream>)
}

/// Begins a message as abreast_cmac_stream_new does, with the stream in memory of the caller: see abreast_stream_init.
///
/// ABREAST_MEMORY_SIZE, ABREAST_OVERLAP.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cmac_stream_init(
    memory: Out,
    size: usize,
    cmac: KeyPtr<CmacHandle>,
    stream: Place<*mut CmacStream>,
) -> c_int {
    let begun = || Ok(CmacStream(MacMessage::new(cmac.keep()?)));
    begin_in(Memory::of(&memory, size), stream, || Ok([cmac.span()]), begun)
}

/// Begins another message under the key of a stream, whether the one before is finished or not. Nothing is allocated.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cmac_stream_reset(stream: StreamPtr<CmacStream>) -> c_int {
    call(|| stream.get()?.0.reset())
}

/// Takes in the next piece, of any length.
///
/// ABREAST_FINISHED.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cmac_stream_update(stream: StreamPtr<CmacStream>, data: In, len: usize) -> c_int {
    call(|| {
        let data = data.bytes(len)?;
        stream.get()?.0.update(data)
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
        stream.get()?.0.finish(tag)
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
        stream.get()?.0.verify(tag)
    })
}

/// Makes a stream that goes on as this one would, finished or not. Each keeps the key, and neither affects the other: the
/// common beginning of several messages is processed once.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cmac_stream_clone(
    stream: ConstStreamPtr<CmacStream>,
    clone: Place<*mut CmacStream>,
) -> c_int {
    begin(clone, || Ok(CmacStream(stream.get()?.0.again()?)))
}

/// Frees a stream and wipes it. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cmac_stream_free(stream: StreamPtr<CmacStream>) {
    close(stream);
}
