//! The progress of messages side by side. A batch reports messages as done by this count.

/// A set of lanes, a bit for each.
pub(crate) type LaneSet = u32;

/// The lengths of up to `N` messages, one in each lane, and the rows of 16 bytes that were written of them.
pub(crate) struct Written<const N: usize> {
    /// Bytes of each message.
    lens: [usize; N],
    /// Bytes of the longest.
    longest: usize,
    /// Bytes of each message, from its first on, whose results were written. Rows are written in order; after a row
    /// that was left out, this number stays where it is.
    bytes: usize,
}

impl<const N: usize> Written<N> {
    /// No message yet.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn new() -> Self {
        const { assert!(N <= LaneSet::BITS as usize) };
        Self { lens: [0; N], longest: 0, bytes: 0 }
    }

    /// Adds a message of `len` bytes in a lane that has none.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn push(&mut self, lane: usize, len: usize) {
        self.lens[lane] = len;
        self.longest = self.longest.max(len);
    }

    /// Bytes of each message; none where a lane has no message.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn lens(&self) -> &[usize; N] {
        &self.lens
    }

    /// The rows of the longest message, the last of which may be a part of one.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn rows(&self) -> usize {
        self.longest.div_ceil(16)
    }

    /// Notes that the results of `count` rows from `row` on were written, of every message that has them.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn wrote(&mut self, row: usize, count: usize) {
        if self.bytes == 16 * row {
            self.bytes += 16 * count;
        }
    }

    /// The messages that were written to their last byte.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn complete(&self) -> LaneSet {
        if self.longest <= self.bytes {
            return LaneSet::MAX;
        }
        self.complete_of_some()
    }

    /// The messages that were written to their last byte, if some were not.
    #[cold]
    #[inline(never)]
    fn complete_of_some(&self) -> LaneSet {
        let mut lanes = 0;
        for (lane, len) in self.lens.iter().enumerate() {
            lanes |= LaneSet::from(*len <= self.bytes) << lane;
        }
        lanes
    }
}
