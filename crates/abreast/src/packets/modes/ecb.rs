//! Raw blocks.

use super::super::batch::{ParallelMode, SequentialMode};
use super::super::key::CipherKey;
use super::super::packet::Packet;
use super::super::rows::{RowLoop, by_depth, gather_rows, scatter_rows};
use super::buffer::BufferMode;
use crate::Error;
use crate::block_cipher::whole_blocks;
use crate::engine::backend::Direction;
use crate::engine::multibuf::{LaneGroup, MultiBuffer, ParallelMultiBuffer, ShortMessages};
use crate::engine::passes::ModeLoop;
use crate::loops::ecb;
use abreast_simd::{AesIsa, Isa};

/// Raw blocks.
#[derive(Clone, Copy)]
pub(in crate::packets) struct EcbBatch<const ENCRYPT: bool>;

impl<const ENCRYPT: bool> BufferMode for EcbBatch<ENCRYPT> {
    const DIRECTION: Direction = if ENCRYPT { Direction::Encrypt } else { Direction::Decrypt };

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn check(&self, packet: &Packet<'_, CipherKey<'_>>, block: usize) -> Result<usize, Error> {
        whole_blocks(block, &packet.buffer)?;
        Ok(packet.buffer.len())
    }
    fn alone(&self, packet: &mut Packet<'_, CipherKey<'_>>) -> Result<(), Error> {
        packet.ecb(Self::DIRECTION)
    }
}

struct EcbRows<'s, 'a, const ENCRYPT: bool, I: Isa, S: MultiBuffer<I>> {
    isa: I,
    keys: &'s S::LaneKeys,
    group: &'s mut LaneGroup<'a>,
}

impl<const ENCRYPT: bool, I: Isa, S: ParallelMultiBuffer<I>> RowLoop for EcbRows<'_, '_, ENCRYPT, I, S> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
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

impl<'p, 'k, const ENCRYPT: bool> ParallelMode<'k, Packet<'p, CipherKey<'k>>> for EcbBatch<ENCRYPT> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: ParallelMultiBuffer<I>>(&self, isa: I, keys: &S::LaneKeys, group: &mut LaneGroup<'_>) {
        let rows = group.rows();
        by_depth::<I, S>(rows, &mut EcbRows::<ENCRYPT, I, S> { isa, keys, group });
    }
}

impl<'p, 'k, const ENCRYPT: bool> SequentialMode<'k, Packet<'p, CipherKey<'k>>> for EcbBatch<ENCRYPT> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn single<I: AesIsa, S: ShortMessages<I>>(
        &self,
        isa: I,
        keys: &S::Keys,
        packet: &mut Packet<'p, CipherKey<'k>>,
    ) -> Result<(), Error> {
        ecb::EcbBlocks::<ENCRYPT> { io: &mut packet.buffer }.run::<I, S>(isa, keys);
        Ok(())
    }
}
