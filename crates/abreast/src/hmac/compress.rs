//! The compression of blocks of many messages: one loop for both hashes and for every kernel.

use abreast_simd::sha::Chain;
use abreast_simd::{Isa as _, ShaRounds};

/// A block of a message (FIPS 180-4, section 5.2.1).
pub(crate) type HashBlock = [u8; 64];

/// Hashes `blocks` blocks of each of the first `N` times [`LANES`](ShaRounds::LANES) messages, the first ones of their
/// `sources`, into their `chains`.
///
/// A message in general registers or in a register of instructions is a lane by itself. `N` is the number of messages, or of vectors with one in each lane, whose rounds are interleaved.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn compress<R: ShaRounds, const N: usize>(
    isa: R::Isa,
    chains: &mut [Chain],
    sources: &[&[HashBlock]],
    blocks: usize,
) {
    isa.align_frame();
    let (chains, sources) = (&mut chains[..N * R::LANES], &sources[..N * R::LANES]);
    let mut states = [state::<R>(isa, chains, 0); N];
    for (i, state_of) in states.iter_mut().enumerate().skip(1) {
        *state_of = state::<R>(isa, chains, i);
    }
    for block in 0..blocks {
        let before = states;
        let mut schedule = [[words::<R>(isa, sources, 0, [block, 0]); N]; 4];
        each::<N>(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |i| {
                schedule[0][i] = words(isa, sources, i, [block, 0]);
                schedule[1][i] = words(isa, sources, i, [block, 1]);
                schedule[2][i] = words(isa, sources, i, [block, 2]);
                schedule[3][i] = words(isa, sources, i, [block, 3]);
                states[i] = R::begin(states[i]);
            },
        );
        if const { R::UNIFORM } {
            for quarter in 0..3 {
                rounds::<R, N, 0>(&mut states, &mut schedule, quarter);
            }
        } else {
            rounds::<R, N, 0>(&mut states, &mut schedule, 0);
            rounds::<R, N, 1>(&mut states, &mut schedule, 1);
            rounds::<R, N, 2>(&mut states, &mut schedule, 2);
        }
        rounds::<R, N, 3>(&mut states, &mut schedule, 3);
        each::<N>(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |i| states[i] = R::finish(states[i], before[i]),
        );
    }
    for (i, state) in states.into_iter().enumerate() {
        R::store(
            state,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |lane, chain| chains[i * R::LANES + lane] = *chain,
        );
    }
}

/// Does something for each of `N` messages, by numbers that the compiler knows: so their states and words stay in registers.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn each<const N: usize>(mut work: impl FnMut(usize)) {
    const { assert!(N == 1 || N == 2 || N == 4, "the numbers of messages below") };
    work(0);
    if N > 1 {
        work(1);
    }
    if N > 2 {
        work(2);
        work(3);
    }
}

/// Chaining values in registers: the `i`th vector of messages.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn state<R: ShaRounds>(isa: R::Isa, chains: &[Chain], i: usize) -> R::State {
    R::load(
        isa,
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        |lane| &chains[i * R::LANES + lane],
    )
}

/// Four words of each message of the `i`th vector, the `part`th of a block.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn words<R: ShaRounds>(isa: R::Isa, sources: &[&[HashBlock]], i: usize, [block, part]: [usize; 2]) -> R {
    R::message(
        isa,
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        |lane| &sources[i * R::LANES + lane][block].as_chunks().0[part],
    )
}

/// A quarter of the rounds: each step of four takes the next words of each message, and computes those of four steps later
/// if there is such a step.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn rounds<R: ShaRounds, const N: usize, const QUARTER: usize>(
    states: &mut [R::State; N],
    words: &mut [[R; N]; 4],
    quarter: usize,
) {
    for step in 0..R::STEPS {
        let [mut next, b, c, d] = *words;
        each::<N>(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |i| {
                states[i] = words[0][i].rounds::<QUARTER>(states[i], quarter * R::STEPS + step);
                if QUARTER < 3 || step + 4 < R::STEPS {
                    next[i] = R::schedule([words[0][i], b[i], c[i], d[i]]);
                }
            },
        );
        *words = [b, c, d, next];
    }
}
