//! Multi-buffer kernels: a message in each lane of a vector, each under its own key.
//!
//! In [`Backend`](crate::engine::backend::Backend) the lanes of a vector hold blocks of one message. Here they hold blocks
//! of as many messages, which pays for serial modes, where one message leaves the CPU waiting, and for messages too short
//! to fill a vector. The rounds are the same text as there: instead of one key that is splatted to all lanes, each lane
//! has a key of its own.

use super::written::{LaneSet, Written};
use crate::InOutBuf;
use crate::engine::backend::{Backend, ChainingValue, Direction, Secrecy, Spec};
use abreast_simd::lines::{Lines, Parts, PartsMut};
use abreast_simd::{AesIsa, Block, Isa};

/// The most lanes: eight registers of four blocks.
pub(crate) const MOST_LANES: usize = 32;

/// A row: sixteen bytes of each message, one lane after the other.
pub(crate) type Rows = [[u8; 16]; MOST_LANES];

/// Four rows of one message.
pub(crate) type Chunk = [u8; 64];

/// A specification that has multi-buffer kernels.
pub(crate) trait MultiBufferSpec: Spec {
    /// The keys of ciphers that have this specification.
    type Key: 'static;
    /// The common part of the keys of one pass: the level of the kernel, and all else that the rounds depend on.
    type Level: Copy;

    /// The round keys of a cipher, if they are of this specification and level.
    fn keys_at(key: &Self::Key, level: Self::Level) -> Option<&Self::Keys>;
}

/// Encrypts one block of up to [`MOST_LANES`] messages at a time, one message per lane, each under its own key.
///
/// The unit of data is the row: 16 bytes of each message, which are one block or two.
pub(crate) trait MultiBuffer<I: Isa>: MultiBufferSpec {
    /// Messages of one pass, at most [`MOST_LANES`].
    const LANES: usize;
    /// The fewest messages for which a pass is faster than one message after the other.
    const LEAST: usize;

    /// A block of each message.
    type Block: Copy;
    /// The blocks of a row.
    type Row: Copy + AsRef<[Self::Block]> + AsMut<[Self::Block]>;
    /// The round keys of all messages.
    type LaneKeys;

    /// No keys yet, or no longer.
    fn no_keys(isa: I) -> Self::LaneKeys;
    /// Lays out the keys of all messages.
    fn lay_out(isa: I, keys: &[&Self::Keys; MOST_LANES], direction: Direction, out: &mut Self::LaneKeys);

    /// Zeros.
    fn zero(isa: I) -> Self::Row;
    /// Sixteen bytes of each message.
    fn gather<'b>(isa: I, keys: &Self::LaneKeys, row: impl Fn(usize) -> &'b [u8; 16]) -> Self::Row;
    /// The inverse.
    fn scatter(keys: &Self::LaneKeys, row: Self::Row, rows: &mut Rows);
    /// Four rows of each message: where a vector has several lanes, one load brings as many rows of one message.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn gather_chunk<'b>(
        isa: I,
        keys: &Self::LaneKeys,
        chunk: impl Fn(usize) -> &'b Chunk,
        rows: &mut [Self::Row; 4],
    ) {
        for (i, row) in rows.iter_mut().enumerate() {
            *row = Self::gather(
                isa,
                keys,
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |lane| &chunk(lane).as_chunks().0[i],
            );
        }
    }
    /// The inverse, to where rows `row` to `row + 3` are.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn scatter_chunk(keys: &Self::LaneKeys, rows: &[Self::Row; 4], group: &mut LaneGroup<'_>, row: usize) {
        let mut staged = [[0; 16]; MOST_LANES];
        for (i, values) in rows.iter().enumerate() {
            Self::scatter(keys, *values, &mut staged);
            group.replace(row + i, &staged);
        }
    }
    /// The sum of two blocks of each message.
    fn xor(a: Self::Block, b: Self::Block) -> Self::Block;
    /// All rounds forward, for one block of each message.
    fn encrypt_block(isa: I, keys: &Self::LaneKeys, block: Self::Block) -> Self::Block;
    /// All rounds backward, for one block of each message.
    fn decrypt_block(isa: I, keys: &Self::LaneKeys, block: Self::Block) -> Self::Block;
    /// The first eight bytes of each block, zeros after them.
    fn first_half(isa: I, block: Self::Block) -> Self::Block;
}

/// A multi-buffer kernel for modes whose blocks do not wait for each other, too.
pub(crate) trait ParallelMultiBuffer<I: Isa>: MultiBuffer<I> {
    /// Rows that go through the rounds together: 1, 2 or 4.
    const INTERLEAVE: usize;
    /// The rows with which a message fills vectors as well by itself.
    const ENOUGH: usize;

    /// Counter blocks `n` further on: the last 32 bits count, big-endian in memory, modulo 2^32.
    fn count(isa: I, keys: &Self::LaneKeys, block: Self::Block, n: u32) -> Self::Block;
    /// All rounds forward.
    fn encrypt<const N: usize>(isa: I, keys: &Self::LaneKeys, rows: &mut [Self::Row; N]);
    /// All rounds backward.
    fn decrypt<const N: usize>(isa: I, keys: &Self::LaneKeys, rows: &mut [Self::Row; N]);
    /// True if the rounds take any number of rows at run time, in the time of that many.
    const ANY_NUMBER: bool = false;
    /// All rounds forward for the first `_count` rows; the others become anything.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_some<const N: usize>(isa: I, keys: &Self::LaneKeys, rows: &mut [Self::Row; N], _count: usize) {
        Self::encrypt(isa, keys, rows);
    }
    /// [`encrypt_some`](Self::encrypt_some) of counter blocks, which come from registers.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_counters<const N: usize>(
        isa: I,
        keys: &Self::LaneKeys,
        rows: &mut [Self::Row; N],
        count: usize,
    ) {
        Self::encrypt_some(isa, keys, rows, count);
    }
    /// All rounds backward for the first `_count` rows; the others become anything.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt_some<const N: usize>(isa: I, keys: &Self::LaneKeys, rows: &mut [Self::Row; N], _count: usize) {
        Self::decrypt(isa, keys, rows);
    }
}

/// A backend by AES instructions, for which short messages one after the other are as fast as multi-buffer: the CPU looks
/// far enough ahead to work on several.
pub(crate) trait ShortMessages<I: AesIsa>:
    MultiBuffer<I> + Backend<I, Group = I::Blocks> + Backend<I::Narrow, Group = <I::Narrow as AesIsa>::Blocks>
{
    /// The counter that starts with a given block, as it stands in memory.
    fn counter_of(isa: I, first: &[u8; 16], secrecy: Secrecy) -> <Self as Backend<I>>::Counter;
    /// All rounds forward, each register with its own key.
    fn encrypt_each<J: AesIsa, const N: usize>(
        isa: J,
        keys: [&Self::Keys; N],
        registers: [J::Blocks; N],
    ) -> [J::Blocks; N];
}

/// A batch on its way to the kernel of one of its keys.
pub(crate) trait Batch {
    /// At a kernel for which multi-buffer passes are faster in all modes.
    fn in_lanes<I: Isa, S: ParallelMultiBuffer<I>>(self, isa: I, level: S::Level);
    /// At a kernel for which multi-buffer passes are faster in serial modes only.
    fn by_rounds<I: AesIsa, S: ShortMessages<I>>(self, isa: I, level: S::Level);
}

/// The first and last bytes of each message of a group. One group after the other uses the same memory: to clear it for each
/// takes 4 % of the time of packets of 64 bytes (CBC with AES-NI). So a lane without a message, or whose message has no
/// partial row, holds the bytes of an earlier group, and nothing computed from them is written to a message.
pub(crate) struct LaneEnds {
    /// Per lane, in the first bytes: IV, initial counter block or chaining value. A mode that returns the final chaining
    /// value overwrites it with that.
    pub(crate) chains: Rows,
    /// The partial row at the end of each message.
    tails: Rows,
}

impl LaneEnds {
    /// Zeros.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn new() -> Self {
        Self { chains: [[0; 16]; MOST_LANES], tails: [[0; 16]; MOST_LANES] }
    }
}

/// The messages of one multi-buffer pass, a message per lane, in any order of their lengths.
pub(crate) struct LaneGroup<'a> {
    /// The messages; without their ends where these are kept in `ends`.
    lines: Lines<'a, MOST_LANES>,
    /// Their first and last bytes.
    ends: &'a mut LaneEnds,
    /// Bytes of each, with the tail, and how far they were written.
    written: Written<MOST_LANES>,
    /// The messages whose final chaining value was taken, a bit for each lane.
    finished: LaneSet,
}

impl<'a> LaneGroup<'a> {
    /// No message yet.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn new(ends: &'a mut LaneEnds) -> Self {
        Self { lines: Lines::new(), ends, written: Written::new(), finished: 0 }
    }

    /// Returns the first block of each message.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn chains(&self) -> &Rows {
        &self.ends.chains
    }

    /// Adds a message that is to be changed.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn push(&mut self, chain: ChainingValue, buffer: InOutBuf<'a, 'a, u8>) {
        let (_, tail) = buffer.get_in().as_chunks::<16>();
        let lane = self.lines.used();
        if !tail.is_empty() {
            self.ends.tails[lane] = *Block::from_part(tail).as_bytes();
        }
        self.written.push(lane, buffer.len());
        self.ends.chains[lane] = chain;
        self.lines.push(buffer);
    }

    /// Adds a message that is only read, and the `tail` after its whole rows, `len` bytes in all.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn push_source(&mut self, chain: ChainingValue, source: &'a [u8], tail: [u8; 16], len: usize) {
        let lane = self.lines.used();
        (self.ends.chains[lane], self.ends.tails[lane]) = (chain, tail);
        self.written.push(lane, len);
        self.lines.push_source(source);
    }

    /// The rows of the longest message, the last of which may be a part of one.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn rows(&self) -> usize {
        self.written.rows()
    }

    /// The rows that every message has whole.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn common(&self) -> usize {
        self.lines.common() / 16
    }

    /// Rows from `row` on that every message has.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn parts<const N: usize>(&self, row: usize) -> Parts<'_, 'a, MOST_LANES, N> {
        self.lines.parts(16 * row)
    }

    /// Returns the places of such rows. [`wrote`](Self::wrote) reports them as written.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn parts_mut<const N: usize>(&mut self, row: usize) -> PartsMut<'_, 'a, MOST_LANES, N> {
        self.lines.parts_mut(16 * row)
    }

    /// Notes that the results of `count` rows from `row` on were written, of every message that has them.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn wrote(&mut self, row: usize, count: usize) {
        self.written.wrote(row, count);
    }

    /// The messages that were written to their last byte.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn written(&self) -> LaneSet {
        self.written.complete()
    }

    /// The messages whose final chaining value was taken: it is in [`LaneEnds`].
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn finished(&self) -> LaneSet {
        self.finished
    }

    /// Puts a row in the place of one that every message has.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn replace(&mut self, row: usize, rows: &Rows) {
        let used = self.used();
        let mut places = self.parts_mut(row);
        for (lane, new) in rows.iter().enumerate().take(used) {
            *places.output(lane) = *new;
        }
        self.wrote(row, 1);
    }

    /// A row of any message: in its last one zeros after its end, and in later ones anything.
    fn row(&self, lane: usize, row: usize) -> &[u8; 16] {
        self.lines.input(lane).as_chunks().0.get(row).unwrap_or(&self.ends.tails[lane])
    }

    /// A row of all messages, of which some may have come to their ends.
    #[inline(never)]
    pub(crate) fn last_row(&self, row: usize, rows: &mut Rows) {
        for (lane, place) in rows.iter_mut().enumerate().take(self.used()) {
            *place = *self.row(lane, row);
        }
    }

    /// Returns the number of messages.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn used(&self) -> usize {
        self.lines.used()
    }

    /// Puts a row in the place of one of each message.
    #[inline(never)]
    pub(crate) fn put(&mut self, row: usize, rows: &Rows) {
        for (lane, new) in rows.iter().enumerate().take(self.lines.used()) {
            let (whole, tail) = self.lines.output(lane).as_chunks_mut();
            if let Some(place) = whole.get_mut(row) {
                *place = *new;
            } else if row == whole.len() {
                Block::from(u128::from_le_bytes(*new)).to_part(tail);
            }
        }
        self.wrote(row, 1);
    }

    /// Takes the chaining values after block `block`, of `size` bytes, of the messages of which it is the last.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn finish(&mut self, block: usize, size: usize, chains: impl FnOnce(&mut Rows)) {
        let len = (block + 1) * size;
        let lens = &self.written.lens()[..self.lines.used()];
        if lens.contains(&len) {
            let mut rows = [[0; 16]; MOST_LANES];
            chains(&mut rows);
            for (lane, its) in lens.iter().enumerate() {
                if *its == len {
                    self.ends.chains[lane] = rows[lane];
                    self.finished |= 1 << lane;
                }
            }
        }
    }

    /// Takes the final chaining value of a message.
    pub(crate) fn finish_lane(&mut self, lane: usize, chain: ChainingValue) {
        self.ends.chains[lane] = chain;
        self.finished |= 1 << lane;
    }

    /// Returns all bytes of a message that is changed in place.
    pub(crate) fn message(&mut self, lane: usize) -> &mut [u8] {
        self.lines.output(lane)
    }
}
