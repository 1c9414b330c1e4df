//! Serpent's key schedule for many keys at a time: as [`schedule`](super::schedule) has it, with a key in each lane.

use super::schedule::{PHI, SerpentRoundKeys, both_directions, pad, sbox_of_schedule};
use crate::engine::multibuf::MOST_LANES;
use crate::engine::words::{rows_of_words, words_of_rows};
use crate::wipe::wipe;
use abreast_simd::inlined::{Flat, Zipped};
use abreast_simd::{Word as _, Words, WordsIsa};
use zeroize::optimization_barrier;

/// Keys that are expanded together, as many as the widest vector has lanes.
pub(super) const TOGETHER: usize = 16;

/// Round keys and the key that they are to be expanded from.
type SerpentExpansion<'a> = (&'a mut SerpentRoundKeys, &'a [u8]);

/// Expands keys, one by one or a key in each lane.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn expand_each<I: WordsIsa>(isa: I, keyed: &mut [Option<SerpentExpansion<'_>>; TOGETHER]) {
    for group in keyed.chunks_mut(I::Words::LANES) {
        // A quarter of the lanes takes about as long by itself.
        if group[I::Words::LANES / 4].is_some() {
            expand_lanes(isa, group);
        } else {
            for (keys, key) in group.iter_mut().flatten() {
                keys.expand(isa, key);
            }
        }
    }
}

/// Expands up to as many keys as there are lanes.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn expand_lanes<I: WordsIsa>(isa: I, group: &mut [Option<SerpentExpansion<'_>>]) {
    let mut padded = [[[0; 16]; 2]; TOGETHER];
    for (padded, keyed) in padded.iter_mut().zipped(&*group) {
        if let Some((_, key)) = keyed {
            pad(key, padded.flat_mut());
        }
    }
    let [a, b, c, d] = words_of_rows(
        isa,
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        |lane| &padded[lane][0],
    );
    let [e, f, g, h] = words_of_rows(
        isa,
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        |lane| &padded[lane][1],
    );
    wipe(padded.flat_mut().flat_mut());
    let zero = I::Words::splat(isa, 0);
    let mut prekeys = [[zero; 4]; 33];
    let mut words = [a, b, c, d, e, f, g, h];
    for (round, prekey) in prekeys.iter_mut().enumerate() {
        let [a, b, c, d, e, f, g, h] = words;
        let i = next(isa, 4 * round, [a, d, f], h);
        let j = next(isa, 4 * round + 1, [b, e, g], i);
        let k = next(isa, 4 * round + 2, [c, f, h], j);
        let l = next(isa, 4 * round + 3, [d, g, i], k);
        words = [e, f, g, h, i, j, k, l];
        *prekey = [i, j, k, l];
    }
    let mut rows = [[0; 16]; MOST_LANES];
    for first in 0..8 {
        for round in (first..33).step_by(8) {
            let words = sbox_of_schedule(first, prekeys[round]);
            let [encrypt, decrypt] =
                if round == 0 || round == 32 { [words; 2] } else { both_directions(words) };
            rows_of_words(encrypt, &mut rows);
            for (keyed, row) in group.iter_mut().zipped(&rows) {
                if let Some((keys, _)) = keyed {
                    keys.encrypt[round] = *row;
                }
            }
            rows_of_words(decrypt, &mut rows);
            for (keyed, row) in group.iter_mut().zipped(&rows) {
                if let Some((keys, _)) = keyed {
                    keys.decrypt[round] = *row;
                }
            }
        }
    }
    wipe(rows.flat_mut());
    prekeys = [[zero; 4]; 33];
    optimization_barrier(&prekeys);
}

/// The next word of the affine recurrence.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn next<I: WordsIsa>(isa: I, i: usize, words: [I::Words; 3], last: I::Words) -> I::Words {
    let early = words[0] ^ words[1] ^ words[2] ^ I::Words::splat(isa, PHI ^ i as u32);
    (early ^ last).rotl(11)
}
