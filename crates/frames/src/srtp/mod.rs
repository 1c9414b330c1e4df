//! SRTP (RFC 3711): packets of RTP and RTCP, protected in batches.
//!
//! A [`Session`] has the keys of one direction. A batch encrypts its packets in place and appends their tags, or verifies and
//! decrypts them, each under a session of its own (feature `packets`).
//!
//! ```
//! # #[cfg(feature = "packets")] {
//! use abreast_frames::srtp::{self, Profile, Session, SrtpPacket};
//!
//! let session = Session::new(Profile::Aes128CmSha1_80, b"the master's key", b"a master salt.")?;
//! let mut buffer = [0; 64];
//! buffer[..31].copy_from_slice(b"\x80\0\x12\x67\0\0\0\0\x12\x34\x56\x78twenty milliseconds");
//! let mut batch = [SrtpPacket::rtp(&session, 0, &mut buffer, 31)];
//! srtp::protect(&mut batch);
//! assert_eq!(batch[0].result, Ok(41));
//!
//! let mut batch = [SrtpPacket::rtp(&session, 0, &mut buffer, 41)];
//! srtp::unprotect(&mut batch);
//! assert_eq!(batch[0].result, Ok(31));
//! assert_eq!(buffer[12..31], *b"twenty milliseconds");
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! There are neither master key identifiers (MKI) nor encrypted headers here, and no list against replays: the caller gives
//! the number of roll-overs ([`estimated_index`]), and looks at the index of an authentic packet.
//!
//! # Counter mode alone
//! A packet is encrypted by [`packets::ctr`](abreast::packets::ctr) with a counter of 16 bits
//! ([`CounterWidth::Bits16`]), under a session key of AES with 128, 192 or 256 bits (RFC 6188).
//!
//! ```
//! use abreast::{aes::Aes128, modes::CounterWidth, packets::{self, Packet}};
//! use abreast_frames::srtp::{self, Label};
//!
//! let (master, master_salt) = (Aes128::new(b"the master's key"), b"a master salt.");
//! let (mut key, mut salt) = ([0; 16], [0; 14]);
//! srtp::derive(&master, master_salt, Label::RtpEncryption, 0, &mut key)?;
//! srtp::derive(&master, master_salt, Label::RtpSalt, 0, &mut salt)?;
//!
//! let session = Aes128::new(&key);
//! let mut payload = *b"twenty milliseconds";
//! let counter = srtp::counter_block(&salt, 0x1234_5678, srtp::index(0, 4711));
//! let packet = Packet::new(&session, &counter, payload.as_mut_slice());
//! packets::ctr(&mut [packet], CounterWidth::Bits16);
//! assert_ne!(&payload, b"twenty milliseconds");
//! # Ok::<(), abreast::Error>(())
//! ```

#[cfg(feature = "packets")]
mod packet;
#[cfg(feature = "packets")]
mod session;

use abreast::modes::{CounterWidth, Ctr};
use abreast::{BlockCipher128, Error};
#[cfg(feature = "packets")]
pub use packet::{SrtpPacket, protect, unprotect};
#[cfg(feature = "packets")]
pub use session::{Profile, Session, SessionKeys};

/// Returns the index of an RTP packet: how often its numbers have begun anew, and its number.
#[must_use]
pub const fn index(rollovers: u32, sequence: u16) -> u64 {
    (rollovers as u64) << 16 | sequence as u64
}

/// Returns the index that a packet most likely has (section 3.3.1): the number of roll-overs and the number of the packet
/// with the highest index so far tell whether the numbers have begun anew in between.
///
/// ```
/// use abreast_frames::srtp::{estimated_index, index};
///
/// // The first packet after a roll-over, and a late one from before.
/// assert_eq!(estimated_index(7, 65_535, 0), index(8, 0));
/// assert_eq!(estimated_index(8, 0, 65_535), index(7, 65_535));
/// ```
#[must_use]
pub const fn estimated_index(rollovers: u32, highest: u16, sequence: u16) -> u64 {
    const HALF: u16 = 1 << 15;
    let rollovers = if highest < HALF {
        if sequence > highest + HALF { rollovers.wrapping_sub(1) } else { rollovers }
    } else if sequence < highest - HALF {
        rollovers.wrapping_add(1)
    } else {
        rollovers
    };
    index(rollovers, sequence)
}

/// Returns the first counter block of a packet (section 4.1.1): the session salt, the sender, and the index, which has 48 bits
/// (31 in RTCP); more are not looked at.
#[must_use]
pub const fn counter_block(salt: &[u8; 14], ssrc: u32, index: u64) -> [u8; 16] {
    counter(shifted(salt), ssrc, index).to_be_bytes()
}

/// Adds sender and index to a salt in front of the 16 bits that count.
const fn counter(salt: u128, ssrc: u32, index: u64) -> u128 {
    salt ^ (ssrc as u128) << 64 ^ ((index & 0xffff_ffff_ffff) as u128) << 16
}

/// The use of a derived key (section 4.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// To encrypt RTP.
    RtpEncryption = 0,
    /// To authenticate RTP.
    RtpAuthentication = 1,
    /// The salt of RTP.
    RtpSalt = 2,
    /// To encrypt RTCP.
    RtcpEncryption = 3,
    /// To authenticate RTCP.
    RtcpAuthentication = 4,
    /// The salt of RTCP.
    RtcpSalt = 5,
}

/// Derives a session key or salt as long as the buffer for it (section 4.3.1); `turn` is the index divided by the rate
/// of derivations, and 0 if keys are derived once. It has 48 bits; more are not looked at.
///
/// # Errors
/// [`Error::CounterExhausted`] if more than 1 MiB is asked for.
pub fn derive(
    master: &impl BlockCipher128,
    master_salt: &[u8; 14],
    label: Label,
    turn: u64,
    output: &mut [u8],
) -> Result<(), Error> {
    let id = (label as u128) << 48 | (turn & 0xffff_ffff_ffff) as u128;
    let block = (shifted(master_salt) ^ id << 16).to_be_bytes();
    output.fill(0);
    Ctr::from_block(master, &block, CounterWidth::Bits16).apply(output)
}

/// Returns a salt in front of the 16 bits that count.
const fn shifted(salt: &[u8; 14]) -> u128 {
    let mut number = 0;
    let mut i = 0;
    while i < salt.len() {
        number = number << 8 | salt[i] as u128;
        i += 1;
    }
    number << 16
}
