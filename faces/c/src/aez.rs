//! AEZ where one string of associated data, or a tag apart from the message, is not enough.

use std::ffi::c_int;

use abreast::aez::Aez;
use smallvec::SmallVec;

use crate::buffers::{In, Out, Place, Span, in_out, values};
use crate::cipher::kernel_of;
use crate::handle::{Handle, KeyPtr, Memory, make_alone, make_alone_in};
use crate::modes::aead::{AeadHandle, AezKey, of_aez, with_tag_len};
use crate::names::Text;
use crate::status::{Status, call, guarded};
use crate::strings::FEW;

/// A string of associated data.
#[repr(C)]
#[derive(Debug)]
pub struct AdString {
    /// Its bytes; NULL is allowed if there are none.
    pub data: In,
    /// The number of bytes.
    pub len: usize,
}

/// Strings of associated data.
#[repr(transparent)]
#[derive(Debug)]
pub struct AdStrings(*const AdString);

impl AdStrings {
    /// The strings.
    fn get(&self, count: usize) -> Result<Ad<'_>, Status> {
        // SAFETY: the caller of the C function says that `count` descriptions may be read for as long as the call
        // takes, and that nobody writes them meanwhile.
        let array = unsafe { values(self.0, count) }?;
        let mut strings = SmallVec::new();
        strings.try_reserve_exact(count).map_err(|_| Status::OutOfMemory)?;
        for string in array {
            strings.push(string.data.bytes(string.len)?);
        }
        Ok(Ad { array, strings })
    }
}

/// Strings of associated data, and the array that says where they are.
struct Ad<'a> {
    array: &'a [AdString],
    strings: SmallVec<[&'a [u8]; FEW]>,
}

impl Ad<'_> {
    /// Refuses an output that has a byte in common with the strings or their array.
    fn are_apart_from(&self, output: Span) -> Result<(), Status> {
        output.apart(&[Span::of(self.array)])?;
        self.strings.iter().try_for_each(|string| output.apart(&[Span::of(*string)]))
    }
}

/// Prepares a key of AEZ v5.
///
/// key: of any length; 48 bytes are taken as they are, others are hashed. kernel: NULL for the best one of this CPU, or
/// one that abreast_kernel_at lists for "aez".
///
/// ABREAST_UNKNOWN_KERNEL.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aez_new(
    key: In,
    key_len: usize,
    kernel: Text,
    aead: Place<*mut AeadHandle>,
) -> c_int {
    make_alone(&aead, || keyed(key.bytes(key_len)?, &kernel))
}

/// The bytes of memory that abreast_aez_init needs. Other versions of this library may need another number.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aez_size() -> usize {
    guarded(0, Handle::<AezKey>::room::<()>)
}

/// Prepares a key of AEZ as abreast_aez_new does, in memory of the caller: see abreast_gcm_init.
///
/// ABREAST_MEMORY_SIZE, ABREAST_OVERLAP, ABREAST_UNKNOWN_KERNEL.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aez_init(
    memory: Out,
    size: usize,
    key: In,
    key_len: usize,
    kernel: Text,
    aead: Place<*mut AeadHandle>,
) -> c_int {
    let read = || Ok([key.span(key_len)?, kernel.span()]);
    let made = || keyed(key.bytes(key_len)?, &kernel);
    make_alone_in(Memory::of(&memory, size), &aead, read, made, |_| ())
}

/// Returns a key for a handle.
fn keyed(key: &[u8], kernel: &Text) -> Result<AezKey, Status> {
    Ok(of_aez(Aez::with_kernel(key, kernel_of(Aez::kernels(), kernel.get())?)?))
}

/// Encrypts a message as abreast_aead_encrypt does, with any number of strings of associated data.
///
/// ad: ad_count strings. None and one empty string are not the same. More than 8 of them are put into allocated memory.
///
/// ABREAST_TAG_LENGTH, ABREAST_MESSAGE_TOO_LONG, ABREAST_WRONG_KEY for a key of another mode; then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aez_encrypt(
    aead: KeyPtr<AeadHandle>,
    nonce: In,
    nonce_len: usize,
    ad: AdStrings,
    ad_count: usize,
    input: In,
    output: Out,
    len: usize,
    tag: Out,
    tag_len: usize,
) -> c_int {
    call(|| {
        let (nonce, ad) = (nonce.bytes(nonce_len)?, ad.get(ad_count)?);
        ad.are_apart_from(tag.span(tag_len)?)?;
        ad.are_apart_from(output.span(len)?)?;
        let tag = tag.bytes(tag_len, &[Span::of(nonce), input.span(len)?])?;
        let io = in_out(&input, &output, len, &[Span::of(nonce), Span::of(tag)])?;
        let key = &aead.about::<AezKey>()?.key.mode;
        Ok(with_tag_len(key, tag_len)?.encrypt_detached(nonce, &ad.strings, io, tag)?)
    })
}

/// Decrypts a message if its tag is right; the inverse of abreast_aez_encrypt.
///
/// ABREAST_TAG_MISMATCH, and then the output is zeros; the other statuses of abreast_aez_encrypt.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aez_decrypt(
    aead: KeyPtr<AeadHandle>,
    nonce: In,
    nonce_len: usize,
    ad: AdStrings,
    ad_count: usize,
    input: In,
    output: Out,
    len: usize,
    tag: In,
    tag_len: usize,
) -> c_int {
    call(|| {
        let (nonce, ad, tag) = (nonce.bytes(nonce_len)?, ad.get(ad_count)?, tag.bytes(tag_len)?);
        ad.are_apart_from(output.span(len)?)?;
        let io = in_out(&input, &output, len, &[Span::of(nonce), Span::of(tag)])?;
        let key = &aead.about::<AezKey>()?.key.mode;
        Ok(with_tag_len(key, tag_len)?.decrypt_detached(nonce, &ad.strings, io, tag)?)
    })
}

/// Encrypts a message that is followed by tag_len bytes of any content; all of it, len bytes, becomes the ciphertext. Tags of
/// any length can be had this way.
///
/// ABREAST_BUFFER_TOO_SHORT if len is less than tag_len; ABREAST_MESSAGE_TOO_LONG; then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aez_encrypt_joined(
    aead: KeyPtr<AeadHandle>,
    nonce: In,
    nonce_len: usize,
    ad: AdStrings,
    ad_count: usize,
    tag_len: usize,
    input: In,
    output: Out,
    len: usize,
) -> c_int {
    call(|| {
        let (nonce, ad) = (nonce.bytes(nonce_len)?, ad.get(ad_count)?);
        ad.are_apart_from(output.span(len)?)?;
        let io = in_out(&input, &output, len, &[Span::of(nonce)])?;
        let key = &aead.about::<AezKey>()?.key.mode;
        Ok(with_tag_len(key, tag_len)?.encrypt_joined(nonce, &ad.strings, io)?)
    })
}

/// Decrypts a whole ciphertext from abreast_aez_encrypt_joined, if it is authentic: the output is the message and
/// tag_len zeros.
///
/// ABREAST_TAG_MISMATCH, and then the output is zeros; ABREAST_MESSAGE_TOO_LONG.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aez_decrypt_joined(
    aead: KeyPtr<AeadHandle>,
    nonce: In,
    nonce_len: usize,
    ad: AdStrings,
    ad_count: usize,
    tag_len: usize,
    input: In,
    output: Out,
    len: usize,
) -> c_int {
    call(|| {
        let (nonce, ad) = (nonce.bytes(nonce_len)?, ad.get(ad_count)?);
        ad.are_apart_from(output.span(len)?)?;
        let io = in_out(&input, &output, len, &[Span::of(nonce)])?;
        let key = &aead.about::<AezKey>()?.key.mode;
        Ok(with_tag_len(key, tag_len)?.decrypt_joined(nonce, &ad.strings, io)?)
    })
}

#[cfg(test)]
impl From<*const AdString> for AdStrings {
    fn from(strings: *const AdString) -> Self {
        Self(strings)
    }
}
