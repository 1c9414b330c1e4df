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
    /// HMAC-SHA-1 with keys of 20 bytes, tags cut to 12.
    HmacSha1,
    /// HMAC-SHA-256 with keys of 32 bytes, tags cut to 16.
    HmacSha256,
    /// Counter Galois Onion with AES-128, at a relay.
    Cgo,
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
            Self::HmacSha1 => c"hmac-sha1",
            Self::HmacSha256 => c"hmac-sha256",
            Self::Cgo => c"cgo",
        }
    }

    /// The bytes of a key.
    const fn key_len(self) -> usize {
        match self {
            Self::Aes128 | Self::Xtea | Self::Rc4 => 16,
            Self::HmacSha1 => 20,
            Self::Aes256 | Self::Serpent256 | Self::HmacSha256 => 32,
            Self::Aez => 48,
            Self::Cgo => 180,
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
    /// Encrypts and authenticates as `Gcm` does, with keys of each message's own (RFC 8452).
    GcmSiv,
    /// Encrypts at the message's own length, with 16 bytes of tweak.
    Hctr2,
    /// Wraps a key (RFC 3394), from the front of a buffer into the rest of it.
    KeyWrap,
    /// Protects a packet of RTP: counter mode, and HMAC-SHA-1 with tags of 10 bytes. Session keys are given: to encrypt with, to
    /// authenticate with, and the salt.
    Srtp,
    /// Seals a packet of ESP: CBC, and HMAC-SHA-256 with tags of 16 bytes. Keys are given one after the other.
    EspCbc,
    /// Takes a cell from the client's side.
    Forward,
    /// Encrypts a cell for the client, and makes new keys.
    Originate,
    /// The cipher without a mode: RC4 goes on with its stream, HMAC authenticates, and AEZ encrypts and authenticates, with
    /// nonces, associated data and tags as in EAX.
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
            Self::GcmSiv => c"gcm-siv",
            Self::Hctr2 => c"hctr2",
            Self::KeyWrap => c"key-wrap",
            Self::Srtp => c"srtp-sha1",
            Self::EspCbc => c"esp-cbc-sha256",
            Self::Forward => c"forward",
            Self::Originate => c"originate",
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

    /// The bytes of a key, or of all keys of a message.
    pub(crate) const fn key_len(&self) -> usize {
        let first = self.cipher.key_len();
        first
            + match self.mode {
                Mode::Xts => first,
                Mode::Srtp => 20 + 14,
                Mode::EspCbc => 32,
                _ => 0,
            }
    }

    /// The bytes before a message that belong to its packet: a header, and in ESP the vector.
    pub(crate) const fn front(&self) -> usize {
        match self.mode {
            Mode::Srtp => 12,
            Mode::EspCbc => 24,
            _ => 0,
        }
    }

    /// The bytes after a message of `size` bytes that are for its tag, or for the wrapped key.
    pub(crate) const fn behind(&self, size: usize) -> usize {
        match (self.cipher, self.mode) {
            (Cipher::Aez, _) | (_, Mode::EspCbc) => 16,
            (_, Mode::Srtp) => 10,
            (_, Mode::KeyWrap) => size + 8,
            _ => 0,
        }
    }
}

/// From a block to a message that no longer fits into the second-level cache of most cores.
const SIZES: &[usize] = &[16, 64, 256, 1600, 16 << 10, 1 << 20];
/// A block, two, and the two sizes of the article about XTEA, with those above between.
const XTEA_SIZES: &[usize] = &[8, 16, 32, 64, 256, 1600, 16 << 10, 25_000, 500_000, 1 << 20];
/// Sizes of packets in a network.
const PACKET_SIZES: &[usize] = &[16, 64, 256, 1600];

/// Keys that are wrapped.
const WRAPPED_SIZES: &[usize] = &[16, 32];
/// Whole blocks of text, as CBC takes them: a packet of speech, and up to a full frame of a network.
const TEXT_SIZES: &[usize] = &[64, 160, 256, 1424];

/// A relay cell without its header.
const CELL_SIZES: &[usize] = &[509];

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
    messages(Cipher::Aes128, Mode::GcmSiv),
    messages(Cipher::Aes256, Mode::GcmSiv),
    packets(Cipher::Aes128, Mode::GcmSiv),
    packets(Cipher::Aes256, Mode::GcmSiv),
    messages(Cipher::Aes256, Mode::Hctr2),
    packets(Cipher::Aes256, Mode::Hctr2),
    Row { cipher: Cipher::Aes256, mode: Mode::KeyWrap, task: Task::Packets, sizes: WRAPPED_SIZES },
    packets(Cipher::HmacSha1, Mode::Itself),
    packets(Cipher::HmacSha256, Mode::Itself),
    Row { cipher: Cipher::Aes128, mode: Mode::Srtp, task: Task::Packets, sizes: TEXT_SIZES },
    Row { cipher: Cipher::Aes128, mode: Mode::EspCbc, task: Task::Packets, sizes: TEXT_SIZES },
    Row { cipher: Cipher::Cgo, mode: Mode::Forward, task: Task::Packets, sizes: CELL_SIZES },
    Row { cipher: Cipher::Cgo, mode: Mode::Originate, task: Task::Packets, sizes: CELL_SIZES },
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
