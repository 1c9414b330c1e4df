//! Temporary files that an earlier run left because it was killed, or the machine stopped.
//!
//! A run locks its temporary file for as long as it works on it. So a file with such a name that nobody has
//! locked is left over; a run says so where it writes to the same folder, and removes nothing.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::OFlags;
use rustix::process::geteuid;

use crate::names;

/// How the name of a temporary file begins.
pub(crate) const PREFIX: &str = ".abreast-";

/// How it ends.
pub(crate) const SUFFIX: &str = ".tmp";

/// So many are named, and the others counted.
const NAMED: usize = 5;

/// The folders that have been looked at. A call that writes a thousand files looks once.
static SEEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Marks a temporary file as in use until it is closed. Where the file system has no locks, a run beside
/// this one may take the file for left over, and say so.
pub(crate) fn mark_as_used(file: &File) {
    let _ = file.try_lock();
}

/// Names what is left over in a folder on standard error, once in each run.
pub(crate) fn report(folder: &Path) {
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    if seen.iter().any(|seen| seen == folder) {
        return;
    }
    seen.push(folder.to_path_buf());
    let Ok(entries) = fs::read_dir(folder) else { return };
    let left: Vec<_> =
        entries.flatten().map(|entry| entry.path()).filter(|path| is_left_over(path)).collect();
    let mut text = String::new();
    for path in left.iter().take(NAMED) {
        let name = names::escape(path.as_os_str());
        text += &format!("abreast: note: {name} was left by a run that was killed, and can be removed\n");
    }
    if left.len() > NAMED {
        text += &format!("abreast: note: and {} more like it\n", left.len() - NAMED);
    }
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Whether this is a temporary file of the same user that no run works on.
fn is_left_over(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if !name.starts_with(PREFIX) || !name.ends_with(SUFFIX) {
        return false;
    }
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let Ok(file) = OpenOptions::new().read(true).custom_flags(flags).open(path) else { return false };
    let own = file.metadata().is_ok_and(|file| file.is_file() && file.uid() == geteuid().as_raw());
    own && file.try_lock_shared().is_ok()
}
