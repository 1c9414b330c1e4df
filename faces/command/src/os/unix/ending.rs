//! Signals that end the process.

use std::ffi::c_int;
use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use signal_hook::consts::{
    SIGABRT, SIGALRM, SIGBUS, SIGCONT, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGQUIT, SIGSYS, SIGTERM, SIGTRAP,
    SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
};
use signal_hook::iterator::Signals;

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

/// Listens in a thread: calls `end` with the number of a signal that would end the process, and `again` after the process was
/// stopped and continued.
pub(crate) fn listen(end: fn(c_int) -> !, again: fn()) -> io::Result<()> {
    // A write beyond the file size limit is then an error like a full disk, and not the end.
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    let ignored = ignored_signals();
    let ending = ENDING.into_iter().chain(more_ending());
    let wanted = ending.filter(|signal| ignored & (1 << (signal - 1)) == 0);
    let mut signals = Signals::new(wanted.chain([SIGCONT]))?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            if signal == SIGCONT { again() } else { end(signal) }
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
