//! The loop of EAX: counter mode, and the CBC-MAC of the ciphertext, chunk by chunk in one function.
//!
//! The CBC-MAC is serial and counter mode is not, so the CPU does counter mode while the chain waits for its own rounds.

use super::ctr::CtrPasses;
use crate::InOutBuf;
use crate::engine::backend::{Backend, ChainingValue, Secrecy};
use crate::engine::passes::{ModeLoop, run_passes, split_up_to};
use abreast_simd::{Block, Isa};

/// Counter mode and CBC-MAC of the ciphertext, over whole blocks.
pub(crate) struct CtrMac<'a, 'i, 'o, const ENCRYPT: bool> {
    pub(crate) counter: &'a Block,
    pub(crate) chain: &'a mut ChainingValue,
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl<const ENCRYPT: bool> ModeLoop for CtrMac<'_, '_, '_, ENCRYPT> {
    type Out = ();

    #[inline(always)]
    fn run<I: Isa, S: Backend<I>>(self, isa: I, keys: &S::Keys) {
        let counter = S::counter(isa, self.counter, Secrecy::Secret);
        let mut passes = CtrPasses::<I, S> { isa, keys, counter };
        let mut chain = Linking::<I, S> { isa, keys, input: None };
        let before = S::load_serial(isa, &self.chain[..S::BLOCK]);
        let mut rest = self.io.reborrow();
        while !rest.is_empty() {
            let (mut chunk, after) = split_up_to(rest, S::INTERLEAVE * S::GROUP);
            if !ENCRYPT {
                chain.absorb(before, chunk.get_in());
            }
            // The narrowest passes will do: there is time.
            run_passes::<I, S>(1, &mut passes, chunk.reborrow());
            if ENCRYPT {
                chain.absorb(before, chunk.get_out());
            }
            rest = after;
        }
        if let Some(input) = chain.input {
            let (output, _) = S::encrypt_then_xor(isa, keys, input, before);
            S::store_serial(output, &mut self.chain[..S::BLOCK]);
        }
    }
}

/// A CBC-MAC that goes on.
struct Linking<'k, I: Isa, S: Backend<I>> {
    isa: I,
    keys: &'k S::Keys,
    /// The input to be encrypted next, once there was a block.
    input: Option<S::SerialBlock>,
}

impl<I: Isa, S: Backend<I>> Linking<'_, I, S> {
    /// Takes in whole blocks, to the first of which `before` is added.
    #[inline(always)]
    fn absorb(&mut self, before: S::SerialBlock, blocks: &[u8]) {
        for block in blocks.chunks_exact(S::BLOCK) {
            let block = S::load_serial(self.isa, block);
            self.input = Some(match self.input {
                Some(input) => S::encrypt_then_xor(self.isa, self.keys, input, block).1,
                None => S::begin_serial(self.isa, self.keys, S::xor_serial(before, block)),
            });
        }
    }
}
