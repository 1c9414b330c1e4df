//! The counting sort of a window of packets by classes of their lengths, for all batches.
//!
//! Packets of one class keep their order. The number of packets of a window fits a byte.

/// The number of items of each class, and after [`begin`](Self::begin) the place of its next item.
pub(crate) struct CountingSort<const CLASSES: usize> {
    classes: [u8; CLASSES],
    /// One more than the highest class that has an item. Short packets have low classes, and adding up all of them would
    /// take longer than the packets do.
    used: usize,
}

impl<const CLASSES: usize> CountingSort<CLASSES> {
    /// No items.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn new() -> Self {
        Self { classes: [0; CLASSES], used: 0 }
    }

    /// Counts an item of a class.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn count(&mut self, class: usize) {
        self.classes[class] += 1;
        self.used = self.used.max(class + 1);
    }

    /// Turns the counts into the place of the first item of each class, in the order of the classes. Returns the number of
    /// items.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn begin(&mut self) -> usize {
        let mut all = 0;
        for begin in &mut self.classes[..self.used] {
            all += core::mem::replace(begin, all);
        }
        usize::from(all)
    }

    /// The place of the next item of a class that was counted.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn place(&mut self, class: usize) -> usize {
        let next = &mut self.classes[class];
        *next += 1;
        usize::from(*next - 1)
    }
}
