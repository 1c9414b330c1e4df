//! From a batch to kernels: which packets go together, and in what order.

use super::key::Cipher;
use crate::Error;
use crate::lanes::{Group, InLanes, LaneData, MOST_LANES, RowsInLanes};
use crate::spec::{Direction, On};
use crate::work::Chain;
use abreast_simd::Isa;
use zeroize::optimization_barrier;

/// Packets that are sorted at a time.
const WINDOW: usize = 128;

/// What a mode does with the items of a batch.
pub(super) trait BatchMode<'k, T> {
    /// What of an item goes into a lane.
    type Data<'d>: LaneData
    where
        T: 'd;
    /// Which round keys.
    const DIRECTION: Direction;

    /// The cipher of an item.
    fn cipher(item: &T) -> Cipher<'k>;
    /// How many bytes of it may go into a lane, or why it is refused. If none, it goes alone.
    fn check(&self, item: &T) -> Result<usize, Error>;
    /// Says what became of an item.
    fn done(item: &mut T, result: Result<(), Error>);
    /// Does an item by itself.
    fn alone(&self, item: &mut T) -> Result<(), Error>;
    /// What of an item goes into a lane, and what its chain begins with.
    fn open(item: &mut T) -> (Self::Data<'_>, Chain);
    /// No data.
    fn none<'d>() -> Self::Data<'d>
    where
        T: 'd;
}

/// A mode that is a chain.
pub(super) trait ChainMode<'k, T>: BatchMode<'k, T> {
    /// Does a group.
    fn run<'d, I: Isa, S: InLanes<I>>(&self, isa: I, keys: &S::LaneKeys, group: &mut Group<Self::Data<'d>>)
    where
        T: 'd;
}

/// A mode whose blocks do not wait for each other.
pub(super) trait RowMode<'k, T>: BatchMode<'k, T> {
    /// Does a group.
    fn run<'d, I: Isa, S: RowsInLanes<I>>(
        &self,
        isa: I,
        keys: &S::LaneKeys,
        group: &mut Group<Self::Data<'d>>,
    ) where
        T: 'd;
    /// Does an item that was checked, next to others.
    fn one<I: Isa, S: On<I>>(&self, isa: I, keys: &S::Keys, item: &mut T);
}

/// A batch on its way to the kernel of one of its keys.
pub(crate) trait Batch {
    /// At a kernel for which all modes are better in lanes.
    fn in_lanes<I: Isa, S: RowsInLanes<I>>(self, isa: I, level: S::Level);
    /// At a kernel for which chains are.
    fn by_rounds<I: Isa, S: InLanes<I> + On<I>>(self, isa: I, level: S::Level);
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

/// A place among the items by the rows that an item has; 0 once it is done.
type Size = u8;

/// The size of so many bytes, some: of the order of their rows, and the same for the same up to 192.
fn size_of(bytes: usize) -> Size {
    let rows = bytes.div_ceil(16);
    if rows <= 192 { rows as Size } else { (192 + rows.ilog2()).min(255) as Size }
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
        let mut sizes = [0; WINDOW];
        let sizes = &mut sizes[..items.len()];
        for (item, size) in items.iter_mut().zip(&mut *sizes) {
            match mode.check(item) {
                Ok(0) => {
                    let result = mode.alone(item);
                    M::done(item, result);
                }
                Ok(bytes) => {
                    M::done(item, Ok(()));
                    *size = size_of(bytes);
                }
                Err(error) => M::done(item, Err(error)),
            }
        }
        while let Some(first) = sizes.iter().position(|&size| size != 0) {
            visit(M::cipher(&items[first]), Window { mode, items, sizes });
            if sizes[first] != 0 {
                sizes[first] = 0;
                let result = mode.alone(&mut items[first]);
                M::done(&mut items[first], result);
            }
        }
    }
}

struct Chains<'d, T, M>(Window<'d, T, M>);

impl<'k, T, M: ChainMode<'k, T>> Batch for Chains<'_, T, M> {
    #[inline(always)]
    fn in_lanes<I: Isa, S: RowsInLanes<I>>(self, isa: I, level: S::Level) {
        self.0.groups::<I, S>(
            isa,
            level,
            usize::MAX,
            #[inline(always)]
            |mode, keys, group| mode.run::<I, S>(isa, keys, group),
        );
    }
    #[inline(always)]
    fn by_rounds<I: Isa, S: InLanes<I> + On<I>>(self, isa: I, level: S::Level) {
        self.0.groups::<I, S>(
            isa,
            level,
            usize::MAX,
            #[inline(always)]
            |mode, keys, group| mode.run::<I, S>(isa, keys, group),
        );
    }
}

struct InRows<'w, T, M>(Window<'w, T, M>);

impl<'k, T, M: RowMode<'k, T>> Batch for InRows<'_, T, M> {
    #[inline(always)]
    fn in_lanes<I: Isa, S: RowsInLanes<I>>(self, isa: I, level: S::Level) {
        self.0.groups::<I, S>(
            isa,
            level,
            S::ENOUGH,
            #[inline(always)]
            |mode, keys, group| mode.run::<I, S>(isa, keys, group),
        );
    }
    /// One after the other, as close as can be.
    #[inline(always)]
    fn by_rounds<I: Isa, S: InLanes<I> + On<I>>(self, isa: I, level: S::Level) {
        let Window { mode, items, sizes } = self.0;
        for (item, size) in items.iter_mut().zip(sizes) {
            if *size != 0
                && let Some(keys) = S::keys_of(M::cipher(item), level)
            {
                *size = 0;
                mode.one::<I, S>(isa, keys, item);
            }
        }
    }
}

impl<'d, T, M> Window<'d, T, M> {
    /// Does all items that wait for this kernel, have no more than `most` rows, and fill a group.
    #[inline(always)]
    fn groups<'k, I: Isa, S: InLanes<I>>(
        self,
        isa: I,
        level: S::Level,
        most: usize,
        run: impl Fn(&M, &S::LaneKeys, &mut Group<M::Data<'d>>),
    ) where
        M: BatchMode<'k, T>,
    {
        let Self { mode, items, sizes } = self;
        let keys_of = |item: &T, size: Size| {
            if size == 0 || usize::from(size) > most { None } else { S::keys_of(M::cipher(item), level) }
        };
        // Where those of each size begin, in the order of sizes.
        let mut begins = [0_u8; 256];
        let mut waiting = 0;
        for (item, &size) in items.iter().zip(&*sizes) {
            if keys_of(item, size).is_some() {
                begins[usize::from(size)] += 1;
                waiting += 1;
            }
        }
        // The longest ones, if they are too few for a group, are left.
        let last = waiting % S::LANES;
        let taken = if last < S::LEAST { waiting - last } else { waiting };
        if taken == 0 {
            return;
        }
        let mut all = 0;
        for begin in &mut begins {
            all += core::mem::replace(begin, all);
        }
        let mut order = [const { None }; WINDOW];
        for (item, size) in items.iter_mut().zip(sizes) {
            if let Some(keys) = keys_of(item, *size) {
                let place = &mut begins[usize::from(*size)];
                if usize::from(*place) < taken {
                    *size = 0;
                    order[usize::from(*place)] = Some((keys, item));
                }
                *place += 1;
            }
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
            let opened = members.iter_mut().filter_map(|member| Some(M::open(member.take()?.1)));
            let mut group = Group::new(opened, M::none);
            run(mode, &lane_keys, &mut group);
        }
        lane_keys = S::no_keys(isa);
        optimization_barrier(&lane_keys);
    }
}
