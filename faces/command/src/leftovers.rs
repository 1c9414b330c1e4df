//! Temporary files that an earlier run left because it was killed, or the machine stopped: a run names them where it
//! writes to the same folder, and removes nothing.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use abreast_sealed::output;

use crate::failure::program;
use crate::names;

/// The most files that are named; the others are counted.
const NAMED: usize = 5;

/// The folders that have been looked at. A call that writes a thousand files looks once.
static SEEN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Lists the leftovers in a folder on standard error, once in each run.
pub(crate) fn report(folder: &Path) {
    if !SEEN.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_path_buf()) {
        return;
    }
    let left = output::leftovers(folder);
    let (program, mut text) = (program(), String::new());
    for path in left.iter().take(NAMED) {
        let name = names::escape(path.as_os_str());
        text += &format!("{program}: note: {name} was left by a run that was killed, and can be removed\n");
    }
    if left.len() > NAMED {
        text += &format!("{program}: note: and {} more like it\n", left.len() - NAMED);
    }
    let _ = io::stderr().write_all(text.as_bytes());
}
