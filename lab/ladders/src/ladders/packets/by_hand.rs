//! Messages side by side, each under its own key: in several registers, and in the lanes of each.

use abreast_simd::{AesBlocks, AesIsa, Blocks};

use super::messages::Messages;
use crate::ladders::aes::RoundKeys;

/// Returns the round keys of as many messages as a register has lanes side by side: those of round 0, those of round 1, and
/// so on; then those of the next messages.
pub(super) fn in_lanes(keys: &[RoundKeys], lanes: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for group in keys.chunks(lanes) {
        for round in 0..11 {
            group.iter().for_each(|keys| bytes.extend_from_slice(&keys[round]));
        }
    }
    bytes
}

/// CBC of `N` registers of messages at a time. A block of each is under way, and waits for the block before it.
#[inline(always)]
pub(super) fn side_by_side<const N: usize, I: AesIsa>(
    isa: I,
    messages: &Messages,
    keys: &[u8],
    input: &[u8],
    output: &mut [u8],
) {
    let (blocks, lanes, bytes) = (messages.len / 16, I::Blocks::LANES, I::Blocks::BYTES);
    let (texts, output) = (input.as_chunks::<16>().0, output.as_chunks_mut::<16>().0);
    let keys_of_group = keys.chunks_exact(N * 11 * bytes);
    for (group, (keys, ivs)) in keys_of_group.zip(messages.ivs.chunks_exact(N * lanes)).enumerate() {
        let first = group * N * lanes * blocks;
        let mut chains = [I::Blocks::splat(isa, &[0; 16]); N];
        for (chain, ivs) in chains.iter_mut().zip(ivs.chunks_exact(lanes)) {
            *chain = I::Blocks::load(isa, ivs.as_flattened());
        }
        for block in 0..blocks {
            let place = |n: usize, lane: usize| first + (n * lanes + lane) * blocks + block;
            let mut n = 0;
            while n < N {
                let text = I::Blocks::gather(
                    isa,
                    #[inline(always)]
                    |lane| &texts[place(n, lane)],
                );
                chains[n] = chains[n] ^ text ^ key(isa, keys, n, 0);
                n += 1;
            }
            chains = rounds(isa, keys, chains);
            for (n, chain) in chains.iter().enumerate() {
                let mut row = [[0; 16]; 4];
                chain.store(row[..lanes].as_flattened_mut());
                for (lane, block) in row[..lanes].iter().enumerate() {
                    output[place(n, lane)] = *block;
                }
            }
        }
    }
}

/// Ten rounds of `N` registers, each with round keys of its own.
#[inline(always)]
fn rounds<const N: usize, I: AesIsa>(isa: I, keys: &[u8], mut states: [I::Blocks; N]) -> [I::Blocks; N] {
    for round in 1..10 {
        let mut n = 0;
        while n < N {
            states[n] = states[n].encrypt_round(key(isa, keys, n, round));
            n += 1;
        }
    }
    let mut n = 0;
    while n < N {
        states[n] = states[n].encrypt_last(key(isa, keys, n, 10));
        n += 1;
    }
    states
}

/// Returns the keys of a round for register `n`: those of its messages, lane by lane.
#[inline(always)]
fn key<I: AesIsa>(isa: I, keys: &[u8], n: usize, round: usize) -> I::Blocks {
    let bytes = I::Blocks::BYTES;
    I::Blocks::load(isa, &keys[(11 * n + round) * bytes..][..bytes])
}
