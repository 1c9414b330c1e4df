//! From a batch to kernels: which packets go together, and in what order.

use crate::Error;
use crate::ciphers::CipherRef;
use crate::engine::backend::{Chain, Direction};
use crate::engine::multibuf::{Batch, ByRounds, Group, InLanes, MOST_LANES, RowsInLanes};
use abreast_simd::{AesIsa, Isa};
use core::hint::black_box;
use core::ops::RangeInclusive;
use zeroize::optimization_barrier;

/// Packets that are sorted at a time.
pub(crate) const WINDOW: usize = 128;
const _: () = assert!(WINDOW <= 1 << u8::BITS, "places in a window are bytes");

/// What a mode does with the items of a batch.
pub(super) trait BatchMode<'k, T>: Copy {
    /// The cipher of an item.
    fn cipher(item: &T) -> CipherRef<'k>;
    /// How many bytes of it may go into a lane, or why it is refused. If none, it goes alone. `block` is the block
    /// size of its cipher, a constant where it matters.
    fn check(&self, item: &T, block: usize) -> Result<usize, Error>;
    /// Notes the result of an item.
    fn done(item: &mut T, result: Result<(), Error>);
    /// Does an item by itself, or says why it is refused.
    fn alone(&self, item: &mut T) -> Result<(), Error>;
}

/// A mode that is done in lanes.
pub(super) trait LaneMode<'k, T>: BatchMode<'k, T> {
    /// Which round keys.
    const DIRECTION: Direction;

    /// Adds an item to a group.
    fn open<'a>(item: &'a mut T, group: &mut Group<'a>);
    /// Whether the result of the mode is the final chaining value of an item (CMAC), and not what is written of it.
    const CHAINED: bool = false;
    /// Hands the final chaining value to its item.
    fn take_chain(_: &mut T, _: &Chain) {}
}

/// A mode that AES instructions do for one item next to another.
pub(super) trait OneMode<'k, T>: BatchMode<'k, T> {
    /// Does an item that was checked, and gives its result.
    fn one<I: AesIsa, S: ByRounds<I>>(&self, isa: I, keys: &S::Keys, item: &mut T) -> Result<(), Error>;
    /// Whether four items are such that nothing is wrong with them and they go better together.
    #[inline(always)]
    fn suits_four(&self, _: &[T; 4]) -> bool {
        false
    }
    /// Does four such items.
    #[inline(always)]
    fn four<I: AesIsa, S: ByRounds<I>>(&self, _: I, _: [&S::Keys; 4], _: &mut [T; 4]) {}
}

/// A mode that is a chain.
pub(super) trait ChainMode<'k, T>: LaneMode<'k, T> + OneMode<'k, T> {
    /// Does a group.
    fn run<I: Isa, S: InLanes<I>>(&self, isa: I, keys: &S::LaneKeys, group: &mut Group<'_>);
}

/// A mode whose blocks do not wait for each other, for others by rows of a group.
pub(super) trait RowMode<'k, T>: LaneMode<'k, T> + OneMode<'k, T> {
    /// Does a group.
    fn run<I: Isa, S: RowsInLanes<I>>(&self, isa: I, keys: &S::LaneKeys, group: &mut Group<'_>);
}

/// The length class of an item, by which a window is sorted so that messages of similar lengths share a group: up to
/// [`EXACT_ROWS`] rows each number of rows is a class, beyond that each power of two. Within a class, items keep the
/// order of the batch; nothing may rely on an order of their lengths.
type Size = u8;

/// The most rows that are a class of their own.
pub(crate) const EXACT_ROWS: usize = 192;
/// The class of an item that is done.
const DONE: Size = 0;
/// The class of an item that has not been examined.
const UNKNOWN: Size = 255;
const _: () = assert!(EXACT_ROWS as u32 + (usize::MAX / 16).ilog2() < UNKNOWN as u32);

/// The class of a message of some bytes, at least one.
#[inline(always)]
fn size_of(bytes: usize) -> Size {
    let rows = bytes.div_ceil(16);
    if rows <= EXACT_ROWS { rows as Size } else { EXACT_ROWS as Size + rows.ilog2() as Size }
}

/// Does a batch in a mode that is a chain.
#[inline(always)]
pub(super) fn chains<'k, T, M: ChainMode<'k, T>>(mode: &M, items: &mut [T]) {
    windows(
        mode,
        items,
        #[inline(always)]
        |cipher, window| cipher.visit_batch(Chains(window)),
    );
}

/// Does a batch in another mode.
#[inline(always)]
pub(super) fn rows<'k, T, M: RowMode<'k, T>>(mode: &M, items: &mut [T]) {
    windows(
        mode,
        items,
        #[inline(always)]
        |cipher, window| cipher.visit_batch(InRows(window)),
    );
}

/// Does a batch in a mode that has no lanes.
#[inline(always)]
pub(super) fn ones<'k, T, M: OneMode<'k, T>>(mode: &M, items: &mut [T]) {
    windows(
        mode,
        items,
        #[inline(always)]
        |cipher, window| cipher.visit_batch(Ones(window)),
    );
}

/// Some items of a batch, and the sizes of those that wait.
struct Window<'d, T, M> {
    mode: &'d M,
    items: &'d mut [T],
    sizes: &'d mut [Size],
}

/// Cuts a batch into windows and takes kernel after kernel.
#[inline(always)]
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

/// Whether an item is not done. All are looked at, as many at a time as a vector holds.
fn any_waits(sizes: &[Size]) -> bool {
    sizes.iter().fold(DONE, |all, size| all | size) != DONE
}

/// Does an item by itself.
fn alone<'k, T, M: BatchMode<'k, T>>(mode: &M, item: &mut T) {
    let result = mode.alone(item);
    M::done(item, result);
}

/// Does an item that was checked, next to others by the same kernel.
#[inline(always)]
fn one<'k, T, M: OneMode<'k, T>, I: AesIsa, S: ByRounds<I>>(mode: &M, isa: I, keys: &S::Keys, item: &mut T) {
    let result = mode.one::<I, S>(isa, keys, item);
    M::done(item, result);
}

struct Chains<'d, T, M>(Window<'d, T, M>);

/// Bytes of a chain so short that AES instructions do better with one next to another: the CPU looks ahead far enough to
/// see the beginnings of several.
pub(crate) const SHORT_CHAIN: usize = 32;
/// Packets that are taken one after the other before four together are looked for again: next to packets that do not go
/// together, others are not likely to either.
pub(crate) const SINGLES: usize = 16;

impl<'k, T, M: ChainMode<'k, T>> Batch for Chains<'_, T, M> {
    #[inline(always)]
    fn in_lanes<I: Isa, S: RowsInLanes<I>>(self, isa: I, level: S::Level) {
        self.0.groups::<I, S>(
            isa,
            level,
            1..=usize::MAX,
            #[inline(always)]
            |mode, keys, group| mode.run::<I, S>(isa, keys, group),
            #[inline(always)]
            |mode, _, item| alone(mode, item),
        );
    }
    #[inline(always)]
    fn by_rounds<I: AesIsa, S: ByRounds<I>>(self, isa: I, level: S::Level) {
        self.0.groups::<I, S>(
            isa,
            level,
            SHORT_CHAIN + 1..=usize::MAX,
            #[inline(always)]
            |mode, keys, group| mode.run::<I, S>(isa, keys, group),
            #[inline(always)]
            |mode, keys, item| one::<_, _, I, S>(mode, isa, keys, item),
        );
    }
}

struct InRows<'d, T, M>(Window<'d, T, M>);

impl<'k, T, M: RowMode<'k, T>> Batch for InRows<'_, T, M> {
    #[inline(always)]
    fn in_lanes<I: Isa, S: RowsInLanes<I>>(self, isa: I, level: S::Level) {
        self.0.groups::<I, S>(
            isa,
            level,
            1..=16 * S::ENOUGH,
            #[inline(always)]
            |mode, keys, group| mode.run::<I, S>(isa, keys, group),
            #[inline(always)]
            |mode, _, item| alone(mode, item),
        );
    }
    #[inline(always)]
    fn by_rounds<I: AesIsa, S: ByRounds<I>>(self, isa: I, level: S::Level) {
        self.0.ones::<I, S>(isa, level);
    }
}

struct Ones<'d, T, M>(Window<'d, T, M>);

impl<'k, T, M: OneMode<'k, T>> Batch for Ones<'_, T, M> {
    /// All that wait go alone.
    #[inline(always)]
    fn in_lanes<I: Isa, S: RowsInLanes<I>>(self, _: I, _: S::Level) {}
    #[inline(always)]
    fn by_rounds<I: AesIsa, S: ByRounds<I>>(self, isa: I, level: S::Level) {
        self.0.ones::<I, S>(isa, level);
    }
}

/// Does four items together, if all are for this kernel and the mode has them so.
#[inline(always)]
fn four<'k, T, M: OneMode<'k, T>, I: AesIsa, S: ByRounds<I>>(
    mode: M,
    isa: I,
    level: S::Level,
    items: &mut [T; 4],
) -> bool {
    if !mode.suits_four(items) {
        return false;
    }
    let [a, b, c, d] = &*items;
    if let Some(a) = M::cipher(a).keys_at::<S>(level)
        && let Some(b) = M::cipher(b).keys_at::<S>(level)
        && let Some(c) = M::cipher(c).keys_at::<S>(level)
        && let Some(d) = M::cipher(d).keys_at::<S>(level)
    {
        mode.four::<I, S>(isa, [a, b, c, d], items);
        for item in items {
            M::done(item, Ok(()));
        }
        return true;
    }
    false
}

impl<'d, T, M> Window<'d, T, M> {
    /// Does all items that wait for this kernel, one after the other, as close as can be.
    #[inline(always)]
    fn ones<'k, I: AesIsa, S: ByRounds<I>>(self, isa: I, level: S::Level)
    where
        M: OneMode<'k, T>,
    {
        let Self { mode, items, sizes } = self;
        let mode = *mode;
        let mut at = 0;
        while at < items.len() {
            let (fours, _) = items[at..].as_chunks_mut();
            let (four_sizes, _) = sizes[at..].as_chunks_mut();
            for (items, sizes) in fours.iter_mut().zip(four_sizes) {
                if *sizes != [UNKNOWN; 4] || !four::<_, _, I, S>(mode, isa, level, items) {
                    break;
                }
                *sizes = [DONE; 4];
                at += 4;
            }
            let singles = at..items.len().min(at + SINGLES);
            at = singles.end;
            for (item, size) in items[singles.clone()].iter_mut().zip(&mut sizes[singles]) {
                if let Some(keys) = M::cipher(item).keys_at::<S>(level)
                    && *size != DONE
                {
                    *size = DONE;
                    match mode.check(item, S::BLOCK) {
                        Ok(0) => alone(&mode, item),
                        Ok(_) => one::<_, _, I, S>(&mode, isa, keys, item),
                        Err(error) => M::done(item, Err(error)),
                    }
                }
            }
        }
    }

    /// Does all items that wait for this kernel: in groups, those that have so many bytes, and the others by `other`.
    #[inline(always)]
    fn groups<'k, I: Isa, S: InLanes<I>>(
        self,
        isa: I,
        level: S::Level,
        lengths: RangeInclusive<usize>,
        run: impl Fn(&M, &S::LaneKeys, &mut Group<'_>),
        other: impl Fn(&M, &S::Keys, &mut T),
    ) where
        M: LaneMode<'k, T>,
    {
        let Self { mode, items, sizes } = self;
        // Where those of each size begin, in the order of sizes.
        let mut begins = [0_u8; 256];
        let mut waiting = 0;
        for (item, size) in items.iter_mut().zip(&mut *sizes) {
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
                begins[usize::from(*size)] += 1;
                waiting += 1;
            }
        }
        if waiting == 0 {
            return;
        }
        // The longest ones, if they are too few for a group, are left.
        let last = waiting % S::LANES;
        let taken = if last < S::LEAST { waiting - last } else { waiting };
        let mut all = 0;
        for begin in &mut begins {
            all += core::mem::replace(begin, all);
        }
        // The items of this kernel that wait, by their classes. Those of other kernels are still unknown.
        let mut order = [0_u8; WINDOW];
        for (n, size) in sizes.iter_mut().enumerate() {
            if *size != DONE && *size != UNKNOWN {
                let place = &mut begins[usize::from(*size)];
                order[usize::from(*place)] = n as u8;
                *place += 1;
                *size = DONE;
            }
        }
        let mut items = items.iter_mut();
        #[allow(clippy::disallowed_methods, reason = "an array of references, before any vector")]
        let mut items: [Option<&mut T>; WINDOW] = core::array::from_fn(|_| items.next());
        for n in &order[taken..waiting] {
            if let Some(item) = items[usize::from(*n)].take() {
                alone(mode, item);
            }
        }
        if taken == 0 {
            return;
        }
        let mut lane_keys = S::no_keys(isa);
        for places in order[..taken].chunks(S::LANES) {
            let mut members = [const { None }; MOST_LANES];
            for (member, n) in members.iter_mut().zip(places) {
                *member = items[usize::from(*n)].take();
            }
            let members = &mut members[..places.len()];
            let Some(first) = members[0].as_ref().and_then(
                #[inline(always)]
                |first| M::cipher(first).keys_at::<S>(level),
            ) else {
                return;
            };
            let mut keys = [first; MOST_LANES];
            for (key, member) in keys.iter_mut().zip(&*members) {
                if let Some(member) = member
                    && let Some(its) = M::cipher(member).keys_at::<S>(level)
                {
                    *key = its;
                }
            }
            S::lay_out(isa, &keys, M::DIRECTION, &mut lane_keys);
            let mut group = Group::new();
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
            let (done, chains) =
                if M::CHAINED { (group.finished(), Some(group.chains)) } else { (group.written(), None) };
            for (lane, member) in members.iter_mut().enumerate() {
                if let Some(item) = member
                    && done >> lane & 1 == 1
                {
                    if let Some(chains) = &chains {
                        M::take_chain(item, &chains[lane]);
                    }
                    M::done(item, Ok(()));
                }
            }
        }
        lane_keys = S::no_keys(isa);
        optimization_barrier(&lane_keys);
    }
}
