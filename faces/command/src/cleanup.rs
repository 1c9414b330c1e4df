//! Leaves nothing behind: temporary files, a new key and a changed terminal are put away when a
//! signal ends the command.
//!
//! A thread waits for the signals that would end the process, so that one is heard while the others are
//! blocked in a read or a write. A file is registered under a lock in the same step that creates it, and
//! published under that lock; the thread takes the lock and keeps it, so a file is either removed or complete.

use std::ffi::c_int;
use std::fs::{self, File};
use std::io::{self, Write};
use std::process;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use rustix::termios::{OptionalActions, Termios, tcsetattr};
use signal_hook::consts::{
    SIGABRT, SIGALRM, SIGBUS, SIGCONT, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGQUIT, SIGSYS, SIGTERM, SIGTRAP,
    SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
};
use signal_hook::iterator::Signals;

use abreast_sealed::output::{NewFile, OutputError, Published, Remover};

/// The signals that end a process and can be caught on every system. SIGSEGV, SIGILL and SIGFPE are not among them:
/// a process cannot go on to listen after one that its own fault raised.
const ENDING: [c_int; 15] = [
    SIGABRT, SIGALRM, SIGBUS, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGQUIT, SIGSYS, SIGTERM, SIGTRAP, SIGUSR1,
    SIGUSR2, SIGVTALRM, SIGXCPU,
];

/// The first signal that a C library leaves to programs.
#[cfg(target_os = "linux")]
const FIRST_FREE: c_int = if cfg!(target_env = "musl") { 35 } else { 34 };

/// Further signals of Linux: of a failing power supply, of a coprocessor, and all that have no meaning of their own.
/// The C library keeps 32 and 33 to itself, musl 34 too.
#[cfg(all(
    target_os = "linux",
    not(any(target_arch = "mips", target_arch = "mips64", target_arch = "sparc64"))
))]
fn more_ending() -> impl Iterator<Item = c_int> {
    use rustix::process::Signal;
    [Signal::POWER.as_raw(), Signal::STKFLT.as_raw()].into_iter().chain(FIRST_FREE..=64)
}

#[cfg(not(all(
    target_os = "linux",
    not(any(target_arch = "mips", target_arch = "mips64", target_arch = "sparc64"))
)))]
fn more_ending() -> impl Iterator<Item = c_int> {
    std::iter::empty()
}

/// The things to put away.
struct Pending {
    /// Files that are not to stay.
    files: Vec<Remover>,
    /// A new key that nothing has been sealed with.
    new_key: Option<Remover>,
    /// The terminal, while its echo is off.
    terminal: Option<Terminal>,
}

/// A terminal that asks for a passphrase.
struct Terminal {
    /// The terminal.
    file: File,
    /// Its state before.
    before: Termios,
    /// Its state while it asks.
    hidden: Termios,
    /// The question that waits for its answer.
    prompt: Option<&'static str>,
    /// The number of those who want it hidden.
    users: usize,
}

/// The things to put away now.
static PENDING: Mutex<Pending> = Mutex::new(Pending { files: Vec::new(), new_key: None, terminal: None });

/// Locks them.
fn pending() -> MutexGuard<'static, Pending> {
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts to listen for signals.
pub(crate) fn install() -> io::Result<()> {
    // A write beyond the file size limit is then an error like a full disk, and not the end.
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    let ignored = ignored_signals();
    let ending = ENDING.into_iter().chain(more_ending());
    let wanted = ending.filter(|signal| ignored & (1 << (signal - 1)) == 0);
    let mut signals = Signals::new(wanted.chain([SIGCONT]))?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            if signal == SIGCONT { ask_again() } else { end(signal) }
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
    // Never unlocked: whoever would publish a file now waits for the end.
    let pending = pending();
    pending.files.iter().chain(&pending.new_key).for_each(Remover::remove);
    if let Some(Terminal { file, before, .. }) = &pending.terminal {
        let _ = tcsetattr(file, OptionalActions::Now, before);
    }
    process::exit(128 + signal)
}

/// Creates a file that is not to stay.
pub(crate) fn create(create: impl FnOnce() -> Result<NewFile, OutputError>) -> Result<NewFile, OutputError> {
    let mut pending = pending();
    let created = create()?;
    // Entries of files that were published or dropped have nothing left to remove.
    pending.files.retain(|file| !file.is_done());
    pending.files.push(created.remover());
    Ok(created)
}

/// Publishes a file, by a method of it. A new key that was not to stay stays from then on.
pub(crate) fn publish(
    file: NewFile,
    by: fn(NewFile) -> Result<Published, OutputError>,
) -> Result<Published, OutputError> {
    let mut pending = pending();
    let published = by(file)?;
    pending.new_key = None;
    Ok(published)
}

/// Publishes a new key, which is not to stay before something else is published.
pub(crate) fn publish_new_key(file: NewFile) -> Result<(), OutputError> {
    let mut pending = pending();
    let published = file.publish()?;
    pending.new_key = Some(Published::remover(&published));
    Ok(())
}

/// Keeps a new key from being removed: the file sealed with it has been published and cannot be taken back.
pub(crate) fn keep_new_key() {
    pending().new_key = None;
}

/// Removes a new key that nothing was sealed with.
pub(crate) fn remove_new_key() {
    if let Some(key) = pending().new_key.take() {
        key.remove();
    }
}

/// Turns off the echo of a terminal until [`show_terminal`]. It stays off after the process was stopped and continued,
/// even if a shell has changed the settings of the terminal meanwhile.
pub(crate) fn hide_terminal(file: File, before: Termios, hidden: Termios) -> io::Result<()> {
    let mut pending = pending();
    if let Some(terminal) = &mut pending.terminal {
        // A hidden terminal comes back to what it was before it was hidden.
        terminal.users += 1;
        return Ok(());
    }
    let Terminal { file, hidden, .. } =
        &*pending.terminal.insert(Terminal { file, before, hidden, prompt: None, users: 1 });
    Ok(tcsetattr(file, OptionalActions::Now, hidden)?)
}

/// Notes the question that the terminal waits with, or that it has been answered.
pub(crate) fn set_prompt(prompt: Option<&'static str>) {
    if let Some(terminal) = &mut pending().terminal {
        terminal.prompt = prompt;
    }
}

/// Puts the terminal back, once nobody wants it hidden any more.
pub(crate) fn show_terminal() {
    let mut pending = pending();
    let Some(terminal) = &mut pending.terminal else { return };
    terminal.users -= 1;
    if terminal.users == 0 {
        let _ = tcsetattr(&terminal.file, OptionalActions::Now, &terminal.before);
        pending.terminal = None;
    }
}

/// Turns off the echo and prints the prompt again, after the process was stopped and continued.
fn ask_again() {
    if let Some(Terminal { file, hidden, prompt, .. }) = &pending().terminal {
        // In the background this stops the process until it is in the foreground.
        while tcsetattr(file, OptionalActions::Now, hidden) == Err(rustix::io::Errno::INTR) {}
        let _ = (&*file).write_all(prompt.unwrap_or_default().as_bytes());
    }
}
