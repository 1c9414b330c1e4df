//! HCTR2, for sectors and names.

use std::ffi::c_int;

use abreast::modes::Hctr2;

use crate::buffers::{Checked, In, Out, Place, Span};
use crate::cipher::{CipherHandle, Shared128, shared_128};
use crate::handle::{FreedKeyPtr, Handle, KeyPtr, Kind, make_alone, release};
use crate::status::call;

/// A handle of a key in HCTR2.
pub type Hctr2Handle = Handle<Hctr2<Shared128>>;

impl Kind for Hctr2<Shared128> {
    const KIND: u32 = 0xab12_4c72;
}

/// Makes a key in HCTR2 of a key of a cipher with blocks of 128 bits. It keeps it.
///
/// ABREAST_BLOCK_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_hctr2_new(cipher: KeyPtr<CipherHandle>, hctr2: Place<*mut Hctr2Handle>) -> c_int {
    make_alone(&hctr2, || Ok(Hctr2::from_cipher(shared_128(&cipher)?)))
}

/// Frees a handle. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_hctr2_free(hctr2: FreedKeyPtr<Hctr2Handle>) {
    release(&hctr2);
}

/// Encrypts a message of 16 bytes to 64 GiB as one wide block. Equal messages with equal tweaks give equal ciphertexts, and
/// nothing is authenticated.
///
/// tweak: any number of bytes, which may be none.
///
/// ABREAST_MESSAGE_TOO_SHORT, ABREAST_MESSAGE_TOO_LONG. Then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_hctr2_encrypt(
    hctr2: KeyPtr<Hctr2Handle>,
    tweak: In,
    tweak_len: usize,
    input: In,
    output: Out,
    len: usize,
) -> c_int {
    call(|| {
        let tweak = tweak.bytes(tweak_len)?;
        let io = Checked::new(&input, &output, len, [Span::of(tweak)])?;
        Ok(hctr2.get()?.key.encrypt(tweak, io.buffers())?)
    })
}

/// Decrypts a message; the inverse of abreast_hctr2_encrypt.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_hctr2_decrypt(
    hctr2: KeyPtr<Hctr2Handle>,
    tweak: In,
    tweak_len: usize,
    input: In,
    output: Out,
    len: usize,
) -> c_int {
    call(|| {
        let tweak = tweak.bytes(tweak_len)?;
        let io = Checked::new(&input, &output, len, [Span::of(tweak)])?;
        Ok(hctr2.get()?.key.decrypt(tweak, io.buffers())?)
    })
}
