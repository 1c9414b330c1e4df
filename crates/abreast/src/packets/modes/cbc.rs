//! Cipher block chaining, backward: rows that do not wait for each other.

use super::super::schedule::batch_mode::{BatchMode, LaneUse};
use super::super::schedule::rows::{RowLoop, beginnings, by_depth, gather_rows, scatter_rows};
use super::cipher_packet::{CipherPacket, check_iv, first_block};
use crate::Error;
use crate::block_cipher::whole_blocks;
use crate::engine::backend::Direction;
use crate::engine::multibuf::{LaneGroup, MultiBuffer, ParallelMultiBuffer, ShortMessages};
use crate::engine::passes::ModeLoop;
use crate::loops::cbc as loops;
use crate::modes::cbc;
use abreast_simd::inlined::Zipped;
use abreast_simd::{AesIsa, Isa};

/// Refuses a packet that CBC does not take. Returns its bytes.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn check_cbc(packet: &CipherPacket<'_, '_>, block: usize) -> Result<usize, Error> {
    check_iv(packet, block)?;
    whole_blocks(block, &packet.buffer)?;
    if block == 8 && packet.buffer.len() as u64 > cbc::MOST_OF_64 {
        return Err(Error::MessageTooLong);
    }
    Ok(packet.buffer.len())
}

/// Cipher block chaining, backward.
#[derive(Clone, Copy)]
pub(in crate::packets) struct CbcDecryptBatch;

impl BatchMode<CipherPacket<'_, '_>> for CbcDecryptBatch {
    const LANES: LaneUse = LaneUse::Rows;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn check(&self, packet: &CipherPacket<'_, '_>, block: usize) -> Result<usize, Error> {
        check_cbc(packet, block)
    }
    fn single(&self, packet: &mut CipherPacket<'_, '_>) -> Result<(), Error> {
        packet.cbc(Direction::Decrypt)
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn in_turn<I: AesIsa, S: ShortMessages<I>>(
        &self,
        isa: I,
        keys: &S::Keys,
        packet: &mut CipherPacket<'_, '_>,
    ) -> Result<(), Error> {
        let mut chain = first_block(packet.iv);
        loops::CbcDecrypt { chain: &mut chain, io: &mut packet.buffer }.run::<I, S>(isa, keys);
        Ok(())
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn direction(&self) -> Direction {
        Direction::Decrypt
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run_rows<I: Isa, S: ParallelMultiBuffer<I>>(
        &self,
        isa: I,
        keys: &S::LaneKeys,
        group: &mut LaneGroup<'_>,
    ) {
        let rows = group.rows();
        let before = beginnings::<I, S>(isa, keys, group).as_ref()[0];
        by_depth::<I, S>(rows, &mut CbcRows::<I, S> { isa, keys, group, before });
    }
}

struct CbcRows<'s, 'a, I: Isa, S: MultiBuffer<I>> {
    isa: I,
    keys: &'s S::LaneKeys,
    group: &'s mut LaneGroup<'a>,
    /// The block of ciphertext before.
    before: S::Block,
}

impl<I: Isa, S: ParallelMultiBuffer<I>> RowLoop for CbcRows<'_, '_, I, S> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn step<const N: usize>(&mut self, row: usize) {
        let ciphertext = gather_rows::<N, I, S>(self.isa, self.keys, self.group, row);
        let mut plaintext = ciphertext;
        S::decrypt_some(self.isa, self.keys, &mut plaintext, N.min(self.group.rows() - row));
        for (new, old) in plaintext.iter_mut().zipped(&ciphertext) {
            for (new, old) in new.as_mut().iter_mut().zipped(old.as_ref()) {
                *new = S::xor(*new, self.before);
                self.before = *old;
            }
        }
        scatter_rows::<N, I, S>(self.isa, self.keys, &plaintext, self.group, row);
    }
}
