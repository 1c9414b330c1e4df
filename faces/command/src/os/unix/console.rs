//! The terminal of the process.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};

use rustix::event::PollFlags;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use zeroize::Zeroizing;

use super::streams::wait;

/// The longest line that Linux hands on from a terminal; it silently drops the rest.
pub(crate) const LONGEST_LINE: usize = 4095;

/// The terminal, whatever standard input is.
pub(crate) struct Terminal {
    /// The terminal.
    file: File,
    /// Its state before.
    before: Termios,
    /// Its state while it asks.
    hidden: Termios,
}

impl Terminal {
    /// Opens the terminal.
    pub(crate) fn open() -> io::Result<Terminal> {
        let file = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
        let before = tcgetattr(&file)?;
        let mut hidden = before.clone();
        hidden.local_modes.remove(LocalModes::ECHO);
        // The line feed shows, or the next prompt would stand on the same line.
        hidden.local_modes.insert(LocalModes::ECHONL);
        Ok(Terminal { file, before, hidden })
    }

    /// Returns a second handle.
    pub(crate) fn try_clone(&self) -> io::Result<Terminal> {
        let Terminal { file, before, hidden } = self;
        Ok(Terminal { file: file.try_clone()?, before: before.clone(), hidden: hidden.clone() })
    }

    /// Turns off the echo. In the background this stops the process until it is in the foreground.
    pub(crate) fn hide(&self) -> io::Result<()> {
        loop {
            match tcsetattr(&self.file, OptionalActions::Now, &self.hidden) {
                Err(rustix::io::Errno::INTR) => {}
                set => return Ok(set?),
            }
        }
    }

    /// Puts the terminal back into the state that it had.
    pub(crate) fn show(&self) {
        let _ = tcsetattr(&self.file, OptionalActions::Now, &self.before);
    }

    /// Shows a text.
    pub(crate) fn write(&self, text: &str) -> io::Result<()> {
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            match wait(&self.file, PollFlags::OUT, |mut file| file.write(rest)) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads a line of up to `most` bytes, without the line feed. Returns `None` at the end of the input.
    pub(crate) fn read_line(&self, most: usize) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
        // Large enough for any answer: a buffer that grows leaves a copy behind.
        let mut line = Zeroizing::new(vec![0; most + 1]);
        let mut len = 0;
        while len < line.len() && !line[..len].ends_with(b"\n") {
            match wait(&self.file, PollFlags::IN, |mut file| file.read(&mut line[len..])) {
                Ok(0) if len == 0 => return Ok(None),
                Ok(0) => break,
                Ok(read) => len += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if line[..len].ends_with(b"\n") {
            len -= 1;
        }
        line.truncate(len);
        Ok(Some(line))
    }
}

/// Returns the number of columns of the terminal on standard error, or 0 without one.
pub(crate) fn columns() -> u16 {
    tcgetwinsize(io::stderr()).map_or(0, |size| size.ws_col)
}
