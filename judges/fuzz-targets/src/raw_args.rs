//! `abreast raw`: arguments from the command line to the output.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::os::fd::AsRawFd;
use std::path::PathBuf;

use abreast::kernels::algorithms;
use abreast::modes::Direction;
use abreast_cli::fuzzing::{Cli, Command, Mode, RawArgs, RawDirection, RawRun, run_raw};
use abreast_cli::{Failure, one_line};
use arbitrary::Arbitrary;
use clap::{Parser, ValueEnum};
use rustix::fs::{MemfdFlags, memfd_create};

use crate::common::Random;
use crate::input::{fields, pick};

#[derive(Arbitrary, Debug)]
struct Case<'a> {
    decrypt: bool,
    seed: u64,
    cipher: u8,
    mode: Option<u8>,
    key: Hex<'a>,
    iv: Option<Hex<'a>>,
    aad: Vec<Hex<'a>>,
    counter_bits: Option<u8>,
    tag_len: Option<u32>,
    unit: Option<u32>,
    drop: Option<u64>,
    legacy: bool,
    kernel: Option<u8>,
    len: u16,
    others: Vec<&'a str>,
}

/// The value of an argument that takes bytes.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Hex<'a> {
    /// Random bytes of the length that is wanted.
    Right,
    Bytes(&'a [u8]),
    Text(&'a str),
}

impl Hex<'_> {
    fn text(self, random: &mut Random, wanted: usize) -> String {
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        match self {
            Self::Right => hex(&random.bytes(wanted)),
            Self::Bytes(bytes) => hex(bytes),
            Self::Text(text) => text.to_owned(),
        }
    }
}

/// The kernels, and one that there is not.
const KERNELS: [&str; 7] = ["avx512", "vaes", "aesni", "sliced-sse2", "avx2", "sse2", "none"];

/// Messages have up to so many bytes, or as many more or less than what the command takes at a time.
const LONGEST: usize = 300;
const BATCH: usize = 128 * 1024;
/// Strings of associated data, and other arguments.
const MOST_STRINGS: usize = 8;
/// The most that is tried.
const MOST_DROPPED: u64 = 1 << 16;
const LONGEST_TAG: usize = 1 << 16;
const LONGEST_UNIT: usize = 1 << 18;

/// The name of a mode of the command, or of none.
fn mode_name(byte: u8) -> String {
    let mode = Mode::value_variants().get(usize::from(byte) % (Mode::value_variants().len() + 1));
    let name = mode.and_then(|mode| Some(mode.to_possible_value()?.get_name().to_owned()));
    name.unwrap_or_else(|| "none".to_owned())
}

/// Whatever the arguments are, they are refused by a message that shows no key, or work; what was encrypted decrypts
/// with the same arguments to what it was.
pub(crate) fn run(data: &[u8]) {
    let Some(case) = fields::<Case<'_>>(data) else { return };
    let mut random = Random::new(case.seed);
    let (arguments, key) = case.arguments(&mut random);
    let command = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli.command,
        Err(error) => {
            let text = one_line(&error.render().to_string());
            assert!(!text.chars().any(char::is_control), "{text:?}");
            let shown = key.len() >= 16 && text.contains(&key);
            assert!(!shown || case.others.iter().any(|other| other.contains(&key)), "the key is in {text:?}");
            return;
        }
    };
    let Command::Raw(RawArgs { direction }) = command else { return };
    let (direction, run) = match direction {
        RawDirection::Encrypt(run) => (Direction::Encrypt, run),
        RawDirection::Decrypt(run) => (Direction::Decrypt, run),
    };
    // Values that a user may ask for and that would take too long here. Lengths that nobody has are tried.
    let too_long = |len: Option<usize>, most| len.is_some_and(|len| (most..1 << 40).contains(&len));
    if run.drop.is_some_and(|drop| drop > MOST_DROPPED)
        || too_long(run.tag_len, LONGEST_TAG)
        || too_long(run.unit, LONGEST_UNIT)
    {
        return;
    }
    let mut len = usize::from(case.len) % LONGEST;
    if case.len >= 1 << 15 {
        len += BATCH - LONGEST / 2;
    }
    let message = random.bytes(len);
    let (result, sent, run) = pass(direction, run, &message);
    if result.is_err() || direction == Direction::Decrypt || run.mode == Some(Mode::Cmac) {
        return;
    }
    let (result, received, _) = pass(Direction::Decrypt, run, &sent);
    assert!(result.is_ok(), "{arguments:?}: encrypted, and then: {result:?}");
    assert!(received == message, "{arguments:?}: decrypted to another message");
}

/// Runs it from a file in memory to another.
fn pass(direction: Direction, run: RawRun, message: &[u8]) -> (Result<(), Failure>, Vec<u8>, RawRun) {
    let file = |content: &[u8]| {
        let mut file = File::from(memfd_create("raw", MemfdFlags::CLOEXEC).expect("a file in memory"));
        file.write_all(content).expect("memory can be written");
        file
    };
    let path = |file: &File| PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    let (from, mut to) = (file(message), file(b"what was there before"));
    let run = RawRun { input: path(&from), output: path(&to), force: true, ..run };
    let args = RawArgs {
        direction: match direction {
            Direction::Encrypt => RawDirection::Encrypt(run),
            Direction::Decrypt => RawDirection::Decrypt(run),
        },
    };
    let result = run_raw(&args);
    let mut output = Vec::new();
    to.rewind().and_then(|()| to.read_to_end(&mut output)).expect("memory can be read");
    let (RawDirection::Encrypt(run) | RawDirection::Decrypt(run)) = args.direction;
    (result, output, run)
}

impl Case<'_> {
    /// The command line, and the key in it.
    fn arguments(&self, random: &mut Random) -> (Vec<String>, String) {
        let cipher = usize::from(self.cipher) % (algorithms().len() + 2);
        let (name, key_len, block) = match algorithms().get(cipher) {
            Some(cipher) => (cipher.name(), cipher.key_len(), cipher.block_size()),
            None if cipher == algorithms().len() => ("aez", 48, 12),
            None => ("rc4", 16, 0),
        };
        let mode = self.mode.map(mode_name);
        let (keys, iv_len) = match mode.as_deref() {
            Some("xts") => (2, 16),
            Some("gcm" | "gcm-siv") => (1, 12),
            _ => (1, block),
        };
        let mut arguments =
            ["abreast", "raw", if self.decrypt { "decrypt" } else { "encrypt" }].map(str::to_owned).to_vec();
        let mut give = |option: &str, value: String| arguments.push(format!("--{option}={value}"));
        let key = self.key.text(random, keys * key_len);
        give("cipher", name.to_owned());
        give("key", key.clone());
        let mut maybe =
            |option: &str, value: Option<String>| value.into_iter().for_each(|value| give(option, value));
        maybe("mode", mode);
        maybe("iv", self.iv.map(|iv| iv.text(random, iv_len)));
        for aad in self.aad.iter().take(MOST_STRINGS) {
            maybe("aad", Some(aad.text(random, 20)));
        }
        maybe("counter-bits", self.counter_bits.map(|bits| (1_u32 << (bits % 9)).to_string()));
        maybe(
            "tag-len",
            self.tag_len.map(|len| if len % 4 == 0 { len.to_string() } else { (len % 20).to_string() }),
        );
        maybe("unit", self.unit.map(|unit| unit.to_string()));
        maybe("drop", self.drop.map(|drop| (drop % 1000).to_string()));
        maybe("kernel", self.kernel.map(|kernel| pick(&KERNELS, kernel).to_owned()));
        if self.legacy {
            arguments.push("--legacy".to_owned());
        }
        arguments.extend(self.others.iter().take(MOST_STRINGS).map(|other| (*other).to_owned()));
        (arguments, key)
    }
}
