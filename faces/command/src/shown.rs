//! The bar on the terminal, which has to be out of the way when something else is written there.

use std::sync::{Mutex, MutexGuard, PoisonError};

use indicatif::ProgressBar;

/// The bar, while there is one.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Locks it.
pub(crate) fn shown() -> MutexGuard<'static, Option<ProgressBar>> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the bar away. It comes back with the next progress.
pub(crate) fn hide() {
    if let Some(bar) = shown().take() {
        bar.finish_and_clear();
    }
}

/// Writes to standard error while the bar is out of the way.
pub(crate) fn aside(write: impl FnOnce()) {
    match &*shown() {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}
