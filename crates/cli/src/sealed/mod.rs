//! Sealed files: C2SP chunked encryption ("Cobblestone-128" and "Cobblestone-256",
//! <https://c2sp.org/chunked-encryption>) over AES-GCM, with key files and passphrases.
//!
//! ```text
//! [passphrase line] salt[24] commitment[32] chunk 0, chunk 1, .., last chunk
//! ```
//!
//! A chunk is 16 KiB of plaintext and a 16-byte tag; the last one is shorter, possibly empty, and
//! ends the file. Key, nonces and commitment come from the key of the file, the salt and a context
//! by HKDF-Expand ([`chunks`]). The format has no header: which AEAD it is lives with the key, in
//! the key file ([`keyfile`]) or in a line of text ahead of everything else ([`passphrase`]). That
//! line is the context, so that no byte of the file goes unauthenticated.
//!
//! Serpent-256-GCM takes the place of AES-GCM under a name of our own in the key derivation. Such files are
//! no Cobblestone, and what opens the one does not open the other.
//!
//! Offsets are arithmetic ([`mod@format`]), which is what this module is built on: [`seal`] and [`open`]
//! hand parts of sixteen chunks to as many threads as there are cores ([`workers`]), and a range of
//! the plaintext is opened by reading the chunks it touches and the last one.
//!
//! Nothing here prints, parses arguments or opens files by name.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};

pub(crate) mod chunks;
pub(crate) mod format;
pub(crate) mod keyfile;
pub(crate) mod open;
pub(crate) mod passphrase;
mod random;
pub(crate) mod range;
pub(crate) mod seal;
#[cfg(test)]
mod vectors;
mod workers;

pub(crate) use format::Aead;
pub(crate) use keyfile::Key;
pub(crate) use open::Header;
pub(crate) use range::ByteRange;
pub(crate) use seal::Sealer;

/// Where the bytes come from.
pub(crate) enum Input<'a> {
    /// A file that can be read at any offset, by all threads at once.
    File(&'a File),
    /// Anything else, read in order.
    Stream(&'a mut (dyn Read + Send)),
}

/// Where the bytes go.
pub(crate) enum Output<'a> {
    /// A file that can be written at any offset, by all threads at once.
    File(&'a File),
    /// Anything else, written in order.
    Stream(&'a mut (dyn Write + Send)),
    /// Nowhere: the input is authenticated and that is all.
    Nothing,
}

/// Told how the work comes along, from any thread.
pub(crate) trait Progress: Sync {
    /// So many more bytes of the input are done.
    fn advance(&self, bytes: u64);
}

/// Progress that nobody watches.
#[cfg(test)]
impl Progress for () {
    fn advance(&self, _: u64) {}
}

/// Why sealing or opening failed.
#[derive(Debug)]
pub(crate) enum Error {
    /// The input cannot be read.
    Read(io::Error),
    /// The output cannot be written.
    Write(io::Error),
    /// The system has no random bytes.
    Random(getrandom::Error),
    /// The system gave bytes that are not random.
    NotRandom,
    /// The passphrase hash cannot have the memory it needs, in KiB.
    NoMemory(u32),
    /// The input grew or shrank between two reads.
    InputChanged,
    /// The message is longer than the format's 4 PiB.
    MessageTooLong,
    /// The commitment does not fit the key: another key, or another file.
    WrongKey,
    /// A chunk was changed.
    Chunk(u64),
    /// The input ends where no sealed file ends.
    Truncated,
    /// The passphrase line is not one this version writes.
    PassphraseLine(&'static str),
    /// The passphrase line names a version or algorithm that this version of the command does not have.
    Unknown(&'static str),
    /// The range ends after the message, which has this many bytes.
    RangeBeyondEnd(u64),
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
            Error::MessageTooLong => f.write_str("longer than the 4 PiB a sealed file can hold"),
            Error::WrongKey => f.write_str("authentication failed: another key, or the file was changed"),
            Error::Chunk(index) => write!(f, "authentication failed: chunk {index} was changed"),
            Error::Truncated => f.write_str("authentication failed: cut off, or no sealed file"),
            Error::PassphraseLine(what) => write!(f, "authentication failed: {what}"),
            Error::Unknown(what) => {
                write!(f, "names a {what} that is not known here: it is from a newer version, or was changed")
            }
            Error::RangeBeyondEnd(length) => {
                write!(f, "the range goes beyond the {length} bytes of the message")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Read(error) | Error::Write(error) => Some(error),
            Error::Random(error) => Some(error),
            _ => None,
        }
    }
}
