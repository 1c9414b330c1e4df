//! Counter mode.

use super::super::batch::{OneMode, RowMode};
use super::super::rows::{Steps, ZEROS, beginnings, by_depth, wipe};
use super::super::{CipherKey, Packet};
use super::BufferMode;
use crate::lanes::{ByRounds, Group, InLanes, Rows, RowsInLanes};
use crate::modes::{CounterWidth, ctr};
use crate::spec::{Direction, Job, On, Secrecy};
use crate::{Error, InOutBuf};
use abreast_simd::{AesIsa, Block, Isa};

/// Counter mode.
pub(in crate::packets) struct Ctr {
    width: CounterWidth,
    bits: usize,
    /// The bits that count among the low 32.
    counting: u32,
}

impl Ctr {
    /// Counters of a width.
    pub(in crate::packets) fn new(width: CounterWidth) -> Self {
        let bits = width.bits();
        Self { width, bits: bits as usize, counting: u32::MAX >> 32u32.saturating_sub(bits) }
    }
}

impl BufferMode for Ctr {
    const DIRECTION: Direction = Direction::Encrypt;

    /// Goes alone, if bits beyond the low 32 count, or fewer of them wrap.
    #[inline(always)]
    fn check(&self, packet: &Packet<'_, CipherKey<'_>>, block: usize) -> Result<usize, Error> {
        let Some(low) = packet.iv.last_chunk().filter(|_| packet.iv.len() == block) else {
            return Err(Error::CounterLength);
        };
        if self.bits > 8 * block {
            return Err(Error::CounterWidth);
        }
        let low = u32::from_be_bytes(*low) & self.counting;
        let last = u64::from(low) + (packet.buffer.len() / block) as u64;
        Ok(if last > self.counting.into() { 0 } else { packet.buffer.len() })
    }
    fn alone(&self, packet: &mut Packet<'_, CipherKey<'_>>) -> Result<(), Error> {
        packet.ctr(self.width)
    }
}

struct CtrSteps<'s, 'a, I: Isa, S: InLanes<I>> {
    isa: I,
    keys: &'s S::LaneKeys,
    group: &'s mut Group<'a>,
    staged: Rows,
    first: S::Block,
    /// A row of any blocks.
    any: S::Row,
}

impl<I: Isa, S: RowsInLanes<I>> Steps for CtrSteps<'_, '_, I, S> {
    #[inline(always)]
    fn step<const N: usize, const WHOLE: bool>(&mut self, row: usize) {
        let mut rows = [self.any; N];
        let mut number = (row * (16 / S::BLOCK)) as u32;
        for row in &mut rows {
            for block in row.as_mut() {
                *block = S::count(self.isa, self.keys, self.first, number);
                number += 1;
            }
        }
        S::encrypt(self.isa, self.keys, &mut rows);
        for (i, stream) in rows.into_iter().enumerate() {
            S::scatter(self.keys, stream, &mut self.staged);
            if WHOLE {
                let used = self.group.used();
                let mut places = self.group.parts_mut(row + i);
                for (lane, stream) in self.staged.iter().enumerate().take(used) {
                    let sum = sum(stream, places.input(lane));
                    *places.output(lane) = sum;
                }
            } else {
                let mut data = ZEROS;
                self.group.last_row(row + i, &mut data);
                for (data, stream) in data.iter_mut().zip(&self.staged) {
                    *data = sum(data, stream);
                }
                self.group.put(row + i, &data);
            }
        }
    }
}

/// The sum of two blocks in memory.
#[inline(always)]
fn sum(a: &[u8; 16], b: &[u8; 16]) -> [u8; 16] {
    let mut sum = *a;
    for (a, b) in sum.iter_mut().zip(b) {
        *a ^= b;
    }
    sum
}

/// Adds the keystream behind the counter blocks that are there for chaining values.
#[inline(always)]
pub(in crate::packets) fn keystream<I: Isa, S: RowsInLanes<I>>(
    isa: I,
    keys: &S::LaneKeys,
    group: &mut Group<'_>,
) {
    let rows = (group.common(), group.rows());
    let any = beginnings::<I, S>(isa, keys, group);
    let mut steps = CtrSteps::<I, S> { isa, keys, group, staged: ZEROS, first: any.as_ref()[0], any };
    by_depth::<I, S>(rows, &mut steps);
    wipe(&mut steps.staged);
}

impl<'p, 'k> RowMode<'k, Packet<'p, CipherKey<'k>>> for Ctr {
    #[inline(always)]
    fn run<I: Isa, S: RowsInLanes<I>>(&self, isa: I, keys: &S::LaneKeys, group: &mut Group<'_>) {
        keystream::<I, S>(isa, keys, group);
    }
}

impl<'p, 'k> OneMode<'k, Packet<'p, CipherKey<'k>>> for Ctr {
    #[inline(always)]
    fn one<I: AesIsa, S: ByRounds<I>>(&self, isa: I, keys: &S::Keys, packet: &mut Packet<'p, CipherKey<'k>>) {
        let Some(first) = packet.iv.first_chunk() else { return };
        let io = &mut packet.buffer;
        if io.len() <= 16 {
            let isa = isa.narrow();
            let block = <S as On<I::Narrow>>::load(isa, first);
            pass::<_, S>(isa, keys, block, io);
        } else if io.len() <= <S as On<I>>::GROUP
            && let Some(counters) = S::first_counters(isa, first)
        {
            pass::<_, S>(isa, keys, counters, io);
        } else {
            let counter = Block::from(u128::from_be_bytes(*first));
            ctr::Keystream { counter: &counter, secrecy: Secrecy::Public, io }.run::<I, S>(isa, keys);
        }
    }
}

/// Adds the keystream of one group of counter blocks.
#[inline(always)]
pub(super) fn pass<I: Isa, S: On<I>>(
    isa: I,
    keys: &S::Keys,
    counters: S::Group,
    io: &mut InOutBuf<'_, '_, u8>,
) {
    let [stream] = S::encrypt(
        isa,
        keys,
        [counters],
        #[inline(always)]
        |_| (),
    );
    if io.len() == S::GROUP {
        let data = S::load(isa, io.get_in());
        S::store(S::xor(data, stream), io.get_out());
    } else {
        let data = S::load_partial(isa, io.get_in());
        S::store_partial(S::xor(data, stream), io.get_out());
    }
}
