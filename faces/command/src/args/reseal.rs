//! Arguments of `reseal`.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueHint};

use crate::key_args::{HashLimitArgs, KeyArgs, SEALED, aead_parser, parse_memory, parse_passes};

use super::{OutputArgs, TalkArgs, TreeArgs, WorkArgs};

/// Change the key or passphrase of sealed files
///
/// Each file is opened with the old key and sealed with the new one, a chunk at a time, and takes its own place when it is
/// complete and on the disk. So every file opens with one of the two keys at any moment, whatever ends the command. A file
/// that opens with the new key already is skipped: the same call again does what is missing. Keep the old key until verify
/// has opened everything with the new one.
///
/// Permissions and times stay. A copy of the files elsewhere is brought up to date by their contents, as by rsync --checksum.
/// Without an option for the new key, a new passphrase is asked for on the terminal.
#[derive(Debug, Args)]
#[command(help_template = super::EXAMPLES_FIRST, after_help = "\
Examples:
  abreast reseal -r photos -k old.key --to-new-key new.key
  abreast reseal notes.txt.abreast --passphrase-file old.txt --to-key-file new.key
  abreast reseal a.abreast -k old.key --to-key-file new.key -o b.abreast")]
pub struct ResealArgs {
    /// The sealed files, - for standard input, which is the default if it is a pipe or a file
    #[arg(id = SEALED, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,
    /// The source of the old key.
    #[command(flatten)]
    pub key: KeyArgs,
    /// Use the new key in this file, - for standard input
    #[arg(long, value_name = "FILE", group = "to", value_hint = ValueHint::FilePath)]
    pub to_key_file: Option<PathBuf>,
    /// Use the new key that this command of the shell prints
    #[arg(long, value_name = "CMD", group = "to", value_hint = ValueHint::CommandString, value_parser = NonEmptyStringValueParser::new())]
    pub to_key_command: Option<String>,
    /// Make a new key file first, and use it
    #[arg(long, value_name = "FILE", group = "to", value_hint = ValueHint::FilePath)]
    pub to_new_key: Option<PathBuf>,
    /// Use the new passphrase in this file, less the line feed at its end, - for standard input
    #[arg(long, value_name = "FILE", group = "to", value_hint = ValueHint::FilePath)]
    pub to_passphrase_file: Option<PathBuf>,
    /// Use the new passphrase that this command of the shell prints, less the line feed at its end
    #[arg(long, value_name = "CMD", group = "to", value_hint = ValueHint::CommandString, value_parser = NonEmptyStringValueParser::new())]
    pub to_passphrase_command: Option<String>,
    /// The cipher under the new key [default: what the new key file says, or aes-256-gcm]
    #[arg(long, value_name = "CIPHER", value_parser = aead_parser())]
    pub to_cipher: Option<abreast_sealed::Aead>,
    /// The folders of the call.
    #[command(flatten)]
    pub tree: TreeArgs,
    /// The outputs; without any, each file takes its own place.
    #[command(flatten)]
    pub to: OutputArgs,
    /// The bound on the old hash.
    #[command(flatten)]
    pub limit: HashLimitArgs,
    /// Memory of the new passphrase's hash, 8M to 1024M; opening takes as much [default: 64M]
    #[arg(long, value_name = "SIZE", value_parser = parse_memory, conflicts_with_all = KEYS)]
    pub kdf_memory: Option<u32>,
    /// Passes of the new passphrase's hash over its memory, 1 to 512 [default: 3]
    #[arg(long, value_name = "N", value_parser = parse_passes, allow_negative_numbers = true, conflicts_with_all = KEYS)]
    pub kdf_passes: Option<u32>,
    /// The threads and the style of progress.
    #[command(flatten)]
    pub work: WorkArgs,
    /// The report.
    #[command(flatten)]
    pub talk: TalkArgs,
}

/// The options of new keys, of which none is hashed.
const KEYS: [&str; 3] = ["to_key_file", "to_key_command", "to_new_key"];
