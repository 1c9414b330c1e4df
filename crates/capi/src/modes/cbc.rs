//! Cipher block chaining.

use std::ffi::c_int;

use abreast::modes::Cbc;

use crate::buffers::{In, Out, Place, Span, in_out};
use crate::cipher::{CipherHandle, Shared, cipher, shared};
use crate::handle::{KeyPtr, StreamPtr, begin, close};
use crate::status::call;

/// A stream in CBC.
#[derive(Debug)]
pub struct CbcStream(Cbc<Shared>);

/// Encrypts a message of whole blocks in CBC.
///
/// iv: as long as the cipher's blocks; it must be unpredictable.
///
/// ABREAST_IV_LENGTH, ABREAST_PARTIAL_BLOCK, and ABREAST_MESSAGE_TOO_LONG for more than 2^32 blocks of 64 bits; then
/// nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cbc_encrypt(
    cipher: KeyPtr<CipherHandle>,
    iv: In,
    iv_len: usize,
    input: In,
    output: Out,
    len: usize,
) -> c_int {
    call(|| {
        let iv = iv.bytes(iv_len)?;
        let io = in_out(&input, &output, len, &[Span::of(iv)])?;
        Ok(Cbc::from_cipher(self::cipher(&cipher)?, iv)?.encrypt(io)?)
    })
}

/// Decrypts a message of whole blocks; the converse of abreast_cbc_encrypt.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cbc_decrypt(
    cipher: KeyPtr<CipherHandle>,
    iv: In,
    iv_len: usize,
    input: In,
    output: Out,
    len: usize,
) -> c_int {
    call(|| {
        let iv = iv.bytes(iv_len)?;
        let io = in_out(&input, &output, len, &[Span::of(iv)])?;
        Ok(Cbc::from_cipher(self::cipher(&cipher)?, iv)?.decrypt(io)?)
    })
}

/// Encrypts a message of any length in CBC with the padding of PKCS #7, in place.
///
/// buffer: the message, len bytes, with room for 1 to 16 bytes of padding (8 with blocks of 64 bits): it has capacity
/// bytes. padded_len: where the length of the ciphertext goes; outside of the buffer.
///
/// ABREAST_BUFFER_LENGTHS if there is no room, ABREAST_IV_LENGTH, ABREAST_MESSAGE_TOO_LONG.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cbc_encrypt_padded(
    cipher: KeyPtr<CipherHandle>,
    iv: In,
    iv_len: usize,
    buffer: Out,
    capacity: usize,
    len: usize,
    padded_len: Place<usize>,
) -> c_int {
    call(|| {
        let iv = iv.bytes(iv_len)?;
        let padded_len = padded_len.get(&[Span::of(iv), buffer.span(capacity)?])?;
        let buffer = buffer.bytes(capacity, &[Span::of(iv)])?;
        padded_len.write(Cbc::from_cipher(self::cipher(&cipher)?, iv)?.encrypt_pkcs7(buffer, len)?.len());
        Ok(())
    })
}

/// Decrypts a message in CBC with the padding of PKCS #7, in place. Whoever learns whether the padding of a forged
/// message was right learns the message: authenticate the ciphertext before it is decrypted.
///
/// buffer: the ciphertext, len bytes. plain_len: where the length of the message goes; outside of the buffer.
///
/// ABREAST_PADDING, and then the buffer is zeros; also if len is 0, as the ciphertext of an empty message is a block of
/// padding. ABREAST_PARTIAL_BLOCK, ABREAST_IV_LENGTH, ABREAST_MESSAGE_TOO_LONG; then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cbc_decrypt_padded(
    cipher: KeyPtr<CipherHandle>,
    iv: In,
    iv_len: usize,
    buffer: Out,
    len: usize,
    plain_len: Place<usize>,
) -> c_int {
    call(|| {
        let iv = iv.bytes(iv_len)?;
        let plain_len = plain_len.get(&[Span::of(iv), buffer.span(len)?])?;
        let buffer = buffer.bytes(len, &[Span::of(iv)])?;
        plain_len.write(Cbc::from_cipher(self::cipher(&cipher)?, iv)?.decrypt_pkcs7(buffer)?.len());
        Ok(())
    })
}

/// Begins a stream in CBC; see abreast_cbc_encrypt. It is either encrypted or decrypted. The stream keeps the key.
///
/// ABREAST_IV_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cbc_stream_new(
    cipher: KeyPtr<CipherHandle>,
    iv: In,
    iv_len: usize,
    stream: Place<*mut CbcStream>,
) -> c_int {
    begin(stream, || Ok(CbcStream(Cbc::from_cipher(shared(&cipher)?, iv.bytes(iv_len)?)?)))
}

/// Encrypts the next blocks.
///
/// ABREAST_PARTIAL_BLOCK, ABREAST_MESSAGE_TOO_LONG; then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cbc_stream_encrypt(
    stream: StreamPtr<CbcStream>,
    input: In,
    output: Out,
    len: usize,
) -> c_int {
    call(|| Ok(stream.get()?.0.encrypt(in_out(&input, &output, len, &[])?)?))
}

/// Decrypts the next blocks.
///
/// ABREAST_PARTIAL_BLOCK, ABREAST_MESSAGE_TOO_LONG; then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cbc_stream_decrypt(
    stream: StreamPtr<CbcStream>,
    input: In,
    output: Out,
    len: usize,
) -> c_int {
    call(|| Ok(stream.get()?.0.decrypt(in_out(&input, &output, len, &[])?)?))
}

/// Frees a stream and wipes it. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cbc_stream_free(stream: StreamPtr<CbcStream>) {
    close(stream);
}
