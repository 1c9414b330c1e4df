//! Raw blocks.

use super::super::batch::{OneMode, RowMode};
use super::super::key::CipherKey;
use super::super::packet::Packet;
use super::super::rows::{Steps, by_depth, gather_rows, scatter_rows};
use super::buffer::BufferMode;
use crate::Error;
use crate::block_cipher::whole_blocks;
use crate::engine::backend::Direction;
use crate::engine::multibuf::{ByRounds, Group, InLanes, RowsInLanes};
use crate::engine::passes::Job;
use crate::loops::ecb;
use abreast_simd::{AesIsa, Isa};

/// Raw blocks.
#[derive(Clone, Copy)]
pub(in crate::packets) struct Ecb<const ENCRYPT: bool>;

impl<const ENCRYPT: bool> BufferMode for Ecb<ENCRYPT> {
    const DIRECTION: Direction = if ENCRYPT { Direction::Encrypt } else { Direction::Decrypt };

    #[inline(always)]
    fn check(&self, packet: &Packet<'_, CipherKey<'_>>, block: usize) -> Result<usize, Error> {
        whole_blocks(block, &packet.buffer)?;
        Ok(packet.buffer.len())
    }
    fn alone(&self, packet: &mut Packet<'_, CipherKey<'_>>) -> Result<(), Error> {
        packet.ecb(Self::DIRECTION)
    }
}

struct EcbSteps<'s, 'a, const ENCRYPT: bool, I: Isa, S: InLanes<I>> {
    isa: I,
    keys: &'s S::LaneKeys,
    group: &'s mut Group<'a>,
}

impl<const ENCRYPT: bool, I: Isa, S: RowsInLanes<I>> Steps for EcbSteps<'_, '_, ENCRYPT, I, S> {
    #[inline(always)]
    fn step<const N: usize>(&mut self, row: usize) {
        let mut rows = gather_rows::<N, I, S>(self.isa, self.keys, self.group, row);
        if ENCRYPT {
            S::encrypt(self.isa, self.keys, &mut rows);
        } else {
            S::decrypt(self.isa, self.keys, &mut rows);
        }
        scatter_rows::<N, I, S>(self.isa, self.keys, &rows, self.group, row);
    }
}

impl<'p, 'k, const ENCRYPT: bool> RowMode<'k, Packet<'p, CipherKey<'k>>> for Ecb<ENCRYPT> {
    #[inline(always)]
    fn run<I: Isa, S: RowsInLanes<I>>(&self, isa: I, keys: &S::LaneKeys, group: &mut Group<'_>) {
        let rows = group.rows();
        by_depth::<I, S>(rows, &mut EcbSteps::<ENCRYPT, I, S> { isa, keys, group });
    }
}

impl<'p, 'k, const ENCRYPT: bool> OneMode<'k, Packet<'p, CipherKey<'k>>> for Ecb<ENCRYPT> {
    #[inline(always)]
    fn one<I: AesIsa, S: ByRounds<I>>(
        &self,
        isa: I,
        keys: &S::Keys,
        packet: &mut Packet<'p, CipherKey<'k>>,
    ) -> Result<(), Error> {
        ecb::Ecb::<ENCRYPT> { io: &mut packet.buffer }.run::<I, S>(isa, keys);
        Ok(())
    }
}
