//! Signals, while the command waits for a pipe that stays silent.

use std::ffi::OsStr;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::Signal;

use crate::support::*;

/// The command with the usual answers to signals. This process may have been started with some of them ignored, as
/// by `nohup` or in the background of a script; its children inherit that, and the command heeds it.
fn listening<A: AsRef<OsStr>>(place: &Place, args: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new("env");
    command.args(["--default-signal=INT,TERM,HUP", env!("CARGO_BIN_EXE_abreast")]).args(args);
    command.current_dir(place.path("")).stdin(Stdio::piped());
    command
}

#[test]
fn nothing_is_left_behind() {
    let place = Place::new();
    place.write("old", b"precious");
    let before = place.contents();
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let sealed_by = [&["-k", "key"][..], &["--new-key", "new.key"]];
        for key in sealed_by {
            let mut process =
                spawn(&mut listening(&place, ["seal", "-", "-o", "old", "--force"].iter().chain(key)));
            let mut stdin = process.child.stdin.take().unwrap();
            begins_to_work(&mut stdin);
            if key[0] == "--new-key" {
                assert!(place.path("new.key").exists());
            }
            process.signal(signal);
            let run = process.end();
            assert_eq!((run.code, &*run.stderr), (Some(code), ""));
            assert!(place.contents() == before, "{:?}", place.names());
        }
    }
}

#[test]
fn a_signal_that_was_ignored_stays_so() {
    let place = Place::new();
    let mut command = place.shell("trap '' HUP; exec \"$ABREAST\" seal - -k key -o out");
    let mut process = spawn(command.stdin(Stdio::piped()));
    let mut stdin = process.child.stdin.take().unwrap();
    begins_to_work(&mut stdin);
    process.signal(Signal::HUP);
    thread::sleep(Duration::from_millis(50));
    drop(stdin);
    process.end().succeeds();
    place.run(["verify", "out", "-k", "key"]).succeeds();
}

/// Nothing can be done about SIGKILL, and nothing has to be: the file has no name yet.
#[test]
fn a_killed_run_leaves_nothing() {
    let place = Place::new();
    place.write("old", b"precious");
    let before = place.contents();
    for force in [&["-o", "old", "--force"][..], &["-o", "new"]] {
        let mut command = place.command(["seal", "-", "-k", "key"].iter().chain(force));
        let mut process = spawn(command.stdin(Stdio::piped()));
        let mut stdin = process.child.stdin.take().unwrap();
        begins_to_work(&mut stdin);
        process.signal(Signal::KILL);
        assert_eq!(process.end().code, None);
        assert!(place.contents() == before, "{:?}", place.names());
    }
}

/// Checks that a file left over shows its origin by its name, and that the old file is whole.
#[test]
fn a_killed_run_leaves_the_old_file() {
    if !has("strace") {
        return;
    }
    let place = Place::new();
    place.write("old", b"precious");
    let mut command = place.lacking(NAMED, "seal - -o old --force -k key");
    let mut process = spawn(command.stdin(Stdio::piped()));
    let mut stdin = process.child.stdin.take().unwrap();
    begins_to_work(&mut stdin);
    process.signal(Signal::KILL);
    assert_eq!(process.end().code, None);
    assert_eq!(place.read("old"), b"precious");
    let left: Vec<_> = place.names().into_iter().filter(|name| name != "old" && name != "key").collect();
    assert!(left.len() == 1 && left[0].starts_with(".abreast-") && left[0].ends_with(".tmp"), "{left:?}");
}
