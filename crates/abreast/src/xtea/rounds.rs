//! XTEA's rounds, over two vectors: the left words of many blocks and their right words.
//!
//! A cycle is a chain of ten operations, and 32 of them are longer than anything that a CPU looks ahead, so
//! that one group takes as long as several: a pass has as many groups side by side as registers allow. For
//! up to four blocks general registers are better than vectors where these take two cycles for an addition
//! (Zen 5), and no worse elsewhere.

use super::ByteOrder;
use super::schedule::RoundKeys;
use crate::spec::{On, Spec};
use crate::words::{OnWords, OverWords};
use abreast_simd::{Block, Words, WordsIsa, scalar};

/// XTEA over words.
pub(crate) struct Halves;

/// Blocks that go through general registers side by side, at most.
const FEW: usize = 4;

/// The left and the right words of a group.
type Pair<W> = (W, W);

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

/// Blocks in the order of memory to halves.
#[inline(always)]
fn split<W: Words, const N: usize>(keys: &RoundKeys, groups: &[[W; 2]; N]) -> [Pair<W>; N] {
    let mut halves = [(groups[0][0], groups[0][1]); N];
    for (halves, [a, b]) in halves.iter_mut().zip(groups) {
        *halves = match keys.order {
            ByteOrder::LittleEndian => W::unzip(*a, *b),
            ByteOrder::BigEndian => W::unzip(a.swap_bytes(), b.swap_bytes()),
        };
    }
    halves
}

/// The converse of [`split`].
#[inline(always)]
fn join<W: Words, const N: usize>(keys: &RoundKeys, halves: [Pair<W>; N], groups: &mut [[W; 2]; N]) {
    for (group, (left, right)) in groups.iter_mut().zip(halves) {
        let (a, b) = W::zip(left, right);
        *group = match keys.order {
            ByteOrder::LittleEndian => [a, b],
            ByteOrder::BigEndian => [a.swap_bytes(), b.swap_bytes()],
        };
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
fn encrypt_groups<I: WordsIsa, const N: usize>(isa: I, keys: &RoundKeys, groups: &mut [[I::Words; 2]; N]) {
    let mut halves = split(keys, groups);
    for [first, second] in keys.pairs() {
        let key = I::Words::splat(isa, *first);
        for (left, right) in &mut halves {
            *left = *left + (mixed(*right) ^ key);
        }
        let key = I::Words::splat(isa, *second);
        for (left, right) in &mut halves {
            *right = *right + (mixed(*left) ^ key);
        }
    }
    join(keys, halves, groups);
}

/// All cycles backward, in vectors.
#[inline(always)]
fn decrypt_groups<I: WordsIsa, const N: usize>(isa: I, keys: &RoundKeys, groups: &mut [[I::Words; 2]; N]) {
    let mut halves = split(keys, groups);
    for [first, second] in keys.pairs().iter().rev() {
        let key = I::Words::splat(isa, *second);
        for (left, right) in &mut halves {
            *right = *right - (mixed(*left) ^ key);
        }
        let key = I::Words::splat(isa, *first);
        for (left, right) in &mut halves {
            *left = *left - (mixed(*right) ^ key);
        }
    }
    join(keys, halves, groups);
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
            || encrypt_groups(isa, keys, groups),
        );
    }
    #[inline(always)]
    fn decrypt<const N: usize>(isa: I, keys: &RoundKeys, groups: &mut [[I::Words; 2]; N]) {
        isa.call(
            #[inline(always)]
            || decrypt_groups(isa, keys, groups),
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
