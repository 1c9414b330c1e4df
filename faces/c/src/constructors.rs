//! Constructors of one cipher each. A name reaches all ciphers, and a constructor of these one.

use std::ffi::c_int;

use abreast::aes::{Aes128, Aes192, Aes256};
use abreast::kernels::ByType;
#[cfg(feature = "serpent")]
use abreast::serpent::Serpent;
#[cfg(feature = "tea")]
use abreast::tea::Tea;

use crate::buffers::{In, Place};
use crate::cipher::{Allocate, CipherHandle, kernel_of};
use crate::handle::make;
use crate::names::Text;
use crate::status::Status;

/// Hands AES with keys of `key_len` bytes to a task.
#[inline(always)]
pub(crate) fn aes<T, O>(key_len: usize, task: T) -> Result<O, Status>
where
    T: ByType<Out = Result<O, Status>>,
{
    match key_len {
        16 => task.with_128::<Aes128>(0),
        24 => task.with_128::<Aes192>(0),
        32 => task.with_128::<Aes256>(0),
        _ => Err(Status::KeyLength),
    }
}

/// Prepares a key of AES, of 16, 24 or 32 bytes, as abreast_cipher_new does, without the code of other ciphers in a program
/// that links the static library. Calls for any key, such as abreast_cipher_crypt, bring that code in; see
/// abreast_aes_gcm_new.
///
/// kernel, cipher: as for abreast_cipher_new.
///
/// ABREAST_KEY_LENGTH, ABREAST_UNKNOWN_KERNEL, ABREAST_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_aes_new(
    key: In,
    key_len: usize,
    kernel: Text,
    cipher: Place<*mut CipherHandle>,
) -> c_int {
    make(&cipher, || {
        let (key, kernel) = (key.bytes(key_len)?, kernel_of(Aes128::kernels(), kernel.get())?);
        aes(key_len, Allocate { key, kernel })
    })
}

/// Prepares a key of Serpent, of 16, 24 or 32 bytes, as abreast_aes_new does of AES.
#[cfg(feature = "serpent")]
#[unsafe(no_mangle)]
pub extern "C" fn abreast_serpent_new(
    key: In,
    key_len: usize,
    kernel: Text,
    cipher: Place<*mut CipherHandle>,
) -> c_int {
    make(&cipher, || {
        let (key, kernel) = (key.bytes(key_len)?, kernel_of(Serpent::kernels(), kernel.get())?);
        let variant = [16, 24, 32].iter().position(|len| *len == key_len).ok_or(Status::KeyLength)?;
        Allocate { key, kernel }.with_128::<Serpent>(variant as u8)
    })
}

/// Prepares a key of TEA, as abreast_aes_new does of AES.
///
/// key: 16 bytes. big_endian: whether key and blocks are big-endian words; 0 for little-endian ones.
#[cfg(feature = "tea")]
#[unsafe(no_mangle)]
pub extern "C" fn abreast_tea_new(
    key: In,
    big_endian: c_int,
    kernel: Text,
    cipher: Place<*mut CipherHandle>,
) -> c_int {
    make(&cipher, || {
        let (key, kernel) = (key.array::<16>()?, kernel_of(Tea::kernels(), kernel.get())?);
        Allocate { key, kernel }.with_64::<Tea>(u8::from(big_endian != 0))
    })
}

#[cfg(all(test, feature = "full"))]
mod tests {
    use super::*;
    use crate::buffers::Out;
    use crate::cipher::{abreast_cipher_free, abreast_cipher_new};
    use crate::handle::KeyPtr;
    use crate::modes::aead::{
        AeadHandle, abreast_aead_encrypt, abreast_aead_free, abreast_aes_gcm_new, abreast_gcm_new,
    };
    use crate::tests::{encrypt_blocks, made};
    use crate::xtea::abreast_xtea_new;
    use abreast::BlockCipher as _;
    use abreast::kernels::{Algorithm, algorithms};
    use std::ffi::CString;

    /// Makes a key by the constructor of the cipher alone.
    fn constructed(cipher: Algorithm, key: &[u8], kernel: Text, place: Place<*mut CipherHandle>) -> c_int {
        let (at, len) = (In::from(key.as_ptr()), key.len());
        let big = c_int::from(cipher.name().ends_with("-be"));
        match cipher.name().split('-').next() {
            Some("aes") => abreast_aes_new(at, len, kernel, place),
            Some("serpent") => abreast_serpent_new(at, len, kernel, place),
            Some("tea") => abreast_tea_new(at, big, kernel, place),
            _ => abreast_xtea_new(at, big, 32, kernel, place),
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "hundreds of blocks of each cipher, which take hours there")]
    fn constructors_make_what_the_name_does() {
        for cipher in algorithms() {
            let (name, key) = (CString::new(cipher.name()).expect("no zero"), vec![7; cipher.key_len()]);
            for kernel in cipher.kernels() {
                let kernel_name = CString::new(kernel.name()).expect("no zero");
                let kernel_text = || Text::at(kernel_name.as_ptr());
                let one = made(|place| constructed(*cipher, &key, kernel_text(), place));
                let other = made(|place| {
                    abreast_cipher_new(
                        Text::at(name.as_ptr()),
                        In::from(key.as_ptr()),
                        key.len(),
                        kernel_text(),
                        place,
                    )
                });
                let pointer = KeyPtr::from(one);
                let found = crate::cipher::cipher(&pointer).expect("a key");
                assert_eq!((found.name(), found.kernel()), (cipher.name(), kernel));
                let (input, mut a, mut b) = ([5_u8; 480], [0_u8; 480], [0_u8; 480]);
                encrypt_blocks(one, input.as_ptr(), a.as_mut_ptr(), 480);
                encrypt_blocks(other, input.as_ptr(), b.as_mut_ptr(), 480);
                assert_eq!(a, b);
                if cipher.name().starts_with("aes") {
                    let gcm = made(|place| {
                        abreast_aes_gcm_new(In::from(key.as_ptr()), key.len(), kernel_text(), place)
                    });
                    let same = made(|place| abreast_gcm_new(other.into(), place));
                    assert_eq!(sealed(gcm, &input), sealed(same, &input));
                    abreast_aead_free(gcm.into());
                    abreast_aead_free(same.into());
                }
                abreast_cipher_free(one.into());
                abreast_cipher_free(other.into());
            }
        }
    }

    /// Encrypts a message and returns the ciphertext with the tag.
    fn sealed(aead: *mut AeadHandle, message: &[u8]) -> Vec<u8> {
        let (mut text, mut tag) = (vec![0; message.len()], vec![0; 16]);
        let (input, output) = (In::from(message.as_ptr()), Out::from(text.as_mut_ptr()));
        let (nonce, none) = (In::from(&[3; 12]), In::from(std::ptr::null()));
        let status = abreast_aead_encrypt(
            aead.into(),
            nonce,
            12,
            none,
            0,
            input,
            output,
            message.len(),
            Out::from(tag.as_mut_ptr()),
            16,
        );
        assert_eq!(status, 0);
        text.append(&mut tag);
        text
    }

    #[test]
    fn constructors_refuse_what_is_no_key() {
        let key = [7; 64];
        for len in [0, 8, 15, 17, 31, 33, 64] {
            let mut place = std::ptr::null_mut();
            let status = abreast_aes_new(In::from(&key), len, Text::none(), Place::from(&raw mut place));
            assert_eq!((status, place.is_null()), (Status::KeyLength as c_int, true), "{len}");
            let status = abreast_serpent_new(In::from(&key), len, Text::none(), Place::from(&raw mut place));
            assert_eq!((status, place.is_null()), (Status::KeyLength as c_int, true), "{len}");
            let mut place = std::ptr::null_mut();
            let status = abreast_aes_gcm_new(In::from(&key), len, Text::none(), Place::from(&raw mut place));
            assert_eq!((status, place.is_null()), (Status::KeyLength as c_int, true), "{len}");
        }
        let mut place = std::ptr::null_mut();
        let status = abreast_tea_new(In::from(&key), 0, Text::from(c"aesni"), Place::from(&raw mut place));
        assert_eq!(status, Status::UnknownKernel as c_int);
    }
}
