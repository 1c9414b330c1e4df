//! Samples: how long something takes, measured by turns.
//!
//! Subjects that are to be compared take turns, sample by sample and each time in another order, so that a drift of the
//! clock and a disturbance by other programs hit all alike. Every sample is kept: the fastest one tells what the code can
//! do, the others what a program has to expect. The clock of the core is read between any two samples, so that each has a
//! length in core cycles, too.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::clock;

/// The effort of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The length of a sample, unless a single call is longer.
    pub sample: Duration,
    /// The most samples of a subject.
    pub most: usize,
    /// The fewest.
    pub fewest: usize,
    /// The time of a subject, after which it has no more than the fewest samples.
    pub budget: Duration,
}

/// A sample, per call.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The time of a call, in seconds.
    pub seconds: f64,
    /// The time of a call, in core cycles.
    pub cycles: f64,
}

impl Sample {
    /// The fastest of some samples, by time alone: the fewest cycles would as often be those of a clock that was read too
    /// low. `None` if there are none.
    #[must_use]
    pub fn fastest(samples: &[Self]) -> Option<Self> {
        samples.iter().copied().min_by(|a, b| a.seconds.total_cmp(&b.seconds))
    }
}

/// The state of a subject while it is measured.
struct Subject {
    /// Calls in a sample.
    calls: u32,
    /// Samples so far.
    samples: usize,
    /// Time so far.
    spent: Duration,
}

impl Subject {
    /// Returns true if there are samples to come.
    fn goes_on(&self, effort: &Effort) -> bool {
        self.samples < effort.fewest || self.samples < effort.most && self.spent < effort.budget
    }
}

/// Measures subjects by turns. `run` takes the number of a subject and how many calls to make, and returns the time that
/// these took.
///
/// # Errors
/// The first that `run` returns.
pub fn by_turns<E>(
    subjects: usize,
    effort: &Effort,
    mut run: impl FnMut(usize, u32) -> Result<Duration, E>,
) -> Result<Vec<Vec<Sample>>, E> {
    let mut known = Vec::new();
    for subject in 0..subjects {
        let calls = calls(effort.sample, |calls| run(subject, calls))?;
        known.push(Subject { calls, samples: 0, spent: Duration::ZERO });
    }
    let mut taken: Vec<(usize, f64)> = Vec::new();
    let mut readings = vec![clock::reading()];
    let mut order: Vec<usize> = (0..subjects).collect();
    let mut random = Random::new(1);
    while known.iter().any(|subject| subject.goes_on(effort)) {
        random.shuffle(&mut order);
        for &subject in &order {
            let state = &mut known[subject];
            if !state.goes_on(effort) {
                continue;
            }
            let began = Instant::now();
            if state.calls > 1 {
                // The code, the keys and the branch predictor were those of another subject.
                run(subject, 1)?;
            }
            let time = run(subject, state.calls)?;
            taken.push((subject, clock::seconds(time) / f64::from(state.calls)));
            readings.push(clock::reading());
            state.samples += 1;
            state.spent += began.elapsed();
        }
    }
    let mut samples = vec![Vec::new(); subjects];
    for (i, (subject, seconds)) in taken.into_iter().enumerate() {
        samples[subject].push(Sample { seconds, cycles: seconds * clock::between(&readings, i) });
    }
    Ok(samples)
}

/// The number of calls that fill a sample.
fn calls<E>(sample: Duration, mut run: impl FnMut(u32) -> Result<Duration, E>) -> Result<u32, E> {
    let mut calls = 1;
    run(calls)?;
    loop {
        let time = run(calls)?;
        if time >= sample / 4 {
            let fill = f64::from(calls) * clock::seconds(sample) / clock::seconds(time);
            return Ok((fill as u32).max(1));
        }
        calls *= 2;
    }
}

/// The fewest samples that have a 99th percentile other than the largest.
pub const FEWEST_FOR_P99: usize = 100;

/// The samples of a subject in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The arithmetic mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
    /// The smallest.
    pub min: f64,
    /// Half of the samples are smaller.
    pub median: f64,
    /// The 99th percentile: 99 of 100 samples are smaller. `None` for fewer than [`FEWEST_FOR_P99`], where it would be
    /// the largest.
    pub p99: Option<f64>,
    /// The largest.
    pub max: f64,
}

impl Summary {
    /// Returns the summary of some numbers; `None` if there are none.
    #[must_use]
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut numbers: Vec<f64> = numbers.into_iter().collect();
        numbers.sort_by(f64::total_cmp);
        let (&min, &max) = (numbers.first()?, numbers.last()?);
        let count = numbers.len() as f64;
        let mean = numbers.iter().sum::<f64>() / count;
        let variance = numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / count;
        let rank = |share: f64| numbers[((count * share).ceil() as usize).clamp(1, numbers.len()) - 1];
        let p99 = (numbers.len() >= FEWEST_FOR_P99).then(|| rank(0.99));
        Some(Self { mean, deviation: variance.sqrt(), min, median: rank(0.5), p99, max })
    }
}

/// Random numbers that are the same in each run: for data, for places in memory and for the order of turns.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A sequence of its own for each seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number (SplitMix64, by Steele, Lea and Flood).
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.number() % bound as u64) as usize
    }

    /// Returns `len` random bytes.
    #[must_use]
    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        for part in bytes.chunks_mut(8) {
            part.copy_from_slice(&self.number().to_le_bytes()[..part.len()]);
        }
        bytes
    }

    /// Another order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            let j = self.below(i + 1);
            items.swap(i, j);
        }
    }
}
