//! Keys of block ciphers, by name, and what they do to raw blocks.

use std::ffi::{c_char, c_int};
use std::sync::Arc;

use abreast::aes::{Aes128, Aes192, Aes256};
use abreast::kernels::Algorithm;
use abreast::packets::CipherKey;
use abreast::serpent::Serpent;
use abreast::xtea::Xtea;
use abreast::{BlockCipher, BlockCipher128, Error, Held, Holder, Kernel};

use crate::buffers::{In, Out, Place, in_out};
use crate::handle::{FreedKeyPtr, Handle, KeyPtr, Kind, make, release};
use crate::names::{Text, name_for_c};
use crate::status::{Status, call, guarded};

/// A cipher under a key. Handle and round keys of XTEA are one object, as servers have thousands of them; the others
/// are apart, or those of XTEA would have to be as large as they are.
#[allow(clippy::large_enum_variant, reason = "XTEA is the one that is large, and there are many of it")]
#[derive(Debug)]
pub enum Keyed {
    /// AES with 128 bits.
    Aes128(Box<Aes128>),
    /// AES with 192 bits.
    Aes192(Box<Aes192>),
    /// AES with 256 bits.
    Aes256(Box<Aes256>),
    /// Serpent.
    Serpent(Box<Serpent>),
    /// XTEA.
    Xtea(Xtea),
}

/// A handle of a cipher.
pub type CipherHandle = Handle<Keyed>;

impl Kind for Keyed {
    const KIND: u32 = 0xab12_c1f3;
}

impl Keyed {
    fn new(name: &str, key: &[u8], kernel: Option<&str>) -> Result<Self, Status> {
        let cipher = Algorithm::from_name(name).ok_or(Status::UnknownCipher)?;
        if key.len() != cipher.key_len() {
            return Err(Status::KeyLength);
        }
        let kernel = kernel_of(cipher.kernels(), kernel)?;
        Ok(match name {
            "aes-128" => Self::Aes128(Box::new(Aes128::with_kernel(sized(key)?, kernel)?)),
            "aes-192" => Self::Aes192(Box::new(Aes192::with_kernel(sized(key)?, kernel)?)),
            "aes-256" => Self::Aes256(Box::new(Aes256::with_kernel(sized(key)?, kernel)?)),
            "xtea" => Self::Xtea(Xtea::with_kernel(sized(key)?, crate::xtea::order(0), 32, kernel)?),
            "xtea-be" => Self::Xtea(Xtea::with_kernel(sized(key)?, crate::xtea::order(1), 32, kernel)?),
            "serpent-128" | "serpent-192" | "serpent-256" => {
                Self::Serpent(Box::new(Serpent::with_kernel(key, kernel)?))
            }
            _ => return Err(Status::UnknownCipher),
        })
    }

    fn cipher(&self) -> &(dyn BlockCipher + 'static) {
        match self {
            Self::Aes128(cipher) => &**cipher,
            Self::Aes192(cipher) => &**cipher,
            Self::Aes256(cipher) => &**cipher,
            Self::Serpent(cipher) => &**cipher,
            Self::Xtea(cipher) => cipher,
        }
    }

    /// As packets refer to it.
    #[inline]
    pub(crate) fn of_packets(&self) -> CipherKey<'_> {
        match self {
            Self::Aes128(cipher) => (&**cipher).into(),
            Self::Aes192(cipher) => (&**cipher).into(),
            Self::Aes256(cipher) => (&**cipher).into(),
            Self::Serpent(cipher) => (&**cipher).into(),
            Self::Xtea(cipher) => cipher.into(),
        }
    }
}

fn sized<const N: usize>(key: &[u8]) -> Result<&[u8; N], Error> {
    key.try_into().map_err(|_| Error::KeyLength)
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
    type Cipher = dyn BlockCipher;

    #[inline]
    fn cipher(&self) -> &Self::Cipher {
        self.0.key.cipher()
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
    if cipher.key.cipher().block_size() != 16 {
        return Err(Status::BlockLength);
    }
    Ok(Held(Counted128(cipher.share()?)))
}

impl Holder for Counted128 {
    type Cipher = dyn BlockCipher128;

    #[inline]
    fn cipher(&self) -> &Self::Cipher {
        match &self.0.key {
            Keyed::Aes128(cipher) => &**cipher,
            Keyed::Aes192(cipher) => &**cipher,
            Keyed::Aes256(cipher) => &**cipher,
            Keyed::Serpent(cipher) => &**cipher,
            Keyed::Xtea(_) => unreachable!("refused by `shared_128`"),
        }
    }
}

/// A cipher under a handle, for one call.
#[inline]
pub(crate) fn cipher(handle: &KeyPtr<CipherHandle>) -> Result<&(dyn BlockCipher + 'static), Status> {
    Ok(handle.get()?.key.cipher())
}

/// Prepares a key of a block cipher.
///
/// name: one of those that abreast_cipher_at lists: "aes-128", "aes-192", "aes-256", "serpent-128", "serpent-192",
/// "serpent-256", "xtea" (little-endian words, 32 cycles), "xtea-be" (big-endian words).
/// key: key_len bytes, as many as the name says in bits; 16 for XTEA.
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
    make(cipher, || Keyed::new(name.need()?, key.bytes(key_len)?, kernel.get()))
}

/// Frees a handle. The key is wiped when no stream and no other handle needs it any more. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cipher_free(cipher: FreedKeyPtr<CipherHandle>) {
    release(cipher);
}

/// Bytes of a block: 8 or 16. 0 if cipher is NULL.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cipher_block_size(cipher: KeyPtr<CipherHandle>) -> usize {
    guarded(0, || cipher.get().map_or(0, |cipher| cipher.key.cipher().block_size()))
}

/// The name of the cipher, such as "aes-128"; NULL if cipher is. It is not to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cipher_name(cipher: KeyPtr<CipherHandle>) -> *const c_char {
    let null = std::ptr::null();
    guarded(null, || cipher.get().map_or(null, |cipher| name_for_c(cipher.key.cipher().name())))
}

/// The name of the kernel in use, such as "avx512"; NULL if cipher is. It is not to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cipher_kernel(cipher: KeyPtr<CipherHandle>) -> *const c_char {
    let null = std::ptr::null();
    guarded(null, || cipher.get().map_or(null, |cipher| name_for_c(cipher.key.cipher().kernel().name())))
}

/// Encrypts whole blocks, each on its own (ECB). Equal blocks give equal blocks, so this is for protocols that have
/// laid it down.
///
/// ABREAST_PARTIAL_BLOCK; then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_ecb_encrypt(
    cipher: KeyPtr<CipherHandle>,
    input: In,
    output: Out,
    len: usize,
) -> c_int {
    call(|| Ok(self::cipher(&cipher)?.encrypt_raw_blocks(in_out(&input, &output, len, &[])?)?))
}

/// Decrypts whole blocks; the converse of abreast_ecb_encrypt.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_ecb_decrypt(
    cipher: KeyPtr<CipherHandle>,
    input: In,
    output: Out,
    len: usize,
) -> c_int {
    call(|| Ok(self::cipher(&cipher)?.decrypt_raw_blocks(in_out(&input, &output, len, &[])?)?))
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
                let key = Keyed::new(cipher.name(), &vec![7; cipher.key_len()], Some(kernel.name()));
                let key = key.expect("a key");
                assert_eq!((key.cipher().name(), key.cipher().kernel()), (cipher.name(), kernel));
            }
            let short = Keyed::new(cipher.name(), &vec![7; cipher.key_len() - 1], None);
            assert_eq!(short.err(), Some(Status::KeyLength));
        }
    }
}
