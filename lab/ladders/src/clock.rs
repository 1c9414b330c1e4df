//! Core cycles without a cycle counter: a chain of instructions whose latency is known.
//!
//! Counters of cycles need privileges or tick at another rate than the core. A rotation and an addition
//! that wait for each other take one cycle each, on every 64-bit x86 and ARM core of the last fifteen
//! years, and no compiler or core shortens the chain. (A multiplication would do as well on x86, where it
//! takes three cycles; on ARM it takes two, three or four.) So the time of a chain of known length gives
//! the clock, in some fifteen microseconds, often enough to follow it as it drifts.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Links of a chain, of [`LINK_CYCLES`] each: 60,000 cycles.
const LINKS: u32 = 30_000;
/// Cycles of a link: a rotation and an addition.
const LINK_CYCLES: u32 = 2;
/// Readings before and after a moment among which its clock is looked for.
const NEAR: usize = 5;

/// The clock now, in cycles per second; too low if anything interrupted the reading.
#[must_use]
pub fn reading() -> f64 {
    let (mut link, step) = black_box((1_u64, 0x9e37_79b9_7f4a_7c15_u64));
    let start = Instant::now();
    for _ in 0..LINKS {
        link = link.rotate_left(7).wrapping_add(step);
    }
    black_box(link);
    f64::from(LINKS * LINK_CYCLES) / seconds(start.elapsed())
}

/// The clock between reading `i` and the next: the highest of those near, since what disturbs a reading
/// makes it lower.
#[must_use]
pub fn between(readings: &[f64], i: usize) -> f64 {
    let near = &readings[(i + 1).saturating_sub(NEAR)..readings.len().min(i + 1 + NEAR)];
    near.iter().copied().fold(0.0, f64::max)
}

/// A duration as a number to divide by.
#[must_use]
pub fn seconds(duration: Duration) -> f64 {
    duration.as_secs_f64().max(1e-9)
}

/// The CPU time of this thread, where the system tells it.
#[must_use]
pub fn time_at_work() -> Option<Duration> {
    #[cfg(target_os = "linux")]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
    }
    #[cfg(not(target_os = "linux"))]
    None
}
