//! The counter of bytes: proof that a program's data went through this provider.
//!
//! It counts when the provider's section of OpenSSL's configuration has `count = yes` or `report = FILE`. The total is the
//! parameter `abreast-bytes` of the provider (`OSSL_PROVIDER_get_params`). To the file, a line is added whenever a context
//! that did some work is freed: the number of the process, the cipher, the direction and the bytes. The file may be a named
//! pipe: for processes that may write to no file, as the part of sshd that talks to those who are not logged in yet.

use std::ffi::CStr;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use abreast::modes::Direction;

use crate::fault::Fault;

/// The parameter of the provider that tells how many bytes it has encrypted and decrypted.
pub(crate) const TOTAL: &CStr = c"abreast-bytes";

/// Counts the bytes of all contexts.
pub(crate) struct Counter {
    total: AtomicU64,
    report: Option<File>,
}

impl Counter {
    /// The counter that the configuration asks for, if it asks for one.
    pub(crate) fn configured(count: bool, report: Option<&CStr>) -> Result<Option<Self>, Fault> {
        let wanted = count || report.is_some();
        // Whoever asks for a report and gets none would take it that nothing was encrypted.
        let open = |path: &CStr| {
            let path = Path::new(std::ffi::OsStr::from_bytes(path.to_bytes()));
            // Reading is for pipes: whoever opens one to write alone waits for somebody to read.
            OpenOptions::new().read(true).append(true).create(true).open(path).map_err(|_| Fault::Report)
        };
        let report = report.map(open).transpose()?;
        Ok(wanted.then(|| Self { total: AtomicU64::new(0), report }))
    }

    /// Adds bytes.
    pub(crate) fn add(&self, bytes: usize) {
        self.total.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// All bytes so far.
    pub(crate) fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    /// Reports what a context did.
    pub(crate) fn report(&self, cipher: &str, direction: Direction, bytes: u64) {
        let Some(mut file) = self.report.as_ref() else { return };
        let direction = match direction {
            Direction::Encrypt => "encrypt",
            Direction::Decrypt => "decrypt",
        };
        // In one write, so that lines of several processes do not mix. A disk that is full is no reason to stop.
        let line = format!("{} {cipher} {direction} {bytes}\n", std::process::id());
        let _ = file.write_all(line.as_bytes());
    }
}
