//! A pseudo-terminal that stands in for the terminal of a person.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use crate::support::*;

/// The question for a new passphrase.
pub(crate) const NEW: &str = "New passphrase, or Enter for ten random words: ";

/// The side of a terminal that a person sits at.
pub(crate) struct Keyboard {
    /// The file that takes typed keys.
    pub(crate) terminal: File,
    /// The output of the terminal so far.
    shown: Arc<Mutex<Vec<u8>>>,
}

impl Keyboard {
    /// Runs the command with such a terminal. Each change that it makes to its terminal comes a fifth of a
    /// second late, so that a wrong order shows.
    pub(crate) fn run(place: &Place, args: &str) -> (Keyboard, Process) {
        let late = "strace -f -qq -o /dev/null -e trace=ioctl -e inject=ioctl:delay_enter=200000";
        Keyboard::run_under(place, late, args)
    }

    /// Runs the command with a terminal of 40 columns, for at most 20 seconds, under another program if one is
    /// named.
    pub(crate) fn run_under(place: &Place, program: &str, args: &str) -> (Keyboard, Process) {
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
    pub(crate) fn shown(&self) -> String {
        String::from_utf8(self.shown.lock().unwrap().clone()).unwrap()
    }

    /// Waits until the terminal shows this.
    #[track_caller]
    pub(crate) fn wait_for(&self, prompt: &str) {
        wait_until(prompt, || self.shown().contains(prompt));
    }

    /// Waits until the terminal has shown this as many times, and then types something.
    #[track_caller]
    pub(crate) fn answers(&mut self, prompt: &str, times: usize, text: &str) {
        wait_until(prompt, || self.shown().matches(prompt).count() == times);
        self.types(text);
    }

    /// Types something.
    pub(crate) fn types(&mut self, text: &str) {
        self.terminal.write_all(text.as_bytes()).unwrap();
    }

    /// Returns true if the terminal shows typed keys.
    pub(crate) fn echoes(&self) -> bool {
        tcgetattr(&self.terminal).unwrap().local_modes.contains(LocalModes::ECHO)
    }
}
