//! Measurements by several processes, one after the other.
//!
//! Two processes of one program differ: its code, its stack and its buffers lie at other places each time, and a kernel may be
//! slower where they lie badly. So the stack of each process begins at another place of its pages, and a row tells the
//! figures of the process in the middle, and how far the slowest is from the fastest.

use std::env;
use std::fmt::Display;
use std::process::{Command, Stdio};

use abreast_cli::{Exit, Failure};
use abreast_lab::report::{BenchReport, BenchRow};

/// The most processes.
const MOST: usize = 100;
/// The option of a process that measures for the one that has started it.
const FOR_PARENT: &str = "for-parent";
/// The variable that moves the stack of a process, above which its environment lies.
const PADDING: &str = "ABREAST_BENCH_PADDING";
/// Bytes by which the stack moves from a process to the next: no multiple of a line or a page, so that all places are met.
const STEP: usize = 1040;

/// The options about processes.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ProcessArgs {
    /// Measure in N processes, each with its stack and its buffers at other addresses; the figures are those of the median
    /// process, and SPREAD is the time of the slowest relative to that of the fastest
    #[arg(long, value_name = "N", value_parser = parse_processes, allow_negative_numbers = true, conflicts_with_all = ["save", "against", "device"])]
    processes: Option<usize>,
    /// Print the report for the process that has started this one, and end when that process ends. The other options
    /// are those of that process, of which the ones for processes, baselines and reports are left to it.
    #[arg(long = FOR_PARENT, hide = true)]
    for_parent: bool,
}

impl ProcessArgs {
    /// Returns the number of processes, if there are to be several.
    pub(super) fn several(&self) -> Option<usize> {
        self.processes.filter(|&processes| processes > 1)
    }

    /// Returns true if this process measures for the process that started it.
    pub(super) fn is_for_parent(&self) -> bool {
        self.for_parent
    }
}

/// Reads a number of processes.
fn parse_processes(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=MOST).contains(number));
    number.ok_or_else(|| format!("the number of processes is 1 to {MOST}"))
}

/// Has this process killed when the one that waits for its figures ends.
pub(super) fn end_with_parent() {
    #[cfg(target_os = "linux")]
    {
        // If that cannot be set, the process ends when its work is done.
        let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    }
}

/// Measures by some processes, with the arguments of this one.
///
/// # Errors
/// Fails if one of them does.
pub(super) fn measure(processes: usize) -> Result<Vec<BenchReport>, Failure> {
    (0..processes).map(measure_apart).collect()
}

/// Measures in a process of its own, with the arguments of this one.
fn measure_apart(number: usize) -> Result<BenchReport, Failure> {
    let failed = |what: &dyn Display| {
        Failure::plain(Exit::Io, format_args!("cannot measure in a process of its own: {what}"))
    };
    let program = env::current_exe().map_err(|error| failed(&error))?;
    // The option comes before the arguments of this process, since `--` may be among these.
    let mut command = Command::new(program);
    command.args(["bench".into(), format!("--{FOR_PARENT}")]).args(env::args_os().skip(2));
    command.env(PADDING, "x".repeat(number * STEP));
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| failed(&error))?;
    if !output.status.success() {
        return Err(failed(&output.status));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| failed(&error))
}

/// Returns the report of several processes: each row is that of the process in the middle, with the spread.
pub(super) fn merged(mut reports: Vec<BenchReport>) -> Option<BenchReport> {
    let mut report = reports.pop()?;
    for row in &mut report.rows {
        let same = |other: &BenchReport| other.rows.iter().find(|other| other.key() == row.key()).cloned();
        let mut rows: Vec<BenchRow> = reports.iter().filter_map(same).chain([row.clone()]).collect();
        rows.sort_by(|one, other| one.cpb.total_cmp(&other.cpb));
        let (fastest, slowest) = (rows[0].cpb, rows[rows.len() - 1].cpb);
        *row = rows.swap_remove(rows.len() / 2);
        row.spread = Some(slowest / fastest);
    }
    Some(report)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::tests::report;

    #[test]
    fn the_middle_is_told_with_the_spread() {
        let reports = vec![
            report(&[(16, 1.0), (64, 5.0)]),
            report(&[(16, 4.0), (64, 5.0)]),
            report(&[(16, 2.0), (64, 5.0)]),
        ];
        let merged = merged(reports).expect("there are reports");
        let figures: Vec<_> = merged.rows.iter().map(|row| (row.size, row.cpb, row.spread)).collect();
        assert_eq!(figures, [(16, 2.0, Some(4.0)), (64, 5.0, Some(1.0))]);
        assert!(super::merged(Vec::new()).is_none());
    }

    #[test]
    fn numbers_of_processes_have_bounds() {
        for (text, number) in
            [("1", Some(1)), ("100", Some(100)), ("0", None), ("101", None), ("-1", None), ("x", None)]
        {
            assert_eq!(parse_processes(text).ok(), number, "{text}");
        }
    }
}
