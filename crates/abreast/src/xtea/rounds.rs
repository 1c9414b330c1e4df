//! XTEA's rounds, over two vectors: the left words of many blocks and their right words.
//!
//! A cycle is a chain of ten operations, and 32 of them are longer than anything that a CPU looks ahead, so
//! that one group takes as long as several: a pass has as many groups side by side as registers allow. For
//! up to four blocks general registers are better than vectors where these take two cycles for an addition
//! (Zen 5), and no worse elsewhere.

use super::ByteOrder;
use super::schedule::{CYCLES, Cycle, RoundKeys};
use crate::lanes::{InLanes, LaneSpec, MOST_LANES, Rows, RowsInLanes};
use crate::packets::Cipher;
use crate::spec::{Direction, On, Spec};
use crate::words::{OnWords, OverWords, rows_of_words, words_of_rows};
use abreast_simd::{Block, Level, Words, WordsIsa, scalar};

/// XTEA over words.
pub(crate) struct Halves;

/// Blocks that go through general registers side by side, at most.
pub(crate) const FEW: usize = 4;

/// The round keys of cycles: the same for all blocks, or one for each lane.
trait Cycles<I: WordsIsa> {
    /// How many.
    fn count(&self) -> usize;
    /// The two of one.
    fn pair(&self, isa: I, cycle: usize) -> [I::Words; 2];
}

impl<I: WordsIsa> Cycles<I> for [[u32; 2]] {
    #[inline(always)]
    fn count(&self) -> usize {
        self.len()
    }
    #[inline(always)]
    fn pair(&self, isa: I, cycle: usize) -> [I::Words; 2] {
        let [first, second] = self[cycle];
        [I::Words::splat(isa, first), I::Words::splat(isa, second)]
    }
}

/// The words of the keys, one of each lane in a vector. The sums of the usual cycles, which are the same for all,
/// are added as they are needed: the round keys themselves would be sixteen times as long.
pub(crate) struct LaneKeys<W> {
    words: [W; 4],
    order: ByteOrder,
}

impl<I: WordsIsa> Cycles<I> for LaneKeys<I::Words> {
    #[inline(always)]
    fn count(&self) -> usize {
        CYCLES.len()
    }
    #[inline(always)]
    fn pair(&self, isa: I, cycle: usize) -> [I::Words; 2] {
        let Cycle { sums, words } = &CYCLES[cycle];
        [
            self.words[words[0] & 3] + I::Words::splat(isa, sums[0]),
            self.words[words[1] & 3] + I::Words::splat(isa, sums[1]),
        ]
    }
}

/// What one half adds to the other, but for the round key.
#[inline(always)]
fn mixed<W: Words>(x: W) -> W {
    (x.shl(4) ^ x.shr(5)) + x
}

/// As [`mixed`], for a word by itself.
#[inline(always)]
fn mixed_word(x: u32) -> u32 {
    (x << 4 ^ x >> 5).wrapping_add(x)
}

/// Words from the order of memory to the CPU's, or back.
#[inline(always)]
fn in_order<W: Words>(order: ByteOrder, [a, b]: [W; 2]) -> [W; 2] {
    match order {
        ByteOrder::LittleEndian => [a, b],
        ByteOrder::BigEndian => [a.swap_bytes(), b.swap_bytes()],
    }
}

/// Blocks in the order of memory to halves.
#[inline(always)]
fn split<W: Words, const N: usize>(keys: &RoundKeys, groups: &[[W; 2]; N]) -> [[W; 2]; N] {
    let mut halves = [groups[0]; N];
    for (halves, group) in halves.iter_mut().zip(groups) {
        let [a, b] = in_order(keys.order, *group);
        *halves = W::unzip(a, b).into();
    }
    halves
}

/// The converse of [`split`].
#[inline(always)]
fn join<W: Words, const N: usize>(keys: &RoundKeys, halves: [[W; 2]; N], groups: &mut [[W; 2]; N]) {
    for (group, [left, right]) in groups.iter_mut().zip(halves) {
        *group = in_order(keys.order, W::zip(left, right).into());
    }
}

/// The first `N` blocks of a group as words, two or four.
#[inline(always)]
fn to_scalars<I: WordsIsa, const N: usize>(keys: &RoundKeys, group: [I::Words; 2]) -> [[u32; 2]; N] {
    let mut bytes = [0; 8 * FEW];
    <Halves as On<I>>::store_partial(group, &mut bytes[..8 * N]);
    let mut blocks = [[0; 2]; N];
    for (block, bytes) in blocks.iter_mut().zip(bytes.chunks_exact(8)) {
        let left = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let right = u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
        *block = ordered(keys, [left, right]);
    }
    blocks
}

/// The converse of [`to_scalars`], without a load that spans several stores.
#[inline(always)]
fn to_group<I: WordsIsa, const N: usize>(isa: I, keys: &RoundKeys, blocks: [[u32; 2]; N]) -> [I::Words; 2] {
    let first = I::Words::splat_row(isa, Block::from(number(keys, blocks[0], blocks[1])).as_bytes());
    if N == 2 {
        return [first, first];
    }
    let second = I::Words::splat_row(isa, Block::from(number(keys, blocks[N - 2], blocks[N - 1])).as_bytes());
    if I::Words::BYTES == 16 { [first, second] } else { [second.follow(first, 16), second] }
}

/// Two blocks as a little-endian number.
#[inline(always)]
fn number(keys: &RoundKeys, a: [u32; 2], b: [u32; 2]) -> u128 {
    let half = |[left, right]: [u32; 2]| u64::from(left) | u64::from(right) << 32;
    u128::from(half(ordered(keys, a))) | u128::from(half(ordered(keys, b))) << 64
}

/// Words from the order of the blocks to the CPU's, or back, on a CPU that is little-endian as far as
/// these are concerned.
#[inline(always)]
fn ordered(keys: &RoundKeys, [left, right]: [u32; 2]) -> [u32; 2] {
    match keys.order {
        ByteOrder::LittleEndian => [left, right],
        ByteOrder::BigEndian => [left.swap_bytes(), right.swap_bytes()],
    }
}

/// Blocks as words in a register each, also where the compiler would rather keep both words in one, which
/// is how they come and go.
#[inline(always)]
fn word_by_word<const N: usize>(mut blocks: [[u32; 2]; N]) -> [[u32; 2]; N] {
    for word in blocks.as_flattened_mut() {
        *word = scalar(*word);
    }
    blocks
}

/// All cycles forward, in general registers.
#[inline(always)]
fn encrypt_scalars<const N: usize>(keys: &RoundKeys, blocks: [[u32; 2]; N]) -> [[u32; 2]; N] {
    let mut blocks = word_by_word(blocks);
    for [first, second] in keys.pairs() {
        for [left, right] in &mut blocks {
            *left = scalar(left.wrapping_add(mixed_word(*right) ^ first));
        }
        for [left, right] in &mut blocks {
            *right = scalar(right.wrapping_add(mixed_word(*left) ^ second));
        }
    }
    word_by_word(blocks)
}

/// All cycles backward, in general registers.
#[inline(always)]
fn decrypt_scalars<const N: usize>(keys: &RoundKeys, blocks: [[u32; 2]; N]) -> [[u32; 2]; N] {
    let mut blocks = word_by_word(blocks);
    for [first, second] in keys.pairs().iter().rev() {
        for [left, right] in &mut blocks {
            *right = scalar(right.wrapping_sub(mixed_word(*left) ^ second));
        }
        for [left, right] in &mut blocks {
            *left = scalar(left.wrapping_sub(mixed_word(*right) ^ first));
        }
    }
    word_by_word(blocks)
}

/// All cycles forward, in vectors.
#[inline(always)]
fn encrypt_halves<I: WordsIsa>(isa: I, keys: &(impl Cycles<I> + ?Sized), halves: &mut [[I::Words; 2]]) {
    for cycle in 0..keys.count() {
        let [first, second] = keys.pair(isa, cycle);
        for [left, right] in &mut *halves {
            *left = *left + (mixed(*right) ^ first);
        }
        for [left, right] in &mut *halves {
            *right = *right + (mixed(*left) ^ second);
        }
    }
}

/// All cycles backward, in vectors.
#[inline(always)]
fn decrypt_halves<I: WordsIsa>(isa: I, keys: &(impl Cycles<I> + ?Sized), halves: &mut [[I::Words; 2]]) {
    for cycle in (0..keys.count()).rev() {
        let [first, second] = keys.pair(isa, cycle);
        for [left, right] in &mut *halves {
            *right = *right - (mixed(*left) ^ second);
        }
        for [left, right] in &mut *halves {
            *left = *left - (mixed(*right) ^ first);
        }
    }
}

impl Spec for Halves {
    type Keys = RoundKeys;
    const BLOCK: usize = 8;
}

impl OverWords for Halves {}

impl<I: WordsIsa> OnWords<I> for Halves {
    type Group = [I::Words; 2];
    const DEPTH: usize = 8;
    const WAITS: bool = true;

    #[inline(always)]
    fn encrypt<const N: usize>(isa: I, keys: &RoundKeys, groups: &mut [[I::Words; 2]; N]) {
        isa.call(
            #[inline(always)]
            || {
                let mut halves = split(keys, groups);
                encrypt_halves(isa, keys.pairs(), &mut halves);
                join(keys, halves, groups);
            },
        );
    }
    #[inline(always)]
    fn decrypt<const N: usize>(isa: I, keys: &RoundKeys, groups: &mut [[I::Words; 2]; N]) {
        isa.call(
            #[inline(always)]
            || {
                let mut halves = split(keys, groups);
                decrypt_halves(isa, keys.pairs(), &mut halves);
                join(keys, halves, groups);
            },
        );
    }
    #[inline(always)]
    fn encrypt_few(isa: I, keys: &RoundKeys, group: &mut [I::Words; 2], blocks: usize) {
        match blocks {
            0..=2 => {
                *group = to_group::<I, 2>(isa, keys, encrypt_scalars(keys, to_scalars::<I, 2>(keys, *group)))
            }
            3..=FEW => {
                *group =
                    to_group::<I, FEW>(isa, keys, encrypt_scalars(keys, to_scalars::<I, FEW>(keys, *group)))
            }
            _ => <Self as OnWords<I>>::encrypt(isa, keys, core::array::from_mut(group)),
        }
    }
    #[inline(always)]
    fn decrypt_few(isa: I, keys: &RoundKeys, group: &mut [I::Words; 2], blocks: usize) {
        match blocks {
            0..=2 => {
                *group = to_group::<I, 2>(isa, keys, decrypt_scalars(keys, to_scalars::<I, 2>(keys, *group)))
            }
            3..=FEW => {
                *group =
                    to_group::<I, FEW>(isa, keys, decrypt_scalars(keys, to_scalars::<I, FEW>(keys, *group)))
            }
            _ => <Self as OnWords<I>>::decrypt(isa, keys, core::array::from_mut(group)),
        }
    }

    /// The words as they lie in memory, read little-endian.
    type Lone = [u32; 2];
    #[inline(always)]
    fn load_lone(_: I, src: &[u8]) -> [u32; 2] {
        let mut block = [0; 8];
        block.copy_from_slice(src);
        let block = u64::from_le_bytes(block);
        [block as u32, (block >> 32) as u32]
    }
    #[inline(always)]
    fn store_lone([left, right]: [u32; 2], dst: &mut [u8]) {
        dst.copy_from_slice(&(u64::from(left) | u64::from(right) << 32).to_le_bytes());
    }
    #[inline(always)]
    fn xor_lone(a: [u32; 2], b: [u32; 2]) -> [u32; 2] {
        [a[0] ^ b[0], a[1] ^ b[1]]
    }
    #[inline(always)]
    fn encrypt_lone(_: I, keys: &RoundKeys, block: [u32; 2]) -> [u32; 2] {
        let [block] = encrypt_scalars(keys, [ordered(keys, block)]);
        ordered(keys, block)
    }
}

impl LaneSpec for Halves {
    /// Two byte orders do not go side by side.
    type Level = (Level, ByteOrder);

    #[inline(always)]
    fn keys_of<'k>(cipher: Cipher<'k>, level: (Level, ByteOrder)) -> Option<&'k RoundKeys> {
        match cipher {
            Cipher::Xtea(xtea) => xtea.keys_at(level),
            _ => None,
        }
    }
}

impl<I: WordsIsa> InLanes<I> for Halves {
    const LANES: usize = I::Words::LANES;
    const LEAST: usize = 2;

    type Block = [I::Words; 2];
    type Row = [[I::Words; 2]; 2];
    type LaneKeys = LaneKeys<I::Words>;

    #[inline(always)]
    fn no_keys(isa: I) -> LaneKeys<I::Words> {
        LaneKeys { words: [I::Words::splat(isa, 0); 4], order: ByteOrder::LittleEndian }
    }
    #[inline(always)]
    fn lay_out(isa: I, keys: &[&RoundKeys; MOST_LANES], _: Direction, out: &mut LaneKeys<I::Words>) {
        out.words = words_of_rows(
            isa,
            #[inline(always)]
            |lane| keys[lane].words().unwrap_or(&[0; 16]),
        );
        out.order = keys[0].order;
    }

    #[inline(always)]
    fn zero(isa: I) -> [[I::Words; 2]; 2] {
        [[I::Words::splat(isa, 0); 2]; 2]
    }
    #[inline(always)]
    fn gather<'b>(
        isa: I,
        keys: &LaneKeys<I::Words>,
        row: impl Fn(usize) -> &'b [u8; 16],
    ) -> [[I::Words; 2]; 2] {
        let [a, b, c, d] = words_of_rows(isa, row);
        [in_order(keys.order, [a, b]), in_order(keys.order, [c, d])]
    }
    #[inline(always)]
    fn scatter(keys: &LaneKeys<I::Words>, [first, second]: [[I::Words; 2]; 2], rows: &mut Rows) {
        let ([a, b], [c, d]) = (in_order(keys.order, first), in_order(keys.order, second));
        rows_of_words([a, b, c, d], rows);
    }
    #[inline(always)]
    fn add([a, b]: [I::Words; 2], [c, d]: [I::Words; 2]) -> [I::Words; 2] {
        [a ^ c, b ^ d]
    }
    #[inline(always)]
    fn encrypt_block(isa: I, keys: &LaneKeys<I::Words>, block: [I::Words; 2]) -> [I::Words; 2] {
        let mut halves = [block];
        isa.call(
            #[inline(always)]
            || encrypt_halves(isa, keys, &mut halves),
        );
        let [block] = halves;
        block
    }
}

impl<I: WordsIsa> RowsInLanes<I> for Halves {
    const DEPTH: usize = 4;
    const ENOUGH: usize = 3 * I::Words::LANES;

    #[inline(always)]
    fn count(isa: I, keys: &LaneKeys<I::Words>, [a, b]: [I::Words; 2], n: u32) -> [I::Words; 2] {
        let n = I::Words::splat(isa, n);
        match keys.order {
            ByteOrder::LittleEndian => [a, (b.swap_bytes() + n).swap_bytes()],
            ByteOrder::BigEndian => [a, b + n],
        }
    }
    #[inline(always)]
    fn encrypt<const N: usize>(isa: I, keys: &LaneKeys<I::Words>, rows: &mut [[[I::Words; 2]; 2]; N]) {
        isa.call(
            #[inline(always)]
            || {
                let mut local = *rows;
                encrypt_halves(isa, keys, local.as_flattened_mut());
                *rows = local;
            },
        );
    }
    #[inline(always)]
    fn decrypt<const N: usize>(isa: I, keys: &LaneKeys<I::Words>, rows: &mut [[[I::Words; 2]; 2]; N]) {
        isa.call(
            #[inline(always)]
            || {
                let mut local = *rows;
                decrypt_halves(isa, keys, local.as_flattened_mut());
                *rows = local;
            },
        );
    }
}
