//! The functions of `abreast.h`, and names for the types of those that targets choose between.

use std::ffi::{c_int, c_void};

pub(super) use abreast_c_bindings::*;

/// A handle.
pub(super) type Handle = *mut c_void;
/// A key that a function only reads.
pub(super) type ReadHandle = *const c_void;
pub(super) type In = *const u8;
pub(super) type Out = *mut u8;

/// One message of a mode with a tag.
pub(super) type Sealing =
    unsafe extern "C" fn(ReadHandle, In, usize, In, usize, In, Out, usize, Out, usize) -> c_int;
/// One message of a mode with a tag, and any number of strings of associated data.
pub(super) type SealingStrings = unsafe extern "C" fn(
    ReadHandle,
    In,
    usize,
    *const abreast_string,
    usize,
    In,
    Out,
    usize,
    Out,
    usize,
) -> c_int;
/// One message of a mode with a tag after the message, and any number of strings of associated data.
pub(super) type JoinedStrings =
    unsafe extern "C" fn(ReadHandle, In, usize, *const abreast_string, usize, usize, In, Out, usize) -> c_int;
/// The next piece of a stream.
pub(super) type Piece = unsafe extern "C" fn(Handle, In, Out, usize) -> c_int;
/// Whole blocks under expanded round keys.
pub(super) type Expanded = unsafe extern "C" fn(*const u32, In, Out, usize) -> c_int;
/// The end of a stream with a tag.
pub(super) type Finish = unsafe extern "C" fn(Handle, Out, usize) -> c_int;
/// The function that frees a handle.
pub(super) type Free = unsafe extern "C" fn(Handle);

// Functions that compare a tag take it as one that they write, so that both kinds have one type.

/// Calls [`abreast_aead_decrypt`].
pub(super) unsafe extern "C" fn aead_decrypt(
    key: ReadHandle,
    nonce: In,
    nonce_len: usize,
    aad: In,
    aad_len: usize,
    input: In,
    output: Out,
    len: usize,
    tag: Out,
    tag_len: usize,
) -> c_int {
    // SAFETY: the caller's.
    unsafe { abreast_aead_decrypt(key, nonce, nonce_len, aad, aad_len, input, output, len, tag, tag_len) }
}

/// Calls [`abreast_aez_decrypt`].
pub(super) unsafe extern "C" fn aez_decrypt(
    key: ReadHandle,
    nonce: In,
    nonce_len: usize,
    ad: *const abreast_string,
    ad_count: usize,
    input: In,
    output: Out,
    len: usize,
    tag: Out,
    tag_len: usize,
) -> c_int {
    // SAFETY: the caller's.
    unsafe { abreast_aez_decrypt(key, nonce, nonce_len, ad, ad_count, input, output, len, tag, tag_len) }
}

/// Calls [`abreast_aead_stream_verify`].
pub(super) unsafe extern "C" fn aead_stream_verify(stream: Handle, tag: Out, tag_len: usize) -> c_int {
    // SAFETY: the caller's.
    unsafe { abreast_aead_stream_verify(stream, tag, tag_len) }
}

/// Calls [`abreast_cmac_stream_verify`].
pub(super) unsafe extern "C" fn cmac_stream_verify(stream: Handle, tag: Out, tag_len: usize) -> c_int {
    // SAFETY: the caller's.
    unsafe { abreast_cmac_stream_verify(stream, tag, tag_len) }
}
