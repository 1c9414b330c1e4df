//! Chains that write: CBC forward, and OFB. One code for both in lanes, where a branch a block costs nothing; by AES
//! instructions it costs 3 %, and each has its own.

use super::super::schedule::batch_mode::{BatchMode, LaneUse};
use super::super::schedule::rows::{SerialLoop, beginnings, chain};
use super::cbc::check_cbc;
use super::cipher_packet::{CipherPacket, check_iv, first_block};
use super::ctr::part;
use crate::Error;
use crate::engine::backend::{Backend, Direction};
use crate::engine::multibuf::{LaneGroup, MultiBuffer, ShortMessages};
use crate::engine::passes::ModeLoop;
use crate::loops::{cbc, ofb};
use abreast_simd::{AesIsa, Isa};

/// A chain that writes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::packets) enum FeedbackBatch {
    /// CBC, forward: the next input is the sum of the ciphertext before and the plaintext.
    Cbc,
    /// OFB: the next input is the output before.
    Ofb,
}

impl BatchMode<CipherPacket<'_, '_>> for FeedbackBatch {
    const LANES: LaneUse = LaneUse::Chains;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn check(&self, packet: &CipherPacket<'_, '_>, block: usize) -> Result<usize, Error> {
        match self {
            Self::Cbc => check_cbc(packet, block),
            Self::Ofb => check_iv(packet, block).map(|()| packet.buffer.len()),
        }
    }
    fn single(&self, packet: &mut CipherPacket<'_, '_>) -> Result<(), Error> {
        match self {
            Self::Cbc => packet.cbc(Direction::Encrypt),
            Self::Ofb => packet.ofb(),
        }
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn in_turn<I: AesIsa, S: ShortMessages<I>>(
        &self,
        isa: I,
        keys: &S::Keys,
        packet: &mut CipherPacket<'_, '_>,
    ) -> Result<(), Error> {
        let isa = isa.narrow();
        let mut chain = first_block(packet.iv);
        if *self == Self::Cbc {
            let job = cbc::CbcEncrypt { chain: &mut chain, io: &mut packet.buffer };
            job.run::<I::Narrow, S>(isa, keys);
            return Ok(());
        }
        let whole = packet.buffer.len() / 16 * 16;
        let (mut whole, mut tail) = packet.buffer.reborrow().split_at(whole);
        ofb::OfbKeystream { chain: &mut chain, io: &mut whole }.run::<I::Narrow, S>(isa, keys);
        if !tail.is_empty() {
            let before = <S as Backend<I::Narrow>>::load(isa, &chain);
            part::<1, I::Narrow, S>(isa, keys, [before], &mut tail);
        }
        Ok(())
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run_chains<I: Isa, S: MultiBuffer<I>>(&self, isa: I, keys: &S::LaneKeys, group: &mut LaneGroup<'_>) {
        let value = beginnings::<I, S>(isa, keys, group).as_ref()[0];
        chain::<I, S, _>(isa, keys, group, &mut Feedback { of: *self, value });
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn by_variant(&self, mut with: impl FnMut(&Self)) {
        match self {
            Self::Cbc => with(&Self::Cbc),
            Self::Ofb => with(&Self::Ofb),
        }
    }
}

/// A chain, by its last value.
struct Feedback<V> {
    of: FeedbackBatch,
    value: V,
}

impl<I: Isa, S: MultiBuffer<I>> SerialLoop<I, S> for Feedback<S::Block> {
    const WRITES: bool = true;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn next_row(&mut self, isa: I, keys: &S::LaneKeys, row: &mut S::Row) {
        for block in row.as_mut() {
            if self.of == FeedbackBatch::Cbc {
                self.value = S::xor(self.value, *block);
            }
            self.value = S::encrypt_block(isa, keys, self.value);
            *block = match self.of {
                FeedbackBatch::Cbc => self.value,
                FeedbackBatch::Ofb => S::xor(self.value, *block),
            };
        }
    }
}
