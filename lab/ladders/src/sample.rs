//! Samples: how long something takes, measured by turns.
//!
//! Subjects that are to be compared take turns, sample by sample and each time in another order, so that a drift of the
//! clock and a disturbance by other programs hit all alike. Every sample is kept: the fastest one tells what the code can
//! do, the others what a program has to expect. The clock of the core is read between any two samples, so that each has a
//! length in core cycles, too. A sample in which another program had the CPU is marked as preempted: it is known by the CPU time
//! of the thread, which is less than the time that has passed.

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
    /// True if something else had the CPU in the meantime, as far as the system tells.
    #[serde(default)]
    pub preempted: bool,
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
    let mut taken: Vec<Taken> = Vec::new();
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
            let (start, at_work) = (Instant::now(), clock::time_at_work());
            let time = run(subject, state.calls)?;
            let at_work = clock::time_at_work().zip(at_work).map(|(end, begin)| end.saturating_sub(begin));
            taken.push(Taken {
                subject,
                seconds: clock::seconds(time) / f64::from(state.calls),
                away: at_work.map_or(0.0, |at_work| away(start.elapsed(), at_work)),
            });
            readings.push(clock::reading());
            state.samples += 1;
            state.spent += began.elapsed();
        }
    }
    let mut samples = vec![Vec::new(); subjects];
    for (i, Taken { subject, seconds, away }) in taken.into_iter().enumerate() {
        let sample = Sample { seconds, cycles: seconds * clock::between(&readings, i), preempted: false };
        samples[subject].push((sample, away));
    }
    Ok(samples.into_iter().map(marked).collect())
}

/// A sample as it was taken.
struct Taken {
    subject: usize,
    /// The time of a call.
    seconds: f64,
    /// The share of the time in which the thread was not at work.
    away: f64,
}

/// The share of the time, from which on a thread counts as preempted.
const PREEMPTED: f64 = 0.03;
/// The time that reading both clocks may take, besides.
const READING: Duration = Duration::from_micros(2);

/// The share of some time in which a thread was not at work.
fn away(passed: Duration, at_work: Duration) -> f64 {
    clock::seconds(passed.saturating_sub(at_work + READING)) / clock::seconds(passed)
}

/// Marks the samples that were preempted. A subject that is away in most of them waits for other threads or a device by
/// itself, so that nothing is known about it.
fn marked(samples: Vec<(Sample, f64)>) -> Vec<Sample> {
    let is_away = |(_, away): &&(Sample, f64)| *away > PREEMPTED;
    let waits = 2 * samples.iter().filter(is_away).count() > samples.len();
    let mark = |(sample, away)| Sample { preempted: !waits && away > PREEMPTED, ..sample };
    samples.into_iter().map(mark).collect()
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

/// The scatter from which on a median says little.
pub const NOISY: f64 = 0.1;

/// The samples of a subject in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The arithmetic mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
    /// The smallest.
    pub min: f64,
    /// A quarter of the samples is smaller; `None` in a record of before there were quartiles.
    #[serde(default)]
    pub q1: Option<f64>,
    /// Half of the samples are smaller.
    pub median: f64,
    /// Three quarters of the samples are smaller.
    #[serde(default)]
    pub q3: Option<f64>,
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
        let [q1, q3] = [0.25, 0.75].map(|share| Some(rank(share)));
        Some(Self { mean, deviation: variance.sqrt(), min, q1, median: rank(0.5), q3, p99, max })
    }

    /// Returns the scatter of the samples relative to the median: the distance of the quartiles over 1.35, which is the standard
    /// deviation where numbers are distributed normally. Outliers do not count. `None` without quartiles.
    #[must_use]
    pub fn scatter(&self) -> Option<f64> {
        Some((self.q3? - self.q1?) / 1.35 / self.median)
    }

    /// True if the samples scatter so much that their median says little.
    #[must_use]
    pub fn is_noisy(&self) -> bool {
        self.scatter().is_some_and(|scatter| scatter > NOISY)
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
