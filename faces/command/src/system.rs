//! Calls that differ between Unix systems.

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
