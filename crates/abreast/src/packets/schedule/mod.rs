//! The schedule of a batch: which packets share a pass of a kernel, in what order, and how their rows come into registers.

pub(super) mod batch;
pub(super) mod batch_mode;
pub(super) mod counting_sort;
pub(super) mod length_class;
pub(super) mod rows;
