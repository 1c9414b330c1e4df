//! Baselines: a measurement that is kept, and a later one that is compared with it.
//!
//! Both are taken by [`RUNS`] processes of this program, one after the other. Two runs of one program differ, since its
//! code, its stack and its buffers lie at other places each time; so a row has changed only where all runs of one side are
//! faster than all runs of the other, and by more than [`LEAST`].

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use abreast_cli::{Exit, Failure, Outputs, Replace, Source, Target, cache, one_line, print};
use abreast_lab::machine::Machine;
use abreast_lab::report::{BenchReport, BenchRow};
use abreast_lab::table::Table;
use serde::{Deserialize, Serialize};

use super::processes;
use crate::reports;

/// Processes that measure, for each side.
const RUNS: usize = 3;
/// The least change that is reported.
const LEAST: f64 = 0.01;

/// Error text for a baseline that is no regular file.
const NOT_REGULAR: &str = "is no baseline: it is not a regular file";

/// The options about baselines.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct BaselineArgs {
    /// Keep the measurement under this name, for --against
    #[arg(long, value_name = "NAME", value_parser = parse_name, conflicts_with_all = ["json", "html", "svg"])]
    save: Option<String>,
    /// Compare with what was kept under this name, and print what has changed beyond the noise
    #[arg(long, value_name = "NAME", value_parser = parse_name, conflicts_with_all = ["json", "html", "svg"])]
    against: Option<String>,
}

impl BaselineArgs {
    /// Returns true if a baseline is to be kept or compared with.
    pub(crate) fn is_used(&self) -> bool {
        self.save.is_some() || self.against.is_some()
    }
}

/// Reads the name of a baseline, which becomes that of a file.
fn parse_name(text: &str) -> Result<String, String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    match !text.is_empty() && text.len() <= 64 && !text.starts_with('.') && text.bytes().all(plain) {
        true => Ok(text.into()),
        false => {
            Err("a name has up to 64 letters, digits, '-', '_' and '.', and does not begin with '.'".into())
        }
    }
}

/// A measurement that is kept: the same one by several processes.
#[derive(Debug, Serialize, Deserialize)]
struct Baseline {
    runs: Vec<BenchReport>,
}

/// The kind of a measurement, in which a baseline has to agree with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// True if the time of a call counts, instead of throughput.
    pub(super) latency: bool,
    /// True if few samples are taken.
    pub(super) quick: bool,
}

/// Measures, compares and keeps `rows` rows; `force` allows to replace a baseline.
pub(super) fn run(args: &BaselineArgs, force: bool, way: Way, rows: usize) -> Result<(), Failure> {
    if args.save.is_none() {
        reports::table_can_be_printed()?;
    }
    let folder = folder()?;
    let file = |name: &String| folder.join(format!("{name}.json"));
    let before = args.against.as_ref().map(|name| read(&file(name), name, way)).transpose()?;
    // What is kept may have taken an hour to measure: another name, or --force.
    let mut outputs = Outputs::without_inputs();
    let mut target = None;
    if let Some(name) = &args.save {
        cache::make_private(&folder).map_err(|error| Failure::io(&folder, &error))?;
        let path = file(name);
        // To open a pipe could wait forever, and what is written to a device is not kept.
        if fs::metadata(&path).is_ok_and(|there| !there.is_file()) {
            return Err(Failure::new(Exit::Usage, &path, NOT_REGULAR));
        }
        target = Some(Target::create(&path, Replace::by_force(force), &outputs)?);
    }
    let now = Baseline { runs: processes::measure(RUNS)? };
    if let (Some(name), Some(before)) = (&args.against, before) {
        let changes = Changes::between(&before, &now);
        if changes.compared == 0 {
            return Err(Failure::usage(format_args!("the baseline '{name}' has none of these rows")));
        }
        print(&changes.to_string())?;
    }
    if let Some(mut target) = target {
        let written = target.write_all(reports::json(&now)?.as_bytes());
        written.map_err(|error| Failure::output(target.path(), &error))?;
        let kept = format!("{rows} rows are kept in {}\n", target.path().display());
        target.commit(&mut outputs)?;
        print(&kept)?;
    }
    Ok(())
}

/// Returns the folder of baselines, in the user's cache.
fn folder() -> Result<PathBuf, Failure> {
    let cache = cache::folder().ok_or_else(|| {
        Failure::plain(Exit::Io, "there is no folder for caches: set HOME or XDG_CACHE_HOME")
    })?;
    Ok(cache.join("baselines"))
}

/// Reads a baseline, if figures of this machine can be compared with it.
fn read(path: &Path, name: &str, way: Way) -> Result<Baseline, Failure> {
    if fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Err(Failure::usage(format_args!("there is no baseline '{name}'; --save {name} makes it")));
    }
    let mut source = Source::open_regular(path, NOT_REGULAR)?;
    let mut text = String::new();
    source.reader().read_to_string(&mut text).map_err(|error| Failure::io(path, &error))?;
    let baseline: Baseline = serde_json::from_str(&text)
        .map_err(|error| Failure::new(Exit::Io, path, format_args!("is no baseline: {error}")))?;
    let sound = |row: &BenchRow| row.cpb.is_finite() && row.cpb > 0.0;
    let is_whole = |run: &BenchReport| !run.rows.is_empty() && run.rows.iter().all(sound);
    if baseline.runs.len() != RUNS || !baseline.runs.iter().all(is_whole) {
        return Err(Failure::new(Exit::Io, path, "is no baseline: runs or figures are missing"));
    }
    if baseline.runs.iter().any(|run| run.latency != way.latency) {
        let cause = match way.latency {
            true => "is of throughput, which cannot be compared with --latency",
            false => "is of latencies, which cannot be compared without --latency",
        };
        return Err(Failure::new(Exit::Usage, path, cause));
    }
    if baseline.runs.iter().any(|run| run.quick != way.quick) {
        let cause = match way.quick {
            true => "was taken without --quick, and cannot be compared with it",
            false => "was taken with --quick, and cannot be compared without it",
        };
        return Err(Failure::new(Exit::Usage, path, cause));
    }
    let this = Machine::this();
    match baseline.runs.iter().find(|run| !run.machine.is_like(&this)) {
        Some(run) => Err(Failure::new(
            Exit::Usage,
            path,
            format_args!(
                "is from another machine: {}, {} threads",
                one_line(&run.machine.cpu),
                run.machine.threads
            ),
        )),
        None => Ok(baseline),
    }
}

/// The changes between two measurements.
struct Changes {
    /// Rows that both have.
    compared: usize,
    /// Rows that only the new one has.
    new: usize,
    /// Rows that have changed, with the cycles per byte of the best run before and now.
    changed: Vec<(BenchRow, f64, f64)>,
}

impl Changes {
    fn between(before: &Baseline, now: &Baseline) -> Self {
        let mut changes = Self { compared: 0, new: 0, changed: Vec::new() };
        for row in now.runs.first().iter().flat_map(|run| &run.rows) {
            let (Some(old), Some(new)) = (range(before, row), range(now, row)) else {
                changes.new += 1;
                continue;
            };
            changes.compared += 1;
            let apart = new.1 < old.0 || old.1 < new.0;
            if apart && (new.0 / old.0 - 1.0).abs() > LEAST {
                changes.changed.push((row.clone(), old.0, new.0));
            }
        }
        changes
    }
}

/// The fewest and the most cycles per byte that the runs of a measurement have for a row; `None` if one lacks it.
fn range(baseline: &Baseline, row: &BenchRow) -> Option<(f64, f64)> {
    let mut range = (f64::INFINITY, 0.0_f64);
    for run in &baseline.runs {
        let same = run.rows.iter().find(|other| other.key() == row.key())?;
        range = (range.0.min(same.cpb), range.1.max(same.cpb));
    }
    Some(range)
}

impl std::fmt::Display for Changes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut table = Table::new(&["WHAT", "KERNEL", "SIZE (B)", "BEFORE c/B", "NOW c/B", "TIME"]);
        for (row, before, now) in &self.changed {
            table.row(vec![
                row.what.clone(),
                row.kernel.clone(),
                row.size.to_string(),
                format!("{before:.3}"),
                format!("{now:.3}"),
                format!("{:+.1} %", 100.0 * (now / before - 1.0)),
            ]);
        }
        if !self.changed.is_empty() {
            writeln!(f, "{table}")?;
        }
        let slower = self.changed.iter().filter(|(_, before, now)| now > before).count();
        let faster = self.changed.len() - slower;
        let same = self.compared - self.changed.len();
        writeln!(
            f,
            "{} rows: {faster} faster, {slower} slower, {same} without a change beyond the noise",
            self.compared
        )?;
        match self.new {
            0 => Ok(()),
            new => writeln!(f, "not in the baseline: {new}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::tests::report;

    fn baseline(cycles: &[f64]) -> Baseline {
        Baseline { runs: cycles.iter().map(|&cpb| report(&[(16, cpb)])).collect() }
    }

    #[test]
    fn changes_within_the_noise_are_none() {
        let before = baseline(&[1.0, 1.1, 1.05]);
        let changed = |cycles| Changes::between(&before, &baseline(cycles)).changed.len();
        assert_eq!(changed(&[1.08, 1.2, 1.3]), 0, "the runs overlap");
        assert_eq!(changed(&[1.11, 1.2, 1.3]), 1, "all are slower");
        assert_eq!(changed(&[0.9, 0.8, 0.95]), 1, "all are faster");
        assert_eq!(changed(&[0.995, 0.996, 0.997]), 0, "by less than a hundredth");
    }

    #[test]
    fn rows_are_compared_with_their_like() {
        let mut other = baseline(&[1.0; 3]);
        other.runs[1].rows[0].size = 17;
        assert_eq!(Changes::between(&other, &baseline(&[2.0; 3])).compared, 0);
        let changes = Changes::between(&baseline(&[1.0; 3]), &baseline(&[2.0; 3]));
        assert!(
            changes.to_string().contains("+100.0 %") && changes.to_string().contains("0 faster, 1 slower")
        );
    }

    #[test]
    fn names_are_names_of_files() {
        assert!(["a", "before-1.2_x"].iter().all(|name| parse_name(name).is_ok()));
        assert!(["", ".a", "a/b", "..", "ä", "a b"].iter().all(|name| parse_name(name).is_err()));
    }
}
