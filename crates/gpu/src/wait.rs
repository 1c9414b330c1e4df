//! Waiting for a device, no longer than a limit.
//!
//! OpenCL has no call that waits for a time (`clWaitForEvents`, section 5.11 of OpenCL 3.0, waits for ever), so the state of
//! an event is asked for again and again, with pauses that grow with the time that has gone by. A device that let the limit
//! pass is never waited for again: the memory that it may still read or write is then never freed.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use opencl3::error_codes::ClError;
use opencl3::event::{CL_COMPLETE, Event};

use crate::Error;

/// For so long there are no pauses; longer work does not notice them.
const WITHOUT_PAUSE: Duration = Duration::from_micros(50);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_millis(1);

/// The longest wait for each copy and each kernel of a device, and a flag for one that took longer.
#[derive(Debug)]
pub(crate) struct Patience {
    /// In microseconds.
    limit: AtomicU64,
    exhausted: AtomicBool,
}

impl Patience {
    /// Returns a patience with this limit.
    pub(crate) fn new(limit: Duration) -> Self {
        let patience = Self { limit: AtomicU64::new(0), exhausted: AtomicBool::new(false) };
        patience.set_limit(limit);
        patience
    }

    /// Sets another limit. A device that hangs on purpose has a short one from there on.
    pub(crate) fn set_limit(&self, limit: Duration) {
        self.limit.store(limit.as_micros().try_into().unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn limit(&self) -> Duration {
        Duration::from_micros(self.limit.load(Ordering::Relaxed))
    }

    /// True if the device exceeded the limit.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.exhausted.load(Ordering::Acquire)
    }

    /// Waits for an event. Its queue has been flushed.
    ///
    /// # Errors
    /// [`Error::TimedOut`] when the limit has passed, and at once if it has passed before; then the device may still be at
    /// work. Else the error of the event.
    pub(crate) fn wait(&self, event: &Event) -> Result<(), Error> {
        let begun = Instant::now();
        loop {
            // The time first, so that the event is asked once more after the limit: the process may have been stopped.
            let waited = begun.elapsed();
            match event.command_execution_status().map_err(Error::of_work)?.0 {
                // The state alone does not make memory visible to this thread; a wait does, and returns at once.
                CL_COMPLETE => return event.wait().map_err(Error::of_work),
                code if code < 0 => return Err(Error::of_work(ClError(code))),
                _ => {}
            }
            if self.is_exhausted() || waited >= self.limit() {
                self.exhausted.store(true, Ordering::Release);
                return Err(Error::TimedOut { limit: self.limit() });
            }
            if waited < WITHOUT_PAUSE {
                thread::yield_now();
            } else {
                thread::sleep((waited / 16).min(LONGEST_PAUSE));
            }
        }
    }
}
