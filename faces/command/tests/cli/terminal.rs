//! Passphrases that are typed. A pseudo-terminal stands in for the terminal.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, OptionalActions, Winsize, tcgetattr, tcsetattr, tcsetwinsize};

use crate::support::*;

/// The side of a terminal that a person sits at.
struct Keyboard {
    /// The file that takes typed keys.
    terminal: File,
    /// The output of the terminal so far.
    shown: Arc<Mutex<Vec<u8>>>,
}

impl Keyboard {
    /// Runs the command with such a terminal. Each change that it makes to its terminal comes a fifth of a
    /// second late, so that a wrong order shows.
    fn run(place: &Place, args: &str) -> (Keyboard, Process) {
        let late = "strace -f -qq -o /dev/null -e trace=ioctl -e inject=ioctl:delay_enter=200000";
        Keyboard::run_under(place, late, args)
    }

    /// Runs the command with a terminal of 40 columns, for at most 20 seconds, under another program if one is
    /// named.
    fn run_under(place: &Place, program: &str, args: &str) -> (Keyboard, Process) {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        let name = ptsname(&terminal, Vec::new()).unwrap().into_string().unwrap();
        let mut open = OpenOptions::new();
        std::os::unix::fs::OpenOptionsExt::custom_flags(
            open.read(true).write(true),
            OFlags::NOCTTY.bits().cast_signed(),
        );
        let other = open.open(name).unwrap();
        let terminal = File::from(terminal);
        tcsetwinsize(&terminal, Winsize { ws_row: 24, ws_col: 40, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        // The limit is inside the new session, from outside of which it could not end the processes in it.
        let limited = format!("timeout --foreground 20 \"$ABREAST\" {args}");
        let script = format!("exec setsid -c -w {program} {limited}");
        let mut command: Command = place.shell(&script);
        let child = spawn(command.stdin(Stdio::from(other)));
        let shown = Arc::new(Mutex::new(Vec::new()));
        let (mut reader, log) = (terminal.try_clone().unwrap(), Arc::clone(&shown));
        // Ends with an error when the other side is closed for good.
        thread::spawn(move || {
            let mut buffer = [0; 1000];
            while let Ok(len @ 1..) = reader.read(&mut buffer) {
                log.lock().unwrap().extend_from_slice(&buffer[..len]);
            }
        });
        (Keyboard { terminal, shown }, child)
    }

    /// Returns the output of the terminal so far.
    fn shown(&self) -> String {
        String::from_utf8(self.shown.lock().unwrap().clone()).unwrap()
    }

    /// Waits until the terminal shows this.
    #[track_caller]
    fn wait_for(&self, prompt: &str) {
        wait_until(prompt, || self.shown().contains(prompt));
    }

    /// Types something.
    fn types(&mut self, text: &str) {
        self.terminal.write_all(text.as_bytes()).unwrap();
    }

    /// Returns true if the terminal shows typed keys.
    fn echoes(&self) -> bool {
        tcgetattr(&self.terminal).unwrap().local_modes.contains(LocalModes::ECHO)
    }
}

#[test]
fn a_passphrase_is_never_shown() {
    if !has("strace") {
        return;
    }
    let place = Place::new();
    place.write("message", b"hello");
    let (mut keyboard, child) = Keyboard::run(&place, "seal message");
    assert!(keyboard.echoes());
    keyboard.wait_for("New passphrase: ");
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
        (&["\n"], "the passphrase is empty"),
        (&["one\n", "other\n"], "the two passphrases differ"),
        (&["one\n", end_of_input], "no passphrase was typed"),
    ] {
        let (mut keyboard, child) = Keyboard::run(&place, "seal key");
        for (answer, prompt) in answers.iter().zip(["New passphrase: ", "The same again: "]) {
            keyboard.wait_for(prompt);
            keyboard.types(answer);
        }
        child.end().fails(2, cause);
        assert!(keyboard.echoes(), "the terminal is not as it was");
        assert_eq!(place.names(), ["key"]);
    }
}

/// A key on the keyboard that ends the command leaves the terminal as it was.
#[test]
fn an_interrupted_prompt() {
    if !has("strace") {
        return;
    }
    let place = Place::new();
    let (mut keyboard, child) = Keyboard::run(&place, "seal key");
    keyboard.wait_for("New passphrase: ");
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
        keyboard.wait_for("New passphrase: ");
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
            wait_until("the prompt", || keyboard.shown().matches("New passphrase: ").count() == 1 + stop);
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
    place.seal(b"hello");
    for args in ["seal key -k key -o -", "open sealed -k key -o -"] {
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
        assert!(lines.iter().any(|line| line.contains("message") && line.contains('%')), "{lines:?}");
        assert!(lines.iter().all(|line| line.chars().count() <= 40), "{lines:?}");
    }
}
