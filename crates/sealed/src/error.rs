//! The errors of sealing and opening.

use abreast::Counted;
use std::fmt;
use std::io;

use crate::costs::Costs;
use crate::format::{Aead, MAX_PASSPHRASE};
use crate::limits::Limits;

/// The reason why sealing or opening failed.
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
    /// There is no memory for the buffers of the work.
    OutOfMemory,
    /// The input grew or shrank while it was read.
    InputChanged,
    /// The input gave another number of bytes than its size.
    InputSize {
        /// Its size in bytes.
        size: u64,
        /// The number of bytes that it gave.
        read: u64,
    },
    /// The message is longer than the format allows: 4 PiB, and 2 PiB with AGS1.
    MessageTooLong,
    /// A key has another length than the keys of its AEAD.
    KeyLength {
        /// The AEAD that the key was to be for.
        aead: Aead,
        /// The length that it has, in bytes.
        found: usize,
    },
    /// The key of a stream of AGS1 has another length than 16, 24 or 32 bytes: this one.
    AesKeyLength(usize),
    /// A passphrase is empty, or longer than [`MAX_PASSPHRASE`]: it has this many bytes.
    PassphraseLength(usize),
    /// The costs of a passphrase hash are out of bounds.
    Costs(Costs),
    /// The key is not for the AEAD that the passphrase line names.
    OtherAead {
        /// The AEAD that the key is for.
        key: Aead,
        /// The AEAD that the line names.
        line: Aead,
    },
    /// Chunks that are not the last ones of a file are not whole.
    ChunkLength,
    /// A part has another length than the plan gives it.
    PartLength {
        /// Its length by the plan, in bytes.
        planned: u64,
        /// The length that it has.
        found: usize,
    },
    /// The plan has no part of this number.
    NoSuchPart {
        /// The number that was asked for, from 0.
        number: u32,
        /// The parts that there are.
        parts: u32,
    },
    /// There is no such share: its number is 0 or more than the number of shares.
    NoSuchShare {
        /// The share that was asked for, from 1.
        share: u32,
        /// The number that there is.
        shares: u32,
    },
    /// No plan for a message of this length keeps to these limits.
    Limits {
        /// The length of the message, in bytes.
        message_len: u64,
        /// The limits.
        limits: Limits,
    },
    /// A salt begins as a passphrase line does.
    Salt,
    /// A plan is for files that are sealed with a key, and this one was sealed with a passphrase.
    WithPassphrase,
    /// The plan has another salt than the keys were made with.
    OtherSalt,
    /// The message has another length than the plan says.
    OtherLength {
        /// The length by the plan, in bytes.
        planned: u64,
        /// The length that it has.
        found: u64,
    },
    /// These bytes are not those of a [`FileKey`](crate::FileKey).
    FileKey,
    /// A buffer is too short for its contents, which take this many bytes.
    BufferTooShort(usize),
    /// The commitment does not fit the key: another key, or another file.
    WrongKey,
    /// The chunk of this number was changed.
    Chunk(u64),
    /// The chunk of this number, with which the file ends, is not its last one: it was changed, or the file was cut off
    /// or added to.
    LastChunk(u64),
    /// The block of this number of a stream of AGS1 is not authentic: it was changed or moved, or the key or the AAD prefix is
    /// another one.
    Block(u64),
    /// These bytes are not the key metadata of a file of Iceberg.
    KeyMetadata,
    /// The input does not begin as a stream of AGS1 with blocks of 1 MiB does.
    NotAgs1,
    /// A stream of AGS1 has another length than the trusted one.
    SealedLength {
        /// The trusted length in bytes.
        trusted: u64,
        /// The length that it has, if that is known: it is longer if not.
        found: Option<u64>,
    },
    /// Two things that belong together are of different formats: keys, a plan, a file.
    OtherFormat,
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
            Error::OutOfMemory => f.write_str("no memory for the buffers of the work"),
            Error::InputChanged => f.write_str("the file was changed while it was read"),
            Error::InputSize { size, read } => write!(f, "gave {}, and has {size}", Counted(*read, "bytes")),
            Error::MessageTooLong => {
                f.write_str("longer than a sealed file can be: 4 PiB, or 2 PiB with AGS1")
            }
            Error::KeyLength { aead, found } => {
                let (name, len) = (aead.short_name(), aead.key_len());
                write!(f, "the key has {}: {name} takes {len}", Counted(*found, "bytes"))
            }
            Error::PassphraseLength(found) => {
                write!(
                    f,
                    "the passphrase has {}: 1 to {MAX_PASSPHRASE} are accepted",
                    Counted(*found, "bytes")
                )
            }
            Error::Costs(costs) => {
                let bounds = Costs::BOUNDS;
                write!(
                    f,
                    "the costs of the passphrase hash are out of bounds: {costs}; {bounds} are accepted"
                )
            }
            Error::OtherAead { key, line } => {
                let (key, line) = (key.short_name(), line.short_name());
                write!(f, "the key is for {key}, and the passphrase line names {line}")
            }
            Error::ChunkLength => f.write_str("the data ends within a chunk, but is not the end of the file"),
            Error::PartLength { planned, found } => {
                write!(f, "the part has {}, but the plan gives it {planned}", Counted(*found, "bytes"))
            }
            Error::NoSuchPart { number, parts } => {
                let parts = Counted(*parts, "parts");
                write!(f, "the plan has no part {number}: it has {parts}, counted from 0")
            }
            Error::NoSuchShare { share, shares } => write!(f, "there is no share {share} of {shares}"),
            Error::Limits { message_len, limits } => {
                let Limits { min_part, max_parts, .. } = limits;
                let (message, parts) = (Counted(*message_len, "bytes"), Counted(*max_parts, "parts"));
                write!(
                    f,
                    "a message of {message} cannot be cut into at most {parts} of at least {min_part} and at most 64 TiB"
                )
            }
            Error::Salt => f.write_str("the salt begins with abreast/, which only passphrase lines may"),
            Error::WithPassphrase => {
                f.write_str("sealed with a passphrase: plans work only with files sealed with a key")
            }
            Error::OtherSalt => f.write_str("the plan and the keys of the file have different salts"),
            Error::OtherLength { planned, found } => {
                write!(
                    f,
                    "the plan is for a message of {}, and this one has {found}",
                    Counted(*planned, "bytes")
                )
            }
            Error::FileKey => f.write_str("these bytes are not the keys of a file"),
            Error::BufferTooShort(needed) => {
                write!(f, "the buffer is too short for the result, which has {}", Counted(*needed, "bytes"))
            }
            Error::WrongKey => {
                f.write_str("authentication failed: wrong key or passphrase, or the file was changed")
            }
            Error::Chunk(index) => write!(f, "authentication failed: chunk {index} was changed"),
            Error::LastChunk(index) => write!(
                f,
                "authentication failed: chunk {index}, the last, was changed, or the file was cut off or added to: compare its \
                 length with the original's, and copy it again"
            ),
            Error::AesKeyLength(found) => {
                write!(f, "the key has {}: AGS1 takes 16, 24 or 32", Counted(*found, "bytes"))
            }
            Error::Block(index) => write!(
                f,
                "authentication failed: block {index} was changed or moved, or the key or the AAD prefix is wrong"
            ),
            Error::KeyMetadata => {
                f.write_str("these bytes are not the standard key metadata of Iceberg, version 1")
            }
            Error::NotAgs1 => f.write_str(
                "authentication failed: it does not begin as a stream of AGS1 with blocks of 1 MiB",
            ),
            Error::SealedLength { trusted, found: Some(found) } => write!(
                f,
                "authentication failed: the stream has {}, and its trusted length is {trusted}",
                Counted(*found, "bytes")
            ),
            Error::SealedLength { trusted, found: None } => write!(
                f,
                "authentication failed: the stream has more bytes than its trusted length, {trusted}"
            ),
            Error::OtherFormat => f.write_str("the keys or the plan are for a file of another format"),
            Error::Truncated => f.write_str("authentication failed: cut off, or no sealed file"),
            Error::PassphraseLine(what) => write!(f, "authentication failed: {what}"),
            Error::Unknown(what) => {
                write!(f, "names a {what} that is not known here: it is from a newer version, or was changed")
            }
            Error::RangeBeyondEnd(length) => {
                write!(f, "the range goes beyond the message, which has {}", Counted(*length, "bytes"))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Errors with all of their numbers, each as small as it can be or more.
    fn with_numbers(number: u32) -> Vec<Error> {
        let (long, len) = (u64::from(number), number as usize);
        let limits = Limits { min_part: long, max_parts: number, preferred_part: long };
        vec![
            Error::NoMemory(number),
            Error::InputSize { size: long, read: long },
            Error::KeyLength { aead: Aead::Aes128Gcm, found: len },
            Error::AesKeyLength(len),
            Error::PassphraseLength(len),
            Error::PartLength { planned: long, found: len },
            Error::NoSuchPart { number, parts: number },
            Error::NoSuchShare { share: number, shares: number },
            Error::Limits { message_len: long, limits },
            Error::OtherLength { planned: long, found: long },
            Error::BufferTooShort(len),
            Error::Chunk(long),
            Error::LastChunk(long),
            Error::Block(long),
            Error::SealedLength { trusted: long, found: Some(long) },
            Error::SealedLength { trusted: long, found: None },
            Error::RangeBeyondEnd(long),
        ]
    }

    #[test]
    fn one_thing_is_in_the_singular() {
        for error in with_numbers(1) {
            let text = error.to_string();
            assert!(!["bytes", "parts"].iter().any(|things| text.contains(&format!("1 {things}"))), "{text}");
        }
        let several = with_numbers(2).iter().filter(|error| error.to_string().contains("2 bytes")).count();
        assert!(several >= 8, "{several}");
    }
}
