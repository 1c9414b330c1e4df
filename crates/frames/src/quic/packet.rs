//! Packets whole: AES-GCM and the protection of headers (RFC 9001, sections 5.3 and 5.4).

use super::header::{AT_ONCE, LONG, Masked, SAMPLE, TooShort, make_masks};
use super::{full_number, nonce};
use crate::PacketError;
use abreast::aes::Aes;
use abreast::modes::Gcm;
use abreast::packets::{self, CipherKey, GcmKey, Packet};
use abreast::{BlockCipher128, Wiped};
use core::fmt;

/// Bytes of a tag.
const TAG: usize = 16;
/// The bit of the first byte of a short header that tells the phase of its keys.
const PHASE: u8 = 0x04;

/// A key of the payload and the IV that belongs to it.
#[derive(Clone, Copy, Debug)]
struct PayloadKey<'a> {
    gcm: GcmKey<'a>,
    iv: &'a [u8; 12],
}

/// The key of the packets of one direction and phase, and its IV. Both are wiped when it is dropped.
///
/// ```
/// use abreast_frames::quic::{self, PacketKey, PacketKeys, QuicPacket};
///
/// // The bytes that TLS derived, for two phases.
/// let header_key = quic::header_key(b"for headers only")?;
/// let (now, next) = (PacketKey::new(&[1; 16], &[2; 12])?, PacketKey::new(&[3; 16], &[4; 12])?);
/// let keys = PacketKeys::of_phases(&header_key, [Some(&now), Some(&next)]).ok_or("no keys")?;
/// let mut packet = *b"\x41\x00\x07frames of a packet________________";
/// let mut batch = [QuicPacket::new(keys, 7, &mut packet, 1)?];
/// quic::seal(&mut batch);
/// assert_eq!((batch[0].result, batch[0].header_len()), (Ok(()), 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PacketKey(Wiped<KeyWithIv>);

struct KeyWithIv {
    gcm: Gcm<Aes>,
    iv: [u8; 12],
}

impl PacketKey {
    /// Makes a key of AES-128-GCM or AES-256-GCM, by the length of its bytes, with what TLS derived: `quic key` and `quic iv`
    /// (section 5.1).
    ///
    /// # Errors
    /// [`PacketError::KeyLength`] unless the key has 16 or 32 bytes.
    pub fn new(key: &[u8], iv: &[u8; 12]) -> Result<Self, PacketError> {
        let gcm = Gcm::from_cipher(cipher(key)?);
        // Wrapped at once, so that no other copy of the key remains.
        Ok(Self(Wiped::new(KeyWithIv { gcm, iv: *iv })))
    }
}

impl fmt::Debug for PacketKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PacketKey").finish_non_exhaustive()
    }
}

/// Makes a key to protect headers with, of AES-128 or AES-256 by the length of its bytes: `quic hp` (section 5.1).
///
/// # Errors
/// [`PacketError::KeyLength`] unless the key has 16 or 32 bytes.
pub fn header_key(key: &[u8]) -> Result<Aes, PacketError> {
    cipher(key)
}

/// Makes a key of one of the ciphers that TLS has.
fn cipher(key: &[u8]) -> Result<Aes, PacketError> {
    if !matches!(key.len(), 16 | 32) {
        return Err(PacketError::KeyLength);
    }
    Ok(Aes::new(key)?)
}

/// The keys of one direction of a connection, of Initial, Handshake, 0-RTT or 1-RTT packets.
#[derive(Clone, Copy, Debug)]
pub struct PacketKeys<'a> {
    header: CipherKey<'a>,
    payload: PayloadKey<'a>,
    /// The phase of that key, if phases are told apart.
    phase: Option<bool>,
    /// The key of the other phase.
    other: Option<PayloadKey<'a>>,
}

impl<'a> PacketKeys<'a> {
    /// Makes the keys of a direction: AES-GCM with tags of 16 bytes, the IV, and AES for headers.
    #[must_use]
    pub fn new(gcm: impl Into<GcmKey<'a>>, iv: &'a [u8; 12], header: &'a impl BlockCipher128) -> Self {
        let payload = PayloadKey { gcm: gcm.into(), iv };
        Self { header: header.into(), payload, phase: None, other: None }
    }

    /// Returns the keys for packets of one phase (section 6) alone. Without this, the bit of the phase is not looked at.
    ///
    /// ```
    /// use abreast::{aes::Aes128, modes::Gcm};
    /// use abreast_frames::{PacketError, quic::{self, PacketKeys, QuicPacket}};
    ///
    /// let (header_key, iv) = (Aes128::new(&[1; 16]), [2; 12]);
    /// let [now, next] = [[3; 16], [4; 16]].map(|key| Gcm::from_cipher(Aes128::new(&key)));
    /// let keys = PacketKeys::new(&now, &iv, &header_key).in_phase(false);
    /// // The bit of the phase is 4 in the first byte.
    /// let mut packet = *b"\x45\x00\x07frames of a packet________________";
    /// let mut batch = [QuicPacket::new(keys, 7, &mut packet, 1)?];
    /// quic::seal(&mut batch);
    /// assert_eq!(batch[0].result, Err(PacketError::KeyPhase));
    /// let mut batch = [QuicPacket::new(keys.with_other_phase(&next, &iv), 7, &mut packet, 1)?];
    /// quic::seal(&mut batch);
    /// assert_eq!(batch[0].result, Ok(()));
    /// # Ok::<(), quic::TooShort>(())
    /// ```
    #[must_use]
    pub fn in_phase(self, phase: bool) -> Self {
        Self { phase: Some(phase), ..self }
    }

    /// Returns the keys of a phase with those of the other phase besides, the one after it or the one before.
    #[must_use]
    pub fn with_other_phase(self, gcm: impl Into<GcmKey<'a>>, iv: &'a [u8; 12]) -> Self {
        Self { other: Some(PayloadKey { gcm: gcm.into(), iv }), ..self }
    }

    /// Makes the keys of a direction whose packet keys are those of phase 0 and of phase 1, as far as they are there. Packets with a
    /// long header have the first of them. None if there is neither.
    #[must_use]
    pub fn of_phases(header: &'a impl BlockCipher128, keys: [Option<&'a PacketKey>; 2]) -> Option<Self> {
        let [even, odd] = keys;
        let first = even.or(odd)?;
        let made = Self::new(&first.0.gcm, &first.0.iv, header).in_phase(even.is_none());
        Some(match (even, odd) {
            (Some(_), Some(odd)) => made.with_other_phase(&odd.0.gcm, &odd.0.iv),
            _ => made,
        })
    }

    /// Returns the key of a packet by its first byte, if it is there.
    fn of(&self, first: u8) -> Option<PayloadKey<'a>> {
        match self.phase {
            Some(phase) if first & LONG == 0 && (first & PHASE != 0) != phase => self.other,
            _ => Some(self.payload),
        }
    }
}

/// A packet in its buffer: header, packet number, payload and 16 bytes for the tag.
pub struct QuicPacket<'a> {
    /// The full packet number. To open a packet: the number that is expected, the largest so far plus 1, and then the packet's.
    pub number: u64,
    /// The result: [`PacketError::NotProcessed`] before the packet was sealed or opened.
    pub result: Result<(), PacketError>,
    keys: PacketKeys<'a>,
    packet: &'a mut [u8],
    number_at: usize,
    /// Bytes before the payload, once they are known.
    header_len: usize,
    /// The key of the payload, once it is known.
    key: Option<PayloadKey<'a>>,
    /// The sample, and then the mask.
    block: [u8; SAMPLE],
}

impl<'a> QuicPacket<'a> {
    /// Makes a packet that reaches from its first byte to the end of the tag, whose number begins at an offset.
    ///
    /// To seal it, the header is in clear and its first byte says how many bytes of the number, 1 to 4, stand before the payload.
    ///
    /// # Errors
    /// [`TooShort`] if there are less than 20 bytes from the number on, or none before it: number and payload have at least 4 bytes
    /// together.
    pub fn new(
        keys: PacketKeys<'a>,
        number: u64,
        packet: &'a mut [u8],
        number_at: usize,
    ) -> Result<Self, TooShort> {
        Masked::of(packet, number_at).ok_or(TooShort)?;
        let result = Err(PacketError::NotProcessed);
        Ok(Self { number, result, keys, packet, number_at, header_len: 0, key: None, block: [0; SAMPLE] })
    }

    /// Returns the bytes before the payload, of a packet that was sealed or opened.
    #[must_use]
    pub fn header_len(&self) -> usize {
        self.header_len
    }

    /// Returns the payload of a packet that was opened; of others nothing.
    #[must_use]
    pub fn payload(&self) -> &[u8] {
        match self.result {
            Ok(()) => &self.packet[self.header_len..self.packet.len() - TAG],
            Err(_) => &[],
        }
    }

    /// Finds the payload and its key. The header is in clear, its number has `number_len` bytes.
    fn find_payload(&mut self, number_len: usize) {
        self.header_len = self.number_at + number_len;
        self.key = self.keys.of(self.packet[0]);
        self.result = Err(PacketError::KeyPhase);
    }

    /// Takes the sample of a packet that is encrypted.
    fn take_sample(&mut self) {
        self.block = *self.masked().1;
    }

    /// Returns the bytes of the header that are masked, and the sample.
    fn masked(&mut self) -> (Masked<'_>, &[u8; SAMPLE]) {
        Masked::of(self.packet, self.number_at).expect("the packet was long enough when it was handed over")
    }
}

impl fmt::Debug for QuicPacket<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QuicPacket")
            .field("len", &self.packet.len())
            .field("number", &self.number)
            .field("result", &self.result)
            .finish_non_exhaustive()
    }
}

/// Encrypts packets and protects their headers, in place. A packet of a phase whose keys are not there stays as it was.
pub fn seal(packets: &mut [QuicPacket<'_>]) {
    for packets in packets.chunks_mut(AT_ONCE) {
        for packet in &mut *packets {
            let number_len = packet.masked().0.number_len();
            packet.find_payload(number_len);
        }
        crypt(packets, packets::gcm_encrypt);
        make_all_masks(packets);
        for packet in packets.iter_mut().filter(|packet| packet.result.is_ok()) {
            let mask = packet.block;
            packet.masked().0.protect(&mask);
        }
    }
}

/// Takes the protection off headers and decrypts the packets that are authentic, in place. The payload of others becomes zeros; a
/// packet of a phase whose keys are not there stays as it was.
///
/// The reserved bits of an authentic header must be zero (section 5.4.1), which is left to the caller.
pub fn open(packets: &mut [QuicPacket<'_>]) {
    for packets in packets.chunks_mut(AT_ONCE) {
        make_all_masks(packets);
        for packet in &mut *packets {
            let mask = packet.block;
            let mut header = packet.masked().0;
            header.unprotect(&mask);
            let (sent, len) = header.number();
            packet.find_payload(len);
            if packet.key.is_some() {
                packet.number = full_number(packet.number, sent, len);
            } else {
                packet.masked().0.protect(&mask);
            }
        }
        crypt(packets, packets::gcm_decrypt);
    }
}

/// Makes the masks of packets that are encrypted.
fn make_all_masks(packets: &mut [QuicPacket<'_>]) {
    packets.iter_mut().for_each(QuicPacket::take_sample);
    make_masks(packets, |packet| (packet.keys.header, &mut packet.block));
}

/// Encrypts or decrypts the packets whose keys are there.
fn crypt(packets: &mut [QuicPacket<'_>], crypt: impl FnOnce(&mut [Packet<'_, GcmKey<'_>>])) {
    let mut nonces = [[0; 12]; AT_ONCE];
    let mut count = 0;
    for packet in &*packets {
        if let Some(key) = packet.key {
            nonces[count] = nonce(key.iv, packet.number);
            count += 1;
        }
    }
    let Some(idle) = packets.first().map(|packet| packet.keys.payload.gcm) else { return };
    let mut rest = packets.iter_mut().filter_map(|packet| Some((packet.key?.gcm, packet))).zip(&nonces);
    let mut batch = [(); AT_ONCE].map(|()| match rest.next() {
        Some(((gcm, packet), nonce)) => {
            let (header, payload) = packet.packet.split_at_mut(packet.header_len);
            let (payload, tag) = payload.split_at_mut(payload.len() - TAG);
            Packet::<GcmKey<'_>>::new(gcm, nonce, payload).with_tag(header, tag)
        }
        None => Packet::new(idle, &[], [].as_mut_slice()),
    });
    crypt(&mut batch[..count]);
    let results = batch.map(|packet| packet.result);
    for (packet, result) in packets.iter_mut().filter(|packet| packet.key.is_some()).zip(results) {
        packet.result = result.map_err(PacketError::from);
    }
}
