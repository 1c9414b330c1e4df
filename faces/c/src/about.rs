//! The library about itself: versions, ciphers, kernels.

use std::ffi::{CStr, c_char, c_int};
use std::ptr::null;

#[cfg(feature = "aez")]
use abreast::aez::Aez;
use abreast::hmac::{Hmac, Sha1, Sha256};
use abreast::kernels::{Algorithm, algorithms};
#[cfg(feature = "legacy")]
use abreast::rc4::Rc4;

use crate::names::Text;
use crate::self_test::self_test;
use crate::status::{call, guarded};
use crate::texts::name_for_c;

/// The version of the interface that the header describes. It grows when something is added; a change that programs
/// notice comes with another SONAME instead.
pub const ABI_VERSION: u32 = 1;

const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => c"",
};

/// The version of the library, such as "0.1.0". It is not to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_version() -> *const c_char {
    VERSION.as_ptr()
}

/// The ABREAST_ABI_VERSION of the library that is loaded; that of the header may be older.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_abi_version() -> u32 {
    ABI_VERSION
}

/// Checks known answers of every cipher with every kernel that this CPU can run.
///
/// ABREAST_SELF_TEST if one is wrong, or another status that names the fault: then nothing of this library is to be
/// trusted on this machine.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_self_test() -> c_int {
    call(self_test)
}

/// The name of a block cipher by its number, from 0; NULL after the last one. It is not to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cipher_at(index: usize) -> *const c_char {
    guarded(null(), || algorithms().get(index).map_or(null(), |cipher| name_for_c(cipher.name())))
}

/// The number of bytes of a key of the block cipher with this name; 0 if there is no such cipher.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cipher_key_size(name: Text) -> usize {
    guarded(0, || name.get().and_then(Algorithm::from_name).map_or(0, Algorithm::key_len))
}

/// The name of a kernel by its number, from 0 and best first, of those that this CPU can run; NULL after the last one.
/// It is not to be freed.
///
/// cipher: the name of a block cipher, or "aez", "hmac-sha-1", "hmac-sha-256", or "rc4". The kernels of RC4 are ways to go about many
/// streams. They are listed for information, and abreast_self_test goes through them; a batch of RC4 takes the first, which is the
/// best.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_kernel_at(cipher: Text, index: usize) -> *const c_char {
    guarded(null(), || {
        let kernel = cipher.get().and_then(|name| match name {
            #[cfg(feature = "aez")]
            "aez" => Aez::kernels().nth(index),
            "hmac-sha-1" => Hmac::<Sha1>::kernels().nth(index),
            "hmac-sha-256" => Hmac::<Sha256>::kernels().nth(index),
            #[cfg(feature = "legacy")]
            "rc4" => Rc4::kernels().nth(index),
            _ => Algorithm::from_name(name)?.kernel_at(index),
        });
        kernel.map_or(null(), |kernel| name_for_c(kernel.name()))
    })
}
