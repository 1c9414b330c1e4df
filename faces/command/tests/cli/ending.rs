//! Every signal that ends the command and can be caught.

use std::process::{Command, Stdio};

use rustix::process::Signal;

use crate::support::*;

/// All signals that end a process and can be caught, those without a meaning too. SIGILL and SIGFPE tell of a
/// fault of the program itself, and nothing is left either, of a file without a name. The C library keeps 32 and 33.
/// A SIGSEGV that another program sends does nothing the first time, since the standard library looks for a fault.
#[test]
fn nothing_is_left_behind_by_any_signal() {
    let other = [11, 32, 33, 13, 17, 18, 19, 20, 21, 22, 23, 25, 28];
    let uncaught = [4, 8, 9];
    let place = Place::new();
    let before = place.contents();
    let mut seen = 0;
    for signal in (1..=64).filter(|signal| !other.contains(signal)) {
        for rules in [None, Some(NAMED), Some(LINKED), Some(RESERVED), Some(IN_PLACE)] {
            if rules.is_some()
                && (uncaught.contains(&signal) || !has("strace") || signal % 8 != 6 && signal != 30)
            {
                continue;
            }
            let arguments = "seal - -o out -k key";
            let mut command = match rules {
                Some(rules) => place.lacking(rules, arguments),
                None => place.shell(&format!("exec \"$ABREAST\" {arguments}")),
            };
            // Signals that the test was started without are as they usually are.
            let mut listening = Command::new("env");
            listening.arg("--default-signal").arg(command.get_program()).args(command.get_args());
            listening.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
            listening.current_dir(place.path(""));
            command = listening;
            let mut child = spawn(command.stdin(Stdio::piped()));
            let mut stdin = child.child.stdin.take().unwrap();
            begins_to_work(&mut stdin);
            assert_eq!(
                place.contents() == before,
                rules.is_none(),
                "{signal}, {rules:?}: {:?}",
                place.names()
            );
            let mut kill = Command::new("sh");
            kill.args(["-c", &format!("kill -{signal} {}", child.child.id())]);
            feed(kill, b"").succeeds();
            let run = child.end();
            drop(stdin);
            let code = if uncaught.contains(&signal) { None } else { Some(128 + signal) };
            assert_eq!((run.code, &*run.stderr), (code, ""), "{signal}, {rules:?}");
            assert!(place.contents() == before, "{signal}, {rules:?}: {:?}", place.names());
            seen += 1;
        }
    }
    tell(&format!("{seen} runs ended by a signal"));
}

/// A new key goes too, unless something was sealed with it.
#[test]
fn a_new_key_is_not_left_behind() {
    let place = Place::new();
    for signal in [Signal::TERM, Signal::POWER, Signal::XCPU] {
        let script = "exec env --default-signal \"$ABREAST\" seal - -o out --new-key new";
        let mut child = spawn(place.shell(script).stdin(Stdio::piped()));
        let mut stdin = child.child.stdin.take().unwrap();
        begins_to_work(&mut stdin);
        assert!(place.path("new").exists());
        child.signal(signal);
        let run = child.end();
        drop(stdin);
        assert_eq!((run.code, &*run.stderr), (Some(128 + signal.as_raw()), ""), "{signal:?}");
        assert_eq!(place.names(), ["key"], "{signal:?}");
    }
}

/// Checks that no core is dumped to a program either, which the limit on the size of core files does not prevent.
#[test]
fn no_core_is_dumped() {
    if !has("strace") {
        return;
    }
    let place = Place::new();
    place.write("plain", b"hello");
    let script = "exec strace -f -qq -o trace -e trace=prctl \"$ABREAST\" seal plain -k key";
    spawn(&mut place.shell(script)).end().succeeds();
    let trace = String::from_utf8(place.read("trace")).unwrap();
    assert!(trace.contains("prctl(PR_SET_DUMPABLE, SUID_DUMP_DISABLE) = 0"), "{trace}");
}
