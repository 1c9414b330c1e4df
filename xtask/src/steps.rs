//! Steps: what is run, what came of it, and the table at the end.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Why a step did not pass.
pub(crate) enum Stop {
    /// What it checks is wrong.
    Failed(String),
    /// This machine lacks something it needs.
    Skipped(String),
}

impl From<String> for Stop {
    fn from(why: String) -> Self {
        Stop::Failed(why)
    }
}

/// What came of a step; `?` on a missing tool skips it.
pub(crate) type Outcome = Result<(), Stop>;

/// The steps run so far.
#[derive(Default)]
pub(crate) struct Steps(Vec<(String, Outcome, Duration)>);

impl Steps {
    /// Runs one step under its heading. A failure is noted and does not stop the next step.
    pub(crate) fn run(&mut self, name: &str, step: impl FnOnce() -> Outcome) {
        println!("\n==== {name} ====");
        let start = Instant::now();
        let mut outcome = step();
        if let Err(Stop::Skipped(why)) = &outcome
            && std::env::var_os("ABREAST_NO_SKIP").is_some_and(|value| value == "1")
        {
            outcome = Err(Stop::Failed(format!("may not be skipped here: {why}")));
        }
        if let Err(Stop::Failed(why) | Stop::Skipped(why)) = &outcome {
            println!("{why}");
        }
        self.0.push((name.to_owned(), outcome, start.elapsed()));
    }

    /// Prints the table and the closing line. Fails if a step failed.
    pub(crate) fn finish(self) -> ExitCode {
        let width = self.0.iter().map(|(name, ..)| name.len()).max().unwrap_or(0);
        let (mut passed, mut failed, mut skipped) = (0, 0, 0);
        println!("\n==== summary ====");
        for (name, outcome, time) in &self.0 {
            let text = match outcome {
                Ok(()) => {
                    passed += 1;
                    "ok".to_owned()
                }
                Err(Stop::Failed(why)) => {
                    failed += 1;
                    format!("FAILED: {}", first_line(why))
                }
                Err(Stop::Skipped(why)) => {
                    skipped += 1;
                    format!("skipped: {}", first_line(why))
                }
            };
            println!("{name:width$}  {:7.1} s  {text}", time.as_secs_f64());
        }
        for (what, count) in tally() {
            println!("{count:>14} {what} checked");
        }
        println!("{passed} passed, {failed} failed, {skipped} skipped");
        if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// The file into which test programs write how much they checked, by the variable `ABREAST_TALLY`: each line is a number
/// and what was counted.
fn tally_file() -> PathBuf {
    std::env::temp_dir().join(format!("abreast-tally-{}", std::process::id()))
}

/// What the test programs have counted so far, added up; the file goes.
fn tally() -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    let text = std::fs::read_to_string(tally_file()).unwrap_or_default();
    for (count, what) in text.lines().filter_map(|line| line.split_once(' ')) {
        *counts.entry(what.to_owned()).or_default() += count.parse::<u64>().unwrap_or(0);
    }
    // There is none where nothing was counted.
    let _ = std::fs::remove_file(tally_file());
    counts
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// `cargo`, the one that runs this task.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args);
    command
}

/// A program that is killed, and so fails, when it takes longer than any test does.
pub(crate) fn limited(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=10", "900"]).arg(program);
    command
}

/// Shows and runs a command; anything but success is a failure.
pub(crate) fn run(command: &mut Command) -> Outcome {
    capture(command.stdout(Stdio::inherit())).map(drop)
}

/// Like [`run`], and returns what the command wrote to its standard output.
pub(crate) fn capture(command: &mut Command) -> Result<String, Stop> {
    let shown = show(command);
    println!("$ {shown}");
    command.env("ABREAST_TALLY", tally_file());
    let output = match command.stdin(Stdio::null()).stderr(Stdio::inherit()).output() {
        Ok(output) => output,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(Stop::Skipped(format!("{} is not installed", command.get_program().display())));
        }
        Err(error) => return Err(Stop::Failed(format!("{shown}: {error}"))),
    };
    if !output.status.success() {
        return Err(Stop::Failed(format!("{shown}: {}", output.status)));
    }
    String::from_utf8(output.stdout).map_err(|_| Stop::Failed(format!("{shown}: output is not UTF-8")))
}

/// A command as one would type it; the program without its folder.
fn show(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let mut text = program.to_string_lossy().into_owned();
    for arg in command.get_args() {
        text.push(' ');
        text.push_str(&arg.to_string_lossy());
    }
    text
}

/// Skips the step if `program` cannot be run.
pub(crate) fn need(program: &str) -> Outcome {
    match Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status() {
        Ok(_) => Ok(()),
        Err(_) => Err(Stop::Skipped(format!("{program} is not installed"))),
    }
}

/// Skips the step if the standard library for `target` is neither here nor to be had from rustup.
pub(crate) fn need_target(target: &str) -> Outcome {
    let libdir = capture(Command::new("rustc").args(["--print", "target-libdir", "--target", target]))?;
    if Path::new(libdir.trim()).is_dir() {
        return Ok(());
    }
    run(Command::new("rustup").args(["target", "add", target]))
        .map_err(|_| Stop::Skipped(format!("rustup cannot add the target {target}")))
}
