//! Trials: how long something takes when nothing disturbs it.
//!
//! What disturbs a measurement, another process or another virtual machine, only ever makes it longer. So
//! the best of many short trials tells what the code can do, where the mean of a long one tells what else
//! the machine was doing. Subjects that are to be compared take turns, trial by trial, so that a drift of
//! the clock hits all alike, and the clock is read between any two trials.

use std::time::{Duration, Instant};

use super::clock;

/// The length of a trial, unless a single lap is longer.
const TRIAL: Duration = Duration::from_micros(40);
/// The most trials of a subject.
const MOST: usize = 300;
/// The fewest.
const FEWEST: usize = 3;
/// The time of a subject, after which it has no more than the fewest trials.
const BUDGET: Duration = Duration::from_millis(40);

/// The fastest of the trials of a subject.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Best {
    /// Its time for a lap, in seconds.
    pub(crate) seconds: f64,
    /// Its core cycles for a lap. It is picked by time alone: the fewest cycles would as often be those
    /// of a clock that was read too low.
    pub(crate) cycles: f64,
}

/// What is known of a subject while it is measured.
struct Subject {
    /// Laps in a trial.
    laps: u32,
    /// Trials so far.
    trials: usize,
    /// Time so far.
    spent: Duration,
}

impl Subject {
    /// Whether there are trials to come.
    fn goes_on(&self) -> bool {
        self.trials < FEWEST || self.trials < MOST && self.spent < BUDGET
    }
}

/// A trial that was made.
struct Trial {
    /// Whose.
    subject: usize,
    /// The time of a lap, in seconds.
    seconds: f64,
}

/// Measures some subjects side by side; `run` takes the number of one, and how many laps to run, and returns
/// the time that these took.
pub(crate) fn side_by_side<E>(
    subjects: usize,
    mut run: impl FnMut(usize, u32) -> Result<Duration, E>,
) -> Result<Vec<Best>, E> {
    let mut known = Vec::new();
    for subject in 0..subjects {
        known.push(Subject { laps: laps(|laps| run(subject, laps))?, trials: 0, spent: Duration::ZERO });
    }
    let mut trials = Vec::new();
    let mut readings = vec![clock::reading()];
    while known.iter().any(Subject::goes_on) {
        for (subject, state) in known.iter_mut().enumerate().filter(|(_, state)| state.goes_on()) {
            let warming = Instant::now();
            if state.laps > 1 {
                // The code, the keys and the branch predictor were those of another subject.
                run(subject, 1)?;
            }
            let time = run(subject, state.laps)?;
            trials.push(Trial { subject, seconds: clock::seconds(time) / f64::from(state.laps) });
            readings.push(clock::reading());
            state.trials += 1;
            state.spent += warming.elapsed();
        }
    }
    let mut best = vec![Best { seconds: f64::INFINITY, cycles: f64::INFINITY }; subjects];
    for (i, trial) in trials.iter().enumerate() {
        let best = &mut best[trial.subject];
        if trial.seconds < best.seconds {
            *best = Best { seconds: trial.seconds, cycles: trial.seconds * clock::between(&readings, i) };
        }
    }
    Ok(best)
}

/// The number of laps that fill a trial.
fn laps<E>(mut run: impl FnMut(u32) -> Result<Duration, E>) -> Result<u32, E> {
    let mut laps = 1;
    run(laps)?;
    loop {
        let time = run(laps)?;
        if time >= TRIAL / 4 {
            let fill = f64::from(laps) * clock::seconds(TRIAL) / clock::seconds(time);
            return Ok((fill as u32).max(1));
        }
        laps *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    #[test]
    fn every_subject_has_its_trials() {
        let mut runs = [0; 2];
        let best = side_by_side(2, |subject, laps| {
            runs[subject] += 1;
            let start = Instant::now();
            std::hint::black_box((0..laps).fold(0, |sum, lap| sum ^ std::hint::black_box(lap)));
            Ok::<_, Infallible>(start.elapsed())
        })
        .unwrap_or_else(|never| match never {});
        assert_eq!(best.len(), 2);
        assert!(best.iter().all(|best| best.seconds.is_finite() && best.cycles.is_finite()));
        assert!(runs.iter().all(|&runs| runs > FEWEST));
    }

    #[test]
    fn what_fails_ends_it() {
        assert_eq!(side_by_side(1, |_, _| Err("no")).unwrap_err(), "no");
    }
}
