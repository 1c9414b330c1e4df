//! One block of Serpent in general registers.
//!
//! A block by itself waits for its own results. Where an operation on vectors takes two cycles, or has no third input, the
//! same chain of operations is shorter in general registers, in which an operation takes one: 32 rounds, each of an S-box
//! that is done as soon as its words allow (`timed_..` of [`circuits`](super::circuits)) and of the linear transformation.

use super::round_order::{Rounds, backward, forward, inverse_transform, transform, xor};
use super::sboxes::{timed_inverse_sbox, timed_sbox};
use super::schedule::SerpentRoundKeys;
use crate::InOutBuf;
use crate::engine::backend::Direction;
use abreast_simd::inlined::{CopyFrom, Zipped};
use abreast_simd::portable::Portable;
use abreast_simd::{Isa as _, scalar};

/// The words of a block.
pub(super) type Block = [u32; 4];

/// The words of sixteen bytes.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn words(bytes: &[u8; 16]) -> Block {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zipped(bytes.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    words
}

/// The sixteen bytes of words as a little-endian number.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn number([a, b, c, d]: Block) -> u128 {
    let half = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    u128::from(half(a, b)) | u128::from(half(c, d)) << 64
}

/// Each word in a register of its own: the compiler would rather put several into one vector.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn apart([a, b, c, d]: Block) -> Block {
    [scalar(a), scalar(b), scalar(c), scalar(d)]
}

/// A block on its way through the rounds.
struct OneBlock<'k> {
    keys: &'k [[u8; 16]; 33],
    block: Block,
}

impl Rounds for OneBlock<'_> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_round<const S: usize>(&mut self, key: usize) {
        self.block = apart(transform(timed_sbox::<S, _>(self.block), words(&self.keys[key])));
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt_round<const S: usize>(&mut self, key: usize) {
        self.block = apart(timed_inverse_sbox::<S, _>(inverse_transform(self.block, words(&self.keys[key]))));
    }
}

/// All rounds forward: one function for all instruction sets.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn encrypt(keys: &[[u8; 16]; 33], block: Block) -> Block {
    Portable.run(
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || {
            let mut rounds = OneBlock { keys, block: apart(xor(block, words(&keys[0]))) };
            forward(&mut rounds);
            xor(timed_sbox::<7, _>(rounds.block), words(&keys[32]))
        },
    )
}

/// Takes a message of one block forward or backward. True if it was one.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn from_memory(
    keys: &SerpentRoundKeys,
    direction: Direction,
    io: &mut InOutBuf<'_, '_, u8>,
) -> bool {
    let Some(block) = io.get_in().first_chunk().map(words) else { return false };
    let block = match direction {
        Direction::Encrypt => encrypt(&keys.encrypt, block),
        Direction::Decrypt => decrypt(&keys.decrypt, block),
    };
    io.get_out().copy_from(&number(block).to_le_bytes());
    true
}

/// All rounds backward.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn decrypt(keys: &[[u8; 16]; 33], block: Block) -> Block {
    Portable.run(
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || {
            let block = apart(xor(block, words(&keys[32])));
            let mut rounds = OneBlock { keys, block: apart(timed_inverse_sbox::<7, _>(block)) };
            backward(&mut rounds);
            xor(rounds.block, words(&keys[0]))
        },
    )
}
