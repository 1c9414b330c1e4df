//! Peers behind a shim: libraries whose interfaces are macros, inline functions or C++.

use std::ffi::{CStr, c_char, c_void};

use crate::job::{CJob, Job};
use crate::peer::{Peer, Work};

/// A shim: four functions of the same form in each, see `shim/job.h`.
pub(super) struct Shim {
    name: &'static str,
    version: unsafe extern "C" fn() -> *const c_char,
    open: unsafe extern "C" fn(*const CJob) -> *mut c_void,
    run: unsafe extern "C" fn(*mut c_void, *const CJob, usize),
    close: unsafe extern "C" fn(*mut c_void),
}

/// Declares a shim's functions and makes a constant of them.
macro_rules! shim {
    ($constant:ident, $name:literal, $version:ident, $open:ident, $run:ident, $close:ident) => {
        unsafe extern "C" {
            fn $version() -> *const c_char;
            fn $open(job: *const CJob) -> *mut c_void;
            fn $run(work: *mut c_void, job: *const CJob, calls: usize);
            fn $close(work: *mut c_void);
        }
        pub(super) const $constant: Shim =
            Shim { name: $name, version: $version, open: $open, run: $run, close: $close };
    };
}

shim!(ARTICLE, "the article's loop", article_version, article_open, article_run, article_close);
#[cfg(feature = "botan")]
shim!(BOTAN, "Botan", botan_version, botan_open, botan_run, botan_close);
#[cfg(ipsec_mb)]
shim!(IPSEC_MB, "ipsec-mb", ipsec_mb_version, ipsec_mb_open, ipsec_mb_run, ipsec_mb_close);
#[cfg(gcrypt)]
shim!(GCRYPT, "libgcrypt", gcrypt_version, gcrypt_open, gcrypt_run, gcrypt_close);
#[cfg(nettle)]
shim!(NETTLE, "nettle", nettle_version, nettle_open, nettle_run, nettle_close);
#[cfg(cryptopp)]
shim!(CRYPTOPP, "Crypto++", cryptopp_version, cryptopp_open, cryptopp_run, cryptopp_close);

/// The work that a shim has opened.
struct Opened {
    work: *mut c_void,
    run: unsafe extern "C" fn(*mut c_void, *const CJob, usize),
    close: unsafe extern "C" fn(*mut c_void),
}

impl Opened {
    /// Makes `calls` calls.
    fn run(&mut self, job: &mut Job, calls: usize) {
        // SAFETY: the work was opened for this job, which is borrowed for the call and not used elsewhere.
        unsafe { (self.run)(self.work, &job.for_c(), calls) }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // SAFETY: made by the shim to which this function belongs, and closed once.
        unsafe { (self.close)(self.work) }
    }
}

impl Peer for Shim {
    fn name(&self) -> &'static str {
        self.name
    }

    fn version(&self) -> String {
        // SAFETY: a shim's version is a string that is never freed.
        unsafe { CStr::from_ptr((self.version)()) }.to_string_lossy().into_owned()
    }

    fn open(&self, job: &mut Job) -> Option<Work> {
        // SAFETY: the job is borrowed for the call; shims keep no pointer into it.
        let work = unsafe { (self.open)(&job.for_c()) };
        if work.is_null() {
            return None;
        }
        let mut opened = Opened { work, run: self.run, close: self.close };
        Some(Box::new(move |job, calls| opened.run(job, calls)))
    }
}
