//! Packets of RTP and RTCP, parsed and protected in batches.

use super::session::{Half, Session};
use super::{counter, index};
use crate::PacketError;
use crate::protection::{self, Direction, GCM_TAG, Job, Suites, TextMode, WINDOW, sha1};
use abreast::ArrayList;
use core::fmt;
use core::ops::Range;

/// Bytes of a fixed header of RTP (RFC 3550, section 5.1).
const RTP_HEADER: usize = 12;
/// Bytes of a header of RTCP that are not encrypted.
const RTCP_HEADER: usize = 8;
/// Bytes of the index that is sent with RTCP.
const RTCP_INDEX: usize = 4;
/// The bit of that index which says that the packet is encrypted.
const ENCRYPTED: u32 = 1 << 31;

/// The protocol of a packet, and what of its index is not in the packet.
#[derive(Clone, Copy, Debug)]
enum Protocol {
    /// RTP, with the number of roll-overs.
    Rtp { rollovers: u32 },
    /// RTCP, with the index of a packet to be protected.
    Rtcp { index: u32, encrypted: bool },
}

/// A packet of RTP or RTCP in a batch, with its session and its result.
pub struct SrtpPacket<'a> {
    session: &'a Session,
    protocol: Protocol,
    buffer: &'a mut [u8],
    len: usize,
    /// The end of the packet, while index and tag after it have changed places.
    turned: Option<usize>,
    /// The length of the packet afterwards, from the beginning of its buffer. [`PacketError::NotProcessed`] until a batch has
    /// processed it; a batch does not read the result of an earlier one.
    pub result: Result<usize, PacketError>,
}

impl<'a> SrtpPacket<'a> {
    /// Makes a packet of RTP: the first `len` bytes of a buffer, which has room behind them for
    /// [`rtp_overhead`](super::Profile::rtp_overhead) if the packet is to be protected.
    ///
    /// `rollovers` says how often its sequence numbers have begun anew; of a received packet, that is
    /// [`estimated_index`](super::estimated_index) divided by 2^16.
    pub fn rtp(session: &'a Session, rollovers: u32, buffer: &'a mut [u8], len: usize) -> Self {
        Self::new(session, Protocol::Rtp { rollovers }, buffer, len)
    }

    /// Makes a packet of RTCP, as [`rtp`](Self::rtp) with room for [`rtcp_overhead`](super::Profile::rtcp_overhead).
    ///
    /// `index` has 31 bits and must not repeat under a session and a sender. It is not looked at in a received packet, which
    /// has its own.
    ///
    /// ```
    /// use abreast_frames::srtp::{self, Profile, Session, SrtpPacket};
    ///
    /// let session = Session::new(Profile::Aes128CmSha1_80, b"the master's key", b"a master salt.")?;
    /// let mut buffer = [0x80; 60];
    /// let len = buffer.len() - Profile::Aes128CmSha1_80.rtcp_overhead();
    /// let mut batch = [SrtpPacket::rtcp(&session, 1, &mut buffer, len).in_the_clear()];
    /// srtp::protect(&mut batch);
    /// assert_eq!((batch[0].result, batch[0].is_encrypted()), (Ok(60), false));
    /// # Ok::<(), abreast_frames::PacketError>(())
    /// ```
    pub fn rtcp(session: &'a Session, index: u32, buffer: &'a mut [u8], len: usize) -> Self {
        Self::new(session, Protocol::Rtcp { index, encrypted: true }, buffer, len)
    }

    fn new(session: &'a Session, protocol: Protocol, buffer: &'a mut [u8], len: usize) -> Self {
        Self { session, protocol, buffer, len, turned: None, result: Err(PacketError::NotProcessed) }
    }

    /// Returns the packet of RTCP as one to be authenticated only; a received packet says by itself if it is encrypted.
    #[must_use]
    pub fn in_the_clear(self) -> Self {
        let protocol = match self.protocol {
            Protocol::Rtcp { index, .. } => Protocol::Rtcp { index, encrypted: false },
            rtp @ Protocol::Rtp { .. } => rtp,
        };
        Self { protocol, ..self }
    }

    /// Returns the index of the packet, once it is protected or unprotected: 48 bits of RTP, 31 of RTCP.
    #[must_use]
    pub fn index(&self) -> u64 {
        match self.protocol {
            Protocol::Rtp { rollovers } => index(rollovers, (word(self.buffer, 0) & 0xffff) as u16),
            Protocol::Rtcp { index, .. } => index.into(),
        }
    }

    /// True if the packet is or was encrypted: always for RTP.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        !matches!(self.protocol, Protocol::Rtcp { encrypted: false, .. })
    }
}

impl fmt::Debug for SrtpPacket<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SrtpPacket")
            .field("protocol", &self.protocol)
            .field("len", &self.len)
            .field("result", &self.result)
            .finish_non_exhaustive()
    }
}

/// Encrypts each packet in place and appends its tag, to RTCP its index too. The result is the longer length.
///
/// Results: [`PacketError::TooShort`], [`PacketError::Version`], [`PacketError::Room`], [`PacketError::Index`],
/// [`PacketError::TooLong`]. Then nothing was done.
pub fn protect(packets: &mut [SrtpPacket<'_>]) {
    process(Direction::Protect, packets);
}

/// Compares the tag of each packet, in constant time, and decrypts those that are authentic. The result is the shorter length.
///
/// Results: [`PacketError::TooShort`], [`PacketError::Version`], [`PacketError::Room`], [`PacketError::TooLong`]; then the packet is
/// as it was. [`PacketError::TagMismatch`]: then it is as it was in counter mode, so that another number of roll-overs can be
/// tried, and in GCM what was encrypted is zeros.
pub fn unprotect(packets: &mut [SrtpPacket<'_>]) {
    process(Direction::Unprotect, packets);
}

/// Bytes of a text in counter mode at most: 2^16 blocks (RFC 3711, section 4.1.1).
const LONGEST: usize = 1 << 20;

/// The mode and the hash of SRTP.
const SUITES: Suites = Suites { modes: &[TextMode::Counter16], hashes: &[sha1] };

fn process(direction: Direction, packets: &mut [SrtpPacket<'_>]) {
    for packets in packets.chunks_mut(WINDOW) {
        let mut jobs = ArrayList::<_, WINDOW>::new();
        packets.iter_mut().filter_map(|packet| packet.job(direction)).for_each(|job| jobs.push(job));
        protection::run(direction, &SUITES, jobs.items_mut());
        drop(jobs);
        for packet in packets {
            packet.turn_back();
        }
    }
}

/// The layout of a packet, and what belongs to it.
struct Plan<'a> {
    half: &'a Half,
    /// The first counter block, or the nonce in front.
    iv: u128,
    text: Range<usize>,
    /// The first bytes that are authenticated, and then these or instead of them, as in a [`Job`].
    authenticated: usize,
    more: [u8; 12],
    more_len: usize,
    tag: Range<usize>,
    len: usize,
}

impl<'a> SrtpPacket<'a> {
    /// Parses the packet. None if it is refused, which is its result then.
    #[inline]
    fn job(&mut self, direction: Direction) -> Option<Job<'_>> {
        self.turned = None;
        let plan = match self.protocol {
            Protocol::Rtp { rollovers } => self.rtp_plan(direction, rollovers),
            Protocol::Rtcp { index, encrypted } => self.rtcp_plan(direction, index, encrypted),
        };
        match plan {
            Ok(Plan { half, iv, text, authenticated, more, more_len, tag, len }) => Some(Job {
                keys: &half.keys,
                mode: TextMode::Counter16,
                buffer: self.buffer,
                iv: iv.to_be_bytes(),
                text,
                authenticated,
                more_len,
                more,
                tag,
                len,
                done: Ok(()),
                result: &mut self.result,
            }),
            Err(error) => {
                self.result = Err(error);
                None
            }
        }
    }

    /// Returns the end of the packet without what protection appends to it, for which there is room.
    fn end(&self, direction: Direction, overhead: usize) -> Result<usize, PacketError> {
        let end = match direction {
            Direction::Protect => self.len,
            Direction::Unprotect => self.len.checked_sub(overhead).ok_or(PacketError::TooShort)?,
        };
        if end > self.buffer.len().saturating_sub(overhead) { Err(PacketError::Room) } else { Ok(end) }
    }

    fn rtp_plan(&self, direction: Direction, rollovers: u32) -> Result<Plan<'a>, PacketError> {
        let profile = self.session.profile();
        let end = self.end(direction, profile.rtp_overhead())?;
        let header = rtp_header(&self.buffer[..end])?;
        self.check_text(header..end)?;
        let half = &self.session.rtp;
        let index = self.index();
        let (authenticated, more_len) = if profile.is_gcm() { (header, 0) } else { (end, 4) };
        let mut more = [0; 12];
        more[..4].copy_from_slice(&rollovers.to_be_bytes());
        let tag = end..end + profile.rtp_overhead();
        Ok(Plan {
            half,
            iv: self.iv(half, word(self.buffer, 8), index),
            text: header..end,
            authenticated,
            more,
            more_len,
            len: if direction == Direction::Protect { tag.end } else { end },
            tag,
        })
    }

    fn rtcp_plan(
        &mut self,
        direction: Direction,
        mut index: u32,
        mut encrypted: bool,
    ) -> Result<Plan<'a>, PacketError> {
        let profile = self.session.profile();
        let overhead = profile.rtcp_overhead();
        let end = self.end(direction, overhead)?;
        if end < RTCP_HEADER {
            return Err(PacketError::TooShort);
        }
        version(self.buffer)?;
        // In counter mode the index is in front of the tag, in GCM behind it.
        let at = end + if profile.is_gcm() { GCM_TAG } else { 0 };
        if direction == Direction::Unprotect {
            let sent = word(self.buffer, at);
            (index, encrypted) = (sent & !ENCRYPTED, sent & ENCRYPTED != 0);
            self.protocol = Protocol::Rtcp { index, encrypted };
        } else if index & ENCRYPTED != 0 {
            return Err(PacketError::Index);
        }
        let text = if encrypted { RTCP_HEADER..end } else { end..end };
        self.check_text(text)?;
        let sent = (index | if encrypted { ENCRYPTED } else { 0 }).to_be_bytes();
        self.buffer[at..at + RTCP_INDEX].copy_from_slice(&sent);
        let mut more = [0; 12];
        let (first, last) = more.split_at_mut(RTCP_HEADER);
        first.copy_from_slice(&self.buffer[..RTCP_HEADER]);
        last.copy_from_slice(&sent);
        let in_place = profile.is_gcm() && encrypted;
        if profile.is_gcm() && !encrypted {
            // All that is authenticated in one piece: index and tag change places for a while.
            self.turned = Some(end);
            self.buffer[end..end + overhead].rotate_right(RTCP_INDEX);
        }
        let half = &self.session.rtcp;
        let (authenticated, tag) = if in_place {
            (RTCP_HEADER, end..at)
        } else {
            (end + RTCP_INDEX, end + RTCP_INDEX..end + overhead)
        };
        Ok(Plan {
            half,
            iv: self.iv(half, word(self.buffer, 4), index.into()),
            text: if encrypted { RTCP_HEADER..end } else { tag.start..tag.start },
            authenticated,
            more,
            more_len: if in_place { 12 } else { 0 },
            tag,
            len: if direction == Direction::Protect { end + overhead } else { end },
        })
    }

    /// Refuses a text that is longer than the counter of 16 bits counts, before anything is written.
    fn check_text(&self, text: Range<usize>) -> Result<(), PacketError> {
        let counted = !self.session.profile().is_gcm();
        if counted && text.len() > LONGEST { Err(PacketError::TooLong) } else { Ok(()) }
    }

    /// Puts index and tag back into their order.
    fn turn_back(&mut self) {
        if let Some(end) = self.turned.take() {
            self.buffer[end..end + RTCP_INDEX + GCM_TAG].rotate_left(RTCP_INDEX);
        }
    }

    /// Returns the first counter block, or the nonce of GCM (RFC 7714, sections 8.1 and 9.1), which has the sender and the index
    /// two bytes further to the front.
    fn iv(&self, half: &Half, ssrc: u32, index: u64) -> u128 {
        let numbers = counter(0, ssrc, index);
        half.salt ^ if self.session.profile().is_gcm() { numbers << 16 } else { numbers }
    }
}

/// Returns the bytes of a header of RTP with contributing sources and an extension (RFC 3550, section 5.1), which are not
/// encrypted.
fn rtp_header(packet: &[u8]) -> Result<usize, PacketError> {
    let [first, ..] = *packet.first_chunk::<RTP_HEADER>().ok_or(PacketError::TooShort)?;
    version(packet)?;
    let mut header = RTP_HEADER + 4 * usize::from(first & 0x0f);
    if first & 0x10 != 0 {
        let extension = packet.get(header..header + 4).ok_or(PacketError::TooShort)?;
        header += 4 + 4 * usize::from(u16::from_be_bytes([extension[2], extension[3]]));
    }
    if header > packet.len() { Err(PacketError::TooShort) } else { Ok(header) }
}

/// Refuses a packet of another version than 2.
fn version(packet: &[u8]) -> Result<(), PacketError> {
    if packet.first().is_some_and(|first| first >> 6 == 2) { Ok(()) } else { Err(PacketError::Version) }
}

/// Returns the four bytes at an offset as a number; zeros after the end.
fn word(packet: &[u8], at: usize) -> u32 {
    let bytes = packet.get(at..).and_then(<[u8]>::first_chunk);
    bytes.map_or(0, |bytes| u32::from_be_bytes(*bytes))
}
