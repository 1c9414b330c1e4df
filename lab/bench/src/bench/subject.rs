//! Work at a kernel, ready to be called.

use abreast::Kernel;

use super::error::Error;
use super::messages::Messages;
use super::threads::Pool;
use super::work::{Calls, Ran, What};

/// Something at a kernel, which is measured beside others.
pub(super) struct Subject {
    pub(super) what: What,
    pub(super) kernel: Kernel,
    pool: Pool,
    pub(super) calls: Calls,
}

impl Subject {
    /// Makes its calls, and a pool for its threads.
    pub(super) fn new(what: What, kernel: Kernel) -> Result<Self, Error> {
        let calls = what.calls(kernel).map_err(|error| Error::Call { what, kernel, error })?;
        Ok(Self { what, kernel, pool: Pool::of(what)?, calls })
    }

    /// Laps of calls, or of those that take packets one by one.
    pub(super) fn run(&mut self, alone: bool, messages: &mut Messages, laps: u32) -> Result<Ran, Error> {
        let Self { what, kernel, pool, calls: Calls { run, alone: one_by_one } } = self;
        let ran = match one_by_one {
            Some(one_by_one) if alone => one_by_one(messages, laps),
            _ => pool.run(|| run(messages, laps)),
        };
        ran.map_err(|error| Error::Call { what: *what, kernel: *kernel, error })
    }
}
