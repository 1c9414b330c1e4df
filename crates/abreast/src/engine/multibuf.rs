//! A key for each lane: what a cipher's author writes so that packets can go side by side.
//!
//! In [`On`](crate::engine::backend::On) the lanes of a vector are blocks of one message. Here they are blocks of as many
//! messages, each with its key, which is what modes that are chains want, and messages too short to fill a
//! vector. The rounds are the same text: where one key is splatted to all lanes, here each lane has its own.

use super::written::{Lanes, Written};
use crate::InOutBuf;
use crate::engine::backend::{Chain, Direction, On, Secrecy, Spec};
use abreast_simd::lines::{Lines, Parts, PartsMut};
use abreast_simd::{AesIsa, Block, Isa};

/// The most lanes: eight registers of four blocks.
pub(crate) const MOST_LANES: usize = 32;

/// A row: sixteen bytes of each message, one lane after the other.
pub(crate) type Rows = [[u8; 16]; MOST_LANES];

/// Four rows of one message.
pub(crate) type Chunk = [u8; 64];

/// A specification that has kernels with a key for each lane.
pub(crate) trait LaneSpec: Spec {
    /// The cipher's public type.
    type Key: 'static;
    /// What the keys of one pass have in common: the level of the kernel, and what else the rounds depend on.
    type Level: Copy;

    /// The round keys of a cipher, if they are of this specification and level.
    fn keys_at(key: &Self::Key, level: Self::Level) -> Option<&Self::Keys>;
}

/// Such a kernel.
///
/// Messages are taken by rows of 16 bytes, which are one block or two.
pub(crate) trait InLanes<I: Isa>: LaneSpec {
    /// Messages side by side, at most [`MOST_LANES`].
    const LANES: usize;
    /// The fewest messages for which that is better than one after the other.
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
    /// The converse.
    fn scatter(keys: &Self::LaneKeys, row: Self::Row, rows: &mut Rows);
    /// Four rows of each message: where a vector has several lanes, one load brings as many rows of one message.
    #[inline(always)]
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
                #[inline(always)]
                |lane| &chunk(lane).as_chunks().0[i],
            );
        }
    }
    /// The converse, to where rows `row` to `row + 3` are.
    #[inline(always)]
    fn scatter_chunk(keys: &Self::LaneKeys, rows: &[Self::Row; 4], group: &mut Group<'_>, row: usize) {
        let mut staged = [[0; 16]; MOST_LANES];
        for (i, values) in rows.iter().enumerate() {
            Self::scatter(keys, *values, &mut staged);
            group.replace(row + i, &staged);
        }
    }
    /// The sum of two blocks of each message.
    fn add(a: Self::Block, b: Self::Block) -> Self::Block;
    /// All rounds forward, for one block of each message.
    fn encrypt_block(isa: I, keys: &Self::LaneKeys, block: Self::Block) -> Self::Block;
}

/// A kernel that also goes side by side where the mode is no chain.
pub(crate) trait RowsInLanes<I: Isa>: InLanes<I> {
    /// Rows that go through the rounds together: 1, 2 or 4.
    const DEPTH: usize;
    /// The rows with which a message fills vectors as well by itself.
    const ENOUGH: usize;

    /// Counter blocks `n` further on: the last 32 bits count, big-endian in memory, modulo 2^32.
    fn count(isa: I, keys: &Self::LaneKeys, block: Self::Block, n: u32) -> Self::Block;
    /// All rounds forward.
    fn encrypt<const N: usize>(isa: I, keys: &Self::LaneKeys, rows: &mut [Self::Row; N]);
    /// All rounds backward.
    fn decrypt<const N: usize>(isa: I, keys: &Self::LaneKeys, rows: &mut [Self::Row; N]);
}

/// A kernel by AES instructions, for which short messages one after the other are as good as side by side.
pub(crate) trait ByRounds<I: AesIsa>:
    InLanes<I> + On<I, Group = I::Blocks> + On<I::Narrow, Group = <I::Narrow as AesIsa>::Blocks>
{
    /// The counter that starts with a given block, as it stands in memory.
    fn counter_of(isa: I, first: &[u8; 16], secrecy: Secrecy) -> <Self as On<I>>::Counter;
    /// The first groups of counter blocks, of which the last byte counts and no more, modulo 256.
    fn first_counters<const N: usize>(isa: I, first: &[u8; 16]) -> [<Self as On<I>>::Group; N];
    /// All rounds forward, each register with its own key.
    fn encrypt_each<J: AesIsa, const N: usize>(
        isa: J,
        keys: [&Self::Keys; N],
        registers: [J::Blocks; N],
    ) -> [J::Blocks; N];
}

/// A batch on its way to the kernel of one of its keys.
pub(crate) trait Batch {
    /// At a kernel for which all modes are better in lanes.
    fn in_lanes<I: Isa, S: RowsInLanes<I>>(self, isa: I, level: S::Level);
    /// At a kernel for which chains are.
    fn by_rounds<I: AesIsa, S: ByRounds<I>>(self, isa: I, level: S::Level);
}

/// Messages side by side, in any order of their lengths.
pub(crate) struct Group<'a> {
    /// The messages, or all of them but their ends.
    lines: Lines<'a, MOST_LANES>,
    /// What each begins with: vector, counter block or chaining value, in the first bytes. Where a mode wants what is
    /// behind the last block, that takes its place.
    pub(crate) chains: Rows,
    /// What is behind the whole rows of each.
    tails: Rows,
    /// Bytes of each, with the tail, and how far they were written.
    written: Written<MOST_LANES>,
    /// The messages whose final chaining value was taken, a bit for each lane.
    finished: Lanes,
}

impl<'a> Group<'a> {
    /// No message yet.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self {
            lines: Lines::new(),
            chains: [[0; 16]; MOST_LANES],
            tails: [[0; 16]; MOST_LANES],
            written: Written::new(),
            finished: 0,
        }
    }

    /// Adds a message that is to be changed.
    #[inline(always)]
    pub(crate) fn push(&mut self, chain: Chain, buffer: InOutBuf<'a, 'a, u8>) {
        let (_, tail) = buffer.get_in().as_chunks::<16>();
        let lane = self.lines.used();
        if !tail.is_empty() {
            self.tails[lane] = *Block::from_part(tail).as_bytes();
        }
        self.written.push(lane, buffer.len());
        self.chains[lane] = chain;
        self.lines.push(buffer);
    }

    /// Adds a message that is only read, and what is behind its whole rows, so that it has `len` bytes in all.
    #[inline(always)]
    pub(crate) fn push_source(&mut self, chain: Chain, source: &'a [u8], tail: [u8; 16], len: usize) {
        let lane = self.lines.used();
        (self.chains[lane], self.tails[lane]) = (chain, tail);
        self.written.push(lane, len);
        self.lines.push_source(source);
    }

    /// The rows of the longest message, the last of which may be a part of one.
    #[inline(always)]
    pub(crate) fn rows(&self) -> usize {
        self.written.rows()
    }

    /// The rows that every message has whole.
    #[inline(always)]
    pub(crate) fn common(&self) -> usize {
        self.lines.common() / 16
    }

    /// Rows from `row` on that every message has.
    #[inline(always)]
    pub(crate) fn parts<const N: usize>(&self, row: usize) -> Parts<'_, 'a, MOST_LANES, N> {
        self.lines.parts(16 * row)
    }

    /// Where such rows go. Who has written them says so by [`wrote`](Self::wrote).
    #[inline(always)]
    pub(crate) fn parts_mut<const N: usize>(&mut self, row: usize) -> PartsMut<'_, 'a, MOST_LANES, N> {
        self.lines.parts_mut(16 * row)
    }

    /// Notes that the results of `count` rows from `row` on were written, of every message that has them.
    #[inline(always)]
    pub(crate) fn wrote(&mut self, row: usize, count: usize) {
        self.written.wrote(row, count);
    }

    /// The messages that were written to their last byte.
    #[inline(always)]
    pub(crate) fn written(&self) -> Lanes {
        self.written.complete()
    }

    /// The messages whose final chaining value was taken: it is in `chains`.
    #[inline(always)]
    pub(crate) fn finished(&self) -> Lanes {
        self.finished
    }

    /// Puts a row in the place of one that every message has.
    #[inline(always)]
    pub(crate) fn replace(&mut self, row: usize, rows: &Rows) {
        let used = self.used();
        let mut places = self.parts_mut(row);
        for (lane, new) in rows.iter().enumerate().take(used) {
            *places.output(lane) = *new;
        }
        self.wrote(row, 1);
    }

    /// A row of any message: zeros behind its end, and anything after that.
    fn row(&self, lane: usize, row: usize) -> &[u8; 16] {
        self.lines.input(lane).as_chunks().0.get(row).unwrap_or(&self.tails[lane])
    }

    /// A row of all messages, of which some may have come to their ends.
    #[inline(never)]
    pub(crate) fn last_row(&self, row: usize, rows: &mut Rows) {
        for (lane, place) in rows.iter_mut().enumerate().take(self.used()) {
            *place = *self.row(lane, row);
        }
    }

    /// How many messages there are.
    #[inline(always)]
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

    /// Takes the chaining values behind block `block`, of `size` bytes, of the messages of which it is the last.
    #[inline(always)]
    pub(crate) fn finish(&mut self, block: usize, size: usize, chains: impl FnOnce(&mut Rows)) {
        let len = (block + 1) * size;
        let lens = &self.written.lens()[..self.lines.used()];
        if lens.contains(&len) {
            let mut rows = [[0; 16]; MOST_LANES];
            chains(&mut rows);
            for (lane, its) in lens.iter().enumerate() {
                if *its == len {
                    self.chains[lane] = rows[lane];
                    self.finished |= 1 << lane;
                }
            }
        }
    }
}
