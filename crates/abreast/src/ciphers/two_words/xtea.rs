//! XTEA's round function, for the engine of ciphers over [two words](crate::engine::two_words).

use super::keys::{CYCLES, Cycle};
use crate::engine::two_words::{Cycles, ScalarCycles};
use abreast_simd::{Words, WordsIsa};

/// Returns the summand of the other word, before the round key.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn mixed<W: Words>(x: W) -> W {
    (x.shl(4) ^ x.shr(5)) + x
}

/// Round keys of one key.
#[derive(Clone, Copy)]
pub(super) struct XteaOneKey<'k>(pub(super) &'k [[u32; 2]]);

impl<I: WordsIsa> Cycles<I> for XteaOneKey<'_> {
    type Round = I::Words;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn count(&self) -> usize {
        self.0.len()
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn pair(&self, isa: I, cycle: usize) -> [I::Words; 2] {
        let [first, second] = self.0[cycle];
        [I::Words::splat(isa, first), I::Words::splat(isa, second)]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn round(key: I::Words, x: I::Words) -> I::Words {
        mixed(x) ^ key
    }
}

impl ScalarCycles for XteaOneKey<'_> {
    type Round = u32;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn rounds(self) -> impl DoubleEndedIterator<Item = [u32; 2]> {
        self.0.iter().map(|&[a, b]| [a, b])
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn round(key: u32, x: u32) -> u32 {
        (x << 4 ^ x >> 5).wrapping_add(x) ^ key
    }
}

/// The words of a key in each lane, for the usual cycles.
pub(super) struct XteaKeyPerLane<'k, W>(pub(super) &'k [W; 4]);

impl<I: WordsIsa> Cycles<I> for XteaKeyPerLane<'_, I::Words> {
    type Round = I::Words;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn count(&self) -> usize {
        CYCLES.len()
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn pair(&self, isa: I, cycle: usize) -> [I::Words; 2] {
        let Cycle { sums, words } = &CYCLES[cycle];
        [
            self.0[words[0] & 3] + I::Words::splat(isa, sums[0]),
            self.0[words[1] & 3] + I::Words::splat(isa, sums[1]),
        ]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn round(key: I::Words, x: I::Words) -> I::Words {
        mixed(x) ^ key
    }
}
