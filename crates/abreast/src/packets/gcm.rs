//! GCM packet after packet: for AES instructions nothing is gained by lanes.

use super::key::GcmKey;
use super::packet::Packet;
use super::schedule::batch::{self, BatchMode, SequentialMode};
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
        Direction::Encrypt => batch::sequential(&GcmBatch::<true>, packets),
        Direction::Decrypt => batch::sequential(&GcmBatch::<false>, packets),
    }
}

#[derive(Clone, Copy)]
struct GcmBatch<const ENCRYPT: bool>;

impl<const ENCRYPT: bool> GcmBatch<ENCRYPT> {
    const DIRECTION: Direction = if ENCRYPT { Direction::Encrypt } else { Direction::Decrypt };
}

impl<'p, 'k, const ENCRYPT: bool> BatchMode<'k, Packet<'p, GcmKey<'k>>> for GcmBatch<ENCRYPT> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn cipher(packet: &Packet<'p, GcmKey<'k>>) -> CipherRef<'k> {
        packet.key.cipher
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn check(&self, packet: &Packet<'p, GcmKey<'k>>, _: usize) -> Result<usize, Error> {
        check_len(packet.tag, packet.key.tag_len)?;
        gcm::check(packet.iv, packet.associated_data, &packet.buffer)?;
        Ok(1)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn done(packet: &mut Packet<'p, GcmKey<'k>>, result: Result<(), Error>) {
        packet.result = result;
    }
    fn single(&self, packet: &mut Packet<'p, GcmKey<'k>>) -> Result<(), Error> {
        packet.gcm(Self::DIRECTION)
    }
}

impl<'p, 'k, const ENCRYPT: bool> SequentialMode<'k, Packet<'p, GcmKey<'k>>> for GcmBatch<ENCRYPT> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn in_turn<I: AesIsa, S: ShortMessages<I>>(
        &self,
        isa: I,
        keys: &S::Keys,
        packet: &mut Packet<'p, GcmKey<'k>>,
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
