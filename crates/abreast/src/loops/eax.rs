//! The loop of EAX: counter mode, and the CBC-MAC of the ciphertext, chunk by chunk in one function.
//!
//! The CBC-MAC is serial and counter mode is not, so the CPU does counter mode while the chain waits for its own rounds.

use super::cmac::MacChain;
use super::ctr::CtrPasses;
use crate::InOutBuf;
use crate::engine::backend::{Backend, ChainingValue, Direction, Secrecy, Way};
use crate::engine::passes::{ModeLoop, run_passes, split_up_to};
use abreast_simd::{Block, Isa};

/// Counter mode and CBC-MAC of the ciphertext, over whole blocks.
pub(crate) struct CtrMac<'a, 'i, 'o, W> {
    pub(crate) way: W,
    pub(crate) counter: &'a Block,
    pub(crate) chain: &'a mut ChainingValue,
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl<W: Way> ModeLoop for CtrMac<'_, '_, '_, W> {
    type Out = ();

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: Backend<I>>(self, isa: I, keys: &S::Keys) {
        let counter = S::counter(isa, self.counter, Secrecy::Secret);
        let mut passes = CtrPasses::<I, S> { isa, keys, counter };
        let mut mac = MacChain::<I, S>::new(isa, keys, self.chain);
        let mut rest = self.io.reborrow();
        while !rest.is_empty() {
            let (mut chunk, after) = split_up_to(rest, S::INTERLEAVE * S::GROUP);
            if self.way.direction() == Direction::Decrypt {
                mac.absorb(chunk.get_in());
            }
            // The narrowest passes will do: there is time.
            run_passes::<I, S>(1, &mut passes, chunk.reborrow());
            if self.way.direction() == Direction::Encrypt {
                mac.absorb(chunk.get_out());
            }
            rest = after;
        }
        mac.finish(self.chain);
    }
}
