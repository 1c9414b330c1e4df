//! System calls that fail, one at a time, each in its turn, and the order of those that matter.

use crate::support::*;

/// The calls, and how they fail.
const FAULTS: [(&str, &str); 13] = [
    ("pwrite64", "ENOSPC"),
    ("pwrite64", "EIO"),
    ("pread64", "EIO"),
    ("read", "EIO"),
    ("write", "EIO"),
    ("fsync", "EIO"),
    ("openat", "EMFILE"),
    ("openat", "EACCES"),
    ("renameat2", "EIO"),
    ("rename", "EIO"),
    ("getrandom", "EIO"),
    ("statx", "EIO"),
    ("clone3", "EAGAIN"),
];

#[test]
fn each_call_in_turn() {
    if !has("strace") {
        return;
    }
    let place = Place::new();
    let message = message(700_000);
    place.seal(&message);
    place.write("message", &message);
    place.write("old", b"precious");
    let before = place.contents();
    let mut faults = 0;
    for command in
        ["seal message --new-key new -o out", "seal message -k key -o old -f", "open sealed -k key -o old -f"]
    {
        for (call, error) in FAULTS {
            for turn in 1.. {
                let run = feed(
                    place.shell(&format!(
                        "strace -f -qq -o trace -e trace={call} -e inject={call}:error={error}:when={turn} \
                         \"$ABREAST\" {command} -j2"
                    )),
                    b"",
                );
                let injected = String::from_utf8_lossy(&place.read("trace")).contains("INJECTED");
                std::fs::remove_file(place.path("trace")).unwrap();
                let what = format!("{command}, {call} {turn}: {error}, {}", run.stderr);
                if run.code == Some(0) || run.stderr.contains("old: replaced, but") {
                    for name in ["out", "new"] {
                        let _ = std::fs::remove_file(place.path(name));
                    }
                    place.write("old", b"precious");
                } else if !is_before_main(&run) {
                    assert!(matches!(run.code, Some(1 | 2)), "{what}");
                    assert_eq!(run.stderr.lines().count(), 1, "{what}");
                    faults += 1;
                }
                assert!(place.contents() == before, "{what}: {:?}", place.names());
                if !injected {
                    break;
                }
            }
        }
    }
    assert!(faults >= 60, "{faults} faults");
}

/// Whether the fault hit the program loader or the start of the language, which end by themselves.
fn is_before_main(run: &Run) -> bool {
    run.stderr.contains("loading shared libraries") || run.code == Some(134)
}

/// The order of system calls that a crash of the machine must not find otherwise: the data is on the
/// disk before it gets its name, and the name is before the command says that all is well.
#[test]
fn fsync_rename_fsync() {
    let place = Place::new();
    place.write("message", b"hello");
    if !has("strace") {
        return;
    }
    let script = "strace -f -o trace -e trace=fsync,fdatasync,rename,renameat,renameat2,exit_group \
                  \"$ABREAST\" seal message --new-key new";
    feed(place.shell(script), b"").succeeds();
    let trace = String::from_utf8(place.read("trace")).unwrap();
    let calls = trace.lines().filter_map(|line| line.split_whitespace().nth(1)?.split('(').next());
    let calls: Vec<_> = calls.filter(|call| call.starts_with(['f', 'r', 'e'])).collect();
    let once = ["fsync", "renameat2", "fsync"];
    assert_eq!(calls, [&once[..], &once, &["exit_group"]].concat(), "{trace}");
}
