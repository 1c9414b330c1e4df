//! The options that name secrets, and the commands that are about them.

use std::path::PathBuf;

use abreast_sealed::{Aead, Costs};
use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};

use crate::range::parse_size;

/// The name of the arguments that are sealed files, which completions know them by.
pub(crate) const SEALED: &str = "sealed";

/// The source of the key.
#[derive(Debug, Args)]
pub struct KeyArgs {
    /// Use the key in this file, - for standard input. To open, verify and inspect, give several, each by its own -k:
    /// each file is opened by the key that fits
    #[arg(short, long, value_name = "FILE", group = "key", value_hint = ValueHint::FilePath)]
    pub key_file: Vec<PathBuf>,
    /// Use the key that this command of the shell (cmd on Windows) prints, as in --key-command 'pass show backup-key'
    #[arg(long, value_name = "CMD", group = "key", value_hint = ValueHint::CommandString, value_parser = NonEmptyStringValueParser::new())]
    pub key_command: Option<String>,
    /// Use the passphrase in this file, less the line feed at its end, - for standard input
    #[arg(long, value_name = "FILE", group = "key", value_hint = ValueHint::FilePath)]
    pub passphrase_file: Option<PathBuf>,
    /// Use the passphrase from this file descriptor
    #[arg(long, value_name = "N", group = "key", value_parser = parse_descriptor, allow_negative_numbers = true)]
    pub passphrase_fd: Option<u32>,
    /// Refused: other users of the machine could see it
    #[arg(long, value_name = "TEXT", group = "key", hide = true)]
    pub passphrase: Option<String>,
    /// Use the passphrase that this command of the shell (cmd on Windows) prints, less the line feed at its end
    #[arg(long, value_name = "CMD", group = "key", value_hint = ValueHint::CommandString, value_parser = NonEmptyStringValueParser::new())]
    pub passphrase_command: Option<String>,
    /// The cipher [default: what the key file says, or aes-256-gcm]; needed for a key file that is
    /// nothing but the bytes of a key. serpent-256-gcm is private to this command, not in the public
    /// format
    #[arg(long, value_name = "CIPHER", value_parser = aead_parser())]
    pub cipher: Option<Aead>,
    /// Refuse a key or passphrase file that others than its owner can read or change, in place of a warning
    /// (not on Windows)
    #[arg(long)]
    pub strict: bool,
    /// The beginning of the options' names in messages: `to-` for those of a new key, which are not parsed here.
    #[arg(skip)]
    pub prefix: &'static str,
}

impl KeyArgs {
    /// Returns true if a key was named, in a file or by a command.
    pub(crate) fn name_a_key(&self) -> bool {
        !self.key_file.is_empty() || self.key_command.is_some()
    }

    /// Returns true if any secret was named.
    pub(crate) fn name_a_secret(&self) -> bool {
        let passphrase = self.passphrase_file.is_some() || self.passphrase_command.is_some();
        self.name_a_key() || passphrase || self.passphrase_fd.is_some()
    }
}

/// The costs of a new passphrase hash.
#[derive(Debug, Args)]
pub struct NewHashArgs {
    /// Memory of the passphrase hash, 8M to 1024M; opening takes as much [default: 64M]
    #[arg(long, value_name = "SIZE", value_parser = parse_memory, conflicts_with_all = KEYS)]
    pub kdf_memory: Option<u32>,
    /// Passes of the passphrase hash over its memory, 1 to 512; memory times passes is at most 4096M [default: 3]
    #[arg(long, value_name = "N", value_parser = parse_passes, allow_negative_numbers = true, conflicts_with_all = KEYS)]
    pub kdf_passes: Option<u32>,
}

/// The options of keys, of which none is hashed.
const KEYS: [&str; 3] = ["key_file", "key_command", "new_key"];

impl NewHashArgs {
    /// Returns the costs.
    pub(crate) fn costs(&self) -> Costs {
        let Costs { memory, passes, lanes } = Costs::DEFAULT;
        Costs { memory: self.kdf_memory.unwrap_or(memory), passes: self.kdf_passes.unwrap_or(passes), lanes }
    }
}

/// The bound on the hash that a file may ask for.
#[derive(Debug, Args)]
pub struct HashLimitArgs {
    /// Refuse a file whose passphrase hash takes more memory, 8M to 1024M [default: 1024M]
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    pub kdf_max_memory: Option<u32>,
}

/// Tell what can be told of sealed files without their keys, and which key opens each
///
/// None of it is authenticated without a key. A file that was sealed with a key file begins with random bytes, so only its
/// length can show that it may be one. A file is reported as not sealed, with exit code 3, if no sealed file
/// has its length, or if it begins with text, with very few distinct bytes or like a common type of file. With keys,
/// each file's report names the one that opens it, and the exit code is 3 if none does.
#[derive(Debug, Args)]
#[command(help_template = crate::args::EXAMPLES_FIRST, after_help = "\
Examples:
  abreast inspect notes.txt.abreast
  abreast inspect -k old.key -k new.key *.abreast")]
pub struct InspectArgs {
    /// The files
    #[arg(id = SEALED, value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// The keys to try.
    #[command(flatten)]
    pub key: KeyArgs,
    /// The bound on the hash.
    #[command(flatten)]
    pub hash: HashLimitArgs,
    /// Print a line of JSON for each file
    #[arg(long)]
    pub json: bool,
}

/// Make a key file
///
/// The file is one line of text with a new random key, readable by its owner alone. An existing file
/// is never replaced.
#[derive(Debug, Args)]
pub struct KeygenArgs {
    /// Write to this file, as with -o
    #[arg(value_name = "FILE", conflicts_with = "output", value_hint = ValueHint::FilePath)]
    pub file: Option<PathBuf>,
    /// Write to this file, - for standard output, which is the default
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// The cipher that the key is for; serpent-256-gcm is private to this command
    #[arg(long, value_name = "CIPHER", value_parser = aead_parser(), default_value = "aes-256-gcm")]
    pub cipher: Aead,
}

/// Parses the name of an AEAD.
pub(crate) fn aead_parser() -> impl TypedValueParser<Value = Aead> {
    PossibleValuesParser::new(Aead::ALL.map(Aead::short_name)).map(|given| {
        let known = Aead::ALL.into_iter().find(|aead| aead.short_name() == given);
        known.expect("only known names come here")
    })
}

/// Parses the memory of a hash, and returns it in KiB.
pub(crate) fn parse_memory(given: &str) -> Result<u32, &'static str> {
    let size = parse_size(given).ok().filter(|size| size.is_multiple_of(1024));
    let kib = size.and_then(|size| u32::try_from(size / 1024).ok());
    let kib = kib.filter(|kib| (Costs::MIN_MEMORY..=Costs::MAX_MEMORY).contains(kib));
    kib.ok_or("the memory of a passphrase hash is 8M to 1024M, in whole KiB")
}

/// Parses the number of a file descriptor.
fn parse_descriptor(given: &str) -> Result<u32, &'static str> {
    given.parse().map_err(|_| "a file descriptor is a whole number from 0 on")
}

/// Parses a number of passes.
pub(crate) fn parse_passes(given: &str) -> Result<u32, String> {
    let most = Costs::MAX_WORK / Costs::MIN_MEMORY;
    let passes = given.parse().ok().filter(|passes| (1..=most).contains(passes));
    passes.ok_or_else(|| format!("the number of passes is a whole number from 1 to {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_has_units_and_bounds() {
        for (given, kib) in [
            ("8M", Some(8192)),
            ("8192K", Some(8192)),
            ("8193k", Some(8193)),
            ("8388608", Some(8192)),
            ("1024M", Some(1 << 20)),
            ("8191K", None),
            ("8388609", None),
            ("1G", Some(1 << 20)),
            ("1025M", None),
            ("64", None),
            ("0", None),
            ("-64M", None),
            ("many", None),
        ] {
            let parsed = parse_memory(given);
            assert_eq!(parsed.as_ref().ok(), kib.as_ref(), "{given}");
            assert!(parsed.err().is_none_or(|error| error.contains("8M to 1024M")), "{given}");
        }
        for (given, good) in
            [("0", false), ("1", true), ("512", true), ("513", false), ("x", false), ("-1", false)]
        {
            assert_eq!(parse_passes(given).is_ok(), good, "{given}");
        }
    }
}
