//! The loop of CBC-MAC, of which CMAC (SP 800-38B) is made, and with it EAX.

use crate::engine::backend::{Backend, ChainingValue};
use crate::engine::passes::ModeLoop;
use abreast_simd::Isa;

/// CBC-MAC over whole blocks.
pub(crate) struct CbcMac<'a> {
    pub(crate) chain: &'a mut ChainingValue,
    pub(crate) data: &'a [u8],
}

impl ModeLoop for CbcMac<'_> {
    type Out = ();
    const SERIAL: bool = true;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: Backend<I>>(self, isa: I, keys: &S::Keys) {
        let mut mac = MacChain::<I, S>::new(isa, keys, self.chain);
        mac.absorb(self.data);
        mac.finish(self.chain);
    }
}

/// A CBC-MAC whose blocks come in several parts.
pub(crate) struct MacChain<'k, I: Isa, S: Backend<I>> {
    isa: I,
    keys: &'k S::Keys,
    /// The chaining value before the first block.
    before: S::SerialBlock,
    /// The next input of the cipher, once there was a block.
    input: Option<S::SerialBlock>,
}

impl<'k, I: Isa, S: Backend<I>> MacChain<'k, I, S> {
    /// Goes on from a chaining value.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn new(isa: I, keys: &'k S::Keys, chain: &ChainingValue) -> Self {
        Self { isa, keys, before: S::load_serial(isa, &chain[..S::BLOCK]), input: None }
    }

    /// Takes in whole blocks.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn absorb(&mut self, data: &[u8]) {
        let Self { isa, keys, before, .. } = *self;
        let mut blocks = data.chunks_exact(S::BLOCK);
        let mut input = match self.input {
            Some(input) => input,
            None => {
                let Some(first) = blocks.next() else { return };
                S::begin_serial(isa, keys, S::xor_serial(before, S::load_serial(isa, first)))
            }
        };
        for block in blocks {
            (_, input) = S::encrypt_then_xor(isa, keys, input, S::load_serial(isa, block));
        }
        self.input = Some(input);
    }

    /// Puts out the chaining value, which stays the same if there was no block.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn finish(self, chain: &mut ChainingValue) {
        if let Some(input) = self.input {
            let (output, _) = S::encrypt_then_xor(self.isa, self.keys, input, self.before);
            S::store_serial(output, &mut chain[..S::BLOCK]);
        }
    }
}
