//! The command line. Its completions and manual pages come from here too.

mod files;
mod reseal;

use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use abreast::kernels::{Algorithm, algorithms};
use abreast::modes::CounterWidth;
use abreast::table::{MODES, ModeKeys};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use zeroize::Zeroizing;

use crate::key_args::{HashLimitArgs, InspectArgs, KeyArgs, KeygenArgs, NewHashArgs};
use crate::progress::Style;
use crate::range::{ByteRange, Share, parse_size};

pub use files::{OutputArgs, TalkArgs, TreeArgs};
pub use reseal::ResealArgs;

/// The end of the help of the command as a whole.
const AFTER_HELP: &str = "\
Exit codes:
  0  done
  1  something cannot be read or written, or an OpenCL device fails or is missing
  2  wrong arguments, a bad key file, or a message of a length that a mode of raw does not take
  3  authentication failed: another key, or the file was changed or cut off, or is not a sealed file;
     of raw, wrong padding too
  4  the output exists already, or is another file of the same call
  5  some of several files failed
  128+n  ended by signal n

The book has guides for files, keys, several machines and raw ciphers. It is in share/doc/abreast/book
of an installation, and at https://github.com/abreast/abreast/blob/main/book/src/SUMMARY.md";

/// The warning that other users can see the keys of `raw`.
const KEYS_SHOW: &str = "\
The keys are arguments here: every user of this machine can see them while the command runs, and the
shell may keep them in its history. To keep anything secret, use seal and open.";

/// Text of the help before the commands.
const ABOUT: &str = "\
Seal and open files with symmetric encryption at hardware speed

  abreast seal notes.txt --new-key my.key                 encrypt a file under a new key
  abreast open notes.txt.abreast -k my.key                get it back
  abreast seal -r photos --output-dir vault -k my.key     a folder
  abreast verify -r vault -k my.key                       check everything
  abreast reseal -r vault -k my.key --to-new-key new.key  change the key

One secret key or passphrase seals and opens. To send files to other people, use age.";

/// Text of the help about the format.
const FORMAT: &str = "\
Format:
  Sealed files are Cobblestone-256 (C2SP chunked encryption over AES-256-GCM): authenticated in chunks of
  16 KiB, which all cores work on and which can be opened in ranges. --cipher aes-128-gcm makes it
  Cobblestone-128. With --cipher serpent-256-gcm the construction is the same over Serpent, under a name
  private to this command: not Cobblestone, and for nothing else to open.
";

/// The order of the help of a command: its examples come before its options.
pub(crate) const EXAMPLES_FIRST: &str =
    "{about-with-newline}\n{usage-heading} {usage}\n\n{after-help}\n\n{all-args}\n";

/// Seal and open files with symmetric encryption at hardware speed
#[derive(Debug, Parser)]
#[command(name = "abreast", version, long_about = ABOUT, after_help = AFTER_HELP)]
#[command(after_long_help = format!("{FORMAT}\n{AFTER_HELP}"))]
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
    #[arg(short, long, value_name = "N", value_parser = parse_jobs)]
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
    /// Remove each original once its sealed file is on the disk, was opened again and holds the same bytes
    #[arg(long)]
    pub rm: bool,
    /// Seal files that have the name of a sealed one, too
    #[arg(long)]
    pub include_sealed: bool,
    /// Seal standard input even if it is empty, as it is after a command that failed
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
    /// Seal as the plan in this file says, which abreast plan made of the one FILE. It wants a key
    #[arg(long, help_heading = "Several machines", value_name = "PLAN", value_hint = ValueHint::FilePath)]
    pub plan: Option<PathBuf>,
    /// Only share I of N, from 1/N to N/N, of which each is sealed by itself and all, put together in their
    /// order, are the sealed file. It wants --plan, and --output
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
  abreast open --range -1K.. notes.txt.abreast -k my.key -o - | less")]
pub struct OpenArgs {
    /// The files to open, - for standard input, which is the default if it is a pipe or a file
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
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
    /// Only these bytes of the contents, the one at B not included; A or B may be left out, and -A counts from the end.
    /// It wants one FILE, and --output
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
    /// It wants one FILE, and --output
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
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,
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
pub struct KernelsArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Run a cipher and mode as they are, for tests and for the formats of others
#[derive(Debug, Args)]
#[command(after_help = KEYS_SHOW)]
pub struct RawArgs {
    /// The direction.
    #[command(subcommand)]
    pub direction: RawDirection,
}

/// The direction.
#[derive(Debug, Subcommand)]
pub enum RawDirection {
    /// Encrypt; eax, gcm, gcm-siv and aez put the tag after the ciphertext, cmac writes the tag alone
    Encrypt(RawRun),
    /// Decrypt; eax, gcm, gcm-siv and aez release nothing before the tag at the end is verified
    ///
    /// Only eax, gcm, gcm-siv and aez authenticate. With eax and gcm, an output file (-o) appears once the tag is
    /// verified; output to a pipe is held in memory until then, up to 16 MiB. cbc-pkcs7 holds its output back
    /// in the same way until the padding is checked, but correct padding does not authenticate a message. gcm-siv
    /// and aez hold the whole message in memory, however long. cmac has nothing to decrypt: make the tag with encrypt,
    /// and compare.
    Decrypt(RawRun),
}

/// A cipher, a mode and their arguments.
#[derive(Debug, Args)]
#[command(after_help = KEYS_SHOW)]
pub struct RawRun {
    /// The cipher; names that end in -be have big-endian words, such as xtea-be, where xtea has little-endian ones. aez
    /// (version 5) works on a message as a whole, which has to fit in memory. rc4 is broken, and wants --legacy
    #[arg(long, value_name = "CIPHER", value_parser = cipher_parser())]
    pub cipher: RawCipher,
    /// The mode; aez and rc4 take none, the other ciphers need one
    #[arg(long, value_name = "MODE", value_parser = mode_parser())]
    pub mode: Option<Mode>,
    /// The key; of xts both keys, that for the data first. Keys of gcm-siv are those of aes-128 and aes-256. Keys of aez have
    /// any length, 48 bytes being usual, those of rc4 1 to 256 bytes
    #[arg(long, value_name = "HEX")]
    pub key: Hex,
    /// The IV of cbc, cbc-pkcs7, cfb, cfb8 and ofb or the first counter block of ctr (a block), the nonce of gcm (12
    /// bytes, or any number), of gcm-siv (12 bytes) or of eax and aez (any number, or '' for none), or the number of the first
    /// unit of xts (16 bytes, little-endian)
    #[arg(long, value_name = "HEX")]
    pub iv: Option<Hex>,
    /// Data that eax, gcm, gcm-siv or aez authenticates along with the message; for aez it may be given several
    /// times, each time for one more string of associated data
    #[arg(long, value_name = "HEX")]
    pub aad: Vec<Hex>,
    /// Number of bits of the counter block that ctr counts with [default: all]
    #[arg(long, value_name = "N", value_parser = counter_parser())]
    pub counter_bits: Option<CounterWidth>,
    /// Length of the tag in bytes: 4, 8 or 12 to 16 for gcm, 16 for gcm-siv, 1 to a block for eax and cmac, 0 to
    /// 16 MiB for aez, of which 0 authenticates nothing [default: a block, 16 for aez]
    #[arg(long, value_name = "N")]
    pub tag_len: Option<usize>,
    /// Length of a data unit of xts in bytes, 16 to 16 MiB; the last one may have less, but not less
    /// than 16 [default: 512]
    #[arg(long, value_name = "N")]
    pub unit: Option<usize>,
    /// Bytes of the keystream of rc4 to leave out in front of the message [default: 0]
    #[arg(long, value_name = "N")]
    pub drop: Option<u64>,
    /// Allow rc4, which is broken: to read what is there, and for what cannot be changed
    #[arg(long)]
    pub legacy: bool,
    /// The kernel, one that `abreast kernels` shows; opencl for a GPU, or auto for the GPU or the CPU, whichever is
    /// expected to be faster: for ecb, ctr and xts; not for rc4 [default: the best of the CPU]
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// The device for --kernel opencl or auto: its name or a part of it [default: the first that `abreast kernels` shows]
    #[arg(long, value_name = "NAME", requires = "kernel")]
    pub device: Option<String>,
    /// Read from this file, - for standard input
    #[arg(value_name = "IN", default_value = "-", value_hint = ValueHint::FilePath)]
    pub input: PathBuf,
    /// Write to this file, - for standard output
    #[arg(short, long, value_name = "OUT", default_value = "-", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Replace an existing output
    #[arg(short, long)]
    pub force: bool,
}

/// A cipher of `raw`.
#[derive(Clone, Copy, Debug)]
pub enum RawCipher {
    /// A block cipher, in a mode.
    Block(Algorithm),
    /// AEZ.
    Aez,
    /// RC4.
    Rc4,
}

impl RawCipher {
    /// All of them.
    fn all() -> impl Iterator<Item = Self> {
        algorithms().iter().copied().map(Self::Block).chain([Self::Aez, Self::Rc4])
    }

    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Block(cipher) => cipher.name(),
            Self::Aez => "aez",
            Self::Rc4 => "rc4",
        }
    }
}

/// A mode of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// Each block by itself: whole blocks only, and equal blocks show
    Ecb,
    /// Cipher block chaining (NIST SP 800-38A): whole blocks only
    Cbc,
    /// Cipher block chaining for messages of any length, padded as in PKCS#7 (RFC 5652)
    CbcPkcs7,
    /// Cipher feedback with segments of a block (NIST SP 800-38A)
    Cfb,
    /// Cipher feedback with segments of a byte
    Cfb8,
    /// Output feedback (NIST SP 800-38A)
    Ofb,
    /// Counter mode (NIST SP 800-38A)
    Ctr,
    /// Sectors of a disk (IEEE 1619): blocks of 16 bytes only
    Xts,
    /// EAX (Bellare, Rogaway, Wagner): authenticated
    Eax,
    /// Galois/Counter Mode (NIST SP 800-38D): authenticated, blocks of 16 bytes only
    Gcm,
    /// A tag and no ciphertext (NIST SP 800-38B)
    Cmac,
    /// The name of a mode of the library's table that is for AES alone: authenticated, a message as a whole.
    #[value(skip)]
    Sealing(&'static str),
}

impl Mode {
    /// Returns true if the mode is for blocks of 128 bits alone.
    pub const fn needs_blocks_of_16(self) -> bool {
        matches!(self, Mode::Xts | Mode::Gcm)
    }

    /// Returns the number of keys that the mode takes.
    pub const fn keys(self) -> usize {
        if matches!(self, Mode::Xts) { 2 } else { 1 }
    }
}

/// Bytes in hexadecimal, not decoded yet: a message about a bad argument would show a key.
#[derive(Clone)]
pub struct Hex(pub Zeroizing<String>);

impl fmt::Debug for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hex(..)")
    }
}

impl From<&str> for Hex {
    fn from(text: &str) -> Hex {
        Hex(Zeroizing::new(text.into()))
    }
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

/// Print the manual page, or write the pages of all commands
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

/// Parses the name of a cipher.
fn cipher_parser() -> impl TypedValueParser<Value = RawCipher> {
    PossibleValuesParser::new(RawCipher::all().map(RawCipher::name)).map(|given| {
        let known = RawCipher::all().find(|cipher| cipher.name() == given);
        known.expect("only known names come here")
    })
}

/// Parses the name of a mode: one of those for any cipher, or of a row of the library's table that is for AES alone.
fn mode_parser() -> impl TypedValueParser<Value = Mode> {
    let own = || MODES.iter().filter(|row| matches!(row.keys, ModeKeys::Own([_, ..]))).map(|row| row.name);
    let help = "Authenticated, for keys of AES; a message has to fit in memory";
    let of_table = own().map(|name| PossibleValue::new(name).help(help));
    let for_any = Mode::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    PossibleValuesParser::new(for_any.chain(of_table)).map(move |given| {
        let of_table = own().find(|name| *name == given).map(Mode::Sealing);
        of_table.or_else(|| Mode::from_str(&given, false).ok()).expect("only known names come here")
    })
}

/// Parses the number of bits that count.
fn counter_parser() -> impl TypedValueParser<Value = CounterWidth> {
    PossibleValuesParser::new(["16", "32", "64", "128"]).map(|bits| match &*bits {
        "16" => CounterWidth::Bits16,
        "32" => CounterWidth::Bits32,
        "64" => CounterWidth::Bits64,
        _ => CounterWidth::Bits128,
    })
}
