//! The loop of EAX: counter mode, and the CBC-MAC of the ciphertext, chunk by chunk in one function.
//!
//! The CBC-MAC is serial and counter mode is not, so the CPU does counter mode while the chain waits for its own rounds.

use super::ctr::CtrPasses;
use crate::InOutBuf;
use crate::engine::backend::{Chain, On, Secrecy};
use crate::engine::passes::{Job, ladder, split_up_to};
use abreast_simd::{Block, Isa};

/// Counter mode and CBC-MAC of the ciphertext, over whole blocks.
pub(crate) struct CtrMac<'a, 'i, 'o, const ENCRYPT: bool> {
    pub(crate) counter: &'a Block,
    pub(crate) chain: &'a mut Chain,
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl<const ENCRYPT: bool> Job for CtrMac<'_, '_, '_, ENCRYPT> {
    type Out = ();

    #[inline(always)]
    fn run<I: Isa, S: On<I>>(self, isa: I, keys: &S::Keys) {
        let counter = S::counter(isa, self.counter, Secrecy::Secret);
        let mut passes = CtrPasses::<I, S> { isa, keys, counter };
        let mut chain = Linking::<I, S> { isa, keys, input: None };
        let before = S::load_lone(isa, &self.chain[..S::BLOCK]);
        let mut rest = self.io.reborrow();
        while !rest.is_empty() {
            let (mut chunk, behind) = split_up_to(rest, S::DEPTH * S::GROUP);
            if !ENCRYPT {
                chain.absorb(before, chunk.get_in());
            }
            // The narrowest passes will do: there is time.
            ladder::<I, S>(1, &mut passes, chunk.reborrow());
            if ENCRYPT {
                chain.absorb(before, chunk.get_out());
            }
            rest = behind;
        }
        if let Some(input) = chain.input {
            let (output, _) = S::link(isa, keys, input, before);
            S::store_lone(output, &mut self.chain[..S::BLOCK]);
        }
    }
}

/// A CBC-MAC that goes on.
struct Linking<'k, I: Isa, S: On<I>> {
    isa: I,
    keys: &'k S::Keys,
    /// The input to be encrypted next, once there was a block.
    input: Option<S::Lone>,
}

impl<I: Isa, S: On<I>> Linking<'_, I, S> {
    /// Takes in whole blocks, to the first of which `before` is added.
    #[inline(always)]
    fn absorb(&mut self, before: S::Lone, blocks: &[u8]) {
        for block in blocks.chunks_exact(S::BLOCK) {
            let block = S::load_lone(self.isa, block);
            self.input = Some(match self.input {
                Some(input) => S::link(self.isa, self.keys, input, block).1,
                None => S::begin_chain(self.isa, self.keys, S::xor_lone(before, block)),
            });
        }
    }
}
