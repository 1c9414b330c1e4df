//! Asks for passphrases on the terminal of the process, whatever its standard input is.
//!
//! The echo is off from when it is known that a passphrase will be asked for until the last answer, so that the terminal
//! shows no answer, not even one typed ahead of the prompt.

use std::io;

use zeroize::Zeroizing;

use crate::cleanup;
use crate::failure::Failure;
use crate::os::{LONGEST_LINE, Terminal};
use crate::shown::hide;
use abreast_sealed::MAX_PASSPHRASE;

/// The terminal, with its echo off until this is dropped.
pub(crate) struct Hidden {
    /// The terminal.
    terminal: Terminal,
}

impl Hidden {
    /// Opens the terminal and switches its echo off. A signal that ends the command switches it on again. After a stop, as
    /// by Ctrl-Z, the echo is switched off and the question asked once more.
    pub(crate) fn begin() -> io::Result<Hidden> {
        let terminal = Terminal::open()?;
        let clone = terminal.try_clone()?;
        // From here on it is put back if anything fails.
        let terminal = Hidden { terminal };
        cleanup::hide_terminal(clone)?;
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
        self.terminal.write(text).map_err(|error| failure(&error))
    }

    /// Writes the question, and reads a line.
    fn answer(&mut self, prompt: &str) -> Result<Zeroizing<Vec<u8>>, Failure> {
        self.tell(prompt)?;
        match self.terminal.read_line(MAX_PASSPHRASE).map_err(|error| failure(&error))? {
            None => Err(Failure::usage("no passphrase was typed: the terminal is at its end")),
            Some(line) if line.len() >= LONGEST_LINE => {
                Err(Failure::usage("the passphrase is too long for a terminal: give --passphrase-file"))
            }
            Some(line) => Ok(line),
        }
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
