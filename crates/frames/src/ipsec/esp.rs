//! Packets of ESP, sealed and opened in batches.

use super::{aad_extended, counter_block};
use crate::PacketError;
use crate::protection::{
    self, Direction, GCM_TAG, Job, Kernels, Keys, Mac, Suites, TextMode, WINDOW, aes, sha1, sha256,
};
use abreast::modes::Gcm;
use abreast::{ArrayList, Kernel, Wiped};
use core::fmt;
use core::ops::Range;
use zeroize::Zeroize;

/// Bytes of a header: the numbers of the association and of the packet.
const HEADER: usize = 8;
/// Bytes of a vector in counter mode and in GCM.
const SHORT_IV: usize = 8;
/// Bytes of a vector in CBC.
const LONG_IV: usize = 16;

/// Authentication of packets that counter mode or CBC encrypts, with the key.
#[derive(Clone, Copy)]
pub enum EspAuthentication<'k> {
    /// HMAC-SHA1-96 (RFC 2404): a key of 20 bytes, tags of 12.
    HmacSha1(&'k [u8]),
    /// HMAC-SHA-256-128 (RFC 4868): a key of 32 bytes, tags of 16.
    HmacSha256(&'k [u8]),
}

impl EspAuthentication<'_> {
    /// Makes the key, and returns the bytes of tags too.
    fn mac(self, kernels: Kernels) -> Result<(Mac, usize), PacketError> {
        match self {
            Self::HmacSha1(key) if key.len() == 20 => Ok((Mac::sha1(key, kernels)?, 12)),
            Self::HmacSha256(key) if key.len() == 32 => Ok((Mac::sha256(key, kernels)?, 16)),
            _ => Err(PacketError::KeyLength),
        }
    }
}

impl fmt::Debug for EspAuthentication<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::HmacSha1(_) => "HmacSha1(..)",
            Self::HmacSha256(_) => "HmacSha256(..)",
        })
    }
}

/// Encryption and authentication of packets, with the keys. Those of AES have 16, 24 or 32 bytes.
#[derive(Clone, Copy)]
pub enum EspSuite<'k> {
    /// AES in CBC (RFC 3602).
    Cbc {
        /// The key to encrypt with.
        key: &'k [u8],
        /// The key to authenticate with.
        authentication: EspAuthentication<'k>,
    },
    /// AES in counter mode (RFC 3686).
    Counter {
        /// The key to encrypt with.
        key: &'k [u8],
        /// The bytes that follow the key in the keying material.
        nonce: [u8; 4],
        /// The key to authenticate with.
        authentication: EspAuthentication<'k>,
    },
    /// AES in GCM (RFC 4106), with tags of 16 bytes.
    Gcm {
        /// The key.
        key: &'k [u8],
        /// The bytes that follow the key in the keying material.
        salt: [u8; 4],
    },
}

impl fmt::Debug for EspSuite<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cbc { .. } => "Cbc { .. }",
            Self::Counter { .. } => "Counter { .. }",
            Self::Gcm { .. } => "Gcm { .. }",
        })
    }
}

/// The algorithms of an [`EspSuite`], without its keys.
///
/// ```
/// use abreast_frames::ipsec::{Association, EspAlgorithms};
///
/// let algorithms = EspAlgorithms::ALL.into_iter().find(|it| it.name() == "aes-gcm").ok_or("no such algorithms")?;
/// // A key of AES-128 and the salt.
/// let association = Association::new(0x4321, algorithms.with_keys(b"a key of 16 bytesalt", b"")?)?;
/// assert_eq!((association.spi(), association.front(), association.tag_len()), (0x4321, 16, 16));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EspAlgorithms {
    /// AES in CBC with HMAC-SHA1-96.
    CbcHmacSha1,
    /// AES in CBC with HMAC-SHA-256-128.
    CbcHmacSha256,
    /// AES in counter mode with HMAC-SHA1-96.
    CounterHmacSha1,
    /// AES in counter mode with HMAC-SHA-256-128.
    CounterHmacSha256,
    /// AES in GCM.
    Gcm,
}

impl EspAlgorithms {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::CbcHmacSha1, Self::CbcHmacSha256, Self::CounterHmacSha1, Self::CounterHmacSha256, Self::Gcm];

    /// Returns their name, such as `aes-cbc-hmac-sha1-96`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CbcHmacSha1 => "aes-cbc-hmac-sha1-96",
            Self::CbcHmacSha256 => "aes-cbc-hmac-sha256-128",
            Self::CounterHmacSha1 => "aes-ctr-hmac-sha1-96",
            Self::CounterHmacSha256 => "aes-ctr-hmac-sha256-128",
            Self::Gcm => "aes-gcm",
        }
    }

    /// Returns them with their keys. `key` is that of AES, followed in counter mode and in GCM by the four bytes of nonce or salt, as
    /// keying material has them (RFC 3686, section 5.1, RFC 4106, section 8.1). GCM has no key to authenticate with: it is empty.
    ///
    /// # Errors
    /// [`PacketError::KeyLength`] if there are no four bytes, or a key to authenticate with in GCM. Other lengths are looked at by
    /// [`Association::new`].
    pub fn with_keys<'k>(
        self,
        key: &'k [u8],
        authentication_key: &'k [u8],
    ) -> Result<EspSuite<'k>, PacketError> {
        let (sha1, sha256) = (
            EspAuthentication::HmacSha1(authentication_key),
            EspAuthentication::HmacSha256(authentication_key),
        );
        let (with_salt, salt) = match (key.split_last_chunk(), self) {
            (Some((key, salt)), _) => (key, *salt),
            (None, Self::CbcHmacSha1 | Self::CbcHmacSha256) => (key, [0; 4]),
            (None, _) => return Err(PacketError::KeyLength),
        };
        Ok(match self {
            Self::CbcHmacSha1 => EspSuite::Cbc { key, authentication: sha1 },
            Self::CbcHmacSha256 => EspSuite::Cbc { key, authentication: sha256 },
            Self::CounterHmacSha1 => EspSuite::Counter { key: with_salt, nonce: salt, authentication: sha1 },
            Self::CounterHmacSha256 => {
                EspSuite::Counter { key: with_salt, nonce: salt, authentication: sha256 }
            }
            Self::Gcm if authentication_key.is_empty() => EspSuite::Gcm { key: with_salt, salt },
            Self::Gcm => return Err(PacketError::KeyLength),
        })
    }
}

/// A security association: its number, and the keys of one direction.
///
/// No packet changes an association: the caller numbers packets and refuses replays.
pub struct Association {
    spi: u32,
    keys: Wiped<Keys>,
    mode: TextMode,
    /// The four bytes of keying material before the vector, in counter mode and in GCM.
    salt: [u8; 4],
    tag_len: usize,
    extended: bool,
}

impl Association {
    /// Makes an association with sequence numbers of 32 bits.
    ///
    /// # Errors
    /// [`PacketError::KeyLength`] if a key has another length than it should.
    pub fn new(spi: u32, suite: EspSuite<'_>) -> Result<Self, PacketError> {
        Self::at(spi, suite, None)
    }

    /// Makes an association as [`new`](Self::new) does, for a kernel of AES and one of HMAC.
    ///
    /// ```
    /// use abreast::{aes::Aes128, hmac::{Hmac, Sha1}};
    /// use abreast_frames::ipsec::{self, Association, EspPacket, EspSuite};
    ///
    /// // All kernels make the same packet.
    /// let mut packets = vec![];
    /// for aes in Aes128::kernels() {
    ///     let kernels = [aes, Hmac::<Sha1>::kernels().next().ok_or("no kernel")?];
    ///     let suite = EspSuite::Gcm { key: b"a key of 16 byte", salt: *b"salt" };
    ///     let association = Association::with_kernels(0x4321, suite, kernels)?;
    ///     let (mut buffer, len) = ([7; 64], association.front() + 32);
    ///     ipsec::seal(&mut [EspPacket::new(&association, 1, &[0; 8], &mut buffer, len)]);
    ///     packets.push(buffer);
    /// }
    /// assert!(packets.iter().all(|packet| *packet == packets[0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PacketError::Kernel`], and those of [`new`](Self::new).
    pub fn with_kernels(spi: u32, suite: EspSuite<'_>, kernels: [Kernel; 2]) -> Result<Self, PacketError> {
        Self::at(spi, suite, Some(kernels))
    }

    fn at(spi: u32, suite: EspSuite<'_>, kernels: Kernels) -> Result<Self, PacketError> {
        let separate = |key, authentication: EspAuthentication<'_>| {
            let (mac, tag_len) = authentication.mac(kernels)?;
            Ok::<_, PacketError>((Keys::Separate(aes(key, kernels)?, mac), tag_len))
        };
        let ((keys, tag_len), mode, salt) = match suite {
            EspSuite::Cbc { key, authentication } => (separate(key, authentication)?, TextMode::Cbc, [0; 4]),
            EspSuite::Counter { key, nonce, authentication } => {
                (separate(key, authentication)?, TextMode::Counter32, nonce)
            }
            EspSuite::Gcm { key, salt } => {
                // The mode is that of the key; its vector is as long as that of counter mode.
                ((Keys::Gcm(Gcm::from_cipher(aes(key, kernels)?)), GCM_TAG), TextMode::Counter32, salt)
            }
        };
        Ok(Self { spi, keys: Wiped::new(keys), mode, salt, tag_len, extended: false })
    }

    /// Returns the association with extended sequence numbers (RFC 4303, section 2.2.1), of 64 bits, whose upper half is
    /// authenticated and not sent.
    ///
    /// ```
    /// use abreast_frames::ipsec::{self, Association, EspPacket, EspSuite};
    ///
    /// let suite = EspSuite::Gcm { key: b"a key of 16 byte", salt: *b"salt" };
    /// let association = Association::new(0x4321, suite)?.with_extended_numbers();
    /// let (mut buffer, number) = ([0; 80], (1 << 32) + 5);
    /// let mut batch = [EspPacket::new(&association, number, &[0; 8], &mut buffer, 60)];
    /// ipsec::seal(&mut batch);
    /// let len = batch[0].result?;
    /// let mut batch = [EspPacket::received(&association, 1, &mut buffer, len)];
    /// ipsec::open(&mut batch);
    /// assert_eq!(batch[0].sequence(), Some(number));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_extended_numbers(mut self) -> Self {
        self.extended = true;
        self
    }

    /// Returns the number of the association.
    #[must_use]
    pub fn spi(&self) -> u32 {
        self.spi
    }

    /// Returns the bytes before the text of a packet: SPI, sequence number and vector, 16 in all, in CBC 24.
    #[must_use]
    pub fn front(&self) -> usize {
        HEADER + self.iv_len()
    }

    /// Returns the bytes of a tag, which follows the text: 12 or 16.
    #[must_use]
    pub fn tag_len(&self) -> usize {
        self.tag_len
    }

    fn iv_len(&self) -> usize {
        if self.mode == TextMode::Cbc { LONG_IV } else { SHORT_IV }
    }
}

impl Drop for Association {
    fn drop(&mut self) {
        self.salt.zeroize();
    }
}

impl fmt::Debug for Association {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Association").field("spi", &self.spi).finish_non_exhaustive()
    }
}

/// A packet of ESP in a batch, with its association and its result.
pub struct EspPacket<'a> {
    association: &'a Association,
    /// The sequence number: all of it to seal, the upper half to open.
    sequence: u64,
    /// The vector of a packet to be sealed.
    iv: &'a [u8],
    buffer: &'a mut [u8],
    len: usize,
    /// The length of the packet afterwards, from the beginning of its buffer. [`PacketError::NotProcessed`] until a batch has
    /// processed it; a batch does not read the result of an earlier one.
    pub result: Result<usize, PacketError>,
}

impl<'a> EspPacket<'a> {
    /// Makes a packet to be sealed: the first `len` bytes of a buffer. The first [`front`](Association::front) of them are written,
    /// the rest is the text with the padding, its length and the next header (RFC 4303, section 2.4), and room for the tag follows.
    ///
    /// `sequence` has 32 bits, or 64 if the association's numbers are extended. `iv` has 8 bytes and must not repeat under a key; the
    /// sequence number may serve. In CBC it has 16, which nobody can predict.
    pub fn new(
        association: &'a Association,
        sequence: u64,
        iv: &'a [u8],
        buffer: &'a mut [u8],
        len: usize,
    ) -> Self {
        Self { association, sequence, iv, buffer, len, result: Err(PacketError::NotProcessed) }
    }

    /// Takes a packet that was received, from SPI to tag: the first `len` bytes of a buffer. `upper` is the upper half of its sequence
    /// number, which is looked at if the association's numbers are extended.
    pub fn received(association: &'a Association, upper: u32, buffer: &'a mut [u8], len: usize) -> Self {
        let sequence = u64::from(upper) << 32;
        Self { association, sequence, iv: &[], buffer, len, result: Err(PacketError::NotProcessed) }
    }

    /// Returns the sequence number of a packet that was sealed or opened. None if it was not.
    #[must_use]
    pub fn sequence(&self) -> Option<u64> {
        self.result.ok()?;
        let low = u32::from_be_bytes(*self.buffer.get(4..)?.first_chunk()?);
        let upper = if self.association.extended { self.sequence >> 32 << 32 } else { 0 };
        Some(upper | u64::from(low))
    }

    /// Returns the text of a packet that was opened, with its padding. None if it was not.
    #[must_use]
    pub fn text(&self) -> Option<&[u8]> {
        self.buffer.get(self.association.front()..self.result.ok()?)
    }

    /// Parses the packet. None if it is refused, which is its result then.
    #[inline]
    fn job(&mut self, direction: Direction) -> Option<Job<'_>> {
        let (text, sequence) = match self.checked(direction) {
            Ok(checked) => checked,
            Err(error) => {
                self.result = Err(error);
                return None;
            }
        };
        let association = self.association;
        let sent = &mut self.buffer[..text.start];
        if direction == Direction::Protect {
            sent[..4].copy_from_slice(&association.spi.to_be_bytes());
            sent[4..HEADER].copy_from_slice(&(sequence as u32).to_be_bytes());
            sent[HEADER..].copy_from_slice(self.iv);
        }
        let iv = &sent[HEADER..];
        let iv = match iv.try_into() {
            Ok(block) => block,
            Err(_) => counter_block(association.salt, iv.try_into().unwrap_or_default()),
        };
        let gcm = matches!(*association.keys, Keys::Gcm(_));
        // The upper half comes after SPI in GCM, and after the packet otherwise.
        let mut more = [0; 12];
        let more_len = match (association.extended, gcm) {
            (false, _) => 0,
            (true, true) => {
                let spi = [sent[0], sent[1], sent[2], sent[3]];
                more = aad_extended(u32::from_be_bytes(spi), sequence);
                more.len()
            }
            (true, false) => {
                more[..4].copy_from_slice(&((sequence >> 32) as u32).to_be_bytes());
                4
            }
        };
        let tag = text.end..text.end + association.tag_len;
        Some(Job {
            keys: &association.keys,
            mode: association.mode,
            buffer: self.buffer,
            iv,
            authenticated: if gcm { HEADER } else { text.end },
            more_len,
            more,
            len: if direction == Direction::Protect { tag.end } else { text.end },
            text,
            tag,
            done: Ok(()),
            result: &mut self.result,
        })
    }

    /// Returns the place of the text and the sequence number of a packet whose lengths are right.
    fn checked(&self, direction: Direction) -> Result<(Range<usize>, u64), PacketError> {
        let association = self.association;
        let (front, tag_len) = (association.front(), association.tag_len);
        let end = match direction {
            Direction::Protect => self.len,
            Direction::Unprotect => self.len.checked_sub(tag_len).ok_or(PacketError::TooShort)?,
        };
        if end < front {
            return Err(PacketError::TooShort);
        }
        if end > self.buffer.len().saturating_sub(tag_len) {
            return Err(PacketError::Room);
        }
        // Before anything is authenticated or written: neither hides the other.
        if association.mode == TextMode::Cbc && !(end - front).is_multiple_of(LONG_IV) {
            return Err(PacketError::PartialBlock);
        }
        let mut sequence = self.sequence;
        match direction {
            Direction::Protect if self.iv.len() != association.iv_len() => return Err(PacketError::IvLength),
            Direction::Protect if !association.extended && sequence > u32::MAX.into() => {
                return Err(PacketError::Index);
            }
            Direction::Protect => {}
            Direction::Unprotect => {
                let low = [self.buffer[4], self.buffer[5], self.buffer[6], self.buffer[7]];
                sequence |= u64::from(u32::from_be_bytes(low));
            }
        }
        Ok((front..end, sequence))
    }
}

impl fmt::Debug for EspPacket<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EspPacket")
            .field("spi", &self.association.spi)
            .field("len", &self.len)
            .field("result", &self.result)
            .finish_non_exhaustive()
    }
}

/// Writes the header of each packet, encrypts its text in place and appends its tag. The result is the length of the packet.
///
/// Results: [`PacketError::TooShort`], [`PacketError::Room`], [`PacketError::PartialBlock`], [`PacketError::IvLength`],
/// [`PacketError::Index`]; then the packet is as it was. [`PacketError::TooLong`] if counter mode or GCM does not take so many bytes.
pub fn seal(packets: &mut [EspPacket<'_>]) {
    process(Direction::Protect, packets);
}

/// Compares the tag of each packet, in constant time, and decrypts those that are authentic. The result is the length without the
/// tag, so that the text is between [`front`](Association::front) and there. The SPI is authenticated, and not compared with the
/// association's.
///
/// Results: [`PacketError::TooShort`], [`PacketError::Room`], [`PacketError::PartialBlock`]; then the packet is as it was.
/// [`PacketError::TagMismatch`]: then it is as it was under HMAC, and in GCM the text is zeros.
pub fn open(packets: &mut [EspPacket<'_>]) {
    process(Direction::Unprotect, packets);
}

/// The modes and hashes of ESP.
const SUITES: Suites = Suites { modes: &[TextMode::Counter32, TextMode::Cbc], hashes: &[sha1, sha256] };

fn process(direction: Direction, packets: &mut [EspPacket<'_>]) {
    for packets in packets.chunks_mut(WINDOW) {
        let mut jobs = ArrayList::<_, WINDOW>::new();
        packets.iter_mut().filter_map(|packet| packet.job(direction)).for_each(|job| jobs.push(job));
        protection::run(direction, &SUITES, jobs.items_mut());
    }
}
