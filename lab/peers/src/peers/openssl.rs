//! OpenSSL through EVP: a context for each key, and the vector anew for each message.
//!
//! The library is from the crate `openssl-src`, which has no declarations; these are written from its manual pages.

use std::ffi::{CStr, CString, c_char, c_int, c_uchar, c_uint, c_void};
use std::ptr::{null, null_mut};

use crate::job::{Job, Message};
use crate::peer::{Peer, Work, work};
use crate::rows::{Cipher, Mode, Task};

/// `OSSL_PARAM`.
#[repr(C)]
struct Param {
    key: *const c_char,
    data_type: c_uint,
    data: *mut c_void,
    data_size: usize,
    return_size: usize,
}

/// `RC4_KEY`: two counters and the permutation, in words.
#[repr(C)]
struct Rc4Key([c_uint; 258]);

unsafe extern "C" {
    fn EVP_CIPHER_fetch(context: *mut c_void, name: *const c_char, properties: *const c_char) -> *mut c_void;
    fn EVP_CIPHER_free(cipher: *mut c_void);
    fn EVP_CIPHER_CTX_new() -> *mut c_void;
    fn EVP_CIPHER_CTX_free(context: *mut c_void);
    fn EVP_CIPHER_CTX_set_padding(context: *mut c_void, padding: c_int) -> c_int;
    fn EVP_CIPHER_CTX_ctrl(context: *mut c_void, what: c_int, number: c_int, data: *mut c_void) -> c_int;
    fn EVP_CipherInit_ex2(
        context: *mut c_void,
        cipher: *const c_void,
        key: *const c_uchar,
        iv: *const c_uchar,
        encrypt: c_int,
        parameters: *const Param,
    ) -> c_int;
    fn EVP_CipherUpdate(
        context: *mut c_void,
        output: *mut c_uchar,
        output_len: *mut c_int,
        input: *const c_uchar,
        input_len: c_int,
    ) -> c_int;
    fn EVP_CipherFinal_ex(context: *mut c_void, output: *mut c_uchar, output_len: *mut c_int) -> c_int;
    fn EVP_MAC_fetch(context: *mut c_void, name: *const c_char, properties: *const c_char) -> *mut c_void;
    fn EVP_MAC_free(mac: *mut c_void);
    fn EVP_MAC_CTX_new(mac: *mut c_void) -> *mut c_void;
    fn EVP_MAC_CTX_free(context: *mut c_void);
    fn EVP_MAC_init(
        context: *mut c_void,
        key: *const c_uchar,
        key_len: usize,
        parameters: *const Param,
    ) -> c_int;
    fn EVP_MAC_update(context: *mut c_void, data: *const c_uchar, data_len: usize) -> c_int;
    fn EVP_MAC_final(context: *mut c_void, tag: *mut c_uchar, tag_len: *mut usize, size: usize) -> c_int;
    fn OSSL_PARAM_construct_utf8_string(key: *const c_char, text: *mut c_char, size: usize) -> Param;
    fn OSSL_PARAM_construct_end() -> Param;
    fn OpenSSL_version(what: c_int) -> *const c_char;
    fn RC4_set_key(key: *mut Rc4Key, len: c_int, data: *const c_uchar);
    fn RC4(key: *mut Rc4Key, len: usize, input: *const c_uchar, output: *mut c_uchar);
}

/// `OPENSSL_FULL_VERSION_STRING`.
const FULL_VERSION: c_int = 7;
/// `EVP_CTRL_AEAD_GET_TAG`.
const GET_TAG: c_int = 0x10;

/// The library.
pub(super) struct OpenSsl;

impl Peer for OpenSsl {
    fn name(&self) -> &'static str {
        "OpenSSL"
    }

    fn version(&self) -> String {
        // SAFETY: gives a string that is never freed.
        let version = unsafe { CStr::from_ptr(OpenSSL_version(FULL_VERSION)) };
        format!("{}, crate openssl-src {}", version.to_string_lossy(), env!("OPENSSL_SRC"))
    }

    fn open(&self, job: &mut Job) -> Option<Work> {
        let bits = match job.row.cipher {
            Cipher::Aes128 => 128,
            Cipher::Aes256 => 256,
            Cipher::Rc4 => return Some(work(job, rc4_key, rc4)),
            Cipher::HmacSha1 => return Some(work(job, |key| Mac::hmac(c"SHA1", key), mac::<12>)),
            Cipher::HmacSha256 => return Some(work(job, |key| Mac::hmac(c"SHA256", key), mac::<16>)),
            _ => return None,
        };
        let mode = match job.row.mode {
            Mode::Ecb => "ECB",
            Mode::Ctr => "CTR",
            Mode::CbcEncrypt | Mode::CbcDecrypt | Mode::Cmac => "CBC",
            Mode::Xts => "XTS",
            Mode::Gcm => "GCM",
            Mode::GcmSiv => "GCM-SIV",
            _ => return None,
        };
        let name = CString::new(format!("AES-{bits}-{mode}")).expect("a name");
        if job.row.mode == Mode::Cmac {
            return Some(work(job, move |key| Mac::cmac(&name, key), mac::<16>));
        }
        let encrypts = job.row.mode != Mode::CbcDecrypt;
        let message = match job.row.mode {
            Mode::Ecb => Context::ecb,
            Mode::Gcm => Context::gcm,
            Mode::GcmSiv => Context::gcm_siv,
            _ => Context::with_iv,
        };
        if job.row.task == Task::Keys {
            // The context stays, and takes one key after the other.
            let mut context = Context::new(&name, job.key(0), encrypts);
            return Some(Box::new(move |job, calls| {
                (1..=calls).for_each(|m| context.change_key(job.key(m)));
                message(&mut context, job.message(0));
            }));
        }
        Some(work(job, move |key| Context::new(&name, key, encrypts), message))
    }
}

/// Checks the status of a function.
#[inline(always)]
fn done(status: c_int) {
    assert!(status == 1, "OpenSSL: status {status}");
}

/// `EVP_CIPHER_CTX` with a key.
struct Context(*mut c_void);

impl Context {
    fn new(name: &CStr, key: &[u8], encrypts: bool) -> Self {
        // SAFETY: a name, the default library context, and no properties.
        let cipher = unsafe { EVP_CIPHER_fetch(null_mut(), name.as_ptr(), null()) };
        assert!(!cipher.is_null(), "OpenSSL has no {name:?}");
        // SAFETY: no arguments.
        let context = unsafe { EVP_CIPHER_CTX_new() };
        // SAFETY: a context, a cipher and a key of its length; the context keeps the cipher.
        unsafe {
            done(EVP_CipherInit_ex2(context, cipher, key.as_ptr(), null(), encrypts.into(), null()));
            done(EVP_CIPHER_CTX_set_padding(context, 0));
            EVP_CIPHER_free(cipher);
        };
        Self(context)
    }

    fn change_key(&mut self, key: &[u8]) {
        // SAFETY: a context with a cipher, and a key of its length.
        done(unsafe { EVP_CipherInit_ex2(self.0, null(), key.as_ptr(), null(), -1, null()) });
    }

    #[inline(always)]
    fn begin(&mut self, iv: &[u8]) {
        // SAFETY: a context with a cipher and a key, and a vector of its length.
        done(unsafe { EVP_CipherInit_ex2(self.0, null(), null(), iv.as_ptr(), -1, null()) });
    }

    #[inline(always)]
    fn update(&mut self, text: &mut [u8]) {
        let (data, mut written) = (text.as_mut_ptr(), 0);
        // SAFETY: a context with all that it needs, and a buffer that is borrowed for the call.
        done(unsafe { EVP_CipherUpdate(self.0, data, &mut written, data, text.len() as c_int) });
    }

    fn ecb(&mut self, message: Message<'_>) {
        self.update(message.text);
    }

    fn with_iv(&mut self, message: Message<'_>) {
        self.begin(message.iv);
        self.update(message.text);
    }

    fn gcm(&mut self, message: Message<'_>) {
        self.begin(&message.iv[..12]);
        self.tagged(message);
    }

    fn gcm_siv(&mut self, message: Message<'_>) {
        self.begin(&message.iv[..12]);
        let mut written = 0;
        // SAFETY: no bytes of associated data. They take back those of the message before, which the nonce leaves there.
        done(unsafe { EVP_CipherUpdate(self.0, null_mut(), &mut written, [0].as_ptr(), 0) });
        self.tagged(message);
    }

    fn tagged(&mut self, message: Message<'_>) {
        let (aad, mut written) = (message.associated_data, 0);
        // SAFETY: associated data go in without an output.
        done(unsafe { EVP_CipherUpdate(self.0, null_mut(), &mut written, aad.as_ptr(), aad.len() as c_int) });
        self.update(message.text);
        let tag = message.tag.as_mut_ptr();
        // SAFETY: these modes write nothing at the end, and there are 16 bytes for the tag.
        unsafe {
            done(EVP_CipherFinal_ex(self.0, tag, &mut written));
            done(EVP_CIPHER_CTX_ctrl(self.0, GET_TAG, 16, tag.cast()));
        };
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: made by EVP_CIPHER_CTX_new, and freed once.
        unsafe { EVP_CIPHER_CTX_free(self.0) };
    }
}

/// `EVP_MAC_CTX` with a key.
struct Mac(*mut c_void);

impl Mac {
    fn cmac(cipher: &CStr, key: &[u8]) -> Self {
        Self::new(c"CMAC", c"cipher", cipher, key)
    }

    fn hmac(hash: &CStr, key: &[u8]) -> Self {
        Self::new(c"HMAC", c"digest", hash, key)
    }

    fn new(name: &CStr, parameter: &CStr, value: &CStr, key: &[u8]) -> Self {
        // SAFETY: names, the default library context and no properties; the context keeps the fetched MAC, the
        // parameters are read during the call, and so is the key.
        unsafe {
            let mac = EVP_MAC_fetch(null_mut(), name.as_ptr(), null());
            assert!(!mac.is_null(), "OpenSSL has no {name:?}");
            let context = EVP_MAC_CTX_new(mac);
            EVP_MAC_free(mac);
            let parameters = [
                OSSL_PARAM_construct_utf8_string(parameter.as_ptr(), value.as_ptr().cast_mut(), 0),
                OSSL_PARAM_construct_end(),
            ];
            done(EVP_MAC_init(context, key.as_ptr(), key.len(), parameters.as_ptr()));
            Self(context)
        }
    }
}

impl Drop for Mac {
    fn drop(&mut self) {
        // SAFETY: made by EVP_MAC_CTX_new, and freed once.
        unsafe { EVP_MAC_CTX_free(self.0) };
    }
}

fn mac<const TAG: usize>(mac: &mut Mac, message: Message<'_>) {
    let (mut full, mut len) = ([0; 32], 0);
    // SAFETY: a context with a key, which stays; a message and 32 bytes for the tag, borrowed for the call.
    unsafe {
        done(EVP_MAC_init(mac.0, null(), 0, null()));
        done(EVP_MAC_update(mac.0, message.text.as_ptr(), message.text.len()));
        done(EVP_MAC_final(mac.0, full.as_mut_ptr(), &mut len, full.len()));
    };
    message.tag[..TAG].copy_from_slice(&full[..TAG]);
}

fn rc4_key(key: &[u8]) -> Rc4Key {
    let mut rc4 = Rc4Key([0; 258]);
    // SAFETY: a key that is borrowed for the call, and a place for its state.
    unsafe { RC4_set_key(&mut rc4, key.len() as c_int, key.as_ptr()) };
    rc4
}

fn rc4(key: &mut Rc4Key, message: Message<'_>) {
    let text = message.text.as_mut_ptr();
    // SAFETY: a key, and a buffer that is borrowed for the call.
    unsafe { RC4(key, message.text.len(), text, text) };
}
