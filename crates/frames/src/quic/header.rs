//! Protection of headers (RFC 9001, section 5.4).

use abreast::BlockCipher128;
use abreast::packets::{self, CipherKey, Packet};
use core::fmt;

/// Bytes of a sample, a block.
pub(super) const SAMPLE: usize = 16;
/// The most bytes of a packet number, which are assumed when a sample is taken.
pub(super) const LONGEST: usize = 4;
/// Packets of a batch.
pub(super) const AT_ONCE: usize = 32;
/// The bit of the first byte that tells a long header.
pub(super) const LONG: u8 = 0x80;

/// Returns the mask of a packet's header, made of a sample of its ciphertext: for the first byte, and then for the number.
///
/// ```
/// use abreast::aes::Aes128;
/// use abreast_frames::quic;
///
/// // RFC 9001, A.2.
/// let key = Aes128::new(&0x9f50_449e_04a0_e810_283a_1e99_33ad_edd2_u128.to_be_bytes());
/// let sample = 0xd1b1_c98d_d768_9fb8_ec11_d242_b123_dc9b_u128.to_be_bytes();
/// assert_eq!(quic::mask(&key, &sample), [0x43, 0x7b, 0x9a, 0xec, 0x36]);
/// ```
#[must_use]
pub fn mask(key: &impl BlockCipher128, sample: &[u8; SAMPLE]) -> [u8; 1 + LONGEST] {
    let mut block = *sample;
    // A whole block: nothing is refused.
    let _: Result<(), abreast::Error> = key.encrypt_raw_blocks(block.as_mut_slice().into());
    let [a, b, c, d, e, ..] = block;
    [a, b, c, d, e]
}

/// The bytes of a header that are masked.
pub(super) struct Masked<'a> {
    first: &'a mut u8,
    /// The packet number, and perhaps bytes behind it.
    number: &'a mut [u8],
}

impl<'a> Masked<'a> {
    /// Returns the bytes of a packet whose number begins at an offset, and the sample; none if the packet is too short for a sample.
    pub(super) fn of(packet: &'a mut [u8], number_at: usize) -> Option<(Self, &'a [u8; SAMPLE])> {
        let (first, rest) = packet.split_first_mut()?;
        let (number, sample) =
            rest.get_mut(number_at.checked_sub(1)?..)?.split_first_chunk_mut::<LONGEST>()?;
        Some((Self { first, number }, sample.first_chunk()?))
    }

    /// Returns the bytes of the packet number.
    pub(super) fn number_len(&self) -> usize {
        usize::from(*self.first & 3) + 1
    }

    /// Returns the part of the packet number that is sent, and its number of bytes.
    pub(super) fn number(&self) -> (u32, usize) {
        let number = self.number.iter().take(self.number_len());
        (number.fold(0, |number, byte| number << 8 | u32::from(*byte)), self.number_len())
    }

    fn mask_first(&mut self, mask: &[u8; SAMPLE]) {
        let bits = if *self.first & LONG != 0 { 0x0f } else { 0x1f };
        *self.first ^= mask[0] & bits;
    }

    fn mask_number(&mut self, mask: &[u8; SAMPLE], len: usize) {
        self.number.iter_mut().zip(&mask[1..]).take(len).for_each(|(byte, mask)| *byte ^= mask);
    }

    /// Masks a header that is in clear.
    pub(super) fn protect(&mut self, mask: &[u8; SAMPLE]) {
        let len = self.number_len();
        self.mask_first(mask);
        self.mask_number(mask, len);
    }

    /// Takes the mask away.
    pub(super) fn unprotect(&mut self, mask: &[u8; SAMPLE]) {
        self.mask_first(mask);
        self.mask_number(mask, self.number_len());
    }
}

/// A packet's header, with the key that protects it.
///
/// ```
/// use abreast::aes::Aes128;
/// use abreast_frames::quic::{self, Header};
///
/// let key = Aes128::new(b"for headers only");
/// // A short header with a number of two bytes, and a ciphertext.
/// let mut packet = *b"\x41\x00\x07ciphertext and its tag";
/// quic::protect(&mut [Header::new(&key, &mut packet, 1)?]);
/// let mut headers = [Header::new(&key, &mut packet, 1)?];
/// quic::unprotect(&mut headers);
/// assert_eq!(headers[0].number(), (7, 2));
/// # Ok::<(), quic::TooShort>(())
/// ```
pub struct Header<'a> {
    key: CipherKey<'a>,
    bytes: Masked<'a>,
    /// The sample, and then the mask.
    block: [u8; SAMPLE],
}

impl<'a> Header<'a> {
    /// Takes the header of a packet that reaches from its first byte to the end of the ciphertext, whose number begins at an offset.
    ///
    /// # Errors
    /// [`TooShort`] if there are less than 20 bytes after that, or none before.
    pub fn new(
        key: &'a impl BlockCipher128,
        packet: &'a mut [u8],
        number_at: usize,
    ) -> Result<Self, TooShort> {
        let (bytes, sample) = Masked::of(packet, number_at).ok_or(TooShort)?;
        Ok(Self { key: CipherKey::from(key), bytes, block: *sample })
    }

    /// Takes a header whose parts are apart, as the traits of other libraries hand them over: the sample, the first byte of the
    /// packet, and the packet number, with or without bytes behind it. Those that the first byte does not count are left alone.
    ///
    /// ```
    /// use abreast::aes::Aes128;
    /// use abreast_frames::quic::{self, Header};
    ///
    /// let key = Aes128::new(b"for headers only");
    /// let (sample, mut first, mut number) = (*b"of a ciphertext.", 0x41, [0, 7]);
    /// quic::protect(&mut [Header::apart(&key, &sample, &mut first, &mut number)?]);
    /// quic::unprotect(&mut [Header::apart(&key, &sample, &mut first, &mut number)?]);
    /// assert_eq!((first, number), (0x41, [0, 7]));
    /// # Ok::<(), quic::TooShort>(())
    /// ```
    ///
    /// # Errors
    /// [`TooShort`] if there is no byte of a number.
    pub fn apart(
        key: &'a impl BlockCipher128,
        sample: &[u8; SAMPLE],
        first: &'a mut u8,
        number: &'a mut [u8],
    ) -> Result<Self, TooShort> {
        if number.is_empty() {
            return Err(TooShort);
        }
        Ok(Self { key: CipherKey::from(key), bytes: Masked { first, number }, block: *sample })
    }

    /// Returns the part of the packet number that is sent, and its number of bytes, in a header that is not protected.
    #[must_use]
    pub fn number(&self) -> (u32, usize) {
        self.bytes.number()
    }
}

impl fmt::Debug for Header<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Header").field("key", &self.key).finish_non_exhaustive()
    }
}

/// Protects the headers of packets that are encrypted.
pub fn protect(headers: &mut [Header<'_>]) {
    make_masks(headers, |header| (header.key, &mut header.block));
    headers.iter_mut().for_each(|header| header.bytes.protect(&header.block));
}

/// Takes the protection away from headers.
pub fn unprotect(headers: &mut [Header<'_>]) {
    make_masks(headers, |header| (header.key, &mut header.block));
    headers.iter_mut().for_each(|header| header.bytes.unprotect(&header.block));
}

/// Encrypts the sample of each item under its key, some at once.
pub(super) fn make_masks<'k, T>(
    items: &mut [T],
    part: impl Fn(&mut T) -> (CipherKey<'k>, &mut [u8; SAMPLE]),
) {
    for items in items.chunks_mut(AT_ONCE) {
        let count = items.len();
        let Some(idle) = items.first_mut().map(|item| part(item).0) else { return };
        let mut rest = items.iter_mut();
        let mut batch = [(); AT_ONCE].map(|()| match rest.next() {
            Some(item) => {
                let (key, block) = part(item);
                Packet::<CipherKey<'_>>::new(key, &[], block.as_mut_slice())
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
