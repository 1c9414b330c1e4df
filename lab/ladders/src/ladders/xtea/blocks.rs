//! Steps that take block after block through all cycles.

use rayon::prelude::*;

use super::cycle::{BLOCK, CYCLES, Direction, Key, keys_of_cycle, load, store};

/// All cycles of a block.
#[inline(always)]
fn crypt<D: Direction>(key: &Key, input: &[u8; BLOCK], output: &mut [u8; BLOCK]) {
    let mut block = load(input);
    for n in 0..CYCLES {
        block = D::cycle(keys_of_cycle::<D>(key, n), block);
    }
    store(block, output);
}

/// A `while` loop over positions, as the server has it.
pub(super) fn while_loop<D: Direction>(key: &Key, input: &[u8], output: &mut [u8]) {
    let (input, output) = (input.as_chunks().0, output.as_chunks_mut().0);
    let mut position = 0;
    while position < input.len() {
        crypt::<D>(key, &input[position], &mut output[position]);
        position += 1;
    }
}

/// A `for` loop over positions.
pub(super) fn for_loop<D: Direction>(key: &Key, input: &[u8], output: &mut [u8]) {
    let (input, output) = (input.as_chunks().0, output.as_chunks_mut().0);
    for position in 0..input.len() {
        crypt::<D>(key, &input[position], &mut output[position]);
    }
}

/// Iterators, which need no positions.
pub(super) fn map<D: Direction>(key: &Key, input: &[u8], output: &mut [u8]) {
    let blocks = input.as_chunks().0.iter().zip(output.as_chunks_mut().0);
    blocks.for_each(|(input, output)| crypt::<D>(key, input, output));
}

/// Iterators like those of [`map`], on all cores.
pub(super) fn parallel<D: Direction>(key: &Key, input: &[u8], output: &mut [u8]) {
    let blocks = input.as_chunks().0.par_iter().zip(output.as_chunks_mut().0);
    blocks.for_each(|(input, output)| crypt::<D>(key, input, output));
}
