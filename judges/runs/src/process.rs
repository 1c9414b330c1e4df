//! Processes that always end. Each is killed, with everything it started, when its time is up, and the test
//! fails with the name of the command.

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process};

use crate::group::Group;

/// The time that a process may take. The slowest take seconds; the rest is for machines that are busy.
pub const LIMIT: Duration = Duration::from_secs(120);

/// The time after the kill in which the outputs may stay open. Only a process that left the group of its parent
/// could hold them longer.
const GRACE: Duration = Duration::from_secs(10);

/// The end of a run.
pub struct Run {
    /// The exit code, `None` after a signal.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: String,
}

impl Run {
    /// Checks that the run succeeded, without a word on standard error.
    ///
    /// # Panics
    ///
    /// Panics if it did not.
    #[track_caller]
    pub fn succeeds(self) -> Run {
        assert_eq!((self.code, &*self.stderr), (Some(0), ""));
        self
    }

    /// Checks that the run failed with this code and one line, which begins with the name of a program and has the cause.
    ///
    /// # Panics
    ///
    /// Panics if it did not.
    #[track_caller]
    pub fn fails(self, code: i32, cause: &str) -> Run {
        assert_eq!(self.code, Some(code), "{}", self.stderr);
        let line = self.stderr.strip_suffix('\n').expect("a whole line");
        let is_named = ["abreast: ", "abreast-bench: "].iter().any(|name| line.starts_with(name));
        assert!(is_named && line.contains(cause), "{line:?} lacks {cause:?}");
        assert!(!line.contains(char::is_control), "{line:?}");
        self
    }
}

/// A process with a time limit. Dropping it kills it.
pub struct Process {
    /// The process. Its pipes may be taken and used directly: they break when it is killed.
    pub child: Child,
    /// The command, for messages.
    name: String,
    /// The time that it may take.
    limit: Duration,
    /// Kills the process when the limit has passed, unless told to stop, and returns true if it did.
    watchdog: Option<(Sender<()>, JoinHandle<bool>)>,
}

/// Starts a process. Wine, while it starts others, fails now and then with an internal error, and is asked again.
fn start(command: &mut Command) -> io::Result<Child> {
    const INTERNAL_ERROR: i32 = 1359;
    for _ in 0..4 {
        match command.spawn() {
            Err(error) if cfg!(windows) && error.raw_os_error() == Some(INTERNAL_ERROR) => {
                thread::sleep(Duration::from_secs(1));
            }
            started => return started,
        }
    }
    command.spawn()
}

impl Process {
    /// Starts a process that may take so long, with pipes for its outputs. It leads a process group of its
    /// own, so that what it starts can be killed with it.
    ///
    /// # Panics
    ///
    /// Panics if it cannot be started.
    pub fn spawn(command: &mut Command, limit: Duration) -> Process {
        let name = format!("{command:?}");
        let command = Group::prepare(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
        let child = start(command).unwrap_or_else(|error| panic!("{name}: {error}"));
        let group = Group::of(&child);
        let (stop, stopped) = mpsc::channel();
        let watchdog = thread::spawn(move || {
            // The process has not been waited for while this thread runs, so the number is still its own.
            let expired = stopped.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
            expired && group.kill()
        });
        Process { child, name, limit, watchdog: Some((stop, watchdog)) }
    }

    /// Sends a signal.
    ///
    /// # Panics
    ///
    /// Panics if the process cannot be signalled.
    #[cfg(unix)]
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Closes standard input, reads the outputs that have not been taken, and waits for the end.
    ///
    /// # Panics
    ///
    /// Panics if the process was killed since its time was up.
    #[track_caller]
    pub fn end(mut self) -> Run {
        drop(self.child.stdin.take());
        let stdout = self.child.stdout.take().map(read_all);
        let stderr = self.child.stderr.take().map(read_all);
        let bytes = |output: Option<Receiver<Vec<u8>>>| {
            let received = output.map(|output| output.recv_timeout(self.limit + GRACE));
            received.unwrap_or(Ok(Vec::new())).unwrap_or_else(|_| panic!("{}: output stays open", self.name))
        };
        let (stdout, stderr) = (bytes(stdout), bytes(stderr));
        Group::of(&self.child).wait();
        let (killed, status) = self.ended();
        assert!(!killed, "{}: killed, since it took more than {:?}", self.name, self.limit);
        let stderr = String::from_utf8(stderr).expect("messages are text");
        Run { code: status.code(), stdout, stderr }
    }

    /// Takes the status of the process that has ended, and returns true if it had to be killed.
    fn ended(&mut self) -> (bool, ExitStatus) {
        if cfg!(unix) {
            // Another process could have its number once the status is taken.
            let killed = self.stop_watchdog();
            return (killed, self.child.wait().unwrap());
        }
        let status = self.child.wait().unwrap();
        (self.stop_watchdog(), status)
    }

    /// Ends the watch, and returns true if the process had to be killed; `false` after the first call.
    fn stop_watchdog(&mut self) -> bool {
        let Some((stop, watchdog)) = self.watchdog.take() else { return false };
        drop(stop);
        watchdog.join().unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.watchdog.is_some() {
            if self.stop_watchdog() {
                eprintln!("{}: killed, since it took more than {:?}", self.name, self.limit);
            }
            let _ = Group::of(&self.child).kill();
            let _ = self.child.wait();
        }
    }
}

/// Starts a process with the usual limit.
///
/// # Panics
///
/// Panics if it cannot be started.
pub fn spawn(command: &mut Command) -> Process {
    Process::spawn(command, LIMIT)
}

/// Runs a process with that input. It may end without having read it all.
///
/// # Panics
///
/// Panics if it does not end within [`LIMIT`].
#[track_caller]
pub fn feed(mut command: Command, input: &[u8]) -> Run {
    let mut process = spawn(command.stdin(Stdio::piped()));
    let mut stdin = process.child.stdin.take().unwrap();
    let input = input.to_vec();
    // Not waited for: it ends when the process that reads does.
    thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    process.end()
}

/// Reads a pipe to its end in a thread of its own, which is not waited for.
fn read_all(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (done, bytes) = mpsc::channel();
    thread::spawn(move || {
        let mut all = Vec::new();
        if pipe.read_to_end(&mut all).is_ok() {
            let _ = done.send(all);
        }
    });
    bytes
}

#[cfg(all(test, unix))]
mod tests {
    use std::panic;
    use std::time::Instant;

    use super::*;

    /// A process that never ends, with a child that holds its outputs, is killed with that child.
    #[test]
    fn a_process_that_never_ends_is_killed() {
        let start = Instant::now();
        let ended = panic::catch_unwind(|| {
            let mut command = Command::new("sh");
            command.args(["-c", "sleep 1000 & sleep 1000"]).stdin(Stdio::null());
            Process::spawn(&mut command, Duration::from_millis(100)).end()
        });
        let message = *ended.err().expect("no process that ended").downcast::<String>().unwrap();
        assert!(message.contains("sleep 1000") && message.contains("killed"), "{message}");
        assert!(start.elapsed() < GRACE, "{message}");
    }

    /// A test that reads a pipe of it directly does not wait longer either.
    #[test]
    fn pipes_of_a_killed_process_break() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 1000"]).stdin(Stdio::piped());
        let mut process = Process::spawn(&mut command, Duration::from_millis(100));
        let mut stdin = process.child.stdin.take().unwrap();
        assert_eq!(process.child.stdout.take().unwrap().read(&mut [0]).unwrap(), 0);
        assert!((0..1000).any(|_| stdin.write_all(&[0; 1000]).is_err()));
    }
}
