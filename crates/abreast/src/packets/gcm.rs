//! GCM packet after packet: for AES instructions nothing is gained by lanes.

use super::key::GcmKey;
use super::packet::Packet;
use super::schedule::batch;
use super::schedule::batch_mode::{BatchItem, BatchMode, LaneUse};
use crate::Error;
use crate::ciphers::CipherRef;
use crate::engine::backend::Direction;
use crate::engine::multibuf::ShortMessages;
use crate::engine::passes::ModeLoop;
use crate::loops::gcm::GcmMessage;
use crate::modes::gcm;
use crate::modes::tag::{check_len, same_tag};
use abreast_simd::AesIsa;
use abreast_simd::inlined::CopyFrom;

/// Encrypts or decrypts packets by GCM.
pub(super) fn gcm(direction: Direction, packets: &mut [Packet<'_, GcmKey<'_>>]) {
    match direction {
        Direction::Encrypt => batch::process(&GcmBatch::<true>, packets),
        Direction::Decrypt => batch::process(&GcmBatch::<false>, packets),
    }
}

#[derive(Clone, Copy)]
struct GcmBatch<const ENCRYPT: bool>;

impl<const ENCRYPT: bool> GcmBatch<ENCRYPT> {
    const DIRECTION: Direction = if ENCRYPT { Direction::Encrypt } else { Direction::Decrypt };
}

impl<'k> BatchItem<'k> for Packet<'_, GcmKey<'k>> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn cipher(&self) -> CipherRef<'k> {
        self.key.cipher
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn finish(&mut self, result: Result<(), Error>) {
        self.result = result;
    }
}

impl<const ENCRYPT: bool> BatchMode<Packet<'_, GcmKey<'_>>> for GcmBatch<ENCRYPT> {
    const LANES: LaneUse = LaneUse::None;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn check(&self, packet: &Packet<'_, GcmKey<'_>>, _: usize) -> Result<usize, Error> {
        check_len(packet.tag, packet.key.tag_len)?;
        gcm::check(packet.iv, packet.associated_data, &packet.buffer)?;
        Ok(1)
    }
    fn single(&self, packet: &mut Packet<'_, GcmKey<'_>>) -> Result<(), Error> {
        packet.gcm(Self::DIRECTION)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn in_turn<I: AesIsa, S: ShortMessages<I>>(
        &self,
        isa: I,
        keys: &S::Keys,
        packet: &mut Packet<'_, GcmKey<'_>>,
    ) -> Result<(), Error> {
        let Packet { key, iv, associated_data: aad, buffer: io, tag, result: _ } = packet;
        let direction = Self::DIRECTION;
        let mut full = [0; 16];
        GcmMessage { key: key.hash, direction, nonce: iv, aad, io, tag: &mut full }.run::<I, S>(isa, keys);
        if ENCRYPT {
            match tag.first_chunk_mut() {
                Some(tag) => *tag = full,
                None => tag.copy_from(&full[..tag.len()]),
            }
            Ok(())
        } else {
            same_tag(&full, tag).inspect_err(|_| io.get_out().fill(0))
        }
    }
}
