//! Loops over the rows of a multi-buffer group, for parallel and for serial modes: rows into registers and back, as many at
//! a time as the kernel interleaves.

use crate::engine::multibuf::{LaneGroup, MOST_LANES, MultiBuffer, ParallelMultiBuffer, Rows};
use abreast_simd::Isa;

/// No rows.
pub(in crate::packets) const ZEROS: Rows = [[0; 16]; MOST_LANES];

/// The work of a parallel mode on rows, which do not wait for each other.
pub(in crate::packets) trait RowLoop {
    /// Processes rows `row` to `row + N - 1`, of which the last ones may be beyond the end of every message.
    fn step<const N: usize>(&mut self, row: usize);
}

/// Processes all rows of a group, as many at a time as the kernel interleaves. Three rows take a pass of four: a backend
/// that is latency-bound does four in the time of three.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(in crate::packets) fn by_depth<I: Isa, S: ParallelMultiBuffer<I>>(rows: usize, steps: &mut impl RowLoop) {
    let mut row = 0;
    while row < rows {
        let left = rows - row;
        if S::INTERLEAVE >= 4 && left >= if S::ANY_NUMBER { 2 } else { 3 } {
            steps.step::<4>(row);
            row += 4;
        } else if S::INTERLEAVE >= 2 && !S::ANY_NUMBER && left >= 2 {
            steps.step::<2>(row);
            row += 2;
        } else {
            steps.step::<1>(row);
            row += 1;
        }
    }
}

/// A row of all messages. `WHOLE` if all have it.
///
/// A call of its own ([`Isa::run`]) and not inlined, because many loops gather rows and a server that wakes up for a batch
/// waits until its code is loaded.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(in crate::packets) fn gather<const WHOLE: bool, I: Isa, S: MultiBuffer<I>>(
    isa: I,
    keys: &S::LaneKeys,
    group: &LaneGroup<'_>,
    row: usize,
    out: &mut S::Row,
) {
    isa.run(
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || {
            isa.align_frame();
            if WHOLE {
                let parts = group.parts(row);
                *out = S::gather(
                    isa,
                    keys,
                    #[cfg_attr(not(abreast_unoptimized), inline(always))]
                    |lane| parts.get(lane),
                );
            } else {
                let mut rows = ZEROS;
                group.last_row(row, &mut rows);
                *out = S::gather(
                    isa,
                    keys,
                    #[cfg_attr(not(abreast_unoptimized), inline(always))]
                    |lane| &rows[lane],
                );
            }
        },
    );
}

/// `N` rows of all messages, zeros where no message has one.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(in crate::packets) fn gather_rows<const N: usize, I: Isa, S: MultiBuffer<I>>(
    isa: I,
    keys: &S::LaneKeys,
    group: &LaneGroup<'_>,
    row: usize,
) -> [S::Row; N] {
    let mut rows = [S::zero(isa); N];
    for (i, place) in rows.iter_mut().enumerate() {
        if row + i < group.common() {
            gather::<true, I, S>(isa, keys, group, row + i, place);
        } else if row + i < group.rows() {
            gather::<false, I, S>(isa, keys, group, row + i, place);
        }
    }
    rows
}

/// The inverse of [`gather`].
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(in crate::packets) fn scatter<const WHOLE: bool, I: Isa, S: MultiBuffer<I>>(
    isa: I,
    keys: &S::LaneKeys,
    values: &S::Row,
    group: &mut LaneGroup<'_>,
    row: usize,
) {
    isa.run(
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || {
            let mut staged = ZEROS;
            S::scatter(keys, *values, &mut staged);
            if WHOLE {
                group.replace(row, &staged);
            } else {
                group.put(row, &staged);
            }
        },
    );
}

/// The inverse of [`gather_rows`].
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(in crate::packets) fn scatter_rows<const N: usize, I: Isa, S: MultiBuffer<I>>(
    isa: I,
    keys: &S::LaneKeys,
    rows: &[S::Row; N],
    group: &mut LaneGroup<'_>,
    row: usize,
) {
    for (i, values) in rows.iter().enumerate() {
        if row + i < group.common() {
            scatter::<true, I, S>(isa, keys, values, group, row + i);
        } else if row + i < group.rows() {
            scatter::<false, I, S>(isa, keys, values, group, row + i);
        }
    }
}

/// Returns the first value of each message, in the first block of a row.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(in crate::packets) fn beginnings<I: Isa, S: MultiBuffer<I>>(
    isa: I,
    keys: &S::LaneKeys,
    group: &LaneGroup<'_>,
) -> S::Row {
    S::gather(
        isa,
        keys,
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        |lane| &group.chains()[lane],
    )
}

/// The work of a chain on the rows of a group, one after the other.
pub(in crate::packets) trait SerialLoop<I: Isa, S: MultiBuffer<I>> {
    /// True if it makes other rows of them, which are written; false if it only reads.
    const WRITES: bool;

    /// Takes a row that all messages have, and in which none ends.
    fn next_row(&mut self, isa: I, keys: &S::LaneKeys, row: &mut S::Row);
    /// Takes row `number`, in which some messages may already have ended.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn last(&mut self, isa: I, keys: &S::LaneKeys, row: &mut S::Row, number: usize, _: &mut LaneGroup<'_>) {
        let _ = number;
        self.next_row(isa, keys, row);
    }
}

/// Takes all messages through a chain, four rows at a time as far as all have them.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(in crate::packets) fn chain<I: Isa, S: MultiBuffer<I>, L: SerialLoop<I, S>>(
    isa: I,
    keys: &S::LaneKeys,
    group: &mut LaneGroup<'_>,
    links: &mut L,
) {
    let mut rows = [S::zero(isa); 4];
    let mut row = 0;
    while row + 4 <= group.common() {
        let parts = group.parts(row);
        S::gather_chunk(
            isa,
            keys,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |lane| parts.get(lane),
            &mut rows,
        );
        for row in &mut rows {
            links.next_row(isa, keys, row);
        }
        if L::WRITES {
            S::scatter_chunk(keys, &rows, group, row);
        }
        row += 4;
    }
    while row < group.rows() {
        last::<I, S, L>(isa, keys, group, links, row);
        row += 1;
    }
}

/// Takes one row through a chain, in which messages may end.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn last<I: Isa, S: MultiBuffer<I>, L: SerialLoop<I, S>>(
    isa: I,
    keys: &S::LaneKeys,
    group: &mut LaneGroup<'_>,
    links: &mut L,
    row: usize,
) {
    let [mut blocks] = gather_rows::<1, I, S>(isa, keys, group, row);
    links.last(isa, keys, &mut blocks, row, group);
    if L::WRITES {
        scatter_rows::<1, I, S>(isa, keys, &[blocks], group, row);
    }
}

/// The xor of two blocks in memory.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(in crate::packets) fn xor_blocks(a: &[u8; 16], b: &[u8; 16]) -> [u8; 16] {
    (u128::from_ne_bytes(*a) ^ u128::from_ne_bytes(*b)).to_ne_bytes()
}
