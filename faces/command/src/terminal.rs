//! Asks for passphrases on the terminal of the process, whatever its standard input is.
//!
//! The echo is off from when it is known that a passphrase will be asked for until the last answer, so that the terminal
//! shows no answer, not even one typed ahead of the prompt.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};

use rustix::termios::{LocalModes, tcgetattr};
use zeroize::Zeroizing;

use crate::cleanup;
use crate::failure::Failure;
use crate::shown::hide;
use crate::streams::Stream;
use abreast_sealed::MAX_PASSPHRASE;

/// The longest line that Linux hands on from a terminal; it silently drops the rest.
const LONGEST_LINE: usize = 4095;

/// The terminal, with its echo off until this is dropped.
pub(crate) struct Hidden {
    /// The terminal.
    terminal: Stream,
}

impl Hidden {
    /// Opens the terminal and switches its echo off. A signal that ends the command switches it on again. After a stop, as
    /// by Ctrl-Z, the echo is switched off and the question asked once more.
    pub(crate) fn begin() -> io::Result<Hidden> {
        let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
        let before = tcgetattr(&terminal)?;
        let mut hidden = before.clone();
        hidden.local_modes.remove(LocalModes::ECHO);
        // The line feed shows, or the next prompt would stand on the same line.
        hidden.local_modes.insert(LocalModes::ECHONL);
        let clone = File::try_clone(&terminal)?;
        // From here on it is put back if anything fails.
        let terminal = Hidden { terminal: Stream::new(terminal) };
        cleanup::hide_terminal(clone, before, hidden)?;
        Ok(terminal)
    }

    /// Asks for one line, which may be empty. A failure ends the call, since the next question would fail too.
    pub(crate) fn ask(&mut self, prompt: &'static str) -> Result<Zeroizing<Vec<u8>>, Failure> {
        hide();
        cleanup::set_prompt(Some(prompt));
        let answer = self.answer(prompt);
        cleanup::set_prompt(None);
        answer.map_err(Failure::ending_the_call)
    }

    /// Shows a text.
    pub(crate) fn tell(&mut self, text: &str) -> Result<(), Failure> {
        self.terminal.write_all(text.as_bytes()).map_err(|error| failure(&error))
    }

    /// Writes the question, and reads a line.
    fn answer(&mut self, prompt: &str) -> Result<Zeroizing<Vec<u8>>, Failure> {
        self.tell(prompt)?;
        // Of the length of the longest answer, so that no copy stays where it grew from.
        let mut line = Zeroizing::new(vec![0; MAX_PASSPHRASE + 1]);
        let mut len = 0;
        while len < line.len() && !line[..len].ends_with(b"\n") {
            match self.terminal.read(&mut line[len..]) {
                Ok(0) if len == 0 => {
                    return Err(Failure::usage("no passphrase was typed: the terminal is at its end"));
                }
                Ok(0) => break,
                Ok(read) => len += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(failure(&error)),
            }
        }
        if line[..len].ends_with(b"\n") {
            len -= 1;
        }
        if len >= LONGEST_LINE {
            return Err(Failure::usage("the passphrase is too long for a terminal: give --passphrase-file"));
        }
        line.truncate(len);
        Ok(line)
    }
}

/// Returns the failure of the terminal.
fn failure(error: &io::Error) -> Failure {
    Failure::usage(format_args!("cannot ask on the terminal: {error}"))
}

impl Drop for Hidden {
    fn drop(&mut self) {
        cleanup::show_terminal();
    }
}
