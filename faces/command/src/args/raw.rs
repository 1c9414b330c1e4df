//! Arguments of `raw`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use abreast::kernels::{Algorithm, algorithms};
use abreast::modes::CounterWidth;
use abreast::table::{ModeBlocks, ModeKeys, ModeRow, sealing_modes};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use zeroize::Zeroizing;

/// The warning that other users can see the keys of `raw`.
const KEYS_SHOW: &str = "\
The keys are arguments here: every user of this machine can see them while the command runs, and the
shell may keep them in its history. To keep anything secret, use seal and open.";

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
    /// Encrypt; eax, gcm, gcm-siv and aez put the tag after the ciphertext, siv before it, cmac writes the tag alone
    Encrypt(RawRun),
    /// Decrypt; eax, gcm, gcm-siv, siv and aez release nothing before the tag is verified
    ///
    /// Only eax, gcm, gcm-siv, siv and aez authenticate. With eax and gcm, an output file (-o) appears once the tag is
    /// verified; output to a pipe is held in memory until then, up to 16 MiB. cbc-pkcs7 holds its output back
    /// in the same way until the padding is checked, but correct padding does not authenticate a message. gcm-siv,
    /// siv and aez hold the whole message in memory, however long. cmac has nothing to decrypt: make the tag with encrypt,
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
    /// The key; of xts both keys, that for the data first, of siv both, that for the tag first. Keys of gcm-siv are those of
    /// aes-128 and aes-256. Keys of aez have any length, 48 bytes being usual, those of rc4 1 to 256 bytes
    #[arg(long, value_name = "HEX")]
    pub key: Hex,
    /// The IV of cbc, cbc-pkcs7, cfb, cfb8 and ofb or the first counter block of ctr (a block), the nonce of gcm (12
    /// bytes, or any number), of gcm-siv (12 bytes) or of eax, siv and aez (any number, or '' for none), the number of the first
    /// unit of xts (16 bytes, little-endian), or the tweak of hctr2 (any number, or '' for none)
    #[arg(long, value_name = "HEX")]
    pub iv: Option<Hex>,
    /// Data that eax, gcm, gcm-siv, siv or aez authenticates along with the message; for aez it may be given several
    /// times, each time for one more string of associated data. siv always has one string, by default an empty one
    #[arg(long, value_name = "HEX")]
    pub aad: Vec<Hex>,
    /// Number of bits of the counter block that ctr counts with [default: all]
    #[arg(long, value_name = "N", value_parser = counter_parser(), allow_negative_numbers = true)]
    pub counter_bits: Option<CounterWidth>,
    /// Length of the tag in bytes: 4, 8 or 12 to 16 for gcm, 16 for gcm-siv and siv, 1 to a block for eax and cmac, 0 to
    /// 16 MiB for aez, of which 0 authenticates nothing [default: a block, 16 for aez]
    #[arg(long, value_name = "N", value_parser = parse_whole::<usize>, allow_negative_numbers = true)]
    pub tag_len: Option<usize>,
    /// Length of a data unit of xts in bytes, 16 to 16 MiB; the last one may have less, but not less
    /// than 16 [default: 512]
    #[arg(long, value_name = "N", value_parser = parse_whole::<usize>, allow_negative_numbers = true)]
    pub unit: Option<usize>,
    /// Bytes of the keystream of rc4 to leave out in front of the message [default: 0]
    #[arg(long, value_name = "N", value_parser = parse_whole::<u64>, allow_negative_numbers = true)]
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
    /// A message of 16 bytes or more as one wide block, which has to fit in memory: blocks of 16 bytes only
    Hctr2,
    /// EAX (Bellare, Rogaway, Wagner): authenticated
    Eax,
    /// Galois/Counter Mode (NIST SP 800-38D): authenticated, blocks of 16 bytes only
    Gcm,
    /// A tag and no ciphertext (NIST SP 800-38B)
    Cmac,
    /// The name of another mode of the library's table, in which it is for AES alone: authenticated, a message as a whole.
    #[value(skip)]
    Sealing(&'static str),
}

impl Mode {
    /// Returns the name of the mode.
    pub(crate) fn name(self) -> String {
        match self {
            Mode::Sealing(name) => name.into(),
            mode => mode.to_possible_value().map_or_else(String::new, |value| value.get_name().into()),
        }
    }

    /// Returns true if the mode is for blocks of 128 bits alone.
    pub fn needs_blocks_of_16(self) -> bool {
        ModeRow::from_name(&self.name()).is_some_and(|row| row.blocks == ModeBlocks::Of16)
    }

    /// Returns the number of keys that the mode takes.
    pub fn keys(self) -> usize {
        match ModeRow::from_name(&self.name()) {
            Some(ModeRow { keys: ModeKeys::OfCiphers(keys), .. }) => *keys,
            _ => 1,
        }
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

/// Parses the name of a cipher.
fn cipher_parser() -> impl TypedValueParser<Value = RawCipher> {
    PossibleValuesParser::new(RawCipher::all().map(RawCipher::name)).map(|given| {
        let known = RawCipher::all().find(|cipher| cipher.name() == given);
        known.expect("only known names come here")
    })
}

/// Parses the name of a mode: one that runs over any cipher here, or of another row of the library's table that is authenticated
/// encryption.
fn mode_parser() -> impl TypedValueParser<Value = Mode> {
    let is_here =
        |name| Mode::from_str(name, false).is_ok() || RawCipher::all().any(|cipher| cipher.name() == name);
    let own = move || sealing_modes().map(|(row, _)| row.name).filter(move |name| !is_here(name));
    let help = "Authenticated, for keys of AES; a message has to fit in memory";
    let of_table = own().map(|name| PossibleValue::new(name).help(help));
    let for_any = Mode::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    PossibleValuesParser::new(for_any.chain(of_table)).map(move |given| {
        let of_table = own().find(|name| *name == given).map(Mode::Sealing);
        of_table.or_else(|| Mode::from_str(&given, false).ok()).expect("only known names come here")
    })
}

/// Parses a number of bytes.
fn parse_whole<T: FromStr>(given: &str) -> Result<T, &'static str> {
    given.parse().map_err(|_| "the number of bytes is a whole number from 0 on")
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
