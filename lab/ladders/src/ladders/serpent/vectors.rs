//! Serpent on as many blocks at a time as a register has words, and on several such groups side by side.

use abreast_simd::{Level, Words, WordsIsa, dispatch};

use super::interface::ManyBlocks;
use super::rounds::{OnVectors, OnVectorsTernary, RoundKeys, encrypt};

/// `N` groups of blocks at a time, and with `TERNARY` by three-input logic where the registers have it.
///
/// A message is whole groups, since what may be left of one is not what the ladder is about.
pub(super) struct Groups<const N: usize, const TERNARY: bool> {
    pub(super) level: Level,
    pub(super) keys: RoundKeys,
}

impl<const N: usize, const TERNARY: bool> ManyBlocks for Groups<N, TERNARY> {
    fn encrypt_n(&self, input: &[u8], output: &mut [u8]) {
        dispatch!(self.level, isa => encrypt_passes::<N, TERNARY, _>(isa, &self.keys, input, output));
    }
}

#[inline(always)]
fn encrypt_passes<const N: usize, const TERNARY: bool, I: WordsIsa>(
    isa: I,
    keys: &RoundKeys,
    input: &[u8],
    output: &mut [u8],
) {
    let pass = N * 4 * I::Words::BYTES;
    for (input, output) in input.chunks(pass).zip(output.chunks_mut(pass)) {
        let mut groups = [[I::Words::splat(isa, 0); 4]; N];
        load(isa, input, &mut groups);
        if TERNARY && I::Words::TERNARY {
            encrypt(OnVectorsTernary(isa), keys, &mut groups);
        } else {
            encrypt(OnVectors(isa), keys, &mut groups);
        }
        store(&groups, output);
    }
}

/// Blocks to words: the first register of a group has the first words of its blocks, and so on. The last groups stay
/// as they are if there are not as many in the message.
#[inline(always)]
pub(super) fn load<W: Words>(isa: W::Isa, bytes: &[u8], groups: &mut [[W; 4]]) {
    for (group, bytes) in groups.iter_mut().zip(bytes.chunks_exact(4 * W::BYTES)) {
        for (row, bytes) in group.iter_mut().zip(bytes.chunks_exact(W::BYTES)) {
            *row = W::load(isa, bytes);
        }
        *group = W::transpose(*group);
    }
}

/// The inverse of [`load`].
#[inline(always)]
pub(super) fn store<W: Words>(groups: &[[W; 4]], bytes: &mut [u8]) {
    for (group, bytes) in groups.iter().zip(bytes.chunks_exact_mut(4 * W::BYTES)) {
        for (row, bytes) in W::transpose(*group).iter().zip(bytes.chunks_exact_mut(W::BYTES)) {
            row.store(bytes);
        }
    }
}
