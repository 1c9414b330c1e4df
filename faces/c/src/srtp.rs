//! SRTP: sessions, and packets of RTP and RTCP protected in batches.

use std::cell::Cell;
use std::ffi::{c_int, c_void};

use abreast::Error;
use abreast_frames::srtp::{Profile, Session, SrtpPacket, estimated_index, protect, unprotect};

use crate::buffers::{In, Out, Place, Span};
use crate::handle::{FreedKeyPtr, Handle, KeyPtr, Kind, make_alone, release};
use crate::packets::{Batch, Described, Items, QUARTER, Room, batch};
use crate::status::{Status, guarded, numbered};

/// A handle of a session.
pub type SrtpHandle = Handle<Session>;

impl Kind for Session {
    const KIND: u32 = 0xab12_5272;
}

/// A protection profile of SRTP. Functions take it as an int.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub enum SrtpProfile {
    /// AES-128 in counter mode, HMAC-SHA-1, tags of 10 bytes (RFC 3711). A key of 16 bytes, a salt of 14.
    Aes128CmSha1_80 = 1,
    /// ABREAST_SRTP_AES128_CM_SHA1_80 with tags of 4 bytes in RTP.
    Aes128CmSha1_32 = 2,
    /// AES-192 in counter mode, HMAC-SHA-1, tags of 10 bytes (RFC 6188). A key of 24 bytes, a salt of 14.
    Aes192CmSha1_80 = 3,
    /// ABREAST_SRTP_AES192_CM_SHA1_80 with tags of 4 bytes in RTP.
    Aes192CmSha1_32 = 4,
    /// AES-256 in counter mode, HMAC-SHA-1, tags of 10 bytes (RFC 6188). A key of 32 bytes, a salt of 14.
    Aes256CmSha1_80 = 5,
    /// ABREAST_SRTP_AES256_CM_SHA1_80 with tags of 4 bytes in RTP.
    Aes256CmSha1_32 = 6,
    /// AES-128 in GCM, tags of 16 bytes (RFC 7714). A key of 16 bytes, a salt of 12.
    Aes128Gcm = 7,
    /// AES-256 in GCM, tags of 16 bytes (RFC 7714). A key of 32 bytes, a salt of 12.
    Aes256Gcm = 8,
}

/// The protocol of a packet for SRTP.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub enum SrtpProtocol {
    /// A packet of RTP.
    Rtp = 0,
    /// A packet of RTCP, encrypted.
    Rtcp = 1,
    /// A packet of RTCP, authenticated and not encrypted.
    ClearRtcp = 2,
}

/// Makes a session of SRTP, for packets of RTP and RTCP in one direction: derives its keys from a master key and its salt, once
/// for all packets.
///
/// profile: one of enum abreast_srtp_profile, which says how long both are.
///
/// ABREAST_OPERATION for another profile; ABREAST_KEY_LENGTH; ABREAST_NONCE_LENGTH for the salt.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_srtp_new(
    profile: c_int,
    master_key: In,
    key_len: usize,
    master_salt: In,
    salt_len: usize,
    session: Place<*mut SrtpHandle>,
) -> c_int {
    make_alone(&session, || {
        let (key, salt) = (master_key.bytes(key_len)?, master_salt.bytes(salt_len)?);
        Ok(Session::new(numbered(&Profile::ALL, profile)?, key, salt)?)
    })
}

/// Frees a session. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_srtp_free(session: FreedKeyPtr<SrtpHandle>) {
    release(&session);
}

/// The index that a packet of RTP most likely has (RFC 3711, section 3.3.1): the number of roll-overs, times 2^16, and its own
/// number.
///
/// rollovers, highest: those of the packet with the highest index so far.
/// sequence: the number of the packet, its third and fourth byte.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_srtp_estimated_index(rollovers: u32, highest: u16, sequence: u16) -> u64 {
    guarded(0, || estimated_index(rollovers, highest, sequence))
}

/// A packet for SRTP, with its session and its result.
#[repr(C)]
#[derive(Debug)]
pub struct SrtpItem {
    /// The session.
    pub session: KeyPtr<SrtpHandle>,
    /// The packet, which is worked on in place.
    pub packet: Out,
    /// Its bytes before.
    pub len: usize,
    /// The bytes that the buffer has, len at least: to protect a packet, up to 16 more than it has for RTP, and 20 for RTCP.
    pub capacity: usize,
    /// The bytes of the packet after, if the status is ABREAST_OK.
    pub written: Cell<usize>,
    /// The index of the packet, if the status is ABREAST_OK: of RTP 48 bits, of RTCP 31.
    pub index: Cell<u64>,
    /// The number of roll-overs of RTP; the index of a packet of RTCP to be protected, which must not repeat under a session and a
    /// sender.
    pub number: u32,
    /// One of enum abreast_srtp_protocol. A packet of RTCP that is unprotected says by itself if it was encrypted; that is written
    /// here.
    pub protocol: Cell<c_int>,
    /// The result.
    pub status: Cell<c_int>,
}

impl Described for SrtpItem {
    fn status(&self) -> &Cell<c_int> {
        &self.status
    }
    fn key(&self) -> *const c_void {
        self.session.address()
    }
}

/// A batch of packets, and what is done with them.
struct Srtp {
    run: fn(&mut [SrtpPacket<'_>]),
}

impl<'i> Batch<'i, SrtpItem> for Srtp {
    type Packet<'w>
        = SrtpPacket<'w>
    where
        'i: 'w;

    fn take<'w>(
        &self,
        item: &'i SrtpItem,
        array: Span,
        _: &'i [SrtpItem],
        _: &'w mut Room,
    ) -> Result<Option<SrtpPacket<'w>>, Status>
    where
        'i: 'w,
    {
        let session = &item.session.get()?.key;
        let buffer = item.packet.bytes(item.capacity, &[array])?;
        Ok(Some(match item.protocol.get() {
            protocol if protocol == SrtpProtocol::Rtp as c_int => {
                SrtpPacket::rtp(session, item.number, buffer, item.len)
            }
            protocol if protocol == SrtpProtocol::Rtcp as c_int => {
                SrtpPacket::rtcp(session, item.number, buffer, item.len)
            }
            protocol if protocol == SrtpProtocol::ClearRtcp as c_int => {
                SrtpPacket::rtcp(session, item.number, buffer, item.len).in_the_clear()
            }
            _ => return Err(Status::Operation),
        }))
    }

    fn run(&mut self, window: &mut [SrtpPacket<'_>]) -> Result<(), Error> {
        (self.run)(window);
        Ok(())
    }

    fn result(item: &SrtpItem, packet: &SrtpPacket<'_>) -> Result<(), Status> {
        item.written.set(packet.result?);
        item.index.set(packet.index());
        if item.protocol.get() != SrtpProtocol::Rtp as c_int {
            let rtcp = if packet.is_encrypted() { SrtpProtocol::Rtcp } else { SrtpProtocol::ClearRtcp };
            item.protocol.set(rtcp as c_int);
        }
        Ok(())
    }
}

/// Protects packets of RTP and RTCP, each under its session: encrypts them in place, and appends a tag, to RTCP its index too.
/// Neither a list against replays nor MKI is part of it.
///
/// packet_size: sizeof(struct abreast_srtp_packet).
///
/// ABREAST_BATCH if some were not done: each has its own status. ABREAST_MESSAGE_TOO_SHORT for a packet shorter than its headers;
/// ABREAST_HEADER; ABREAST_BUFFER_TOO_SHORT; ABREAST_COUNTER_EXHAUSTED for an index of RTCP of more than 31 bits;
/// ABREAST_MESSAGE_TOO_LONG for more than 1 MiB to encrypt in counter mode; ABREAST_OPERATION for a protocol that there is none of.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_srtp_protect(packets: Items<SrtpItem>, count: usize, packet_size: usize) -> c_int {
    batch::<QUARTER, _, _>(&packets, count, packet_size, Srtp { run: protect })
}

/// Unprotects packets of RTP and RTCP, each under its session: compares tags in constant time, and decrypts what is authentic.
///
/// ABREAST_BATCH, as for abreast_srtp_protect. ABREAST_TAG_MISMATCH: then the packet is as it was in counter mode, so that another
/// number of roll-overs can be tried, and in GCM what was encrypted is zeros.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_srtp_unprotect(
    packets: Items<SrtpItem>,
    count: usize,
    packet_size: usize,
) -> c_int {
    batch::<QUARTER, _, _>(&packets, count, packet_size, Srtp { run: unprotect })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_have_their_numbers() {
        for (number, expected) in [
            (SrtpProfile::Aes128CmSha1_80, Profile::Aes128CmSha1_80),
            (SrtpProfile::Aes128CmSha1_32, Profile::Aes128CmSha1_32),
            (SrtpProfile::Aes192CmSha1_80, Profile::Aes192CmSha1_80),
            (SrtpProfile::Aes192CmSha1_32, Profile::Aes192CmSha1_32),
            (SrtpProfile::Aes256CmSha1_80, Profile::Aes256CmSha1_80),
            (SrtpProfile::Aes256CmSha1_32, Profile::Aes256CmSha1_32),
            (SrtpProfile::Aes128Gcm, Profile::Aes128Gcm),
            (SrtpProfile::Aes256Gcm, Profile::Aes256Gcm),
        ] {
            assert_eq!(numbered(&Profile::ALL, number as c_int), Ok(expected));
        }
        for none in [c_int::MIN, -1, 0, 9, c_int::MAX] {
            assert_eq!(numbered(&Profile::ALL, none), Err(Status::Operation), "{none}");
        }
    }
}
