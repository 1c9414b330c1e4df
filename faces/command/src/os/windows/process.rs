//! This process and others.

use std::env;
use std::os::windows::process::CommandExt;
use std::process::{Command, ExitStatus};

/// The name of the shell that runs commands of users.
pub(crate) const SHELL: &str = "cmd";

/// Returns a command of the shell, which gets it as it was given.
pub(crate) fn shell(command: &str) -> Command {
    let mut shell = Command::new(env::var_os("ComSpec").unwrap_or_else(|| SHELL.into()));
    // Without the commands that the registry may have for each start, and with the outer quotes as the only ones that go.
    shell.raw_arg(format!("/D /S /C \"{command}\""));
    shell
}

/// Removes the carriage return that programs of Windows print before the line feed at the end. Bytes that are no text stay.
pub(crate) fn trim_printed(printed: &mut Vec<u8>) {
    if printed.ends_with(b"\r\n") && str::from_utf8(printed).is_ok() {
        printed.truncate(printed.len() - 2);
        printed.push(b'\n');
    }
}

/// Returns nothing: there are no signals.
pub(crate) fn signal_of(_status: ExitStatus) -> Option<i32> {
    None
}

/// Does nothing: to keep a process out of the error reports of Windows has no safe interface.
pub(crate) fn forbid_core_dumps() {}
