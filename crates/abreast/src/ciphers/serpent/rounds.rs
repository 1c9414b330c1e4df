//! Serpent's rounds, bit-sliced as the paper's authors meant them: word `i` of all blocks of a group is one
//! vector, on which an S-box is a circuit and the linear transformation is rotations and sums.
//!
//! The rounds are there in two forms that differ in the circuits and in the linear transformation. A *wide*
//! pass has enough groups side by side to keep the CPU busy, and wants few operations. A pass of one group
//! waits for its own results: 32 times S-box and linear transformation, one operation after the other. It
//! takes circuits that are two three-input operations deep, and a linear transformation that gives the S-box
//! its last input late. There, of the words after the linear transformation, the one that is done last is
//! the one that the circuits take last. One block alone goes through general registers where these are quicker
//! (`one_block`).
//!
//! Round keys are added in the middle of the linear transformation, to words that wait for others anyway.

use super::one_block::{self, words};
use super::round_order::{Rounds, backward, forward, inverse_transform, transform, xor};
use super::sboxes::{inverse_sbox, sbox};
use super::schedule::SerpentRoundKeys;
use crate::engine::backend::{Direction, Spec};
use crate::engine::multibuf::{MOST_LANES, MultiBuffer, ParallelMultiBuffer, Rows};
use crate::engine::words::{OverWords, WordsBackend, rows_of_words, words_of_rows};
use abreast_simd::inlined::{CopyFrom, Flat};
use abreast_simd::{AesLevel, Block, Words, WordsIsa};
use core::array::from_mut;

/// Serpent over words.
pub(crate) struct Bitsliced;

/// Round keys: the same for all blocks, or one for each lane.
trait SerpentKeySource<I: WordsIsa> {
    /// One of the 33, 0 to 32.
    fn key(&self, isa: I, round: usize) -> [I::Words; 4];
}

impl<I: WordsIsa> SerpentKeySource<I> for [[u8; 16]; 33] {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn key(&self, isa: I, round: usize) -> [I::Words; 4] {
        splat_key(isa, &self[round])
    }
}

/// Words of the round keys, one of each lane in a vector.
pub(crate) struct SerpentLaneKeys<W>([[W; 4]; 33]);

impl<I: WordsIsa> SerpentKeySource<I> for SerpentLaneKeys<I::Words> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn key(&self, _: I, round: usize) -> [I::Words; 4] {
        self.0[round]
    }
}

/// Four words, each in all lanes.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn splat<W: Words>(isa: W::Isa, [a, b, c, d]: [u32; 4]) -> [W; 4] {
    [W::splat(isa, a), W::splat(isa, b), W::splat(isa, c), W::splat(isa, d)]
}

/// The words of sixteen bytes, each in all lanes.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn splat_key<W: Words>(isa: W::Isa, bytes: &[u8; 16]) -> [W; 4] {
    splat(isa, words(bytes))
}

/// [`transform`] in five operations one after the other in place of seven.
///
/// Sums are turned before they are complete. Bits that a shift would have driven out of a word before it
/// is turned are cut out of the turned word instead.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn transform_soon<W: Words>(isa: W::Isa, [a, b, c, d]: [W; 4], key: [W; 4]) -> [W; 4] {
    // a << 13 << 3 <<< 7 and b << 1 << 7 without the bits that the shift by 3 or 7 drives out.
    let (kept_of_a, kept_of_b) = (W::splat(isa, !(7 << 7)), W::splat(isa, !0x7f));
    let (turned_a, turned_c) = (a.rotl(13), c.rotl(3));
    let sum = W::ternary::<XOR>(b, turned_a, turned_c);
    let part = W::ternary::<{ XOR_AND }>(d.rotl(7), a.rotl(23), kept_of_a);
    let c_in_d = c.rotl(10);
    let (b, d) = (sum.rotl(1), part ^ c_in_d);
    let rest = W::ternary::<XOR>(part, c_in_d, turned_c ^ key[2]);
    let a = W::ternary::<XOR>(turned_a ^ key[0], b, d).rotl(5);
    let c = W::ternary::<{ XOR_AND }>(rest, sum.rotl(8), kept_of_b).rotl(22);
    [a, b ^ key[1], c, d ^ key[3]]
}

/// `a ^ b ^ c`.
const XOR: i32 = 0x96;
/// `a ^ (b & c)`.
const XOR_AND: i32 = 0x78;

/// Groups on their way through the rounds: `ONE`, or several in a loop.
struct Groups<'a, I: WordsIsa, K, const ONE: bool> {
    isa: I,
    keys: &'a K,
    groups: &'a mut [[I::Words; 4]],
}

impl<I: WordsIsa, K: SerpentKeySource<I>, const ONE: bool> Rounds for Groups<'_, I, K, ONE> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_round<const S: usize>(&mut self, key: usize) {
        let key = self.keys.key(self.isa, key);
        for group in &mut *self.groups {
            *group = if ONE && I::Words::TERNARY {
                transform_soon(self.isa, sbox::<S, true, _>(*group), key)
            } else {
                transform(sbox::<S, false, _>(*group), key)
            };
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt_round<const S: usize>(&mut self, key: usize) {
        let key = self.keys.key(self.isa, key);
        for group in &mut *self.groups {
            let words = inverse_transform(*group, key);
            *group = if ONE && I::Words::TERNARY {
                inverse_sbox::<S, true, _>(words)
            } else {
                inverse_sbox::<S, false, _>(words)
            };
        }
    }
}

/// All rounds forward, on words.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn encrypt_words<const ONE: bool, I: WordsIsa>(
    isa: I,
    keys: &impl SerpentKeySource<I>,
    groups: &mut [[I::Words; 4]],
) {
    let key = keys.key(isa, 0);
    for group in &mut *groups {
        *group = xor(*group, key);
    }
    forward(&mut Groups::<_, _, ONE> { isa, keys, groups });
    let key = keys.key(isa, 32);
    for group in groups {
        *group = xor(sbox::<7, false, _>(*group), key);
    }
}

/// All rounds backward, on words.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn decrypt_words<const ONE: bool, I: WordsIsa>(
    isa: I,
    keys: &impl SerpentKeySource<I>,
    groups: &mut [[I::Words; 4]],
) {
    let key = keys.key(isa, 32);
    for group in &mut *groups {
        *group = inverse_sbox::<7, false, _>(xor(*group, key));
    }
    backward(&mut Groups::<_, _, ONE> { isa, keys, groups });
    let key = keys.key(isa, 0);
    for group in groups {
        *group = xor(*group, key);
    }
}

/// Takes a group through all rounds forward, in registers: `BLOCKS` in the order of memory, or words. A call.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn encrypt_one<const BLOCKS: bool, I: WordsIsa>(
    isa: I,
    keys: &impl SerpentKeySource<I>,
    group: &mut [I::Words; 4],
) {
    isa.run(
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || {
            let mut local = if BLOCKS { I::Words::transpose(*group) } else { *group };
            encrypt_words::<true, I>(isa, keys, from_mut(&mut local));
            *group = if BLOCKS { I::Words::transpose(local) } else { local };
        },
    );
}

/// Takes a group through all rounds backward, in registers: `BLOCKS` in the order of memory, or words. A call.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn decrypt_one<const BLOCKS: bool, I: WordsIsa>(
    isa: I,
    keys: &impl SerpentKeySource<I>,
    group: &mut [I::Words; 4],
) {
    isa.run(
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || {
            let mut local = if BLOCKS { I::Words::transpose(*group) } else { *group };
            decrypt_words::<true, I>(isa, keys, from_mut(&mut local));
            *group = if BLOCKS { I::Words::transpose(local) } else { local };
        },
    );
}

/// Takes several groups through all rounds forward: `BLOCKS` in the order of memory, or words. A call, whatever their number. Between two rounds each group is in memory: left
/// to itself, the compiler mixes the rounds of all groups, runs out of registers, and reloads words that the next operation
/// waits for.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn encrypt_several<const BLOCKS: bool, I: WordsIsa>(
    isa: I,
    keys: &impl SerpentKeySource<I>,
    groups: &mut [[I::Words; 4]],
) {
    isa.run(
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || {
            if BLOCKS {
                transpose(groups);
            }
            encrypt_words::<false, I>(isa, keys, groups);
            if BLOCKS {
                transpose(groups);
            }
        },
    );
}

/// Takes several groups through all rounds backward.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn decrypt_several<const BLOCKS: bool, I: WordsIsa>(
    isa: I,
    keys: &impl SerpentKeySource<I>,
    groups: &mut [[I::Words; 4]],
) {
    if const { BLOCKS && I::Words::BYTES > 16 }
        && let [a, b] = groups
    {
        return decrypt_two(isa, keys, [a, b]);
    }
    isa.run(
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || {
            if BLOCKS {
                transpose(groups);
            }
            decrypt_words::<false, I>(isa, keys, groups);
            if BLOCKS {
                transpose(groups);
            }
        },
    );
}

/// Takes two groups of blocks backward, in registers, which both fit: a loop of two waits for memory, and blocks of 256 bytes
/// take 1.2 times as long (AVX2, Zen 3).
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn decrypt_two<I: WordsIsa>(isa: I, keys: &impl SerpentKeySource<I>, [a, b]: [&mut [I::Words; 4]; 2]) {
    isa.run(
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || {
            let mut local = [*a, *b];
            transpose(&mut local);
            decrypt_words::<false, I>(isa, keys, &mut local);
            transpose(&mut local);
            [*a, *b] = local;
        },
    );
}

/// Blocks in the order of memory to words and back: the same permutation.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn transpose<W: Words>(groups: &mut [[W; 4]]) {
    for group in groups {
        *group = W::transpose(*group);
    }
}

/// The first block of a group as words.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn first_block<I: WordsIsa>(group: &[I::Words; 4]) -> one_block::Block {
    let mut bytes = [0; 16];
    group[0].store_partial(&mut bytes);
    words(&bytes)
}

/// A group that begins with a block. It goes by a number of 128 bits, written in one piece, so that no load spans several
/// stores.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn with_first_block<I: WordsIsa>(isa: I, block: one_block::Block) -> [I::Words; 4] {
    [I::Words::splat_row(isa, Block::from(one_block::number(block)).as_bytes()); 4]
}

impl Spec for Bitsliced {
    type Keys = SerpentRoundKeys;
    const BLOCK: usize = 16;
}

impl OverWords for Bitsliced {}

// Whole passes are calls: one is more than a thousand instructions, and takes hundreds of cycles.
impl<I: WordsIsa> WordsBackend<I> for Bitsliced {
    type Group = [I::Words; 4];
    const INTERLEAVE: usize = 4;
    const LATENCY_BOUND: bool = true;
    const ANY_NUMBER: bool = true;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt<const N: usize>(isa: I, keys: &SerpentRoundKeys, groups: &mut [[I::Words; 4]; N]) {
        if const { N == 1 } {
            encrypt_one::<true, I>(isa, &keys.encrypt, &mut groups[0]);
        } else {
            encrypt_several::<true, I>(isa, &keys.encrypt, groups);
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt<const N: usize>(isa: I, keys: &SerpentRoundKeys, groups: &mut [[I::Words; 4]; N]) {
        if const { N == 1 } {
            decrypt_one::<true, I>(isa, &keys.decrypt, &mut groups[0]);
        } else {
            decrypt_several::<true, I>(isa, &keys.decrypt, groups);
        }
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_some(isa: I, keys: &SerpentRoundKeys, groups: &mut [[I::Words; 4]]) {
        encrypt_several::<true, I>(isa, &keys.encrypt, groups);
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_partial(isa: I, keys: &SerpentRoundKeys, group: &mut [I::Words; 4], blocks: usize) {
        if blocks == 1 && keys.one_block_in_registers(isa) {
            let block = one_block::encrypt(&keys.encrypt, first_block::<I>(group));
            *group = with_first_block(isa, block);
        } else {
            <Self as WordsBackend<I>>::encrypt(isa, keys, from_mut(group));
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt_some(isa: I, keys: &SerpentRoundKeys, groups: &mut [[I::Words; 4]]) {
        decrypt_several::<true, I>(isa, &keys.decrypt, groups);
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt_partial(isa: I, keys: &SerpentRoundKeys, group: &mut [I::Words; 4], blocks: usize) {
        if blocks == 1 && keys.one_block_in_registers(isa) {
            let block = one_block::decrypt(&keys.decrypt, first_block::<I>(group));
            *group = with_first_block(isa, block);
        } else {
            <Self as WordsBackend<I>>::decrypt(isa, keys, from_mut(group));
        }
    }

    type SerialBlock = one_block::Block;
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn load_serial(_: I, src: &[u8]) -> one_block::Block {
        let mut block = [0; 16];
        block.copy_from(src);
        words(&block)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn store_serial(block: one_block::Block, dst: &mut [u8]) {
        dst.copy_from(&one_block::number(block).to_le_bytes());
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn xor_serial(a: one_block::Block, b: one_block::Block) -> one_block::Block {
        xor(a, b)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_serial(isa: I, keys: &SerpentRoundKeys, block: one_block::Block) -> one_block::Block {
        if keys.one_block_in_registers(isa) {
            return one_block::encrypt(&keys.encrypt, block);
        }
        let mut group = [splat(isa, block)];
        isa.run(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            || encrypt_words::<true, I>(isa, &keys.encrypt, &mut group),
        );
        let [block] = group;
        first_block::<I>(&I::Words::transpose(block))
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn clmul_level(keys: &SerpentRoundKeys) -> Option<AesLevel> {
        keys.clmul_level
    }
}

impl<I: WordsIsa> MultiBuffer<I> for Bitsliced {
    const LANES: usize = I::Words::LANES;
    const LEAST: usize = 2;

    type Block = [I::Words; 4];
    type Row = [[I::Words; 4]; 1];
    type LaneKeys = SerpentLaneKeys<I::Words>;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn no_keys(isa: I) -> SerpentLaneKeys<I::Words> {
        SerpentLaneKeys([[I::Words::splat(isa, 0); 4]; 33])
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn lay_out(
        isa: I,
        keys: &[&SerpentRoundKeys; MOST_LANES],
        direction: Direction,
        SerpentLaneKeys(out): &mut SerpentLaneKeys<I::Words>,
    ) {
        for (round, out) in out.iter_mut().enumerate() {
            *out = words_of_rows(
                isa,
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |lane| match direction {
                    Direction::Encrypt => &keys[lane].encrypt[round],
                    Direction::Decrypt => &keys[lane].decrypt[round],
                },
            );
        }
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn zero(isa: I) -> [[I::Words; 4]; 1] {
        [[I::Words::splat(isa, 0); 4]]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn gather<'b>(
        isa: I,
        _: &SerpentLaneKeys<I::Words>,
        row: impl Fn(usize) -> &'b [u8; 16],
    ) -> [[I::Words; 4]; 1] {
        [words_of_rows(isa, row)]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn scatter(_: &SerpentLaneKeys<I::Words>, [block]: [[I::Words; 4]; 1], rows: &mut Rows) {
        rows_of_words(block, rows);
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn xor(a: [I::Words; 4], b: [I::Words; 4]) -> [I::Words; 4] {
        xor(a, b)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_block(isa: I, keys: &SerpentLaneKeys<I::Words>, block: [I::Words; 4]) -> [I::Words; 4] {
        let mut row = [[block]];
        <Self as ParallelMultiBuffer<I>>::encrypt(isa, keys, &mut row);
        row[0][0]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt_block(isa: I, keys: &SerpentLaneKeys<I::Words>, block: [I::Words; 4]) -> [I::Words; 4] {
        let mut row = [[block]];
        <Self as ParallelMultiBuffer<I>>::decrypt(isa, keys, &mut row);
        row[0][0]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn first_half(isa: I, [a, b, ..]: [I::Words; 4]) -> [I::Words; 4] {
        let zero = I::Words::splat(isa, 0);
        [a, b, zero, zero]
    }
}

impl<I: WordsIsa> ParallelMultiBuffer<I> for Bitsliced {
    const INTERLEAVE: usize = 4;
    const ENOUGH: usize = 2 * I::Words::LANES;
    const ANY_NUMBER: bool = true;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn count(isa: I, _: &SerpentLaneKeys<I::Words>, [a, b, c, d]: [I::Words; 4], n: u32) -> [I::Words; 4] {
        [a, b, c, (d.swap_bytes() + I::Words::splat(isa, n)).swap_bytes()]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt<const N: usize>(isa: I, keys: &SerpentLaneKeys<I::Words>, rows: &mut [[[I::Words; 4]; 1]; N]) {
        <Self as ParallelMultiBuffer<I>>::encrypt_some(isa, keys, rows, N);
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt<const N: usize>(isa: I, keys: &SerpentLaneKeys<I::Words>, rows: &mut [[[I::Words; 4]; 1]; N]) {
        <Self as ParallelMultiBuffer<I>>::decrypt_some(isa, keys, rows, N);
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_some<const N: usize>(
        isa: I,
        keys: &SerpentLaneKeys<I::Words>,
        rows: &mut [[[I::Words; 4]; 1]; N],
        count: usize,
    ) {
        let groups = rows.flat_mut();
        if const { N == 1 } {
            encrypt_one::<false, I>(isa, keys, &mut groups[0]);
        } else {
            encrypt_several::<false, I>(isa, keys, &mut groups[..count]);
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt_some<const N: usize>(
        isa: I,
        keys: &SerpentLaneKeys<I::Words>,
        rows: &mut [[[I::Words; 4]; 1]; N],
        count: usize,
    ) {
        let groups = rows.flat_mut();
        if const { N == 1 } {
            decrypt_one::<false, I>(isa, keys, &mut groups[0]);
        } else {
            decrypt_several::<false, I>(isa, keys, &mut groups[..count]);
        }
    }
}
