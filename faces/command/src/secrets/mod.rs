//! Secrets of a run: keys and passphrases from files, descriptors, other commands and the terminal, never an argument.

mod asking;
mod hashes;
mod sources;
mod words;

use std::fs::File;
use std::io;
use std::path::Path;

use crate::args::OutputArgs;
use crate::failure::{Exit, Failure};
use crate::key_args::{HashLimitArgs, KeyArgs, NewHashArgs};
use crate::os::{self, Metadata};
use crate::outputs::Outputs;
use abreast_sealed::{Aead, Costs, Error, Header, Key, MAX_PASSPHRASE, PassphraseLine, Sealer};
use asking::Asking;
use hashes::Hashes;
use sources::{NamedKey, Passphrase, Text};
use zeroize::Zeroizing;

pub(crate) use sources::files;

/// The secret of a run, for all its files.
pub(crate) struct Secret {
    /// The keys, or the passphrase.
    kind: Kind,
    /// The costs of new hashes.
    costs: Costs,
    /// The most memory in KiB that a file's hash may take.
    max_memory: u32,
    /// The keys of the passphrase lines that were hashed.
    hashes: Hashes,
}

/// The kind of a secret.
enum Kind {
    /// Keys, of which one seals and any of them opens.
    Keys(Vec<NamedKey>),
    /// The key of streams of AGS1.
    Stream(Text),
    /// A passphrase.
    Passphrase(Passphrase),
    /// None was given: a passphrase is asked for when it is needed.
    Ask(Asking),
}

/// The key of a file.
pub(crate) struct Found<'a> {
    /// The key.
    pub(crate) key: &'a Key,
    /// The name of its source.
    pub(crate) name: &'a Path,
}

impl Secret {
    /// Reads the secret that seals files, and has `outputs` protect its file.
    pub(crate) fn for_sealing(
        args: &KeyArgs,
        hash: &NewHashArgs,
        outputs: &mut Outputs,
    ) -> Result<Secret, Failure> {
        if args.key_file.len() > 1 {
            let keys = args.key_file.len();
            return Err(Failure::usage(format_args!(
                "a file is sealed with one key, not with {keys}: give one -k"
            )));
        }
        let costs = hash.costs();
        if !costs.in_bounds() {
            return Err(Failure::usage(Error::Costs(costs)));
        }
        let secret = Secret { costs, ..Secret::of_kind(Kind::from_args(args, outputs)?) };
        match &secret.kind {
            Kind::Passphrase(Passphrase { flaw: Some(flaw), source, .. }) => {
                let cause =
                    format_args!("{}, which would be part of the passphrase: {}", flaw.what, flaw.remedy);
                Err(Failure::new(Exit::Usage, source, cause))
            }
            _ => Ok(secret),
        }
    }

    /// Reads the secrets that open files, and has `outputs` protect their files.
    pub(crate) fn for_opening(
        args: &KeyArgs,
        limit: &HashLimitArgs,
        outputs: &mut Outputs,
    ) -> Result<Secret, Failure> {
        let max_memory = limit.kdf_max_memory.unwrap_or(Costs::MAX_MEMORY);
        Ok(Secret { max_memory, ..Secret::of_kind(Kind::from_args(args, outputs)?) })
    }

    /// Reads the key that seals and opens streams of AGS1, and has `outputs` protect its file.
    pub(crate) fn for_streams(args: &KeyArgs, outputs: &mut Outputs) -> Result<Secret, Failure> {
        if args.strict {
            os::can_check_rights().map_err(Failure::usage)?;
        }
        let key = sources::stream_key(args, outputs)?;
        let key = key.filter(|_| args.cipher.is_none()).ok_or_else(|| {
            Failure::usage(
                "a stream of AGS1 has AES-GCM and one key, not a passphrase: give one -k, or --key-command, and no --cipher",
            )
        })?;
        Ok(Secret::of_kind(Kind::Stream(key.0)))
    }

    /// Returns the key of streams of AGS1, if it is one.
    pub(crate) fn stream_key(&self) -> Option<&[u8]> {
        match &self.kind {
            Kind::Stream(key) => Some(key),
            _ => None,
        }
    }

    /// Asks for an old passphrase as such, in a call that asks for a new one, too.
    pub(crate) fn ask_as_old(&mut self) {
        if let Kind::Ask(asking) = &mut self.kind {
            asking.prompt = "Old passphrase: ";
        }
    }

    /// Takes a new key, which seals files.
    pub(crate) fn of_key(key: Key) -> Secret {
        Secret::of_kind(Kind::Keys(vec![NamedKey { key, name: "-".into() }]))
    }

    /// Returns a secret with the usual costs.
    fn of_kind(kind: Kind) -> Secret {
        Secret { kind, costs: Costs::DEFAULT, max_memory: Costs::MAX_MEMORY, hashes: Hashes::default() }
    }

    /// Returns true if it is asked for on the terminal whenever it is needed.
    pub(crate) fn is_asked_for(&self) -> bool {
        matches!(self.kind, Kind::Ask(_))
    }

    /// Returns true if it is keys, and not a passphrase.
    pub(crate) fn is_keys(&self) -> bool {
        matches!(self.kind, Kind::Keys(_))
    }

    /// Returns the one key, if it is one.
    pub(crate) fn into_key(self) -> Option<Key> {
        match self.kind {
            Kind::Keys(keys) => keys.into_iter().next().map(|named| named.key),
            Kind::Stream(_) | Kind::Passphrase(_) | Kind::Ask(_) => None,
        }
    }

    /// Returns the sealer for one file. `aead` counts for passphrases; a key has its own. All files of a call that are
    /// sealed with a passphrase share its hash.
    pub(crate) fn sealer(&mut self, aead: Option<Aead>, input: &Path) -> Result<Sealer, Failure> {
        if let Kind::Ask(asking) = &mut self.kind {
            // Files that nobody has a passphrase for are not skipped: the others would be sealed with one that differs.
            let typed = asking.ask_new().map_err(Failure::ending_the_call)?;
            self.kind = Kind::Passphrase(Passphrase::typed(typed));
        }
        let sealer = match &self.kind {
            Kind::Keys(keys) => Sealer::new(&keys[0].key),
            Kind::Passphrase(passphrase) => {
                let aead = aead.unwrap_or(Aead::Aes256Gcm);
                let hashed = self.hashes.for_sealing(aead, self.costs, &passphrase.text);
                hashed.and_then(|(line, key)| Sealer::with_line(key, line.clone()))
            }
            Kind::Stream(_) | Kind::Ask(_) => {
                unreachable!("a stream has a sealer of its own, and the passphrase has been asked for")
            }
        };
        sealer.map_err(|error| Failure::sealed(input, Path::new("-"), &error))
    }

    /// Returns why a file with these contents is not to be sealed: it holds the secret itself.
    pub(crate) fn held_by(&self, contents: &[u8]) -> Option<&'static str> {
        let line = contents.strip_suffix(b"\n").unwrap_or(contents);
        // A file of Windows holds a passphrase that was typed, too.
        let lines = [line, line.strip_suffix(b"\r").unwrap_or(line)];
        let is_line_of = |text: &[u8]| lines.contains(&text).then_some("it holds the passphrase in use");
        match &self.kind {
            Kind::Keys(keys) => {
                let is_key = |NamedKey { key, .. }: &NamedKey| {
                    let read = Key::read(&mut &contents[..], Some(key.aead()));
                    read.is_ok_and(|read| read.bytes() == key.bytes())
                };
                keys.iter().any(is_key).then_some("it holds the key in use")
            }
            Kind::Stream(key) => {
                let line = Key::read(&mut &contents[..], None);
                let holds = contents == &key[..] || line.is_ok_and(|read| read.bytes() == &key[..]);
                holds.then_some("it holds the key in use")
            }
            Kind::Passphrase(passphrase) => is_line_of(&passphrase.text),
            Kind::Ask(asking) => asking.typed().and_then(|typed| is_line_of(typed)),
        }
    }

    /// Returns why a file is not to be sealed or replaced: it holds the secret, by whatever way the call got that.
    pub(crate) fn held_by_file(
        &self,
        file: &File,
        metadata: &Metadata,
        path: &Path,
    ) -> Result<Option<&'static str>, Failure> {
        if !metadata.is_file() || metadata.len() > MAX_PASSPHRASE as u64 + 1 {
            return Ok(None);
        }
        let mut contents = Zeroizing::new(vec![0; metadata.len() as usize]);
        match os::read_exact_at(file, &mut contents, 0) {
            Ok(()) => Ok(self.held_by(&contents)),
            // Whoever made it shorter replaced the contents.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(Failure::io(path, &error)),
        }
    }

    /// Refuses an output that would replace a file that holds the secret, which it can by `--force` alone.
    pub(crate) fn check_output(&self, to: &OutputArgs, output: &Path) -> Result<(), Failure> {
        if !to.force {
            return Ok(());
        }
        // Only regular files are replaced, and opening anything else might block.
        let Some(metadata) = os::metadata(output).ok().filter(Metadata::is_file) else { return Ok(()) };
        // A file that nobody here can read holds nothing that this call was given.
        let Ok(file) = File::open(output) else { return Ok(()) };
        match self.held_by_file(&file, &metadata, output)? {
            Some(held) => {
                let held = held.trim_start_matches("it ");
                let cause = format_args!("{held}, and would be written over: give the output another name");
                Err(Failure::new(Exit::Exists, output, cause))
            }
            None => Ok(()),
        }
    }

    /// Runs `work` with the key of the file that begins so.
    pub(crate) fn with_key<T>(
        &mut self,
        header: &Header,
        input: &Path,
        work: impl FnOnce(&Key) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        work(self.find(header, input)?.key)
    }

    /// Finds the key of the file that begins so.
    pub(crate) fn find(&mut self, header: &Header, input: &Path) -> Result<Found<'_>, Failure> {
        let wrong = |cause| Err(Failure::new(Exit::Authentication, input, cause));
        let Some(line) = header.passphrase_line() else {
            return match &self.kind {
                Kind::Keys(keys) => fitting(keys, header, input),
                Kind::Stream(_) => wrong("the key is for streams of AGS1"),
                Kind::Passphrase(_) => wrong(
                    "authentication failed: sealed with a key, not with a passphrase: give -k; or it was changed, or is not a \
                     sealed file",
                ),
                Kind::Ask(_) => Err(Failure::new(
                    Exit::Usage,
                    input,
                    "is not sealed with a passphrase: give the key that it was sealed with by -k",
                )),
            };
        };
        if matches!(self.kind, Kind::Keys(_) | Kind::Stream(_)) {
            return wrong(
                "authentication failed: sealed with a passphrase, not with a key: leave out -k, or give --passphrase-file",
            );
        }
        self.check_memory(line, input)?;
        match &mut self.kind {
            Kind::Passphrase(passphrase) => unlock(&mut self.hashes, passphrase, header, line, input)?,
            Kind::Ask(asking) => asking.unlock(&mut self.hashes, header, line, input)?,
            Kind::Keys(_) | Kind::Stream(_) => unreachable!("keys open no file with a passphrase"),
        }
        let key = self.hashes.get(line).expect("the line has just been hashed");
        Ok(Found { key, name: Path::new("the passphrase") })
    }

    /// Refuses a file whose hash takes more memory than is allowed, before any is taken.
    fn check_memory(&self, line: &PassphraseLine, input: &Path) -> Result<(), Failure> {
        let wanted = line.costs();
        if wanted.memory <= self.max_memory {
            return Ok(());
        }
        let allowed = Costs { memory: self.max_memory, ..wanted };
        let [wanted, allowed] = [wanted, allowed].map(Costs::memory_text);
        let cause = format_args!(
            "its passphrase hash takes {wanted} of memory, and --kdf-max-memory allows {allowed}: give more to open it"
        );
        Err(Failure::new(Exit::Usage, input, cause))
    }
}

impl Kind {
    /// Reads the secrets that the arguments name.
    fn from_args(args: &KeyArgs, outputs: &mut Outputs) -> Result<Kind, Failure> {
        if args.passphrase.is_some() {
            return Err(Failure::usage(
                "there is no --passphrase, since other users could see it and the shell keeps it: leave it out to be asked, \
                 or give --passphrase-file",
            ));
        }
        if args.strict {
            os::can_check_rights().map_err(Failure::usage)?;
        }
        let keys = sources::keys(args, outputs)?;
        if !keys.is_empty() {
            return Ok(Kind::Keys(keys));
        }
        let passphrase = sources::passphrase(args, outputs)?;
        Ok(passphrase.map_or_else(|| Kind::Ask(Asking::begin()), Kind::Passphrase))
    }
}

/// Finds the key among several that a file without a passphrase was sealed with.
fn fitting<'a>(keys: &'a [NamedKey], header: &Header, input: &Path) -> Result<Found<'a>, Failure> {
    if let Some(NamedKey { key, name }) = keys.iter().find(|named| header.unlock(&named.key).is_ok()) {
        return Ok(Found { key, name });
    }
    if keys.len() == 1 {
        return Err(Failure::sealed(input, Path::new("-"), &Error::WrongKey));
    }
    let cause = format_args!(
        "authentication failed: none of the {} keys opens it: give the key that it was sealed with, or the file was changed",
        keys.len()
    );
    Err(Failure::new(Exit::Authentication, input, cause))
}

/// Hashes a given passphrase for a file, and fails if it is not the file's.
fn unlock(
    hashes: &mut Hashes,
    passphrase: &Passphrase,
    header: &Header,
    line: &PassphraseLine,
    input: &Path,
) -> Result<(), Failure> {
    let failure = |error| Failure::sealed(input, Path::new("-"), &error);
    if hashes.get(line).is_none() {
        let key = line.stretch(&passphrase.text).map_err(failure)?;
        hashes.keep(line, key);
    }
    let fits = hashes.get(line).is_some_and(|key| header.unlock(key).is_ok());
    match &passphrase.flaw {
        _ if fits => Ok(()),
        None => Err(failure(Error::WrongKey)),
        Some(flaw) => {
            let source = Failure::name(&passphrase.source);
            let cause = format_args!(
                "{}; {source} {}, which is taken as part of the passphrase",
                Error::WrongKey,
                flaw.what
            );
            Err(Failure::new(Exit::Authentication, input, cause))
        }
    }
}
