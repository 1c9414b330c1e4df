//! This process and others.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};

#[cfg(any(target_os = "linux", target_os = "android"))]
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use rustix::process::{Resource, Rlimit, setrlimit};

/// The name of the shell that runs commands of users.
pub(crate) const SHELL: &str = "sh";

/// Returns a command of the shell.
pub(crate) fn shell(command: &str) -> Command {
    let mut shell = Command::new(SHELL);
    shell.arg("-c").arg(command);
    shell
}

/// Leaves what a command printed unchanged.
pub(crate) fn trim_printed(_printed: &mut Vec<u8>) {}

/// Returns the number of the signal that ended a process.
pub(crate) fn signal_of(status: ExitStatus) -> Option<i32> {
    status.signal()
}

/// Keeps keys out of core files. The limit is for files alone; a program that takes core dumps, as many Linux systems
/// have one, gets none of a process that is not dumpable. Where neither can be set, there is nothing to do about it.
pub(crate) fn forbid_core_dumps() {
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}
