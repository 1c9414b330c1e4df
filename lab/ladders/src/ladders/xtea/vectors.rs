//! Steps whose vectors are written out, for any instruction set.
//!
//! Two registers of whole blocks, as they come from memory, become a pair: a register of left words and one
//! of right words. So all lanes do the same, and no cycle moves anything from lane to lane.

use abreast_simd::{Words, WordsIsa};

use super::cycle::{RoundKeys, VectorDirection};

/// The pairs that are side by side where there are several: they need twelve registers, and SSE2 and AVX2
/// have sixteen.
pub(super) const PAIRS: usize = 6;

/// Bytes of a pair.
#[inline(always)]
pub(super) fn pair_bytes<I: WordsIsa>(_: I) -> usize {
    2 * I::Words::BYTES
}

/// One pair after the other, the last of which need not be full.
#[inline(always)]
pub(super) fn one_pair<D: VectorDirection, I: WordsIsa>(
    isa: I,
    keys: &RoundKeys,
    input: &[u8],
    output: &mut [u8],
) {
    let bytes = pair_bytes(isa);
    for (input, output) in input.chunks(bytes).zip(output.chunks_mut(bytes)) {
        let middle = input.len().min(I::Words::BYTES);
        let (a, b) = input.split_at(middle);
        let pair = I::Words::unzip(I::Words::load_partial(isa, a), I::Words::load_partial(isa, b));
        let [(left, right)] = crypt::<1, D, I>(isa, keys, [pair]);
        let (a, b) = I::Words::zip(left, right);
        a.store_partial(&mut output[..middle]);
        b.store_partial(&mut output[middle..]);
    }
}

/// [`PAIRS`] pairs side by side, which do not wait for each other.
///
/// The last pass ends where the message ends, and does some blocks a second time. That is right since the
/// input is still what it was.
///
/// # Panics
/// If the message is shorter than a pass.
#[inline(always)]
pub(super) fn several_pairs<D: VectorDirection, I: WordsIsa>(
    isa: I,
    keys: &RoundKeys,
    input: &[u8],
    output: &mut [u8],
) {
    let bytes = pair_bytes(isa);
    let pass = PAIRS * bytes;
    let mut start = 0;
    while start < input.len() {
        start = start.min(input.len() - pass);
        let (input, output) = (&input[start..][..pass], &mut output[start..][..pass]);
        let zero = I::Words::splat(isa, 0);
        let mut pairs = [(zero, zero); PAIRS];
        for (pair, input) in pairs.iter_mut().zip(input.chunks_exact(bytes)) {
            let (a, b) = input.split_at(I::Words::BYTES);
            *pair = I::Words::unzip(I::Words::load(isa, a), I::Words::load(isa, b));
        }
        pairs = crypt::<PAIRS, D, I>(isa, keys, pairs);
        for ((left, right), output) in pairs.into_iter().zip(output.chunks_exact_mut(bytes)) {
            let (a, b) = I::Words::zip(left, right);
            a.store(&mut output[..I::Words::BYTES]);
            b.store(&mut output[I::Words::BYTES..]);
        }
        start += pass;
    }
}

/// All cycles of `N` pairs.
#[inline(always)]
fn crypt<const N: usize, D: VectorDirection, I: WordsIsa>(
    isa: I,
    keys: &RoundKeys,
    mut pairs: [(I::Words, I::Words); N],
) -> [(I::Words, I::Words); N] {
    for &(first, second) in keys {
        let keys = (I::Words::splat(isa, first), I::Words::splat(isa, second));
        for pair in &mut pairs {
            *pair = D::vector_cycle(keys, *pair);
        }
    }
    pairs
}
