//! The functions of `abreast.h` that targets call, with handles as pointers to anything.

use std::ffi::{c_char, c_int, c_void};

/// A handle.
pub(super) type Handle = *mut c_void;
/// Where a function puts a handle.
type Place = *mut Handle;
type In = *const u8;
type Out = *mut u8;
type Name = *const c_char;

/// `struct abreast_string`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Text {
    pub(super) data: In,
    pub(super) len: usize,
}

/// `struct abreast_packet`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packet {
    pub(super) key: *const c_void,
    pub(super) iv: In,
    pub(super) iv_len: usize,
    pub(super) aad: In,
    pub(super) aad_len: usize,
    pub(super) input: In,
    pub(super) output: Out,
    pub(super) len: usize,
    pub(super) tag: Out,
    pub(super) tag_len: usize,
    pub(super) status: c_int,
}

/// One message of a mode with a tag.
pub(super) type Sealing =
    unsafe extern "C" fn(Handle, In, usize, In, usize, In, Out, usize, Out, usize) -> c_int;
/// The same with strings of associated data.
pub(super) type SealingStrings =
    unsafe extern "C" fn(Handle, In, usize, *const Text, usize, In, Out, usize, Out, usize) -> c_int;
/// The same with the tag after the message.
pub(super) type JoinedStrings =
    unsafe extern "C" fn(Handle, In, usize, *const Text, usize, usize, In, Out, usize) -> c_int;
/// The next piece of a stream.
pub(super) type Piece = unsafe extern "C" fn(Handle, In, Out, usize) -> c_int;
/// Whole blocks under expanded round keys.
pub(super) type Expanded = unsafe extern "C" fn(*const u32, In, Out, usize) -> c_int;
/// The end of a stream with a tag.
pub(super) type Finish = unsafe extern "C" fn(Handle, Out, usize) -> c_int;
/// Frees a handle.
pub(super) type Free = unsafe extern "C" fn(Handle);

#[rustfmt::skip]
unsafe extern "C" {
    pub(super) fn abreast_status_text(status: c_int) -> *const c_char;

    pub(super) fn abreast_cipher_new(name: Name, key: In, len: usize, kernel: Name, place: Place) -> c_int;
    pub(super) fn abreast_cipher_free(handle: Handle);
    pub(super) fn abreast_cipher_block_size(handle: Handle) -> usize;
    pub(super) fn abreast_cipher_crypt(handle: Handle, operation: c_int, iv: In, iv_len: usize, input: In, output: Out, len: usize) -> c_int;
    pub(super) fn abreast_aes_new(key: In, key_len: usize, kernel: Name, place: Place) -> c_int;
    pub(super) fn abreast_serpent_new(key: In, key_len: usize, kernel: Name, place: Place) -> c_int;
    pub(super) fn abreast_tea_new(key: In, big: c_int, kernel: Name, place: Place) -> c_int;
    pub(super) fn abreast_aes_gcm_new(key: In, key_len: usize, kernel: Name, place: Place) -> c_int;
    pub(super) fn abreast_xtea_new(key: In, big: c_int, cycles: u8, kernel: Name, place: Place) -> c_int;
    pub(super) fn abreast_xtea_new_expanded(keys: *const u32, big: c_int, place: Place) -> c_int;
    pub(super) fn abreast_xtea_encrypt(keys: *const u32, input: In, output: Out, len: usize) -> c_int;
    pub(super) fn abreast_xtea_decrypt(keys: *const u32, input: In, output: Out, len: usize) -> c_int;

    pub(super) fn abreast_cbc_encrypt_padded(handle: Handle, iv: In, iv_len: usize, buffer: Out, capacity: usize, len: usize, padded: *mut usize) -> c_int;
    pub(super) fn abreast_cbc_decrypt_padded(handle: Handle, iv: In, iv_len: usize, buffer: Out, len: usize, plain: *mut usize) -> c_int;

    pub(super) fn abreast_stream_new(handle: Handle, operation: c_int, iv: In, iv_len: usize, place: Place) -> c_int;
    pub(super) fn abreast_stream_apply(stream: Handle, input: In, output: Out, len: usize) -> c_int;
    pub(super) fn abreast_stream_seek(stream: Handle, byte: u64) -> c_int;
    pub(super) fn abreast_stream_position(stream: Handle, byte: *mut u64) -> c_int;
    pub(super) fn abreast_stream_free(stream: Handle);

    pub(super) fn abreast_cmac_new(handle: Handle, place: Place) -> c_int;
    pub(super) fn abreast_cmac_free(handle: Handle);
    pub(super) fn abreast_cmac_mac(handle: Handle, message: In, len: usize, tag: Out, tag_len: usize) -> c_int;
    pub(super) fn abreast_cmac_verify(handle: Handle, message: In, len: usize, tag: In, tag_len: usize) -> c_int;
    pub(super) fn abreast_cmac_stream_new(handle: Handle, place: Place) -> c_int;
    pub(super) fn abreast_cmac_stream_update(stream: Handle, data: In, len: usize) -> c_int;
    pub(super) fn abreast_cmac_stream_finish(stream: Handle, tag: Out, tag_len: usize) -> c_int;
    pub(super) fn abreast_cmac_stream_verify(stream: Handle, tag: Out, tag_len: usize) -> c_int;
    pub(super) fn abreast_cmac_stream_free(stream: Handle);

    pub(super) fn abreast_gcm_new(handle: Handle, place: Place) -> c_int;
    pub(super) fn abreast_eax_new(handle: Handle, place: Place) -> c_int;
    pub(super) fn abreast_aez_new(key: In, key_len: usize, kernel: Name, place: Place) -> c_int;
    pub(super) fn abreast_aead_free(handle: Handle);
    pub(super) fn abreast_aead_kernel(handle: Handle) -> Name;
    pub(super) fn abreast_aead_encrypt(handle: Handle, nonce: In, nonce_len: usize, aad: In, aad_len: usize, input: In, output: Out, len: usize, tag: Out, tag_len: usize) -> c_int;
    pub(super) fn abreast_aead_decrypt(handle: Handle, nonce: In, nonce_len: usize, aad: In, aad_len: usize, input: In, output: Out, len: usize, tag: Out, tag_len: usize) -> c_int;
    pub(super) fn abreast_aead_stream_new(handle: Handle, direction: c_int, nonce: In, nonce_len: usize, aad: In, aad_len: usize, place: Place) -> c_int;
    pub(super) fn abreast_aead_stream_update(stream: Handle, input: In, output: Out, len: usize) -> c_int;
    pub(super) fn abreast_aead_stream_finish(stream: Handle, tag: Out, tag_len: usize) -> c_int;
    pub(super) fn abreast_aead_stream_verify(stream: Handle, tag: Out, tag_len: usize) -> c_int;
    pub(super) fn abreast_aead_stream_free(stream: Handle);

    pub(super) fn abreast_xts_new(data: Handle, tweak: Handle, place: Place) -> c_int;
    pub(super) fn abreast_xts_free(handle: Handle);
    pub(super) fn abreast_xts_encrypt(handle: Handle, first: In, unit: usize, input: In, output: Out, len: usize) -> c_int;
    pub(super) fn abreast_xts_decrypt(handle: Handle, first: In, unit: usize, input: In, output: Out, len: usize) -> c_int;

    pub(super) fn abreast_aez_encrypt(handle: Handle, nonce: In, nonce_len: usize, ad: *const Text, count: usize, input: In, output: Out, len: usize, tag: Out, tag_len: usize) -> c_int;
    pub(super) fn abreast_aez_decrypt(handle: Handle, nonce: In, nonce_len: usize, ad: *const Text, count: usize, input: In, output: Out, len: usize, tag: Out, tag_len: usize) -> c_int;
    pub(super) fn abreast_aez_encrypt_joined(handle: Handle, nonce: In, nonce_len: usize, ad: *const Text, count: usize, tag_len: usize, input: In, output: Out, len: usize) -> c_int;
    pub(super) fn abreast_aez_decrypt_joined(handle: Handle, nonce: In, nonce_len: usize, ad: *const Text, count: usize, tag_len: usize, input: In, output: Out, len: usize) -> c_int;

    pub(super) fn abreast_rc4_apply(key: In, key_len: usize, skip: u64, input: In, output: Out, len: usize) -> c_int;
    pub(super) fn abreast_rc4_stream_new(key: In, key_len: usize, place: Place) -> c_int;
    pub(super) fn abreast_rc4_stream_import(state: In, place: Place) -> c_int;
    pub(super) fn abreast_rc4_stream_export(stream: Handle, state: Out) -> c_int;
    pub(super) fn abreast_rc4_stream_skip(stream: Handle, bytes: u64) -> c_int;
    pub(super) fn abreast_rc4_stream_apply(stream: Handle, input: In, output: Out, len: usize) -> c_int;
    pub(super) fn abreast_rc4_stream_free(stream: Handle);

    pub(super) fn abreast_packets(operation: c_int, packets: *mut Packet, count: usize, size: usize) -> c_int;
}
