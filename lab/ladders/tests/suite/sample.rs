//! Summaries of samples.

use abreast_lab::sample::{FEWEST_FOR_P99, Summary};

/// Checks that too few samples have no 99th percentile, which would be the maximum and say nothing.
#[test]
fn percentiles_want_samples() {
    let of = |count: usize| Summary::of((1..=count).map(|number| number as f64)).expect("there are numbers");
    assert_eq!(of(FEWEST_FOR_P99 - 1).p99, None);
    let summary = of(FEWEST_FOR_P99);
    assert_eq!((summary.min, summary.median, summary.p99, summary.max), (1.0, 50.0, Some(99.0), 100.0));
}
