//! AES on the instructions that CPUs have for it.
//!
//! A group is one register of blocks and a pass is eight of them: `aesenc` takes three or four cycles
//! and one or two can start in each, so that eight in flight keep the unit busy. The round keys are
//! broadcast from memory to a register as they are needed; with 32 registers the compiler keeps them.

use super::round_keys::{AES_128_ROUND_KEYS, AesOneKey, AesRoundKeys, AesRunKeys, RoundKeySource, optional};
use crate::engine::backend::{Backend, InOutBlock, Secrecy, Spec};
use abreast_simd::inlined::Zipped;
use abreast_simd::{AesBlocks, AesIsa, Block, Blocks};

/// AES by AES instructions with `RK` round keys: 11 for AES-128, 15 for AES-256 and, with two left out, AES-192.
pub(crate) struct AesRounds<const RK: usize>;

impl<const RK: usize> AesRoundKeys<RK> {
    /// A block.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(super) fn one_block<const ENCRYPT: bool, I: AesIsa>(&self, isa: I, mut block: InOutBlock<'_, '_>) {
        let state = [I::Blocks::first(isa, &block.get_in().0)];
        let keys = AesRounds::<RK>::run_keys::<ENCRYPT>(isa, self);
        let [state] = AesRounds::<RK>::run::<ENCRYPT, 1>(isa, keys, state);
        block.get_out().0 = state.to_first();
    }
}

/// The next counter blocks, one in each lane.
#[derive(Clone, Copy)]
pub(crate) struct AesCounter<V> {
    /// With their bytes reversed, so that the counter is the first word.
    next: V,
    /// The lowest byte of the first of them, or [`SECRET`] if it is one. As long as a pass does not carry out of
    /// it, its blocks are made by additions to that byte where it stands, without a shuffle each.
    ///
    /// An `Option` is not used here: in `None`, the compiler may leave the secret byte in the place of the payload and compare
    /// that byte before it reads the tag, which it did.
    low_byte: u16,
}

/// More than any byte, and so is any sum with it: a pass always carries out of it.
const SECRET: u16 = 0x100;

impl<V> AesCounter<V> {
    /// The counter that starts with a given block, in all lanes, whose lowest byte is that.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(super) fn new<I: AesIsa<Blocks = V>>(isa: I, first: V, low_byte: u8, secrecy: Secrecy) -> Self
    where
        V: Blocks<Isa = I>,
    {
        let next = first.add_words(V::count(isa, 0));
        Self { next, low_byte: if secrecy == Secrecy::Public { low_byte.into() } else { SECRET } }
    }
}

/// A small number in every block, its bytes reversed.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn number<I: AesIsa>(isa: I, n: usize) -> I::Blocks {
    I::Blocks::splat(isa, &(n as u128).to_le_bytes())
}

/// Tells the compiler that AES-192 is seldom: the rounds of AES-256 then lie in one line, without a jump that is taken.
#[cold]
fn seldom() {}

/// Returns the vector of tweaks from which vector `i` comes, where `eight_blocks` vectors are eight blocks.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
const fn tweak_source<const RK: usize>(i: usize, eight_blocks: usize) -> usize {
    match i.checked_sub(eight_blocks) {
        None => i - 1,
        Some(_) if RK == AES_128_ROUND_KEYS => i % eight_blocks,
        Some(before) => before,
    }
}

/// Calls of `stitch` in one encryption: after each round that every key size has besides the last.
const STITCHES: usize = 9;

/// All rounds of encryption (FIPS 197, section 5.1), for all that encrypts but the serial modes, whose chaining takes part
/// in the last round ([`encrypt_then_xor`](Backend::encrypt_then_xor)).
///
/// The rounds are written out because a step is a different piece of work each time, and the compiler does not always
/// unroll a loop this long.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn encrypt_all<I: AesIsa, const N: usize, const RK: usize>(
    isa: I,
    keys: &impl RoundKeySource<I, N>,
    mut states: [I::Blocks; N],
    mut stitch: impl FnMut(usize),
) -> [I::Blocks; N] {
    for (state, key) in states.iter_mut().zipped(keys.key(isa, 0)) {
        *state = *state ^ key;
    }
    if optional::<RK>() != 0 {
        if keys.leaves_out() {
            seldom();
        } else {
            encrypt_round(isa, keys, 1, &mut states);
            encrypt_round(isa, keys, 2, &mut states);
        }
    }
    let before = optional::<RK>();
    encrypt_round(isa, keys, before + 1, &mut states);
    stitch(0);
    encrypt_round(isa, keys, before + 2, &mut states);
    stitch(1);
    encrypt_round(isa, keys, before + 3, &mut states);
    stitch(2);
    encrypt_round(isa, keys, before + 4, &mut states);
    stitch(3);
    encrypt_round(isa, keys, before + 5, &mut states);
    stitch(4);
    encrypt_round(isa, keys, before + 6, &mut states);
    stitch(5);
    encrypt_round(isa, keys, before + 7, &mut states);
    stitch(6);
    encrypt_round(isa, keys, before + 8, &mut states);
    stitch(7);
    encrypt_round(isa, keys, before + 9, &mut states);
    stitch(8);
    for round in before + 10..RK - 1 {
        encrypt_round(isa, keys, round, &mut states);
    }
    for (state, key) in states.iter_mut().zipped(keys.key(isa, RK - 1)) {
        *state = state.encrypt_last(key);
    }
    states
}

/// One round of encryption.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn encrypt_round<I: AesIsa, const N: usize>(
    isa: I,
    keys: &impl RoundKeySource<I, N>,
    round: usize,
    states: &mut [I::Blocks; N],
) {
    for (state, key) in states.iter_mut().zipped(keys.key(isa, round)) {
        *state = state.encrypt_round(key);
    }
}

/// One round of decryption.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn decrypt_round<I: AesIsa, const N: usize>(
    isa: I,
    keys: &impl RoundKeySource<I, N>,
    round: usize,
    states: &mut [I::Blocks; N],
) {
    for (state, key) in states.iter_mut().zipped(keys.key(isa, round)) {
        *state = state.decrypt_round(key);
    }
}

/// All rounds of decryption by the equivalent inverse cipher (FIPS 197, section 5.3.5).
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn decrypt_all<I: AesIsa, const N: usize, const RK: usize>(
    isa: I,
    keys: &impl RoundKeySource<I, N>,
    mut states: [I::Blocks; N],
) -> [I::Blocks; N] {
    for (state, key) in states.iter_mut().zipped(keys.key(isa, 0)) {
        *state = *state ^ key;
    }
    if optional::<RK>() != 0 {
        if keys.leaves_out() {
            seldom();
        } else {
            decrypt_round(isa, keys, 1, &mut states);
            decrypt_round(isa, keys, 2, &mut states);
        }
    }
    for round in 1 + optional::<RK>()..RK - 1 {
        decrypt_round(isa, keys, round, &mut states);
    }
    for (state, key) in states.iter_mut().zipped(keys.key(isa, RK - 1)) {
        *state = state.decrypt_last(key);
    }
    states
}

impl<const RK: usize> Spec for AesRounds<RK> {
    type Keys = AesRoundKeys<RK>;
    const BLOCK: usize = 16;
}

impl<I: AesIsa, const RK: usize> Backend<I> for AesRounds<RK> {
    type Group = I::Blocks;
    const GROUP: usize = I::Blocks::BYTES;
    const INTERLEAVE: usize = 8;
    /// With 32 registers. Sixteen take 7 % less time than eight for AES-128 and 10 % less for AES-256 (Zen 5). Counter mode
    /// and CBC, which need registers besides, take 5 % more.
    const INTERLEAVE_ECB: usize = if I::Blocks::LANES == 4 { 16 } else { 8 };
    const LATENCY_BOUND: bool = false;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn load(isa: I, src: &[u8]) -> I::Blocks {
        I::Blocks::load(isa, src)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn store(group: I::Blocks, dst: &mut [u8]) {
        group.store(dst);
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn load_partial(isa: I, src: &[u8]) -> I::Blocks {
        I::Blocks::load_partial(isa, src)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn store_partial(group: I::Blocks, dst: &mut [u8]) {
        group.store_partial(dst);
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn splat(isa: I, block: &[u8; 16]) -> I::Blocks {
        I::Blocks::splat(isa, block)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn xor(a: I::Blocks, b: I::Blocks) -> I::Blocks {
        a ^ b
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn shift_in(_: I, group: I::Blocks, before: I::Blocks) -> I::Blocks {
        group.shift_in(before)
    }
    /// Eight groups and their ciphertext are sixteen registers, and a group that is loaded at the block before it needs no shuffle, which
    /// would take the place of a round: 11 % less time for two blocks in a register (Zen 3), and no difference for one.
    const LOADS_AGAIN: bool = I::Blocks::LANES == 2;

    type Counter = AesCounter<I::Blocks>;
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn counter(isa: I, block: &Block, secrecy: Secrecy) -> AesCounter<I::Blocks> {
        let [low_byte, ..] = *block.as_bytes();
        AesCounter::new(isa, I::Blocks::splat(isa, block.as_bytes()), low_byte, secrecy)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn count<const N: usize>(isa: I, counter: &mut AesCounter<I::Blocks>) -> [I::Blocks; N] {
        let mut blocks = [counter.next.reverse_bytes(); N];
        let step = N * I::Blocks::LANES;
        if usize::from(counter.low_byte) + step <= 256 {
            let mut last_byte = [0; 16];
            last_byte[15] = I::Blocks::LANES as u8;
            let lanes = I::Blocks::splat(isa, &last_byte);
            for i in 1..N {
                blocks[i] = blocks[i - 1].add_words(lanes);
            }
        } else {
            let (lanes, mut next) = (number(isa, I::Blocks::LANES), counter.next);
            for block in &mut blocks[1..] {
                next = next.add_words(lanes);
                *block = next.reverse_bytes();
            }
        }
        counter.next = counter.next.add_words(number(isa, step));
        counter.low_byte = counter.low_byte & SECRET | (counter.low_byte.wrapping_add(step as u16)) & 0xff;
        blocks
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn first_counters<const N: usize>(isa: I, first: &[u8; 16]) -> [I::Blocks; N] {
        // The number of each block where its last byte is, for four registers of up to four.
        const NUMBERS: [u8; 256] = {
            let mut numbers = [0; 256];
            let mut i = 0;
            while i < 16 {
                numbers[16 * i + 15] = i as u8;
                i += 1;
            }
            numbers
        };
        let mut groups = [I::Blocks::splat(isa, first); N];
        for (group, numbers) in groups.iter_mut().zipped(NUMBERS.chunks_exact(I::Blocks::BYTES)) {
            *group = group.add_words(I::Blocks::load(isa, numbers));
        }
        groups
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn tweaks(isa: I, first: &[u8; 16]) -> I::Blocks {
        I::Blocks::splat(isa, first).times_powers_of_x(isa)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn next_tweaks(_: I, tweaks: I::Blocks) -> I::Blocks {
        tweaks.times_x(I::Blocks::LANES as u32)
    }
    /// Computes the tweaks of the first eight blocks by short steps, and the others by whole bytes, which is cheap. With few
    /// round keys they come from these eight, so that the chain from one pass to the next is one product long (AES-128 with AVX-512 takes
    /// 10 % less time). The round keys of AES-192 and AES-256 leave no registers for that; there each vector comes from the
    /// one eight blocks before.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn take_tweaks<const N: usize>(_: I, tweaks: &mut I::Blocks) -> [I::Blocks; N] {
        let (lanes, eight_blocks) = (I::Blocks::LANES, 8 / I::Blocks::LANES);
        let mut taken = [*tweaks; N];
        let mut i = 1;
        while i < N {
            let source = tweak_source::<RK>(i, eight_blocks);
            taken[i] = taken[source].times_x((lanes * (i - source)) as u32);
            i += 1;
        }
        let source = tweak_source::<RK>(N, eight_blocks);
        *tweaks = taken[source].times_x((lanes * (N - source)) as u32);
        taken
    }
    /// With sixteen registers most tweaks are in memory anyway, and a chain of them at the start of each pass is a third of its
    /// latency, which the CPU does not look far enough ahead to hide: 16 KiB take 15 % less time for one block in a register, 7 % for
    /// two (Zen 3).
    const KEEPS_TWEAKS: bool = cfg!(target_arch = "x86_64") && I::Blocks::LANES < 4;
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn tweaks_after(_: I, tweaks: I::Blocks, n: usize) -> I::Blocks {
        tweaks.times_x((n * I::Blocks::LANES) as u32)
    }

    type RunKeys<'k> = AesRunKeys<'k, I::Blocks, RK>;
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run_keys<const ENCRYPT: bool>(isa: I, keys: &AesRoundKeys<RK>) -> Self::RunKeys<'_> {
        AesRunKeys::new::<ENCRYPT>(isa, keys)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<const ENCRYPT: bool, const N: usize>(
        isa: I,
        keys: Self::RunKeys<'_>,
        states: [I::Blocks; N],
    ) -> [I::Blocks; N] {
        if ENCRYPT {
            encrypt_all::<I, N, RK>(
                isa,
                &keys,
                states,
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |_| (),
            )
        } else {
            decrypt_all::<I, N, RK>(isa, &keys, states)
        }
    }

    const STITCHES: usize = STITCHES;
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt<const N: usize>(
        isa: I,
        keys: &AesRoundKeys<RK>,
        states: [I::Blocks; N],
        stitch: impl FnMut(usize),
    ) -> [I::Blocks; N] {
        encrypt_all::<I, N, RK>(isa, &AesOneKey(keys), states, stitch)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt<const N: usize>(isa: I, keys: &AesRoundKeys<RK>, states: [I::Blocks; N]) -> [I::Blocks; N] {
        decrypt_all::<I, N, RK>(isa, &AesRunKeys::new::<false>(isa, keys), states)
    }

    // In the first lane. The first round key is added to an input in advance, so that the sum with the next
    // block comes out of the last round, whose key it is made part of: a link is the rounds and no more.
    type SerialBlock = I::Blocks;
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn load_serial(isa: I, src: &[u8]) -> I::Blocks {
        I::Blocks::load_partial(isa, &src[..16])
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn store_serial(block: I::Blocks, dst: &mut [u8]) {
        block.store_partial(&mut dst[..16]);
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn xor_serial(a: I::Blocks, b: I::Blocks) -> I::Blocks {
        a ^ b
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn begin_serial(isa: I, keys: &AesRoundKeys<RK>, block: I::Blocks) -> I::Blocks {
        block ^ I::Blocks::splat(isa, &keys.encrypt[0])
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_then_xor(
        isa: I,
        keys: &AesRoundKeys<RK>,
        mut input: I::Blocks,
        next: I::Blocks,
    ) -> (I::Blocks, I::Blocks) {
        let leaves_out = keys.left_out() != 0;
        let keys = &keys.encrypt;
        if optional::<RK>() != 0 {
            if leaves_out {
                seldom();
            } else {
                input = input.encrypt_round(I::Blocks::splat(isa, &keys[1]));
                input = input.encrypt_round(I::Blocks::splat(isa, &keys[2]));
            }
        }
        for key in &keys[1 + optional::<RK>()..RK - 1] {
            input = input.encrypt_round(I::Blocks::splat(isa, key));
        }
        let last = I::Blocks::splat(isa, &keys[RK - 1]);
        let output = input.encrypt_last(last);
        (output, input.encrypt_last(last ^ I::Blocks::splat(isa, &keys[0]) ^ next))
    }

    type Ghash = I::Blocks;
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn ghash_isa(isa: I) -> I {
        isa
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn ghash_of(_: I, group: I::Blocks) -> I::Blocks {
        group
    }
}
