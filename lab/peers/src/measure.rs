//! A cell: outputs compared, and then all peers measured by turns.

use std::convert::Infallible;
use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::job::Job;
use crate::peer::{Peer, Work};
use crate::rows::{Row, Task};
use abreast_lab::report::{CostUnit, PeerResult, PeersCell};
use abreast_lab::sample::{Effort, Random, Sample, Summary, by_turns};

/// Opens a row at a size in all peers and measures them. A peer whose output differs from the first one's is left out,
/// and reported to `differs`.
pub(crate) fn cell(
    row: Row,
    size: usize,
    peers: &[Box<dyn Peer>],
    effort: &Effort,
    mut differs: impl FnMut(&str),
) -> PeersCell {
    let mut job = Job::new(row, size);
    let mut opened: Vec<(&'static str, Work)> = Vec::new();
    let mut expected = None;
    for peer in peers {
        let Some(mut work) = peer.open(&mut job) else { continue };
        job.reset();
        let calls = job.calls_to_compare();
        work(&mut job, calls);
        let (data, tags) = job.output();
        let (data, tags) = (data.to_vec(), tags.to_vec());
        if *expected.get_or_insert_with(|| (data.clone(), tags.clone())) == (data, tags) {
            opened.push((peer.name(), work));
        } else {
            differs(peer.name());
        }
    }
    let mut random = Random::new(1);
    let samples = by_turns(opened.len(), effort, |subject, calls| {
        let (_, work) = &mut opened[subject];
        let mut time = Duration::ZERO;
        at_depth(random.below(DEPTHS), &mut || {
            let began = Instant::now();
            work(&mut job, calls as usize);
            time = began.elapsed();
        });
        Ok::<_, Infallible>(time)
    });
    let Ok(samples) = samples;
    let unit = if row.task == Task::Keys { CostUnit::NanosecondsPerKey } else { CostUnit::CyclesPerByte };
    let cost = |sample: &Sample| match unit {
        CostUnit::CyclesPerByte => sample.cycles / (size * job.batch) as f64,
        CostUnit::NanosecondsPerKey => 1e9 * sample.seconds,
    };
    let result = |((peer, _), samples): (&(&'static str, Work), &Vec<Sample>)| {
        measured(peer, &samples.iter().map(cost).collect::<Vec<_>>())
    };
    let results = opened.iter().zip(&samples).map(result).collect();
    PeersCell { row: row.name(), size, unit, results }
}

/// A peer's samples, in the unit of the cell, with four significant digits.
fn measured(peer: &str, samples: &[f64]) -> PeerResult {
    let Summary { median, min, max, deviation, .. } = Summary::of(samples.iter().copied()).expect("a sample");
    let [median, min, max, deviation] = [median, min, max, deviation].map(four_digits);
    PeerResult { peer: peer.into(), samples: samples.len(), median, min, max, deviation }
}

/// A number with four significant digits.
fn four_digits(number: f64) -> f64 {
    format!("{number:.3e}").parse().expect("a number")
}

/// Frames of [`at_depth`] that fill a page of memory and more.
const DEPTHS: usize = 64;

/// Runs something `depth` frames deeper in the stack.
///
/// The address of the stack, modulo 4096, can matter: a wide vector that a kernel keeps there may cross a page, and loads of it
/// then wait. The system places the stack anew for each process, so one process would be fast and the next slow. With a depth
/// of its own for each sample, every run has all of them.
#[inline(never)]
fn at_depth(depth: usize, run: &mut dyn FnMut()) {
    let frame = black_box([0_u8; 48]);
    if depth == 0 {
        run();
    } else {
        at_depth(depth - 1, run);
    }
    black_box(frame);
}
