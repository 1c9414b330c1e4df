//! Errors of calls.

use core::fmt;

/// The reason why a call failed. A call that fails has done nothing, except that it fills its output with zeros if a tag or padding is
/// wrong. (Of a message in pieces, the plaintext is handed out before its tag is known.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Error {
    /// The key has a length that the cipher does not take.
    KeyLength,
    /// The kernel belongs to another cipher.
    KernelUnavailable,
    /// The input and the output have different lengths.
    BufferLengths,
    /// The data is not a whole number of blocks.
    PartialBlock,
    /// The counter block has another length than the cipher's blocks.
    CounterLength,
    /// The counter is to have more bits than the cipher's blocks.
    CounterWidth,
    /// The message needs more blocks than the counter has values, so keystream would repeat.
    CounterExhausted,
    /// The initialisation vector has another length than the cipher's blocks.
    IvLength,
    /// The nonce is empty, too long, or not of the one length that the mode takes.
    NonceLength,
    /// The mode defines no tags of this length, or the key has tags of another length.
    TagLength,
    /// The buffer is shorter than the tag that it is to hold.
    BufferTooShort,
    /// The message or its associated data is longer than the mode allows under one nonce or vector.
    MessageTooLong,
    /// The message is shorter than a block, which HCTR2 does not take.
    MessageTooShort,
    /// The plaintext does not end in valid padding.
    Padding,
    /// The two keys of XTS are the same.
    EqualKeys,
    /// The two keys of XTS are for different ciphers, or of different lengths.
    DifferentCiphers,
    /// A data unit is shorter than a block or longer than 2^20 blocks.
    UnitLength,
    /// A key to be wrapped, or a wrapped one, has a length that key wrap does not take.
    WrapLength,
    /// The mode is not defined for ciphers with blocks of this size.
    BlockLength,
    /// Associated data came after data of the message; all of it must come before.
    AssociatedDataLate,
    /// The number of cycles is not one that the cipher takes.
    Cycles,
    /// The imported state of RC4 is not a permutation of all bytes.
    Permutation,
    /// The tag does not belong to this message, nonce and key.
    TagMismatch,
    /// The packet was not processed: its batch has not been run, or ended without it. Its buffer may be unchanged, and so hold
    /// the plaintext if the packet is encrypted in place, and its tag was neither written nor compared.
    NotProcessed,
    /// There is not enough memory, for example for the round keys of bit-sliced kernels or of XTEA with more than 32 cycles.
    /// Nothing was done.
    OutOfMemory,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::KeyLength => "the key has a length that the cipher does not take",
            Self::KernelUnavailable => "the kernel belongs to another cipher",
            Self::BufferLengths => "the length of the output is not the one that the input needs",
            Self::PartialBlock => "the data is not a whole number of blocks",
            Self::CounterLength => "the counter block is not as long as the cipher's blocks",
            Self::CounterWidth => "the counter is wider than the cipher's blocks",
            Self::CounterExhausted => "the message needs more blocks than the counter has values",
            Self::IvLength => "the initialisation vector is not as long as the cipher's blocks",
            Self::NonceLength => "the nonce is empty, too long, or not of the one length that the mode takes",
            Self::TagLength => "the tag has a length that the mode does not define or the key is not for",
            Self::BufferTooShort => "the buffer is shorter than the tag that it is to hold",
            Self::MessageTooLong => {
                "the message is longer than the mode allows under one nonce or initialisation vector"
            }
            Self::MessageTooShort => "the message has fewer than the 16 bytes that the mode takes at least",
            Self::Padding => "the plaintext does not end in valid padding",
            Self::EqualKeys => "the two keys of XTS are the same",
            Self::DifferentCiphers => "the two keys of XTS are for different ciphers or of different lengths",
            Self::UnitLength => "a data unit has less than 16 bytes or more than 16 MiB",
            Self::WrapLength => {
                "a key is wrapped if it has 16 bytes or more, a multiple of 8, or with padding 1 byte to 2^32 - 1"
            }
            Self::BlockLength => "the mode is not defined for ciphers with blocks of this size",
            Self::AssociatedDataLate => "the associated data comes after data of the message",
            Self::Cycles => "the number of cycles is not one that the cipher takes",
            Self::Permutation => "the state of RC4 is not a permutation of all bytes",
            Self::TagMismatch => "the message is not authentic: its tag does not match",
            Self::NotProcessed => "the packet was not processed",
            Self::OutOfMemory => "the call needs memory that the system does not have",
        })
    }
}

impl core::error::Error for Error {}

impl From<inout::NotEqualError> for Error {
    fn from(_: inout::NotEqualError) -> Self {
        Self::BufferLengths
    }
}

/// A number of things whose name is in the plural, for texts of errors: `1 byte`, `2 bytes`, `1 string of associated data`. Not part
/// of the interface.
#[derive(Clone, Copy, Debug)]
pub struct Counted<'a, N>(pub N, pub &'a str);

impl<N: fmt::Display + PartialEq + From<u8>> fmt::Display for Counted<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(number, things) = self;
        let (noun, rest) = things.split_at(things.find(" of ").unwrap_or(things.len()));
        let one = noun.strip_suffix('s').filter(|_| *number == N::from(1));
        write!(f, "{number} {}{rest}", one.unwrap_or(noun))
    }
}
