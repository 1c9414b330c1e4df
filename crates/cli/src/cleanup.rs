//! Leaves nothing behind: temporary files, a new key and a changed terminal are put away when a
//! signal ends the command.
//!
//! A thread waits for the signals that would end the process, so that one is heard while the others are
//! blocked in a read or a write. What is to be removed is registered under a lock in the same step that
//! creates it, and struck off in the step that renames it into place; the thread takes that lock and
//! keeps it, so a file is either removed or complete.

use std::ffi::c_int;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use rustix::termios::{OptionalActions, Termios, tcsetattr};
use signal_hook::consts::{
    SIGABRT, SIGALRM, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU,
    SIGXFSZ,
};
use signal_hook::iterator::Signals;

/// The signals that end a process and can be caught. Those that tell of an error in the program are not
/// among them, but for SIGABRT, which others send too.
const ENDING: [c_int; 12] = [
    SIGABRT, SIGALRM, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU,
];

/// What to put away.
struct Pending {
    /// Files that are not to stay.
    files: Vec<PathBuf>,
    /// The terminal, and how it was.
    terminal: Option<(File, Termios)>,
}

/// What to put away now.
static PENDING: Mutex<Pending> = Mutex::new(Pending { files: Vec::new(), terminal: None });

/// The lock on it.
fn pending() -> MutexGuard<'static, Pending> {
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts to listen for signals.
pub(crate) fn install() -> io::Result<()> {
    // A write beyond the file size limit is then an error like a full disk, and not the end.
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    let ignored = ignored_signals();
    let wanted = ENDING.into_iter().filter(|signal| ignored & (1 << (signal - 1)) == 0);
    let mut signals = Signals::new(wanted)?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        if let Some(signal) = signals.forever().next() {
            end(signal);
        }
    })?;
    Ok(())
}

/// The signals that the parent had us ignore, as `nohup` does, and that are to stay ignored: bit
/// `n - 1` for signal `n`. None where the system does not tell.
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Puts everything away and ends the process.
fn end(signal: c_int) -> ! {
    // Never unlocked: whoever would rename a file into place now waits for the end.
    let pending = pending();
    for file in &pending.files {
        let _ = fs::remove_file(file);
    }
    if let Some((terminal, before)) = &pending.terminal {
        let _ = tcsetattr(terminal, OptionalActions::Now, before);
    }
    process::exit(128 + signal)
}

/// Creates a file that is not to stay. `create` returns its path too.
pub(crate) fn create<T>(create: impl FnOnce() -> io::Result<(PathBuf, T)>) -> io::Result<T> {
    let mut pending = pending();
    let (path, created) = create()?;
    pending.files.push(path);
    Ok(created)
}

/// Renames a file into place with `publish`. Everything that was not to stay, a new key too, is to
/// stay from then on; but `provisional` still is not.
pub(crate) fn publish<T, E>(
    provisional: Option<&Path>,
    publish: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let mut pending = pending();
    let published = publish()?;
    pending.files.clear();
    pending.files.extend(provisional.map(Path::to_path_buf));
    Ok(published)
}

/// Removes a file that is not to stay.
pub(crate) fn remove(path: &Path) {
    let mut pending = pending();
    let _ = fs::remove_file(path);
    pending.files.retain(|file| file != path);
}

/// The terminal and the state to put it back to if a signal comes, while it is changed; `None` once it is
/// as it was.
pub(crate) fn set_terminal(before: Option<(File, Termios)>) {
    pending().terminal = before;
}
