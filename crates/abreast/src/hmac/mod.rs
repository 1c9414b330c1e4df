//! HMAC (RFC 2104, FIPS 198-1) with SHA-1 and SHA-256: tags of messages under keys of any length, many side by side.
//!
//! A key is kept as two chaining values, those after the key's inner and outer pad. A message takes the blocks of its own
//! with their padding, and one more for the outer hash.
//!
//! ```
//! use abreast::hmac::{Hmac, Sha256};
//!
//! let hmac = Hmac::<Sha256>::new(b"a key of any length");
//! let mut tag = [0; 32];
//! hmac.mac(b"attack at dawn", &mut tag)?;
//! hmac.verify(b"attack at dawn", &tag)?;
//! assert!(hmac.verify(b"attack at dusk", &tag).is_err());
//! # Ok::<(), abreast::Error>(())
//! ```
//!
//! HMAC-SHA-1 is for protocols that prescribe it, such as SRTP and older IPsec. Collisions of SHA-1 do not break it.
//!
//! # How it works
//! The rounds of a hash wait for each other, so one message leaves most of a core idle. With instructions for the rounds
//! (SHA-NI, the SHA extension of AArch64) up to four messages are interleaved; without, a message is in each lane of a vector,
//! as is also done where there are such instructions and AVX-512, while nearly all of its sixteen lanes are taken. As one message
//! ends, the next takes its place, the longest first. [`packets`](crate::packets) have batches (`packets::hmac`), and
//! [`Hmac::many`] makes many keys.

mod compress;
mod hash;
mod jobs;
pub(crate) mod key;
mod lanes;
mod tags;

#[cfg(feature = "full")]
pub(crate) use hash::{WORTH_LANES_OF_SHA1, WORTH_LANES_OF_SHA256};
#[cfg(feature = "batches")]
pub(crate) use jobs::{MOST_STAGED, WINDOW, wipe_jobs};
pub use key::{Hmac, HmacHash, HmacPieces, Sha1, Sha256};
#[cfg(feature = "full")]
pub(crate) use lanes::MOST_LANES;
#[cfg(feature = "full")]
pub(crate) use tags::KEYS;
#[cfg(feature = "batches")]
pub(crate) use tags::{Midstates, full_tag, tags, write_tag};
