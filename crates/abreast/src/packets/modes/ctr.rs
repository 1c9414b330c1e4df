//! Counter mode.

use super::super::batch::{ParallelMode, SequentialMode};
use super::super::key::CipherKey;
use super::super::packet::Packet;
use super::super::rows::{RowLoop, ZEROS, beginnings, by_depth, xor_blocks};
use super::buffer::{BufferMode, first_block};
use crate::engine::backend::{Backend, Direction, Secrecy, len_before_wrap};
use crate::engine::multibuf::{LaneGroup, MultiBuffer, ParallelMultiBuffer, Rows, ShortMessages};
use crate::engine::passes::run_passes;
use crate::loops::ctr::{CtrPasses, xor};
use crate::modes::CounterWidth;
use crate::wipe::wipe;
use crate::{Error, InOutBuf};
use abreast_simd::inlined::{Flat, Zipped};
use abreast_simd::{AesIsa, Blocks, Isa};
use core::hint::black_box;

/// Counter mode.
#[derive(Clone, Copy)]
pub(in crate::packets) struct CtrBatch {
    width: CounterWidth,
    bits: usize,
    /// The bits that count among the low 32.
    counting: u32,
    secrecy: Secrecy,
}

impl CtrBatch {
    /// Counters of a width.
    pub(in crate::packets) fn new(width: CounterWidth) -> Self {
        let bits = width.bits();
        let counting = u32::MAX >> 32u32.saturating_sub(bits);
        Self { width, bits: bits as usize, counting, secrecy: Secrecy::Public }
    }

    /// Secret counters as wide as a block: those of EAX. Timing reveals only whether their low 32 bits wrap.
    pub(in crate::packets) const SECRET: Self =
        Self { width: CounterWidth::Bits128, bits: 0, counting: u32::MAX, secrecy: Secrecy::Secret };

    /// True if no more than the last byte of the counter changes, which all widths have.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn in_last_byte(&self, packet: &Packet<'_, CipherKey<'_>>, block: usize) -> bool {
        let last = packet.iv.last().map_or(0, |byte| usize::from(*byte));
        self.secrecy == Secrecy::Public && last + packet.buffer.len().div_ceil(block) <= 256
    }

    /// A message from a secret counter, in pieces between which its low 32 bits wrap.
    fn secret(packet: &mut Packet<'_, CipherKey<'_>>) {
        let cipher = packet.key.cipher();
        let size = cipher.block_size();
        let mut counter = u128::from_be_bytes(first_block(packet.iv)) >> (128 - 8 * size);
        let mut rest = packet.buffer.reborrow();
        while !rest.is_empty() {
            let len = len_before_wrap(counter, size, rest.len());
            let (mut part, after) = rest.split_at(len);
            cipher.xor_keystream(counter, Secrecy::Secret, &mut part);
            counter = counter.wrapping_add(part.len().div_ceil(size) as u128);
            rest = after;
        }
    }
}

impl BufferMode for CtrBatch {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn direction(&self) -> Direction {
        Direction::Encrypt
    }

    /// A packet is processed alone if its counter wraps beyond the bits that lanes count: the low 32, or the width if less.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn check(&self, packet: &Packet<'_, CipherKey<'_>>, block: usize) -> Result<usize, Error> {
        if packet.iv.len() != block {
            return Err(Error::CounterLength);
        }
        // With blocks of 128 bits none is too wide.
        if block < 16 && self.bits > 8 * block {
            return Err(Error::CounterWidth);
        }
        let len = packet.buffer.len();
        // One block does not count.
        if len <= block || self.in_last_byte(packet, block) {
            return Ok(len);
        }
        let low = packet.iv.last_chunk().map_or(0, |low| u32::from_be_bytes(*low) & self.counting);
        let last = u64::from(low) + (len / block) as u64;
        // A branch rather than a choice of two numbers: a secret counter decides this, and nothing that follows.
        if last > self.counting.into() { Ok(by_itself()) } else { Ok(len) }
    }
    fn alone(&self, packet: &mut Packet<'_, CipherKey<'_>>) -> Result<(), Error> {
        match self.secrecy {
            Secrecy::Public => packet.ctr(self.width),
            Secrecy::Secret => {
                Self::secret(packet);
                Ok(())
            }
        }
    }
}

/// The length by which a packet is done by itself. A call, so that the compiler makes a branch of its condition.
#[cold]
#[inline(never)]
fn by_itself() -> usize {
    black_box(0)
}

struct CtrRows<'s, 'a, I: Isa, S: MultiBuffer<I>> {
    isa: I,
    keys: &'s S::LaneKeys,
    group: &'s mut LaneGroup<'a>,
    staged: Rows,
    /// A row whose first block is the first counter block.
    first: S::Row,
}

impl<I: Isa, S: ParallelMultiBuffer<I>> RowLoop for CtrRows<'_, '_, I, S> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn step<const N: usize>(&mut self, row: usize) {
        let mut rows = [self.first; N];
        let first = self.first.as_ref()[0];
        let mut number = (row * (16 / S::BLOCK)) as u32;
        for row in &mut rows {
            for block in row.as_mut() {
                *block = S::count(self.isa, self.keys, first, number);
                number += 1;
            }
        }
        S::encrypt_counters(self.isa, self.keys, &mut rows, N.min(self.group.rows() - row));
        for (i, stream) in rows.iter().enumerate() {
            if row + i < self.group.common() {
                xor_row::<true, I, S>(self.isa, self.keys, stream, &mut self.staged, self.group, row + i);
            } else if row + i < self.group.rows() {
                xor_row::<false, I, S>(self.isa, self.keys, stream, &mut self.staged, self.group, row + i);
            }
        }
    }
}

/// Adds a row of keystream to all messages. A call, like [`gather`](super::super::rows::gather).
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn xor_row<const WHOLE: bool, I: Isa, S: MultiBuffer<I>>(
    isa: I,
    keys: &S::LaneKeys,
    stream: &S::Row,
    staged: &mut Rows,
    group: &mut LaneGroup<'_>,
    row: usize,
) {
    isa.run(
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || {
            S::scatter(keys, *stream, staged);
            if WHOLE {
                let used = group.used();
                let mut places = group.parts_mut(row);
                for (lane, stream) in staged.iter().enumerate().take(used) {
                    let result = xor_blocks(stream, places.input(lane));
                    *places.output(lane) = result;
                }
                group.wrote(row, 1);
            } else {
                let mut data = ZEROS;
                group.last_row(row, &mut data);
                for (data, stream) in data.iter_mut().zipped(&*staged) {
                    *data = xor_blocks(data, stream);
                }
                group.put(row, &data);
            }
        },
    );
}

impl<'p, 'k> ParallelMode<'k, Packet<'p, CipherKey<'k>>> for CtrBatch {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: ParallelMultiBuffer<I>>(&self, isa: I, keys: &S::LaneKeys, group: &mut LaneGroup<'_>) {
        let rows = group.rows();
        let first = beginnings::<I, S>(isa, keys, group);
        let mut steps = CtrRows::<I, S> { isa, keys, group, staged: ZEROS, first };
        by_depth::<I, S>(rows, &mut steps);
        wipe(steps.staged.flat_mut());
    }
}

impl<'p, 'k> SequentialMode<'k, Packet<'p, CipherKey<'k>>> for CtrBatch {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn single<I: AesIsa, S: ShortMessages<I>>(
        &self,
        isa: I,
        keys: &S::Keys,
        packet: &mut Packet<'p, CipherKey<'k>>,
    ) -> Result<(), Error> {
        let Some(first) = packet.iv.first_chunk() else { return Err(Error::CounterLength) };
        let in_last_byte = self.in_last_byte(packet, S::BLOCK);
        let io = &mut packet.buffer;
        let group = <S as Backend<I>>::GROUP;
        if io.len() <= 16 {
            let isa = isa.narrow();
            let block = <S as Backend<I::Narrow>>::load(isa, first);
            part::<1, _, S>(isa, keys, [block], io);
        } else if in_last_byte && io.len() <= 4 * group {
            if io.len() <= group {
                part::<1, _, S>(isa, keys, <S as Backend<I>>::first_counters(isa, first), io);
            } else if io.len() <= 2 * group {
                part::<2, _, S>(isa, keys, <S as Backend<I>>::first_counters(isa, first), io);
            } else {
                part::<4, _, S>(isa, keys, <S as Backend<I>>::first_counters(isa, first), io);
            }
        } else {
            isa.run(
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                || {
                    let counter = S::counter_of(isa, first, self.secrecy);
                    let depth = <S as Backend<I>>::INTERLEAVE;
                    run_passes::<I, S>(depth, &mut CtrPasses::<I, S> { isa, keys, counter }, io.reborrow());
                },
            );
        }
        Ok(())
    }
    /// True for packets of one block at most, which need not count.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn suits_quad(&self, packets: &[Packet<'p, CipherKey<'k>>; 4]) -> bool {
        for packet in packets {
            if packet.buffer.len() > 16 || packet.buffer.is_empty() || packet.iv.len() != 16 {
                return false;
            }
        }
        true
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn quad<I: AesIsa, S: ShortMessages<I>>(
        &self,
        isa: I,
        keys: [&S::Keys; 4],
        packets: &mut [Packet<'p, CipherKey<'k>>; 4],
    ) {
        let isa = isa.narrow();
        let mut counters = [<I::Narrow as AesIsa>::Blocks::splat(isa, &[0; 16]); 4];
        for (counter, packet) in counters.iter_mut().zipped(&*packets) {
            *counter = <S as Backend<I::Narrow>>::load(isa, &packet.iv[..16]);
        }
        let [a, b, c, d] = S::encrypt_each(isa, keys, counters);
        // Written out, or the streams go through memory.
        xor_part::<1, _, S>(isa, [a], &mut packets[0].buffer);
        xor_part::<1, _, S>(isa, [b], &mut packets[1].buffer);
        xor_part::<1, _, S>(isa, [c], &mut packets[2].buffer);
        xor_part::<1, _, S>(isa, [d], &mut packets[3].buffer);
    }
}

/// Adds the keystream of up to `N` groups of counter blocks.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn part<const N: usize, I: Isa, S: Backend<I>>(
    isa: I,
    keys: &S::Keys,
    counters: [S::Group; N],
    io: &mut InOutBuf<'_, '_, u8>,
) {
    let stream = S::encrypt(
        isa,
        keys,
        counters,
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        |_| (),
    );
    xor_part::<N, I, S>(isa, stream, io);
}

/// Adds up to `N` groups of keystream.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn xor_part<const N: usize, I: Isa, S: Backend<I>>(
    isa: I,
    stream: [S::Group; N],
    io: &mut InOutBuf<'_, '_, u8>,
) {
    if io.len() == N * S::GROUP {
        xor::<N, true, I, S>(isa, stream, io);
    } else {
        xor::<N, false, I, S>(isa, stream, io);
    }
}
