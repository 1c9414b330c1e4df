//! abreast, called through its C interface as a C program calls it.
//!
//! Declarations are written from `abreast.h`, as a C compiler reads them.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::{null, null_mut};

use abreast_c_bindings::*;

use crate::job::{Job, Message};
use crate::peer::{Peer, Work, work};
use crate::rows::{Cipher, Mode, Row, Task};

type New = unsafe extern "C" fn(*const c_void, *mut *mut c_void) -> c_int;
type NewOfKey = unsafe extern "C" fn(*const u8, usize, *const c_char, *mut *mut c_void) -> c_int;
type Free = unsafe extern "C" fn(*mut c_void);

/// The library through `abreast.h`.
pub(super) struct AbreastC;

/// A handle that is freed.
struct Handle(*mut c_void, Free);

impl Handle {
    /// Returns the handle that a function makes.
    fn new(free: Free, make: impl FnOnce(*mut *mut c_void) -> c_int) -> Self {
        let mut handle = null_mut();
        done(make(&mut handle));
        Self(handle, free)
    }

    /// A cipher under a key.
    fn cipher(cipher: Cipher, key: &[u8]) -> Self {
        let name = match cipher {
            Cipher::Aes128 => c"aes-128",
            Cipher::Aes256 => c"aes-256",
            Cipher::Serpent256 => c"serpent-256",
            Cipher::Xtea => c"xtea",
            Cipher::Rc4 | Cipher::Aez | Cipher::HmacSha1 | Cipher::HmacSha256 | Cipher::Cgo => {
                panic!("{cipher:?} is no block cipher")
            }
        };
        // SAFETY: a name and a key that are borrowed for the call, the best kernel, and a place that may be written.
        Self::new(abreast_cipher_free, |place| unsafe {
            abreast_cipher_new(name.as_ptr(), key.as_ptr(), key.len(), null(), place)
        })
    }

    /// A mode over a cipher, which it keeps.
    fn over(cipher: Cipher, key: &[u8], new: New, free: Free) -> Self {
        let cipher = Self::cipher(cipher, key);
        // SAFETY: a handle of a cipher, and a place that may be written.
        Self::new(free, |place| unsafe { new(cipher.0, place) })
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: made by the function to which this one belongs, and freed once.
        unsafe { (self.1)(self.0) }
    }
}

/// Looks at a status, as programs do.
#[inline(always)]
fn done(status: c_int) {
    assert!(status == 0, "status {status}");
}

impl Peer for AbreastC {
    fn name(&self) -> &'static str {
        "abreast in C"
    }

    fn version(&self) -> String {
        super::locked("abreast-capi")
    }

    fn open(&self, job: &mut Job) -> Option<Work> {
        let cipher = job.row.cipher;
        if job.row.task == Task::Packets {
            return batches(job);
        }
        Some(match (cipher, job.row.mode) {
            (Cipher::Aez, _) => work(job, aez, |key, message| aead::<16>(key, message.with_tag_after())),
            (Cipher::Rc4, _) => {
                // SAFETY: a key that is borrowed for the call, and a place that may be written.
                let new =
                    |key: &[u8], place| unsafe { abreast_rc4_stream_new(key.as_ptr(), key.len(), place) };
                let make = move |key: &[u8]| Handle::new(abreast_rc4_stream_free, |place| new(key, place));
                work(job, make, |stream, message| {
                    let text = message.text.as_mut_ptr();
                    // SAFETY: a stream that nobody else uses, and a buffer that is borrowed for the call.
                    done(unsafe { abreast_rc4_stream_apply(stream.0, text, text, message.text.len()) });
                })
            }
            (_, Mode::Ecb) => crypt::<ABREAST_ECB_ENCRYPT, 0>(job),
            (Cipher::Xtea, Mode::Ctr) => crypt::<ABREAST_CTR64, 8>(job),
            (_, Mode::Ctr) => crypt::<ABREAST_CTR32, 16>(job),
            (_, Mode::CbcEncrypt) => crypt::<ABREAST_CBC_ENCRYPT, 16>(job),
            (_, Mode::CbcDecrypt) => crypt::<ABREAST_CBC_DECRYPT, 16>(job),
            (_, Mode::Xts) => {
                let make = move |keys: &[u8]| {
                    let (data, tweak) = keys.split_at(keys.len() / 2);
                    let (data, tweak) = (Handle::cipher(cipher, data), Handle::cipher(cipher, tweak));
                    // SAFETY: two handles of ciphers, and a place that may be written.
                    Handle::new(abreast_xts_free, |place| unsafe { abreast_xts_new(data.0, tweak.0, place) })
                };
                work(job, make, |xts, message| {
                    let (text, len) = (message.text.as_mut_ptr(), message.text.len());
                    // SAFETY: a handle of XTS, 16 bytes, and a buffer that is borrowed for the call.
                    done(unsafe { abreast_xts_encrypt(xts.0, message.iv.as_ptr(), len, text, text, len) });
                })
            }
            (_, Mode::Gcm) => work(
                job,
                move |key| Handle::over(cipher, key, abreast_gcm_new, abreast_aead_free),
                aead::<12>,
            ),
            (_, Mode::Eax) => work(
                job,
                move |key| Handle::over(cipher, key, abreast_eax_new, abreast_aead_free),
                aead::<16>,
            ),
            (_, Mode::Cmac) => {
                let make = move |key: &[u8]| Handle::over(cipher, key, abreast_cmac_new, abreast_cmac_free);
                work(job, make, |cmac, message| {
                    let (text, tag) = (message.text, message.tag);
                    // SAFETY: a handle of CMAC, a message and 16 bytes for the tag, borrowed for the call.
                    done(unsafe {
                        abreast_cmac_mac(cmac.0, text.as_ptr(), text.len(), tag.as_mut_ptr(), 16)
                    });
                })
            }
            (_, Mode::GcmSiv) => work(job, gcm_siv, aead::<12>),
            (_, Mode::Hctr2) => work(
                job,
                move |key| Handle::over(cipher, key, abreast_hctr2_new, abreast_hctr2_free),
                |hctr2, message| {
                    let (tweak, text) = (message.iv, message.text.as_mut_ptr());
                    // SAFETY: a handle of HCTR2, a tweak and a buffer that are borrowed for the call.
                    done(unsafe {
                        abreast_hctr2_encrypt(hctr2.0, tweak.as_ptr(), 16, text, text, message.text.len())
                    });
                },
            ),
            _ => return None,
        })
    }
}

/// An operation of `abreast_cipher_crypt`, whose vector is the last `IV` of 16 bytes.
fn crypt<const OPERATION: c_int, const IV: usize>(job: &Job) -> Work {
    let cipher = job.row.cipher;
    work(
        job,
        move |key| Handle::cipher(cipher, key),
        |handle, message| {
            let (iv, text) = (&message.iv[16 - IV..], message.text.as_mut_ptr());
            // SAFETY: a handle of a cipher, a vector and a buffer that are borrowed for the call.
            done(unsafe {
                abreast_cipher_crypt(handle.0, OPERATION, iv.as_ptr(), IV, text, text, message.text.len())
            });
        },
    )
}

/// A key of AEZ.
fn aez(key: &[u8]) -> Handle {
    // SAFETY: a key that is borrowed for the call, the best kernel, and a place that may be written.
    Handle::new(abreast_aead_free, |place| unsafe { abreast_aez_new(key.as_ptr(), key.len(), null(), place) })
}

/// A key of AES-GCM-SIV.
fn gcm_siv(key: &[u8]) -> Handle {
    // SAFETY: as above.
    Handle::new(abreast_aead_free, |place| unsafe {
        abreast_gcm_siv_new(key.as_ptr(), key.len(), null(), place)
    })
}

/// A key of HMAC, by the function that makes one.
fn hmac(new: NewOfKey, key: &[u8]) -> Handle {
    // SAFETY: as above.
    Handle::new(abreast_hmac_free, |place| unsafe { new(key.as_ptr(), key.len(), null(), place) })
}

/// Encrypts and authenticates with a nonce of the given length.
#[inline(always)]
fn aead<const NONCE: usize>(handle: &mut Handle, message: Message<'_>) {
    let Message { iv, associated_data: aad, text, tag } = message;
    let (data, len) = (text.as_mut_ptr(), text.len());
    let (nonce, tag) = (iv[..NONCE].as_ptr(), tag.as_mut_ptr());
    // SAFETY: a handle of an AEAD, and buffers that are borrowed for the call.
    done(unsafe {
        abreast_aead_encrypt(handle.0, nonce, NONCE, aad.as_ptr(), aad.len(), data, data, len, tag, 16)
    });
}

/// Batches of packets, each under a key of its own. Packets are described once for all calls of a sample.
fn batches(job: &Job) -> Option<Work> {
    let Row { cipher, mode, .. } = job.row;
    let (operation, iv_len, tag_len) = match (cipher, mode) {
        (Cipher::Xtea, Mode::Ecb) => (ABREAST_ECB_ENCRYPT, 0, 0),
        (Cipher::Aes128, Mode::Ctr) => (ABREAST_CTR32, 16, 0),
        (Cipher::Aes128, Mode::CbcEncrypt) => (ABREAST_CBC_ENCRYPT, 16, 0),
        (Cipher::Aes128, Mode::Gcm) => (ABREAST_GCM_ENCRYPT, 12, 16),
        (Cipher::Aes128 | Cipher::Aes256, Mode::GcmSiv) => (ABREAST_GCM_SIV_ENCRYPT, 12, 16),
        (Cipher::Aes256, Mode::Hctr2) => (ABREAST_HCTR2_ENCRYPT, 16, 0),
        (Cipher::Aez, Mode::Itself) => (ABREAST_AEZ_ENCRYPT, 16, 16),
        (Cipher::HmacSha1, Mode::Itself) => (ABREAST_HMAC_SHA1, 0, 12),
        (Cipher::HmacSha256, Mode::Itself) => (ABREAST_HMAC_SHA256, 0, 16),
        _ => return None,
    };
    let make = |key: &[u8]| match (cipher, mode) {
        (_, Mode::Gcm) => Handle::over(cipher, key, abreast_gcm_new, abreast_aead_free),
        (_, Mode::Hctr2) => Handle::over(cipher, key, abreast_hctr2_new, abreast_hctr2_free),
        (_, Mode::GcmSiv) => gcm_siv(key),
        (Cipher::Aez, _) => aez(key),
        (Cipher::HmacSha1, _) => hmac(abreast_hmac_sha1_new, key),
        (Cipher::HmacSha256, _) => hmac(abreast_hmac_sha256_new, key),
        _ => Handle::cipher(cipher, key),
    };
    let keys: Vec<Handle> = job.keys().map(make).collect();
    Some(Box::new(move |job, calls| {
        let packet = |(key, message): (&Handle, Message<'_>)| {
            let Message { iv, associated_data, text, tag } =
                if cipher == Cipher::Aez { message.with_tag_after() } else { message };
            // HMAC authenticates the message as associated data, and has no other.
            let authenticates = matches!(cipher, Cipher::HmacSha1 | Cipher::HmacSha256);
            let aad: &[u8] = if authenticates { text } else { associated_data };
            let (aad, aad_len) = (aad.as_ptr(), if tag_len > 0 { aad.len() } else { 0 });
            let len = if authenticates { 0 } else { text.len() };
            abreast_packet {
                key: key.0,
                iv: iv.as_ptr(),
                iv_len,
                aad,
                aad_len,
                input: text.as_ptr(),
                output: text.as_mut_ptr(),
                len,
                tag: tag.as_mut_ptr(),
                tag_len,
                status: 0,
            }
        };
        let mut batch: Vec<abreast_packet> = keys.iter().zip(job.packets()).map(packet).collect();
        for _ in 0..calls {
            // SAFETY: `batch.len()` descriptions of this size; their pointers go into the job, which is borrowed and
            // nowhere else in use, and to handles that live as long as this work.
            done(unsafe {
                abreast_packets(operation, batch.as_mut_ptr(), batch.len(), size_of::<abreast_packet>())
            });
        }
    }))
}
