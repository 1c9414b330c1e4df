//! Frames: what protocols put around a message that becomes a packet.
//!
//! Each module knows one layout and no more of its protocol: where a message lies in a buffer, which vector or nonce
//! belongs to it, what goes in front. What is to be encrypted it hands out, so that thousands of messages become one
//! batch of [`packets`](crate::packets).
//!
//! * [`game`]: game servers with XTEA.
//! * [`srtp`]: counter mode for speech and pictures, and its keys.
//! * [`ipsec`]: counter mode and GCM in ESP.
//! * [`quic`]: masks of headers, in batches, and nonces.

pub mod game;
pub mod ipsec;
pub mod quic;
pub mod srtp;
