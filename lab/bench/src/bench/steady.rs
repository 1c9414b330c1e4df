//! `bench --loop`: one kernel over and over, and nothing beside it, so that a profiler's samples are of the kernel. And
//! `--cpu`: the CPU that all of it runs on.

use std::time::{Duration, Instant};

use abreast::Kernel;
use abreast_cli::{Exit, Failure, print};

use super::error::Error;
use super::subject::Subject;
use super::work::What;

/// The time between two looks at the clock.
const BETWEEN: Duration = Duration::from_millis(20);
/// The length of the messages where none is asked for, if it suits.
pub(super) const SIZE: usize = 16 << 10;

/// Calls a kernel for some seconds.
pub(super) fn run(what: What, kernel: Kernel, size: usize, seconds: u64) -> Result<(), Failure> {
    let mut messages = what.messages(size, false);
    let prepared = what.prepare(kernel, &mut messages);
    prepared.map_err(|error| Error::Call { what, kernel, error })?;
    let mut subject = Subject::new(what, kernel)?;
    print(&format!("pid {}: {what} at {kernel}, {size} bytes, {seconds} seconds\n", std::process::id()))?;
    let begin = Instant::now();
    let end = Duration::from_secs(seconds);
    let (mut laps, mut all) = (1_u32, 0_u64);
    while begin.elapsed() < end {
        let start = Instant::now();
        subject.run(false, &mut messages, laps)?;
        all += u64::from(laps);
        if start.elapsed() < BETWEEN / 2 {
            laps = laps.saturating_mul(2);
        }
    }
    let bytes = all as f64 * (messages.slots() * size) as f64;
    print(&format!("{:.2} GB/s\n", bytes / begin.elapsed().as_secs_f64() / 1e9))
}

/// Keeps this thread, and those that it starts, on one CPU.
pub(super) fn stay_on(cpu: usize) -> Result<(), Failure> {
    #[cfg(target_os = "linux")]
    {
        let refused =
            |error: std::io::Error| Failure::plain(Exit::Usage, format_args!("--cpu {cpu}: {error}"));
        if cpu >= rustix::thread::CpuSet::MAX_CPU {
            return Err(refused(std::io::ErrorKind::InvalidInput.into()));
        }
        let mut cpus = rustix::thread::CpuSet::new();
        cpus.set(cpu);
        rustix::thread::sched_setaffinity(None, &cpus).map_err(|error| refused(error.into()))
    }
    #[cfg(not(target_os = "linux"))]
    Err(Failure::plain(Exit::Usage, format_args!("--cpu {cpu}: this system has no such call")))
}
