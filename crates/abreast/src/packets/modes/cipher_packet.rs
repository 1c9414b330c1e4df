//! Packets that have a cipher's key and nothing but a buffer, and their initialisation vectors.

use super::super::key::CipherKey;
use super::super::packet::Packet;
use super::super::schedule::batch_mode::BatchItem;
use crate::Error;
use crate::ciphers::CipherRef;
use crate::engine::backend::ChainingValue;
use crate::engine::multibuf::LaneGroup;

/// A packet of a mode that needs no more than a cipher.
pub(super) type CipherPacket<'p, 'k> = Packet<'p, CipherKey<'k>>;

impl<'k> BatchItem<'k> for CipherPacket<'_, 'k> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn cipher(&self) -> CipherRef<'k> {
        self.key.0
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn finish(&mut self, result: Result<(), Error>) {
        self.result = result;
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn open<'a>(&'a mut self, group: &mut LaneGroup<'a>) {
        group.push(first_block(self.iv), self.buffer.reborrow());
    }
}

/// An IV of either block size, zeros after it. Zeros in a mode that has none (ECB), whatever the packet's is.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn first_block(iv: &[u8]) -> ChainingValue {
    if let Ok(block) = iv.try_into() {
        block
    } else if let Ok(block) = iv.try_into() {
        u128::from(u64::from_le_bytes(block)).to_le_bytes()
    } else {
        [0; 16]
    }
}

/// Refuses an initialisation vector of another length than a block.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn check_iv(packet: &CipherPacket<'_, '_>, block: usize) -> Result<(), Error> {
    if packet.iv.len() == block { Ok(()) } else { Err(Error::IvLength) }
}
