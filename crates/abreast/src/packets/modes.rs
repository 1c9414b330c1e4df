//! The modes side by side: each one loop over the rows of a group, written once for all kernels.

use super::Packet;
use super::batch::{BatchMode, ChainMode, LaneMode, OneMode, RowMode};
use super::key::{Cipher, CipherKey};
use crate::block_cipher::whole_blocks;
use crate::lanes::{ByRounds, Group, InLanes, MOST_LANES, Rows, RowsInLanes};
use crate::modes::{CounterWidth, cbc, ctr, ecb, ofb};
use crate::spec::{Direction, Job, On, Secrecy};
use crate::{Error, InOutBuf};
use abreast_simd::{AesIsa, Block, Isa};
use zeroize::optimization_barrier;

/// No rows.
pub(super) const ZEROS: Rows = [[0; 16]; MOST_LANES];

/// Wipes rows that were secret.
#[inline(always)]
fn wipe(rows: &mut Rows) {
    *rows = ZEROS;
    optimization_barrier(rows);
}

/// A loop over rows that do not wait for each other.
trait Steps {
    /// Does rows `row` to `row + N - 1`. `WHOLE` if all messages have them.
    fn step<const N: usize, const WHOLE: bool>(&mut self, row: usize);
}

/// Takes all rows of a group, as many at a time as go well together.
#[inline(always)]
fn by_depth<I: Isa, S: RowsInLanes<I>>((common, rows): (usize, usize), steps: &mut impl Steps) {
    let mut row = 0;
    while row < rows {
        let left = rows - row;
        row += if S::DEPTH >= 4 && left >= 4 {
            step::<4>(common, row, steps)
        } else if S::DEPTH >= 2 && left >= 2 {
            step::<2>(common, row, steps)
        } else {
            step::<1>(common, row, steps)
        };
    }
}

#[inline(always)]
fn step<const N: usize>(common: usize, row: usize, steps: &mut impl Steps) -> usize {
    if row + N <= common {
        steps.step::<N, true>(row)
    } else {
        steps.step::<N, false>(row)
    }
    N
}

/// A row of all messages. `WHOLE` if all have it.
#[inline(always)]
fn gather_row<const WHOLE: bool, I: Isa, S: InLanes<I>>(
    isa: I,
    keys: &S::LaneKeys,
    group: &Group<'_>,
    row: usize,
) -> S::Row {
    if WHOLE {
        let parts = group.parts(row);
        return S::gather(
            isa,
            keys,
            #[inline(always)]
            |lane| parts.get(lane),
        );
    }
    let mut rows = ZEROS;
    group.last_row(row, &mut rows);
    S::gather(
        isa,
        keys,
        #[inline(always)]
        |lane| &rows[lane],
    )
}

/// `N` rows of all messages.
#[inline(always)]
pub(super) fn gather<const N: usize, const WHOLE: bool, I: Isa, S: InLanes<I>>(
    isa: I,
    keys: &S::LaneKeys,
    group: &Group<'_>,
    row: usize,
) -> [S::Row; N] {
    let mut rows = [gather_row::<WHOLE, I, S>(isa, keys, group, row); N];
    let mut i = 1;
    while i < N {
        rows[i] = gather_row::<WHOLE, I, S>(isa, keys, group, row + i);
        i += 1;
    }
    rows
}

/// The converse.
#[inline(always)]
fn scatter<const N: usize, const WHOLE: bool, I: Isa, S: InLanes<I>>(
    keys: &S::LaneKeys,
    rows: [S::Row; N],
    group: &mut Group<'_>,
    row: usize,
) {
    let mut staged = ZEROS;
    for (i, values) in rows.into_iter().enumerate() {
        S::scatter(keys, values, &mut staged);
        if WHOLE {
            let used = group.used();
            let mut places = group.parts_mut(row + i);
            for (lane, new) in staged.iter().enumerate().take(used) {
                *places.output(lane) = *new;
            }
        } else {
            group.put(row + i, &staged);
        }
    }
}

/// What each message begins with, in the first block of a row.
#[inline(always)]
pub(super) fn beginnings<I: Isa, S: InLanes<I>>(isa: I, keys: &S::LaneKeys, group: &Group<'_>) -> S::Row {
    S::gather(
        isa,
        keys,
        #[inline(always)]
        |lane| &group.chains[lane],
    )
}

/// A mode whose packets have a cipher's key and nothing but a buffer.
pub(super) trait BufferMode {
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
        let chain = *Block::from_part(&packet.iv[..packet.iv.len().min(16)]).as_bytes();
        group.push(chain, packet.buffer.reborrow());
    }
}

/// Bytes of a cipher's blocks.
#[inline(always)]
pub(super) fn block_size(cipher: Cipher<'_>) -> usize {
    if matches!(cipher, Cipher::Xtea(_)) { 8 } else { 16 }
}

/// Refuses a vector that is no block.
#[inline(always)]
fn check_iv(packet: &Packet<'_, CipherKey<'_>>, block: usize) -> Result<(), Error> {
    if packet.iv.len() == block { Ok(()) } else { Err(Error::IvLength) }
}

/// Raw blocks.
pub(super) struct Ecb<const ENCRYPT: bool>;

const fn direction(encrypt: bool) -> Direction {
    if encrypt { Direction::Encrypt } else { Direction::Decrypt }
}

impl<const ENCRYPT: bool> BufferMode for Ecb<ENCRYPT> {
    const DIRECTION: Direction = direction(ENCRYPT);

    #[inline(always)]
    fn check(&self, packet: &Packet<'_, CipherKey<'_>>, block: usize) -> Result<usize, Error> {
        whole_blocks(block, &packet.buffer)?;
        Ok(packet.buffer.len())
    }
    fn alone(&self, packet: &mut Packet<'_, CipherKey<'_>>) -> Result<(), Error> {
        packet.ecb(direction(ENCRYPT))
    }
}

/// The rows of a group, one way or the other.
#[inline(always)]
fn rounds<const ENCRYPT: bool, const N: usize, I: Isa, S: RowsInLanes<I>>(
    isa: I,
    keys: &S::LaneKeys,
    rows: &mut [S::Row; N],
) {
    if ENCRYPT { S::encrypt(isa, keys, rows) } else { S::decrypt(isa, keys, rows) }
}

struct EcbSteps<'s, 'a, const ENCRYPT: bool, I: Isa, S: InLanes<I>> {
    isa: I,
    keys: &'s S::LaneKeys,
    group: &'s mut Group<'a>,
}

impl<const ENCRYPT: bool, I: Isa, S: RowsInLanes<I>> Steps for EcbSteps<'_, '_, ENCRYPT, I, S> {
    #[inline(always)]
    fn step<const N: usize, const WHOLE: bool>(&mut self, row: usize) {
        let mut rows = gather::<N, WHOLE, I, S>(self.isa, self.keys, self.group, row);
        rounds::<ENCRYPT, N, I, S>(self.isa, self.keys, &mut rows);
        scatter::<N, WHOLE, I, S>(self.keys, rows, self.group, row);
    }
}

impl<'p, 'k, const ENCRYPT: bool> RowMode<'k, Packet<'p, CipherKey<'k>>> for Ecb<ENCRYPT> {
    #[inline(always)]
    fn run<I: Isa, S: RowsInLanes<I>>(&self, isa: I, keys: &S::LaneKeys, group: &mut Group<'_>) {
        let rows = (group.common(), group.rows());
        by_depth::<I, S>(rows, &mut EcbSteps::<ENCRYPT, I, S> { isa, keys, group });
    }
}

impl<'p, 'k, const ENCRYPT: bool> OneMode<'k, Packet<'p, CipherKey<'k>>> for Ecb<ENCRYPT> {
    #[inline(always)]
    fn one<I: AesIsa, S: ByRounds<I>>(&self, isa: I, keys: &S::Keys, packet: &mut Packet<'p, CipherKey<'k>>) {
        ecb::Ecb::<ENCRYPT> { io: &mut packet.buffer }.run::<I, S>(isa, keys);
    }
}

/// Cipher block chaining, forward.
pub(super) struct CbcEncrypt;

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
        chain::<true, I, S>(isa, keys, group);
    }
}

/// Cipher block chaining, backward.
pub(super) struct CbcDecrypt;

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
    fn step<const N: usize, const WHOLE: bool>(&mut self, row: usize) {
        let ciphertext = gather::<N, WHOLE, I, S>(self.isa, self.keys, self.group, row);
        let mut plaintext = ciphertext;
        S::decrypt(self.isa, self.keys, &mut plaintext);
        for (new, old) in plaintext.iter_mut().zip(&ciphertext) {
            for (new, old) in new.as_mut().iter_mut().zip(old.as_ref()) {
                *new = S::add(*new, self.before);
                self.before = *old;
            }
        }
        scatter::<N, WHOLE, I, S>(self.keys, plaintext, self.group, row);
    }
}

impl<'p, 'k> RowMode<'k, Packet<'p, CipherKey<'k>>> for CbcDecrypt {
    #[inline(always)]
    fn run<I: Isa, S: RowsInLanes<I>>(&self, isa: I, keys: &S::LaneKeys, group: &mut Group<'_>) {
        let rows = (group.common(), group.rows());
        let before = beginnings::<I, S>(isa, keys, group).as_ref()[0];
        by_depth::<I, S>(rows, &mut CbcSteps::<I, S> { isa, keys, group, before });
    }
}

impl<'p, 'k> OneMode<'k, Packet<'p, CipherKey<'k>>> for CbcDecrypt {
    #[inline(always)]
    fn one<I: AesIsa, S: ByRounds<I>>(&self, isa: I, keys: &S::Keys, packet: &mut Packet<'p, CipherKey<'k>>) {
        let mut chain = *Block::from_part(&packet.iv[..packet.iv.len().min(16)]).as_bytes();
        cbc::Decrypt { chain: &mut chain, io: &mut packet.buffer }.run::<I, S>(isa, keys);
    }
}

/// Counter mode.
pub(super) struct Ctr {
    width: CounterWidth,
    bits: usize,
    /// The bits that count among the low 32.
    counting: u32,
}

impl Ctr {
    /// Counters of a width.
    pub(super) fn new(width: CounterWidth) -> Self {
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
pub(super) fn keystream<I: Isa, S: RowsInLanes<I>>(isa: I, keys: &S::LaneKeys, group: &mut Group<'_>) {
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
fn pass<I: Isa, S: On<I>>(isa: I, keys: &S::Keys, counters: S::Group, io: &mut InOutBuf<'_, '_, u8>) {
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

/// Output feedback.
pub(super) struct Ofb;

impl BufferMode for Ofb {
    const DIRECTION: Direction = Direction::Encrypt;

    #[inline(always)]
    fn check(&self, packet: &Packet<'_, CipherKey<'_>>, block: usize) -> Result<usize, Error> {
        check_iv(packet, block)?;
        Ok(packet.buffer.len())
    }
    fn alone(&self, packet: &mut Packet<'_, CipherKey<'_>>) -> Result<(), Error> {
        packet.ofb()
    }
}

impl<'p, 'k> ChainMode<'k, Packet<'p, CipherKey<'k>>> for Ofb {
    #[inline(always)]
    fn run<I: Isa, S: InLanes<I>>(&self, isa: I, keys: &S::LaneKeys, group: &mut Group<'_>) {
        chain::<false, I, S>(isa, keys, group);
    }
}

impl<'p, 'k> OneMode<'k, Packet<'p, CipherKey<'k>>> for CbcEncrypt {
    #[inline(always)]
    fn one<I: AesIsa, S: ByRounds<I>>(&self, isa: I, keys: &S::Keys, packet: &mut Packet<'p, CipherKey<'k>>) {
        let mut chain = *Block::from_part(&packet.iv[..packet.iv.len().min(16)]).as_bytes();
        let job = cbc::Encrypt { chain: &mut chain, io: &mut packet.buffer };
        job.run::<I::Narrow, S>(isa.narrow(), keys);
    }
}

impl<'p, 'k> OneMode<'k, Packet<'p, CipherKey<'k>>> for Ofb {
    #[inline(always)]
    fn one<I: AesIsa, S: ByRounds<I>>(&self, isa: I, keys: &S::Keys, packet: &mut Packet<'p, CipherKey<'k>>) {
        let isa = isa.narrow();
        let mut chain = *Block::from_part(&packet.iv[..packet.iv.len().min(16)]).as_bytes();
        let whole = packet.buffer.len() / 16 * 16;
        let (mut whole, mut tail) = packet.buffer.reborrow().split_at(whole);
        ofb::Keystream { chain: &mut chain, io: &mut whole }.run::<I::Narrow, S>(isa, keys);
        if !tail.is_empty() {
            let before = <S as On<I::Narrow>>::load(isa, &chain);
            pass::<I::Narrow, S>(isa, keys, before, &mut tail);
        }
    }
}

/// Takes all messages through a chain: CBC, or else OFB.
#[inline(always)]
fn chain<const CBC: bool, I: Isa, S: InLanes<I>>(isa: I, keys: &S::LaneKeys, group: &mut Group<'_>) {
    let first = beginnings::<I, S>(isa, keys, group);
    let (mut chain, mut rows) = (first.as_ref()[0], [first; 4]);
    let mut row = 0;
    while row + 4 <= group.common() {
        let parts = group.parts(row);
        S::gather_chunk(
            isa,
            keys,
            #[inline(always)]
            |lane| parts.get(lane),
            &mut rows,
        );
        for row in &mut rows {
            link::<CBC, I, S>(isa, keys, &mut chain, row);
        }
        S::scatter_chunk(keys, &rows, group, row);
        row += 4;
    }
    while row < group.common() {
        let [mut blocks] = gather::<1, true, I, S>(isa, keys, group, row);
        link::<CBC, I, S>(isa, keys, &mut chain, &mut blocks);
        scatter::<1, true, I, S>(keys, [blocks], group, row);
        row += 1;
    }
    while row < group.rows() {
        let [mut blocks] = gather::<1, false, I, S>(isa, keys, group, row);
        link::<CBC, I, S>(isa, keys, &mut chain, &mut blocks);
        scatter::<1, false, I, S>(keys, [blocks], group, row);
        row += 1;
    }
}

/// A row of a chain: from what goes in to what comes out.
#[inline(always)]
fn link<const CBC: bool, I: Isa, S: InLanes<I>>(
    isa: I,
    keys: &S::LaneKeys,
    chain: &mut S::Block,
    row: &mut S::Row,
) {
    for block in row.as_mut() {
        if CBC {
            *chain = S::encrypt_block(isa, keys, S::add(*chain, *block));
            *block = *chain;
        } else {
            *chain = S::encrypt_block(isa, keys, *chain);
            *block = S::add(*chain, *block);
        }
    }
}
