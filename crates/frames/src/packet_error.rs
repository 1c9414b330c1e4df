//! Errors of whole packets.

use abreast::Error;
use core::fmt;

/// The reason why a packet was not protected or unprotected, or its keys not made.
///
/// ```
/// use abreast_frames::{PacketError, srtp::{self, Profile, Session, SrtpPacket}};
///
/// let session = Session::new(Profile::Aes128Gcm, &[1; 16], &[2; 12])?;
/// // A header of RTP, and room for half a tag.
/// let mut buffer = [0x80; 20];
/// let mut batch = [SrtpPacket::rtp(&session, 0, &mut buffer, 12)];
/// srtp::protect(&mut batch);
/// assert_eq!(batch[0].result, Err(PacketError::Room));
/// # Ok::<(), PacketError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PacketError {
    /// A key has another length than its cipher or hash takes here.
    KeyLength,
    /// The salt has another length than the profile's.
    SaltLength,
    /// A kernel is not one of AES or not one of HMAC.
    Kernel,
    /// The packet is shorter than its headers, its index and its tag together.
    TooShort,
    /// The packet has more bytes than the counter has blocks: 1 MiB in counter mode of SRTP.
    TooLong,
    /// The header is not one of version 2 of RTP.
    Version,
    /// The buffer is shorter than the packet with the index and the tag that are appended.
    Room,
    /// The index or the sequence number has more bits than are sent or authenticated.
    Index,
    /// The vector has another length than the mode's.
    IvLength,
    /// The text is not a whole number of blocks, which CBC takes.
    PartialBlock,
    /// The packet of QUIC is of another phase than the keys that are there.
    KeyPhase,
    /// The packet is not authentic: its tag does not match.
    TagMismatch,
    /// The packet was not processed: its batch has not been run, or ended without it.
    NotProcessed,
}

impl fmt::Display for PacketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::KeyLength => "a key has a length that its cipher or hash does not take here",
            Self::SaltLength => "the salt has another length than the profile's",
            Self::Kernel => "a kernel is not one of AES or not one of HMAC",
            Self::TooShort => "the packet is shorter than its headers, its index and its tag",
            Self::TooLong => "the packet needs more blocks than the counter has values",
            Self::Version => "the header is not one of version 2 of RTP",
            Self::Room => "the buffer is shorter than the packet with what is appended to it",
            Self::Index => "the index or the sequence number has more bits than the packet takes",
            Self::IvLength => "the vector has another length than the mode's",
            Self::PartialBlock => "the text is not a whole number of blocks",
            Self::KeyPhase => "the packet is of a phase whose keys are not there",
            Self::TagMismatch => "the packet is not authentic: its tag does not match",
            Self::NotProcessed => "the packet was not processed",
        })
    }
}

impl core::error::Error for PacketError {}

impl From<Error> for PacketError {
    fn from(error: Error) -> Self {
        match error {
            Error::KeyLength => Self::KeyLength,
            Error::KernelUnavailable => Self::Kernel,
            Error::CounterExhausted | Error::MessageTooLong => Self::TooLong,
            Error::PartialBlock => Self::PartialBlock,
            Error::TagMismatch => Self::TagMismatch,
            // Lengths of vectors and tags are those of this crate.
            _ => Self::NotProcessed,
        }
    }
}
