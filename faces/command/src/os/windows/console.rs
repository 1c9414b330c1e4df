//! The console of the process.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write};

use abreast_sealed::MAX_PASSPHRASE;
use rpassword::{ConfigBuilder, read_password_with_config};
use winapi_util::console::{mode, screen_buffer_info, set_mode};
use zeroize::Zeroizing;

/// The length from which a line is too long.
pub(crate) const LONGEST_LINE: usize = MAX_PASSPHRASE + 1;

/// Typed characters show, `ENABLE_ECHO_INPUT`.
const ECHO: u32 = 4;

/// The console, whatever standard input is.
pub(crate) struct Terminal {
    /// Its keyboard.
    keyboard: File,
    /// Its screen.
    screen: File,
    /// The mode of the keyboard before.
    before: u32,
}

impl Terminal {
    /// Opens the console.
    pub(crate) fn open() -> io::Result<Terminal> {
        let open = |name| OpenOptions::new().read(true).write(true).open(name);
        let (keyboard, screen) = (open("CONIN$")?, open("CONOUT$")?);
        let before = mode(&keyboard)?;
        Ok(Terminal { keyboard, screen, before })
    }

    /// Returns a second handle.
    pub(crate) fn try_clone(&self) -> io::Result<Terminal> {
        let Terminal { keyboard, screen, before } = self;
        Ok(Terminal { keyboard: keyboard.try_clone()?, screen: screen.try_clone()?, before: *before })
    }

    /// Turns off the echo.
    pub(crate) fn hide(&self) -> io::Result<()> {
        set_mode(&self.keyboard, self.before & !ECHO)
    }

    /// Puts the console back into the state that it had.
    pub(crate) fn show(&self) {
        let _ = set_mode(&self.keyboard, self.before);
    }

    /// Shows a text.
    pub(crate) fn write(&self, text: &str) -> io::Result<()> {
        let mut stderr = io::stderr();
        if stderr.is_terminal() {
            // The standard library writes all characters to a console, and files only those of its code page.
            return stderr.write_all(text.as_bytes());
        }
        (&self.screen).write_all(text.as_bytes())
    }

    /// Reads a line, without its end.
    pub(crate) fn read_line(&self, _most: usize) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
        let read = read_password_with_config(ConfigBuilder::new().output_discard().build());
        // Without echo, Enter does not move the cursor, and the next prompt would continue the line.
        self.write("\n")?;
        match read {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            read => Ok(Some(Zeroizing::new(read?.into_bytes()))),
        }
    }
}

/// Returns the number of columns of the console on standard error, or 0 without one.
pub(crate) fn columns() -> u16 {
    screen_buffer_info(io::stderr()).map_or(0, |screen| screen.size().0.cast_unsigned())
}
