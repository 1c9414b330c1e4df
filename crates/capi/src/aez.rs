//! AEZ.

use std::ffi::{c_char, c_int};
use std::mem::MaybeUninit;
use std::slice;

use abreast::aez::Aez;
use smallvec::SmallVec;

use crate::buffers::{In, Out, in_out};
use crate::cipher::kernel_of;
use crate::handle::{Handle, Kind, make, need, release};
use crate::names::{Text, name_for_c};
use crate::status::{Status, call, guarded};

/// A handle of a key of AEZ.
pub type AezHandle = Handle<Aez>;

impl Kind for Aez {
    const KIND: u32 = 0xab12_ae27;
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
    fn get(&self, count: usize) -> Result<SmallVec<[&[u8]; FEW]>, Status> {
        if count == 0 {
            return Ok(SmallVec::new());
        }
        if self.0.is_null() {
            return Err(Status::NullPointer);
        }
        if !self.0.is_aligned() {
            return Err(Status::Alignment);
        }
        if count > isize::MAX as usize / size_of::<AdString>() {
            return Err(Status::Length);
        }
        // SAFETY: aligned, not NULL and not too long. The caller of the C function says that so many descriptions may
        // be read for as long as the call takes, and that nobody writes them meanwhile.
        let strings = unsafe { slice::from_raw_parts(self.0, count) };
        strings.iter().map(|string| string.data.bytes(string.len)).collect()
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
    aez: Option<&mut MaybeUninit<*mut AezHandle>>,
) -> c_int {
    make(aez, || Ok(Aez::with_kernel(key.bytes(key_len)?, kernel_of(Aez::kernels(), kernel.get())?)?))
}

/// Frees a handle and wipes the key. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn abreast_aez_free(aez: *mut AezHandle) {
    // SAFETY: as the header asks for.
    unsafe { release(aez) }
}

/// The name of the kernel in use; NULL if aez is. It is not to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aez_kernel(aez: Option<&AezHandle>) -> *const c_char {
    let null = std::ptr::null();
    guarded(null, || aez.map_or(null, |aez| name_for_c(aez.key.kernel().name())))
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
    aez: Option<&AezHandle>,
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
        let tag = tag.bytes(tag_len, &beside(&ad, &[nonce, input.bytes(len)?]))?;
        let io = in_out(&input, &output, len, &beside(&ad, &[nonce, tag]))?;
        Ok(need(aez)?.key.encrypt(nonce, &ad, io, tag)?)
    })
}

/// Decrypts a message if its tag is right; the converse of abreast_aez_encrypt.
///
/// ABREAST_TAG_MISMATCH, and then the output is zeros; the others as there.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aez_decrypt(
    aez: Option<&AezHandle>,
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
        let io = in_out(&input, &output, len, &beside(&ad, &[nonce, tag]))?;
        Ok(need(aez)?.key.decrypt(nonce, &ad, io, tag)?)
    })
}

/// Encrypts a message that tag_len bytes of any content follow; the whole, len bytes, becomes the ciphertext. So tags
/// may be of any length.
///
/// ABREAST_BUFFER_TOO_SHORT if len is less than tag_len; ABREAST_MESSAGE_TOO_LONG; then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aez_encrypt_joined(
    aez: Option<&AezHandle>,
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
        let io = in_out(&input, &output, len, &beside(&ad, &[nonce]))?;
        Ok(need(aez)?.key.encrypt_joined(nonce, &ad, tag_len, io)?)
    })
}

/// Decrypts a ciphertext, the whole of what abreast_aez_encrypt_joined made, if it is authentic: the output is the
/// message and tag_len zeros.
///
/// ABREAST_TAG_MISMATCH, and then the output is zeros; ABREAST_MESSAGE_TOO_LONG.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aez_decrypt_joined(
    aez: Option<&AezHandle>,
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
        let io = in_out(&input, &output, len, &beside(&ad, &[nonce]))?;
        Ok(need(aez)?.key.decrypt_joined(nonce, &ad, tag_len, io)?)
    })
}

/// The strings, and what an output must be apart from besides.
fn beside<'a>(ad: &[&'a [u8]], others: &[&'a [u8]]) -> SmallVec<[&'a [u8]; FEW + 2]> {
    ad.iter().chain(others).copied().collect()
}
