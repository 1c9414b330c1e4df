//! The steps of the lab in a browser: one workload of a ladder, measured where this program runs.
//!
//! WASI is its target, and the script of the pages (`lab/ladders/src/page/live.js`) runs it in a worker. Its arguments are
//! the name of a ladder and that of a workload. For each step it prints a line, cells between tabs: the name, then the median and
//! the quartiles of the time for a byte in nanoseconds, or `-` where the step cannot run. Pages measure by speeds relative to the first step, so
//! the clock of the core is not asked for: clocks of browsers are too coarse to find it.

use std::process::ExitCode;
use std::time::Duration;

use abreast_lab::ladders;
use abreast_lab::report::StepReport;
use abreast_lab::sample::{Effort, Summary};

/// The effort for each step. Clocks of browsers tick every millisecond at worst, and a sample is twenty of that.
const EFFORT: Effort =
    Effort { sample: Duration::from_millis(20), most: 15, fewest: 5, budget: Duration::from_millis(300) };

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [ladder, workload] = &arguments[..] else {
        return refused("two arguments are wanted, a ladder and a workload");
    };
    let Some(mut ladder) = ladders::by_name(ladder) else { return refused("no ladder has this name") };
    let Some(workload) = ladder.workloads.iter_mut().find(|known| known.name == workload) else {
        return refused("no workload has this name");
    };
    match workload.measure(&EFFORT) {
        Ok(report) => {
            let lines = report.steps.iter().map(|step| line(step, report.bytes));
            print!("{}", lines.collect::<String>());
            ExitCode::SUCCESS
        }
        Err(error) => refused(&error.to_string()),
    }
}

/// Returns the line of a step.
fn line(step: &StepReport, bytes: usize) -> String {
    let times = step.samples.iter().map(|sample| 1e9 * sample.seconds / bytes as f64);
    match Summary::of(times) {
        Some(Summary { q1: Some(q1), median, q3: Some(q3), .. }) => {
            format!("{}\t{median}\t{q1}\t{q3}\n", step.name)
        }
        _ => format!("{}\t-\n", step.name),
    }
}

/// Says why nothing was measured.
fn refused(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::FAILURE
}
