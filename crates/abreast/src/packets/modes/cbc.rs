//! Cipher block chaining: forward a chain, backward rows.

use super::super::batch::{ChainMode, OneMode, RowMode};
use super::super::key::CipherKey;
use super::super::packet::Packet;
use super::super::rows::{Feedback, Steps, beginnings, by_depth, gather_rows, scatter_rows};
use super::buffer::{BufferMode, check_iv, first_block};
use crate::Error;
use crate::block_cipher::whole_blocks;
use crate::engine::backend::Direction;
use crate::engine::multibuf::{ByRounds, Group, InLanes, RowsInLanes};
use crate::engine::passes::Job;
use crate::loops::cbc as loops;
use crate::modes::cbc;
use abreast_simd::{AesIsa, Isa};

/// Cipher block chaining, forward.
#[derive(Clone, Copy)]
pub(in crate::packets) struct CbcEncrypt;

impl BufferMode for CbcEncrypt {
    const DIRECTION: Direction = Direction::Encrypt;

    #[inline(always)]
    fn check(&self, packet: &Packet<'_, CipherKey<'_>>, block: usize) -> Result<usize, Error> {
        check_cbc(packet, block)
    }
    fn alone(&self, packet: &mut Packet<'_, CipherKey<'_>>) -> Result<(), Error> {
        packet.cbc(Direction::Encrypt)
    }
}

#[inline(always)]
fn check_cbc(packet: &Packet<'_, CipherKey<'_>>, block: usize) -> Result<usize, Error> {
    check_iv(packet, block)?;
    whole_blocks(block, &packet.buffer)?;
    if block == 8 && packet.buffer.len() as u64 > cbc::MOST_OF_64 {
        return Err(Error::MessageTooLong);
    }
    Ok(packet.buffer.len())
}

impl<'p, 'k> ChainMode<'k, Packet<'p, CipherKey<'k>>> for CbcEncrypt {
    #[inline(always)]
    fn run<I: Isa, S: InLanes<I>>(&self, isa: I, keys: &S::LaneKeys, group: &mut Group<'_>) {
        Feedback::<true, I, S>::run(isa, keys, group);
    }
}

/// Cipher block chaining, backward.
#[derive(Clone, Copy)]
pub(in crate::packets) struct CbcDecrypt;

impl BufferMode for CbcDecrypt {
    const DIRECTION: Direction = Direction::Decrypt;

    #[inline(always)]
    fn check(&self, packet: &Packet<'_, CipherKey<'_>>, block: usize) -> Result<usize, Error> {
        check_cbc(packet, block)
    }
    fn alone(&self, packet: &mut Packet<'_, CipherKey<'_>>) -> Result<(), Error> {
        packet.cbc(Direction::Decrypt)
    }
}

struct CbcSteps<'s, 'a, I: Isa, S: InLanes<I>> {
    isa: I,
    keys: &'s S::LaneKeys,
    group: &'s mut Group<'a>,
    /// The block of ciphertext in front.
    before: S::Block,
}

impl<I: Isa, S: RowsInLanes<I>> Steps for CbcSteps<'_, '_, I, S> {
    #[inline(always)]
    fn step<const N: usize>(&mut self, row: usize) {
        let ciphertext = gather_rows::<N, I, S>(self.isa, self.keys, self.group, row);
        let mut plaintext = ciphertext;
        S::decrypt(self.isa, self.keys, &mut plaintext);
        for (new, old) in plaintext.iter_mut().zip(&ciphertext) {
            for (new, old) in new.as_mut().iter_mut().zip(old.as_ref()) {
                *new = S::add(*new, self.before);
                self.before = *old;
            }
        }
        scatter_rows::<N, I, S>(self.isa, self.keys, &plaintext, self.group, row);
    }
}

impl<'p, 'k> RowMode<'k, Packet<'p, CipherKey<'k>>> for CbcDecrypt {
    #[inline(always)]
    fn run<I: Isa, S: RowsInLanes<I>>(&self, isa: I, keys: &S::LaneKeys, group: &mut Group<'_>) {
        let rows = group.rows();
        let before = beginnings::<I, S>(isa, keys, group).as_ref()[0];
        by_depth::<I, S>(rows, &mut CbcSteps::<I, S> { isa, keys, group, before });
    }
}

impl<'p, 'k> OneMode<'k, Packet<'p, CipherKey<'k>>> for CbcDecrypt {
    #[inline(always)]
    fn one<I: AesIsa, S: ByRounds<I>>(
        &self,
        isa: I,
        keys: &S::Keys,
        packet: &mut Packet<'p, CipherKey<'k>>,
    ) -> Result<(), Error> {
        let mut chain = first_block(packet.iv);
        loops::Decrypt { chain: &mut chain, io: &mut packet.buffer }.run::<I, S>(isa, keys);
        Ok(())
    }
}

impl<'p, 'k> OneMode<'k, Packet<'p, CipherKey<'k>>> for CbcEncrypt {
    #[inline(always)]
    fn one<I: AesIsa, S: ByRounds<I>>(
        &self,
        isa: I,
        keys: &S::Keys,
        packet: &mut Packet<'p, CipherKey<'k>>,
    ) -> Result<(), Error> {
        let mut chain = first_block(packet.iv);
        let job = loops::Encrypt { chain: &mut chain, io: &mut packet.buffer };
        job.run::<I::Narrow, S>(isa.narrow(), keys);
        Ok(())
    }
}
