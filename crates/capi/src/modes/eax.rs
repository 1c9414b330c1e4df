//! EAX.

use std::ffi::c_int;
use std::mem::replace;
use std::sync::Arc;

use abreast::modes::{Direction, Eax};
use self_cell::self_cell;

use super::{UntilFinished, direction, goes};
use crate::buffers::{In, Out, Place, Span, in_out};
use crate::cipher::{CipherHandle, Shared, shared};
use crate::handle::{FreedKeyPtr, Handle, KeyPtr, Kind, StreamPtr, begin, close, make, release};
use crate::status::{Status, call};

/// A handle of a key in EAX.
pub type EaxHandle = Handle<Eax<Shared>>;

impl Kind for Eax<Shared> {
    const KIND: u32 = 0xab12_ea30;
}

/// Makes a key in EAX of a key of a cipher. It keeps it.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_eax_new(cipher: KeyPtr<CipherHandle>, eax: Place<*mut EaxHandle>) -> c_int {
    make(eax, || Ok(Eax::from_cipher(shared(&cipher)?)))
}

/// Frees a handle. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_eax_free(eax: FreedKeyPtr<EaxHandle>) {
    release(eax);
}

/// Encrypts a message and writes its tag.
///
/// nonce: of any length. It must never repeat under a key. aad: what is authenticated and not encrypted. tag: as long as
/// the cipher's blocks or shorter.
///
/// ABREAST_TAG_LENGTH; then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_eax_encrypt(
    eax: KeyPtr<EaxHandle>,
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
    call(|| {
        let (nonce, aad) = (nonce.bytes(nonce_len)?, aad.bytes(aad_len)?);
        let tag = tag.bytes(tag_len, &[Span::of(nonce), Span::of(aad), input.span(len)?])?;
        let io = in_out(&input, &output, len, &[Span::of(nonce), Span::of(aad), Span::of(tag)])?;
        Ok(eax.get()?.key.with_tag_len(tag_len)?.encrypt_detached(nonce, aad, io, tag)?)
    })
}

/// Decrypts a message if its tag is right; the converse of abreast_eax_encrypt.
///
/// ABREAST_TAG_MISMATCH, and then the output is zeros; ABREAST_TAG_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_eax_decrypt(
    eax: KeyPtr<EaxHandle>,
    nonce: In,
    nonce_len: usize,
    aad: In,
    aad_len: usize,
    input: In,
    output: Out,
    len: usize,
    tag: In,
    tag_len: usize,
) -> c_int {
    call(|| {
        let (nonce, aad, tag) = (nonce.bytes(nonce_len)?, aad.bytes(aad_len)?, tag.bytes(tag_len)?);
        let io = in_out(&input, &output, len, &[Span::of(nonce), Span::of(aad), Span::of(tag)])?;
        Ok(eax.get()?.key.with_tag_len(tag_len)?.decrypt_detached(nonce, aad, io, tag)?)
    })
}

type Pieces<'k> = super::Pieces<'k, Eax<Shared>>;

fn begun<'k>(key: &'k EaxHandle, direction: Direction, nonce: &[u8], aad: &[u8]) -> Pieces<'k> {
    match direction {
        Direction::Encrypt => Pieces::Encrypt(key.key.encryptor(nonce, aad)),
        Direction::Decrypt => Pieces::Decrypt(key.key.decryptor(nonce, aad)),
    }
}

self_cell!(
    struct Cell {
        owner: Arc<EaxHandle>,
        #[not_covariant]
        dependent: Pieces,
    }
);

/// A message in EAX in pieces.
pub struct EaxStream(UntilFinished<Cell>);

impl EaxStream {
    /// The end of a stream that goes that way.
    fn end(
        &mut self,
        direction: Direction,
        end: impl FnOnce(Pieces<'_>) -> Result<(), Status>,
    ) -> Result<(), Status> {
        self.0.get()?.with_dependent(|_, pieces| goes(pieces.direction(), direction))?;
        self.0.finish()?.with_dependent_mut(|key, pieces| {
            // The message is moved out. A fresh one in its place, which nobody uses, covers what it leaves behind.
            end(replace(pieces, begun(key, direction, &[], &[])))
        })
    }
}

/// Begins a message in EAX that comes in pieces; see abreast_eax_encrypt. The stream keeps the key.
///
/// direction: ABREAST_ENCRYPT or ABREAST_DECRYPT. The plaintext of a decrypting stream is not to be trusted before
/// abreast_eax_stream_verify says so.
///
/// ABREAST_DIRECTION.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_eax_stream_new(
    eax: KeyPtr<EaxHandle>,
    direction: c_int,
    nonce: In,
    nonce_len: usize,
    aad: In,
    aad_len: usize,
    stream: Place<*mut EaxStream>,
) -> c_int {
    begin(stream, || {
        let direction = self::direction(direction)?;
        let (nonce, aad) = (nonce.bytes(nonce_len)?, aad.bytes(aad_len)?);
        let cell = Cell::new(eax.get()?.share()?, |key| begun(key, direction, nonce, aad));
        Ok(EaxStream(UntilFinished::new(cell)))
    })
}

/// Encrypts or decrypts the next piece, of any length.
///
/// ABREAST_FINISHED; then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_eax_stream_update(
    stream: StreamPtr<EaxStream>,
    input: In,
    output: Out,
    len: usize,
) -> c_int {
    call(|| {
        let io = in_out(&input, &output, len, &[])?;
        Ok(stream.get()?.0.get()?.with_dependent_mut(|_, pieces| pieces.update(io))?)
    })
}

/// Writes the tag of an encrypted message. The stream is finished then, even if tag_len is refused.
///
/// ABREAST_TAG_LENGTH, ABREAST_FINISHED, ABREAST_DIRECTION if it decrypts.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_eax_stream_finish(stream: StreamPtr<EaxStream>, tag: Out, tag_len: usize) -> c_int {
    call(|| {
        let tag = tag.bytes(tag_len, &[])?;
        stream.get()?.end(Direction::Encrypt, |pieces| pieces.finish(tag))
    })
}

/// Compares the tag of a decrypted message, in constant time. The stream is finished then.
///
/// ABREAST_TAG_MISMATCH: all plaintext is to be thrown away. ABREAST_TAG_LENGTH, ABREAST_FINISHED, ABREAST_DIRECTION if
/// it encrypts.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_eax_stream_verify(stream: StreamPtr<EaxStream>, tag: In, tag_len: usize) -> c_int {
    call(|| {
        let tag = tag.bytes(tag_len)?;
        stream.get()?.end(Direction::Decrypt, |pieces| pieces.verify(tag))
    })
}

/// Frees a stream and wipes it. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_eax_stream_free(stream: StreamPtr<EaxStream>) {
    close(stream);
}
