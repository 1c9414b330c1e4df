//! IPsec ESP (RFC 4303): packets, sealed and opened in batches.
//!
//! An [`Association`] has the keys of one direction: AES in CBC (RFC 3602) or in counter mode (RFC 3686) with HMAC-SHA1-96
//! (RFC 2404) or HMAC-SHA-256-128 (RFC 4868), or AES in GCM (RFC 4106). A batch takes many packets, each under an association of its
//! own (feature `packets`).
//!
//! ```
//! # #[cfg(feature = "packets")] {
//! use abreast_frames::ipsec::{self, Association, EspAuthentication, EspPacket, EspSuite};
//!
//! let authentication = EspAuthentication::HmacSha1(b"a key of twenty byte");
//! let suite = EspSuite::Counter { key: b"a key of 16 byte", nonce: *b"salt", authentication };
//! let association = Association::new(0x4321, suite)?;
//! let (front, text) = (association.front(), b"an IP packet, padding, and two more bytes\x00\x04");
//! let (mut buffer, len) = ([0; 100], front + text.len());
//! buffer[front..len].copy_from_slice(text);
//!
//! let iv = 1_u64.to_be_bytes();
//! let mut batch = [EspPacket::new(&association, 1, &iv, &mut buffer, len)];
//! ipsec::seal(&mut batch);
//! assert_eq!(batch[0].result, Ok(len + 12));
//!
//! let mut batch = [EspPacket::received(&association, 0, &mut buffer, len + 12)];
//! ipsec::open(&mut batch);
//! assert_eq!(batch[0].text(), Some(text.as_slice()));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Padding, its length and the next header are part of the text and the caller's, who also has the list against replays and
//! infers the upper half of extended sequence numbers.
//!
//! # Nonces alone
//! Counter mode and GCM have a part of their nonce from the keying material, four bytes that stay, and eight that go along with
//! each packet as its IV and never repeat under a key.
//!
//! ```
//! use abreast::{aes::Aes128, modes::Gcm, packets::{self, Packet}};
//! use abreast_frames::ipsec;
//!
//! let gcm = Gcm::from_cipher(Aes128::new(b"a key of 16 byte"));
//! let (salt, iv) = (*b"salt", 1_u64.to_be_bytes());
//! let mut payload = *b"an IP packet, padding and what comes after it";
//! let mut tag = [0; 16];
//! let (nonce, aad) = (ipsec::gcm_nonce(salt, iv), ipsec::aad(0x4321, 1));
//! let packet = Packet::new(&gcm, &nonce, payload.as_mut_slice()).with_tag(&aad, &mut tag);
//! packets::gcm_encrypt(&mut [packet]);
//! assert_ne!(tag, [0; 16]);
//! ```

#[cfg(feature = "packets")]
mod esp;

#[cfg(feature = "packets")]
pub use esp::{Association, EspAlgorithms, EspAuthentication, EspPacket, EspSuite, open, seal};

/// Returns the first counter block of a packet in counter mode: nonce, IV, and the number of the block, which counts in 32
/// bits ([`CounterWidth::Bits32`](abreast::modes::CounterWidth::Bits32)) from 1.
///
/// ```
/// use abreast::{aes::Aes128, modes::CounterWidth, packets::{self, Packet}};
/// use abreast_frames::ipsec;
///
/// let (aes, block) = (Aes128::new(&[7; 16]), ipsec::counter_block(*b"salt", 1_u64.to_be_bytes()));
/// let mut text = *b"an IP packet and its padding";
/// packets::ctr(&mut [Packet::new(&aes, &block, text.as_mut_slice())], CounterWidth::Bits32);
/// ```
#[must_use]
pub const fn counter_block(nonce: [u8; 4], iv: [u8; 8]) -> [u8; 16] {
    let ([a, b, c, d], [e, f, g, h, i, j, k, l]) = (nonce, iv);
    [a, b, c, d, e, f, g, h, i, j, k, l, 0, 0, 0, 1]
}

/// Returns the nonce of a packet in GCM: salt and IV.
#[must_use]
pub const fn gcm_nonce(salt: [u8; 4], iv: [u8; 8]) -> [u8; 12] {
    let ([a, b, c, d], [e, f, g, h, i, j, k, l]) = (salt, iv);
    [a, b, c, d, e, f, g, h, i, j, k, l]
}

/// Returns the associated data of a packet in GCM: the numbers of the security association and of the packet.
#[must_use]
pub const fn aad(spi: u32, sequence: u32) -> [u8; 8] {
    ((spi as u64) << 32 | sequence as u64).to_be_bytes()
}

/// Returns the associated data of a packet in GCM with extended sequence numbers, of which the upper half is not sent.
///
/// ```
/// use abreast_frames::ipsec;
///
/// // The packet after number 2^32 - 1.
/// assert_eq!(ipsec::aad_extended(0x4321, 1 << 32), [0, 0, 0x43, 0x21, 0, 0, 0, 1, 0, 0, 0, 0]);
/// ```
#[must_use]
pub const fn aad_extended(spi: u32, sequence: u64) -> [u8; 12] {
    let ([a, b, c, d], [e, f, g, h, i, j, k, l]) = (spi.to_be_bytes(), sequence.to_be_bytes());
    [a, b, c, d, e, f, g, h, i, j, k, l]
}
