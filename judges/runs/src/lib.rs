//! Runs of a program in tests: [`Place`] is a folder to work in, [`Process`] a process that always ends, and [`Run`] its end.
//!
//! The crate is for the tests of abreast's programs alone, and promises nothing to others.
#![forbid(unsafe_code)]

mod group;
mod place;
mod process;

use std::io::{self, Write};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

pub use place::Place;
pub use process::{LIMIT, Process, Run, feed, spawn};

/// Waits for a condition.
///
/// # Panics
///
/// Panics with `what` if the condition is not met within 20 seconds.
#[track_caller]
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(20), "waited in vain for {what}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// Returns true if a program is installed; if not, the running test is skipped by [`skip`].
pub fn has(program: &str) -> bool {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("command -v {program}")]);
    let is_there = feed(shell, b"").code == Some(0);
    if !is_there {
        skip(&format!("{program} is not installed"));
    }
    is_there
}

/// Tells that the running test is skipped, and why.
///
/// # Panics
///
/// Panics if nothing may be skipped, which the environment says by `ABREAST_NO_SKIP=1`.
pub fn skip(why: &str) {
    let name = thread::current().name().unwrap_or("a test").to_owned();
    let skipped = format!("{name} skipped: {why}");
    assert!(std::env::var_os("ABREAST_NO_SKIP").is_none_or(|value| value != "1"), "may not be {skipped}");
    tell(&skipped);
}

/// Prints a line on standard error, past the capture of what tests print.
pub fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
