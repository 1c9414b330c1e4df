//! Galois/Counter Mode.

use std::ffi::c_int;
use std::mem::replace;
use std::sync::Arc;

use abreast::modes::{Direction, Gcm};
use self_cell::self_cell;

use super::{UntilFinished, direction, goes};
use crate::buffers::{In, Out, Place, Span, in_out};
use crate::cipher::{CipherHandle, Shared128, shared_128};
use crate::handle::{FreedKeyPtr, Handle, KeyPtr, Kind, StreamPtr, begin, close, make, release};
use crate::status::{Status, call};

/// A handle of a key in GCM.
pub type GcmHandle = Handle<Gcm<Shared128>>;

impl Kind for Gcm<Shared128> {
    const KIND: u32 = 0xab12_6c30;
}

/// Makes a key in GCM of a key of a cipher with blocks of 128 bits. It keeps it.
///
/// ABREAST_BLOCK_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_gcm_new(cipher: KeyPtr<CipherHandle>, gcm: Place<*mut GcmHandle>) -> c_int {
    make(gcm, || Ok(Gcm::from_cipher(shared_128(&cipher)?)))
}

/// Frees a handle. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_gcm_free(gcm: FreedKeyPtr<GcmHandle>) {
    release(gcm);
}

/// Encrypts a message and writes its tag.
///
/// nonce: 12 bytes as a rule, at least one. It must never repeat under a key. aad: what is authenticated and not
/// encrypted. tag: 16 bytes as a rule; tag_len may be 4, 8 or 12 to 16.
///
/// ABREAST_NONCE_LENGTH, ABREAST_TAG_LENGTH, ABREAST_MESSAGE_TOO_LONG; then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_gcm_encrypt(
    gcm: KeyPtr<GcmHandle>,
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
        Ok(gcm.get()?.key.with_tag_len(tag_len)?.encrypt_detached(nonce, aad, io, tag)?)
    })
}

/// Decrypts a message if its tag is right; the converse of abreast_gcm_encrypt.
///
/// ABREAST_TAG_MISMATCH, and then the output is zeros; the others as there.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_gcm_decrypt(
    gcm: KeyPtr<GcmHandle>,
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
        Ok(gcm.get()?.key.with_tag_len(tag_len)?.decrypt_detached(nonce, aad, io, tag)?)
    })
}

type Pieces<'k> = super::Pieces<'k, Gcm<Shared128>>;

fn begun<'k>(
    key: &'k GcmHandle,
    direction: Direction,
    nonce: &[u8],
    aad: &[u8],
) -> Result<Pieces<'k>, Status> {
    Ok(match direction {
        Direction::Encrypt => Pieces::Encrypt(key.key.encryptor(nonce, aad)?),
        Direction::Decrypt => Pieces::Decrypt(key.key.decryptor(nonce, aad)?),
    })
}

self_cell!(
    struct Cell {
        owner: Arc<GcmHandle>,
        #[not_covariant]
        dependent: Pieces,
    }
);

/// A message in GCM in pieces.
pub struct GcmStream(UntilFinished<Cell>);

impl GcmStream {
    /// The end of a stream that goes that way.
    fn end(
        &mut self,
        direction: Direction,
        end: impl FnOnce(Pieces<'_>) -> Result<(), Status>,
    ) -> Result<(), Status> {
        self.0.get()?.with_dependent(|_, pieces| goes(pieces.direction(), direction))?;
        self.0.finish()?.with_dependent_mut(|key, pieces| {
            // The message is moved out. A fresh one in its place, which nobody uses, covers what it leaves behind.
            end(replace(pieces, begun(key, direction, &[0; 12], &[])?))
        })
    }
}

/// Begins a message in GCM that comes in pieces; see abreast_gcm_encrypt. The stream keeps the key.
///
/// direction: ABREAST_ENCRYPT or ABREAST_DECRYPT. The plaintext of a decrypting stream is not to be trusted before
/// abreast_gcm_stream_verify says so.
///
/// ABREAST_DIRECTION, ABREAST_NONCE_LENGTH, ABREAST_MESSAGE_TOO_LONG for the associated data.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_gcm_stream_new(
    gcm: KeyPtr<GcmHandle>,
    direction: c_int,
    nonce: In,
    nonce_len: usize,
    aad: In,
    aad_len: usize,
    stream: Place<*mut GcmStream>,
) -> c_int {
    begin(stream, || {
        let direction = self::direction(direction)?;
        let (nonce, aad) = (nonce.bytes(nonce_len)?, aad.bytes(aad_len)?);
        let cell = Cell::try_new(gcm.get()?.share()?, |key| begun(key, direction, nonce, aad))?;
        Ok(GcmStream(UntilFinished::new(cell)))
    })
}

/// Encrypts or decrypts the next piece, of any length.
///
/// ABREAST_MESSAGE_TOO_LONG, ABREAST_FINISHED; then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_gcm_stream_update(
    stream: StreamPtr<GcmStream>,
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
pub extern "C" fn abreast_gcm_stream_finish(stream: StreamPtr<GcmStream>, tag: Out, tag_len: usize) -> c_int {
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
pub extern "C" fn abreast_gcm_stream_verify(stream: StreamPtr<GcmStream>, tag: In, tag_len: usize) -> c_int {
    call(|| {
        let tag = tag.bytes(tag_len)?;
        stream.get()?.end(Direction::Decrypt, |pieces| pieces.verify(tag))
    })
}

/// Frees a stream and wipes it. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_gcm_stream_free(stream: StreamPtr<GcmStream>) {
    close(stream);
}
