//! QUIC: keys of connections, and packets encrypted with their headers in batches.

use std::cell::Cell;
use std::ffi::{c_int, c_void};

use abreast::Error;
use abreast::aes::Aes;
use abreast_frames::quic::{PacketKey, PacketKeys, QuicPacket, header_key, mask, open, seal};

use crate::buffers::{In, Out, Place, Span};
use crate::handle::{FreedKeyPtr, Handle, KeyPtr, Kind, make_alone, release};
use crate::packets::{Batch, Described, Items, QUARTER, Room, batch};
use crate::status::{Status, call};

/// A handle of a key of packets.
pub type QuicKeyHandle = Handle<PacketKey>;

impl Kind for PacketKey {
    const KIND: u32 = 0xab12_9c4b;
}

/// A handle of a key of headers.
pub type QuicHeaderKeyHandle = Handle<Aes>;

impl Kind for Aes {
    const KIND: u32 = 0xab12_9c48;
}

/// Makes a key of QUIC for the packets of one direction, of one encryption level and, in packets with a short header, one phase
/// (RFC 9001, section 5.1), with AES-128-GCM or AES-256-GCM.
///
/// key: 16 or 32 bytes, "quic key" of TLS.
/// iv: 12 bytes, "quic iv".
///
/// ABREAST_KEY_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_quic_key_new(
    key: In,
    key_len: usize,
    iv: In,
    quic_key: Place<*mut QuicKeyHandle>,
) -> c_int {
    make_alone(&quic_key, || Ok(PacketKey::new(key.bytes(key_len)?, iv.array()?)?))
}

/// Frees a key of packets. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_quic_key_free(quic_key: FreedKeyPtr<QuicKeyHandle>) {
    release(&quic_key);
}

/// Makes a key of QUIC for the headers of one direction and encryption level, with AES-128 or AES-256. It stays when the key of
/// packets is updated.
///
/// key: 16 or 32 bytes, "quic hp" of TLS.
///
/// ABREAST_KEY_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_quic_header_key_new(
    key: In,
    key_len: usize,
    header_key: Place<*mut QuicHeaderKeyHandle>,
) -> c_int {
    make_alone(&header_key, || Ok(self::header_key(key.bytes(key_len)?)?))
}

/// Frees a key of headers. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_quic_header_key_free(header_key: FreedKeyPtr<QuicHeaderKeyHandle>) {
    release(&header_key);
}

/// Makes the mask of one header (RFC 9001, section 5.4.3). Batches make those of their packets themselves.
///
/// sample: 16 bytes of the ciphertext, from 4 bytes behind the beginning of the packet number.
/// mask: where the mask goes, 5 bytes: one for the first byte, and four for the packet number.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_quic_mask(header_key: KeyPtr<QuicHeaderKeyHandle>, sample: In, mask: Out) -> c_int {
    call(|| {
        let (key, sample) = (&header_key.get()?.key, sample.array()?);
        let made = self::mask(key, sample);
        mask.bytes(made.len(), &[Span::of(sample)])?.copy_from_slice(&made);
        Ok(())
    })
}

/// A packet of QUIC, with its keys and its result.
#[repr(C)]
#[derive(Debug)]
pub struct QuicItem {
    /// The key of its header.
    pub header_key: KeyPtr<QuicHeaderKeyHandle>,
    /// The keys of packets of phase 0 and of phase 1, of which one may be NULL. A packet with a long header has the first of them.
    pub keys: [KeyPtr<QuicKeyHandle>; 2],
    /// The packet, from its first byte to the end of its tag, which is worked on in place. To seal it: the header in clear, whose
    /// first byte says how many bytes of the packet number stand at its end; the payload; 16 bytes for the tag.
    pub packet: Out,
    /// Its bytes, 20 at least from the packet number on.
    pub len: usize,
    /// The bytes before the packet number.
    pub number_at: usize,
    /// The full packet number. To open a packet: the number that is expected, the largest so far plus 1, and then the packet's, if
    /// the status is ABREAST_OK.
    pub number: Cell<u64>,
    /// The bytes before the payload, if the status is ABREAST_OK. Those of the payload are 16 less than the rest.
    pub header_len: Cell<usize>,
    /// The result.
    pub status: Cell<c_int>,
}

impl Described for QuicItem {
    fn status(&self) -> &Cell<c_int> {
        &self.status
    }
    fn key(&self) -> *const c_void {
        self.keys[0].address()
    }
}

/// A batch of packets, and what is done with them.
struct Quic(fn(&mut [QuicPacket<'_>]));

impl<'i> Batch<'i, QuicItem> for Quic {
    type Packet<'w>
        = QuicPacket<'w>
    where
        'i: 'w;

    fn take<'w>(
        &self,
        item: &'i QuicItem,
        array: Span,
        _: &'i [QuicItem],
        _: &'w mut Room,
    ) -> Result<Option<QuicPacket<'w>>, Status>
    where
        'i: 'w,
    {
        // NULL is no key, and any other pointer that is not to one is refused.
        let key = |key: &'i KeyPtr<QuicKeyHandle>| match key.get() {
            Ok(key) => Ok(Some(&key.key)),
            Err(Status::NullPointer) => Ok(None),
            Err(status) => Err(status),
        };
        let [even, odd] = &item.keys;
        let header_key = &item.header_key.get()?.key;
        let keys = PacketKeys::of_phases(header_key, [key(even)?, key(odd)?]).ok_or(Status::NullPointer)?;
        let packet = item.packet.bytes(item.len, &[array])?;
        let packet = QuicPacket::new(keys, item.number.get(), packet, item.number_at);
        packet.map(Some).map_err(|_| Status::MessageTooShort)
    }

    fn run(&mut self, window: &mut [QuicPacket<'_>]) -> Result<(), Error> {
        (self.0)(window);
        Ok(())
    }

    fn result(item: &QuicItem, packet: &QuicPacket<'_>) -> Result<(), Status> {
        packet.result?;
        item.number.set(packet.number);
        item.header_len.set(packet.header_len());
        Ok(())
    }
}

/// Encrypts packets of QUIC (RFC 9001, section 5.3) and protects their headers, each under its keys, in place.
///
/// packet_size: sizeof(struct abreast_quic_packet).
///
/// ABREAST_BATCH if some were not done: each has its own status, and is as it was. ABREAST_MESSAGE_TOO_SHORT for less than 20 bytes
/// from the packet number on, or none before it; ABREAST_KEY_PHASE.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_quic_seal(packets: Items<QuicItem>, count: usize, packet_size: usize) -> c_int {
    batch::<QUARTER, _, _>(&packets, count, packet_size, Quic(seal))
}

/// Takes the protection off the headers of packets of QUIC and decrypts those that are authentic, each under its keys, in place. The
/// reserved bits of an authentic header must be zero (RFC 9001, section 5.4.1), which is left to the caller.
///
/// ABREAST_BATCH, as for abreast_quic_seal. ABREAST_TAG_MISMATCH: then the header is without protection, and what was encrypted is
/// zeros.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_quic_open(packets: Items<QuicItem>, count: usize, packet_size: usize) -> c_int {
    batch::<QUARTER, _, _>(&packets, count, packet_size, Quic(open))
}
