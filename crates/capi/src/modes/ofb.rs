//! Output feedback.

use std::ffi::c_int;

use abreast::modes::Ofb;

use crate::buffers::{In, Out, Place, Span, in_out};
use crate::cipher::{CipherHandle, Shared, cipher, shared};
use crate::handle::{KeyPtr, StreamPtr, begin, close};
use crate::status::call;

/// A stream in OFB.
#[derive(Debug)]
pub struct OfbStream(Ofb<Shared>);

/// Xors the keystream of output feedback into a message: encryption and decryption are the same.
///
/// iv: as long as the cipher's blocks; it must never repeat under a key.
///
/// ABREAST_IV_LENGTH; then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_ofb_apply(
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
        Ofb::from_cipher(self::cipher(&cipher)?, iv)?.apply(io);
        Ok(())
    })
}

/// Begins a stream in OFB; see abreast_ofb_apply. The stream keeps the key.
///
/// ABREAST_IV_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_ofb_stream_new(
    cipher: KeyPtr<CipherHandle>,
    iv: In,
    iv_len: usize,
    stream: Place<*mut OfbStream>,
) -> c_int {
    begin(stream, || Ok(OfbStream(Ofb::from_cipher(shared(&cipher)?, iv.bytes(iv_len)?)?)))
}

/// Xors the next keystream into the data.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_ofb_stream_apply(
    stream: StreamPtr<OfbStream>,
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
pub extern "C" fn abreast_ofb_stream_free(stream: StreamPtr<OfbStream>) {
    close(stream);
}
