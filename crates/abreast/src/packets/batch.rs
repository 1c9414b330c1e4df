//! From a batch to kernels: which packets go together, and in what order.

use super::key::Cipher;
use crate::Error;
use crate::lanes::{ByRounds, Group, InLanes, MOST_LANES, RowsInLanes};
use crate::spec::Direction;
use crate::work::Chain;
use abreast_simd::{AesIsa, Isa};
use core::hint::black_box;
use core::ops::RangeInclusive;
use zeroize::optimization_barrier;

/// Packets that are sorted at a time.
const WINDOW: usize = 128;

/// What a mode does with the items of a batch.
pub(super) trait BatchMode<'k, T>: Copy {
    /// The cipher of an item.
    fn cipher(item: &T) -> Cipher<'k>;
    /// How many bytes of it may go into a lane, or why it is refused. If none, it goes alone. `block` is the block
    /// size of its cipher, a constant where it matters.
    fn check(&self, item: &T, block: usize) -> Result<usize, Error>;
    /// Says what became of an item.
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
    /// Whether an item wants to know what became of the chaining value.
    const CLOSES: bool = false;
    /// Tells it.
    fn close(_: &mut T, _: &Chain) {}
}

/// A mode that AES instructions do for one item next to another.
pub(super) trait OneMode<'k, T>: BatchMode<'k, T> {
    /// Does an item that was checked.
    fn one<I: AesIsa, S: ByRounds<I>>(&self, isa: I, keys: &S::Keys, item: &mut T);
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

/// A batch on its way to the kernel of one of its keys.
pub(crate) trait Batch {
    /// At a kernel for which all modes are better in lanes.
    fn in_lanes<I: Isa, S: RowsInLanes<I>>(self, isa: I, level: S::Level);
    /// At a kernel for which chains are.
    fn by_rounds<I: AesIsa, S: ByRounds<I>>(self, isa: I, level: S::Level);
}

impl Cipher<'_> {
    /// Runs a batch at the kernel of this key, if it has one for batches.
    #[inline(always)]
    fn visit(self, batch: impl Batch) {
        match self {
            Cipher::Aes128(aes) => aes.visit_batch(batch),
            Cipher::Aes192(aes) => aes.visit_batch(batch),
            Cipher::Aes256(aes) => aes.visit_batch(batch),
            Cipher::Serpent(serpent) => serpent.visit_batch(batch),
            Cipher::Xtea(xtea) => xtea.visit_batch(batch),
        }
    }
}

/// How large an item is, for the order: by its rows, exactly up to 192.
type Size = u8;

/// Of an item that is done.
const DONE: Size = 0;
/// Of one that nobody has looked at.
const UNKNOWN: Size = 255;

/// The size of so many bytes, some.
#[inline(always)]
fn size_of(bytes: usize) -> Size {
    let rows = bytes.div_ceil(16);
    if rows <= 192 { rows as Size } else { (192 + rows.ilog2()) as Size }
}

/// Does a batch in a mode that is a chain.
#[inline(always)]
pub(super) fn chains<'k, T, M: ChainMode<'k, T>>(mode: &M, items: &mut [T]) {
    windows(
        mode,
        items,
        #[inline(always)]
        |cipher, window| cipher.visit(Chains(window)),
    );
}

/// Does a batch in another mode.
#[inline(always)]
pub(super) fn rows<'k, T, M: RowMode<'k, T>>(mode: &M, items: &mut [T]) {
    windows(
        mode,
        items,
        #[inline(always)]
        |cipher, window| cipher.visit(InRows(window)),
    );
}

/// Does a batch in a mode that has no lanes.
#[inline(always)]
pub(super) fn ones<'k, T, M: OneMode<'k, T>>(mode: &M, items: &mut [T]) {
    windows(
        mode,
        items,
        #[inline(always)]
        |cipher, window| cipher.visit(Ones(window)),
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
    visit: impl Fn(Cipher<'k>, Window<'_, T, M>),
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

struct Chains<'d, T, M>(Window<'d, T, M>);

/// Bytes of a chain so short that AES instructions do better with one next to another: the CPU looks ahead far enough to
/// see the beginnings of several.
const SHORT_CHAIN: usize = 32;

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
            |mode, keys, item| {
                M::done(item, Ok(()));
                mode.one::<I, S>(isa, keys, item);
            },
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
    if let Some(a) = S::keys_of(M::cipher(a), level)
        && let Some(b) = S::keys_of(M::cipher(b), level)
        && let Some(c) = S::keys_of(M::cipher(c), level)
        && let Some(d) = S::keys_of(M::cipher(d), level)
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
            // Where some do not go together, those behind them are not likely to.
            let singles = at..items.len().min(at + 16);
            at = singles.end;
            for (item, size) in items[singles.clone()].iter_mut().zip(&mut sizes[singles]) {
                if let Some(keys) = S::keys_of(M::cipher(item), level)
                    && *size != DONE
                {
                    *size = DONE;
                    match mode.check(item, S::BLOCK) {
                        Ok(0) => alone(&mode, item),
                        Ok(_) => {
                            M::done(item, Ok(()));
                            mode.one::<I, S>(isa, keys, item);
                        }
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
            let Some(keys) = S::keys_of(M::cipher(item), level).filter(|_| *size != DONE) else {
                continue;
            };
            *size = match mode.check(item, S::BLOCK) {
                Ok(bytes) if lengths.contains(&bytes) => size_of(bytes),
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
        // The longest ones, if they are too few for a group, are left.
        let last = waiting % S::LANES;
        let taken = if last < S::LEAST { waiting - last } else { waiting };
        let mut all = 0;
        for begin in &mut begins {
            all += core::mem::replace(begin, all);
        }
        let mut order = [const { None }; WINDOW];
        for (item, size) in items.iter_mut().zip(sizes) {
            if *size != DONE
                && let Some(keys) = S::keys_of(M::cipher(item), level)
            {
                let place = &mut begins[usize::from(*size)];
                if usize::from(*place) < taken {
                    M::done(item, Ok(()));
                    order[usize::from(*place)] = Some((keys, item));
                } else {
                    alone(mode, item);
                }
                *place += 1;
                *size = DONE;
            }
        }
        if taken == 0 {
            return;
        }
        let mut lane_keys = S::no_keys(isa);
        for members in order[..taken].chunks_mut(S::LANES) {
            let Some((first, _)) = &members[0] else { return };
            let mut keys = [*first; MOST_LANES];
            for (key, member) in keys.iter_mut().zip(&*members) {
                if let Some((its, _)) = member {
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
                if let Some((_, item)) = member {
                    M::open(item, &mut group);
                }
            }
            // Where messages are is to stay in memory: the compiler would rather count up as many pointers as there
            // are lanes, on the stack.
            run(mode, &lane_keys, black_box(&mut group));
            if M::CLOSES {
                let chains = group.chains;
                for (member, chain) in members.iter_mut().zip(&chains) {
                    if let Some((_, item)) = member {
                        M::close(item, chain);
                    }
                }
            }
        }
        lane_keys = S::no_keys(isa);
        optimization_barrier(&lane_keys);
    }
}
