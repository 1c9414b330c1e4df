//! Passphrases that are asked for on the terminal.

use std::path::Path;

use zeroize::Zeroizing;

use super::hashes::Hashes;
use super::sources::Text;
use super::words;
use crate::failure::{Exit, Failure};
use crate::names;
use crate::terminal::Hidden;
use abreast_sealed::{Header, PassphraseLine};

/// The number of times that a passphrase may be typed for a file.
const TRIES: usize = 3;

/// A person at the terminal, and the passphrase that was typed last.
pub(super) struct Asking {
    /// The terminal, hidden from the beginning until its first answer was right.
    terminal: Option<Hidden>,
    /// The last answer, which is tried for the next file.
    typed: Option<Text>,
    /// The question for a passphrase that there is.
    pub(super) prompt: &'static str,
}

impl Asking {
    /// Hides the terminal, if there is one.
    pub(super) fn begin() -> Asking {
        Asking { terminal: Hidden::begin().ok(), typed: None, prompt: "Passphrase: " }
    }

    /// Returns the last answer.
    pub(super) fn typed(&self) -> Option<&Text> {
        self.typed.as_ref()
    }

    /// Returns the terminal to ask on.
    fn terminal(&mut self) -> Result<&mut Hidden, Failure> {
        if self.terminal.is_none() {
            self.terminal = Hidden::begin().ok();
        }
        self.terminal.as_mut().ok_or_else(|| {
            Failure::usage(
                "no terminal to ask for a passphrase on: give --key-file, --passphrase-file or --passphrase-fd, and \
                 to reseal also --to-key-file or --to-passphrase-file",
            )
        })
    }

    /// Asks for a new passphrase, twice. An empty answer takes one of random words.
    pub(super) fn ask_new(&mut self) -> Result<Text, Failure> {
        let terminal = self.terminal()?;
        for tries_left in (0..TRIES).rev() {
            let passphrase = terminal.ask("New passphrase, or Enter for ten random words: ")?;
            if passphrase.is_empty() {
                return generate(terminal);
            }
            if terminal.ask("The same again: ")? == passphrase {
                return Ok(passphrase);
            }
            if tries_left > 0 {
                terminal.tell("The two differ. Once more:\n")?;
            }
        }
        let cause = format_args!("the two passphrases differ, {TRIES} times: no file was sealed");
        Err(Failure::usage(cause))
    }

    /// Asks for the passphrase of a file until it is right, and keeps the key of its line. One that was typed for an earlier
    /// file is tried first.
    pub(super) fn unlock(
        &mut self,
        hashes: &mut Hashes,
        header: &Header,
        line: &PassphraseLine,
        input: &Path,
    ) -> Result<(), Failure> {
        let wrong = || {
            let cause = "authentication failed: wrong passphrase, or the file was changed";
            Failure::new(Exit::Authentication, input, cause)
        };
        if let Some(key) = hashes.get(line) {
            // The line has opened a file, so that its passphrase is right.
            return header.unlock(key).map(drop).map_err(|_| wrong());
        }
        let mut opens = |passphrase: &Text| {
            let key =
                line.stretch(passphrase).map_err(|error| Failure::sealed(input, Path::new("-"), &error))?;
            let fits = header.unlock(&key).is_ok();
            if fits {
                hashes.keep(line, key);
            }
            Ok::<bool, Failure>(fits)
        };
        if let Some(known) = &self.typed {
            if opens(known)? {
                return Ok(());
            }
            let name = names::escape(input.as_os_str());
            self.terminal()?.tell(&format!("{name} has another passphrase, or was changed.\n"))?;
        }
        let prompt = self.prompt;
        for tries_left in (0..TRIES).rev() {
            let terminal = self.terminal()?;
            let answer = terminal.ask(prompt)?;
            if answer.is_empty() {
                return Err(Failure::new(Exit::Usage, input, "the passphrase is empty"));
            }
            let opened = opens(&answer)?;
            self.typed = Some(answer);
            if opened {
                // The echo comes back for the work.
                self.terminal = None;
                return Ok(());
            }
            if tries_left > 0 {
                self.terminal()?.tell("Wrong passphrase, or the file was changed. Once more:\n")?;
            }
        }
        Err(wrong())
    }
}

/// Makes a passphrase of random words, shows it, and has it accepted or typed.
fn generate(terminal: &mut Hidden) -> Result<Text, Failure> {
    let words = words::passphrase()?;
    let (count, bits) = (words::COUNT, words::BITS);
    let mut shown = Zeroizing::new(String::with_capacity(512));
    shown.push_str(&format!("{count} random words, {bits} bits, from a list of {}:\n\n  ", words::LISTED));
    shown.push_str(&words);
    shown.push_str("\n\nKeep them: without them nobody opens the file, and they are not shown again.\n");
    terminal.tell(&shown)?;
    for _ in 0..TRIES {
        let answer = terminal.ask("Enter to seal with them, or type them to check your copy: ")?;
        if answer.is_empty() || *answer == *words.as_bytes() {
            return Ok(Zeroizing::new(words.as_bytes().to_vec()));
        }
        terminal.tell("Those are other words.\n")?;
    }
    let cause = format_args!("other words were typed, {TRIES} times: no file was sealed");
    Err(Failure::usage(cause))
}
