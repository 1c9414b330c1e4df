//! The schedule of a batch: which packets share a pass of a kernel, in what order, and how their rows come into registers.
//!
//! A mode says in [`batch_mode`] how it checks an item and how it processes one in a lane, in turn with its neighbours, or
//! singly. [`batch`] cuts the items into windows, takes kernel after kernel, and sorts those of one kernel by
//! [`length_class`] into groups of as many as it has lanes. [`rows`] carries a group through the mode's loop.

pub(super) mod batch;
pub(super) mod batch_mode;
pub(super) mod length_class;
pub(super) mod rows;
