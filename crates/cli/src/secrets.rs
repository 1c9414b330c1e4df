//! Where keys and passphrases come from: files, descriptors and the terminal, never an argument.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use crate::args::KeyArgs;
use crate::cleanup;
use crate::failure::{Exit, Failure};
use crate::sealed::{Aead, Header, Key, Sealer};
use crate::streams::Stream;

/// The longest passphrase, in bytes.
const MAX_PASSPHRASE: u64 = 4096;

/// The secret of a run, for all its files.
pub(crate) enum Secret {
    /// A key from a key file.
    Key(Key),
    /// A passphrase.
    Passphrase(Zeroizing<Vec<u8>>),
    /// None was given: a passphrase is asked for when it is needed.
    Ask,
}

impl Secret {
    /// Reads what the arguments name.
    pub(crate) fn from_args(args: &KeyArgs, inputs: &[PathBuf]) -> Result<Secret, Failure> {
        if let Some(path) = &args.key_file {
            let file = File::open(path).map_err(|error| Failure::new(Exit::Usage, path, error))?;
            let key = Key::read(&mut &file, args.cipher).map_err(|error| Failure::key_file(path, &error))?;
            return Ok(Secret::Key(key));
        }
        let (path, file) = if let Some(path) = &args.passphrase_file {
            (path.clone(), File::open(path).map(Stream::new))
        } else if let Some(descriptor) = args.passphrase_fd {
            if descriptor == 0 && inputs.iter().any(|input| input == Path::new("-")) {
                return Err(Failure::usage("standard input cannot be both the passphrase and the data"));
            }
            let path = PathBuf::from(format!("/dev/fd/{descriptor}"));
            let file = if descriptor == 0 { Stream::stdin() } else { File::open(&path).map(Stream::new) };
            (path, file)
        } else {
            return Ok(Secret::Ask);
        };
        let failure = |error: io::Error| Failure::new(Exit::Usage, &path, error);
        let mut text = Zeroizing::new(Vec::with_capacity(MAX_PASSPHRASE as usize + 2));
        file.map_err(failure)?.take(MAX_PASSPHRASE + 2).read_to_end(&mut text).map_err(failure)?;
        if text.last() == Some(&b'\n') {
            text.pop();
        }
        if text.len() as u64 > MAX_PASSPHRASE {
            return Err(Failure::new(Exit::Usage, &path, "the passphrase is too long"));
        }
        if text.is_empty() {
            return Err(Failure::new(Exit::Usage, &path, "the passphrase is empty"));
        }
        Ok(Secret::Passphrase(text))
    }

    /// What seals one file. `aead` counts for passphrases; a key has its own.
    pub(crate) fn sealer(&mut self, aead: Option<Aead>, input: &Path) -> Result<Sealer, Failure> {
        if let Secret::Ask = self {
            *self = Secret::Passphrase(ask_twice()?);
        }
        let sealer = match self {
            Secret::Key(key) => Sealer::new(key),
            Secret::Passphrase(passphrase) => {
                Sealer::with_passphrase(passphrase, aead.unwrap_or(Aead::Aes256Gcm))
            }
            Secret::Ask => unreachable!("the passphrase has been asked for"),
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
                Secret::Passphrase(_) => {
                    wrong("authentication failed: sealed with a key file, not with a passphrase")
                }
                Secret::Ask => {
                    Err(Failure::new(Exit::Usage, input, "sealed with a key file: give --key-file"))
                }
            };
        };
        if let Secret::Ask = self {
            *self = Secret::Passphrase(ask("Passphrase: ")?);
        }
        match self {
            Secret::Passphrase(passphrase) => {
                let key = line.stretch(passphrase);
                work(&key.map_err(|error| Failure::sealed(input, Path::new("-"), &error))?)
            }
            Secret::Key(_) => wrong("authentication failed: sealed with a passphrase, not with a key file"),
            Secret::Ask => unreachable!("the passphrase has been asked for"),
        }
    }
}

/// Asks for a new passphrase.
fn ask_twice() -> Result<Zeroizing<Vec<u8>>, Failure> {
    let passphrase = ask("New passphrase: ")?;
    if ask("The same again: ")? != passphrase {
        return Err(Failure::usage("the two passphrases differ"));
    }
    Ok(passphrase)
}

/// Asks for a passphrase on the terminal of the process, whatever its standard input is.
fn ask(prompt: &str) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let answer = cleanup::with_terminal(|| rpassword::prompt_password(prompt));
    let passphrase = match answer {
        Ok(passphrase) => Zeroizing::new(passphrase.into_bytes()),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => {
            return Err(Failure::plain(Exit::Interrupted, "interrupted"));
        }
        Err(_) => {
            return Err(Failure::usage(
                "no terminal to ask for a passphrase on: give --key-file, --passphrase-file or --passphrase-fd",
            ));
        }
    };
    if passphrase.is_empty() {
        return Err(Failure::usage("the passphrase is empty"));
    }
    Ok(passphrase)
}
