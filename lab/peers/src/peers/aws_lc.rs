//! AWS-LC: the functions of `aes.h` for the modes that it has there, the AEAD interface for GCM, EVP for the rest.

use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

use aws_lc_sys::{
    AES_KEY, AES_cbc_encrypt, AES_ctr128_encrypt, AES_set_decrypt_key, AES_set_encrypt_key, AES_wrap_key,
    CMAC_CTX, CMAC_CTX_free, CMAC_CTX_new, CMAC_Final, CMAC_Init, CMAC_Reset, CMAC_Update, EVP_AEAD,
    EVP_AEAD_CTX, EVP_AEAD_CTX_cleanup, EVP_AEAD_CTX_init, EVP_AEAD_CTX_seal_scatter, EVP_AEAD_CTX_zero,
    EVP_CIPHER, EVP_CIPHER_CTX, EVP_CIPHER_CTX_free, EVP_CIPHER_CTX_new, EVP_CIPHER_CTX_set_padding,
    EVP_EncryptInit_ex, EVP_EncryptUpdate, EVP_MD, EVP_aead_aes_128_gcm, EVP_aead_aes_128_gcm_siv,
    EVP_aead_aes_256_gcm, EVP_aead_aes_256_gcm_siv, EVP_aes_128_cbc, EVP_aes_128_ecb, EVP_aes_256_cbc,
    EVP_aes_256_ecb, EVP_aes_256_xts, EVP_rc4, EVP_sha1, EVP_sha256, HMAC_CTX, HMAC_CTX_free, HMAC_CTX_new,
    HMAC_Final, HMAC_Init_ex, HMAC_Update,
};

use crate::job::{Job, Message};
use crate::peer::{Peer, Work, work};
use crate::rows::{Cipher, Mode};

/// The library. Its symbols have a prefix, so that it does not get in the way of OpenSSL.
pub(super) struct AwsLc;

impl Peer for AwsLc {
    fn name(&self) -> &'static str {
        "AWS-LC"
    }

    fn version(&self) -> String {
        let version = String::from_utf8_lossy(aws_lc_sys::AWSLC_VERSION_NUMBER_STRING);
        format!("{}, crate aws-lc-sys {}", version.trim_end_matches('\0'), super::locked("aws-lc-sys"))
    }

    fn open(&self, job: &mut Job) -> Option<Work> {
        let is_128 = match job.row.cipher {
            Cipher::Aes128 => true,
            Cipher::Aes256 => false,
            // SAFETY: gives a description that is never freed.
            Cipher::Rc4 => return Some(work(job, |key| Evp::new(unsafe { EVP_rc4() }, key), Evp::update)),
            // SAFETY: as above.
            Cipher::HmacSha1 => {
                return Some(work(job, |key| Hmac::new(unsafe { EVP_sha1() }, key), Hmac::mac::<12>));
            }
            // SAFETY: as above.
            Cipher::HmacSha256 => {
                return Some(work(job, |key| Hmac::new(unsafe { EVP_sha256() }, key), Hmac::mac::<16>));
            }
            _ => return None,
        };
        Some(match job.row.mode {
            Mode::Ecb => {
                // SAFETY: as above.
                let cipher = unsafe { if is_128 { EVP_aes_128_ecb() } else { EVP_aes_256_ecb() } };
                work(job, move |key| Evp::new(cipher, key), Evp::update)
            }
            // It has no XTS with AES-128.
            Mode::Xts if is_128 => return None,
            Mode::Xts => {
                // SAFETY: as above.
                let cipher = unsafe { EVP_aes_256_xts() };
                work(job, move |key| Evp::new(cipher, key), Evp::with_iv)
            }
            Mode::Ctr => work(job, encrypt_key, ctr),
            Mode::CbcEncrypt => work(job, encrypt_key, cbc::<1>),
            Mode::CbcDecrypt => work(job, decrypt_key, cbc::<0>),
            mode @ (Mode::Gcm | Mode::GcmSiv) => {
                let aead = match (mode, is_128) {
                    (Mode::Gcm, true) => EVP_aead_aes_128_gcm,
                    (Mode::Gcm, false) => EVP_aead_aes_256_gcm,
                    (_, true) => EVP_aead_aes_128_gcm_siv,
                    (_, false) => EVP_aead_aes_256_gcm_siv,
                };
                // SAFETY: as above.
                work(job, move |key| Aead::new(unsafe { aead() }, key), Aead::seal)
            }
            Mode::KeyWrap => work(job, encrypt_key, key_wrap),
            Mode::Cmac => work(job, Cmac::new, Cmac::mac),
            _ => return None,
        })
    }
}

/// Checks the status of a function.
#[inline(always)]
fn done(status: i32) {
    assert!(status == 1, "AWS-LC: status {status}");
}

fn encrypt_key(key: &[u8]) -> AES_KEY {
    let mut place = MaybeUninit::uninit();
    // SAFETY: a key of this length, borrowed for the call. The result is 0 if all of the place was written.
    unsafe {
        assert_eq!(AES_set_encrypt_key(key.as_ptr(), 8 * key.len() as u32, place.as_mut_ptr()), 0);
        place.assume_init()
    }
}

fn decrypt_key(key: &[u8]) -> AES_KEY {
    let mut place = MaybeUninit::uninit();
    // SAFETY: as above.
    unsafe {
        assert_eq!(AES_set_decrypt_key(key.as_ptr(), 8 * key.len() as u32, place.as_mut_ptr()), 0);
        place.assume_init()
    }
}

fn ctr(key: &mut AES_KEY, message: Message<'_>) {
    let (mut counter, mut rest, mut used) = (*message.iv, [0; 16], 0);
    let text = message.text.as_mut_ptr();
    let len = message.text.len();
    // SAFETY: a key, a buffer, a counter block, 16 bytes for the unused keystream, and the number of bytes used.
    unsafe {
        AES_ctr128_encrypt(text, text, len, key, counter.as_mut_ptr(), rest.as_mut_ptr(), &mut used);
    };
}

fn cbc<const ENCRYPTS: i32>(key: &mut AES_KEY, message: Message<'_>) {
    let mut chain = *message.iv;
    let text = message.text.as_mut_ptr();
    // SAFETY: a key for this direction, a buffer of whole blocks, and a vector.
    unsafe { AES_cbc_encrypt(text, text, message.text.len(), key, chain.as_mut_ptr(), ENCRYPTS) };
}

fn key_wrap(key: &mut AES_KEY, message: Message<'_>) {
    let (input, output) = message.key_and_wrapped();
    // SAFETY: a key, no vector of the caller's, and two buffers of which the first has 8 bytes more.
    let written = unsafe { AES_wrap_key(key, null(), output.as_mut_ptr(), input.as_ptr(), input.len()) };
    assert_eq!(written as usize, output.len());
}

/// `EVP_CIPHER_CTX` with a key.
struct Evp(*mut EVP_CIPHER_CTX);

impl Evp {
    fn new(cipher: *const EVP_CIPHER, key: &[u8]) -> Self {
        // SAFETY: a context, a description of a cipher, and a key of its length.
        unsafe {
            let context = EVP_CIPHER_CTX_new();
            done(EVP_EncryptInit_ex(context, cipher, null_mut(), key.as_ptr(), null()));
            done(EVP_CIPHER_CTX_set_padding(context, 0));
            Self(context)
        }
    }

    fn update(&mut self, message: Message<'_>) {
        let (text, mut written) = (message.text.as_mut_ptr(), 0);
        // SAFETY: a context with all that it needs, and a buffer that is borrowed for the call.
        done(unsafe { EVP_EncryptUpdate(self.0, text, &mut written, text, message.text.len() as i32) });
    }

    fn with_iv(&mut self, message: Message<'_>) {
        // SAFETY: a context with a cipher and a key, and a vector of 16 bytes.
        done(unsafe { EVP_EncryptInit_ex(self.0, null(), null_mut(), null(), message.iv.as_ptr()) });
        self.update(message);
    }
}

impl Drop for Evp {
    fn drop(&mut self) {
        // SAFETY: made by EVP_CIPHER_CTX_new, and freed once.
        unsafe { EVP_CIPHER_CTX_free(self.0) };
    }
}

/// `EVP_AEAD_CTX` with a key. It may not be moved: GCM-SIV looks for a place in it by its address.
struct Aead(Box<EVP_AEAD_CTX>);

impl Aead {
    fn new(aead: *const EVP_AEAD, key: &[u8]) -> Self {
        let mut context = Box::<EVP_AEAD_CTX>::new_uninit();
        // SAFETY: a place for a context, the description of a cipher, and a key of its length, borrowed for the call.
        unsafe {
            EVP_AEAD_CTX_zero(context.as_mut_ptr());
            done(EVP_AEAD_CTX_init(context.as_mut_ptr(), aead, key.as_ptr(), key.len(), 16, null_mut()));
            Self(context.assume_init())
        }
    }

    fn seal(&mut self, message: Message<'_>) {
        let (nonce, aad) = (&message.iv[..12], message.associated_data);
        let (text, len, mut written) = (message.text.as_mut_ptr(), message.text.len(), 0);
        let tag = message.tag.as_mut_ptr();
        // SAFETY: a context with a key, and buffers that are borrowed for the call; nothing extra goes in.
        done(unsafe {
            EVP_AEAD_CTX_seal_scatter(
                &*self.0,
                text,
                tag,
                &mut written,
                16,
                nonce.as_ptr(),
                nonce.len(),
                text,
                len,
                null(),
                0,
                aad.as_ptr(),
                aad.len(),
            )
        });
    }
}

impl Drop for Aead {
    fn drop(&mut self) {
        // SAFETY: a context that was set up, and is cleaned up once.
        unsafe { EVP_AEAD_CTX_cleanup(&mut *self.0) };
    }
}

/// `CMAC_CTX` with a key.
struct Cmac(*mut CMAC_CTX);

impl Cmac {
    fn new(key: &[u8]) -> Self {
        // SAFETY: a context, the description of a cipher, and a key of its length, borrowed for the call.
        unsafe {
            let context = CMAC_CTX_new();
            let cipher = if key.len() == 16 { EVP_aes_128_cbc() } else { EVP_aes_256_cbc() };
            done(CMAC_Init(context, key.as_ptr().cast(), key.len(), cipher, null_mut()));
            Self(context)
        }
    }

    fn mac(&mut self, message: Message<'_>) {
        let mut len = 0;
        // SAFETY: a context with a key, a message and 16 bytes for the tag, borrowed for the call.
        unsafe {
            done(CMAC_Reset(self.0));
            done(CMAC_Update(self.0, message.text.as_ptr(), message.text.len()));
            done(CMAC_Final(self.0, message.tag.as_mut_ptr(), &mut len));
        };
    }
}

impl Drop for Cmac {
    fn drop(&mut self) {
        // SAFETY: made by CMAC_CTX_new, and freed once.
        unsafe { CMAC_CTX_free(self.0) };
    }
}

/// `HMAC_CTX` with a key.
struct Hmac(*mut HMAC_CTX);

impl Hmac {
    fn new(hash: *const EVP_MD, key: &[u8]) -> Self {
        // SAFETY: a context, the description of a hash, and a key that is borrowed for the call.
        unsafe {
            let context = HMAC_CTX_new();
            done(HMAC_Init_ex(context, key.as_ptr().cast(), key.len(), hash, null_mut()));
            Self(context)
        }
    }

    fn mac<const TAG: usize>(&mut self, message: Message<'_>) {
        let (mut full, mut len) = ([0; 32], 0);
        // SAFETY: a context with a key, which stays; a message, and 32 bytes for the tag.
        unsafe {
            done(HMAC_Init_ex(self.0, null(), 0, null(), null_mut()));
            done(HMAC_Update(self.0, message.text.as_ptr(), message.text.len()));
            done(HMAC_Final(self.0, full.as_mut_ptr(), &mut len));
        };
        message.tag[..TAG].copy_from_slice(&full[..TAG]);
    }
}

impl Drop for Hmac {
    fn drop(&mut self) {
        // SAFETY: made by HMAC_CTX_new, and freed once.
        unsafe { HMAC_CTX_free(self.0) };
    }
}
