//! Takes note of an operation: whoever takes the steps compiles this file, this program itself or the plugin for qemu
//! (`judges/qemu-trace`).

use crate::trace::Trace;

/// Entries of a record.
const RECORDED: usize = 1 << 22;

/// Takes note of one operation after the other.
pub(crate) struct Recorder {
    /// The trace of the operation so far.
    pub(crate) trace: Trace,
    /// Kind and value of each entry, if this operation is recorded.
    pub(crate) record: Vec<(u64, u64)>,
    recording: bool,
}

impl Recorder {
    /// Returns a recorder before its first operation.
    pub(crate) const fn new() -> Self {
        Self { trace: Trace { steps: 0, hash: 0 }, record: Vec::new(), recording: false }
    }

    /// Begins an operation, of which all is kept if it is to be recorded.
    pub(crate) fn begin(&mut self, recording: bool) {
        self.trace = Trace { steps: 0, hash: 0xcbf2_9ce4_8422_2325 };
        self.recording = recording;
        self.record.clear();
        if recording {
            self.record.reserve(RECORDED);
        }
    }

    /// Adds an entry to the hash.
    pub(crate) fn hash(&mut self, kind: u64, value: u64) {
        let hash = (self.trace.hash ^ value).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
        self.trace.hash = hash ^ kind;
    }

    /// Adds an entry to the record, if there is one. It allocates nothing: the operation may be about to do so.
    pub(crate) fn record(&mut self, kind: u64, value: u64) {
        if self.recording && self.record.len() < RECORDED {
            self.record.push((kind, value));
        }
    }
}
