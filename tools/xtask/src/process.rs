//! Running other programs: each is shown, has a time limit, and ends when this one is interrupted.
//!
//! A program is put into a process group of its own, so that whatever it has started ends with it.

use std::cell::RefCell;
use std::fs::File;
use std::io::{ErrorKind, Read as _, Seek as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::outcome::{Outcome, Stop};
use crate::tally::{TALLY, tally_file};

/// The time limit of a program. On a slow machine that does other work too, the kernels compile for half an hour.
const LIMIT: Duration = Duration::from_secs(3600);
/// The time that an interrupted program has for cleaning up.
const GRACE: Duration = Duration::from_secs(2);
/// The interval at which a running program is polled.
const TICK: Duration = Duration::from_millis(20);

thread_local! {
    /// The file to which the step of this thread writes, and the programs that it runs; standard output if there is none.
    static LOG: RefCell<Option<File>> = const { RefCell::new(None) };
}

/// Set by a signal that ends this program.
static INTERRUPTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Catches the signals that end this program, so that those it runs are ended first. A signal that was ignored when it
/// started, as SIGHUP under `nohup`, stays ignored.
pub(crate) fn catch_signals() -> std::io::Result<()> {
    let flag = INTERRUPTED.get_or_init(Arc::default);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    for signal in [Signal::INT, Signal::TERM, Signal::HUP].map(Signal::as_raw) {
        if ignored & (1 << (signal - 1)) == 0 {
            signal_hook::flag::register(signal, Arc::clone(flag))?;
        }
    }
    Ok(())
}

/// Has a signal come that ends this program?
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.get().is_some_and(|flag| flag.load(Ordering::Relaxed))
}

/// Lets this thread, and the programs that it runs, write to a file from now on.
pub(crate) fn log_to(file: File) {
    LOG.set(Some(file));
}

/// A line of the step that this thread runs.
pub(crate) fn say(line: &str) {
    LOG.with_borrow_mut(|log| match log {
        // A log that cannot be written is no reason to stop.
        Some(file) => drop(writeln!(file, "{line}")),
        None => println!("{line}"),
    });
}

/// `cargo`, the one that runs this task.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args);
    command
}

/// A command of cargo that compiles no code, in the profile of the release build: macros and build scripts are compiled once for both.
pub(crate) fn checking(command: &str) -> Command {
    cargo(&[command, "--release"])
}

/// Shows and runs a command; anything but success is a failure.
pub(crate) fn run(command: &mut Command) -> Outcome {
    run_for(LIMIT, command)
}

/// Shows and runs a command with a time limit of its own; anything but success is a failure.
pub(crate) fn run_for(limit: Duration, command: &mut Command) -> Outcome {
    command.stdout(output()?).stderr(output()?);
    finish(limit, command)
}

/// Like [`run`], and returns what the command wrote to its standard output.
pub(crate) fn capture(command: &mut Command) -> Result<String, Stop> {
    let (outcome, text) = written(command, |command, file| {
        command.stdout(file).stderr(output()?);
        Ok(())
    })?;
    outcome.map(|()| text)
}

/// Runs a command that writes to a temporary file, as `to_file` directs its output, and gives what it wrote.
fn written(
    command: &mut Command,
    to_file: impl FnOnce(&mut Command, File) -> Outcome,
) -> Result<(Outcome, String), Stop> {
    let failed = |error: std::io::Error| Stop::Failed(format!("a temporary file: {error}"));
    // A file rather than a pipe: nothing has to be read while the program runs.
    let mut file = tempfile::tempfile().map_err(failed)?;
    to_file(command, file.try_clone().map_err(failed)?)?;
    let outcome = finish(LIMIT, command);
    let mut text = String::new();
    file.rewind().and_then(|()| file.read_to_string(&mut text)).map_err(failed)?;
    Ok((outcome, text))
}

/// Runs a command in which a fault is planted: it has to fail, and to say `report`.
pub(crate) fn caught(command: &mut Command, report: &str) -> Outcome {
    let (outcome, text) = written(command, |command, file| {
        let copy = file.try_clone().map_err(|error| format!("a temporary file: {error}"))?;
        command.stdout(file).stderr(copy);
        Ok(())
    })?;
    match outcome {
        Err(Stop::Failed(_)) if text.contains(report) => {
            say(&format!("the fault was caught: {report}"));
            Ok(())
        }
        Err(Stop::Skipped(why)) => Err(Stop::Skipped(why)),
        _ => {
            say(&text);
            Err(Stop::Failed(format!("{}: the fault that was planted was not caught", show(command))))
        }
    }
}

/// Runs a command until `ready` gives something, then ends it.
pub(crate) fn during<T>(
    limit: Duration,
    command: &mut Command,
    mut ready: impl FnMut() -> Option<T>,
) -> Result<T, Stop> {
    let shown = show(command);
    say(&format!("$ {shown}"));
    command.stdin(Stdio::null()).stdout(output()?).stderr(output()?).process_group(0);
    let mut child = command.spawn().map_err(|error| format!("{shown}: {error}"))?;
    let start = Instant::now();
    let outcome = loop {
        if let Some(found) = ready() {
            break Ok(found);
        }
        if interrupted() || start.elapsed() >= limit || !matches!(child.try_wait(), Ok(None)) {
            break Err(Stop::Failed(format!("{shown}: it ended, or nothing came in {} s", limit.as_secs())));
        }
        sleep(TICK);
    };
    end(&mut child);
    outcome
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

/// Returns the output for programs of this thread: its log, or that of this program.
fn output() -> Result<Stdio, Stop> {
    LOG.with_borrow(|log| match log {
        Some(file) => file.try_clone().map(Stdio::from).map_err(|error| Stop::Failed(error.to_string())),
        None => Ok(Stdio::inherit()),
    })
}

fn finish(limit: Duration, command: &mut Command) -> Outcome {
    let shown = show(command);
    say(&format!("$ {shown}"));
    if !command.get_envs().any(|(name, _)| name == TALLY) {
        command.env(TALLY, tally_file());
    }
    command.stdin(Stdio::null()).process_group(0);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(Stop::Skipped(format!("{} is not installed", command.get_program().display())));
        }
        Err(error) => return Err(Stop::Failed(format!("{shown}: {error}"))),
    };
    match wait(&mut child, limit) {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Stop::Failed(format!("{shown}: {status}"))),
        Err(why) => Err(Stop::Failed(format!("{shown}: {why}"))),
    }
}

/// Waits for a program, and ends it with all that it has started when its time is over or a signal comes.
fn wait(child: &mut Child, limit: Duration) -> Result<ExitStatus, String> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            return Ok(status);
        }
        let why = if interrupted() {
            "interrupted".to_owned()
        } else if start.elapsed() >= limit {
            format!("ended after {} s", limit.as_secs())
        } else {
            sleep(TICK);
            continue;
        };
        end(child);
        return Err(why);
    }
}

fn end(child: &mut Child) {
    let group = Pid::from_child(child);
    // The program may have ended by itself, which is as well.
    let _ = kill_process_group(group, Signal::TERM);
    let start = Instant::now();
    while start.elapsed() < GRACE && matches!(child.try_wait(), Ok(None)) {
        sleep(TICK);
    }
    let _ = kill_process_group(group, Signal::KILL);
    let _ = child.wait();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(outcome: Outcome) -> String {
        match outcome {
            Err(Stop::Failed(why)) => why,
            Err(Stop::Skipped(why)) => panic!("skipped: {why}"),
            Ok(()) => panic!("no failure"),
        }
    }

    #[test]
    fn a_program_ends_when_its_time_is_over_and_so_does_what_it_started() {
        let mark = std::env::temp_dir().join(format!("abreast-xtask-{}", std::process::id()));
        let script = format!("(sleep 1; touch {}) & wait", mark.display());
        let limit = Duration::from_millis(100);
        let why = failure(run_for(limit, Command::new("sh").args(["-c", &script])));
        assert!(why.ends_with("ended after 0 s"), "{why}");
        sleep(Duration::from_millis(1500));
        assert!(!mark.exists(), "the program in the background was not ended");
    }

    #[test]
    fn failures_and_output_are_told() {
        assert!(failure(run(&mut Command::new("false"))).starts_with("false: exit status: 1"));
        assert!(matches!(run(&mut Command::new("no-such-program")), Err(Stop::Skipped(_))));
        assert!(matches!(capture(Command::new("echo").arg("words")), Ok(text) if text == "words\n"));
    }

    #[test]
    fn a_planted_fault_has_to_fail_and_to_be_named() {
        let shell = |script: &str| caught(Command::new("sh").args(["-c", script]), "a fault");
        assert!(shell("echo here is a fault >&2; exit 1").is_ok());
        for other in ["echo here is a fault", "echo another one; exit 1", "exit 1"] {
            assert!(failure(shell(other)).ends_with("was not caught"), "{other}");
        }
    }
}
