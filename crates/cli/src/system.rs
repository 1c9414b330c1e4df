//! What Unix systems have each in a way of their own.

use std::fs::File;
use std::io;

#[cfg(any(target_os = "linux", target_os = "android"))]
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use rustix::process::{Resource, Rlimit, setrlimit};

/// Keeps keys out of core files. The limit is for files alone; a program that takes core dumps, as many Linux systems
/// have one, gets none of a process that is not dumpable. Where neither can be set, there is nothing to do about it.
pub(crate) fn forbid_core_dumps() {
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

/// Puts the file system of a file on the disk, with the names of its files. Where a system cannot do that for one file
/// system, it does so for all; `file` is synced for the error that this may give.
pub(crate) fn sync_file_system(file: &File) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    return Ok(rustix::fs::syncfs(file)?);
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    {
        rustix::fs::sync();
        file.sync_all()
    }
}
