//! What can be wrong with a call.

use core::fmt;

/// Why a call did nothing; or, where a tag does not match, nothing but to clear its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Error {
    /// The key has a length that the cipher does not take.
    KeyLength,
    /// The kernel belongs to another cipher.
    KernelUnavailable,
    /// The input and the output have different lengths.
    BufferLengths,
    /// The data is no whole number of blocks.
    PartialBlock,
    /// The counter block has another length than the cipher's blocks.
    CounterLength,
    /// The message needs more blocks than the counter has values, so keystream would repeat.
    CounterExhausted,
    /// The nonce is empty or too long.
    NonceLength,
    /// The tag has a length that the mode does not define.
    TagLength,
    /// The message or its associated data is longer than the mode allows under one nonce.
    MessageTooLong,
    /// The tag does not belong to this message, nonce and key.
    TagMismatch,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::KeyLength => "the key has a length that the cipher does not take",
            Self::KernelUnavailable => "the kernel belongs to another cipher",
            Self::BufferLengths => "the input and the output have different lengths",
            Self::PartialBlock => "the data is no whole number of blocks",
            Self::CounterLength => "the counter block is not as long as the cipher's blocks",
            Self::CounterExhausted => "the message needs more blocks than the counter has values",
            Self::NonceLength => "the nonce is empty or too long",
            Self::TagLength => "the tag has a length that the mode does not define",
            Self::MessageTooLong => "the message is longer than the mode allows under one nonce",
            Self::TagMismatch => "the message is not authentic: its tag does not match",
        })
    }
}

impl core::error::Error for Error {}

impl From<inout::NotEqualError> for Error {
    fn from(_: inout::NotEqualError) -> Self {
        Self::BufferLengths
    }
}
