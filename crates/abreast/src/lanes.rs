//! A key for each lane: what a cipher's author writes so that packets can go side by side.
//!
//! In [`On`](crate::spec::On) the lanes of a vector are blocks of one message. Here they are blocks of as many
//! messages, each with its key, which is what modes that are chains want, and messages too short to fill a
//! vector. The rounds are the same text: where one key is splatted to all lanes, here each lane has its own.

use crate::packets::Cipher;
use crate::spec::{Direction, Spec};
use crate::work::Chain;
use abreast_simd::Isa;

/// The most lanes: eight registers of four blocks.
pub(crate) const MOST_LANES: usize = 32;

/// A row: sixteen bytes of each message, one lane after the other.
pub(crate) type Rows = [[u8; 16]; MOST_LANES];

/// A specification that has kernels with a key for each lane.
pub(crate) trait LaneSpec: Spec {
    /// What its keys are told apart by.
    type Level: Copy;

    /// The round keys of a cipher, if they are of this specification and level.
    fn keys_of<'k>(cipher: Cipher<'k>, level: Self::Level) -> Option<&'k Self::Keys>;
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

    /// Sixteen bytes of each message.
    fn gather<'b>(isa: I, keys: &Self::LaneKeys, row: impl Fn(usize) -> &'b [u8; 16]) -> Self::Row;
    /// The converse.
    fn scatter(keys: &Self::LaneKeys, row: Self::Row, rows: &mut Rows);
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

/// What is in a lane.
pub(crate) trait LaneData {
    /// Bytes, some of which may not be in [`input`](Self::input).
    fn len(&self) -> usize;
    /// The message as it comes, in whole rows and perhaps some bytes more.
    fn input(&self) -> &[u8];
    /// The bytes behind its whole rows.
    fn tail(&self) -> [u8; 16];
    /// The message as it becomes.
    fn output(&mut self) -> &mut [u8];
    /// Takes the chaining value behind the last block.
    fn finish(&mut self, chain: &Chain);
}

/// Messages side by side, in the order of their lengths.
pub(crate) struct Group<D> {
    data: [D; MOST_LANES],
    /// What each begins with: vector, counter block or chaining value, in the first bytes.
    pub(crate) chains: Rows,
    /// The ends of messages that are no multiple of 16 bytes long.
    tails: Rows,
    /// The lanes in use. The others have no data.
    used: usize,
}

impl<D: LaneData> Group<D> {
    /// Messages and their chaining values. `none` makes an empty one.
    #[inline(always)]
    pub(crate) fn new(members: impl Iterator<Item = (D, Chain)>, none: impl Fn() -> D) -> Self {
        let mut group = Self {
            data: core::array::from_fn(|_| none()),
            chains: [[0; 16]; MOST_LANES],
            tails: [[0; 16]; MOST_LANES],
            used: 0,
        };
        for (lane, (data, chain)) in members.take(MOST_LANES).enumerate() {
            group.tails[lane] = data.tail();
            group.chains[lane] = chain;
            group.data[lane] = data;
            group.used = lane + 1;
        }
        group
    }

    /// The rows of the longest message, or a part of one.
    #[inline(always)]
    pub(crate) fn rows(&self) -> usize {
        self.used.checked_sub(1).map_or(0, |last| self.data[last].len().div_ceil(16))
    }

    /// A row of a message: zeros behind its end, and anything after that.
    #[inline(always)]
    pub(crate) fn row(&self, lane: usize, row: usize) -> &[u8; 16] {
        let input = self.data[lane].input();
        input.as_chunks().0.get(row).unwrap_or(&self.tails[lane])
    }

    /// Puts a row in the place of one of each message.
    #[inline(always)]
    pub(crate) fn put(&mut self, row: usize, rows: &Rows) {
        for (data, new) in self.data.iter_mut().zip(rows).take(self.used) {
            let (whole, tail) = data.output().as_chunks_mut();
            if let Some(place) = whole.get_mut(row) {
                *place = *new;
            } else if row == whole.len() {
                let len = tail.len();
                tail.copy_from_slice(&new[..len]);
            }
        }
    }

    /// As [`put`](Self::put), the sum with what is there.
    #[inline(always)]
    pub(crate) fn add(&mut self, row: usize, rows: &Rows) {
        for lane in 0..self.used {
            let mut sum = rows[lane];
            for (byte, input) in sum.iter_mut().zip(self.row(lane, row)) {
                *byte ^= input;
            }
            let (whole, tail) = self.data[lane].output().as_chunks_mut();
            if let Some(place) = whole.get_mut(row) {
                *place = sum;
            } else if row == whole.len() {
                let len = tail.len();
                tail.copy_from_slice(&sum[..len]);
            }
        }
    }

    /// Gives the chaining values behind block `block`, of `size` bytes, to the messages of which it is the last.
    #[inline(always)]
    pub(crate) fn finish(&mut self, block: usize, size: usize, chains: impl FnOnce(&mut Rows)) {
        let ends = |data: &D| data.len() == (block + 1) * size;
        if self.data[..self.used].iter().any(ends) {
            let mut rows = [[0; 16]; MOST_LANES];
            chains(&mut rows);
            for (data, chain) in self.data[..self.used].iter_mut().zip(&rows) {
                if ends(data) {
                    data.finish(chain);
                }
            }
        }
    }
}
