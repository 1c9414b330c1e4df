//! QUIC (RFC 9001): protection of headers with AES, in batches, and nonces.
//!
//! The packet number and some bits of the first byte are masked by AES of a sample of the ciphertext (section 5.4).
//! Each packet needs one block, under the key of its connection.
//!
//! ```
//! use abreast::aes::Aes128;
//! use abreast_frames::quic::{self, Header};
//!
//! // A packet that is encrypted already: a first byte, two bytes of a number, and the ciphertext.
//! let key = Aes128::new(b"for headers only");
//! let mut packet = *b"\x41\x00\x07 what the AEAD has made of it";
//! quic::protect(&mut [Header::new(&key, &mut packet, 1)?]);
//! assert_ne!(packet[1..3], [0, 7]);
//!
//! let mut received = [Header::new(&key, &mut packet, 1)?];
//! quic::unprotect(&mut received);
//! assert_eq!(received[0].number(), (7, 2));
//! # Ok::<(), quic::TooShort>(())
//! ```

use abreast::BlockCipher128;
use abreast::packets::{self, CipherKey, Packet};
use core::fmt;

/// Bytes of a sample, a block.
const SAMPLE: usize = 16;
/// The most bytes of a packet number, which are assumed when a sample is taken.
const LONGEST: usize = 4;
/// Packets of a batch.
const AT_ONCE: usize = 32;
/// The bit of the first byte that tells a long header.
const LONG: u8 = 0x80;

/// The nonce of a packet (section 5.3): the IV of the connection and the full packet number.
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

/// A packet, with the key that its header is protected under.
pub struct Header<'a> {
    key: CipherKey<'a>,
    packet: &'a mut [u8],
    /// The offset of the packet number.
    at: usize,
    /// The sample, and then the mask.
    block: [u8; SAMPLE],
}

impl<'a> Header<'a> {
    /// A packet from its first byte to the end of the ciphertext, whose number begins at an offset.
    ///
    /// # Errors
    /// [`TooShort`] if there are less than 20 bytes after that, or none before.
    pub fn new(
        key: &'a impl BlockCipher128,
        packet: &'a mut [u8],
        number_at: usize,
    ) -> Result<Self, TooShort> {
        let after = packet.len().checked_sub(number_at).filter(|_| number_at > 0);
        match after {
            Some(after) if after >= LONGEST + SAMPLE => {
                Ok(Self { key: CipherKey::from(key), packet, at: number_at, block: [0; SAMPLE] })
            }
            _ => Err(TooShort),
        }
    }

    /// Returns the part of the packet number that is sent, and its number of bytes, in a header that is not protected.
    #[must_use]
    pub fn number(&self) -> (u32, usize) {
        let len = self.number_len();
        let number = self.packet[self.at..][..len].iter();
        (number.fold(0, |number, byte| number << 8 | u32::from(*byte)), len)
    }

    fn number_len(&self) -> usize {
        usize::from(self.packet[0] & 3) + 1
    }

    fn mask_first(&mut self) {
        let bits = if self.packet[0] & LONG != 0 { 0x0f } else { 0x1f };
        self.packet[0] ^= self.block[0] & bits;
    }

    fn mask_number(&mut self, len: usize) {
        let number = &mut self.packet[self.at..][..len];
        number.iter_mut().zip(&self.block[1..]).for_each(|(byte, mask)| *byte ^= mask);
    }
}

impl fmt::Debug for Header<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (len, at) = (self.packet.len(), self.at);
        f.debug_struct("Header").field("len", &len).field("number_at", &at).finish_non_exhaustive()
    }
}

/// Protects the headers of packets that are encrypted.
pub fn protect(headers: &mut [Header<'_>]) {
    make_masks(headers);
    for header in headers {
        let len = header.number_len();
        header.mask_first();
        header.mask_number(len);
    }
}

/// Takes the protection away from headers.
pub fn unprotect(headers: &mut [Header<'_>]) {
    make_masks(headers);
    for header in headers {
        header.mask_first();
        header.mask_number(header.number_len());
    }
}

/// Encrypts the sample of each packet, some at once.
fn make_masks(headers: &mut [Header<'_>]) {
    for headers in headers.chunks_mut(AT_ONCE) {
        let count = headers.len();
        let Some(idle) = headers.first().map(|header| header.key) else { return };
        let mut rest = headers.iter_mut();
        let mut batch = [(); AT_ONCE].map(|()| match rest.next() {
            Some(Header { key, packet, at, block }) => {
                block.copy_from_slice(&packet[*at + LONGEST..][..SAMPLE]);
                Packet::<CipherKey<'_>>::new(*key, &[], block.as_mut_slice())
            }
            None => Packet::new(idle, &[], [].as_mut_slice()),
        });
        // A block each, of ciphers whose blocks are that long: nothing is refused.
        packets::ecb_encrypt(&mut batch[..count]);
    }
}

/// The packet is too short for a sample of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TooShort;

impl fmt::Display for TooShort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the packet is too short for a sample of it")
    }
}

impl core::error::Error for TooShort {}
