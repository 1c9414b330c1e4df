//! AEZ.

use std::ffi::{c_char, c_int};

use abreast::Error;
use abreast::aez::Aez;
use abreast::modes::WithTagLen;
use smallvec::SmallVec;

use crate::buffers::{In, Out, Place, Span, in_out, values};
use crate::cipher::kernel_of;
use crate::handle::{FreedKeyPtr, Handle, KeyPtr, Kind, make, release};
use crate::names::{Text, name_for_c};
use crate::status::{Status, call, guarded};

/// A handle of a key of AEZ.
pub type AezHandle = Handle<Aez>;

impl Kind for Aez {
    const KIND: u32 = 0xab12_ae27;
}

/// A key with tags of the length that a caller names, none too: `tag_len` is an argument of its own in C.
pub(crate) fn with_tag_len(aez: &Aez, tag_len: usize) -> Result<WithTagLen<'_, Aez>, Error> {
    if tag_len == 0 { Ok(aez.unauthenticated()) } else { aez.with_tag_len(tag_len) }
}

/// A string of associated data.
#[repr(C)]
#[derive(Debug)]
pub struct AdString {
    /// Its bytes; NULL is allowed if there are none.
    pub data: In,
    /// How many there are.
    pub len: usize,
}

/// Strings of associated data.
#[repr(transparent)]
#[derive(Debug)]
pub struct AdStrings(*const AdString);

/// As many as there are on the stack; more are put elsewhere.
const FEW: usize = 8;

impl AdStrings {
    /// The strings.
    fn get(&self, count: usize) -> Result<Ad<'_>, Status> {
        // SAFETY: the caller of the C function says that so many descriptions may be read for as long as the call
        // takes, and that nobody writes them meanwhile.
        let array = unsafe { values(self.0, count) }?;
        let strings = array.iter().map(|string| string.data.bytes(string.len)).collect::<Result<_, _>>()?;
        Ok(Ad { array, strings })
    }
}

/// Strings of associated data, and the array that says where they are.
struct Ad<'a> {
    array: &'a [AdString],
    strings: SmallVec<[&'a [u8]; FEW]>,
}

impl Ad<'_> {
    /// All that an output must be apart from: the strings, their array, and two buffers besides.
    fn beside(&self, others: [Span; 2]) -> SmallVec<[Span; FEW + 3]> {
        let strings = self.strings.iter().map(|string| Span::of(*string));
        strings.chain([Span::of(self.array)]).chain(others).collect()
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
    aez: Place<*mut AezHandle>,
) -> c_int {
    make(aez, || Ok(Aez::with_kernel(key.bytes(key_len)?, kernel_of(Aez::kernels(), kernel.get())?)?))
}

/// Frees a handle and wipes the key. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aez_free(aez: FreedKeyPtr<AezHandle>) {
    release(aez);
}

/// The name of the kernel in use; NULL if aez is. It is not to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aez_kernel(aez: KeyPtr<AezHandle>) -> *const c_char {
    let null = std::ptr::null();
    guarded(null, || aez.get().map_or(null, |aez| name_for_c(aez.key.kernel().name())))
}

/// Encrypts a message and writes its tag, which is the end of the ciphertext.
///
/// nonce: of any length; one that repeats tells whether the same message was sent again, and nothing else.
/// ad: ad_count strings of associated data. None and one empty string are not the same. More than 8 of them are put
/// into allocated memory. tag: at most 32 bytes, or none.
///
/// ABREAST_TAG_LENGTH, ABREAST_MESSAGE_TOO_LONG; then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aez_encrypt(
    aez: KeyPtr<AezHandle>,
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
        let tag = tag.bytes(tag_len, &ad.beside([Span::of(nonce), input.span(len)?]))?;
        let io = in_out(&input, &output, len, &ad.beside([Span::of(nonce), Span::of(tag)]))?;
        Ok(with_tag_len(&aez.get()?.key, tag_len)?.encrypt_detached(nonce, &ad.strings, io, tag)?)
    })
}

/// Decrypts a message if its tag is right; the converse of abreast_aez_encrypt.
///
/// ABREAST_TAG_MISMATCH, and then the output is zeros; the others as there.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aez_decrypt(
    aez: KeyPtr<AezHandle>,
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
        let io = in_out(&input, &output, len, &ad.beside([Span::of(nonce), Span::of(tag)]))?;
        Ok(with_tag_len(&aez.get()?.key, tag_len)?.decrypt_detached(nonce, &ad.strings, io, tag)?)
    })
}

/// Encrypts a message that tag_len bytes of any content follow; the whole, len bytes, becomes the ciphertext. So tags
/// may be of any length.
///
/// ABREAST_BUFFER_TOO_SHORT if len is less than tag_len; ABREAST_MESSAGE_TOO_LONG; then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aez_encrypt_joined(
    aez: KeyPtr<AezHandle>,
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
        let io = in_out(&input, &output, len, &ad.beside([Span::of(nonce); 2]))?;
        Ok(with_tag_len(&aez.get()?.key, tag_len)?.encrypt_joined(nonce, &ad.strings, io)?)
    })
}

/// Decrypts a ciphertext, the whole of what abreast_aez_encrypt_joined made, if it is authentic: the output is the
/// message and tag_len zeros.
///
/// ABREAST_TAG_MISMATCH, and then the output is zeros; ABREAST_MESSAGE_TOO_LONG.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aez_decrypt_joined(
    aez: KeyPtr<AezHandle>,
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
        let io = in_out(&input, &output, len, &ad.beside([Span::of(nonce); 2]))?;
        Ok(with_tag_len(&aez.get()?.key, tag_len)?.decrypt_joined(nonce, &ad.strings, io)?)
    })
}

#[cfg(test)]
impl From<*const AdString> for AdStrings {
    fn from(strings: *const AdString) -> Self {
        Self(strings)
    }
}
