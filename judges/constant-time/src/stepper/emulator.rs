//! Single steps of AArch64: this process runs in qemu-aarch64, whose plugin (`judges/qemu-trace`) takes note of each
//! instruction and each access to memory. It is told where an operation begins and ends, and answers with the trace.
//!
//! Plugins do not see the registers, and most checks beyond the addresses have no counterpart here: NEON has no gather, no
//! scatter and no masks. Only divisions are left (`divisions.rs`).

use std::fs::File;
use std::hint::black_box;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::FileExt as _;

use super::calls::{Answer, BEGIN, END};
use super::divisions;
use super::system_call::call;
use crate::trace::Trace;

/// True if the short form must do with fewer operations than other tools. False here: a step takes nanoseconds.
pub(crate) const SLOW: bool = false;

/// Has steps taken.
pub(crate) struct Stepper {
    /// The file to which the plugin writes its answers.
    answers: File,
    /// The record of the last operation, if it is the one.
    record: Vec<(u64, u64)>,
    /// The number of the operation that is recorded.
    wanted: Option<u64>,
    operation: u64,
}

impl Stepper {
    /// Prepares everything; `record` is the number of an operation whose steps are shown. `None` where no plugin answers, for
    /// example on a real CPU.
    pub(crate) fn new(record: Option<u64>) -> Option<Self> {
        divisions::replace();
        let answers = tempfile::tempfile().ok()?;
        let mut stepper = Self { answers, record: Vec::new(), wanted: record, operation: 0 };
        call(BEGIN, 0, 0);
        black_box(black_box(1) + 1);
        call(END, stepper.answers.as_raw_fd() as u64, 0);
        (stepper.answer()?.steps > 0).then_some(stepper)
    }

    /// Runs something step by step; where one operation is recorded, the others without notes, for the time that these take.
    ///
    /// # Panics
    /// If there was an instruction whose operands matter and were not seen, as of a division.
    pub(crate) fn run<T>(&mut self, work: impl FnOnce() -> T) -> (T, Trace) {
        let recording = self.wanted == Some(self.operation);
        self.operation += 1;
        if self.wanted.is_some() && !recording {
            self.record.clear();
            return (work(), Trace::default());
        }
        call(BEGIN, recording.into(), 0);
        let result = work();
        call(END, self.answers.as_raw_fd() as u64, 0);
        let answer = self.answer().expect("an answer of the plugin");
        assert!(
            answer.unseen == 0,
            "the operands of the instruction at {:#x} matter and are not seen",
            answer.unseen
        );
        (result, Trace { steps: answer.steps, hash: answer.hash })
    }

    /// The record of the last operation, if it is the one.
    pub(crate) fn record(&self) -> &[(u64, u64)] {
        &self.record
    }

    /// Reads the answer, and empties the file for the next one.
    fn answer(&mut self) -> Option<Answer> {
        let mut bytes = vec![0; usize::try_from(self.answers.metadata().ok()?.len()).ok()?];
        self.answers.read_exact_at(&mut bytes, 0).ok()?;
        self.answers.set_len(0).ok()?;
        let (words, _) = bytes.as_chunks();
        let mut words = words.iter().map(|word| u64::from_le_bytes(*word));
        let answer = Answer { steps: words.next()?, hash: words.next()?, unseen: words.next()? };
        self.record.clear();
        while let (Some(kind), Some(value)) = (words.next(), words.next()) {
            self.record.push((kind, value));
        }
        Some(answer)
    }
}
