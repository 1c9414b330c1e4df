//! The modes side by side: each one loop over the rows of a group, written once for all kernels.

use super::Packet;
use super::batch::{BatchMode, ChainMode, RowMode};
use super::key::{Cipher, CipherKey};
use crate::block_cipher::whole_blocks;
use crate::lanes::{Group, InLanes, LaneData, MOST_LANES, Rows, RowsInLanes};
use crate::modes::{CounterWidth, cbc, ctr, ecb};
use crate::spec::{Direction, Job, On, Secrecy};
use crate::work::Chain;
use crate::{Error, InOutBuf};
use abreast_simd::{Block, Isa};
use zeroize::optimization_barrier;

/// The buffer of a packet.
impl LaneData for InOutBuf<'_, '_, u8> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.get_in().len()
    }
    #[inline(always)]
    fn tail(&self) -> [u8; 16] {
        *Block::from_part(self.get_in().as_chunks::<16>().1).as_bytes()
    }
    #[inline(always)]
    fn input(&self) -> &[u8] {
        self.get_in()
    }
    #[inline(always)]
    fn output(&mut self) -> &mut [u8] {
        self.get_out()
    }
    fn finish(&mut self, _: &Chain) {}
}

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
    /// Does rows `row` to `row + N - 1`.
    fn step<const N: usize>(&mut self, row: usize);
}

/// Takes so many rows, as many at a time as go well together.
#[inline(always)]
fn by_depth<I: Isa, S: RowsInLanes<I>>(rows: usize, steps: &mut impl Steps) {
    let mut row = 0;
    while row < rows {
        if S::DEPTH >= 4 && rows - row >= 4 {
            steps.step::<4>(row);
            row += 4;
        } else if S::DEPTH >= 2 && rows - row >= 2 {
            steps.step::<2>(row);
            row += 2;
        } else {
            steps.step::<1>(row);
            row += 1;
        }
    }
}

/// `N` rows of a group.
#[inline(always)]
pub(super) fn gather<const N: usize, I: Isa, S: InLanes<I>>(
    isa: I,
    keys: &S::LaneKeys,
    group: &Group<impl LaneData>,
    row: usize,
) -> [S::Row; N] {
    let first = S::gather(
        isa,
        keys,
        #[inline(always)]
        |lane| group.row(lane, row),
    );
    let mut rows = [first; N];
    let mut i = 1;
    while i < N {
        rows[i] = S::gather(
            isa,
            keys,
            #[inline(always)]
            |lane| group.row(lane, row + i),
        );
        i += 1;
    }
    rows
}

/// What each message begins with.
#[inline(always)]
pub(super) fn beginnings<I: Isa, S: InLanes<I>>(
    isa: I,
    keys: &S::LaneKeys,
    group: &Group<impl LaneData>,
) -> S::Block {
    let row = S::gather(
        isa,
        keys,
        #[inline(always)]
        |lane| &group.chains[lane],
    );
    row.as_ref()[0]
}

/// A mode whose packets have a cipher's key and nothing but a buffer.
pub(super) trait BufferMode {
    /// Which round keys.
    const DIRECTION: Direction;

    /// Why a packet is refused.
    fn check(&self, packet: &Packet<'_, CipherKey<'_>>) -> Result<usize, Error>;
    /// Does a packet by itself.
    fn alone(&self, packet: &mut Packet<'_, CipherKey<'_>>) -> Result<(), Error>;
}

impl<'p, 'k, M: BufferMode> BatchMode<'k, Packet<'p, CipherKey<'k>>> for M {
    type Data<'d>
        = InOutBuf<'d, 'd, u8>
    where
        Packet<'p, CipherKey<'k>>: 'd;
    const DIRECTION: Direction = M::DIRECTION;

    #[inline(always)]
    fn cipher(packet: &Packet<'p, CipherKey<'k>>) -> Cipher<'k> {
        packet.key.0
    }
    #[inline(always)]
    fn check(&self, packet: &Packet<'p, CipherKey<'k>>) -> Result<usize, Error> {
        self.check(packet)
    }
    #[inline(always)]
    fn done(packet: &mut Packet<'p, CipherKey<'k>>, result: Result<(), Error>) {
        packet.result = result;
    }
    fn alone(&self, packet: &mut Packet<'p, CipherKey<'k>>) -> Result<(), Error> {
        self.alone(packet)
    }
    #[inline(always)]
    fn open<'d>(packet: &'d mut Packet<'p, CipherKey<'k>>) -> (InOutBuf<'d, 'd, u8>, Chain) {
        let chain = *Block::from_part(&packet.iv[..packet.iv.len().min(16)]).as_bytes();
        (packet.buffer.reborrow(), chain)
    }
    #[inline(always)]
    fn none<'d>() -> InOutBuf<'d, 'd, u8>
    where
        Packet<'p, CipherKey<'k>>: 'd,
    {
        [].as_mut_slice().into()
    }
}

/// Bytes of a cipher's blocks.
#[inline(always)]
pub(super) fn block_size(cipher: Cipher<'_>) -> usize {
    if matches!(cipher, Cipher::Xtea(_)) { 8 } else { 16 }
}

/// Refuses a vector that is no block.
#[inline(always)]
fn check_iv(packet: &Packet<'_, CipherKey<'_>>) -> Result<(), Error> {
    if packet.iv.len() == block_size(packet.key.0) { Ok(()) } else { Err(Error::IvLength) }
}

/// Raw blocks.
pub(super) struct Ecb<const ENCRYPT: bool>;

const fn direction(encrypt: bool) -> Direction {
    if encrypt { Direction::Encrypt } else { Direction::Decrypt }
}

impl<const ENCRYPT: bool> BufferMode for Ecb<ENCRYPT> {
    const DIRECTION: Direction = direction(ENCRYPT);

    #[inline(always)]
    fn check(&self, packet: &Packet<'_, CipherKey<'_>>) -> Result<usize, Error> {
        whole_blocks(block_size(packet.key.0), &packet.buffer)?;
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

struct EcbSteps<'s, const ENCRYPT: bool, I: Isa, S: InLanes<I>, D> {
    isa: I,
    keys: &'s S::LaneKeys,
    group: &'s mut Group<D>,
    staged: Rows,
}

impl<const ENCRYPT: bool, I: Isa, S: RowsInLanes<I>, D: LaneData> Steps for EcbSteps<'_, ENCRYPT, I, S, D> {
    #[inline(always)]
    fn step<const N: usize>(&mut self, row: usize) {
        let mut rows = gather::<N, I, S>(self.isa, self.keys, self.group, row);
        rounds::<ENCRYPT, N, I, S>(self.isa, self.keys, &mut rows);
        for (i, new) in rows.into_iter().enumerate() {
            S::scatter(self.keys, new, &mut self.staged);
            self.group.put(row + i, &self.staged);
        }
    }
}

impl<'p, 'k, const ENCRYPT: bool> RowMode<'k, Packet<'p, CipherKey<'k>>> for Ecb<ENCRYPT> {
    #[inline(always)]
    fn run<'d, I: Isa, S: RowsInLanes<I>>(
        &self,
        isa: I,
        keys: &S::LaneKeys,
        group: &mut Group<InOutBuf<'d, 'd, u8>>,
    ) where
        Packet<'p, CipherKey<'k>>: 'd,
    {
        let rows = group.rows();
        let mut steps = EcbSteps::<ENCRYPT, I, S, _> { isa, keys, group, staged: ZEROS };
        by_depth::<I, S>(rows, &mut steps);
        wipe(&mut steps.staged);
    }
    #[inline(always)]
    fn one<I: Isa, S: On<I>>(&self, isa: I, keys: &S::Keys, packet: &mut Packet<'p, CipherKey<'k>>) {
        ecb::Ecb::<ENCRYPT> { io: &mut packet.buffer }.run::<I, S>(isa, keys);
    }
}

/// Cipher block chaining, forward.
pub(super) struct CbcEncrypt;

impl BufferMode for CbcEncrypt {
    const DIRECTION: Direction = Direction::Encrypt;

    #[inline(always)]
    fn check(&self, packet: &Packet<'_, CipherKey<'_>>) -> Result<usize, Error> {
        check_cbc(packet)
    }
    fn alone(&self, packet: &mut Packet<'_, CipherKey<'_>>) -> Result<(), Error> {
        packet.cbc(Direction::Encrypt)
    }
}

#[inline(always)]
fn check_cbc(packet: &Packet<'_, CipherKey<'_>>) -> Result<usize, Error> {
    check_iv(packet)?;
    let size = block_size(packet.key.0);
    whole_blocks(size, &packet.buffer)?;
    if size == 8 && packet.buffer.len() as u64 > cbc::MOST_OF_64 {
        return Err(Error::MessageTooLong);
    }
    Ok(packet.buffer.len())
}

impl<'p, 'k> ChainMode<'k, Packet<'p, CipherKey<'k>>> for CbcEncrypt {
    #[inline(always)]
    fn run<'d, I: Isa, S: InLanes<I>>(
        &self,
        isa: I,
        keys: &S::LaneKeys,
        group: &mut Group<InOutBuf<'d, 'd, u8>>,
    ) where
        Packet<'p, CipherKey<'k>>: 'd,
    {
        let mut chain = beginnings::<I, S>(isa, keys, group);
        let mut staged = ZEROS;
        for row in 0..group.rows() {
            let [mut blocks] = gather::<1, I, S>(isa, keys, group, row);
            for block in blocks.as_mut() {
                chain = S::encrypt_block(isa, keys, S::add(chain, *block));
                *block = chain;
            }
            S::scatter(keys, blocks, &mut staged);
            group.put(row, &staged);
        }
    }
}

/// Cipher block chaining, backward.
pub(super) struct CbcDecrypt;

impl BufferMode for CbcDecrypt {
    const DIRECTION: Direction = Direction::Decrypt;

    #[inline(always)]
    fn check(&self, packet: &Packet<'_, CipherKey<'_>>) -> Result<usize, Error> {
        check_cbc(packet)
    }
    fn alone(&self, packet: &mut Packet<'_, CipherKey<'_>>) -> Result<(), Error> {
        packet.cbc(Direction::Decrypt)
    }
}

struct CbcSteps<'s, I: Isa, S: InLanes<I>, D> {
    isa: I,
    keys: &'s S::LaneKeys,
    group: &'s mut Group<D>,
    staged: Rows,
    /// The block of ciphertext in front.
    before: S::Block,
}

impl<I: Isa, S: RowsInLanes<I>, D: LaneData> Steps for CbcSteps<'_, I, S, D> {
    #[inline(always)]
    fn step<const N: usize>(&mut self, row: usize) {
        let ciphertext = gather::<N, I, S>(self.isa, self.keys, self.group, row);
        let mut plaintext = ciphertext;
        S::decrypt(self.isa, self.keys, &mut plaintext);
        for (i, (mut new, old)) in plaintext.into_iter().zip(ciphertext).enumerate() {
            for (new, old) in new.as_mut().iter_mut().zip(old.as_ref()) {
                *new = S::add(*new, self.before);
                self.before = *old;
            }
            S::scatter(self.keys, new, &mut self.staged);
            self.group.put(row + i, &self.staged);
        }
    }
}

impl<'p, 'k> RowMode<'k, Packet<'p, CipherKey<'k>>> for CbcDecrypt {
    #[inline(always)]
    fn run<'d, I: Isa, S: RowsInLanes<I>>(
        &self,
        isa: I,
        keys: &S::LaneKeys,
        group: &mut Group<InOutBuf<'d, 'd, u8>>,
    ) where
        Packet<'p, CipherKey<'k>>: 'd,
    {
        let rows = group.rows();
        let before = beginnings::<I, S>(isa, keys, group);
        let mut steps = CbcSteps::<I, S, _> { isa, keys, group, staged: ZEROS, before };
        by_depth::<I, S>(rows, &mut steps);
        wipe(&mut steps.staged);
    }
    #[inline(always)]
    fn one<I: Isa, S: On<I>>(&self, isa: I, keys: &S::Keys, packet: &mut Packet<'p, CipherKey<'k>>) {
        let mut chain = *Block::from_part(packet.iv).as_bytes();
        cbc::Decrypt { chain: &mut chain, io: &mut packet.buffer }.run::<I, S>(isa, keys);
    }
}

/// Counter mode.
pub(super) struct Ctr(pub(super) CounterWidth);

impl BufferMode for Ctr {
    const DIRECTION: Direction = Direction::Encrypt;

    /// Goes alone, if bits beyond the low 32 count, or fewer of them wrap.
    #[inline(always)]
    fn check(&self, packet: &Packet<'_, CipherKey<'_>>) -> Result<usize, Error> {
        let size = block_size(packet.key.0);
        if packet.iv.len() != size {
            return Err(Error::CounterLength);
        }
        let bits = self.0.bits();
        if bits as usize > 8 * size {
            return Err(Error::CounterWidth);
        }
        let Some(low) = packet.iv.last_chunk() else {
            return Err(Error::CounterLength);
        };
        let counting: u64 = (u32::MAX >> 32u32.saturating_sub(bits)).into();
        let last = (u64::from(u32::from_be_bytes(*low)) & counting) + (packet.buffer.len() / size) as u64;
        Ok(if last > counting { 0 } else { packet.buffer.len() })
    }
    fn alone(&self, packet: &mut Packet<'_, CipherKey<'_>>) -> Result<(), Error> {
        packet.ctr(self.0)
    }
}

struct CtrSteps<'s, I: Isa, S: InLanes<I>, D> {
    isa: I,
    keys: &'s S::LaneKeys,
    group: &'s mut Group<D>,
    staged: Rows,
    first: S::Block,
}

impl<I: Isa, S: RowsInLanes<I>, D: LaneData> Steps for CtrSteps<'_, I, S, D> {
    #[inline(always)]
    fn step<const N: usize>(&mut self, row: usize) {
        let [any] = gather::<1, I, S>(self.isa, self.keys, self.group, row);
        let mut rows = [any; N];
        let mut number = (row * any.as_ref().len()) as u32;
        for row in &mut rows {
            for block in row.as_mut() {
                *block = S::count(self.isa, self.keys, self.first, number);
                number += 1;
            }
        }
        S::encrypt(self.isa, self.keys, &mut rows);
        for (i, stream) in rows.into_iter().enumerate() {
            S::scatter(self.keys, stream, &mut self.staged);
            self.group.add(row + i, &self.staged);
        }
    }
}

/// Adds the keystream behind the counter blocks that are there for chaining values.
#[inline(always)]
pub(super) fn keystream<I: Isa, S: RowsInLanes<I>>(
    isa: I,
    keys: &S::LaneKeys,
    group: &mut Group<impl LaneData>,
) {
    let rows = group.rows();
    let first = beginnings::<I, S>(isa, keys, group);
    let mut steps = CtrSteps::<I, S, _> { isa, keys, group, staged: ZEROS, first };
    by_depth::<I, S>(rows, &mut steps);
    wipe(&mut steps.staged);
}

impl<'p, 'k> RowMode<'k, Packet<'p, CipherKey<'k>>> for Ctr {
    #[inline(always)]
    fn run<'d, I: Isa, S: RowsInLanes<I>>(
        &self,
        isa: I,
        keys: &S::LaneKeys,
        group: &mut Group<InOutBuf<'d, 'd, u8>>,
    ) where
        Packet<'p, CipherKey<'k>>: 'd,
    {
        keystream::<I, S>(isa, keys, group);
    }
    #[inline(always)]
    fn one<I: Isa, S: On<I>>(&self, isa: I, keys: &S::Keys, packet: &mut Packet<'p, CipherKey<'k>>) {
        let Some(block) = packet.iv.first_chunk() else { return };
        let counter = Block::from(u128::from_be_bytes(*block));
        ctr::Keystream { counter: &counter, secrecy: Secrecy::Public, io: &mut packet.buffer }
            .run::<I, S>(isa, keys);
    }
}

/// Output feedback.
pub(super) struct Ofb;

impl BufferMode for Ofb {
    const DIRECTION: Direction = Direction::Encrypt;

    #[inline(always)]
    fn check(&self, packet: &Packet<'_, CipherKey<'_>>) -> Result<usize, Error> {
        check_iv(packet)?;
        Ok(packet.buffer.len())
    }
    fn alone(&self, packet: &mut Packet<'_, CipherKey<'_>>) -> Result<(), Error> {
        packet.ofb()
    }
}

impl<'p, 'k> ChainMode<'k, Packet<'p, CipherKey<'k>>> for Ofb {
    #[inline(always)]
    fn run<'d, I: Isa, S: InLanes<I>>(
        &self,
        isa: I,
        keys: &S::LaneKeys,
        group: &mut Group<InOutBuf<'d, 'd, u8>>,
    ) where
        Packet<'p, CipherKey<'k>>: 'd,
    {
        let mut stream = beginnings::<I, S>(isa, keys, group);
        let mut staged = ZEROS;
        let [mut blocks] = gather::<1, I, S>(isa, keys, group, 0);
        for row in 0..group.rows() {
            for block in blocks.as_mut() {
                stream = S::encrypt_block(isa, keys, stream);
                *block = stream;
            }
            S::scatter(keys, blocks, &mut staged);
            group.add(row, &staged);
        }
        wipe(&mut staged);
    }
}
