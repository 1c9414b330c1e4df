//! TEA's round function, for the engine of ciphers over [two words](crate::engine::two_words). There is no key schedule:
//! every cycle takes the same four words of the key.

use crate::engine::two_words::{Cycles, DELTA, ScalarCycles, USUAL_CYCLES};
use abreast_simd::{Words, WordsIsa};

/// The paper's `sum` in a cycle.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
const fn sum(cycle: usize) -> u32 {
    DELTA.wrapping_mul(cycle as u32 + 1)
}

/// The operands of a round besides the block: the word for the shift to the left, the sum, and the word for the shift to the
/// right.
type TeaRound<W> = [W; 3];

/// A round on vectors.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn round<W: Words>([left, sum, right]: TeaRound<W>, x: W) -> W {
    (x.shl(4) + left) ^ (x + sum) ^ (x.shr(5) + right)
}

/// The words of one key, little-endian.
#[derive(Clone, Copy)]
pub(super) struct TeaOneKey<'k>(pub(super) &'k [u8; 16]);

impl TeaOneKey<'_> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn word(self, n: usize) -> u32 {
        u32::from_le_bytes(self.0.as_chunks().0[n])
    }
}

impl<I: WordsIsa> Cycles<I> for TeaOneKey<'_> {
    type Round = TeaRound<I::Words>;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn count(&self) -> usize {
        USUAL_CYCLES
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn pair(&self, isa: I, cycle: usize) -> [TeaRound<I::Words>; 2] {
        let sum = I::Words::splat(isa, sum(cycle));
        [
            [I::Words::splat(isa, self.word(0)), sum, I::Words::splat(isa, self.word(1))],
            [I::Words::splat(isa, self.word(2)), sum, I::Words::splat(isa, self.word(3))],
        ]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn round(taken: TeaRound<I::Words>, x: I::Words) -> I::Words {
        round(taken, x)
    }
}

impl ScalarCycles for TeaOneKey<'_> {
    type Round = TeaRound<u32>;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn rounds(self) -> impl DoubleEndedIterator<Item = [TeaRound<u32>; 2]> {
        let [a, b, c, d] = [self.word(0), self.word(1), self.word(2), self.word(3)];
        (0..USUAL_CYCLES).map(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            move |cycle| [[a, sum(cycle), b], [c, sum(cycle), d]],
        )
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn round([left, sum, right]: TeaRound<u32>, x: u32) -> u32 {
        (x << 4).wrapping_add(left) ^ x.wrapping_add(sum) ^ (x >> 5).wrapping_add(right)
    }
}

/// The words of a key in each lane.
pub(super) struct TeaKeyPerLane<'k, W>(pub(super) &'k [W; 4]);

impl<I: WordsIsa> Cycles<I> for TeaKeyPerLane<'_, I::Words> {
    type Round = TeaRound<I::Words>;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn count(&self) -> usize {
        USUAL_CYCLES
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn pair(&self, isa: I, cycle: usize) -> [TeaRound<I::Words>; 2] {
        let sum = I::Words::splat(isa, sum(cycle));
        [[self.0[0], sum, self.0[1]], [self.0[2], sum, self.0[3]]]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn round(taken: TeaRound<I::Words>, x: I::Words) -> I::Words {
        round(taken, x)
    }
}
