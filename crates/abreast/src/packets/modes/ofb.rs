//! Output feedback, a chain.

use super::super::batch::{ChainMode, OneMode};
use super::super::key::CipherKey;
use super::super::packet::Packet;
use super::super::rows::Feedback;
use super::buffer::{BufferMode, check_iv, first_block};
use super::ctr::part;
use crate::Error;
use crate::engine::backend::{Direction, On};
use crate::engine::multibuf::{ByRounds, Group, InLanes};
use crate::engine::passes::Job;
use crate::loops::ofb;
use abreast_simd::{AesIsa, Isa};

/// Output feedback.
#[derive(Clone, Copy)]
pub(in crate::packets) struct Ofb;

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
        Feedback::<false, I, S>::run(isa, keys, group);
    }
}

impl<'p, 'k> OneMode<'k, Packet<'p, CipherKey<'k>>> for Ofb {
    #[inline(always)]
    fn one<I: AesIsa, S: ByRounds<I>>(
        &self,
        isa: I,
        keys: &S::Keys,
        packet: &mut Packet<'p, CipherKey<'k>>,
    ) -> Result<(), Error> {
        let isa = isa.narrow();
        let mut chain = first_block(packet.iv);
        let whole = packet.buffer.len() / 16 * 16;
        let (mut whole, mut tail) = packet.buffer.reborrow().split_at(whole);
        ofb::Keystream { chain: &mut chain, io: &mut whole }.run::<I::Narrow, S>(isa, keys);
        if !tail.is_empty() {
            let before = <S as On<I::Narrow>>::load(isa, &chain);
            part::<1, I::Narrow, S>(isa, keys, [before], &mut tail);
        }
        Ok(())
    }
}
