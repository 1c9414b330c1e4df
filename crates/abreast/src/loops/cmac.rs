//! The loop of CBC-MAC, of which CMAC (SP 800-38B) is made.

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

    #[inline(always)]
    fn run<I: Isa, S: Backend<I>>(self, isa: I, keys: &S::Keys) {
        let Some((first, rest)) = self.data.split_at_checked(S::BLOCK) else {
            return;
        };
        let first = S::xor_serial(S::load_serial(isa, &self.chain[..S::BLOCK]), S::load_serial(isa, first));
        let mut input = S::begin_serial(isa, keys, first);
        for block in rest.chunks_exact(S::BLOCK) {
            (_, input) = S::encrypt_then_xor(isa, keys, input, S::load_serial(isa, block));
        }
        let (output, _) = S::encrypt_then_xor(isa, keys, input, first);
        S::store_serial(output, &mut self.chain[..S::BLOCK]);
    }
}
