//! Signals during long calls: Ctrl-C ends them.
//!
//! The interpreter notes a signal and handles it where code of Python runs, which a long native call is not. Such a call
//! works in pieces and looks at signals between them. A call that a signal ended leaves zeros where it has written to a
//! buffer of its caller, and a message in pieces has ended with it.
//!
//! Threads of Python that share work see no signals. Their work looks at a wish of the thread that waits for them instead: [`Halt`].

use abreast::packets::Buffer;
use abreast::{Error, InOutBuf};
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError};
use pyo3::prelude::*;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::buffers::release;
use crate::errors;

/// The time between two looks of a long call at signals. Each look takes the interpreter's lock, for which it may wait.
const EVERY: Duration = Duration::from_millis(30);

/// Bytes of a piece of work, which nearly all modes do in less than ten milliseconds by their slowest kernels; beside the
/// ten microseconds of the fastest, a look at the clock is nothing.
pub(crate) const PIECE: usize = 128 << 10;

/// Bytes of a piece for modes that call the block cipher for each byte.
pub(crate) const PIECE_BYTEWISE: usize = 8 << 10;

thread_local! {
    /// The wish of another thread that the work of this one ends, if one may have it.
    static HALT: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// The wish of a thread that the tasks of others end, such as those that share the columns of a table. Signals concern one thread
/// alone, which waits for the others.
#[pyclass(name = "_Halt", module = "abreast", frozen)]
pub(crate) struct Halt {
    asked: Arc<AtomicBool>,
}

#[pymethods]
impl Halt {
    #[new]
    fn new() -> Self {
        Self { asked: Arc::new(AtomicBool::new(false)) }
    }

    /// Has all tasks end soon, and no other one begin.
    fn ask(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Does a task on this thread. Once the end is asked for, `_look` and the long calls of the task raise an exception.
    fn run<'py>(&self, task: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let before = HALT.replace(Some(self.asked.clone()));
        let done = look().and_then(|()| task.call0());
        HALT.set(before);
        done
    }
}

/// Ends the task of this thread with an exception, if another thread wishes that.
#[pyfunction(name = "_look")]
pub(crate) fn look() -> PyResult<()> {
    if HALT.with_borrow(|halt| halt.as_deref().is_some_and(|asked| asked.load(Ordering::Relaxed))) {
        return Err(halted());
    }
    Ok(())
}

#[cold]
fn halted() -> PyErr {
    PyKeyboardInterrupt::new_err("the call that this thread works for has ended")
}

/// A clock that says when to look at signals.
pub(crate) enum Watch {
    /// On a thread that signals may concern: the next look.
    Signals(Instant),
    /// On a thread that they do not concern, whose work another one may end.
    Halt(Arc<AtomicBool>),
    /// On any other thread.
    Nothing,
}

impl Watch {
    /// A clock for a call that begins now.
    pub(crate) fn new() -> Self {
        HALT.with_borrow(Clone::clone).map_or_else(|| Self::Signals(Instant::now() + EVERY), Self::Halt)
    }

    /// Runs the handlers of signals that have come, if it is time for a look. The caller need not hold the interpreter's
    /// lock.
    ///
    /// # Errors
    /// The exception of a handler, such as `KeyboardInterrupt`: the work has to end. `KeyboardInterrupt` too where another thread
    /// has asked for the end of this one's work.
    #[inline]
    pub(crate) fn look(&mut self) -> PyResult<()> {
        match self {
            Self::Signals(next) if Instant::now() >= *next => self.look_now(),
            Self::Halt(asked) if asked.load(Ordering::Relaxed) => Err(halted()),
            _ => Ok(()),
        }
    }

    #[cold]
    fn look_now(&mut self) -> PyResult<()> {
        *self = Python::attach(|py| {
            py.check_signals()?;
            // Python handles signals on its main thread alone, so others need not wait for the lock again.
            let threading = py.import("threading")?;
            let main: u64 = threading.call_method0("main_thread")?.getattr("ident")?.extract()?;
            let this: u64 = threading.call_method0("get_ident")?.extract()?;
            Ok::<_, PyErr>(if main == this { Self::Signals(Instant::now() + EVERY) } else { Self::Nothing })
        })?;
        Ok(())
    }
}

/// Gives data to a function piece by piece, with looks at signals between them.
///
/// # Errors
/// The errors of [`Watch::look`]; then nobody knows how far it got.
pub(crate) fn take_in(py: Python<'_>, data: &[u8], mut update: impl FnMut(&[u8]) + Send) -> PyResult<()> {
    if data.len() <= PIECE {
        release(py, data.len(), || update(data));
        return Ok(());
    }
    py.detach(|| {
        let mut watch = Watch::new();
        data.chunks(PIECE).try_for_each(|piece| {
            update(piece);
            watch.look()
        })
    })
}

/// The reason why long work ended early.
pub(crate) enum Stop {
    /// The error of the work.
    Failed(Error),
    /// The handler of a signal raised this.
    Signal(PyErr),
}

impl Stop {
    /// The exception.
    #[cold]
    pub(crate) fn into_py(self, py: Python<'_>) -> PyErr {
        match self {
            Self::Failed(error) => errors::of(py, error),
            Self::Signal(raised) => raised,
        }
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Works through a buffer in pieces of about `piece` bytes, such as [`PIECE`], each a whole number of units except the last, and looks at
/// signals between them. The caller has given away the interpreter's lock. If the work ends early, its output so far is zeros,
/// and the rest of the output is as it was: zeros for all of it would take longer than the answer to a signal may.
pub(crate) fn in_pieces(
    watch: &mut Watch,
    buffer: &mut Buffer<'_>,
    piece: usize,
    unit: usize,
    mut work: impl FnMut(InOutBuf<'_, '_, u8>) -> Result<(), Error>,
) -> Result<(), Stop> {
    let (size, total) = ((piece / unit.max(1)).max(1) * unit.max(1), buffer.len());
    let mut written = 0;
    let mut rest = buffer.reborrow();
    let done = loop {
        let len = size.min(total - written);
        let (piece, after) = rest.split_at(len);
        rest = after;
        // Nothing of a rejected piece was done.
        if let Err(error) = work(piece) {
            break Err(Stop::Failed(error));
        }
        written += len;
        if rest.is_empty() {
            return Ok(());
        }
        if let Err(raised) = watch.look() {
            break Err(Stop::Signal(raised));
        }
    };
    buffer.reborrow().get_out()[..written].fill(0);
    done
}

/// Works through a buffer: a short one in one call, a long one as [`in_pieces`] does.
#[inline]
pub(crate) fn through(
    py: Python<'_>,
    mut buffer: Buffer<'_>,
    piece: usize,
    unit: usize,
    mut work: impl FnMut(InOutBuf<'_, '_, u8>) -> Result<(), Error> + Send,
) -> Result<(), Stop> {
    if buffer.len() <= piece {
        return Ok(release(py, buffer.len(), || work(buffer.reborrow()))?);
    }
    py.detach(|| in_pieces(&mut Watch::new(), &mut buffer, piece, unit, work))
}

/// Does work that cannot look at signals itself, such as the work of several threads, on a thread beside this one, which looks
/// at them. If a handler raises something, `stop` becomes true; the work has to look at it every few milliseconds and return,
/// and is waited for.
///
/// # Errors
/// The exception of the handler, after the work has returned.
pub(crate) fn beside<T: Send>(py: Python<'_>, work: impl FnOnce(&AtomicBool) -> T + Send) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let (sender, mut receiver) = channel();
        let stop = &stop;
        let worker = thread::Builder::new().spawn_scoped(scope, move || sender.send(work(stop)));
        let worker = worker.map_err(|error| {
            PyMemoryError::new_err(format!(
                "no thread can be started for the work, as it takes memory: {error}"
            ))
        })?;
        let mut raised = None;
        let done = loop {
            let receiver = &mut receiver;
            match py.detach(move || receiver.recv_timeout(EVERY)) {
                Ok(done) => break Some(done),
                Err(RecvTimeoutError::Disconnected) => break None,
                Err(RecvTimeoutError::Timeout) if raised.is_none() => {
                    if let Err(error) = py.check_signals() {
                        stop.store(true, Ordering::Relaxed);
                        raised = Some(error);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        match (raised, done) {
            (Some(raised), _) => Err(raised),
            (None, Some(done)) => Ok(done),
            (None, None) => match py.detach(|| worker.join()) {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(_) => unreachable!("a work that returned has sent its result"),
            },
        }
    })
}
