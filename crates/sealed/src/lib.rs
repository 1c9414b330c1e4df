//! Sealed files: authenticated encryption of whole files, in parts that can be worked on independently.
//!
//! The format is [C2SP chunked encryption](https://c2sp.org/chunked-encryption) ("Cobblestone-128" and
//! "Cobblestone-256") over AES-GCM, with key files and passphrases around it:
//!
//! ```text
//! [passphrase line] salt[24] commitment[32] chunk 0, chunk 1, .., last chunk
//! ```
//!
//! A chunk is 16 KiB of plaintext and a 16-byte tag; the last one is shorter, possibly empty, and ends the file. Key,
//! nonces and commitment come from the key of the file, the salt and a context by HKDF-Expand. The name of the AEAD is
//! stored in the key file or, with a passphrase, in a line of text at the beginning of the sealed file. That line is
//! the context, so that no byte of the file is unauthenticated. Serpent-256-GCM takes the place of AES-GCM under a
//! private name in the key derivation; such files are not Cobblestone, and neither kind opens as the other.
//!
//! # Levels
//!
//! * [`seal`], [`open`] and [`open_range`] work on a message that is in memory, or on a range of it.
//! * [`Sealer`] and [`Opener`] work on any [`Input`] and [`Output`], with several threads and constant memory.
//!   [`ReadAt`] and [`WriteAt`] are what they need of a file, so that an object store can be one.
//! * [`FileCipher`] seals and opens single [parts](PART), without any state but the key and the header: parts can be
//!   spread over machines.
//!
//! Nothing here prints, parses arguments, opens files by name or looks at the environment.
//!
//! # Sizes
//!
//! | in bytes | message | file |
//! |---|---:|---:|
//! | a full chunk | 16,384 ([`CHUNK`]) | 16,400 ([`SEALED_CHUNK`]) |
//! | a full part, 16 chunks | 262,144 ([`PART`]) | 262,400 ([`SEALED_PART`]) |
//! | the last chunk | 0 to 16,383 | 16 ([`TAG`]) more |
//! | the last part | 0 to 262,143 | 16 more for each chunk |
//! | the header | | 56 ([`HEADER`]), and up to 128 ([`MAX_LINE`]) for a passphrase line |
//!
//! Only the last chunk and the last part are not full, and they never are: a message of `n` bytes has
//! `n / CHUNK + 1` chunks and `n / PART + 1` parts. Part `i` is `i * PART` bytes into the message and
//! [`Header::body_offset`]` + i * SEALED_PART` bytes into the file; [`Layout`] computes all of it.
//!
//! # A message in memory
//!
//! ```
//! use abreast_sealed::{Aead, Key, open, seal};
//!
//! let key = Key::generate(Aead::Aes256Gcm)?;
//! let sealed = seal(&key, b"many chunks go over many cores")?;
//! assert_eq!(open(&key, &sealed)?, b"many chunks go over many cores");
//! # Ok::<(), abreast_sealed::Error>(())
//! ```
//!
//! # A range
//!
//! Only the chunks that hold it are read, and the last one, which authenticates the length. The file is anything that
//! implements [`ReadAt`]:
//!
//! ```
//! use abreast_sealed::{Aead, Key, open_range, seal};
//!
//! let key = Key::generate(Aead::Aes128Gcm)?;
//! let message: Vec<u8> = (0..1_000_000_u32).map(|i| i as u8).collect();
//! let sealed = seal(&key, &message)?;
//! assert_eq!(open_range(&key, &sealed, 500_000..500_100)?, message[500_000..500_100]);
//! # Ok::<(), abreast_sealed::Error>(())
//! ```
//!
//! # Parts by workers
//!
//! The header is made once. Whoever has it and the key can seal any part, and knows where it goes:
//!
//! ```
//! use abreast_sealed::{Aead, Header, Key, Layout, SEALED_PART};
//!
//! let key = Key::generate(Aead::Aes256Gcm)?;
//! let message = vec![7; 1_000_000];
//! let layout = Layout::of_message(message.len() as u64)?;
//! let header = Header::generate(&key)?.to_bytes();
//! let mut file = vec![0; header.len() + layout.body() as usize];
//! file[..header.len()].copy_from_slice(&header);
//!
//! // On any machine, in any order, each part once:
//! for index in [3, 0, 2, 1] {
//!     let cipher = Header::from_bytes(&header)?.unlock(&key)?;
//!     let part = layout.part(index).expect("one of layout.parts()");
//!     let bytes = &message[part.message.start as usize..part.message.end as usize];
//!     let mut sealed = vec![0; SEALED_PART];
//!     let len = cipher.seal_part(index, bytes, part.last, &mut sealed)?;
//!     file[header.len() + part.body.start as usize..][..len].copy_from_slice(&sealed[..len]);
//! }
//! assert_eq!(abreast_sealed::open(&key, &file)?, message);
//! # Ok::<(), abreast_sealed::Error>(())
//! ```
//!
//! # A passphrase
//!
//! ```
//! # #[cfg(feature = "passphrase")] {
//! use std::num::NonZeroUsize;
//! use abreast_sealed::{Aead, Costs, Header, Input, Output, Sealer, open};
//!
//! let mut sealed = Vec::new();
//! let passphrase = b"correct horse battery staple";
//! let sealer = Sealer::with_passphrase(passphrase, Aead::Aes256Gcm, Costs::DEFAULT)?;
//! let mut message = &b"a short message"[..];
//! sealer.seal(Input::Stream(&mut message), Output::Stream(&mut sealed), NonZeroUsize::MIN, &())?;
//!
//! // The header says how to hash the passphrase; that takes 64 MiB and a moment.
//! let header = Header::from_bytes(&sealed)?;
//! let line = header.passphrase_line().expect("sealed with a passphrase");
//! let key = line.stretch(passphrase)?;
//! assert_eq!(open(&key, &sealed)?, b"a short message");
//! # }
//! # Ok::<(), abreast_sealed::Error>(())
//! ```
#![forbid(unsafe_code)]

use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::ops::RangeBounds;

mod at;
mod chunks;
mod format;
mod header;
mod keyfile;
mod open;
mod passphrase;
mod random;
mod seal;
#[cfg(test)]
mod vectors;
mod workers;

pub use at::{ReadAt, WriteAt};
pub use chunks::FileCipher;
pub use format::{
    Aead, CHUNK, COMMITMENT, HEADER, Layout, MAX_CHUNKS, PART, PART_CHUNKS, PartRange, SALT, SEALED_CHUNK,
    SEALED_PART, TAG,
};
pub use header::{Header, MAX_HEADER};
pub use keyfile::{Key, KeyFileError, MAGIC as KEY_FILE_MAGIC};
pub use open::Opener;
pub use passphrase::{Costs, MAX_LINE, MAX_PASSPHRASE, PassphraseLine};
pub use seal::Sealer;
pub use workers::{Input, Output, Progress};

/// Seals a message that is in memory: the file, header and all.
///
/// # Errors
/// [`Error::Random`] and [`Error::NotRandom`] if the system has no random bytes for the salt.
pub fn seal(key: &Key, message: &[u8]) -> Result<Vec<u8>, Error> {
    let body = Layout::of_message(message.len() as u64)?.body();
    let mut sealed = Vec::with_capacity(HEADER + usize::try_from(body).unwrap_or(0));
    let sealer = Sealer::new(key)?;
    sealer.seal(Input::At(&message), Output::Stream(&mut sealed), NonZeroUsize::MIN, &())?;
    Ok(sealed)
}

/// Opens a sealed file that is in memory: the message.
///
/// # Errors
/// [`Error::WrongKey`], [`Error::Chunk`], [`Error::LastChunk`] and [`Error::Truncated`] if the file was sealed with
/// another key, changed or cut off, and what [`Header::read`] refuses. Nothing of the message is returned then.
pub fn open(key: &Key, sealed: &[u8]) -> Result<Vec<u8>, Error> {
    open_range(key, &sealed, ..)
}

/// Opens a range of the message of a sealed file, in bytes. Of the file, the header, the last chunk and the chunks that
/// hold the range are read.
///
/// # Errors
/// Those of [`open`], as far as they show in what is read; [`Error::RangeBeyondEnd`] if the range is not within the
/// message, [`Error::RangeReversed`] if it ends before it begins; [`Error::Read`] if the file cannot be read.
pub fn open_range(key: &Key, sealed: &dyn ReadAt, range: impl RangeBounds<u64>) -> Result<Vec<u8>, Error> {
    let opener = Opener::new(&Header::read_at(sealed)?, key)?;
    let mut message = zeroize::Zeroizing::new(Vec::new());
    opener.open_range(range, sealed, Output::Stream(&mut *message), NonZeroUsize::MIN, &())?;
    Ok(std::mem::take(&mut *message))
}

/// Why sealing or opening failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The input cannot be read.
    Read(io::Error),
    /// The output cannot be written.
    Write(io::Error),
    /// The system has no random bytes.
    Random(io::Error),
    /// The system gave bytes that are not random.
    NotRandom,
    /// The passphrase hash cannot have the memory it needs, in KiB.
    NoMemory(u32),
    /// The input grew or shrank while it was read.
    InputChanged,
    /// The input gave another number of bytes than its size.
    InputSize {
        /// Its size in bytes.
        size: u64,
        /// How many bytes it gave.
        read: u64,
    },
    /// The message is longer than the format's 4 PiB.
    MessageTooLong,
    /// A key has another length than the keys of its AEAD.
    KeyLength(Aead),
    /// A passphrase is empty, or longer than [`MAX_PASSPHRASE`].
    PassphraseLength,
    /// The costs of a passphrase hash are out of the bounds of [`Costs`].
    Costs,
    /// The key is not for the AEAD that the passphrase line names.
    OtherAead {
        /// What the key is for.
        key: Aead,
        /// What the line names.
        line: Aead,
    },
    /// A part has another length than a part in its place has.
    PartLength,
    /// A buffer is too short for what a part becomes, which takes this many bytes.
    BufferTooShort(usize),
    /// The commitment does not fit the key: another key, or another file.
    WrongKey,
    /// The chunk of this number was changed.
    Chunk(u64),
    /// The chunk of this number, with which the file ends, is not its last one: it was changed, or the file was cut off
    /// or added to.
    LastChunk(u64),
    /// The input ends where no sealed file ends.
    Truncated,
    /// The passphrase line is not one this version writes.
    PassphraseLine(&'static str),
    /// The passphrase line names a version or algorithm that this version of the library does not have.
    Unknown(&'static str),
    /// The range is not within the message, which has this many bytes.
    RangeBeyondEnd(u64),
    /// The range ends before it begins.
    RangeReversed,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Read(error) => write!(f, "cannot read: {error}"),
            Error::Write(error) => write!(f, "cannot write: {error}"),
            Error::Random(error) => write!(f, "the system gives no random bytes: {error}"),
            Error::NotRandom => f.write_str("the system gives bytes that are not random"),
            Error::NoMemory(kib) => {
                write!(f, "no {} MiB of memory for the passphrase hash", kib.div_ceil(1024))
            }
            Error::InputChanged => f.write_str("the file was changed while it was read"),
            Error::InputSize { size, read } => write!(f, "gave {read} bytes, and has {size}"),
            Error::MessageTooLong => f.write_str("longer than the 4 PiB a sealed file can hold"),
            Error::KeyLength(aead) => {
                write!(f, "a key of {} has {} bytes, and this one has not", aead.short_name(), aead.key_len())
            }
            Error::PassphraseLength => write!(f, "a passphrase has 1 to {MAX_PASSPHRASE} bytes"),
            Error::Costs => f.write_str(
                "the costs of a passphrase hash are 8 MiB to 1 GiB of memory, at most 4 GiB in all passes together, and \
                 1 to 16 lanes",
            ),
            Error::OtherAead { key, line } => {
                let (key, line) = (key.short_name(), line.short_name());
                write!(f, "the key is for {key}, and the passphrase line names {line}")
            }
            Error::PartLength => {
                f.write_str("every part but the last has to be full, and the last one must not be")
            }
            Error::BufferTooShort(needed) => {
                write!(f, "the buffer is too short: what the part becomes takes {needed} bytes")
            }
            Error::WrongKey => f.write_str("authentication failed: another key or passphrase, or the file was changed"),
            Error::Chunk(index) => write!(f, "authentication failed: chunk {index} was changed"),
            Error::LastChunk(index) => write!(
                f,
                "authentication failed: chunk {index}, the last, was changed, or the file was cut off or added to"
            ),
            Error::Truncated => f.write_str("authentication failed: cut off, or no sealed file"),
            Error::PassphraseLine(what) => write!(f, "authentication failed: {what}"),
            Error::Unknown(what) => {
                write!(f, "names a {what} that is not known here: it is from a newer version, or was changed")
            }
            Error::RangeBeyondEnd(length) => {
                write!(f, "the range goes beyond the {length} bytes of the message")
            }
            Error::RangeReversed => f.write_str("the range ends before it begins"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Read(error) | Error::Write(error) | Error::Random(error) => Some(error),
            _ => None,
        }
    }
}

/// The example of the crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
