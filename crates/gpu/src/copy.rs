//! Copies between the caller's memory and staging buffers, by several threads: one thread copies more slowly than PCIe does.

use core::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, available_parallelism, scope};

/// Bytes that a thread copies at a time, and the fewest for which another thread is started.
const SHARE: usize = 1 << 20;

/// The most threads by default: more of them wait for the same memory.
const MOST: usize = 8;

/// Returns the default number of threads: one for two CPUs, at least 1 and at most 8.
pub(crate) fn default_threads() -> usize {
    (available_parallelism().map_or(1, NonZeroUsize::get) / 2).clamp(1, MOST)
}

/// Copies all bytes on at most `threads` threads, including the caller's. If one cannot be started, the others do its share.
///
/// # Panics
/// If the lengths differ.
pub(crate) fn copy(to: &mut [u8], from: &[u8], threads: usize) {
    assert_eq!(to.len(), from.len(), "a copy is as long as its source");
    let others = threads.min(to.len() / SHARE).saturating_sub(1);
    if others == 0 {
        return to.copy_from_slice(from);
    }
    let shares = Mutex::new(to.chunks_mut(SHARE).zip(from.chunks(SHARE)));
    let take_shares = || {
        loop {
            let share = shares.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((to, from)) = share else { break };
            to.copy_from_slice(from);
        }
    };
    scope(|scope| {
        for _ in 0..others {
            if Builder::new().spawn_scoped(scope, take_shares).is_err() {
                break;
            }
        }
        take_shares();
    });
}
