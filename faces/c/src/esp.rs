//! IPsec ESP: security associations, and packets sealed in batches.

use std::cell::Cell;
use std::ffi::{c_int, c_void};

use abreast::Error;
use abreast_frames::ipsec::{Association, EspAlgorithms, EspPacket, open, seal};

use crate::buffers::{In, Out, Place, Span};
use crate::handle::{FreedKeyPtr, Handle, KeyPtr, Kind, make_alone, release};
use crate::packets::{Batch, Described, Items, QUARTER, Room, batch};
use crate::status::{Status, numbered};

/// A handle of a security association.
pub type EspHandle = Handle<Association>;

impl Kind for Association {
    const KIND: u32 = 0xab12_e5b0;
}

/// The algorithms of a security association. Functions take them as an int.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub enum EspSuite {
    /// AES in CBC (RFC 3602), HMAC-SHA1-96 (RFC 2404): a key of 20 bytes to authenticate with, tags of 12.
    CbcHmacSha1 = 1,
    /// AES in CBC, HMAC-SHA-256-128 (RFC 4868): a key of 32 bytes to authenticate with, tags of 16.
    CbcHmacSha256 = 2,
    /// AES in counter mode (RFC 3686), HMAC-SHA1-96.
    CtrHmacSha1 = 3,
    /// AES in counter mode, HMAC-SHA-256-128.
    CtrHmacSha256 = 4,
    /// AES in GCM (RFC 4106), tags of 16 bytes, and no key to authenticate with.
    Gcm = 5,
}

/// Makes a security association of IPsec ESP, for packets in one direction.
///
/// suite: one of enum abreast_esp_suite.
/// spi: the number of the association.
/// key: of AES, 16, 24 or 32 bytes, followed in counter mode and in GCM by the 4 bytes of nonce or salt.
/// auth_key: the key to authenticate with; NULL and 0 in GCM.
/// extended: 1 for sequence numbers of 64 bits (RFC 4303, section 2.2.1), 0 for those of 32.
///
/// ABREAST_OPERATION for another suite; ABREAST_KEY_LENGTH for either key.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_esp_new(
    suite: c_int,
    spi: u32,
    key: In,
    key_len: usize,
    auth_key: In,
    auth_key_len: usize,
    extended: c_int,
    association: Place<*mut EspHandle>,
) -> c_int {
    make_alone(&association, || {
        let (key, auth_key) = (key.bytes(key_len)?, auth_key.bytes(auth_key_len)?);
        let suite = numbered(&EspAlgorithms::ALL, suite)?;
        let made = Association::new(spi, suite.with_keys(key, auth_key)?)?;
        Ok(if extended == 0 { made } else { made.with_extended_numbers() })
    })
}

/// Frees an association. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_esp_free(association: FreedKeyPtr<EspHandle>) {
    release(&association);
}

/// A packet of ESP, with its association and its result.
#[repr(C)]
#[derive(Debug)]
pub struct EspItem {
    /// The association.
    pub association: KeyPtr<EspHandle>,
    /// The packet, from SPI to tag, which is worked on in place. To seal it: 8 bytes for SPI and sequence number and iv_len for the
    /// vector, which are written; the text, with padding, its length and the next header (RFC 4303, section 2.4); room for the tag.
    pub packet: Out,
    /// Its bytes before, without the tag if it is to be sealed.
    pub len: usize,
    /// The bytes that the buffer has, len at least: to seal a packet, 12 or 16 more for the tag.
    pub capacity: usize,
    /// The vector of a packet to be sealed, apart from it. It must not repeat under a key; the sequence number may serve. In CBC
    /// nobody may be able to predict it. To open a packet: NULL.
    pub iv: In,
    /// Its bytes: 8, in CBC 16. To open a packet: 0.
    pub iv_len: usize,
    /// The bytes of the packet after, if the status is ABREAST_OK: of one that was opened, to the end of its text, which begins behind
    /// the vector.
    pub written: Cell<usize>,
    /// The sequence number. To open a packet: its upper 32 bits are those of the packet's number, if the association's are extended,
    /// and then it is the packet's, if the status is ABREAST_OK.
    pub sequence: Cell<u64>,
    /// The result.
    pub status: Cell<c_int>,
}

impl Described for EspItem {
    fn status(&self) -> &Cell<c_int> {
        &self.status
    }
    fn key(&self) -> *const c_void {
        self.association.address()
    }
}

/// A batch of packets.
struct Esp {
    run: fn(&mut [EspPacket<'_>]),
    seals: bool,
}

impl<'i> Batch<'i, EspItem> for Esp {
    type Packet<'w>
        = EspPacket<'w>
    where
        'i: 'w;

    fn take<'w>(
        &self,
        item: &'i EspItem,
        array: Span,
        _: &'i [EspItem],
        _: &'w mut Room,
    ) -> Result<Option<EspPacket<'w>>, Status>
    where
        'i: 'w,
    {
        let association = &item.association.get()?.key;
        let iv = item.iv.bytes(item.iv_len)?;
        let buffer = item.packet.bytes(item.capacity, &[array, Span::of(iv)])?;
        let sequence = item.sequence.get();
        Ok(Some(if self.seals {
            EspPacket::new(association, sequence, iv, buffer, item.len)
        } else {
            EspPacket::received(association, (sequence >> 32) as u32, buffer, item.len)
        }))
    }

    fn run(&mut self, window: &mut [EspPacket<'_>]) -> Result<(), Error> {
        (self.run)(window);
        Ok(())
    }

    fn result(item: &EspItem, packet: &EspPacket<'_>) -> Result<(), Status> {
        item.written.set(packet.result?);
        item.sequence.set(packet.sequence().unwrap_or_default());
        Ok(())
    }
}

/// Seals packets of ESP, each under its association: writes their headers, encrypts them in place, and appends a tag.
///
/// packet_size: sizeof(struct abreast_esp_packet).
///
/// ABREAST_BATCH if some were not done: each has its own status. ABREAST_MESSAGE_TOO_SHORT for a packet without room for its header;
/// ABREAST_BUFFER_TOO_SHORT; ABREAST_PARTIAL_BLOCK for a text that CBC does not take; ABREAST_IV_LENGTH; ABREAST_COUNTER_EXHAUSTED for
/// a sequence number of more than 32 bits that is not extended: then it is as it was. ABREAST_MESSAGE_TOO_LONG.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_esp_seal(packets: Items<EspItem>, count: usize, packet_size: usize) -> c_int {
    batch::<QUARTER, _, _>(&packets, count, packet_size, Esp { run: seal, seals: true })
}

/// Opens packets of ESP, each under its association: compares tags in constant time, and decrypts what is authentic. The SPI is
/// authenticated, and not compared with the association's; a list against replays is the caller's.
///
/// ABREAST_BATCH, as for abreast_esp_seal. ABREAST_TAG_MISMATCH: then the packet is as it was under HMAC, and in GCM what was
/// encrypted is zeros.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_esp_open(packets: Items<EspItem>, count: usize, packet_size: usize) -> c_int {
    batch::<QUARTER, _, _>(&packets, count, packet_size, Esp { run: open, seals: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_have_their_numbers() {
        for (number, expected) in [
            (EspSuite::CbcHmacSha1, EspAlgorithms::CbcHmacSha1),
            (EspSuite::CbcHmacSha256, EspAlgorithms::CbcHmacSha256),
            (EspSuite::CtrHmacSha1, EspAlgorithms::CounterHmacSha1),
            (EspSuite::CtrHmacSha256, EspAlgorithms::CounterHmacSha256),
            (EspSuite::Gcm, EspAlgorithms::Gcm),
        ] {
            assert_eq!(numbered(&EspAlgorithms::ALL, number as c_int), Ok(expected));
        }
        for none in [c_int::MIN, -1, 0, 6, c_int::MAX] {
            assert_eq!(numbered(&EspAlgorithms::ALL, none), Err(Status::Operation), "{none}");
        }
    }
}
