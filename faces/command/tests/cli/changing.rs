//! Inputs that change while they are read, and outputs that are replaced while they are opened.
//!
//! The command is held up in the middle of its work by an output pipe that nobody empties, or by strace.

use std::fs::{self, File};
use std::io::Read;
#[cfg(unix)]
use std::os::unix::fs::symlink;
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate::support::*;

/// Longer than all that eight workers and a pipe take.
const LEN: usize = 8 << 20;

/// A change to an input.
type Change = fn(&Place);

/// Changes after which the file differs from the bytes read.
const CHANGES: [(&str, Change); 5] = [
    ("shrinks", |place| file(place).set_len(1000).unwrap()),
    ("is emptied", |place| file(place).set_len(0).unwrap()),
    ("grows", |place| file(place).set_len(2 * LEN as u64).unwrap()),
    ("is written again", |place| {
        file(place).set_len(1000).unwrap();
        place.write("message", &message(LEN));
    }),
    ("is written again and made to look old", |place| {
        place.write("message", &message(LEN));
        file(place).set_modified(old()).unwrap();
    }),
];

/// The input, to be written.
fn file(place: &Place) -> File {
    File::options().write(true).open(place.path("message")).unwrap()
}

/// A time that no file of a test is written at.
fn old() -> SystemTime {
    SystemTime::now() - Duration::from_secs(86400)
}

/// Runs the command until it waits for the reader of its output, does `change`, and reads on.
fn run(place: &Place, args: &[&str], change: Change) -> Run {
    place.write("message", &message(LEN));
    file(place).set_modified(old()).unwrap();
    let mut child = spawn(&mut place.command(args));
    let mut stdout = child.child.stdout.take().unwrap();
    let mut start = [0; 100];
    stdout.read_exact(&mut start).unwrap();
    change(place);
    std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
    child.end()
}

#[test]
fn an_input_that_changes_is_an_error() {
    let place = Place::new();
    for (what, change) in CHANGES {
        for jobs in ["1", "2", "8"] {
            let run = run(&place, &["seal", "message", "-k", "key", "-o", "-", "-j", jobs], change);
            let cause = "message: the file was changed while it was read";
            assert!(run.code == Some(1) && run.stderr.contains(cause), "{what}, {jobs}: {}", run.stderr);
        }
    }
}

#[test]
fn an_input_of_raw_that_changes_is_an_error() {
    let place = Place::new();
    let key = "00112233445566778899aabbccddeeff";
    let args =
        ["raw", "encrypt", "--cipher", "aes-128", "--mode", "ctr", "--key", key, "--iv", key, "message"];
    for (what, change) in CHANGES {
        let run = run(&place, &args, change);
        let cause = "message: the file was changed while it was read";
        assert!(run.code == Some(1) && run.stderr.contains(cause), "{what}: {}", run.stderr);
    }
}

/// No output appears, and the one that is there stays.
#[cfg(unix)]
#[test]
fn the_output_of_a_changed_input_does_not_appear() {
    let place = Place::new();
    if !has("strace") {
        return;
    }
    place.write("message", &message(LEN));
    // Which call of the main thread is the first to read the message: the program loader has some before it.
    let trace = "strace -f -qq -o trace -e trace=pread64";
    let seal = "\"$ABREAST\" seal message -k key -o old -f";
    feed(place.shell(&format!("exec {trace} {seal} -j1")), b"").succeeds();
    let turn = turn_of(&place, ", 262144, ");
    for jobs in [1, 2, 8] {
        place.write("message", &message(LEN));
        place.write("old", b"precious");
        let inject = format!("-e inject=pread64:delay_enter=2000000:when={turn}");
        let child = spawn(&mut place.shell(&format!("exec {trace} {inject} {seal} -j{jobs}")));
        wait_until("the first read", || count(&place, "pread64(") >= turn);
        file(&place).set_len(1000).unwrap();
        child.end().fails(1, "message: the file was changed");
        fs::remove_file(place.path("trace")).unwrap();
        assert_eq!(place.names(), ["key", "message", "old"], "{jobs}");
        assert_eq!(place.read("old"), b"precious", "{jobs}");
    }
}

/// Returns the number of the first call in the trace that has a text, counted from 1. Removes the trace.
fn turn_of(place: &Place, text: &str) -> usize {
    let trace = fs::read_to_string(place.path("trace")).unwrap();
    fs::remove_file(place.path("trace")).unwrap();
    trace.lines().position(|line| line.contains(text)).expect("the call is in the trace") + 1
}

/// Counts a text in the trace.
fn count(place: &Place, text: &str) -> usize {
    fs::read_to_string(place.path("trace")).unwrap_or_default().matches(text).count()
}

/// A pipe that becomes a link to a file between the look at it and its opening.
#[cfg(unix)]
#[test]
fn an_output_that_is_replaced_while_it_is_opened() {
    let place = Place::new();
    if !has("strace") {
        return;
    }
    place.write("message", b"hello");
    place.write("victim", b"precious");
    let make_pipe = || assert!(Command::new("mkfifo").arg(place.path("out")).status().unwrap().success());
    // Which opening it is, counted in a run that has a reader.
    make_pipe();
    let traced = "strace -f -qq -o trace -e trace=openat \"$ABREAST\" seal message -k key -o out";
    let child = spawn(&mut place.shell(&format!("exec timeout 20 {traced}")));
    place.read("out");
    assert_eq!(child.end().code, Some(0));
    let turn = turn_of(&place, "O_WRONLY");
    fs::remove_file(place.path("out")).unwrap();
    for force in ["", "-f"] {
        make_pipe();
        // With a limit: a pipe is waited for until it has a reader.
        let child = spawn(&mut place.shell(&format!(
            "exec timeout 20 strace -f -qq -o trace -e trace=openat \
             -e inject=openat:delay_enter=2000000:when={turn} \"$ABREAST\" seal message -k key -o out {force}"
        )));
        wait_until("the opening of the output", || count(&place, "O_WRONLY") >= 1);
        fs::remove_file(place.path("out")).unwrap();
        symlink("victim", place.path("out")).unwrap();
        let run = child.end();
        let code = if force.is_empty() { 4 } else { 1 };
        run.fails(code, "out: ");
        assert_eq!(place.read("victim"), b"precious");
        fs::remove_file(place.path("out")).unwrap();
        fs::remove_file(place.path("trace")).unwrap();
    }
}
