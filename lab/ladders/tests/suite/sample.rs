//! Summaries of samples.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use abreast_lab::sample::{Effort, FEWEST_FOR_P99, Summary, by_turns};

/// Checks that too few samples have no 99th percentile, which would be the maximum and say nothing.
#[test]
fn percentiles_want_samples() {
    let of = |count: usize| Summary::of((1..=count).map(|number| number as f64)).expect("there are numbers");
    assert_eq!(of(FEWEST_FOR_P99 - 1).p99, None);
    let summary = of(FEWEST_FOR_P99);
    assert_eq!((summary.min, summary.median, summary.p99, summary.max), (1.0, 50.0, Some(99.0), 100.0));
}

/// Checks that the scatter is that of the quartiles: a few outliers do not count, and wide quartiles do.
#[test]
fn scatter_is_of_the_quartiles() {
    let of = |numbers: &[f64]| Summary::of(numbers.iter().copied()).expect("there are numbers");
    let mut quiet = vec![1.0; 99];
    quiet.push(1000.0);
    assert!(!of(&quiet).is_noisy());
    let wide: Vec<f64> = (0..100).map(|n| 1.0 + f64::from(n) / 100.0).collect();
    let summary = of(&wide);
    assert_eq!((summary.q1, summary.q3), (Some(1.24), Some(1.74)));
    assert!(summary.is_noisy() && summary.scatter().is_some_and(|scatter| (0.2..0.3).contains(&scatter)));
    let old: Summary =
        serde_json::from_str(r#"{"mean":1.0,"deviation":9.0,"min":1.0,"median":1.0,"p99":null,"max":2.0}"#)
            .expect("a record without quartiles");
    assert_eq!((old.scatter(), old.is_noisy()), (None, false));
}

/// Checks that samples in which the thread did not have the CPU are marked, except where that is the way of the subject.
#[test]
#[cfg(target_os = "linux")]
fn disturbed_samples_are_marked() {
    let effort = Effort { sample: Duration::from_micros(200), most: 60, fewest: 60, budget: Duration::ZERO };
    let mut calls = 0;
    let samples = by_turns(2, &effort, |subject, _| {
        let start = Instant::now();
        calls += 1;
        if subject == 1 || calls % 11 == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        while start.elapsed() < Duration::from_micros(300) {}
        Ok::<_, Infallible>(start.elapsed())
    })
    .unwrap_or_else(|never| match never {});
    let marked = |subject: usize| samples[subject].iter().filter(|sample| sample.preempted).count();
    let slow = samples[0].iter().filter(|sample| sample.seconds > 1e-3);
    assert!(slow.clone().count() > 0 && slow.clone().all(|sample| sample.preempted), "{}", slow.count());
    assert!(marked(0) < 60);
    assert_eq!(marked(1), 0, "a subject that always sleeps waits by itself");
}
