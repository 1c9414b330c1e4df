//! Raw blocks.

use super::super::batch::{ParallelMode, SequentialMode};
use super::super::key::CipherKey;
use super::super::packet::Packet;
use super::super::rows::{RowLoop, by_depth, gather_rows, scatter_rows};
use super::buffer::BufferMode;
use crate::Error;
use crate::block_cipher::whole_blocks;
use crate::engine::backend::{Backward, Direction, Forward};
use crate::engine::multibuf::{LaneGroup, MultiBuffer, ParallelMultiBuffer, ShortMessages};
use crate::engine::passes::ModeLoop;
use crate::loops::ecb;
use abreast_simd::{AesIsa, Isa};

/// Raw blocks.
#[derive(Clone, Copy)]
pub(in crate::packets) struct EcbBatch(pub(in crate::packets) Direction);

impl BufferMode for EcbBatch {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn direction(&self) -> Direction {
        self.0
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn check(&self, packet: &Packet<'_, CipherKey<'_>>, block: usize) -> Result<usize, Error> {
        whole_blocks(block, &packet.buffer)?;
        Ok(packet.buffer.len())
    }
    fn alone(&self, packet: &mut Packet<'_, CipherKey<'_>>) -> Result<(), Error> {
        packet.ecb(self.0)
    }
}

struct EcbRows<'s, 'a, I: Isa, S: MultiBuffer<I>> {
    isa: I,
    direction: Direction,
    keys: &'s S::LaneKeys,
    group: &'s mut LaneGroup<'a>,
}

impl<I: Isa, S: ParallelMultiBuffer<I>> RowLoop for EcbRows<'_, '_, I, S> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn step<const N: usize>(&mut self, row: usize) {
        let mut rows = gather_rows::<N, I, S>(self.isa, self.keys, self.group, row);
        let count = N.min(self.group.rows() - row);
        match self.direction {
            Direction::Encrypt => S::encrypt_some(self.isa, self.keys, &mut rows, count),
            Direction::Decrypt => S::decrypt_some(self.isa, self.keys, &mut rows, count),
        }
        scatter_rows::<N, I, S>(self.isa, self.keys, &rows, self.group, row);
    }
}

impl<'p, 'k> ParallelMode<'k, Packet<'p, CipherKey<'k>>> for EcbBatch {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: ParallelMultiBuffer<I>>(&self, isa: I, keys: &S::LaneKeys, group: &mut LaneGroup<'_>) {
        let rows = group.rows();
        by_depth::<I, S>(rows, &mut EcbRows::<I, S> { isa, direction: self.0, keys, group });
    }
}

impl<'p, 'k> SequentialMode<'k, Packet<'p, CipherKey<'k>>> for EcbBatch {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn single<I: AesIsa, S: ShortMessages<I>>(
        &self,
        isa: I,
        keys: &S::Keys,
        packet: &mut Packet<'p, CipherKey<'k>>,
    ) -> Result<(), Error> {
        let io = &mut packet.buffer;
        match self.0 {
            Direction::Encrypt => ecb::EcbBlocks { way: Forward, io }.run::<I, S>(isa, keys),
            Direction::Decrypt => ecb::EcbBlocks { way: Backward, io }.run::<I, S>(isa, keys),
        }
        Ok(())
    }
}
