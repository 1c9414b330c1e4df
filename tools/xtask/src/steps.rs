//! Steps: the parts of a task, which run two at a time, and what came of each.
//!
//! What a step writes goes to a file and is shown in whole when the step has ended, so that two steps do not mix. A line
//! tells when a step starts, how long it took, and about how long the rest will take.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::outcome::{Outcome, Stop};
use crate::process::{interrupted, log_to};
use crate::tally::tally;

/// Steps at a time. Two leave little of two cores idle: most of what takes long is single programs that run or link.
const LANES: usize = 2;

/// The time that all steps take by the clock, over the sum of their times. The estimate begins with it.
const SIDE_BY_SIDE: f64 = 0.6;

/// A part of a task.
pub(crate) struct Step<'w> {
    name: String,
    /// The seconds that it takes beside another on two cores, for the estimate.
    usual: u32,
    after: Vec<String>,
    folder: Option<&'static str>,
    work: Box<dyn FnOnce() -> Outcome + Send + 'w>,
}

impl Step<'_> {
    /// Begins when another step has ended, whatever came of that; at once if it is not in the plan.
    pub(crate) fn after(&mut self, name: &str) -> &mut Self {
        self.after.push(name.to_owned());
        self
    }

    /// Builds in one of cargo's folders, on which it has a lock meanwhile: two such steps do not go side by side.
    pub(crate) fn builds_in(&mut self, folder: &'static str) -> &mut Self {
        self.folder = Some(folder);
        self
    }
}

/// The steps of a task, of which the first goes first where nothing else decides.
#[derive(Default)]
pub(crate) struct Plan<'w>(Vec<Step<'w>>);

impl<'w> Plan<'w> {
    /// Adds a step that usually takes so many seconds.
    pub(crate) fn step(
        &mut self,
        name: impl Into<String>,
        usual: u32,
        work: impl FnOnce() -> Outcome + Send + 'w,
    ) -> &mut Step<'w> {
        let (name, work) = (name.into(), Box::new(work));
        self.0.push(Step { name, usual, after: Vec::new(), folder: None, work });
        let last = self.0.len() - 1;
        &mut self.0[last]
    }

    /// Runs all of them, each with a file for its output in a folder. A failure does not stop the others; a signal
    /// does.
    pub(crate) fn run(self, logs: &Path) -> ExitCode {
        let start = Instant::now();
        if let Err(error) = fs::create_dir_all(logs) {
            eprintln!("xtask: {}: {error}", logs.display());
            return ExitCode::FAILURE;
        }
        let board = Board::new(self.0, start);
        thread::scope(|scope| {
            for _ in 0..LANES {
                scope.spawn(|| {
                    while let Some(step) = board.take() {
                        let log = logs.join(format!("{}.log", step.name.replace(['/', ' '], "-")));
                        let (name, folder, usual) = (step.name, step.folder, step.usual);
                        let begin = Instant::now();
                        let outcome = in_file(&log, step.work);
                        board.end(Done { name, outcome, time: begin.elapsed() }, folder, usual, &log);
                    }
                });
            }
        });
        let notes = board.notes.into_inner().unwrap_or_else(PoisonError::into_inner);
        let left = notes.waiting.iter().map(|step| step.name.as_str());
        summary(&notes.done, &left.collect::<Vec<_>>(), start.elapsed())
    }
}

/// Runs one step alone, which writes to standard output.
pub(crate) fn alone(work: impl FnOnce() -> Outcome) -> ExitCode {
    let outcome = judged(work());
    let code = if matches!(outcome, Err(Stop::Failed(_))) { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    println!("{}", told(&outcome));
    code
}

/// A step that has ended.
struct Done {
    name: String,
    outcome: Outcome,
    time: Duration,
}

/// The steps that wait, run and have ended, for the threads that run them.
struct Board<'w> {
    notes: Mutex<Notes<'w>>,
    changed: Condvar,
    start: Instant,
    /// Seconds that all steps usually take.
    usual: u32,
}

struct Notes<'w> {
    waiting: Vec<Step<'w>>,
    running: Vec<(String, Option<&'static str>)>,
    done: Vec<Done>,
    /// Seconds that the steps which have ended usually take.
    usual: u32,
}

impl<'w> Board<'w> {
    fn new(steps: Vec<Step<'w>>, start: Instant) -> Self {
        let usual = steps.iter().map(|step| step.usual).sum();
        let notes = Notes { waiting: steps, running: Vec::new(), done: Vec::new(), usual: 0 };
        Self { notes: Mutex::new(notes), changed: Condvar::new(), start, usual }
    }

    fn notes(&self) -> MutexGuard<'_, Notes<'w>> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next step, when there is one that can begin.
    fn take(&self) -> Option<Step<'w>> {
        let mut notes = self.notes();
        loop {
            if notes.waiting.is_empty() || interrupted() {
                return None;
            }
            if let Some(at) = notes.ready() {
                let step = notes.waiting.remove(at);
                notes.running.push((step.name.clone(), step.folder));
                println!("---- {}: started; {}", step.name, self.left(&notes));
                return Some(step);
            }
            // Every step that ends tells; the time limit is for the signal.
            let waited = self.changed.wait_timeout(notes, Duration::from_millis(200));
            notes = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Notes that a step has ended, and shows what it wrote.
    fn end(&self, done: Done, folder: Option<&'static str>, usual: u32, log: &Path) {
        let mut notes = self.notes();
        println!("\n==== {} ====", done.name);
        show(log);
        notes.usual += usual;
        notes.running.retain(|running| *running != (done.name.clone(), folder));
        let ended = format!("{}: {}, {:.1} s", done.name, told(&done.outcome), done.time.as_secs_f64());
        notes.done.push(done);
        println!("---- {ended}; {}", self.left(&notes));
        self.changed.notify_all();
    }

    /// About how long the rest takes: as the steps that have ended did, over what they usually take.
    fn left(&self, notes: &Notes<'_>) -> String {
        let (all, past) = (f64::from(self.usual), f64::from(notes.usual));
        // Running steps are half done on the average, and the first steps tell little.
        let factor = if past > all / 10.0 { self.start.elapsed().as_secs_f64() / past } else { SIDE_BY_SIDE };
        let minutes = (all - past) * factor / 60.0;
        let steps = notes.waiting.len() + notes.running.len();
        format!("{steps} of {} left, about {:.0} min", steps + notes.done.len(), minutes.ceil())
    }
}

impl Notes<'_> {
    /// The first of those that wait and can begin.
    fn ready(&self) -> Option<usize> {
        let pending = |name: &String| {
            self.waiting.iter().any(|step| step.name == *name)
                || self.running.iter().any(|(it, _)| it == name)
        };
        let locked = |folder| self.running.iter().any(|(_, other)| *other == Some(folder));
        let can_begin = |step: &Step<'_>| !step.after.iter().any(pending) && !step.folder.is_some_and(locked);
        self.waiting.iter().position(can_begin)
    }
}

/// Runs the work of a step with its output in a file.
fn in_file(log: &Path, work: Box<dyn FnOnce() -> Outcome + Send + '_>) -> Outcome {
    let file = File::create(log).map_err(|error| format!("{}: {error}", log.display()))?;
    log_to(file);
    let panicked = |_| Err(Stop::Failed("the step panicked".to_owned()));
    judged(catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(panicked))
}

/// A skipped step is a failed one where the environment says so.
fn judged(outcome: Outcome) -> Outcome {
    let strict = std::env::var_os("ABREAST_NO_SKIP").is_some_and(|value| value == "1");
    match outcome {
        Err(Stop::Skipped(why)) if strict => Err(Stop::Failed(format!("may not be skipped here: {why}"))),
        outcome => outcome,
    }
}

fn told(outcome: &Outcome) -> String {
    match outcome {
        Ok(()) => "ok".to_owned(),
        Err(Stop::Failed(why)) => format!("FAILED: {why}"),
        Err(Stop::Skipped(why)) => format!("skipped: {why}"),
    }
}

/// Copies what a step wrote.
fn show(log: &Path) {
    let mut out = io::stdout().lock();
    // Text that cannot be shown is still in the file, and the outcome follows.
    if let Ok(text) = fs::read(log) {
        let _ = out.write_all(&text);
    }
    let _ = out.flush();
}

/// Prints the table and the closing line. Fails if a step failed, or was not run.
fn summary(done: &[Done], left: &[&str], time: Duration) -> ExitCode {
    let names = done.iter().map(|done| done.name.as_str()).chain(left.iter().copied());
    let width = names.map(str::len).max().unwrap_or(0);
    println!("\n==== summary ====");
    for Done { name, outcome, time } in done {
        let text = told(outcome);
        println!("{name:width$}  {:7.1} s  {}", time.as_secs_f64(), text.lines().next().unwrap_or_default());
    }
    for name in left {
        println!("{name:width$}  {:>9}  not run", "");
    }
    for (what, count) in tally() {
        println!("{count:>14} {what} checked");
    }
    let of = |wanted: fn(&Outcome) -> bool| done.iter().filter(|done| wanted(&done.outcome)).count();
    let failed = of(|outcome| matches!(outcome, Err(Stop::Failed(_))));
    let skipped = of(|outcome| matches!(outcome, Err(Stop::Skipped(_))));
    let minutes = time.as_secs_f64() / 60.0;
    println!("{} passed, {failed} failed, {skipped} skipped in {minutes:.1} min", of(Result::is_ok));
    if failed == 0 && left.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the steps that can begin one after another, while none ends.
    fn beginning(plan: Plan<'_>) -> Vec<String> {
        let board = Board::new(plan.0, Instant::now());
        let mut names = Vec::new();
        while board.notes().ready().is_some() {
            names.push(board.take().expect("a step that is ready").name);
        }
        names
    }

    #[test]
    fn a_step_waits_for_those_that_it_names_and_for_its_folder() {
        let mut plan = Plan::default();
        plan.step("build", 1, || Ok(())).builds_in("debug");
        plan.step("test", 1, || Ok(())).after("build");
        plan.step("lints", 1, || Ok(())).builds_in("debug");
        plan.step("release", 1, || Ok(())).builds_in("release");
        plan.step("links", 1, || Ok(())).after("what is not in the plan");
        assert_eq!(beginning(plan), ["build", "release", "links"]);
    }

    #[test]
    fn all_steps_run_in_their_order_and_one_failure_is_enough() {
        let order = Mutex::new(Vec::new());
        let note = |name| {
            order.lock().unwrap().push(name);
            Ok(())
        };
        let mut plan = Plan::default();
        plan.step("second", 1, || note("second")).after("first");
        plan.step("first", 1, || {
            note("first")?;
            Err(Stop::Failed("on purpose".to_owned()))
        });
        plan.step("third", 1, || note("third")).after("second");
        let logs = tempfile::tempdir().unwrap();
        assert_eq!(plan.run(logs.path()), ExitCode::FAILURE);
        assert_eq!(*order.lock().unwrap(), ["first", "second", "third"]);

        let mut plan = Plan::default();
        plan.step("panics", 1, || panic!("on purpose"));
        plan.step("passes", 1, || Ok(()));
        assert_eq!(plan.run(logs.path()), ExitCode::FAILURE);

        let mut plan = Plan::default();
        plan.step("passes", 1, || Ok(()));
        assert_eq!(plan.run(logs.path()), ExitCode::SUCCESS);
    }
}
