//! Keys of block ciphers, by name.

use std::ffi::{c_char, c_int};
use std::sync::Arc;

use abreast::kernels::{Algorithm, AnyCipher};
use abreast::packets::CipherKey;
use abreast::{BlockCipher, BlockCipher128, Held, Holder, Kernel};

use crate::buffers::{In, Place};
use crate::handle::{FreedKeyPtr, Handle, KeyPtr, Kind, make, release};
use crate::names::{Text, name_for_c};
use crate::status::{Status, guarded};

/// A handle of a cipher.
pub type CipherHandle = Handle<AnyCipher>;

impl Kind for AnyCipher {
    const KIND: u32 = 0xab12_c1f3;
}

/// A key of a cipher by its name.
fn keyed(name: &str, key: &[u8], kernel: Option<&str>) -> Result<AnyCipher, Status> {
    let algorithm = Algorithm::from_name(name).ok_or(Status::UnknownCipher)?;
    if key.len() != algorithm.key_len() {
        return Err(Status::KeyLength);
    }
    let kernel = kernel.map(|name| kernel_of(algorithm.kernels(), Some(name))).transpose()?;
    Ok(algorithm.any(key, kernel)?)
}

/// As packets refer to it.
#[inline]
pub(crate) fn of_packets(cipher: &AnyCipher) -> CipherKey<'_> {
    cipher.into()
}

/// The kernel of a name, or the best.
pub(crate) fn kernel_of(
    kernels: impl IntoIterator<Item = Kernel>,
    name: Option<&str>,
) -> Result<Kernel, Status> {
    let wanted = |kernel: &Kernel| name.is_none_or(|name| kernel.name() == name);
    kernels.into_iter().find(wanted).ok_or(Status::UnknownKernel)
}

/// A counted reference to a handle, whose cipher modes hold.
#[derive(Debug)]
pub struct Counted(Arc<CipherHandle>);

/// The cipher of a handle, as modes hold it.
pub type Shared = Held<Counted>;

/// Of a handle.
pub(crate) fn shared(cipher: &KeyPtr<CipherHandle>) -> Result<Shared, Status> {
    Ok(Held(Counted(cipher.get()?.share()?)))
}

impl Holder for Counted {
    type Cipher = AnyCipher;

    #[inline]
    fn cipher(&self) -> &AnyCipher {
        &self.0.key
    }
}

/// The same, to a cipher with blocks of 128 bits.
#[derive(Debug)]
pub struct Counted128(Arc<CipherHandle>);

/// As [`Shared`], with blocks of 128 bits.
pub type Shared128 = Held<Counted128>;

/// Of a handle.
pub(crate) fn shared_128(cipher: &KeyPtr<CipherHandle>) -> Result<Shared128, Status> {
    let cipher = cipher.get()?;
    if cipher.key.block_size() != 16 {
        return Err(Status::BlockLength);
    }
    Ok(Held(Counted128(cipher.share()?)))
}

impl Holder for Counted128 {
    type Cipher = dyn BlockCipher128;

    #[inline]
    fn cipher(&self) -> &Self::Cipher {
        self.0.key.as_128().expect("refused by `shared_128`")
    }
}

/// A cipher under a handle, for one call.
#[inline]
pub(crate) fn cipher(handle: &KeyPtr<CipherHandle>) -> Result<&AnyCipher, Status> {
    Ok(&handle.get()?.key)
}

/// Prepares a key of a block cipher.
///
/// name: one of those that abreast_cipher_at lists, such as "aes-256", "serpent-128", "xtea" (little-endian words, 32
/// cycles) or "xtea-be" (big-endian words).
/// key: key_len bytes; abreast_cipher_key_size says how many the cipher takes.
/// kernel: NULL for the best one of this CPU, or one that abreast_kernel_at lists.
/// cipher: where the handle goes, NULL if there is none.
///
/// ABREAST_UNKNOWN_CIPHER, ABREAST_UNKNOWN_KERNEL, ABREAST_KEY_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cipher_new(
    name: Text,
    key: In,
    key_len: usize,
    kernel: Text,
    cipher: Place<*mut CipherHandle>,
) -> c_int {
    make(cipher, || keyed(name.need()?, key.bytes(key_len)?, kernel.get()))
}

/// Frees a handle. The key is wiped when no stream and no other handle needs it any more. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cipher_free(cipher: FreedKeyPtr<CipherHandle>) {
    release(&cipher);
}

/// Bytes of a block: 8 or 16. 0 if cipher is NULL.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cipher_block_size(cipher: KeyPtr<CipherHandle>) -> usize {
    guarded(0, || cipher.get().map_or(0, |cipher| cipher.key.block_size()))
}

/// The name of the cipher, such as "aes-128"; NULL if cipher is. It is not to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cipher_name(cipher: KeyPtr<CipherHandle>) -> *const c_char {
    let null = std::ptr::null();
    guarded(null, || cipher.get().map_or(null, |cipher| name_for_c(cipher.key.name())))
}

/// The name of the kernel in use, such as "avx512"; NULL if cipher is. It is not to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cipher_kernel(cipher: KeyPtr<CipherHandle>) -> *const c_char {
    let null = std::ptr::null();
    guarded(null, || cipher.get().map_or(null, |cipher| name_for_c(cipher.key.kernel().name())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use abreast::kernels::algorithms;

    #[test]
    #[cfg_attr(miri, ignore = "about names, and no pointer is in it")]
    fn every_cipher_of_the_registry_is_here() {
        for cipher in algorithms() {
            for kernel in cipher.kernels() {
                let key = keyed(cipher.name(), &vec![7; cipher.key_len()], Some(kernel.name()));
                let key = key.expect("a key");
                assert_eq!((key.name(), key.kernel()), (cipher.name(), kernel));
            }
            let short = keyed(cipher.name(), &vec![7; cipher.key_len() - 1], None);
            assert_eq!(short.err(), Some(Status::KeyLength));
        }
    }
}
