//! QUIC (RFC 9001): packets whole, AEAD and protection of headers with AES in one call, and both by themselves.
//!
//! The packet number and some bits of the first byte are masked by AES of a sample of the ciphertext (section 5.4). Each
//! packet needs one block, under the key of its connection: the masks of a batch are made side by side.
//!
//! * [`seal`] and [`open`]: packets, in place, each with the [keys](PacketKeys) of its connection.
//! * [`PacketKey`] and [`header_key`]: keys of the bytes that TLS derived, for programs that learn their length at run time.
//! * [`protect`] and [`unprotect`]: headers of packets that another call encrypts, as one slice
//!   ([`Header::new`]) or with the number and the sample apart ([`Header::apart`]).
//! * [`mask`]: the mask of one packet.
//!
//! ```
//! use abreast::{aes::Aes128, modes::Gcm};
//! use abreast_frames::quic::{self, PacketKeys, QuicPacket};
//!
//! let (gcm, iv) = (Gcm::from_cipher(Aes128::new(b"a key of 16 byte")), [7; 12]);
//! let header_key = Aes128::new(b"for headers only");
//! let keys = PacketKeys::new(&gcm, &iv, &header_key);
//!
//! // A short header with a number of two bytes, frames, and room for the tag.
//! let mut packet = *b"\x41\x00\x07frames of a packet________________";
//! quic::seal(&mut [QuicPacket::new(keys, 7, &mut packet, 1)?]);
//!
//! // The receiver expects number 5 or one that is near.
//! let mut received = [QuicPacket::new(keys, 5, &mut packet, 1)?];
//! quic::open(&mut received);
//! assert_eq!(received[0].result, Ok(()));
//! assert_eq!(received[0].number, 7);
//! assert_eq!(received[0].payload(), b"frames of a packet");
//! # Ok::<(), quic::TooShort>(())
//! ```

mod header;
mod packet;

pub use header::{Header, TooShort, mask, protect, unprotect};
pub use packet::{PacketKey, PacketKeys, QuicPacket, header_key, open, seal};

/// Returns the nonce of a packet (section 5.3): the IV of the connection and the full packet number.
///
/// ```
/// use abreast_frames::quic;
///
/// assert_eq!(quic::nonce(&[0xf0; 12], 3)[11], 0xf3);
/// ```
#[must_use]
pub const fn nonce(iv: &[u8; 12], number: u64) -> [u8; 12] {
    let (mut nonce, number) = (*iv, number.to_be_bytes());
    let mut i = 0;
    while i < number.len() {
        nonce[4 + i] ^= number[i];
        i += 1;
    }
    nonce
}

/// Returns the full number of a packet (RFC 9000, A.3): the one nearest to the `expected` one, the largest so far plus 1, that ends in
/// the `len` bytes that were sent, 1 to 4 of them.
///
/// ```
/// use abreast_frames::quic;
///
/// // RFC 9000, A.3.
/// assert_eq!(quic::full_number(0xa82f_30eb, 0x9b32, 2), 0xa82f_9b32);
/// ```
#[must_use]
pub const fn full_number(expected: u64, sent: u32, len: usize) -> u64 {
    let window = 1 << (8 * if len < 4 { len } else { 4 });
    let near = expected & !(window - 1) | sent as u64 & (window - 1);
    if near.saturating_add(window / 2) <= expected && near < (1 << 62) - window {
        near + window
    } else if near > expected.saturating_add(window / 2) && near >= window {
        near - window
    } else {
        near
    }
}
