//! Every signal that ends the command and can be caught.

use std::process::Stdio;

use rustix::process::Signal;

use crate::support::*;

#[test]
fn nothing_is_left_behind_by_any_signal() {
    let place = Place::new();
    for signal in [
        Signal::ABORT,
        Signal::ALARM,
        Signal::HUP,
        Signal::INT,
        Signal::IO,
        Signal::PROF,
        Signal::QUIT,
        Signal::TERM,
        Signal::USR1,
        Signal::USR2,
        Signal::VTALARM,
        Signal::XCPU,
    ] {
        // Signals that the test was started without are as they usually are.
        let script = "exec env --default-signal \"$ABREAST\" seal - -o out --new-key new";
        let mut command = place.shell(script);
        let mut child = spawn(command.stdin(Stdio::piped()));
        let stdin = child.child.stdin.take().unwrap();
        wait_until("the new key", || place.path("new").exists());
        wait_until("a temporary file", || place.names().iter().any(|name| name.starts_with(".abreast-")));
        child.signal(signal);
        let run = child.end();
        drop(stdin);
        assert_eq!((run.code, &*run.stderr), (Some(128 + signal.as_raw()), ""), "{signal:?}");
        assert_eq!(place.names(), ["key"], "{signal:?}");
    }
}

/// Also a core dump that goes to a program, which the limit on the size of core files does not hold.
#[test]
fn no_core_is_dumped() {
    if !has("strace") {
        return;
    }
    let place = Place::new();
    let script = "exec strace -f -qq -o trace -e trace=prctl \"$ABREAST\" seal key -k key";
    spawn(&mut place.shell(script)).end().succeeds();
    let trace = String::from_utf8(place.read("trace")).unwrap();
    assert!(trace.contains("prctl(PR_SET_DUMPABLE, SUID_DUMP_DISABLE) = 0"), "{trace}");
}
