//! Runs of chunks of a file, each taken, transformed and put in place by one of several threads.
//!
//! Each worker has two buffers, one for a run of sixteen chunks and one for its result: half a
//! mebibyte together, which stays in the L2 cache of a core. A run of AGS1 is one block of a mebibyte. It takes the next run of the input,
//! transforms it from the one buffer into the other and puts the result where it belongs. From a
//! file, a run is read at its offset while others read theirs; from a stream, in turn. To a file, it
//! is written at its offset; to a stream, when all runs before it have been. So there is one loop
//! for files and pipes in all combinations, memory does not depend on the size of the input, and
//! nothing waits but for the input and the output. With one worker no thread is started.
//!
//! The end of the input is where reading ends, whatever the file system said about its size. When a
//! run ends early and a later one did not, the file changed in between, and that is an error. Sealing also compares the
//! number of bytes with the size; opening authenticates the end.

use std::io::{Read, Write};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use zeroize::Zeroizing;

use crate::Error;
use crate::at::{ReadAt, WriteAt, fill};
use crate::format::Shape;

/// The source of the bytes.
pub enum Input<'a> {
    /// An input that all threads can read at any offset at once.
    At(&'a dyn ReadAt),
    /// Anything else, read in order.
    Stream(&'a mut (dyn Read + Send)),
}

/// The destination of the bytes.
pub enum Output<'a> {
    /// An output that all threads can write at any offset at once. It has no more bytes than are written: an existing file must
    /// be emptied first.
    At(&'a dyn WriteAt),
    /// Anything else, written in order.
    Stream(&'a mut (dyn Write + Send)),
    /// Nowhere: the input is authenticated and that is all.
    Nothing,
}

impl Input<'_> {
    /// Returns the length of the input in bytes, or `u64::MAX` if it is not known.
    pub(crate) fn size(&self) -> Result<u64, Error> {
        match self {
            Input::At(file) => file.size().map_err(Error::Read),
            Input::Stream(_) => Ok(u64::MAX),
        }
    }
}

impl Output<'_> {
    /// Writes the header of a file, which the chunks come after.
    pub(crate) fn begin(&mut self, header: &[u8]) -> Result<(), Error> {
        let written = match self {
            Output::At(file) => file.write_all_at(header, 0),
            Output::Stream(stream) => stream.write_all(header),
            Output::Nothing => Ok(()),
        };
        written.map_err(Error::Write)
    }
}

/// A receiver of reports on the progress of the work, called from any thread; `()` ignores them.
///
/// ```
/// use abreast_sealed::{Aead, Input, Key, Output, Progress, Sealer};
/// use std::num::NonZeroUsize;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// #[derive(Default)]
/// struct Done(AtomicU64);
/// impl Progress for Done {
///     fn advance(&self, bytes: u64) {
///         self.0.fetch_add(bytes, Ordering::Relaxed);
///     }
/// }
/// let (message, mut sealed, done) = (vec![1; 600_000], Vec::new(), Done::default());
/// let sealer = Sealer::new(&Key::generate(Aead::Aes256Gcm)?)?;
/// sealer.seal(Input::At(&message), Output::Stream(&mut sealed), NonZeroUsize::MIN, &done)?;
/// assert_eq!(done.0.into_inner(), 600_000);
/// # Ok::<(), abreast_sealed::Error>(())
/// ```
pub trait Progress: Sync {
    /// Reports that `bytes` more bytes of the input are done.
    fn advance(&self, bytes: u64);
}

impl Progress for () {
    fn advance(&self, _: u64) {}
}

/// The most workers, whose buffers take 32 MiB together, and with blocks of AGS1 128 MiB. Writes to one file exclude each other, so more would not help.
const MAX_WORKERS: usize = 64;

/// The part of a file to work on.
pub(crate) struct Job {
    /// The sizes of the format.
    pub(crate) shape: &'static Shape,
    /// Length of a run of the input.
    pub(crate) run: usize,
    /// The longest that a run becomes.
    pub(crate) result: usize,
    /// The beginning of the first run, if the input is a file. A stream begins there.
    pub(crate) start: u64,
    /// The latest end of the last run.
    pub(crate) end: u64,
    /// Length of the input in bytes, or `u64::MAX` if it is not known. No more workers are started than the
    /// input has runs.
    pub(crate) size: u64,
}

/// A run of the input.
pub(crate) struct Run<'a> {
    /// Its number.
    pub(crate) index: u64,
    /// Its bytes.
    pub(crate) bytes: &'a [u8],
    /// True if the input ends with it; it is shorter than a full run then, and may be empty.
    pub(crate) last: bool,
}

/// The result of a run.
pub(crate) struct Transformed {
    /// The range of the result buffer to put out.
    pub(crate) range: Range<usize>,
    /// Their offset, if the output is a file.
    pub(crate) offset: u64,
    /// Why nothing may follow them.
    pub(crate) error: Option<Error>,
}

/// Works on all runs of the input, and says how many bytes of it there were.
pub(crate) fn work(
    job: &Job,
    input: Input<'_>,
    output: Output<'_>,
    workers: NonZeroUsize,
    progress: &dyn Progress,
    transform: &(dyn Fn(Run<'_>, &mut [u8]) -> Transformed + Sync),
) -> Result<u64, Error> {
    let workers = workers.get().min(MAX_WORKERS).min(job.runs_at_least());
    // Before anything is read, so that a lack of memory is an error like any other. `Vec` would end the process.
    let mut own = Buffers::new(job)?;
    let team = Team {
        job,
        source: match input {
            Input::At(file) => Source::At(file),
            Input::Stream(stream) => Source::Stream(Mutex::new(stream)),
        },
        next: AtomicU64::new(0),
        end: AtomicU64::new(u64::MAX),
        filled: AtomicU64::new(0),
        read: AtomicU64::new(0),
        sink: match output {
            Output::At(file) => Sink::At(file, file.takes_turns().then(|| Mutex::new(()))),
            Output::Stream(stream) => Sink::Stream(Mutex::new((0, stream)), Condvar::new()),
            Output::Nothing => Sink::Nothing,
        },
        stop: AtomicU64::new(u64::MAX),
        failure: Mutex::new(None),
        progress,
        transform,
    };
    let helpers = if cfg!(feature = "threads") { workers.saturating_sub(1) } else { 0 };
    thread::scope(|scope| {
        for _ in 0..helpers {
            // If the system has no more threads or memory to give, fewer workers do all the work.
            let Ok(mut buffers) = Buffers::new(job) else { break };
            let team = &team;
            if !has_room(STACK)
                || thread::Builder::new().spawn_scoped(scope, move || team.work(&mut buffers)).is_err()
            {
                break;
            }
        }
        team.work(&mut own);
    });
    team.finish(&mut own)
}

/// The memory that must be left after the buffers of a worker, for the small pieces that the standard library takes and
/// cannot do without.
const SLACK: usize = 1 << 20;

/// The memory that a thread takes when it starts, at most: its stack, and one for signals.
const STACK: usize = 3 << 20;

/// Returns true if there is that much memory at this moment.
fn has_room(bytes: usize) -> bool {
    // The compiler may not take it for granted that there is memory.
    std::hint::black_box(&mut Vec::<u8>::new()).try_reserve_exact(bytes).is_ok()
}

/// The buffers of one worker. They are wiped.
struct Buffers {
    /// A run of the input.
    bytes: Zeroizing<Vec<u8>>,
    /// The run that it becomes.
    result: Zeroizing<Vec<u8>>,
}

impl Buffers {
    /// Takes the memory.
    fn new(job: &Job) -> Result<Buffers, Error> {
        let zeros = |len| {
            let mut zeros = Vec::new();
            zeros.try_reserve_exact(len).map_err(|_| Error::OutOfMemory)?;
            zeros.resize(len, 0);
            Ok(Zeroizing::new(zeros))
        };
        let (bytes, result) = job.buffer_lens();
        let buffers = Buffers { bytes: zeros(bytes)?, result: zeros(result)? };
        if has_room(SLACK) { Ok(buffers) } else { Err(Error::OutOfMemory) }
    }
}

impl Job {
    /// Returns the lengths of the buffers: of a run and its result, or as much as an input takes that is shorter than a run,
    /// with room for one byte more, which shows that it grew.
    fn buffer_lens(&self) -> (usize, usize) {
        let input = self.size.min(self.end).saturating_sub(self.start);
        match usize::try_from(input) {
            Ok(input) if input < self.run - 1 => {
                let more = (input / self.shape.chunk + 2) * self.shape.overhead();
                (input + 1, (input + 1 + more).min(self.result))
            }
            _ => (self.run, self.result),
        }
    }

    /// Returns the probable number of runs.
    fn runs_at_least(&self) -> usize {
        let runs = self.size.min(self.end).saturating_sub(self.start) / self.run as u64;
        usize::try_from(runs).map_or(usize::MAX, |runs| runs.saturating_add(1))
    }
}

/// The source of the runs.
enum Source<'a> {
    /// A file, read at offsets.
    At(&'a dyn ReadAt),
    /// A stream, read by the worker that holds it.
    Stream(Mutex<&'a mut (dyn Read + Send)>),
}

/// The destination of the results.
enum Sink<'a> {
    /// A file, written at offsets, and the turn to write where workers take turns.
    At(&'a dyn WriteAt, Option<Mutex<()>>),
    /// A stream, written by the worker whose run is the next one, and a bell for those who wait.
    Stream(Mutex<(u64, &'a mut (dyn Write + Send))>, Condvar),
    /// Nowhere.
    Nothing,
}

/// The state that the workers share.
struct Team<'a> {
    /// The work.
    job: &'a Job,
    /// The source of the runs.
    source: Source<'a>,
    /// The next run to take.
    next: AtomicU64,
    /// The first run that was found to end early.
    end: AtomicU64,
    /// The number of runs up to the last one found to have any bytes.
    filled: AtomicU64,
    /// The number of their bytes.
    read: AtomicU64,
    /// The destination of the results.
    sink: Sink<'a>,
    /// The first run that failed. Runs before it go on, so that the error reported, and the bytes
    /// that a stream receives before it, do not depend on the order in which threads run.
    stop: AtomicU64,
    /// The run that failed, and its error.
    failure: Mutex<Option<(u64, Error)>>,
    /// The listener for progress.
    progress: &'a dyn Progress,
    /// The function for each run.
    transform: &'a (dyn Fn(Run<'_>, &mut [u8]) -> Transformed + Sync),
}

impl Team<'_> {
    /// One worker: run after run until there are no more.
    fn work(&self, buffers: &mut Buffers) {
        let _bell = StopOnPanic(self);
        let Buffers { bytes, result } = buffers;
        while let Some((index, len)) = self.take(bytes) {
            if len > 0 {
                let last = len < self.job.run;
                self.put(Run { index, bytes: &bytes[..len], last }, result);
                self.progress.advance(len as u64);
            }
        }
    }

    /// After all workers: the empty last run, if the input had one, and the outcome.
    fn finish(self, buffers: &mut Buffers) -> Result<u64, Error> {
        if self.stop.load(Ordering::SeqCst) == u64::MAX {
            let (end, filled) = (self.end.load(Ordering::SeqCst), self.filled.load(Ordering::SeqCst));
            if filled > end.saturating_add(1) {
                return Err(Error::InputChanged);
            }
            if filled == end {
                self.put(Run { index: end, bytes: &[], last: true }, &mut buffers.result);
            }
        }
        match lock(&self.failure).take() {
            Some((_, error)) => Err(error),
            None => Ok(self.read.into_inner()),
        }
    }

    /// Reads the next run, and says which one it is and how long; `None` if there are no more.
    fn take(&self, bytes: &mut [u8]) -> Option<(u64, usize)> {
        // The worker that holds the stream also counts the runs.
        let mut stream = match &self.source {
            Source::Stream(stream) => Some(lock(stream)),
            Source::At(_) => None,
        };
        let index = self.next.fetch_add(1, Ordering::SeqCst);
        let offset = index.saturating_mul(self.job.run as u64).saturating_add(self.job.start);
        if index > self.end.load(Ordering::SeqCst) || index > self.stop.load(Ordering::SeqCst) {
            return None;
        }
        let room = self.job.end.saturating_sub(offset).min(bytes.len() as u64) as usize;
        let read = match (&self.source, &mut stream) {
            (Source::At(file), _) => fill(&mut bytes[..room], |rest, done| file.read_at(rest, offset + done)),
            (_, Some(stream)) => fill(&mut bytes[..room], |rest, _| stream.read(rest)),
            (Source::Stream(_), None) => unreachable!("a stream is held while it is read"),
        };
        let len = match read {
            Ok(len) => len,
            Err(error) => {
                self.fail(index, Error::Read(error));
                return None;
            }
        };
        if len > 0 {
            self.filled.fetch_max(index + 1, Ordering::SeqCst);
            self.read.fetch_add(len as u64, Ordering::SeqCst);
        }
        if len == bytes.len() && len < self.job.run {
            self.fail(index, Error::InputChanged);
            return None;
        }
        if len < bytes.len() {
            self.end.fetch_min(index, Ordering::SeqCst);
        }
        if self.filled.load(Ordering::SeqCst) > self.end.load(Ordering::SeqCst).saturating_add(1) {
            self.fail(index, Error::InputChanged);
            return None;
        }
        Some((index, len))
    }

    /// Transforms a run and puts out the result.
    fn put(&self, run: Run<'_>, result: &mut [u8]) {
        let index = run.index;
        let Transformed { range, offset, error } = (self.transform)(run, result);
        // Known before the good bytes ahead of the error are put out, so that none follow.
        if let Some(error) = error {
            self.fail(index, error);
        }
        let bytes = &result[range];
        let written = match &self.sink {
            Sink::At(file, turn) => {
                let _turn = turn.as_ref().map(lock);
                file.write_all_at(bytes, offset)
            }
            Sink::Stream(turn, bell) => {
                let called_off = || index > self.stop.load(Ordering::SeqCst);
                let waits = |turn: &mut (u64, _)| turn.0 != index && !called_off();
                let turn = bell.wait_while(lock(turn), waits);
                let mut turn = turn.unwrap_or_else(PoisonError::into_inner);
                // Asked again: it may be this run's turn because a failed one has had its own.
                if called_off() {
                    return;
                }
                let written = turn.1.write_all(bytes);
                if written.is_ok() {
                    turn.0 += 1;
                    bell.notify_all();
                }
                written
            }
            Sink::Nothing => Ok(()),
        };
        if let Err(error) = written {
            self.fail(index, Error::Write(error));
        }
    }

    /// Notes that a run failed. Of several, the first in the file counts.
    fn fail(&self, index: u64, error: Error) {
        let mut failure = lock(&self.failure);
        if failure.as_ref().is_none_or(|(first, _)| index < *first) {
            *failure = Some((index, error));
        }
        drop(failure);
        self.stop(index);
    }

    /// Lets no run after `index` go on.
    fn stop(&self, index: u64) {
        self.stop.fetch_min(index, Ordering::SeqCst);
        if let Sink::Stream(turn, bell) = &self.sink {
            // A worker that looked before the change now waits, and hears the bell.
            drop(lock(turn));
            bell.notify_all();
        }
    }
}

/// Frees the workers that wait for one that panics, so that the panic comes out.
struct StopOnPanic<'a, 'b>(&'a Team<'b>);

impl Drop for StopOnPanic<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop(0);
        }
    }
}

/// Locks, after a panic elsewhere too: the panic itself ends the run.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
