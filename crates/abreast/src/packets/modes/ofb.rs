//! Output feedback, a chain.

use super::super::batch::{SequentialMode, SerialMode};
use super::super::key::CipherKey;
use super::super::packet::Packet;
use super::super::rows::Feedback;
use super::buffer::{BufferMode, check_iv, first_block};
use super::ctr::part;
use crate::Error;
use crate::engine::backend::{Backend, Direction};
use crate::engine::multibuf::{LaneGroup, MultiBuffer, ShortMessages};
use crate::engine::passes::ModeLoop;
use crate::loops::ofb;
use abreast_simd::{AesIsa, Isa};

/// Output feedback.
#[derive(Clone, Copy)]
pub(in crate::packets) struct OfbBatch;

impl BufferMode for OfbBatch {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn direction(&self) -> Direction {
        Direction::Encrypt
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn check(&self, packet: &Packet<'_, CipherKey<'_>>, block: usize) -> Result<usize, Error> {
        check_iv(packet, block)?;
        Ok(packet.buffer.len())
    }
    fn alone(&self, packet: &mut Packet<'_, CipherKey<'_>>) -> Result<(), Error> {
        packet.ofb()
    }
}

impl<'p, 'k> SerialMode<'k, Packet<'p, CipherKey<'k>>> for OfbBatch {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: MultiBuffer<I>>(&self, isa: I, keys: &S::LaneKeys, group: &mut LaneGroup<'_>) {
        Feedback::<false, I, S>::run(isa, keys, group);
    }
}

impl<'p, 'k> SequentialMode<'k, Packet<'p, CipherKey<'k>>> for OfbBatch {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn single<I: AesIsa, S: ShortMessages<I>>(
        &self,
        isa: I,
        keys: &S::Keys,
        packet: &mut Packet<'p, CipherKey<'k>>,
    ) -> Result<(), Error> {
        let isa = isa.narrow();
        let mut chain = first_block(packet.iv);
        let whole = packet.buffer.len() / 16 * 16;
        let (mut whole, mut tail) = packet.buffer.reborrow().split_at(whole);
        ofb::OfbKeystream { chain: &mut chain, io: &mut whole }.run::<I::Narrow, S>(isa, keys);
        if !tail.is_empty() {
            let before = <S as Backend<I::Narrow>>::load(isa, &chain);
            part::<1, I::Narrow, S>(isa, keys, [before], &mut tail);
        }
        Ok(())
    }
}
