//! A run: case after case, from ever new pools, until time or packets are used up.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::case::Case;
use crate::check::Runner;
use crate::draw::{Focus, draw, focus};
use crate::pool::Pool;
use crate::replay;
use crate::shrink::shrink;
use crate::subject::{Family, Kind, Mode};
use crate::tally::Tally;

/// Cases of a pool, at most 2^16.
const CASES: u64 = 10_000;

/// The options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The time to run for.
    pub time: Duration,
    /// The most packets to run, if they are reached before the time is over.
    pub packets: u64,
    /// The seed of the first pool.
    pub seed: u64,
    /// Names of modes, ciphers and kernels; of each sort, those named or all.
    pub only: Vec<String>,
}

/// The results of a run.
#[derive(Debug)]
pub struct Report {
    /// The counts of the run.
    pub tally: Tally,
    /// The cases that failed, as [`replay::parse`] takes them.
    pub failed: Vec<String>,
    /// The names of ciphers and kernels that should have run and did not.
    pub missing: Vec<String>,
}

/// The modes, ciphers and kernels that are wanted.
struct Filter<'a> {
    modes: Vec<&'a str>,
    ciphers: Vec<&'a str>,
    kernels: Vec<&'a str>,
}

impl<'a> Filter<'a> {
    fn new(only: &'a [String]) -> Result<Self, String> {
        let mut filter = Self { modes: Vec::new(), ciphers: Vec::new(), kernels: Vec::new() };
        let families = Family::ALL;
        for name in only.iter().map(String::as_str) {
            let mode = Mode::ALL.iter().any(|mode| mode.name() == name);
            let cipher = Kind::ALL.iter().any(|kind| kind.name() == name);
            let mut kernels = families.iter().flat_map(|family| family.kernels());
            let kernel = kernels.any(|kernel| kernel.label == name);
            if !mode && !cipher && !kernel {
                return Err(format!("{name} is neither a mode, nor a cipher, nor a kernel of this CPU"));
            }
            // "aez" is a mode as well as a cipher, which is the same here.
            if mode {
                filter.modes.push(name);
            } else if cipher {
                filter.ciphers.push(name);
            } else {
                filter.kernels.push(name);
            }
        }
        Ok(filter)
    }

    fn wants(&self, focus: &Focus) -> bool {
        let kernel = &focus.family.kernels()[focus.kernel].label;
        let its = |name: &&str| {
            let kind = Kind::ALL.iter().find(|kind| kind.name() == *name);
            kind.is_some_and(|kind| kind.family() == focus.family && focus.mode.suits(*kind))
        };
        (self.modes.is_empty() || self.modes.contains(&focus.mode.name()))
            && (self.kernels.is_empty() || self.kernels.contains(&kernel.as_str()))
            && (self.ciphers.is_empty() || self.ciphers.iter().any(its))
    }

    fn wants_case(&self, case: &Case) -> bool {
        let names = |name: String| self.ciphers.contains(&name.as_str());
        self.ciphers.is_empty() || case.specs.iter().all(|spec| names(spec.cipher().name()))
    }
}

/// The seed of the pool of a number.
fn pool_seed(first: u64, number: u64) -> u64 {
    first.wrapping_add(number) & (u64::MAX >> 16)
}

/// The pool from which a case is drawn.
#[must_use]
pub fn pool_of(case_seed: u64) -> Pool {
    Pool::new(case_seed >> 16)
}

/// The longest time for a case, with all the time in which it is made smaller.
const ENDLESS: Duration = Duration::from_secs(900);

/// Ends the process if a case does not end, and names it.
fn watch() -> Arc<AtomicU64> {
    let current = Arc::new(AtomicU64::new(0));
    let watched = Arc::downgrade(&current);
    thread::spawn(move || {
        let (mut last, mut since) = (0, Instant::now());
        while let Some(current) = watched.upgrade().map(|current| current.load(Ordering::Relaxed)) {
            if current != last {
                (last, since) = (current, Instant::now());
            } else if since.elapsed() > ENDLESS {
                eprintln!("the case of seed {current:#x} does not end: --replay {current:#x}");
                std::process::exit(1);
            }
            thread::sleep(Duration::from_secs(1));
        }
    });
    current
}

/// Runs cases. One that fails is shrunk and reported at once, and its mode is not run again, so that one run can find
/// faults in several modes.
///
/// Everything that this CPU can run is run at least once, however short the time is.
///
/// # Errors
/// A name of [`Options::only`] that there is not, and `out` that cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Report, String> {
    let unwritable = |error: std::io::Error| format!("cannot write: {error}");
    let filter = Filter::new(&options.only)?;
    let wanted: Vec<Focus> = Focus::all().iter().copied().filter(|focus| filter.wants(focus)).collect();
    let (mut runner, mut tally, begun) = (Runner::new(), Tally::default(), Instant::now());
    let (mut failed, mut failed_modes) = (Vec::new(), Vec::new());
    let (mut told, current) = (0, watch());
    for number in 0.. {
        let seed = pool_seed(options.seed, number);
        let pool = Pool::new(seed);
        for n in 0..CASES {
            // One round of everything, then more while time is left.
            let due = begun.elapsed() >= options.time || tally.packets >= options.packets;
            let round = number > 0 || n >= 2 * Focus::all().len() as u64;
            if due && round {
                let mut missing = tally.missing(&without(&wanted, &failed_modes));
                if !filter.ciphers.is_empty() {
                    // A case is drawn for all ciphers, and left out if there are others in it.
                    missing.clear();
                }
                return Ok(Report { tally, failed, missing });
            }
            let seed = seed << 16 | n;
            let focus = focus(seed);
            if failed_modes.contains(&focus.mode) || !filter.wants(&focus) {
                continue;
            }
            current.store(seed, Ordering::Relaxed);
            let case = draw(seed, &pool);
            if !filter.wants_case(&case) {
                continue;
            }
            tally.add(&case);
            if let Some(difference) = runner.run(&pool, &case) {
                writeln!(out, "seed {seed:#x}: {difference}").map_err(unwritable)?;
                let (small, difference) = shrink(&mut runner, &pool, case, difference);
                let text = replay::describe(&pool, &small);
                writeln!(out, "{difference}\n{}  --replay {text}", replay::table(&pool, &small))
                    .map_err(unwritable)?;
                failed.push(text);
                failed_modes.push(focus.mode);
            }
            let minutes = begun.elapsed().as_secs() / 60;
            if minutes > told {
                told = minutes;
                writeln!(out, "{minutes} min: {} packets, seed {seed:#x}", tally.packets)
                    .map_err(unwritable)?;
            }
        }
    }
    unreachable!("numbers do not end before time does")
}

fn without(wanted: &[Focus], failed: &[Mode]) -> Vec<Focus> {
    wanted.iter().copied().filter(|focus| !failed.contains(&focus.mode)).collect()
}
