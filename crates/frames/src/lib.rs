//! Wire formats around messages that [`abreast`] encrypts.
//!
//! Each module implements one layout and nothing else of its protocol: where the message lies in a buffer, which
//! initialisation vector or nonce belongs to it, and which header precedes it. Thousands of messages become one batch of
//! [`packets`](abreast::packets).
//!
//! * `game`: game servers with XTEA (feature `game`, default).
//! * [`srtp`]: speech and pictures: keys, counters, and packets as a whole (feature `packets`).
//! * [`ipsec`]: ESP: counters and nonces, and packets as a whole (feature `packets`).
//! * [`quic`]: packets with their headers, in batches, and the parts of that.
//! * `cgo`: relay cells of Tor, of many circuits in batches (feature `cgo`).
//!
//! The crate is `no_std` and allocates nothing. The feature `std` (default) enables `std` of `abreast`: instruction
//! sets are detected at run time.

#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "cgo")]
pub mod cgo;
#[cfg(feature = "game")]
pub mod game;
pub mod ipsec;
mod packet_error;
#[cfg(feature = "packets")]
mod protection;
pub mod quic;
pub mod srtp;

pub use packet_error::PacketError;
