//! The command line. Its completions and manual pages come from here too.

mod files;
mod format;
mod raw;
mod reseal;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueHint};
use clap_complete::Shell;

use crate::key_args::{HashLimitArgs, InspectArgs, KeyArgs, KeygenArgs, NewHashArgs, SEALED};
use crate::progress::Style;
use crate::range::{ByteRange, Share, parse_size};

pub use files::{OutputArgs, TalkArgs, TreeArgs};
pub use format::{FileFormat, FormatArgs, LengthArgs};
pub use raw::{Hex, Mode, RawArgs, RawCipher, RawDirection, RawRun};
pub use reseal::ResealArgs;

/// The exit codes.
pub(crate) const EXIT_CODES: &[(&str, &str)] = &[
    ("0", "done"),
    ("1", "something cannot be read or written, or an OpenCL device fails or is missing"),
    ("2", "wrong arguments, a bad key file, or a message of a length that a mode of raw does not take"),
    (
        "3",
        "authentication failed: wrong key, or the file was changed or cut off, or is not a sealed file; of raw, wrong \
         padding too",
    ),
    ("4", "the output exists already, or is another file of the same call"),
    ("5", "some of several files failed"),
    ("128+n", "ended by signal n"),
];

/// The files that the command reads and writes, for its manual pages.
pub(crate) const FILES: &[(&str, &str)] = &[
    ("FILE.abreast", "A sealed file. Files of other names can be opened too."),
    (
        ".abreast-0123456789ab.tmp",
        "An output that is not complete, where the file system has no files without a name. One that a killed command left \
         can be removed.",
    ),
    (
        "$XDG_CACHE_HOME/abreast, ~/.cache/abreast",
        "Programs compiled for OpenCL devices, which raw --device makes. They can be removed.",
    ),
];

/// Returns the end of the help of the command as a whole.
fn after_help() -> String {
    let mut help = String::from("Exit codes:\n");
    for (code, meaning) in EXIT_CODES {
        let mut line = format!("  {code:5}");
        for word in meaning.split(' ') {
            if line.len() + 1 + word.len() > 80 {
                help.push_str(&line);
                line = format!("\n  {:5}", "");
            }
            line.push(' ');
            line.push_str(word);
        }
        help.push_str(&line);
        help.push('\n');
    }
    help + "\nThe book has guides for files, keys, several machines and raw ciphers. It is in
share/doc/abreast/book of an installation, and at
https://github.com/abreast/abreast/blob/main/book/src/SUMMARY.md"
}

/// Text of the help before the commands.
const ABOUT: &str = "\
Seal and open files with symmetric encryption at hardware speed

  abreast seal notes.txt --new-key my.key                 encrypt a file under a new key
  abreast open notes.txt.abreast -k my.key                get it back
  abreast seal -r photos --output-dir vault -k my.key     a folder
  abreast verify -r vault -k my.key                       check everything
  abreast reseal -r vault -k my.key --to-new-key new.key  change the key

One secret key or passphrase seals and opens. To send files to other people, use age.
Sealed files are bytes. Where only text passes, pipe them through base64.";

/// Text of the help about the format.
pub(crate) const FORMAT: &str = "\
Format:
  Sealed files are Cobblestone-256 (C2SP chunked encryption over AES-256-GCM): authenticated
  in chunks of 16 KiB, which all cores work on and which can be opened in ranges.
  --cipher aes-128-gcm makes it Cobblestone-128. With --cipher serpent-256-gcm the
  construction is the same over Serpent, under a name private to this command: not
  Cobblestone, and for nothing else to open.
";

/// The order of the help of a command: its examples come before its options.
pub(crate) const EXAMPLES_FIRST: &str =
    "{about-with-newline}\n{usage-heading} {usage}{after-help}\n\n{all-args}\n";

/// Seal and open files with symmetric encryption at hardware speed
#[derive(Debug, Parser)]
// The name of the program ends in .exe there.
#[cfg_attr(windows, command(bin_name = "abreast"))]
#[command(name = "abreast", version, long_about = ABOUT, after_help = after_help())]
#[command(after_long_help = format!("{FORMAT}\n{}", after_help()))]
pub struct Cli {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands; the help of each is the documentation of its arguments.
#[derive(Debug, Subcommand)]
#[allow(missing_docs, reason = "text here would be the help in place of that of the arguments")]
pub enum Command {
    Seal(SealArgs),
    Open(OpenArgs),
    Plan(PlanArgs),
    Verify(VerifyArgs),
    Reseal(ResealArgs),
    Inspect(InspectArgs),
    Keygen(KeygenArgs),
    Kernels(KernelsArgs),
    Raw(RawArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
    /// Print the licences of this program and of the third-party software in it
    Licenses,
}

/// The threads and the style of progress.
#[derive(Debug, Args)]
pub struct WorkArgs {
    /// Number of threads [default: one for each core]
    #[arg(short, long, value_name = "N", value_parser = parse_jobs, allow_negative_numbers = true)]
    pub jobs: Option<NonZeroUsize>,
    /// Show progress on standard error in this style
    #[arg(long, value_name = "STYLE", default_value = "auto")]
    pub progress: Style,
}

/// Seal files: encrypt and authenticate them
///
/// FILE becomes FILE.abreast, and stays. Without a key file or passphrase option, a passphrase is
/// asked for on the terminal, or made up of ten random words. Its hash, argon2id, takes 64 MiB of memory, once for all
/// files of a call.
///
/// Whoever has the secret can open the files. To send files to other people, use age. Sealed files are bytes. Where only text
/// passes, pipe them through base64.
#[derive(Debug, Args)]
#[command(help_template = EXAMPLES_FIRST, after_help = "\
Examples:
  abreast seal notes.txt --new-key my.key
  abreast seal -r photos --output-dir /mnt/usb -k my.key --skip-existing
  pg_dump shop | abreast seal -k my.key -o shop.abreast   (in scripts: set -o pipefail)
  abreast seal big --plan big.plan --share 2/3 --key-file my.key -o big.abreast.2")]
pub struct SealArgs {
    /// The files to seal, - for standard input, which is the default if it is a pipe or a file
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,
    /// Make a new key file first, and seal with it
    #[arg(long, value_name = "FILE", group = "key", value_hint = ValueHint::FilePath)]
    pub new_key: Option<PathBuf>,
    /// The source of the key.
    #[command(flatten)]
    pub key: KeyArgs,
    /// The folders of the call.
    #[command(flatten)]
    pub tree: TreeArgs,
    /// The outputs.
    #[command(flatten)]
    pub to: OutputArgs,
    /// The format.
    #[command(flatten)]
    pub format: FormatArgs,
    /// Remove each original once its sealed file is on the disk, was opened again and holds the same bytes
    #[arg(long)]
    pub rm: bool,
    /// Seal files that have the name of a sealed one, too
    #[arg(long)]
    pub include_sealed: bool,
    /// Seal standard input even if it is empty; a command that failed before the pipe leaves it so
    #[arg(long)]
    pub allow_empty: bool,
    /// The costs of a new passphrase hash.
    #[command(flatten)]
    pub hash: NewHashArgs,
    /// The threads and the style of progress.
    #[command(flatten)]
    pub work: WorkArgs,
    /// The report.
    #[command(flatten)]
    pub talk: TalkArgs,
    /// Seal as the plan in this file says, which abreast plan made of the one FILE. Needs a key
    #[arg(long, help_heading = "Several machines", value_name = "PLAN", value_hint = ValueHint::FilePath)]
    pub plan: Option<PathBuf>,
    /// Only share I of N, from 1/N to N/N, of which each is sealed by itself and all, put together in their
    /// order, are the sealed file. Needs --plan and --output
    #[arg(long, help_heading = "Several machines", visible_alias = "part", value_name = "I/N", requires_all = ["plan", "output"])]
    pub share: Option<Share>,
}

/// Open sealed files, whole or a range of one
///
/// FILE.abreast becomes FILE. A file is there when all of it is authentic, or not at all; a pipe
/// receives each chunk as soon as it and all before it are, and the exit code tells about the end.
#[derive(Debug, Args)]
#[command(help_template = EXAMPLES_FIRST, after_help = "\
Examples:
  abreast open notes.txt.abreast --key-file my.key
  abreast open -r /mnt/usb/photos --output-dir restored -k my.key
  abreast open --range -1K.. notes.txt.abreast -k my.key -o - | less
  abreast open --format ags1 -k dek --aad-prefix 00ff.. --sealed-length 5079 m0.avro -o m0")]
pub struct OpenArgs {
    /// The files to open, - for standard input, which is the default if it is a pipe or a file
    #[arg(id = SEALED, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,
    /// The source of the key.
    #[command(flatten)]
    pub key: KeyArgs,
    /// The folders of the call.
    #[command(flatten)]
    pub tree: TreeArgs,
    /// The outputs.
    #[command(flatten)]
    pub to: OutputArgs,
    /// The format.
    #[command(flatten)]
    pub format: FormatArgs,
    /// The trusted length of a stream.
    #[command(flatten)]
    pub length: LengthArgs,
    /// Only these bytes of the contents, the one at B not included; A or B may be left out, and -A counts from the end.
    /// Needs one FILE and --output
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    pub range: Option<ByteRange>,
    /// The bound on the hash.
    #[command(flatten)]
    pub hash: HashLimitArgs,
    /// The threads and the style of progress.
    #[command(flatten)]
    pub work: WorkArgs,
    /// The report.
    #[command(flatten)]
    pub talk: TalkArgs,
    /// Only share I of N of the contents, from 1/N to N/N; all, put together in their order, are the contents.
    /// Needs one FILE and --output
    #[arg(
        long,
        help_heading = "Several machines",
        visible_alias = "part",
        value_name = "I/N",
        conflicts_with = "range"
    )]
    pub share: Option<Share>,
}

/// Plan how several machines seal one file together
///
/// The plan is written once. Then any number of calls of abreast seal --plan PLAN --share I/N, on machines that read
/// the same FILE, each seal a share of it: share 1 of N, share 2 and so on to share N. The shares, put together in their
/// order, are the sealed file, the same as one call would have sealed. A share that was lost is sealed again with the
/// same result; one of a small file may be empty.
///
/// The plan holds the salt of the file, its length and its time of modification, and no secret. A file of another
/// length or time is refused, since two messages that are sealed by one plan with one key give each other
/// away. A change that leaves both as they were is not noticed: do not change FILE before all shares are sealed, and make a
/// new plan if it was changed.
#[derive(Debug, Args)]
#[command(help_template = EXAMPLES_FIRST, after_help = "\
Examples:
  abreast plan big -o big.plan
  abreast seal big --plan big.plan --share 1/3 --key-file my.key -o big.abreast.1
  abreast seal big --plan big.plan --share 2/3 --key-file my.key -o big.abreast.2
  abreast seal big --plan big.plan --share 3/3 --key-file my.key -o big.abreast.3
  cat big.abreast.1 big.abreast.2 big.abreast.3 > big.abreast
  In an array of jobs of Slurm, --array=1-N: --share $SLURM_ARRAY_TASK_ID/N
  In an indexed job of Kubernetes: --share $((JOB_COMPLETION_INDEX + 1))/N")]
pub struct PlanArgs {
    /// The file that is to be sealed
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Write the plan to this file, - for standard output
    #[arg(short, long, value_name = "PLAN", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Replace an existing output
    #[arg(short, long)]
    pub force: bool,
    /// Length of the parts that are shared out, up to 1024M, with K for KiB and M for MiB, rounded down to chunks of 16
    /// KiB, at least one of them; longer where there would be more than 10000 of them [default: 8M]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub part_size: Option<usize>,
}

/// Authenticate sealed files, writing nothing
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The files to authenticate, - for standard input, which is the default if it is a pipe or a file
    #[arg(id = SEALED, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,
    /// The format.
    #[command(flatten)]
    pub format: FormatArgs,
    /// The trusted length of a stream.
    #[command(flatten)]
    pub length: LengthArgs,
    /// The folders of the call.
    #[command(flatten)]
    pub tree: TreeArgs,
    /// The source of the key.
    #[command(flatten)]
    pub key: KeyArgs,
    /// The bound on the hash.
    #[command(flatten)]
    pub hash: HashLimitArgs,
    /// The threads and the style of progress.
    #[command(flatten)]
    pub work: WorkArgs,
    /// The report.
    #[command(flatten)]
    pub talk: TalkArgs,
}

/// Show each cipher with the kernels that this CPU can run, and the OpenCL devices
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  abreast kernels
  abreast kernels aes-256")]
pub struct KernelsArgs {
    /// A cipher, to show each of its kernels and modes with the reason for the choice
    #[arg(value_name = "CIPHER", value_parser = PossibleValuesParser::new(crate::choice::names()))]
    pub cipher: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Print the completions of a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  abreast completions bash > ~/.local/share/bash-completion/completions/abreast")]
pub struct CompletionsArgs {
    /// The shell
    pub shell: Shell,
}

/// Show the manual page, or write the pages of all commands
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The folder to write the pages to, in place of those that are there
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: Option<PathBuf>,
}

/// Parses a number of threads.
fn parse_jobs(given: &str) -> Result<NonZeroUsize, &'static str> {
    given.parse().map_err(|_| "the number of threads is a whole number from 1 on")
}
