//! Steps that take all blocks through one cycle before the next cycle begins, on vectors that the compiler
//! makes.
//!
//! The cycles of a block wait for each other, those of different blocks do not. With the blocks in the
//! innermost loop, the compiler can put several of them into the lanes of vectors. All of this runs inside a
//! closure that is compiled for an instruction set, so the vectors are the widest of the CPU.

use abreast_simd::{Level, dispatch};

use super::cycle::{
    BLOCK, CYCLES, Direction, Key, RoundKeys, keys_of_cycle, load, load_words, store, store_words,
};

/// The sums are worked out between the cycles, once for all blocks.
pub(super) fn rounds_outside<D: Direction>(key: &Key, input: &[u8], output: &mut [u8]) {
    output.copy_from_slice(input);
    let blocks = output.as_chunks_mut().0;
    dispatch!(Level::best(), _isa => {
        for n in 0..CYCLES {
            let keys = keys_of_cycle::<D>(key, n);
            for block in &mut *blocks {
                store(D::cycle(keys, load(block)), block);
            }
        }
    });
}

/// The round keys are at hand.
pub(super) fn with_round_keys<D: Direction>(keys: &RoundKeys, input: &[u8], output: &mut [u8]) {
    output.copy_from_slice(input);
    let blocks = output.as_chunks_mut().0;
    dispatch!(Level::best(), _isa => {
        for &keys in keys {
            for block in &mut *blocks {
                store(D::cycle(keys, load(block)), block);
            }
        }
    });
}

/// A block is two words, not one number.
pub(super) fn with_words<D: Direction>(keys: &RoundKeys, input: &[u8], output: &mut [u8]) {
    output.copy_from_slice(input);
    let blocks = output.as_chunks_mut().0;
    dispatch!(Level::best(), _isa => {
        for &keys in keys {
            for block in &mut *blocks {
                store_words(D::cycle(keys, load_words(block)), block);
            }
        }
    });
}

/// Blocks of a piece, which stays in the first-level cache of any CPU.
const PIECE: usize = 512;

/// A piece goes through all cycles before the next piece begins.
pub(super) fn piece_by_piece<D: Direction>(keys: &RoundKeys, input: &[u8], output: &mut [u8]) {
    for (input, output) in input.chunks(PIECE * BLOCK).zip(output.chunks_mut(PIECE * BLOCK)) {
        with_words::<D>(keys, input, output);
    }
}

/// The left words of a piece lie in one array, the right words in another.
pub(super) fn words_apart<D: Direction>(keys: &RoundKeys, input: &[u8], output: &mut [u8]) {
    let mut piece = [[0; PIECE]; 2];
    for (input, output) in input.chunks(PIECE * BLOCK).zip(output.chunks_mut(PIECE * BLOCK)) {
        let (input, output) = (input.as_chunks().0, output.as_chunks_mut().0);
        let [lefts, rights] = piece.each_mut().map(|words| &mut words[..input.len()]);
        dispatch!(Level::best(), _isa => {
            for ((left, right), block) in lefts.iter_mut().zip(&mut *rights).zip(input) {
                (*left, *right) = load_words(block);
            }
            for &keys in keys {
                for (left, right) in lefts.iter_mut().zip(&mut *rights) {
                    (*left, *right) = D::cycle(keys, (*left, *right));
                }
            }
            for ((left, right), block) in lefts.iter().zip(&*rights).zip(output) {
                store_words((*left, *right), block);
            }
        });
    }
}
