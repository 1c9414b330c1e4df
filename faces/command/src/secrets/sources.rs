//! Keys and passphrases from files, descriptors and other commands.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

use zeroize::Zeroizing;

use crate::failure::{Exit, Failure};
use crate::key_args::KeyArgs;
use crate::os::{self, SHELL};
use crate::outputs::{KEY_FILE, NAMED_IN_COMMAND, Outputs, PASSPHRASE_FILE};
use crate::streams::{Stream, duplicate};
use abreast::Counted;
use abreast_sealed::{Aead, KEY_FILE_MAGIC, Key, MAX_PASSPHRASE};

/// The most bytes that a command may print: more than any key or passphrase has.
const MOST_PRINTED: usize = 64 << 10;

/// Bytes of a secret.
pub(super) type Text = Zeroizing<Vec<u8>>;

/// A key, and the name of the file or option that it is from.
pub(super) struct NamedKey {
    /// The key.
    pub(super) key: Key,
    /// The name.
    pub(super) name: PathBuf,
}

/// A passphrase.
pub(super) struct Passphrase {
    /// Its bytes.
    pub(super) text: Text,
    /// The name of the file, descriptor or option that it is from.
    pub(super) source: PathBuf,
    /// The fault that it has as the text of a file.
    pub(super) flaw: Option<Flaw>,
}

/// A fault of a passphrase that a person would not type.
pub(super) struct Flaw {
    /// The fault, in words.
    pub(super) what: &'static str,
    /// Advice for the user.
    pub(super) remedy: &'static str,
}

impl Passphrase {
    /// Returns a passphrase that was typed.
    pub(super) fn typed(text: Text) -> Passphrase {
        Passphrase { text, source: "the terminal".into(), flaw: None }
    }

    /// Takes a passphrase from the bytes of a source, less the line feed at their end.
    fn of_bytes(mut text: Text, source: PathBuf) -> Result<Passphrase, Failure> {
        if text.last() == Some(&b'\n') {
            text.pop();
        }
        if text.len() > MAX_PASSPHRASE {
            let cause = format_args!("the passphrase is too long: {MAX_PASSPHRASE} bytes are the most");
            return Err(Failure::new(Exit::Usage, &source, cause));
        }
        if text.is_empty() {
            return Err(Failure::new(Exit::Usage, &source, "the passphrase is empty"));
        }
        let flaw = Flaw::of(&text);
        Ok(Passphrase { text, source, flaw })
    }
}

impl Flaw {
    /// Finds the line ends that are left in a passphrase.
    fn of(text: &[u8]) -> Option<Flaw> {
        if text.starts_with(KEY_FILE_MAGIC.as_bytes()) {
            return Some(Flaw { what: "is a key file", remedy: "give it by -k" });
        }
        if text.starts_with("\u{feff}".as_bytes()) {
            let what = "begins with a byte order mark, as files of Windows do";
            return Some(Flaw { what, remedy: "save it as UTF-8 without one" });
        }
        if text.contains(&b'\n') {
            let what = "has more than one line";
            return Some(Flaw { what, remedy: "keep one, or make a key file for random bytes" });
        }
        let what = "has a carriage return (CR), as lines of Windows end with";
        text.contains(&b'\r').then_some(Flaw { what, remedy: "remove it, as with tr -d '\\r'" })
    }
}

/// Returns the files that secrets are read from, each with its description in messages.
pub(crate) fn files(args: &KeyArgs) -> impl Iterator<Item = (&Path, &'static str)> {
    let keys = args.key_file.iter().map(|path| (path.as_path(), KEY_FILE));
    let passphrases = args.passphrase_file.as_deref().map(|path| (path, PASSPHRASE_FILE));
    let commands = args.key_command.iter().chain(&args.passphrase_command);
    let named = commands.flat_map(|command| named_in(command)).map(|path| (path, NAMED_IN_COMMAND));
    keys.chain(passphrases).chain(named)
}

/// Returns the files that a command of the shell names, as far as its words and what stands in quotes tell: the store of a
/// secret among them, without which nothing can be opened.
fn named_in(command: &str) -> impl Iterator<Item = &Path> {
    let words = command.split(|char: char| char.is_whitespace() || "'\"`=;|&<>()".contains(char));
    words.chain(command.split(['\'', '"'])).map(Path::new).filter(|path| path.is_file())
}

/// Reads all keys that the arguments name, and has `outputs` protect their files.
pub(super) fn keys(args: &KeyArgs, outputs: &mut Outputs) -> Result<Vec<NamedKey>, Failure> {
    let mut keys = Vec::with_capacity(args.key_file.len());
    let cipher = format!("--{}cipher", args.prefix);
    for path in &args.key_file {
        let mut file = open(path)?;
        guard(&file, path, KEY_FILE, args.strict, outputs)?;
        let key =
            Key::read(&mut file, args.cipher).map_err(|error| Failure::key_file(path, &cipher, &error))?;
        keys.push(NamedKey { key, name: path.clone() });
    }
    if let Some(command) = &args.key_command {
        let option = format!("--{}key-command", args.prefix);
        let printed = output_of(option.as_ref(), command)?;
        let key = Key::read(&mut &printed[..], args.cipher);
        let key = key.map_err(|error| Failure::key_file(&printed_by(&option), &cipher, &error))?;
        keys.push(NamedKey { key, name: option.into() });
    }
    Ok(keys)
}

/// Reads the key of streams of AGS1 that the arguments name, if they name one, and has `outputs` protect its file: raw bytes, or a
/// line with a key for AES.
pub(super) fn stream_key(args: &KeyArgs, outputs: &mut Outputs) -> Result<Option<(Text, PathBuf)>, Failure> {
    let (text, name) = match (&args.key_file[..], &args.key_command) {
        ([path], None) => {
            let file = open(path)?;
            guard(&file, path, KEY_FILE, args.strict, outputs)?;
            let mut text = Zeroizing::new(Vec::with_capacity(MOST_OF_KEY));
            let read = file.take(MOST_OF_KEY as u64).read_to_end(&mut text);
            read.map_err(|error| Failure::io(path, &error))?;
            (text, path.clone())
        }
        ([], Some(command)) => {
            let option = format!("--{}key-command", args.prefix);
            (output_of(option.as_ref(), command)?, printed_by(&option))
        }
        _ => return Ok(None),
    };
    let refused = |cause: String| Err(Failure::new(Exit::Usage, &name, cause));
    if text.starts_with(KEY_FILE_MAGIC.as_bytes()) {
        let key =
            Key::read(&mut &text[..], None).map_err(|error| Failure::key_file(&name, "--cipher", &error))?;
        return match key.aead() {
            Aead::Serpent256Gcm => {
                refused("the key is for serpent-256-gcm, and AGS1 has AES-GCM alone".into())
            }
            _ => Ok(Some((Zeroizing::new(key.bytes().to_vec()), name))),
        };
    }
    match text.len() {
        16 | 24 | 32 => Ok(Some((text, name))),
        MOST_OF_KEY => refused("not a key of AGS1: too long; 16, 24 or 32 raw bytes are one".into()),
        found => {
            refused(format!("not a key of AGS1: {}; 16, 24 or 32 raw bytes are one", Counted(found, "bytes")))
        }
    }
}

/// More bytes than a key file has.
const MOST_OF_KEY: usize = 200;

/// Reads the passphrase that the arguments name, if they name one, and has `outputs` protect its file.
pub(super) fn passphrase(args: &KeyArgs, outputs: &mut Outputs) -> Result<Option<Passphrase>, Failure> {
    if let Some(command) = &args.passphrase_command {
        let option = format!("--{}passphrase-command", args.prefix);
        let printed = output_of(option.as_ref(), command)?;
        return Passphrase::of_bytes(printed, printed_by(&option)).map(Some);
    }
    let (path, file) = if let Some(path) = &args.passphrase_file {
        (path.clone(), open(path)?)
    } else if let Some(number) = args.passphrase_fd {
        let path = PathBuf::from(format!("descriptor {number}"));
        // A descriptor that was not given, or not for reading, is a wrong argument.
        let file = if number == 0 { Stream::stdin() } else { duplicate(number) };
        let file = file.map_err(|error| Failure::new(Exit::Usage, &path, error))?;
        (path, file)
    } else {
        return Ok(None);
    };
    guard(&file, &path, PASSPHRASE_FILE, args.strict, outputs)?;
    let mut text = Zeroizing::new(Vec::with_capacity(MAX_PASSPHRASE + 2));
    let read = file.take(MAX_PASSPHRASE as u64 + 2).read_to_end(&mut text);
    read.map_err(|error| Failure::io(&path, &error))?;
    Passphrase::of_bytes(text, path).map(Some)
}

/// Returns the name of the output of an option's command in messages.
fn printed_by(option: &str) -> PathBuf {
    format!("output of {option}").into()
}

/// Opens a file with a secret; `-` is standard input.
fn open(path: &Path) -> Result<Stream, Failure> {
    let file = if path == Path::new("-") { Stream::stdin() } else { File::open(path).map(Stream::new) };
    file.map_err(|error| Failure::io(path, &error))
}

/// Has `outputs` keep a file with a secret, and warns if others than its owner can read or change it; if that is
/// forbidden, fails.
fn guard(
    file: &Stream,
    path: &Path,
    what: &'static str,
    strict: bool,
    outputs: &mut Outputs,
) -> Result<(), Failure> {
    let Ok(metadata) = file.metadata() else { return Ok(()) };
    outputs.keep(&metadata, what);
    let Some(cause) = os::others_rights(&metadata) else { return Ok(()) };
    if strict {
        return Err(Failure::new(Exit::Usage, path, cause));
    }
    Failure::new(Exit::Usage, path, cause).warn();
    Ok(())
}

/// Runs a command of the shell, and returns its standard output. Its standard input is empty, since that of this process
/// may be the data, and its standard error is that of this process.
fn output_of(option: &Path, command: &str) -> Result<Text, Failure> {
    let failure = |error: &io::Error| Failure::io(option, error);
    let mut shell = os::shell(command);
    let mut child = shell.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(|error| {
        Failure::new(Exit::Io, option, format_args!("cannot run {SHELL}, which runs the command: {error}"))
    })?;
    let mut printed = Zeroizing::new(Vec::with_capacity(MOST_PRINTED));
    let stdout = child.stdout.take().expect("standard output is a pipe");
    let read = stdout.take(MOST_PRINTED as u64).read_to_end(&mut printed);
    if printed.len() == MOST_PRINTED {
        // It may print without end; the pipe is closed, so that what it started ends too.
        let _ = child.kill();
    }
    let status = child.wait().map_err(|error| failure(&error))?;
    read.map_err(|error| failure(&error))?;
    if printed.len() == MOST_PRINTED {
        let kib = MOST_PRINTED >> 10;
        return Err(Failure::new(Exit::Usage, option, format_args!("the command printed {kib} KiB or more")));
    }
    if status.success() {
        os::trim_printed(&mut printed);
        return Ok(printed);
    }
    Err(Failure::new(Exit::Io, option, format_args!("the command {}", ending(status))))
}

/// Describes the end of a command that failed.
fn ending(status: ExitStatus) -> String {
    match (status.code(), os::signal_of(status)) {
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => format!("failed: {status}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every text of a few letters and line ends: one line feed at the end is none of it, and any other line end is a flaw.
    #[test]
    fn line_ends_of_every_kind() {
        for number in 0..4_usize.pow(5) {
            let bytes: Vec<u8> = (0..5).map(|i| b"ab\r\n"[number / 4_usize.pow(i) % 4]).collect();
            for len in 0..=5 {
                let text = &bytes[..len];
                let passphrase = text.strip_suffix(b"\n").unwrap_or(text);
                let read = Passphrase::of_bytes(Zeroizing::new(text.to_vec()), "file".into());
                assert_eq!(read.is_ok(), !passphrase.is_empty(), "{text:?}");
                let Ok(read) = read else { continue };
                assert_eq!(*read.text, passphrase);
                let what = read.flaw.map_or("", |flaw| flaw.what);
                assert_eq!(what.contains("more than one line"), passphrase.contains(&b'\n'), "{text:?}");
                let carriage_return = passphrase.contains(&b'\r') && !passphrase.contains(&b'\n');
                assert_eq!(what.contains("carriage return"), carriage_return, "{text:?}");
            }
        }
    }
}
