//! Counts of the checks that a test made: `cargo xtask test` adds them up, so that a test that checks nothing shows.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write as _;

/// The counts of one thread. They are written when the thread ends, and each test has a thread of its own.
struct Tally {
    answers: Cell<u64>,
    packets: Cell<u64>,
    cases: RefCell<BTreeMap<&'static str, u64>>,
}

thread_local! {
    static TALLY: Tally = const {
        Tally { answers: Cell::new(0), packets: Cell::new(0), cases: RefCell::new(BTreeMap::new()) }
    };
}

/// Answers that are written at once where no thread ever ends: WebAssembly has one thread, and drops nothing of it. The
/// rest at the end is not counted there.
#[cfg(target_family = "wasm")]
const STEP: u64 = 64;

/// Counts one comparison of a kernel's output with the expected one.
pub(crate) fn answer() {
    TALLY.with(|tally| tally.answers.set(tally.answers.get() + 1));
    #[cfg(target_family = "wasm")]
    TALLY.with(|tally| {
        if tally.answers.get() == STEP {
            note(tally.answers.replace(0), "answers");
        }
    });
}

/// Counts packets of a batch whose results, texts and tags were compared.
pub(crate) fn packets(count: usize) {
    TALLY.with(|tally| tally.packets.set(tally.packets.get() + count as u64));
}

/// Counts one case of a set of known answers, which every kernel gave.
pub(crate) fn case(set: &'static str) {
    TALLY.with(|tally| *tally.cases.borrow_mut().entry(set).or_default() += 1);
}

impl Drop for Tally {
    fn drop(&mut self) {
        note(self.answers.get(), "answers");
        note(self.packets.get(), "packets");
        for (set, count) in &*self.cases.borrow() {
            append("ABREAST_ANSWERS", *count, set);
        }
    }
}

/// Adds to a count of the summary.
pub(crate) fn note(count: u64, what: &str) {
    append("ABREAST_TALLY", count, what);
}

/// Appends a number and its subject to the file that a variable of the environment names; without one, it is dropped.
fn append(variable: &str, count: u64, what: &str) {
    let Some(path) = std::env::var_os(variable).filter(|_| count > 0) else { return };
    // One write, so that lines of several processes do not mix.
    let line = format!("{count} {what}\n");
    let written = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .and_then(|mut file| file.write_all(line.as_bytes()));
    if let Err(error) = written {
        eprintln!("{}: {error}", path.display());
    }
}
