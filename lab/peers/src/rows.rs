//! The rows of the table: the ciphers, modes and sizes that are measured.

use std::ffi::CStr;

/// A cipher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cipher {
    /// AES with keys of 128 bits.
    Aes128,
    /// AES with keys of 256 bits.
    Aes256,
    /// Serpent with keys of 256 bits.
    Serpent256,
    /// XTEA, with words in little-endian order.
    Xtea,
    /// RC4 with keys of 128 bits.
    Rc4,
    /// AEZ v5 with keys of 384 bits and tags of 128.
    Aez,
}

impl Cipher {
    /// Returns its name in rows and shims.
    pub(crate) const fn name(self) -> &'static CStr {
        match self {
            Self::Aes128 => c"aes128",
            Self::Aes256 => c"aes256",
            Self::Serpent256 => c"serpent256",
            Self::Xtea => c"xtea",
            Self::Rc4 => c"rc4",
            Self::Aez => c"aez",
        }
    }

    /// The bytes of a key.
    pub(crate) const fn key_len(self) -> usize {
        match self {
            Self::Aes128 | Self::Xtea | Self::Rc4 => 16,
            Self::Aes256 | Self::Serpent256 => 32,
            Self::Aez => 48,
        }
    }
}

/// A mode of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Encrypts blocks, each by itself.
    Ecb,
    /// Counter mode, with 32 bits that count where blocks have 128 and with 64 where they have 64.
    Ctr,
    /// Encrypts by cipher block chaining.
    CbcEncrypt,
    /// Decrypts the result of `CbcEncrypt`.
    CbcDecrypt,
    /// Encrypts a data unit.
    Xts,
    /// Encrypts and authenticates: nonces of 12 bytes, 13 bytes of associated data, tags of 16.
    Gcm,
    /// Encrypts and authenticates: nonces of 16 bytes, 13 bytes of associated data, tags of 16.
    Eax,
    /// Authenticates.
    Cmac,
    /// The cipher without a mode: RC4 goes on with its stream, and AEZ encrypts and authenticates, with nonces, associated data
    /// and tags as in EAX.
    Itself,
}

impl Mode {
    /// Returns its name in rows and shims.
    pub(crate) const fn name(self) -> &'static CStr {
        match self {
            Self::Ecb => c"ecb",
            Self::Ctr => c"ctr",
            Self::CbcEncrypt => c"cbc-encrypt",
            Self::CbcDecrypt => c"cbc-decrypt",
            Self::Xts => c"xts",
            Self::Gcm => c"gcm",
            Self::Eax => c"eax",
            Self::Cmac => c"cmac",
            Self::Itself => c"",
        }
    }
}

/// The supply of messages and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Messages one after the other, under one key.
    Messages,
    /// [`PACKETS`] messages at a time, each under a key of its own.
    Packets,
    /// Keys are made ready, and nothing is done with them.
    Keys,
}

/// The messages of a batch.
pub(crate) const PACKETS: usize = 256;

/// A row: a cipher and a mode at several sizes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// The cipher.
    pub(crate) cipher: Cipher,
    /// The mode.
    pub(crate) mode: Mode,
    /// The supply of messages and keys.
    pub(crate) task: Task,
    /// The bytes of a message, in turn. Of keys that are made ready, the message that shows that they are right.
    pub(crate) sizes: &'static [usize],
}

impl Row {
    /// Its name, such as `aes128-ctr`.
    pub(crate) fn name(&self) -> String {
        let (cipher, mode) = (self.cipher.name().to_string_lossy(), self.mode.name().to_string_lossy());
        let work = if mode.is_empty() { cipher.into_owned() } else { format!("{cipher}-{mode}") };
        match self.task {
            Task::Messages => work,
            Task::Packets => format!("packets {work}"),
            Task::Keys => format!("key of {work}"),
        }
    }
}

/// From a block to a message that no longer fits into the second-level cache of most cores.
const SIZES: &[usize] = &[16, 64, 256, 1600, 16 << 10, 1 << 20];
/// A block, two, and the two sizes of the article about XTEA, with those above between.
const XTEA_SIZES: &[usize] = &[8, 16, 32, 64, 256, 1600, 16 << 10, 25_000, 500_000, 1 << 20];
/// Sizes of packets in a network.
const PACKET_SIZES: &[usize] = &[16, 64, 256, 1600];

/// The rows, in the order of the table.
pub(crate) const ROWS: &[Row] = &[
    messages(Cipher::Aes128, Mode::Ecb),
    messages(Cipher::Aes128, Mode::Ctr),
    messages(Cipher::Aes128, Mode::CbcEncrypt),
    messages(Cipher::Aes128, Mode::CbcDecrypt),
    messages(Cipher::Aes128, Mode::Xts),
    messages(Cipher::Aes128, Mode::Gcm),
    messages(Cipher::Aes128, Mode::Eax),
    messages(Cipher::Aes128, Mode::Cmac),
    messages(Cipher::Aes256, Mode::Ecb),
    messages(Cipher::Aes256, Mode::Ctr),
    messages(Cipher::Aes256, Mode::CbcEncrypt),
    messages(Cipher::Aes256, Mode::CbcDecrypt),
    messages(Cipher::Aes256, Mode::Xts),
    messages(Cipher::Aes256, Mode::Gcm),
    messages(Cipher::Aes256, Mode::Eax),
    messages(Cipher::Aes256, Mode::Cmac),
    messages(Cipher::Serpent256, Mode::Ecb),
    messages(Cipher::Serpent256, Mode::Ctr),
    messages(Cipher::Serpent256, Mode::CbcDecrypt),
    messages(Cipher::Serpent256, Mode::Xts),
    Row { cipher: Cipher::Xtea, mode: Mode::Ecb, task: Task::Messages, sizes: XTEA_SIZES },
    Row { cipher: Cipher::Xtea, mode: Mode::Ctr, task: Task::Messages, sizes: XTEA_SIZES },
    messages(Cipher::Rc4, Mode::Itself),
    messages(Cipher::Aez, Mode::Itself),
    packets(Cipher::Aes128, Mode::Ctr),
    packets(Cipher::Aes128, Mode::CbcEncrypt),
    packets(Cipher::Aes128, Mode::Gcm),
    packets(Cipher::Xtea, Mode::Ecb),
    packets(Cipher::Aez, Mode::Itself),
    key(Cipher::Aes128, Mode::Ecb),
    key(Cipher::Aes128, Mode::Gcm),
    key(Cipher::Serpent256, Mode::Ecb),
    key(Cipher::Xtea, Mode::Ecb),
];

const fn messages(cipher: Cipher, mode: Mode) -> Row {
    Row { cipher, mode, task: Task::Messages, sizes: SIZES }
}

const fn packets(cipher: Cipher, mode: Mode) -> Row {
    Row { cipher, mode, task: Task::Packets, sizes: PACKET_SIZES }
}

const fn key(cipher: Cipher, mode: Mode) -> Row {
    Row { cipher, mode, task: Task::Keys, sizes: &[16] }
}
