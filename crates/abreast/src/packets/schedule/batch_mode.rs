//! The two sides of a batch as the schedule sees them: items, and the mode that processes them.

use crate::Error;
use crate::ciphers::CipherRef;
use crate::engine::backend::{ChainingValue, Direction};
use crate::engine::multibuf::{LaneGroup, MultiBuffer, ParallelMultiBuffer, ShortMessages};
use abreast_simd::{AesIsa, Isa};

/// An item of a batch: a packet, or a part of one.
pub(in crate::packets) trait BatchItem<'k> {
    /// True if the result of a lane is its final chaining value (CMAC), false if it is the data that is written (CBC).
    const CHAINED: bool = false;

    /// Returns the cipher of the item.
    fn cipher(&self) -> CipherRef<'k>;
    /// Sets the result of the item.
    fn finish(&mut self, result: Result<(), Error>);
    /// Adds the item to a group. Items of a mode without lanes need no more than this.
    fn open<'a>(&'a mut self, _: &mut LaneGroup<'a>) {}
    /// Receives the final chaining value.
    fn take_chain(&mut self, _: &ChainingValue) {}
}

/// The way in which the messages of a mode share the lanes of a kernel.
pub(in crate::packets) enum LaneUse {
    /// A chain in each lane, however long: each block waits for the one before.
    Chains,
    /// Chains as in [`Chains`](Self::Chains), of ciphers with blocks of 128 bits only.
    Chains128,
    /// Rows that do not wait for each other, several at a time, of messages too short to fill the registers singly.
    Rows,
    /// None: messages are processed one after the other.
    None,
}

impl LaneUse {
    /// True for chains of blocks of `block` bytes.
    pub(super) const fn is_chains(&self, block: usize) -> bool {
        match self {
            Self::Chains => true,
            Self::Chains128 => block == 16,
            _ => false,
        }
    }

    /// True for [`Rows`](Self::Rows).
    pub(super) const fn is_rows(&self) -> bool {
        matches!(self, Self::Rows)
    }
}

/// A mode as the schedule sees it: its work on an item of a batch.
///
/// An item is processed in one of three ways: in a lane ([`run_chains`](Self::run_chains), [`run_rows`](Self::run_rows)), in
/// turn with its neighbours by a kernel of AES instructions ([`in_turn`](Self::in_turn)), or singly
/// ([`single`](Self::single)).
pub(in crate::packets) trait BatchMode<T>: Copy {
    /// The lanes that the mode uses.
    const LANES: LaneUse;

    /// Returns the bytes of the item that a lane may take, or the reason that the item is refused; 0 if the item must be
    /// processed singly. `block` is the block size of its cipher, a constant where speed matters.
    fn check(&self, item: &T, block: usize) -> Result<usize, Error>;

    /// Processes a single item by the functions for one message, or returns the reason that it is refused.
    fn single(&self, item: &mut T) -> Result<(), Error>;

    /// Processes an item that was checked, next to others by the same kernel, and returns its result.
    fn in_turn<I: AesIsa, S: ShortMessages<I>>(
        &self,
        isa: I,
        keys: &S::Keys,
        item: &mut T,
    ) -> Result<(), Error>;
    /// True if nothing is wrong with four items and they go better together.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn suits_quad(&self, _: &[T; 4]) -> bool {
        false
    }
    /// Processes four such items.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn quad<I: AesIsa, S: ShortMessages<I>>(&self, _: I, _: [&S::Keys; 4], _: &mut [T; 4]) {}

    /// Returns the direction of the round keys in lanes.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn direction(&self) -> Direction {
        Direction::Encrypt
    }
    /// Processes a group of chains.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run_chains<I: Isa, S: MultiBuffer<I>>(&self, _: I, _: &S::LaneKeys, _: &mut LaneGroup<'_>) {}
    /// Processes a group whose rows do not wait for each other.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run_rows<I: Isa, S: ParallelMultiBuffer<I>>(&self, _: I, _: &S::LaneKeys, _: &mut LaneGroup<'_>) {}
    /// Calls `with` with the mode, in a branch for each that the type stands for: code of its own, where a branch a block
    /// is too many.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn by_variant(&self, mut with: impl FnMut(&Self)) {
        with(self);
    }
}
