//! The folder for files that can be made again: programs and measurements of OpenCL devices, and the baselines of
//! `abreast-bench`.

use std::io;
use std::path::{Path, PathBuf};

use etcetera::base_strategy::{BaseStrategy as _, choose_native_strategy};

use crate::os::create_private_folders;

/// Returns a folder below `$XDG_CACHE_HOME` or `~/.cache` on Linux, in the user's library on macOS; `None` if the environment
/// names none by its whole path, which would be another one in each folder that the program runs in.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    let cache = choose_native_strategy().ok()?.cache_dir();
    cache.is_absolute().then(|| cache.join("abreast"))
}

/// Makes a folder, and those above it, for its owner alone: programs compiled for devices are kept there beside this
/// program's measurements, and whoever can write to the folder can have a device run other code.
///
/// # Errors
///
/// Fails if a part of the path is no folder, or if the system refuses.
pub fn make_private(folder: &Path) -> io::Result<()> {
    create_private_folders(folder)
}
