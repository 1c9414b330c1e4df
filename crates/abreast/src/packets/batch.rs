//! Scheduling of a batch: which packets share a pass of a kernel, and in what order.
//!
//! A batch is cut into windows. In each, the first packet that waits names a kernel; all packets whose keys are laid out for
//! it are claimed, checked, sorted into classes of similar lengths by a counting sort, and processed as many at a time as
//! the kernel has lanes.

use super::counting_sort::CountingSort;
use crate::Error;
use crate::ciphers::CipherRef;
use crate::engine::backend::{ChainingValue, Direction};
use crate::engine::multibuf::{
    Batch, LaneEnds, LaneGroup, MOST_LANES, MultiBuffer, MultiBufferSpec, ParallelMultiBuffer, ShortMessages,
};
use abreast_simd::inlined::Zipped;
use abreast_simd::{AesIsa, Isa};
use core::hint::black_box;
use core::ops::RangeInclusive;
use zeroize::optimization_barrier;

/// Packets that are sorted at a time.
pub(crate) const WINDOW: usize = 128;
const _: () = assert!(WINDOW <= 1 << u8::BITS, "places in a window are bytes");

/// A mode as the scheduler sees it: its work on an item of a batch, a packet or a part of one.
pub(super) trait BatchMode<'k, T>: Copy {
    /// The cipher of an item.
    fn cipher(item: &T) -> CipherRef<'k>;
    /// Bytes of the item that a lane may take, or why the item is refused; 0 if the item has to be processed alone.
    /// `block` is the block size of its cipher, a constant where speed matters.
    fn check(&self, item: &T, block: usize) -> Result<usize, Error>;
    /// Sets the result of an item.
    fn done(item: &mut T, result: Result<(), Error>);
    /// Processes an item alone, or says why it is refused.
    fn alone(&self, item: &mut T) -> Result<(), Error>;
}

/// A mode with a multi-buffer loop.
pub(super) trait MultiBufferMode<'k, T>: BatchMode<'k, T> {
    /// Returns the direction of the round keys that the mode takes.
    fn direction(&self) -> Direction;

    /// Adds an item to a group.
    fn open<'a>(item: &'a mut T, group: &mut LaneGroup<'a>);
    /// True if the result of the mode is the final chaining value (CMAC), false if it is the data that is written (CBC).
    const CHAINED: bool = false;
    /// Receives the final chaining value of an item.
    fn take_chain(_: &mut T, _: &ChainingValue) {}
}

/// A mode that a kernel of AES instructions can process item by item, overlapping neighbouring items.
pub(super) trait SequentialMode<'k, T>: BatchMode<'k, T> {
    /// Does an item that was checked, and gives its result.
    fn single<I: AesIsa, S: ShortMessages<I>>(
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
    /// Does four such items.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn quad<I: AesIsa, S: ShortMessages<I>>(&self, _: I, _: [&S::Keys; 4], _: &mut [T; 4]) {}
}

/// A mode that is a chain.
pub(super) trait SerialMode<'k, T>: MultiBufferMode<'k, T> + SequentialMode<'k, T> {
    /// Does a group.
    fn run<I: Isa, S: MultiBuffer<I>>(&self, isa: I, keys: &S::LaneKeys, group: &mut LaneGroup<'_>);
    /// Calls `with` with the mode, in a branch for each that the type stands for: code of its own, where a branch a block
    /// is too many.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn apart(&self, mut with: impl FnMut(&Self)) {
        with(self);
    }
}

/// A mode whose blocks do not wait for each other, so that several rows of a group go through the rounds together.
pub(super) trait ParallelMode<'k, T>: MultiBufferMode<'k, T> + SequentialMode<'k, T> {
    /// Does a group.
    fn run<I: Isa, S: ParallelMultiBuffer<I>>(&self, isa: I, keys: &S::LaneKeys, group: &mut LaneGroup<'_>);
}

/// The length class of an item, by which a window is sorted so that messages of similar lengths share a group: up to
/// [`EXACT_ROWS`] rows each number of rows is a class, beyond that each power of two. Within a class, items keep the
/// order of the batch; nothing may rely on an order of their lengths.
type Size = u8;

/// The numbers of waiting items of each class.
type Classes = CountingSort<256>;

/// The most rows that are a class of their own.
pub(crate) const EXACT_ROWS: usize = 192;
/// The class of an item that is done.
const DONE: Size = 0;
/// The class of an item that has not been examined.
const UNKNOWN: Size = 255;
const _: () = assert!(EXACT_ROWS as u32 + (usize::MAX / 16).ilog2() < UNKNOWN as u32);

/// The class of a message of some bytes, at least one.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn size_of(bytes: usize) -> Size {
    let rows = bytes.div_ceil(16);
    if rows <= EXACT_ROWS { rows as Size } else { EXACT_ROWS as Size + rows.ilog2() as Size }
}

/// Does a batch in a mode that is a chain.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn serial<'k, T, M: SerialMode<'k, T>>(mode: &M, items: &mut [T]) {
    windows(
        mode,
        items,
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        |cipher, window| cipher.visit_batch(SerialBatch(window)),
    );
}

/// Does a batch in another mode.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn parallel<'k, T, M: ParallelMode<'k, T>>(mode: &M, items: &mut [T]) {
    windows(
        mode,
        items,
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        |cipher, window| cipher.visit_batch(ParallelBatch(window)),
    );
}

/// Does a batch in a mode that has no lanes.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn sequential<'k, T, M: SequentialMode<'k, T>>(mode: &M, items: &mut [T]) {
    windows(
        mode,
        items,
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        |cipher, window| cipher.visit_batch(SequentialBatch(window)),
    );
}

/// Some items of a batch, and the sizes of those that wait.
struct Window<'d, T, M> {
    mode: &'d M,
    items: &'d mut [T],
    sizes: &'d mut [Size],
}

/// Cuts a batch into windows and takes kernel after kernel.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn windows<'k, T, M: BatchMode<'k, T>>(
    mode: &M,
    items: &mut [T],
    visit: impl Fn(CipherRef<'k>, Window<'_, T, M>),
) {
    for items in items.chunks_mut(WINDOW) {
        let mut sizes = [UNKNOWN; WINDOW];
        let sizes = &mut sizes[..items.len()];
        while any_waits(sizes)
            && let Some(first) = sizes.iter().position(|&size| size != DONE)
        {
            visit(M::cipher(&items[first]), Window { mode, items, sizes });
            if sizes[first] != DONE {
                sizes[first] = DONE;
                alone(mode, &mut items[first]);
            }
        }
    }
}

/// True if an item is not done. All are looked at, as many at a time as a vector holds.
fn any_waits(sizes: &[Size]) -> bool {
    sizes.iter().fold(DONE, |all, size| all | size) != DONE
}

/// Does an item by itself.
fn alone<'k, T, M: BatchMode<'k, T>>(mode: &M, item: &mut T) {
    let result = mode.alone(item);
    M::done(item, result);
}

/// Does an item that was checked, next to others by the same kernel.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn single<'k, T, M: SequentialMode<'k, T>, I: AesIsa, S: ShortMessages<I>>(
    mode: &M,
    isa: I,
    keys: &S::Keys,
    item: &mut T,
) {
    let result = mode.single::<I, S>(isa, keys, item);
    M::done(item, result);
}

struct SerialBatch<'d, T, M>(Window<'d, T, M>);

/// Bytes of a chain so short that AES instructions do better with one next to another: the CPU looks ahead far enough to
/// see the beginnings of several.
pub(crate) const SHORT_CHAIN: usize = 32;
/// Packets that are taken one after the other before four together are looked for again: next to packets that do not go
/// together, others are not likely to either.
pub(crate) const SINGLES: usize = 16;

impl<'k, T, M: SerialMode<'k, T>> Batch for SerialBatch<'_, T, M> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn in_lanes<I: Isa, S: ParallelMultiBuffer<I>>(mut self, isa: I, level: S::Level) {
        let mut sort = Classes::new();
        self.0.classify_for_lanes::<S>(&mut sort, level, usize::MAX);
        self.0.groups::<I, S>(
            isa,
            level,
            &mut sort,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |mode, keys, group| mode.run::<I, S>(isa, keys, group),
        );
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn by_rounds<I: AesIsa, S: ShortMessages<I>>(self, isa: I, level: S::Level) {
        let Window { mode, items, sizes } = self.0;
        mode.apart(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |mode| {
                let mut window = Window { mode, items, sizes };
                let mut sort = Classes::new();
                window.classify::<S>(
                    &mut sort,
                    level,
                    SHORT_CHAIN + 1..=usize::MAX,
                    #[cfg_attr(not(abreast_unoptimized), inline(always))]
                    |mode, keys, item| single::<_, _, I, S>(mode, isa, keys, item),
                );
                window.groups::<I, S>(
                    isa,
                    level,
                    &mut sort,
                    #[cfg_attr(not(abreast_unoptimized), inline(always))]
                    |mode, keys, group| mode.run::<I, S>(isa, keys, group),
                );
            },
        );
    }
}

struct ParallelBatch<'d, T, M>(Window<'d, T, M>);

impl<'k, T, M: ParallelMode<'k, T>> Batch for ParallelBatch<'_, T, M> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn in_lanes<I: Isa, S: ParallelMultiBuffer<I>>(mut self, isa: I, level: S::Level) {
        let mut sort = Classes::new();
        self.0.classify_for_lanes::<S>(&mut sort, level, 16 * S::ENOUGH);
        self.0.groups::<I, S>(
            isa,
            level,
            &mut sort,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |mode, keys, group| mode.run::<I, S>(isa, keys, group),
        );
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn by_rounds<I: AesIsa, S: ShortMessages<I>>(self, isa: I, level: S::Level) {
        self.0.sequential::<I, S>(isa, level);
    }
}

struct SequentialBatch<'d, T, M>(Window<'d, T, M>);

impl<'k, T, M: SequentialMode<'k, T>> Batch for SequentialBatch<'_, T, M> {
    /// All that wait go alone.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn in_lanes<I: Isa, S: ParallelMultiBuffer<I>>(self, _: I, _: S::Level) {}
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn by_rounds<I: AesIsa, S: ShortMessages<I>>(self, isa: I, level: S::Level) {
        self.0.sequential::<I, S>(isa, level);
    }
}

/// Does four items together, if all are for this kernel and the mode has them so.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn quad<'k, T, M: SequentialMode<'k, T>, I: AesIsa, S: ShortMessages<I>>(
    mode: M,
    isa: I,
    level: S::Level,
    items: &mut [T; 4],
) -> bool {
    if !mode.suits_quad(items) {
        return false;
    }
    let [a, b, c, d] = &*items;
    if let Some(a) = M::cipher(a).keys_at::<S>(level)
        && let Some(b) = M::cipher(b).keys_at::<S>(level)
        && let Some(c) = M::cipher(c).keys_at::<S>(level)
        && let Some(d) = M::cipher(d).keys_at::<S>(level)
    {
        mode.quad::<I, S>(isa, [a, b, c, d], items);
        for item in items {
            M::done(item, Ok(()));
        }
        return true;
    }
    false
}

impl<'d, T, M> Window<'d, T, M> {
    /// Does all items that wait for this kernel, one after the other, as close as can be.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn sequential<'k, I: AesIsa, S: ShortMessages<I>>(self, isa: I, level: S::Level)
    where
        M: SequentialMode<'k, T>,
    {
        let Self { mode, items, sizes } = self;
        let mode = *mode;
        let mut at = 0;
        while at < items.len() {
            let (quads, _) = items[at..].as_chunks_mut();
            let (quad_sizes, _) = sizes[at..].as_chunks_mut();
            for (items, sizes) in quads.iter_mut().zipped(quad_sizes) {
                if *sizes != [UNKNOWN; 4] || !quad::<_, _, I, S>(mode, isa, level, items) {
                    break;
                }
                *sizes = [DONE; 4];
                at += 4;
            }
            let singles = at..items.len().min(at + SINGLES);
            at = singles.end;
            for (item, size) in items[singles.clone()].iter_mut().zipped(&mut sizes[singles]) {
                if let Some(keys) = M::cipher(item).keys_at::<S>(level)
                    && *size != DONE
                {
                    *size = DONE;
                    match mode.check(item, S::BLOCK) {
                        Ok(0) => alone(&mode, item),
                        Ok(_) => single::<_, _, I, S>(&mode, isa, keys, item),
                        Err(error) => M::done(item, Err(error)),
                    }
                }
            }
        }
    }

    /// Sorts out the items that wait for this kernel: counts those whose length is in `lengths`, and does the others by
    /// `other`.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn classify<'k, S: MultiBufferSpec>(
        &mut self,
        sort: &mut Classes,
        level: S::Level,
        lengths: RangeInclusive<usize>,
        other: impl Fn(&M, &S::Keys, &mut T),
    ) where
        M: BatchMode<'k, T>,
    {
        let mode = self.mode;
        for (item, size) in self.items.iter_mut().zipped(&mut *self.sizes) {
            let Some(keys) = M::cipher(item).keys_at::<S>(level).filter(|_| *size != DONE) else {
                continue;
            };
            *size = match mode.check(item, S::BLOCK) {
                Ok(bytes) if lengths.contains(&bytes) => {
                    M::done(item, Err(Error::NotProcessed));
                    size_of(bytes)
                }
                Ok(0) => {
                    alone(mode, item);
                    DONE
                }
                Err(error) => {
                    M::done(item, Err(error));
                    DONE
                }
                Ok(_) => {
                    other(mode, keys, item);
                    DONE
                }
            };
            if *size != DONE {
                sort.count(usize::from(*size));
            }
        }
    }

    /// Sorts out the items that wait for this kernel: counts those of at most `most` bytes, and does the others alone. A
    /// call that kernels of words share.
    #[inline(never)]
    fn classify_for_lanes<'k, S: MultiBufferSpec>(&mut self, sort: &mut Classes, level: S::Level, most: usize)
    where
        M: BatchMode<'k, T>,
    {
        self.classify::<S>(sort, level, 1..=most, |mode, _, item| alone(mode, item));
    }

    /// Does all items that were counted, in groups.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn groups<'k, I: Isa, S: MultiBuffer<I>>(
        self,
        isa: I,
        level: S::Level,
        sort: &mut Classes,
        run: impl Fn(&M, &S::LaneKeys, &mut LaneGroup<'_>),
    ) where
        M: MultiBufferMode<'k, T>,
    {
        let Self { mode, items, sizes } = self;
        let waiting = sort.begin();
        if waiting == 0 {
            return;
        }
        // The longest ones, if they are too few for a group, are left.
        let last = waiting % S::LANES;
        let taken = if last < S::LEAST { waiting - last } else { waiting };
        let mut order: [Option<&mut T>; WINDOW] = [const { None }; WINDOW];
        put_in_order(items, sizes, sort, &mut order);
        let (order, rest) = order[..waiting].split_at_mut(taken);
        all_alone(mode, rest);
        if taken == 0 {
            return;
        }
        let mut lane_keys = S::no_keys(isa);
        let mut ends = LaneEnds::new();
        for members in order.chunks_mut(S::LANES) {
            let Some(first) = members[0].as_ref().and_then(
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |first| M::cipher(first).keys_at::<S>(level),
            ) else {
                return;
            };
            let mut keys = [first; MOST_LANES];
            for (key, member) in keys.iter_mut().zipped(&*members) {
                if let Some(member) = member
                    && let Some(its) = M::cipher(member).keys_at::<S>(level)
                {
                    *key = its;
                }
            }
            S::lay_out(isa, &keys, mode.direction(), &mut lane_keys);
            let mut group = LaneGroup::new(&mut ends);
            #[allow(
                clippy::manual_flatten,
                reason = "flattened, the compiler unrolls the search thousands of times"
            )]
            for member in &mut *members {
                if let Some(item) = member {
                    M::open(item, &mut group);
                }
            }
            // The group is to stay in memory: the compiler would rather keep as many pointers as there are lanes on the
            // stack, and count all of them up.
            run(mode, &lane_keys, black_box(&mut group));
            let done = if M::CHAINED { group.finished() } else { group.written() };
            for (lane, member) in members.iter_mut().enumerate() {
                if let Some(item) = member
                    && done >> lane & 1 == 1
                {
                    if M::CHAINED {
                        M::take_chain(item, &ends.chains[lane]);
                    }
                    M::done(item, Ok(()));
                }
            }
        }
        (lane_keys, ends) = (S::no_keys(isa), LaneEnds::new());
        optimization_barrier(&lane_keys);
        optimization_barrier(&ends);
    }
}

/// Puts the items that were counted in the order of their classes. Those of other kernels are still unknown.
#[inline(never)]
fn put_in_order<'i, T>(
    items: &'i mut [T],
    sizes: &mut [Size],
    sort: &mut Classes,
    order: &mut [Option<&'i mut T>; WINDOW],
) {
    for (item, size) in items.iter_mut().zipped(sizes) {
        if *size != DONE && *size != UNKNOWN {
            order[sort.place(usize::from(*size))] = Some(item);
            *size = DONE;
        }
    }
}

/// Does items by themselves.
#[inline(never)]
fn all_alone<'k, T, M: BatchMode<'k, T>>(mode: &M, items: &mut [Option<&mut T>]) {
    for item in items.iter_mut().flatten() {
        alone(mode, item);
    }
}
