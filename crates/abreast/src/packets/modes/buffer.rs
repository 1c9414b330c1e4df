//! Modes whose packets have a cipher's key and nothing but a buffer.

use super::super::key::CipherKey;
use super::super::packet::Packet;
use super::super::schedule::batch::{BatchMode, MultiBufferMode};
use crate::Error;
use crate::ciphers::CipherRef;
use crate::engine::backend::{ChainingValue, Direction};
use crate::engine::multibuf::LaneGroup;

/// A mode whose packets have a cipher's key and nothing but a buffer.
pub(in crate::packets) trait BufferMode: Copy {
    /// Returns the direction of the round keys.
    fn direction(&self) -> Direction;

    /// Why a packet is refused.
    fn check(&self, packet: &Packet<'_, CipherKey<'_>>, block: usize) -> Result<usize, Error>;
    /// Does a packet by itself.
    fn single(&self, packet: &mut Packet<'_, CipherKey<'_>>) -> Result<(), Error>;
}

impl<'p, 'k, M: BufferMode> BatchMode<'k, Packet<'p, CipherKey<'k>>> for M {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn cipher(packet: &Packet<'p, CipherKey<'k>>) -> CipherRef<'k> {
        packet.key.0
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn check(&self, packet: &Packet<'p, CipherKey<'k>>, block: usize) -> Result<usize, Error> {
        self.check(packet, block)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn done(packet: &mut Packet<'p, CipherKey<'k>>, result: Result<(), Error>) {
        packet.result = result;
    }
    fn single(&self, packet: &mut Packet<'p, CipherKey<'k>>) -> Result<(), Error> {
        self.single(packet)
    }
}

impl<'p, 'k, M: BufferMode> MultiBufferMode<'k, Packet<'p, CipherKey<'k>>> for M {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn direction(&self) -> Direction {
        BufferMode::direction(self)
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn open<'a>(packet: &'a mut Packet<'p, CipherKey<'k>>, group: &mut LaneGroup<'a>) {
        group.push(first_block(packet.iv), packet.buffer.reborrow());
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

/// Refuses a vector that is no block.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn check_iv(packet: &Packet<'_, CipherKey<'_>>, block: usize) -> Result<(), Error> {
    if packet.iv.len() == block { Ok(()) } else { Err(Error::IvLength) }
}
