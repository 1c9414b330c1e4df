//! Sources of keys and passphrases: files, descriptors and the terminal, never an argument.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use crate::args::KeyArgs;
use crate::failure::{Exit, Failure};
use crate::outputs::{KEY_FILE, Outputs, PASSPHRASE_FILE};
use crate::streams::{Stream, duplicate};
use crate::terminal::Hidden;
use abreast_sealed::{Aead, Costs, Header, Key, MAX_PASSPHRASE, Sealer};

/// The secret of a run, for all its files.
pub(crate) enum Secret {
    /// A key from a key file.
    Key(Key),
    /// A passphrase.
    Passphrase(Zeroizing<Vec<u8>>),
    /// None was given: a passphrase is asked for when it is needed, on this terminal if there is one.
    Ask(Option<Hidden>),
}

/// The files that secrets are read from, each with its description in messages.
pub(crate) fn files(args: &KeyArgs) -> [(Option<&Path>, &'static str); 2] {
    [(args.key_file.as_deref(), KEY_FILE), (args.passphrase_file.as_deref(), PASSPHRASE_FILE)]
}

impl Secret {
    /// Reads the secret that the arguments name, and has `outputs` protect its file.
    pub(crate) fn from_args(args: &KeyArgs, outputs: &mut Outputs) -> Result<Secret, Failure> {
        if let Some(path) = &args.key_file {
            let mut file = open(path).map_err(|error| Failure::io(path, &error))?;
            keep(&file, outputs, KEY_FILE);
            let key = Key::read(&mut file, args.cipher).map_err(|error| Failure::key_file(path, &error))?;
            return Ok(Secret::Key(key));
        }
        let (path, file) = if let Some(path) = &args.passphrase_file {
            (path.clone(), open(path).map_err(|error| Failure::io(path, &error))?)
        } else if let Some(number) = args.passphrase_fd {
            let path = PathBuf::from(format!("descriptor {number}"));
            // A descriptor that was not given, or not for reading, is a wrong argument.
            let file = if number == 0 { Stream::stdin() } else { duplicate(number) };
            let file = file.map_err(|error| Failure::new(Exit::Usage, &path, error))?;
            (path, file)
        } else {
            return Ok(Secret::Ask(Hidden::begin().ok()));
        };
        let failure = |error: io::Error| Failure::io(&path, &error);
        keep(&file, outputs, PASSPHRASE_FILE);
        let mut text = Zeroizing::new(Vec::with_capacity(MAX_PASSPHRASE + 2));
        file.take(MAX_PASSPHRASE as u64 + 2).read_to_end(&mut text).map_err(failure)?;
        if text.last() == Some(&b'\n') {
            text.pop();
        }
        if text.len() > MAX_PASSPHRASE {
            return Err(Failure::new(Exit::Usage, &path, "the passphrase is too long"));
        }
        if text.is_empty() {
            return Err(Failure::new(Exit::Usage, &path, "the passphrase is empty"));
        }
        Ok(Secret::Passphrase(text))
    }

    /// Returns the sealer for one file. `aead` counts for passphrases; a key has its own.
    pub(crate) fn sealer(&mut self, aead: Option<Aead>, input: &Path) -> Result<Sealer, Failure> {
        if let Secret::Ask(terminal) = self {
            *self = Secret::Passphrase(ask_twice(terminal)?);
        }
        let sealer = match self {
            Secret::Key(key) => Sealer::new(key),
            Secret::Passphrase(passphrase) => {
                Sealer::with_passphrase(passphrase, aead.unwrap_or(Aead::Aes256Gcm), Costs::DEFAULT)
            }
            Secret::Ask(_) => unreachable!("the passphrase has been asked for"),
        };
        sealer.map_err(|error| Failure::sealed(input, Path::new("-"), &error))
    }

    /// Runs `work` with the key of the file that begins so.
    pub(crate) fn with_key<T>(
        &mut self,
        header: &Header,
        input: &Path,
        work: impl FnOnce(&Key) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let wrong = |cause| Err(Failure::new(Exit::Authentication, input, cause));
        let Some(line) = header.passphrase_line() else {
            return match self {
                Secret::Key(key) => work(key),
                Secret::Passphrase(_) => wrong(
                    "authentication failed: names no passphrase; it was sealed with a key file, or was changed, or is \
                     not a sealed file",
                ),
                Secret::Ask(_) => Err(Failure::new(
                    Exit::Usage,
                    input,
                    "names no passphrase: give --key-file with the key of it",
                )),
            };
        };
        if let Secret::Ask(terminal) = self {
            *self = Secret::Passphrase(on(terminal)?.ask("Passphrase: ")?);
        }
        match self {
            Secret::Passphrase(passphrase) => {
                let key = line.stretch(passphrase);
                work(&key.map_err(|error| Failure::sealed(input, Path::new("-"), &error))?)
            }
            Secret::Key(_) => wrong("authentication failed: sealed with a passphrase, not with a key file"),
            Secret::Ask(_) => unreachable!("the passphrase has been asked for"),
        }
    }
}

/// Opens a file with a secret; `-` is standard input.
fn open(path: &Path) -> io::Result<Stream> {
    if path == Path::new("-") { Stream::stdin() } else { File::open(path).map(Stream::new) }
}

/// Has `outputs` keep a file with a secret.
fn keep(file: &Stream, outputs: &mut Outputs, what: &'static str) {
    if let Ok(metadata) = file.file().metadata() {
        outputs.keep(&metadata, what);
    }
}

/// Asks for a new passphrase.
fn ask_twice(terminal: &mut Option<Hidden>) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let terminal = on(terminal)?;
    let passphrase = terminal.ask("New passphrase: ")?;
    if terminal.ask("The same again: ")? != passphrase {
        return Err(Failure::usage("the two passphrases differ"));
    }
    Ok(passphrase)
}

/// The terminal to ask on.
fn on(terminal: &mut Option<Hidden>) -> Result<&mut Hidden, Failure> {
    terminal.as_mut().ok_or_else(|| {
        Failure::usage(
            "no terminal to ask for a passphrase on: give --key-file, --passphrase-file or --passphrase-fd",
        )
    })
}
