//! Passphrases that are typed. A pseudo-terminal stands in for the terminal.

use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::process::Command;
use std::thread;
use std::time::Duration;

use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

use crate::keyboard::{Keyboard, NEW};
use crate::support::*;

/// The question after random words.
const WORDS: &str = "Enter to seal with them, or type them to check your copy: ";

#[test]
fn a_passphrase_is_never_shown() {
    if !has("strace") {
        return;
    }
    let place = Place::new();
    place.write("message", b"hello");
    let (mut keyboard, child) = Keyboard::run(&place, "seal message");
    assert!(keyboard.echoes());
    keyboard.wait_for(NEW);
    assert!(!keyboard.echoes(), "the prompt shows, and so would the answer");
    // The second answer is typed ahead of its prompt.
    keyboard.types("hunter2\nhunter2\n");
    keyboard.wait_for("The same again: ");
    assert!(!keyboard.echoes());
    child.end().succeeds();
    assert!(!keyboard.shown().contains("hunter2"), "{}", keyboard.shown());
    assert!(keyboard.echoes(), "the terminal is not as it was");

    place.write("passphrase", b"hunter2");
    place.run(["open", "message.abreast", "--passphrase-file", "passphrase", "-o", "1"]).succeeds();
    let (mut keyboard, child) = Keyboard::run(&place, "open message.abreast -o 2");
    keyboard.wait_for("Passphrase: ");
    assert!(!keyboard.echoes());
    keyboard.types("hunter2\n");
    child.end().succeeds();
    assert!(!keyboard.shown().contains("hunter2"), "{}", keyboard.shown());
    assert_eq!(place.read("2"), b"hello");
}

/// Types as soon as the command has begun: before the prompt, which waits for the file here.
#[test]
fn what_is_typed_ahead_is_not_shown() {
    if !has("strace") {
        return;
    }
    let place = Place::new();
    assert!(Command::new("mkfifo").arg(place.path("fifo")).status().unwrap().success());
    let (mut keyboard, child) = Keyboard::run(&place, "open fifo -o opened");
    let mut fifo = OpenOptions::new().write(true).open(place.path("fifo")).unwrap();
    keyboard.types("hunter2\n");
    fifo.write_all(&sealed_with_passphrase("hunter2", b"hello")).unwrap();
    drop(fifo);
    child.end().succeeds();
    assert!(!keyboard.shown().contains("hunter2"), "{}", keyboard.shown());
    assert_eq!(place.read("opened"), b"hello");
}

#[test]
fn answers_that_are_none() {
    if !has("strace") {
        return;
    }
    let place = Place::new();
    let end_of_input = "\u{4}";
    for (answers, cause) in [
        (&[end_of_input][..], "no passphrase was typed"),
        (&["one\n", "other\n"].repeat(3), "the two passphrases differ, 3 times"),
        (&["one\n", end_of_input], "no passphrase was typed"),
        (&["\n", "other words\n", "more\n", "and more\n"], "other words were typed, 3 times"),
        (&["\n", end_of_input], "no passphrase was typed"),
    ] {
        let (mut keyboard, child) = Keyboard::run(&place, "seal key");
        let words = answers[0] == "\n";
        let prompts = [NEW, if words { WORDS } else { "The same again: " }];
        for (count, answer) in answers.iter().enumerate() {
            let prompt = if words { prompts[count.min(1)] } else { prompts[count % 2] };
            let times = if words { count.max(1) } else { 1 + count / 2 };
            wait_until(prompt, || keyboard.shown().matches(prompt).count() == times);
            keyboard.types(answer);
        }
        child.end().fails(2, cause);
        assert!(keyboard.echoes(), "the terminal is not as it was");
        assert_eq!(place.names(), ["key"]);
    }
}

/// A new passphrase that is mistyped is asked for again, for the same file, and none of several files is left out.
#[test]
fn a_mistyped_new_passphrase() {
    let place = Place::new();
    let names = ["a", "b", "c"];
    names.iter().for_each(|name| place.write(name, name.as_bytes()));
    let (mut keyboard, child) = Keyboard::run_under(&place, "", "seal a b c");
    for (times, second) in [(1, "hunter3\n"), (2, "hunter2\n")] {
        keyboard.answers(NEW, times, "hunter2\n");
        keyboard.answers("The same again: ", times, second);
    }
    child.end().succeeds();
    assert!(keyboard.shown().contains("The two differ. Once more:"), "{}", keyboard.shown());
    place.write("passphrase", b"hunter2");
    let sealed = names.map(|name| format!("{name}.abreast"));
    let verify = ["verify", "--passphrase-file", "passphrase"];
    place.run(verify.into_iter().chain(sealed.iter().map(String::as_str))).succeeds();

    // One that is never right ends the call, and no file is sealed with what comes later.
    sealed.iter().for_each(|name| std::fs::remove_file(place.path(name)).unwrap());
    let (mut keyboard, child) = Keyboard::run_under(&place, "", "seal a b c");
    for times in 1..=3 {
        keyboard.answers(NEW, times, "one\n");
        keyboard.answers("The same again: ", times, "other\n");
    }
    keyboard.types("hunter2\nhunter2\n");
    child.end().fails(2, "the two passphrases differ, 3 times: no file was sealed");
    assert_eq!(place.names(), ["a", "b", "c", "key", "passphrase"]);
}

/// Ten random words in place of an empty passphrase, taken by Enter or by typing them.
#[test]
fn ten_random_words() {
    let place = Place::new();
    place.write("message", b"hello");
    let mut made = Vec::new();
    for typed in [false, true] {
        let (mut keyboard, child) = Keyboard::run_under(&place, "", "seal message -f");
        keyboard.answers(NEW, 1, "\n");
        keyboard.wait_for(WORDS);
        let shown = keyboard.shown();
        assert!(shown.contains("10 random words, 129 bits, from a list of 7776:"), "{shown}");
        let words = shown.lines().find(|line| line.matches('-').count() >= 9).unwrap().trim().to_owned();
        if typed {
            keyboard.types("something else\n");
            keyboard.answers(WORDS, 2, &format!("{words}\n"));
        } else {
            keyboard.types("\n");
        }
        child.end().succeeds();
        assert_eq!(keyboard.shown().matches(&words).count(), 1, "{}", keyboard.shown());
        place.write("passphrase", words.as_bytes());
        place.run(["verify", "message.abreast", "--passphrase-file", "passphrase"]).succeeds();
        made.push(words);
    }
    assert_ne!(made[0], made[1]);
}

/// A wrong passphrase is asked for again for the same file, three times, and one that was right is tried for the next.
#[test]
fn a_wrong_passphrase() {
    let place = Place::new();
    for (name, passphrase) in
        [("a", "one"), ("b", "one"), ("c", "two"), ("d", "two"), ("e", "three"), ("f", "two")]
    {
        place.write(format!("{name}.abreast"), &sealed_with(passphrase, name.as_bytes()));
    }
    let wrong = "Wrong passphrase, or the file was changed. Once more:";
    let ask = "Passphrase: ";
    let (mut keyboard, child) =
        Keyboard::run_under(&place, "", "open a.abreast b.abreast c.abreast d.abreast");
    keyboard.answers(ask, 1, "no\n");
    keyboard.answers(ask, 2, "one\n");
    keyboard.answers(ask, 3, "no\n");
    assert!(
        keyboard.shown().contains("c.abreast has another passphrase, or was changed."),
        "{}",
        keyboard.shown()
    );
    keyboard.answers(ask, 4, "no\n");
    keyboard.answers(ask, 5, "two\n");
    child.end().succeeds();
    assert_eq!(keyboard.shown().matches(wrong).count(), 3);
    for name in ["a", "b", "c", "d"] {
        assert_eq!(place.read(name), name.as_bytes());
    }

    // Three wrong ones, and an empty one, are the end for that file alone.
    let (mut keyboard, child) = Keyboard::run_under(&place, "", "verify e.abreast e.abreast f.abreast");
    ["1\n", "2\n", "3\n", "\n", "two\n"]
        .iter()
        .enumerate()
        .for_each(|(i, text)| keyboard.answers(ask, i + 1, text));
    let run = child.end();
    assert_eq!(run.code, Some(5), "{}", run.stderr);
    for line in [
        "abreast: e.abreast: authentication failed: wrong passphrase, or the file was changed\n",
        "abreast: e.abreast: the passphrase is empty\n",
        "abreast: 2 of 3 files failed",
    ] {
        assert!(run.stderr.contains(line), "{}", run.stderr);
    }
    let (mut keyboard, child) = Keyboard::run_under(&place, "", "verify e.abreast");
    (1..=3).for_each(|times| keyboard.answers(ask, times, "no\n"));
    child.end().fails(3, "e.abreast: authentication failed: wrong passphrase, or the file was changed");
    assert!(keyboard.echoes(), "the terminal is not as it was");

    // The end of input ends the call.
    let (mut keyboard, child) = Keyboard::run_under(&place, "", "verify a.abreast b.abreast");
    keyboard.answers(ask, 1, "\u{4}");
    child.end().fails(2, "no passphrase was typed");
    assert_eq!(keyboard.shown().matches(ask).count(), 1);
}

/// Two passphrases of one call, the new one and the old one, are hidden, and the terminal is as before in the end.
#[test]
fn a_passphrase_for_another() {
    let place = Place::new();
    for (name, passphrase) in [("a.abreast", "one"), ("b.abreast", "two")] {
        place.write(name, &sealed_with(passphrase, name.as_bytes()));
    }
    let (mut keyboard, child) = Keyboard::run_under(&place, "", "reseal a.abreast b.abreast --kdf-memory 8M");
    keyboard.answers(NEW, 1, "three\n");
    keyboard.answers("The same again: ", 1, "three\n");
    keyboard.answers("\nOld passphrase: ", 1, "one\n");
    keyboard.answers("\nOld passphrase: ", 2, "two\n");
    child.end().succeeds();
    assert!(keyboard.echoes(), "the terminal is not as it was");
    assert!(!keyboard.shown().contains("three"), "{}", keyboard.shown());
    place.write("pass", b"three");
    place.run(["verify", "a.abreast", "b.abreast", "--passphrase-file", "pass"]).succeeds();
}

/// A key on the keyboard that ends the command leaves the terminal as it was.
#[test]
fn an_interrupted_prompt() {
    if !has("strace") {
        return;
    }
    let place = Place::new();
    let (mut keyboard, child) = Keyboard::run(&place, "seal key");
    keyboard.wait_for(NEW);
    keyboard.types("\u{3}");
    let run = child.end();
    assert_eq!((run.code, &*run.stderr), (Some(130), ""));
    assert!(keyboard.echoes(), "the terminal is not as it was");
    assert_eq!(place.names(), ["key"]);
}

/// A shell that stops a job sets the terminal in its own way, and not all of them set it back.
#[test]
fn a_prompt_that_was_stopped() {
    if !has("pgrep") {
        return;
    }
    let place = Place::new();
    place.write("message", b"hello");
    for stops in 1..=2 {
        let _ = std::fs::remove_file(place.path("message.abreast"));
        let noted = "sh -c 'echo $$ > pid; exec \"$@\"' sh";
        let (mut keyboard, child) = Keyboard::run_under(&place, noted, "seal message");
        keyboard.wait_for(NEW);
        let pid = feed(place.shell("exec pgrep -P \"$(cat pid)\""), b"").succeeds().stdout;
        let pid = String::from_utf8(pid).unwrap().trim().to_owned();
        for stop in 1..=stops {
            let state = || std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
            feed(place.shell(&format!("kill -STOP {pid}")), b"").succeeds();
            wait_until("the stop", || state().contains(") T "));
            let mut shown = tcgetattr(&keyboard.terminal).unwrap();
            shown.local_modes.insert(LocalModes::ECHO);
            tcsetattr(&keyboard.terminal, OptionalActions::Now, &shown).unwrap();
            assert!(keyboard.echoes());
            feed(place.shell(&format!("kill -CONT {pid}")), b"").succeeds();
            wait_until("the prompt", || keyboard.shown().matches(NEW).count() == 1 + stop);
            assert!(!keyboard.echoes(), "the answer would show");
        }
        keyboard.types("hunter2\n");
        keyboard.wait_for("The same again: ");
        keyboard.types("hunter2\n");
        child.end().succeeds();
        assert!(!keyboard.shown().contains("hunter2"), "{}", keyboard.shown());
        assert!(keyboard.echoes(), "the terminal is not as it was");
        place.write("passphrase", b"hunter2\n");
        place.run(["verify", "message.abreast", "--passphrase-file", "passphrase"]).succeeds();
    }
}

#[test]
fn binary_data_is_kept_from_it() {
    if !has("strace") {
        return;
    }
    let place = Place::new();
    place.write("plain", b"hello");
    place.seal(b"hello");
    for args in ["seal plain -k key -o -", "open sealed -k key -o -"] {
        let (keyboard, child) = Keyboard::run(&place, &format!("{args} >&0"));
        let run = child.end();
        run.fails(2, "standard output: is a terminal");
        assert_eq!(keyboard.shown(), "");
    }
}

/// The lines sent to a terminal, without the codes that move its cursor.
fn lines(shown: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut chars = shown.chars();
    while let Some(char) = chars.next() {
        match char {
            '\u{1b}' => {
                // A control sequence ends with a letter.
                chars.by_ref().find(char::is_ascii_alphabetic);
                plain.push('\n');
            }
            '\r' => plain.push('\n'),
            _ => plain.push(char),
        }
    }
    plain.lines().map(str::to_owned).collect()
}

#[test]
fn narrow_terminals() {
    let place = Place::new();
    for page in ["--help", "seal --help", "raw encrypt --help", "inspect --help"] {
        let (keyboard, child) = Keyboard::run_under(&place, "", &format!("{page} >&0"));
        child.end().succeeds();
        wait_until("help", || keyboard.shown().contains("Usage:"));
        for line in lines(&keyboard.shown()) {
            // A single word may be longer.
            assert!(line.chars().count() <= 40 || !line.trim().contains(' '), "{page}: {line:?}");
        }
    }
    for name in ["message", "a message with a name that is longer than the terminal is wide"] {
        place.write(name, &message(8 << 20));
        let args = format!("seal '{name}' -k key -o - 2>&0");
        let (keyboard, mut child) = Keyboard::run_under(&place, "", &args);
        let mut stdout = child.child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 100]).unwrap();
        // A bar shows when the work takes longer than this.
        thread::sleep(Duration::from_millis(400));
        std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
        child.end().succeeds();
        let lines = lines(&keyboard.shown());
        assert!(lines.iter().any(|line| line.contains('%') && line.contains("/s")), "{lines:?}");
        assert!(lines.iter().all(|line| line.chars().count() <= 40), "{lines:?}");
    }
}
