//! Workers: files that change while they are read, panics and errors.

use super::*;
use crate::Format;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::Duration;

/// Runs of four bytes, which become as many.
const JOB: Job =
    Job { shape: Format::Cobblestone.shape(), run: 4, result: 4, start: 0, end: u64::MAX, size: u64::MAX };

/// A run that ends early although one after it was read in full: the file was cut off in between. Which thread reads
/// first is a matter of chance, so that the order is made here by hand.
#[test]
fn a_file_that_was_cut_off_between_two_reads() {
    let file = Mutex::new(vec![0; 8]);
    let transform = |run: Run<'_>, _: &mut [u8]| Transformed {
        range: 0..run.bytes.len(),
        offset: 4 * run.index,
        error: None,
    };
    let team = Team {
        job: &JOB,
        source: Source::At(&file),
        next: AtomicU64::new(1),
        end: AtomicU64::new(u64::MAX),
        filled: AtomicU64::new(0),
        read: AtomicU64::new(0),
        sink: Sink::Nothing,
        stop: AtomicU64::new(u64::MAX),
        failure: Mutex::new(None),
        progress: &(),
        transform: &transform,
    };
    let mut bytes = [0; 4];
    assert_eq!(team.take(&mut bytes), Some((1, 4)));
    file.lock().unwrap().truncate(2);
    team.next.store(0, Ordering::SeqCst);
    assert_eq!(team.take(&mut bytes), None);
    let mut buffers = Buffers::new(&JOB).unwrap();
    assert!(matches!(team.finish(&mut buffers), Err(Error::InputChanged)));
}

/// When a worker panics, the others do not wait for its run for ever, and the panic comes out.
#[test]
fn a_panic_comes_out() {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let transform = |run: Run<'_>, _: &mut [u8]| {
            assert!(run.index > 0, "on purpose");
            Transformed { range: 0..run.bytes.len(), offset: 4 * run.index, error: None }
        };
        let (mut input, mut output) = (&[0; 64][..], Vec::new());
        let jobs = NonZeroUsize::new(3).unwrap();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            work(&JOB, Input::Stream(&mut input), Output::Stream(&mut output), jobs, &(), &transform)
        }));
        sender.send(outcome.is_err() && output.is_empty()).unwrap();
    });
    assert_eq!(receiver.recv_timeout(Duration::from_secs(60)), Ok(true));
}
