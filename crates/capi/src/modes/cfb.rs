//! Cipher feedback, with segments of a block and of a byte.

use std::ffi::c_int;

use abreast::modes::{Cfb, Cfb8, Direction};
use abreast::{BlockCipher, InOutBuf};

use crate::buffers::{In, Out, Place, Span, in_out};
use crate::cipher::{CipherHandle, Shared, cipher, shared};
use crate::handle::{KeyPtr, StreamPtr, begin, close};
use crate::status::{Status, call};

/// A message in either form.
#[derive(Debug)]
enum Feedback<C> {
    Blocks(Cfb<C>),
    Bytes(Cfb8<C>),
}

impl<C: BlockCipher> Feedback<C> {
    fn new(cipher: C, bytes: c_int, iv: &[u8]) -> Result<Self, Status> {
        Ok(if bytes == 0 {
            Self::Blocks(Cfb::from_cipher(cipher, iv)?)
        } else {
            Self::Bytes(Cfb8::from_cipher(cipher, iv)?)
        })
    }

    fn apply(&mut self, direction: Direction, io: InOutBuf<'_, '_, u8>) {
        match (self, direction) {
            (Self::Blocks(cfb), Direction::Encrypt) => cfb.encrypt(io),
            (Self::Blocks(cfb), Direction::Decrypt) => cfb.decrypt(io),
            (Self::Bytes(cfb), Direction::Encrypt) => cfb.encrypt(io),
            (Self::Bytes(cfb), Direction::Decrypt) => cfb.decrypt(io),
        }
    }
}

/// A stream in CFB.
#[derive(Debug)]
pub struct CfbStream(Feedback<Shared>);

/// Encrypts a message of any length in CFB.
///
/// bytes: 0 for segments of a block (CFB128, CFB64), anything else for segments of a byte (CFB8). iv: as long as the
/// cipher's blocks; it must be unpredictable.
///
/// ABREAST_IV_LENGTH; then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cfb_encrypt(
    cipher: KeyPtr<CipherHandle>,
    bytes: c_int,
    iv: In,
    iv_len: usize,
    input: In,
    output: Out,
    len: usize,
) -> c_int {
    call(|| {
        let iv = iv.bytes(iv_len)?;
        let io = in_out(&input, &output, len, &[Span::of(iv)])?;
        Feedback::new(self::cipher(&cipher)?, bytes, iv)?.apply(Direction::Encrypt, io);
        Ok(())
    })
}

/// Decrypts a message; the converse of abreast_cfb_encrypt.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cfb_decrypt(
    cipher: KeyPtr<CipherHandle>,
    bytes: c_int,
    iv: In,
    iv_len: usize,
    input: In,
    output: Out,
    len: usize,
) -> c_int {
    call(|| {
        let iv = iv.bytes(iv_len)?;
        let io = in_out(&input, &output, len, &[Span::of(iv)])?;
        Feedback::new(self::cipher(&cipher)?, bytes, iv)?.apply(Direction::Decrypt, io);
        Ok(())
    })
}

/// Begins a stream in CFB; see abreast_cfb_encrypt. It is either encrypted or decrypted. The stream keeps the key.
///
/// ABREAST_IV_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cfb_stream_new(
    cipher: KeyPtr<CipherHandle>,
    bytes: c_int,
    iv: In,
    iv_len: usize,
    stream: Place<*mut CfbStream>,
) -> c_int {
    begin(stream, || Ok(CfbStream(Feedback::new(shared(&cipher)?, bytes, iv.bytes(iv_len)?)?)))
}

/// Encrypts the next piece, of any length.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cfb_stream_encrypt(
    stream: StreamPtr<CfbStream>,
    input: In,
    output: Out,
    len: usize,
) -> c_int {
    call(|| {
        stream.get()?.0.apply(Direction::Encrypt, in_out(&input, &output, len, &[])?);
        Ok(())
    })
}

/// Decrypts the next piece, of any length.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cfb_stream_decrypt(
    stream: StreamPtr<CfbStream>,
    input: In,
    output: Out,
    len: usize,
) -> c_int {
    call(|| {
        stream.get()?.0.apply(Direction::Decrypt, in_out(&input, &output, len, &[])?);
        Ok(())
    })
}

/// Frees a stream and wipes it. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cfb_stream_free(stream: StreamPtr<CfbStream>) {
    close(stream);
}
