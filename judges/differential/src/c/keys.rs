//! Keys of the C interface: handles of ciphers and modes, which are freed.

use std::cell::OnceCell;
use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::rc::Rc;

use abreast::xtea::ByteOrder;
use abreast_c_bindings::*;

use crate::keys::Bytes;
use crate::subject::{Kind, Mode};

type New = unsafe extern "C" fn(*const c_void, *mut *mut c_void) -> c_int;
type NewOfTwo = unsafe extern "C" fn(*const c_void, *const c_void, *mut *mut c_void) -> c_int;
type NewOfKey = unsafe extern "C" fn(*const u8, usize, *const c_char, *mut *mut c_void) -> c_int;
type Free = unsafe extern "C" fn(*mut c_void);

/// A handle that is freed.
pub(super) struct Handle(pub(super) *mut c_void, Free);

impl Handle {
    /// Returns the handle that a function makes.
    pub(super) fn new(free: Free, make: impl FnOnce(*mut *mut c_void) -> c_int) -> Self {
        let mut handle = null_mut();
        let status = make(&mut handle);
        assert!(status == 0 && !handle.is_null(), "a key or a stream is refused: status {status}");
        Self(handle, free)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: made by the function to which this one belongs, and freed once.
        unsafe { (self.1)(self.0) }
    }
}

/// A key at a kernel, with the handles for all modes.
pub struct Keyed {
    kind: Kind,
    bytes: Rc<Bytes>,
    kernel: CString,
    cipher: OnceCell<Handle>,
    mode: OnceCell<Handle>,
    eax: OnceCell<Handle>,
    gcm_siv: OnceCell<Handle>,
    siv: OnceCell<Handle>,
    cmac: OnceCell<Handle>,
    xts: OnceCell<Handle>,
    hctr2: OnceCell<Handle>,
    hmac: OnceCell<Handle>,
}

impl Keyed {
    /// A key of a cipher at the kernel of a name.
    ///
    /// # Panics
    /// If the name has a zero in it.
    #[must_use]
    pub fn new(kind: Kind, bytes: Rc<Bytes>, kernel: &str) -> Self {
        Self {
            kind,
            bytes,
            kernel: CString::new(kernel).expect("a name"),
            cipher: OnceCell::new(),
            mode: OnceCell::new(),
            eax: OnceCell::new(),
            gcm_siv: OnceCell::new(),
            siv: OnceCell::new(),
            cmac: OnceCell::new(),
            xts: OnceCell::new(),
            hctr2: OnceCell::new(),
            hmac: OnceCell::new(),
        }
    }

    fn make(&self, key: &[u8]) -> Handle {
        let (bytes, len, kernel) = (key.as_ptr(), key.len(), self.kernel.as_ptr());
        match self.kind {
            Kind::Aez => Handle::new(abreast_aead_free, |place| {
                // SAFETY: key and name are borrowed for the call, and the place may be written.
                unsafe { abreast_aez_new(bytes, len, kernel, place) }
            }),
            Kind::Xtea(order, cycles) if cycles != 32 => Handle::new(abreast_cipher_free, |place| {
                let big_endian = c_int::from(order == ByteOrder::BigEndian);
                // SAFETY: as above; the key has 16 bytes.
                unsafe { abreast_xtea_new(bytes, big_endian, cycles, kernel, place) }
            }),
            kind => Handle::new(abreast_cipher_free, |place| {
                let name = CString::new(kind.name()).expect("a name");
                // SAFETY: as above.
                unsafe { abreast_cipher_new(name.as_ptr(), bytes, len, kernel, place) }
            }),
        }
    }

    fn cipher(&self) -> *mut c_void {
        self.cipher.get_or_init(|| self.make(&self.bytes.key)).0
    }

    fn over(&self, new: New, free: Free) -> Handle {
        // SAFETY: the handle of a cipher that lives as long as this key, and a place that may be written.
        Handle::new(free, |place| unsafe { new(self.cipher(), place) })
    }

    /// Returns the handle of a mode with two keys.
    fn over_both(&self, new: NewOfTwo, free: Free) -> Handle {
        Handle::new(free, |place| {
            let other = self.make(&self.bytes.tweak);
            // SAFETY: two handles of ciphers, and a place that may be written. The new handle keeps both.
            unsafe { new(self.cipher(), other.0, place) }
        })
    }

    fn cmac(&self) -> *mut c_void {
        self.cmac.get_or_init(|| self.over(abreast_cmac_new, abreast_cmac_free)).0
    }

    fn eax(&self) -> *mut c_void {
        self.eax.get_or_init(|| self.over(abreast_eax_new, abreast_aead_free)).0
    }

    fn hmac(&self, new: NewOfKey) -> *mut c_void {
        let (key, len, kernel) = (self.bytes.key.as_ptr(), self.bytes.key.len(), self.kernel.as_ptr());
        // SAFETY: key and name are borrowed for the call, and the place may be written.
        let make = |place| unsafe { new(key, len, kernel, place) };
        self.hmac.get_or_init(|| Handle::new(abreast_hmac_free, make)).0
    }

    /// The handle that batches of a mode want.
    pub(super) fn of_mode(&self, mode: Mode) -> *mut c_void {
        match mode {
            Mode::Gcm => self.mode.get_or_init(|| self.over(abreast_gcm_new, abreast_aead_free)).0,
            Mode::Eax => self.eax(),
            Mode::GcmSiv => {
                let (key, len) = (self.bytes.key.as_ptr(), self.bytes.key.len());
                // SAFETY: key and name are borrowed for the call, and the place may be written.
                let make = |place| unsafe { abreast_gcm_siv_new(key, len, self.kernel.as_ptr(), place) };
                self.gcm_siv.get_or_init(|| Handle::new(abreast_aead_free, make)).0
            }
            Mode::Siv => self.siv.get_or_init(|| self.over_both(abreast_siv_new, abreast_aead_free)).0,
            Mode::Cmac => self.cmac(),
            Mode::HmacSha1 => self.hmac(abreast_hmac_sha1_new),
            Mode::HmacSha256 => self.hmac(abreast_hmac_sha256_new),
            Mode::Xts => self.xts.get_or_init(|| self.over_both(abreast_xts_new, abreast_xts_free)).0,
            Mode::Hctr2 => self.hctr2.get_or_init(|| self.over(abreast_hctr2_new, abreast_hctr2_free)).0,
            _ => self.cipher(),
        }
    }

    /// A handle that batches of a mode refuse.
    pub(super) fn of_another_mode(&self, mode: Mode) -> *mut c_void {
        match (self.kind, mode) {
            // There is no other handle for a key of AEZ or HMAC: one of a cipher takes its place.
            (Kind::Aez | Kind::Sha1 | Kind::Sha256, _) => self.stranger(),
            // A handle of the same type in C.
            (_, Mode::Gcm | Mode::GcmSiv | Mode::Siv) => self.eax(),
            (_, Mode::Eax | Mode::Cmac | Mode::Xts | Mode::Hctr2) => self.cipher(),
            _ => self.cmac(),
        }
    }

    fn stranger(&self) -> *mut c_void {
        let make = |place| {
            // SAFETY: a name, 16 bytes, the best kernel, and a place that may be written.
            unsafe { abreast_cipher_new(c"aes-128".as_ptr(), [7; 16].as_ptr(), 16, null(), place) }
        };
        self.mode.get_or_init(|| Handle::new(abreast_cipher_free, make)).0
    }
}
