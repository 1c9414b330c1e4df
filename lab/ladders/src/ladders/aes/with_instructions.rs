//! The steps with AES instructions, in registers of one block and of several.

use std::hint::black_box;

use abreast_simd::{AesBlocks, AesIsa, AesLevel, Block, Blocks, dispatch_aes};

use super::packets::{KEY, Nonce, Packets, counter_block};
use super::tables::expand;
use crate::ladder::Step;

/// Round keys as registers load them.
pub(in crate::ladders) type RoundKeys = [[u8; 16]; 11];

const NO_INSTRUCTIONS: &str = "this CPU has no AES instructions";

/// From one block for each call to registers of four blocks.
pub(super) fn steps(packets: &Packets) -> Vec<Step> {
    let one_block = AesLevel::detect_all().rfind(|level| lanes_of(*level) == 1);
    let named = |name| AesLevel::detect_all().find(|level| level.name() == name);
    let keys = expand(&KEY).map(bytes);
    let step = |level, why, name, change, encrypt: fn(AesLevel, &RoundKeys, &Packets, &[u8], &mut [u8])| {
        let packets = packets.clone();
        Step::if_detected(level, why, name, change, move |level| {
            Box::new(move |input, output| encrypt(level, &keys, &packets, input, output))
        })
    };
    vec![
        step(
            one_block,
            NO_INSTRUCTIONS,
            "AES instructions, one block",
            "An instruction computes a round, so that a block takes ten of them and no table. Each block is a call \
             again, which loads all round keys.",
            call_for_each_block,
        ),
        step(
            one_block,
            NO_INSTRUCTIONS,
            "AES instructions, 8 blocks",
            "Eight blocks go through each round together, and all packets are one call. A round has a latency of some \
             four cycles, but the unit can begin the next at once, and a round key is loaded once for eight blocks.",
            interleaved,
        ),
        step(
            named("vaes"),
            "this CPU has no AES instructions on registers of 256 bits",
            "VAES, keys in registers",
            "An instruction computes a round of two blocks. As in the article, all round keys stay in registers for \
             all packets: eleven of 16, and four are left for blocks. Four are fewer than the units could overlap, but \
             the core begins a pass before the last one has ended.",
            keys_in_registers::<4>,
        ),
        step(
            named("avx512"),
            "this CPU has no AVX-512, or no AES instructions for it",
            "AVX-512, keys in registers",
            "An instruction computes a round of four blocks. There are 32 registers, which hold the eleven round \
             keys and eight registers of blocks, with room to spare for counters.",
            keys_in_registers::<8>,
        ),
    ]
}

/// A call for each block.
fn call_for_each_block(
    level: AesLevel,
    keys: &RoundKeys,
    packets: &Packets,
    input: &[u8],
    output: &mut [u8],
) {
    packets.each(input, output, |nonce, input, output| {
        let first = number_of(nonce);
        let blocks = input.as_chunks::<16>().0.iter().zip(output.as_chunks_mut::<16>().0);
        for (counter, (input, output)) in (1..).zip(blocks) {
            dispatch_aes!(level, isa => one_block(isa, keys, first + counter, input, output));
        }
    });
}

/// One block, whose counter block is given as a number.
#[inline(always)]
fn one_block<I: AesIsa>(isa: I, keys: &RoundKeys, counter: u128, input: &[u8; 16], output: &mut [u8; 16]) {
    // Not by way of bytes in memory: a load of 16 bytes waits long for stores of fewer.
    let counter = Block::from(counter.swap_bytes());
    let counter = I::Blocks::splat(isa, counter.as_bytes());
    let [keystream] = encrypt::<1, I>(&in_registers(isa, keys), [counter]);
    (I::Blocks::load(isa, input) ^ keystream).store(output);
}

/// All packets in one call, eight registers side by side, where round keys are loaded in each round.
fn interleaved(level: AesLevel, keys: &RoundKeys, packets: &Packets, input: &[u8], output: &mut [u8]) {
    dispatch_aes!(level, isa => all_packets::<8, _>(isa, keys, packets, input, output, from_memory));
}

/// All packets in one call, `N` registers side by side, where round keys stay in registers.
fn keys_in_registers<const N: usize>(
    level: AesLevel,
    keys: &RoundKeys,
    packets: &Packets,
    input: &[u8],
    output: &mut [u8],
) {
    dispatch_aes!(level, isa => {
        all_packets::<N, _>(isa, keys, packets, input, output, #[inline(always)] |keys| keys);
    });
}

/// Hides the origin of round keys from the compiler, so that they have to be loaded.
#[inline(always)]
fn from_memory<T>(keys: &T) -> &T {
    black_box(keys)
}

/// All packets, each by as many passes of `N` registers as it fills, and the rest register by register. `keys_of_pass`
/// says where a pass finds its round keys.
#[inline(always)]
fn all_packets<const N: usize, I: AesIsa>(
    isa: I,
    keys: &RoundKeys,
    packets: &Packets,
    input: &[u8],
    output: &mut [u8],
    keys_of_pass: impl Fn(&[I::Blocks; 11]) -> &[I::Blocks; 11],
) {
    let keys = in_registers(isa, keys);
    packets.each(
        input,
        output,
        #[inline(always)]
        |nonce, input, output| {
            // With the bytes of a block reversed, its counter is the first word of 32 bits.
            let first = Block::from(number_of(nonce));
            let mut counter = I::Blocks::splat(isa, first.as_bytes()).add_words(I::Blocks::count(isa, 1));
            let pass = N * I::Blocks::BYTES;
            let (input, rest) = input.split_at(input.len() / pass * pass);
            let (output, rest_of_output) = output.split_at_mut(input.len());
            for (input, output) in input.chunks_exact(pass).zip(output.chunks_exact_mut(pass)) {
                xor_keystream::<N, I>(isa, keys_of_pass(&keys), &mut counter, input, output);
            }
            let register = I::Blocks::BYTES;
            for (input, output) in rest.chunks_exact(register).zip(rest_of_output.chunks_exact_mut(register))
            {
                xor_keystream::<1, I>(isa, keys_of_pass(&keys), &mut counter, input, output);
            }
        },
    );
}

/// A pass over `N` registers of blocks.
#[inline(always)]
fn xor_keystream<const N: usize, I: AesIsa>(
    isa: I,
    keys: &[I::Blocks; 11],
    counter: &mut I::Blocks,
    input: &[u8],
    output: &mut [u8],
) {
    let lanes = I::Blocks::LANES as u128;
    let mut blocks = [*counter; N];
    for (i, block) in (0..).zip(&mut blocks) {
        *block = counter.add_words(number(isa, i * lanes)).reverse_bytes();
    }
    *counter = counter.add_words(number(isa, N as u128 * lanes));
    let buffers = input.chunks_exact(I::Blocks::BYTES).zip(output.chunks_exact_mut(I::Blocks::BYTES));
    for (keystream, (input, output)) in encrypt::<N, I>(keys, blocks).into_iter().zip(buffers) {
        (I::Blocks::load(isa, input) ^ keystream).store(output);
    }
}

/// All rounds of `N` registers of blocks.
#[inline(always)]
fn encrypt<const N: usize, I: AesIsa>(keys: &[I::Blocks; 11], mut states: [I::Blocks; N]) -> [I::Blocks; N] {
    for state in &mut states {
        *state = *state ^ keys[0];
    }
    for key in &keys[1..10] {
        for state in &mut states {
            *state = state.encrypt_round(*key);
        }
    }
    for state in &mut states {
        *state = state.encrypt_last(keys[10]);
    }
    states
}

/// Each round key in all lanes of a register.
#[inline(always)]
fn in_registers<I: AesIsa>(isa: I, keys: &RoundKeys) -> [I::Blocks; 11] {
    let mut registers = [I::Blocks::splat(isa, &keys[0]); 11];
    for (register, key) in registers.iter_mut().zip(keys) {
        *register = I::Blocks::splat(isa, key);
    }
    registers
}

/// Blocks in a register of an instruction set.
pub(in crate::ladders) fn lanes_of(level: AesLevel) -> usize {
    dispatch_aes!(level, isa => lanes(isa))
}

/// Blocks in a register.
#[inline(always)]
fn lanes<I: AesIsa>(_: I) -> usize {
    I::Blocks::LANES
}

/// A number in each lane, where counters are whose bytes are reversed.
#[inline(always)]
fn number<I: AesIsa>(isa: I, number: u128) -> I::Blocks {
    I::Blocks::splat(isa, &number.to_le_bytes())
}

/// The counter block with the counter 0, as a number.
#[inline(always)]
fn number_of(nonce: &Nonce) -> u128 {
    u128::from_be_bytes(counter_block(nonce, 0))
}

/// The bytes of a round key.
pub(super) fn bytes(columns: [u32; 4]) -> [u8; 16] {
    let mut bytes = [0; 16];
    for (bytes, column) in bytes.as_chunks_mut().0.iter_mut().zip(columns) {
        *bytes = column.to_le_bytes();
    }
    bytes
}
