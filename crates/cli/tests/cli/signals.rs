//! Signals, while the command waits for a pipe that stays silent.

use std::io::Write;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::*;

/// Waits until the command has created its temporary file.
fn wait_for_temporary(place: &Place) {
    let start = Instant::now();
    while !place.names().iter().any(|name| name.starts_with(".abreast-")) {
        assert!(start.elapsed() < Duration::from_secs(10), "no temporary file: {:?}", place.names());
        thread::sleep(Duration::from_millis(5));
    }
}

/// Sends a signal and waits for the end.
fn end(child: Child, signal: Signal) -> Run {
    kill_process(Pid::from_child(&child), signal).unwrap();
    Run::of(child.wait_with_output().unwrap())
}

#[test]
fn nothing_is_left_behind() {
    let place = Place::new();
    place.write("old", b"precious");
    let before = place.contents();
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let sealed_by = [&["-k", "key"][..], &["--new-key", "new.key"]];
        for key in sealed_by {
            let mut command = place.command(["seal", "-", "-o", "old", "--force"].iter().chain(key));
            let mut child = spawn(command.stdin(Stdio::piped()));
            let mut stdin = child.stdin.take().unwrap();
            stdin.write_all(&message(1 << 20)).unwrap();
            wait_for_temporary(&place);
            if key[0] == "--new-key" {
                assert!(place.path("new.key").exists());
            }
            let run = end(child, signal);
            assert_eq!((run.code, &*run.stderr), (Some(code), ""));
            assert!(place.contents() == before, "{:?}", place.names());
        }
    }
}

#[test]
fn a_signal_that_was_ignored_stays_so() {
    let place = Place::new();
    let mut command = place.shell("trap '' HUP; exec \"$ABREAST\" seal - -k key -o out");
    let mut child = spawn(command.stdin(Stdio::piped()));
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"hello").unwrap();
    wait_for_temporary(&place);
    kill_process(Pid::from_child(&child), Signal::HUP).unwrap();
    thread::sleep(Duration::from_millis(50));
    drop(stdin);
    Run::of(child.wait_with_output().unwrap()).succeeds();
    place.run(["verify", "out", "-k", "key"]).succeeds();
}

/// Nothing can be done about SIGKILL, but what is left shows where it comes from, and the old file is
/// whole.
#[test]
fn a_killed_run_leaves_the_old_file() {
    let place = Place::new();
    place.write("old", b"precious");
    let mut command = place.command(["seal", "-", "-o", "old", "--force", "-k", "key"]);
    let mut child = spawn(command.stdin(Stdio::piped()));
    let stdin = child.stdin.take().unwrap();
    wait_for_temporary(&place);
    child.kill().unwrap();
    child.wait().unwrap();
    drop(stdin);
    assert_eq!(place.read("old"), b"precious");
    let left: Vec<_> = place.names().into_iter().filter(|name| name != "old" && name != "key").collect();
    assert!(left.len() == 1 && left[0].starts_with(".abreast-") && left[0].ends_with(".tmp"), "{left:?}");
}
