//! Floors: what a cipher costs at least on this CPU, however its instructions are ordered.
//!
//! A floor is the number of instructions that a byte needs, times the core cycles that this CPU takes for one of them
//! while none waits for another. These cycles are measured by a probe, a loop of one instruction on twelve independent
//! registers. Twelve are enough to keep all units of a core busy: the latency of each of these instructions, times the
//! number of them that a core can begin in a cycle, is less than that. Loads, stores and dependencies are left out, so
//! code can reach a floor and never pass it.

use std::convert::Infallible;
use std::hint::black_box;
use std::time::{Duration, Instant};

use abreast_simd::{
    AesBlocks, AesIsa, AesLevel, Blocks, Clmul, Level, Word as _, Words, WordsIsa, dispatch, dispatch_aes,
};

use crate::report::Instruction;
use crate::sample::{Effort, by_turns};

/// Core cycles per byte that nothing goes below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor(f64);

/// Independent registers of a probe.
const CHAINS: usize = 12;
/// Instructions on each register in a call.
const LENGTH: u32 = 256;
/// The effort for a probe.
const EFFORT: Effort =
    Effort { sample: Duration::from_micros(40), most: 100, fewest: 10, budget: Duration::from_millis(10) };

/// The instructions on registers of words that some bytes need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WordOperations {
    /// All of them: additions, logic, shifts.
    pub all: f64,
    /// The shifts and rotations among them, for which most CPUs have fewer units.
    pub shifts: f64,
    /// The bytes.
    pub bytes: f64,
}

impl Floor {
    /// The cycles.
    #[must_use]
    pub const fn cycles_per_byte(self) -> f64 {
        self.0
    }

    /// Returns the floor of a cipher that takes `rounds` AES rounds for 16 bytes, on the widest registers with such
    /// instructions; `None` without any.
    #[must_use]
    pub fn of_aes_rounds(rounds: f64) -> Option<Self> {
        let level = AesLevel::detect_all().next_back()?;
        Some(Self(rounds * AesRates::of(level).round / 16.0))
    }

    /// Returns the floor of a cipher that computes on words, on the widest registers of words.
    #[must_use]
    pub fn of_words(operations: impl FnOnce(Level) -> WordOperations) -> Self {
        let level = Level::best();
        let WordOperations { all, shifts, bytes } = operations(level);
        let any = probe(CHAINS, |calls| dispatch!(level, isa => additions::<CHAINS, _>(isa, calls)));
        let shift = probe(CHAINS, |calls| dispatch!(level, isa => self::shifts::<CHAINS, _>(isa, calls)));
        Self((all * any).max(shifts * shift) / bytes)
    }
}

/// The times that the AES and carry-less units of a core take, in core cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AesRates {
    /// An AES round of a block of 16 bytes, where no round waits for another.
    pub round: f64,
    /// A carry-less product of two blocks, where no product waits for another.
    pub product: f64,
    /// An AES round where the next one waits for its result.
    pub latency: f64,
}

impl AesRates {
    /// Probes the registers of an instruction set.
    #[must_use]
    pub fn of(level: AesLevel) -> Self {
        let blocks = dispatch_aes!(level, isa => blocks_of(isa)) as f64;
        Self {
            round: probe(CHAINS, |calls| dispatch_aes!(level, isa => aes_rounds::<CHAINS, _>(isa, calls)))
                / blocks,
            product: probe(CHAINS, |calls| dispatch_aes!(level, isa => products(isa, calls))) / blocks,
            latency: probe(1, |calls| dispatch_aes!(level, isa => aes_rounds::<1, _>(isa, calls))),
        }
    }
}

/// Returns additions of words in the widest registers.
#[must_use]
pub fn word_instructions() -> Vec<Instruction> {
    let level = Level::best();
    let bits = dispatch!(level, isa => 8 * bytes_of(isa));
    let instruction = |what: &str, latency: f64, time: f64| Instruction {
        name: format!("{what} of words, {bits} bits"),
        latency,
        per_cycle: 1.0 / time,
    };
    vec![instruction(
        "addition or xor",
        probe(1, |calls| dispatch!(level, isa => additions::<1, _>(isa, calls))),
        probe(CHAINS, |calls| dispatch!(level, isa => additions::<CHAINS, _>(isa, calls))),
    )]
}

/// Returns an AES round in the widest registers with such an instruction; nothing without any.
#[must_use]
pub fn aes_instructions() -> Vec<Instruction> {
    let level = AesLevel::detect_all().next_back();
    let round = |level| {
        let (rates, blocks): (_, usize) = (AesRates::of(level), dispatch_aes!(level, isa => blocks_of(isa)));
        Instruction {
            name: format!("AES round, {} bits", 128 * blocks),
            latency: rates.latency,
            per_cycle: 1.0 / (rates.round * blocks as f64),
        }
    };
    level.map(round).into_iter().collect()
}

#[inline(always)]
fn bytes_of<I: WordsIsa>(_: I) -> usize {
    I::Words::BYTES
}

/// Core cycles per instruction. `run` executes [`LENGTH`] instructions on each of `chains` registers, as many times as it is
/// told.
fn probe(chains: usize, mut run: impl FnMut(u32)) -> f64 {
    let samples = by_turns(1, &EFFORT, |_, calls| {
        let start = Instant::now();
        run(calls);
        Ok::<_, Infallible>(start.elapsed())
    })
    .unwrap_or_else(|never| match never {});
    let cycles = samples.iter().flatten().map(|sample| sample.cycles).fold(f64::INFINITY, f64::min);
    cycles / (chains as f64 * f64::from(LENGTH))
}

#[inline(always)]
fn blocks_of<I: AesIsa>(_: I) -> usize {
    I::Blocks::LANES
}

#[inline(always)]
fn aes_rounds<const N: usize, I: AesIsa>(isa: I, calls: u32) {
    blocks::<N, I>(
        isa,
        calls,
        #[inline(always)]
        |x, key| x.encrypt_round(key),
    );
}

#[inline(always)]
fn products<I: AesIsa>(isa: I, calls: u32) {
    blocks::<CHAINS, I>(
        isa,
        calls,
        #[inline(always)]
        |x, key| x.clmul_low(key),
    );
}

/// Executes an instruction [`LENGTH`] times on each of `N` registers of blocks, and all of that `calls` times.
#[inline(always)]
fn blocks<const N: usize, I: AesIsa>(isa: I, calls: u32, step: impl Fn(I::Blocks, I::Blocks) -> I::Blocks) {
    let key = I::Blocks::splat(isa, &black_box([0x5a; 16]));
    // Chains that begin alike would be computed once.
    let mut state = [key; N];
    for (chain, state) in state.iter_mut().enumerate() {
        *state = I::Blocks::splat(isa, &black_box([chain as u8; 16]));
    }
    for _ in 0..calls * LENGTH {
        let mut chain = 0;
        while chain < N {
            state[chain] = step(state[chain], key);
            chain += 1;
        }
    }
    let mut all = key;
    for state in state {
        all = all ^ state;
    }
    black_box(all.to_first());
}

#[inline(always)]
fn additions<const N: usize, I: WordsIsa>(isa: I, calls: u32) {
    // Additions and xors by turns, since sums alone would be put together by the compiler.
    words::<N, I>(
        isa,
        calls,
        #[inline(always)]
        |x, key| x + key,
        #[inline(always)]
        |x, key| x ^ key,
    );
}

/// A shift with an addition or xor after it, which the next shift waits for: of shifts alone, a compiler folds two into one. It
/// takes as long as the shift, or as two additions where these take longer, which bounds no cipher with fewer shifts than that.
#[inline(always)]
fn shifts<const N: usize, I: WordsIsa>(isa: I, calls: u32) {
    words::<N, I>(
        isa,
        calls,
        #[inline(always)]
        |x, key| x.shl(1) + key,
        #[inline(always)]
        |x, key| x.shr(1) ^ key,
    );
}

/// Executes two instructions alternately on each of `N` registers of words, [`LENGTH`] of them in all on each
/// register, and all of that `calls` times.
#[inline(always)]
fn words<const N: usize, I: WordsIsa>(
    isa: I,
    calls: u32,
    even: impl Fn(I::Words, I::Words) -> I::Words,
    odd: impl Fn(I::Words, I::Words) -> I::Words,
) {
    let key = I::Words::splat(isa, black_box(7));
    let mut state = [key; N];
    for (chain, state) in state.iter_mut().enumerate() {
        *state = I::Words::splat(isa, black_box(chain as u32));
    }
    for _ in 0..calls * LENGTH / 2 {
        let mut chain = 0;
        while chain < N {
            state[chain] = odd(even(state[chain], key), key);
            chain += 1;
        }
    }
    let mut all = key;
    for state in state {
        all = all ^ state;
    }
    let mut bytes = [0; 64];
    all.store_partial(&mut bytes[..I::Words::BYTES]);
    black_box(bytes);
}
