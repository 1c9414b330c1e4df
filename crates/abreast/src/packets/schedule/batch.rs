//! Scheduling of a batch: which packets share a pass of a kernel, and in what order.
//!
//! A batch is cut into windows. In each, the first packet that waits names a kernel; all packets whose keys are laid out for
//! it are claimed, checked, sorted into classes of similar lengths by a counting sort, and processed as many at a time as
//! the kernel has lanes.

use super::batch_mode::{BatchItem, BatchMode};
use super::length_class::{DONE, LengthClass, UNKNOWN, any_waits, class_of};
use crate::Error;
use crate::engine::counting_sort::CountingSort;
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

/// The numbers of waiting items of each class.
type Classes = CountingSort<256>;

/// Some items of a batch, and the length classes of those that wait.
struct Window<'d, T, M> {
    mode: &'d M,
    items: &'d mut [T],
    classes: &'d mut [LengthClass],
}

/// Processes a batch: cuts it into windows and takes kernel after kernel.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(in crate::packets) fn process<'k, T: BatchItem<'k>, M: BatchMode<T>>(mode: &M, items: &mut [T]) {
    for items in items.chunks_mut(WINDOW) {
        let mut classes = [UNKNOWN; WINDOW];
        let classes = &mut classes[..items.len()];
        while any_waits(classes)
            && let Some(first) = classes.iter().position(|&class| class != DONE)
        {
            items[first].cipher().visit_batch(Window { mode, items, classes });
            if classes[first] != DONE {
                classes[first] = DONE;
                single(mode, &mut items[first]);
            }
        }
    }
}

/// Processes a single item.
fn single<'k, T: BatchItem<'k>, M: BatchMode<T>>(mode: &M, item: &mut T) {
    let result = mode.single(item);
    item.finish(result);
}

/// Processes an item that was checked, next to others by the same kernel.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn in_turn<'k, T: BatchItem<'k>, M: BatchMode<T>, I: AesIsa, S: ShortMessages<I>>(
    mode: &M,
    isa: I,
    keys: &S::Keys,
    item: &mut T,
) {
    let result = mode.in_turn::<I, S>(isa, keys, item);
    item.finish(result);
}

/// Bytes of a chain so short that AES instructions do better with one next to another: the CPU looks ahead far enough to
/// see the beginnings of several.
pub(crate) const SHORT_CHAIN: usize = 32;
/// Packets that are taken one after the other before four together are looked for again: next to packets that do not go
/// together, others are not likely to either.
pub(crate) const SINGLES: usize = 16;

impl<'k, T: BatchItem<'k>, M: BatchMode<T>> Batch for Window<'_, T, M> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn in_lanes<I: Isa, S: ParallelMultiBuffer<I>>(mut self, isa: I, level: S::Level) {
        let mut sort = Classes::new();
        if const { M::LANES.is_chains(S::BLOCK) } {
            self.claim_for_lanes::<S>(&mut sort, level, usize::MAX);
            self.groups::<I, S>(
                isa,
                level,
                &mut sort,
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |mode, keys, group| mode.run_chains::<I, S>(isa, keys, group),
            );
        } else if const { M::LANES.is_rows() } {
            self.claim_for_lanes::<S>(&mut sort, level, 16 * S::ENOUGH);
            self.groups::<I, S>(
                isa,
                level,
                &mut sort,
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |mode, keys, group| mode.run_rows::<I, S>(isa, keys, group),
            );
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn by_rounds<I: AesIsa, S: ShortMessages<I>>(self, isa: I, level: S::Level) {
        if const { !M::LANES.is_chains(S::BLOCK) } {
            return self.in_turns::<I, S>(isa, level);
        }
        let mut sort = Classes::new();
        let Self { mode, items, classes } = self;
        mode.by_variant(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |mode| {
                Window { mode, items, classes }.claim::<S>(
                    &mut sort,
                    level,
                    SHORT_CHAIN + 1..=usize::MAX,
                    #[cfg_attr(not(abreast_unoptimized), inline(always))]
                    |mode, keys, item| in_turn::<_, _, I, S>(mode, isa, keys, item),
                );
            },
        );
        Window { mode, items, classes }.groups::<I, S>(
            isa,
            level,
            &mut sort,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |mode, keys, group| {
                mode.by_variant(
                    #[cfg_attr(not(abreast_unoptimized), inline(always))]
                    |mode| mode.run_chains::<I, S>(isa, keys, group),
                );
            },
        );
    }
}

/// Processes four items together, if all are for this kernel and the mode has them so.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn quad<'k, T: BatchItem<'k>, M: BatchMode<T>, I: AesIsa, S: ShortMessages<I>>(
    mode: M,
    isa: I,
    level: S::Level,
    items: &mut [T; 4],
) -> bool {
    if !mode.suits_quad(items) {
        return false;
    }
    let [a, b, c, d] = &*items;
    if let Some(a) = a.cipher().keys_at::<S>(level)
        && let Some(b) = b.cipher().keys_at::<S>(level)
        && let Some(c) = c.cipher().keys_at::<S>(level)
        && let Some(d) = d.cipher().keys_at::<S>(level)
    {
        mode.quad::<I, S>(isa, [a, b, c, d], items);
        for item in items {
            item.finish(Ok(()));
        }
        return true;
    }
    false
}

impl<'k, T: BatchItem<'k>, M: BatchMode<T>> Window<'_, T, M> {
    /// Processes all items that wait for this kernel, one after the other, as close as can be.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn in_turns<I: AesIsa, S: ShortMessages<I>>(self, isa: I, level: S::Level) {
        let Self { mode, items, classes } = self;
        let mode = *mode;
        let mut at = 0;
        while at < items.len() {
            let (quads, _) = items[at..].as_chunks_mut();
            let (quad_classes, _) = classes[at..].as_chunks_mut();
            for (items, classes) in quads.iter_mut().zipped(quad_classes) {
                if *classes != [UNKNOWN; 4] || !quad::<_, _, I, S>(mode, isa, level, items) {
                    break;
                }
                *classes = [DONE; 4];
                at += 4;
            }
            let singles = at..items.len().min(at + SINGLES);
            at = singles.end;
            for (item, class) in items[singles.clone()].iter_mut().zipped(&mut classes[singles]) {
                if let Some(keys) = item.cipher().keys_at::<S>(level)
                    && *class != DONE
                {
                    *class = DONE;
                    match mode.check(item, S::BLOCK) {
                        Ok(0) => single(&mode, item),
                        Ok(_) => in_turn::<_, _, I, S>(&mode, isa, keys, item),
                        Err(error) => item.finish(Err(error)),
                    }
                }
            }
        }
    }

    /// Processes all items that were claimed, in groups.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn groups<I: Isa, S: MultiBuffer<I>>(
        self,
        isa: I,
        level: S::Level,
        sort: &mut Classes,
        run: impl Fn(&M, &S::LaneKeys, &mut LaneGroup<'_>),
    ) {
        let Self { mode, items, classes } = self;
        let waiting = sort.begin();
        if waiting == 0 {
            return;
        }
        // The longest ones, if they are too few for a group, are left.
        let last = waiting % S::LANES;
        let taken = if last < S::LEAST { waiting - last } else { waiting };
        let mut order: [Option<&mut T>; WINDOW] = [const { None }; WINDOW];
        put_in_order(items, classes, sort, &mut order);
        let (order, rest) = order[..waiting].split_at_mut(taken);
        all_singly(mode, rest);
        if taken == 0 {
            return;
        }
        let mut lane_keys = S::no_keys(isa);
        let mut ends = LaneEnds::new();
        for members in order.chunks_mut(S::LANES) {
            let Some(keys) = keys_of::<_, S>(members, level) else { break };
            S::lay_out(isa, &keys, mode.direction(), &mut lane_keys);
            run_group(
                members,
                &mut ends,
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |group| run(mode, &lane_keys, group),
            );
        }
        (lane_keys, ends) = (S::no_keys(isa), LaneEnds::new());
        optimization_barrier(&lane_keys);
        optimization_barrier(&ends);
    }

    /// Examines the items that wait for this kernel. Sets and counts the classes of those whose length is in `lengths`, and
    /// processes the rest, by `other` if nothing is wrong.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn claim<S: MultiBufferSpec>(
        &mut self,
        sort: &mut Classes,
        level: S::Level,
        lengths: RangeInclusive<usize>,
        other: impl Fn(&M, &S::Keys, &mut T),
    ) {
        let mode = self.mode;
        for (item, class) in self.items.iter_mut().zipped(&mut *self.classes) {
            let Some(keys) = item.cipher().keys_at::<S>(level).filter(|_| *class != DONE) else {
                continue;
            };
            *class = match mode.check(item, S::BLOCK) {
                Ok(bytes) if lengths.contains(&bytes) => {
                    item.finish(Err(Error::NotProcessed));
                    class_of(bytes)
                }
                Ok(0) => {
                    single(mode, item);
                    DONE
                }
                Err(error) => {
                    item.finish(Err(error));
                    DONE
                }
                Ok(_) => {
                    other(mode, keys, item);
                    DONE
                }
            };
            if *class != DONE {
                sort.count(usize::from(*class));
            }
        }
    }

    /// Claims the items of at most `most` bytes, and processes the others singly. A call that kernels of words share.
    #[inline(never)]
    fn claim_for_lanes<S: MultiBufferSpec>(&mut self, sort: &mut Classes, level: S::Level, most: usize) {
        self.claim::<S>(sort, level, 1..=most, |mode, _, item| single(mode, item));
    }
}

/// Puts the items that were claimed in the order of their classes. Those of other kernels are still unknown.
#[inline(never)]
fn put_in_order<'i, T>(
    items: &'i mut [T],
    classes: &mut [LengthClass],
    sort: &mut Classes,
    order: &mut [Option<&'i mut T>; WINDOW],
) {
    for (item, class) in items.iter_mut().zipped(classes) {
        if *class != DONE && *class != UNKNOWN {
            order[sort.place(usize::from(*class))] = Some(item);
            *class = DONE;
        }
    }
}

/// Processes each of some items singly.
#[inline(never)]
fn all_singly<'k, T: BatchItem<'k>, M: BatchMode<T>>(mode: &M, items: &mut [Option<&mut T>]) {
    for item in items.iter_mut().flatten() {
        single(mode, item);
    }
}

/// Returns the round keys of the members of a group; those of the first in lanes without one.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn keys_of<'k, T: BatchItem<'k>, S: MultiBufferSpec>(
    members: &[Option<&mut T>],
    level: S::Level,
) -> Option<[&'k S::Keys; MOST_LANES]> {
    let first = members[0].as_ref()?.cipher().keys_at::<S>(level)?;
    let mut keys = [first; MOST_LANES];
    for (key, member) in keys.iter_mut().zipped(members) {
        if let Some(member) = member
            && let Some(its) = member.cipher().keys_at::<S>(level)
        {
            *key = its;
        }
    }
    Some(keys)
}

/// Processes a group by `run`, and sets the results of the members that it completed.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn run_group<'k, T: BatchItem<'k>>(
    members: &mut [Option<&mut T>],
    ends: &mut LaneEnds,
    run: impl FnOnce(&mut LaneGroup<'_>),
) {
    let mut group = LaneGroup::new(ends);
    #[allow(clippy::manual_flatten, reason = "flattened, the compiler unrolls the search thousands of times")]
    for member in &mut *members {
        if let Some(item) = member {
            item.open(&mut group);
        }
    }
    // Keeps the group in memory: otherwise the compiler keeps a pointer for each lane on the stack and advances all of them
    // after each row.
    run(black_box(&mut group));
    let done = if T::CHAINED { group.finished() } else { group.written() };
    for (lane, member) in members.iter_mut().enumerate() {
        if let Some(item) = member
            && done >> lane & 1 == 1
        {
            if T::CHAINED {
                item.take_chain(&ends.chains[lane]);
            }
            item.finish(Ok(()));
        }
    }
}
