//! The options of a device.

use std::path::{Path, PathBuf};
use std::time::Duration;

#[cfg(doc)]
use crate::Error;
use crate::copy::default_threads;
use crate::program::StatePlace;

/// Bytes of a chunk with the parameters that the device needs besides. Long enough that launching a kernel, some ten
/// microseconds, does not show beside copying it, which takes half a millisecond at 25 GB/s; and for RC4, that a chunk has
/// more messages than a GPU has lanes.
pub const CHUNK: usize = 16 << 20;

/// The shortest chunk that can be chosen. RC4 has its states in chunks.
pub const LEAST_CHUNK: usize = 4096;

/// The default of [`Options::time_limit`]. A GPU takes milliseconds for a chunk; a CPU device that leaves out a mebibyte of
/// RC4's keystream in front of each of some ten thousand messages takes a minute.
pub const TIME_LIMIT: Duration = Duration::from_secs(300);

/// The options of a device.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder of compiled kernels and measured constants; without one, or if its name is empty, nothing is kept.
    pub cache: Option<PathBuf>,
    /// Bytes of a chunk, a multiple of 64 and at least [`LEAST_CHUNK`].
    pub chunk: usize,
    /// The longest wait for each copy and each kernel of a chunk; after that, the device is given up ([`Error::TimedOut`]).
    /// Compiling kernels is work of the CPU and has no limit.
    pub time_limit: Duration,
    /// Threads that copy between the memory of the caller and memory that the driver has pinned: by default one for two CPUs,
    /// at most 8. 0 is taken as 1.
    pub copy_threads: usize,
    /// A fault to inject, for tests.
    #[doc(hidden)]
    pub fault: Option<Fault>,
    /// The place of RC4's states, for tests of the one that this kind of device does not use.
    #[doc(hidden)]
    pub rc4_state: Option<StatePlace>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cache: None,
            chunk: CHUNK,
            time_limit: TIME_LIMIT,
            copy_threads: default_threads(),
            fault: None,
            rc4_state: None,
        }
    }
}

/// A fault that is injected into a chunk and all after it. Chunks are counted over the life of the device, including its
/// self-tests.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A bit of the device's result is flipped.
    WrongBit { from_chunk: u64 },
    /// The device is lost.
    Lost { from_chunk: u64 },
    /// The device has no memory left.
    OutOfMemory { from_chunk: u64 },
    /// The device hangs, and is waited for no longer than the limit of the options, or another from there on.
    Hangs { from_chunk: u64, limit: Option<Duration> },
}

impl Options {
    /// Returns the usual options, with compiled kernels and measured constants kept in a folder.
    #[must_use]
    pub fn with_cache(folder: &Path) -> Self {
        Self { cache: Some(folder.to_owned()), ..Self::default() }
    }
}
