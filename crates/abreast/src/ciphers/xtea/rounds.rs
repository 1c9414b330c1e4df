//! XTEA's round function, for the engine of ciphers over [two words](crate::engine::two_words).

use super::Xtea;
use super::schedule::{CYCLES, Cycle, XteaRoundKeys};
use crate::engine::two_words::{ByteOrder, Cycles, TwoWords, TwoWordsOn};
use abreast_simd::{Level, Words, WordsIsa};

/// What one word adds to the other, but for the round key.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn mixed<W: Words>(x: W) -> W {
    (x.shl(4) ^ x.shr(5)) + x
}

/// Round keys of one key.
struct XteaOneKey<'k>(&'k [[u32; 2]]);

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

/// The words of a key in each lane, for the usual cycles.
struct XteaKeyPerLane<'k, W>(&'k [W; 4]);

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

impl TwoWords for Xtea {
    type Key = Self;
    type Keys = XteaRoundKeys;
    type Round = u32;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn keys_at(key: &Self, level: Level, order: ByteOrder) -> Option<&XteaRoundKeys> {
        (key.0.level == level && key.0.keys.order == order && key.0.keys.words().is_some())
            .then_some(&key.0.keys)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn order(keys: &XteaRoundKeys) -> ByteOrder {
        keys.order
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn words(keys: &XteaRoundKeys) -> Option<&[u8; 16]> {
        keys.words()
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn rounds(keys: &XteaRoundKeys) -> impl DoubleEndedIterator<Item = [u32; 2]> {
        keys.pairs().iter().map(|&[a, b]| [a, b])
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn round(key: u32, x: u32) -> u32 {
        (x << 4 ^ x >> 5).wrapping_add(x) ^ key
    }
}

impl<I: WordsIsa> TwoWordsOn<I> for Xtea {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn cycles(keys: &XteaRoundKeys) -> impl Cycles<I> {
        XteaOneKey(keys.pairs())
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn lane_cycles(words: &[I::Words; 4]) -> impl Cycles<I> {
        XteaKeyPerLane::<I::Words>(words)
    }
}
