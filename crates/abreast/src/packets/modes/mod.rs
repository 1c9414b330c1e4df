//! The modes of packets that have a cipher's key and nothing but a buffer, each written once for all kernels: what a
//! group does, and what one packet does next to another.

mod cbc;
mod ctr;
mod ecb;
mod ofb;

pub(super) use cbc::{CbcDecrypt, CbcEncrypt};
pub(super) use ctr::Ctr;
pub(super) use ecb::Ecb;
pub(super) use ofb::Ofb;

use super::Packet;
use super::batch::{BatchMode, LaneMode};
use super::key::{Cipher, CipherKey};
use crate::Error;
use crate::lanes::Group;
use crate::spec::Direction;
use crate::work::Chain;
use abreast_simd::Block;

/// A mode whose packets have a cipher's key and nothing but a buffer.
pub(in crate::packets) trait BufferMode: Copy {
    /// Which round keys.
    const DIRECTION: Direction;

    /// Why a packet is refused.
    fn check(&self, packet: &Packet<'_, CipherKey<'_>>, block: usize) -> Result<usize, Error>;
    /// Does a packet by itself.
    fn alone(&self, packet: &mut Packet<'_, CipherKey<'_>>) -> Result<(), Error>;
}

impl<'p, 'k, M: BufferMode> BatchMode<'k, Packet<'p, CipherKey<'k>>> for M {
    #[inline(always)]
    fn cipher(packet: &Packet<'p, CipherKey<'k>>) -> Cipher<'k> {
        packet.key.0
    }
    #[inline(always)]
    fn check(&self, packet: &Packet<'p, CipherKey<'k>>, block: usize) -> Result<usize, Error> {
        self.check(packet, block)
    }
    #[inline(always)]
    fn done(packet: &mut Packet<'p, CipherKey<'k>>, result: Result<(), Error>) {
        packet.result = result;
    }
    fn alone(&self, packet: &mut Packet<'p, CipherKey<'k>>) -> Result<(), Error> {
        self.alone(packet)
    }
}

impl<'p, 'k, M: BufferMode> LaneMode<'k, Packet<'p, CipherKey<'k>>> for M {
    const DIRECTION: Direction = M::DIRECTION;

    #[inline(always)]
    fn open<'a>(packet: &'a mut Packet<'p, CipherKey<'k>>, group: &mut Group<'a>) {
        group.push(first_block(packet.iv), packet.buffer.reborrow());
    }
}

/// Bytes of a cipher's blocks.
#[inline(always)]
pub(in crate::packets) fn block_size(cipher: Cipher<'_>) -> usize {
    if matches!(cipher, Cipher::Xtea(_)) { 8 } else { 16 }
}

/// A vector of no more than a block, zeros behind it.
#[inline(always)]
fn first_block(iv: &[u8]) -> Chain {
    *Block::from_part(&iv[..iv.len().min(16)]).as_bytes()
}

/// Refuses a vector that is no block.
#[inline(always)]
fn check_iv(packet: &Packet<'_, CipherKey<'_>>, block: usize) -> Result<(), Error> {
    if packet.iv.len() == block { Ok(()) } else { Err(Error::IvLength) }
}
