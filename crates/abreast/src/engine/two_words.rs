//! Block ciphers whose block is two 32-bit words that change each other in turn, such as TEA and XTEA: everything but
//! the round function and the key schedule.
//!
//! One vector holds the left words of many blocks and another one their right words. A cycle, two rounds, is a chain of
//! ten operations, and 32 cycles are longer than anything that a CPU looks ahead, so that one group takes as long as
//! several: a pass has as many groups side by side as registers allow. For up to four blocks general registers are
//! better than vectors where these take two cycles for an addition (Zen 5, with AVX-512). Where they take one, four blocks wait
//! for the ALUs (Zen 3: 600 cycles, and 430 by AVX2; Zen 4: 580, and 364 by AVX-512), and one or two only for the way from
//! vectors to words and back. So a message of one or two blocks goes from memory to general registers, whatever the kernel is
//! ([`few_blocks`]), and AVX-512 takes three and four by general registers if [`additions_wait`].

use super::backend::{Backend, Direction, Spec};
use super::multibuf::{MOST_LANES, MultiBuffer, MultiBufferSpec, ParallelMultiBuffer, Rows};
use super::words::{OverWords, WordsBackend, rows_of_words, words_of_rows};
use crate::InOutBuf;
use abreast_simd::inlined::{CopyFrom, Flat, Zipped};
use abreast_simd::{Block, Level, Words, WordsIsa, additions_wait, scalar};
use core::marker::PhantomData;

/// The byte order of the words of keys and blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// The first byte of a word is the least significant.
    #[default]
    LittleEndian,
    /// The first byte of a word is the most significant.
    BigEndian,
}

#[cfg(feature = "alloc")]
impl ByteOrder {
    /// Returns the order of a variant in the registry: little-endian first.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) const fn of_variant(variant: u8) -> Self {
        if variant == 0 { Self::LittleEndian } else { Self::BigEndian }
    }
}

/// Ciphers with blocks of two words.
pub(crate) trait TwoWords: Sized + 'static {
    /// A key with the level that it is for.
    type Key: 'static;
    /// Round keys of one key.
    type Keys: 'static;
    /// The cipher and its byte order, common to the keys of messages side by side.
    type Variant: Copy;
    /// Any variant, for room that no key is in yet.
    const ANY: Self::Variant;

    /// Returns the round keys of a key that has a given level and variant and a number of cycles that lanes can have.
    fn keys_at(key: &Self::Key, level: Level, variant: Self::Variant) -> Option<&Self::Keys>;
    /// Returns the variant that a key is for.
    fn variant(keys: &Self::Keys) -> Self::Variant;
    /// Returns the byte order of key and blocks.
    fn order(keys: &Self::Keys) -> ByteOrder;
    /// Returns the four words of the key, little-endian, if the number of cycles is the usual one.
    fn words(keys: &Self::Keys) -> Option<&[u8; 16]>;
    /// Takes blocks forward through all cycles, in general registers.
    fn encrypt_scalars<const N: usize>(keys: &Self::Keys, blocks: [[u32; 2]; N]) -> [[u32; 2]; N];
    /// Takes blocks backward through all cycles, in general registers.
    fn decrypt_scalars<const N: usize>(keys: &Self::Keys, blocks: [[u32; 2]; N]) -> [[u32; 2]; N];
}

/// The cycles of a cipher on words.
pub(crate) trait ScalarCycles {
    /// The operands of a round of one block besides the block.
    type Round: Copy;

    /// Returns the two rounds of each cycle.
    fn rounds(self) -> impl DoubleEndedIterator<Item = [Self::Round; 2]>;
    /// Returns the summand of a round for one word, from the other word `x`.
    fn round(round: Self::Round, x: u32) -> u32;
}

/// The cycles of a cipher on vectors, whose round keys are the same in all lanes or differ from lane to lane.
pub(crate) trait Cycles<I: WordsIsa> {
    /// The operands of a round besides the blocks.
    type Round: Copy;

    /// Returns the number of cycles.
    fn count(&self) -> usize;
    /// The two rounds of a cycle.
    fn pair(&self, isa: I, cycle: usize) -> [Self::Round; 2];
    /// Returns the summand of one word of each block, from the other words `x`.
    fn round(round: Self::Round, x: I::Words) -> I::Words;
}

/// Ciphers with blocks of two words whose cycles can go through the vectors of `I`.
pub(crate) trait TwoWordsOn<I: WordsIsa>: TwoWords {
    /// Takes groups forward through all cycles under one key, by [`encrypt_groups`].
    fn encrypt<const N: usize>(isa: I, keys: &Self::Keys, groups: &mut [[I::Words; 2]; N]);
    /// Takes groups backward through all cycles under one key, by [`decrypt_groups`].
    fn decrypt<const N: usize>(isa: I, keys: &Self::Keys, groups: &mut [[I::Words; 2]; N]);
    /// Takes blocks forward through all cycles under a key in each lane, whose words these are.
    fn encrypt_lanes(isa: I, variant: Self::Variant, words: &[I::Words; 4], halves: &mut [[I::Words; 2]]);
    /// Takes rows forward through all cycles under a key in each lane, by [`encrypt_rows`].
    fn encrypt_rows<const N: usize>(
        isa: I,
        variant: Self::Variant,
        words: &[I::Words; 4],
        rows: &mut [[[I::Words; 2]; 2]; N],
    );
    /// Takes rows backward through all cycles under a key in each lane, by [`decrypt_rows`].
    fn decrypt_rows<const N: usize>(
        isa: I,
        variant: Self::Variant,
        words: &[I::Words; 4],
        rows: &mut [[[I::Words; 2]; 2]; N],
    );
}

/// The step of the sum of TEA and XTEA in every cycle: the golden ratio's fraction, as in both papers.
pub(crate) const DELTA: u32 = 0x9e37_79b9;

/// The usual number of cycles of two rounds, of both.
pub(crate) const USUAL_CYCLES: usize = 32;

/// The specification of a cipher with blocks of two words.
pub(crate) struct Halves<C>(PhantomData<C>);

/// Blocks of a group that go through general registers side by side, at most.
pub(crate) const FEW: usize = 4;

/// True if general registers take up to [`FEW`] blocks of a group in less time than vectors.
const fn few_in_general_registers<I: WordsIsa>() -> bool {
    cfg!(not(any(target_arch = "x86", target_arch = "x86_64"))) || I::Words::BYTES == 64
}

/// True if general registers take three or four blocks of a group in less time than vectors, too.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn four_in_general_registers() -> bool {
    cfg!(not(any(target_arch = "x86", target_arch = "x86_64"))) || additions_wait()
}

/// The words of the keys, one of each lane in a vector. The addend of a cycle is the same in all lanes and is added when it
/// is needed: the round keys themselves would be many times as long.
pub(crate) struct TwoWordsLaneKeys<W, V> {
    words: [W; 4],
    variant: V,
    order: ByteOrder,
}

/// Words from the order of memory to the CPU's, or back.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn in_order<W: Words>(order: ByteOrder, [a, b]: [W; 2]) -> [W; 2] {
    match order {
        ByteOrder::LittleEndian => [a, b],
        ByteOrder::BigEndian => [a.swap_bytes(), b.swap_bytes()],
    }
}

/// Blocks in the order of memory to left and right words.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn split<W: Words, const N: usize>(order: ByteOrder, groups: &[[W; 2]; N]) -> [[W; 2]; N] {
    let mut halves = [groups[0]; N];
    for (halves, group) in halves.iter_mut().zipped(groups) {
        let [a, b] = in_order(order, *group);
        *halves = W::unzip(a, b).into();
    }
    halves
}

/// The inverse of [`split`].
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn join<W: Words, const N: usize>(order: ByteOrder, halves: [[W; 2]; N], groups: &mut [[W; 2]; N]) {
    for (group, [left, right]) in groups.iter_mut().zipped(halves) {
        *group = in_order(order, W::zip(left, right).into());
    }
}

/// The first `N` blocks of a group as words, two or four.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn to_scalars<I: WordsIsa, C: TwoWordsOn<I>, const N: usize>(
    order: ByteOrder,
    group: [I::Words; 2],
) -> [[u32; 2]; N] {
    let mut bytes = [0; 8 * FEW];
    <Halves<C> as Backend<I>>::store_partial(group, &mut bytes[..8 * N]);
    let mut blocks = [[0; 2]; N];
    for (block, bytes) in blocks.iter_mut().zipped(bytes.chunks_exact(8)) {
        let left = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let right = u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
        *block = ordered(order, [left, right]);
    }
    blocks
}

/// The inverse of [`to_scalars`], without a load that spans several stores.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn to_group<I: WordsIsa, const N: usize>(isa: I, order: ByteOrder, blocks: [[u32; 2]; N]) -> [I::Words; 2] {
    let first = I::Words::splat_row(isa, Block::from(number(order, blocks[0], blocks[1])).as_bytes());
    if N == 2 {
        return [first, first];
    }
    let second =
        I::Words::splat_row(isa, Block::from(number(order, blocks[N - 2], blocks[N - 1])).as_bytes());
    if I::Words::BYTES == 16 { [first, second] } else { [second.shift_in(first, 16), second] }
}

/// Two blocks as a little-endian number.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn number(order: ByteOrder, a: [u32; 2], b: [u32; 2]) -> u128 {
    let half = |[left, right]: [u32; 2]| u64::from(left) | u64::from(right) << 32;
    u128::from(half(ordered(order, a))) | u128::from(half(ordered(order, b))) << 64
}

/// Words from the order of the blocks to the CPU's, or back, on a CPU that is little-endian as far as
/// these are concerned.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn ordered(order: ByteOrder, [left, right]: [u32; 2]) -> [u32; 2] {
    match order {
        ByteOrder::LittleEndian => [left, right],
        ByteOrder::BigEndian => [left.swap_bytes(), right.swap_bytes()],
    }
}

/// Blocks as words in a register each, also where the compiler would rather keep both words in one, which
/// is how they come and go.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn word_by_word<const N: usize>(mut blocks: [[u32; 2]; N]) -> [[u32; 2]; N] {
    for word in blocks.flat_mut() {
        *word = scalar(*word);
    }
    blocks
}

/// All cycles forward, in general registers.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn encrypt_scalars<K: ScalarCycles, const N: usize>(
    keys: K,
    blocks: [[u32; 2]; N],
) -> [[u32; 2]; N] {
    let mut blocks = word_by_word(blocks);
    for [first, second] in keys.rounds() {
        for [left, right] in &mut blocks {
            *left = scalar(left.wrapping_add(K::round(first, *right)));
        }
        for [left, right] in &mut blocks {
            *right = scalar(right.wrapping_add(K::round(second, *left)));
        }
    }
    word_by_word(blocks)
}

/// All cycles backward, in general registers.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn decrypt_scalars<K: ScalarCycles, const N: usize>(
    keys: K,
    blocks: [[u32; 2]; N],
) -> [[u32; 2]; N] {
    let mut blocks = word_by_word(blocks);
    for [first, second] in keys.rounds().rev() {
        for [left, right] in &mut blocks {
            *right = scalar(right.wrapping_sub(K::round(second, *left)));
        }
        for [left, right] in &mut blocks {
            *left = scalar(left.wrapping_sub(K::round(first, *right)));
        }
    }
    word_by_word(blocks)
}

/// Takes `N` blocks forward or backward in general registers, from memory to memory.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn few_blocks<C: TwoWords, const N: usize>(
    keys: &C::Keys,
    direction: Direction,
    io: &mut InOutBuf<'_, '_, u8>,
) {
    let order = C::order(keys);
    let mut blocks = [[0; 2]; N];
    for (block, bytes) in blocks.iter_mut().zipped(io.get_in().as_chunks::<8>().0) {
        let words = u64::from_le_bytes(*bytes);
        *block = ordered(order, [words as u32, (words >> 32) as u32]);
    }
    let blocks = match direction {
        Direction::Encrypt => C::encrypt_scalars::<N>(keys, blocks),
        Direction::Decrypt => C::decrypt_scalars::<N>(keys, blocks),
    };
    for (block, bytes) in blocks.into_iter().zipped(io.get_out().as_chunks_mut::<8>().0) {
        let [left, right] = ordered(order, block);
        *bytes = (u64::from(left) | u64::from(right) << 32).to_le_bytes();
    }
}

/// All cycles forward, in vectors.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn encrypt_halves<I: WordsIsa, K: Cycles<I>>(isa: I, keys: K, halves: &mut [[I::Words; 2]]) {
    for cycle in 0..keys.count() {
        let [first, second] = keys.pair(isa, cycle);
        for [left, right] in &mut *halves {
            *left = *left + K::round(first, *right);
        }
        for [left, right] in &mut *halves {
            *right = *right + K::round(second, *left);
        }
    }
}

/// All cycles backward, in vectors.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn decrypt_halves<I: WordsIsa, K: Cycles<I>>(isa: I, keys: K, halves: &mut [[I::Words; 2]]) {
    for cycle in (0..keys.count()).rev() {
        let [first, second] = keys.pair(isa, cycle);
        for [left, right] in &mut *halves {
            *right = *right - K::round(second, *left);
        }
        for [left, right] in &mut *halves {
            *left = *left - K::round(first, *right);
        }
    }
}

/// A pass forward. A call for each cipher: with the rounds of two in one, LLVM keeps less of eight groups in registers (ECB
/// of XTEA took 1.2 times as long).
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn encrypt_groups<'k, I: WordsIsa, C: TwoWords, K: Cycles<I>, const N: usize>(
    isa: I,
    keys: &'k C::Keys,
    cycles: impl FnOnce(&'k C::Keys) -> K,
    groups: &mut [[I::Words; 2]; N],
) {
    pass::<N, I>(
        isa,
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || {
            let order = C::order(keys);
            let mut halves = split(order, groups);
            encrypt_halves(isa, cycles(keys), &mut halves);
            join(order, halves, groups);
        },
    );
}

/// A pass backward.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn decrypt_groups<'k, I: WordsIsa, C: TwoWords, K: Cycles<I>, const N: usize>(
    isa: I,
    keys: &'k C::Keys,
    cycles: impl FnOnce(&'k C::Keys) -> K,
    groups: &mut [[I::Words; 2]; N],
) {
    pass::<N, I>(
        isa,
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || {
            let order = C::order(keys);
            let mut halves = split(order, groups);
            // The register allocator of LLVM keeps more of eight groups in 16 registers if the last group comes first: 20
            // accesses to the stack in a cycle, not 35, and 9 % less time (XTEA with AVX2, Zen 3).
            halves.reverse();
            decrypt_halves(isa, cycles(keys), &mut halves);
            halves.reverse();
            join(order, halves, groups);
        },
    );
}

/// Rows forward, under a key in each lane: a call for each cipher that modes share, but for one row.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn encrypt_rows<I: WordsIsa, K: Cycles<I>, const N: usize>(
    isa: I,
    keys: K,
    rows: &mut [[[I::Words; 2]; 2]; N],
) {
    several::<N, I>(
        isa,
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || {
            // Rounds on a local copy stay in registers. Without the copy, packets of 256 bytes take 6 % longer (AVX2).
            let mut local = *rows;
            encrypt_halves(isa, keys, local.flat_mut());
            *rows = local;
        },
    );
}

/// Rows backward, under a key in each lane.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn decrypt_rows<I: WordsIsa, K: Cycles<I>, const N: usize>(
    isa: I,
    keys: K,
    rows: &mut [[[I::Words; 2]; 2]; N],
) {
    several::<N, I>(
        isa,
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || {
            let mut local = *rows;
            decrypt_halves(isa, keys, local.flat_mut());
            *rows = local;
        },
    );
}

/// Rounds over `N` rows: a call, but for one, which is short code for short messages.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn several<const N: usize, I: WordsIsa>(isa: I, work: impl FnOnce()) {
    if const { N == 1 } { work() } else { in_aligned_frame(isa, work) }
}

/// Runs rounds in a call whose frame is [aligned](Isa::align_frame): not all words fit into 16 registers.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn in_aligned_frame<I: WordsIsa>(isa: I, work: impl FnOnce()) {
    isa.run(
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || {
            isa.align_frame();
            work();
        },
    );
}

impl<C: TwoWords> Spec for Halves<C> {
    type Keys = C::Keys;
    const BLOCK: usize = 8;
}

impl<C: TwoWords> OverWords for Halves<C> {}

/// A pass over `N` groups: a call, but for one or two groups of wide vectors. Those are short code, and a single message
/// of them would wait for its words to go through memory: 20 % of the time of 64 bytes of XTEA with AVX2 on Zen 3.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn pass<const N: usize, I: WordsIsa>(isa: I, work: impl FnOnce()) {
    if const { N <= 2 && I::Words::BYTES > 16 } { work() } else { in_aligned_frame(isa, work) }
}

impl<I: WordsIsa, C: TwoWordsOn<I>> WordsBackend<I> for Halves<C> {
    type Group = [I::Words; 2];
    const INTERLEAVE: usize = 8;
    const LATENCY_BOUND: bool = true;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt<const N: usize>(isa: I, keys: &C::Keys, groups: &mut [[I::Words; 2]; N]) {
        C::encrypt(isa, keys, groups);
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt<const N: usize>(isa: I, keys: &C::Keys, groups: &mut [[I::Words; 2]; N]) {
        C::decrypt(isa, keys, groups);
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_partial(isa: I, keys: &C::Keys, group: &mut [I::Words; 2], blocks: usize) {
        let order = C::order(keys);
        match blocks {
            0..=2 if few_in_general_registers::<I>() => {
                let words = to_scalars::<I, C, 2>(order, *group);
                *group = to_group::<I, 2>(isa, order, C::encrypt_scalars::<2>(keys, words));
            }
            3..=FEW if few_in_general_registers::<I>() && four_in_general_registers() => {
                let words = to_scalars::<I, C, FEW>(order, *group);
                *group = to_group::<I, FEW>(isa, order, C::encrypt_scalars::<FEW>(keys, words));
            }
            _ => <Self as WordsBackend<I>>::encrypt(isa, keys, core::array::from_mut(group)),
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt_partial(isa: I, keys: &C::Keys, group: &mut [I::Words; 2], blocks: usize) {
        let order = C::order(keys);
        match blocks {
            0..=2 if few_in_general_registers::<I>() => {
                let words = to_scalars::<I, C, 2>(order, *group);
                *group = to_group::<I, 2>(isa, order, C::decrypt_scalars::<2>(keys, words));
            }
            3..=FEW if few_in_general_registers::<I>() && four_in_general_registers() => {
                let words = to_scalars::<I, C, FEW>(order, *group);
                *group = to_group::<I, FEW>(isa, order, C::decrypt_scalars::<FEW>(keys, words));
            }
            _ => <Self as WordsBackend<I>>::decrypt(isa, keys, core::array::from_mut(group)),
        }
    }

    /// The words as they lie in memory, read little-endian.
    type SerialBlock = [u32; 2];
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn load_serial(_: I, src: &[u8]) -> [u32; 2] {
        let mut block = [0; 8];
        block.copy_from(src);
        let block = u64::from_le_bytes(block);
        [block as u32, (block >> 32) as u32]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn store_serial([left, right]: [u32; 2], dst: &mut [u8]) {
        dst.copy_from(&(u64::from(left) | u64::from(right) << 32).to_le_bytes());
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn xor_serial(a: [u32; 2], b: [u32; 2]) -> [u32; 2] {
        [a[0] ^ b[0], a[1] ^ b[1]]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_serial(_: I, keys: &C::Keys, block: [u32; 2]) -> [u32; 2] {
        let order = C::order(keys);
        let [block] = C::encrypt_scalars::<1>(keys, [ordered(order, block)]);
        ordered(order, block)
    }
}

impl<C: TwoWords> MultiBufferSpec for Halves<C> {
    type Key = C::Key;
    /// Two ciphers or byte orders do not go side by side.
    type Level = (Level, C::Variant);

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn keys_at(key: &C::Key, (level, variant): (Level, C::Variant)) -> Option<&C::Keys> {
        C::keys_at(key, level, variant)
    }
}

impl<I: WordsIsa, C: TwoWordsOn<I>> MultiBuffer<I> for Halves<C> {
    const LANES: usize = I::Words::LANES;
    const LEAST: usize = 2;

    type Block = [I::Words; 2];
    type Row = [[I::Words; 2]; 2];
    type LaneKeys = TwoWordsLaneKeys<I::Words, C::Variant>;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn no_keys(isa: I) -> Self::LaneKeys {
        TwoWordsLaneKeys {
            words: [I::Words::splat(isa, 0); 4],
            variant: C::ANY,
            order: ByteOrder::LittleEndian,
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn lay_out(isa: I, keys: &[&C::Keys; MOST_LANES], _: Direction, out: &mut Self::LaneKeys) {
        out.words = words_of_rows(
            isa,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |lane| C::words(keys[lane]).unwrap_or(&[0; 16]),
        );
        (out.variant, out.order) = (C::variant(keys[0]), C::order(keys[0]));
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn zero(isa: I) -> [[I::Words; 2]; 2] {
        [[I::Words::splat(isa, 0); 2]; 2]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn gather<'b>(isa: I, keys: &Self::LaneKeys, row: impl Fn(usize) -> &'b [u8; 16]) -> [[I::Words; 2]; 2] {
        let [a, b, c, d] = words_of_rows(isa, row);
        [in_order(keys.order, [a, b]), in_order(keys.order, [c, d])]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn scatter(keys: &Self::LaneKeys, [first, second]: [[I::Words; 2]; 2], rows: &mut Rows) {
        let ([a, b], [c, d]) = (in_order(keys.order, first), in_order(keys.order, second));
        rows_of_words([a, b, c, d], rows);
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn xor([a, b]: [I::Words; 2], [c, d]: [I::Words; 2]) -> [I::Words; 2] {
        [a ^ c, b ^ d]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_block(isa: I, keys: &Self::LaneKeys, block: [I::Words; 2]) -> [I::Words; 2] {
        let mut halves = [block];
        C::encrypt_lanes(isa, keys.variant, &keys.words, &mut halves);
        let [block] = halves;
        block
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt_block(isa: I, keys: &Self::LaneKeys, block: [I::Words; 2]) -> [I::Words; 2] {
        let mut rows = [[block; 2]];
        C::decrypt_rows(isa, keys.variant, &keys.words, &mut rows);
        rows[0][0]
    }
    /// The whole block.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn first_half(_: I, block: [I::Words; 2]) -> [I::Words; 2] {
        block
    }
}

impl<I: WordsIsa, C: TwoWordsOn<I>> ParallelMultiBuffer<I> for Halves<C> {
    const INTERLEAVE: usize = 4;
    const ENOUGH: usize = 3 * I::Words::LANES;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn count(isa: I, keys: &Self::LaneKeys, [a, b]: [I::Words; 2], n: u32) -> [I::Words; 2] {
        let n = I::Words::splat(isa, n);
        match keys.order {
            ByteOrder::LittleEndian => [a, (b.swap_bytes() + n).swap_bytes()],
            ByteOrder::BigEndian => [a, b + n],
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt<const N: usize>(isa: I, keys: &Self::LaneKeys, rows: &mut [[[I::Words; 2]; 2]; N]) {
        C::encrypt_rows(isa, keys.variant, &keys.words, rows);
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt<const N: usize>(isa: I, keys: &Self::LaneKeys, rows: &mut [[[I::Words; 2]; 2]; N]) {
        C::decrypt_rows(isa, keys.variant, &keys.words, rows);
    }
    // Not a call: packets of 64 and 256 bytes take 11 % longer where counters go through memory (AVX2).
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_counters<const N: usize>(
        isa: I,
        keys: &Self::LaneKeys,
        rows: &mut [[[I::Words; 2]; 2]; N],
        _count: usize,
    ) {
        let mut local = *rows;
        C::encrypt_lanes(isa, keys.variant, &keys.words, local.flat_mut());
        *rows = local;
    }
}
