//! A process with everything that it started, which is killed together.

#[cfg(unix)]
use std::os::unix::process::CommandExt;
#[cfg(windows)]
use std::process::Stdio;
use std::process::{Child, Command};

#[cfg(unix)]
use rustix::io::Errno;
#[cfg(unix)]
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// A process and what it starts. Its number is its own until somebody has waited for it.
#[derive(Clone, Copy)]
pub(crate) struct Group(#[cfg(unix)] Pid, #[cfg(windows)] u32);

impl Group {
    /// Has a process that will be started lead a group.
    #[cfg(unix)]
    pub(crate) fn prepare(command: &mut Command) -> &mut Command {
        command.process_group(0)
    }

    /// Does nothing: there, the system knows who started a process.
    #[cfg(windows)]
    pub(crate) fn prepare(command: &mut Command) -> &mut Command {
        command
    }

    /// Returns the group that a process leads.
    pub(crate) fn of(child: &Child) -> Group {
        #[cfg(unix)]
        return Group(Pid::from_child(child));
        #[cfg(windows)]
        Group(child.id())
    }

    /// Kills all of it, and returns true if there was something to kill.
    #[cfg(unix)]
    pub(crate) fn kill(self) -> bool {
        kill_process_group(self.0, Signal::KILL).is_ok()
    }

    /// Kills all of it, and returns true if there was something to kill.
    #[cfg(windows)]
    pub(crate) fn kill(self) -> bool {
        let mut kill = Command::new("taskkill");
        kill.args(["/F", "/T", "/PID", &self.0.to_string()]).stdout(Stdio::null()).stderr(Stdio::null());
        kill.status().is_ok_and(|status| status.success())
    }

    /// Waits for the end of the process without taking its status, so that its number stays its own.
    #[cfg(unix)]
    pub(crate) fn wait(self) {
        let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while waitid(WaitId::Pid(self.0), ended).is_err_and(|error| error == Errno::INTR) {}
    }

    /// Returns at once: the number stays that of the process as long as it has a handle.
    #[cfg(windows)]
    pub(crate) fn wait(self) {}
}
