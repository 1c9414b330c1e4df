//! The loop of CBC-MAC, of which CMAC (SP 800-38B) is made.

use crate::engine::backend::{Chain, On};
use crate::engine::passes::Job;
use abreast_simd::Isa;

/// CBC-MAC over whole blocks.
pub(crate) struct Mac<'a> {
    pub(crate) chain: &'a mut Chain,
    pub(crate) data: &'a [u8],
}

impl Job for Mac<'_> {
    type Out = ();

    #[inline(always)]
    fn run<I: Isa, S: On<I>>(self, isa: I, keys: &S::Keys) {
        let Some((first, rest)) = self.data.split_at_checked(S::BLOCK) else {
            return;
        };
        let first = S::xor_lone(S::load_lone(isa, &self.chain[..S::BLOCK]), S::load_lone(isa, first));
        let mut input = S::begin_chain(isa, keys, first);
        for block in rest.chunks_exact(S::BLOCK) {
            (_, input) = S::link(isa, keys, input, S::load_lone(isa, block));
        }
        let (output, _) = S::link(isa, keys, input, first);
        S::store_lone(output, &mut self.chain[..S::BLOCK]);
    }
}
