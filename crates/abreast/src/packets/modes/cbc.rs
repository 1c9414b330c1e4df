//! Cipher block chaining, backward: rows that do not wait for each other.

use super::super::batch::{ParallelMode, SequentialMode};
use super::super::key::CipherKey;
use super::super::packet::Packet;
use super::super::rows::{RowLoop, beginnings, by_depth, gather_rows, scatter_rows};
use super::buffer::{BufferMode, check_iv, first_block};
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
pub(super) fn check_cbc(packet: &Packet<'_, CipherKey<'_>>, block: usize) -> Result<usize, Error> {
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

impl BufferMode for CbcDecryptBatch {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn direction(&self) -> Direction {
        Direction::Decrypt
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn check(&self, packet: &Packet<'_, CipherKey<'_>>, block: usize) -> Result<usize, Error> {
        check_cbc(packet, block)
    }
    fn alone(&self, packet: &mut Packet<'_, CipherKey<'_>>) -> Result<(), Error> {
        packet.cbc(Direction::Decrypt)
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

impl<'p, 'k> ParallelMode<'k, Packet<'p, CipherKey<'k>>> for CbcDecryptBatch {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: ParallelMultiBuffer<I>>(&self, isa: I, keys: &S::LaneKeys, group: &mut LaneGroup<'_>) {
        let rows = group.rows();
        let before = beginnings::<I, S>(isa, keys, group).as_ref()[0];
        by_depth::<I, S>(rows, &mut CbcRows::<I, S> { isa, keys, group, before });
    }
}

impl<'p, 'k> SequentialMode<'k, Packet<'p, CipherKey<'k>>> for CbcDecryptBatch {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn single<I: AesIsa, S: ShortMessages<I>>(
        &self,
        isa: I,
        keys: &S::Keys,
        packet: &mut Packet<'p, CipherKey<'k>>,
    ) -> Result<(), Error> {
        let mut chain = first_block(packet.iv);
        loops::CbcDecrypt { chain: &mut chain, io: &mut packet.buffer }.run::<I, S>(isa, keys);
        Ok(())
    }
}
