//! Objects that keep the state of a message in pieces: threads that call the methods of one take turns.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

thread_local! {
    /// A place of each thread, whose address is its number.
    static THREAD: u8 = const { 0 };
}

/// A value that one call uses at a time.
pub(crate) struct Turns<T> {
    value: Mutex<T>,
    /// The number of the thread whose turn it is, or 0.
    thread: AtomicUsize,
}

/// The turn of a thread, which lasts until it is dropped.
pub(crate) struct Turn<'t, T> {
    value: MutexGuard<'t, T>,
    thread: &'t AtomicUsize,
}

impl<T> Deref for Turn<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Turn<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        self.thread.store(0, Ordering::Relaxed);
    }
}

impl<T> Turns<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { value: Mutex::new(value), thread: AtomicUsize::new(0) }
    }

    /// Returns the place of the value, by which turns of several have an order.
    pub(crate) fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Works on the value when it is this thread's turn.
    ///
    /// # Errors
    /// The errors of [`turn`](Self::turn) and of the work.
    pub(crate) fn with<R>(&self, py: Python<'_>, work: impl FnOnce(&mut T) -> PyResult<R>) -> PyResult<R> {
        work(&mut *self.turn(py)?)
    }

    /// Waits until no other thread works on the value. Who waits holds no lock of the interpreter, so that who works gets it back.
    /// A thread takes the turns of several values in the order of their addresses, or two threads wait for each other.
    ///
    /// # Errors
    /// `RuntimeError` if this thread is at work on the value already, which the handler of a signal finds: nobody would end that
    /// work while the handler waits.
    pub(crate) fn turn(&self, py: Python<'_>) -> PyResult<Turn<'_, T>> {
        let me = THREAD.with(|place| std::ptr::from_ref(place).addr());
        if self.thread.load(Ordering::Relaxed) == me {
            return Err(PyRuntimeError::new_err(
                "the object is in use by the call that was interrupted; a signal's handler uses another one",
            ));
        }
        let value = self.value.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        self.thread.store(me, Ordering::Relaxed);
        Ok(Turn { value, thread: &self.thread })
    }
}
