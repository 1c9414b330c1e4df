//! The loop of output feedback (SP 800-38A, section 6.4): serial in both directions.

use crate::InOutBuf;
use crate::engine::backend::{Chain, On};
use crate::engine::passes::Job;
use abreast_simd::Isa;

/// Xors the keystream behind a block of it into whole blocks.
pub(crate) struct Keystream<'a, 'i, 'o> {
    pub(crate) chain: &'a mut Chain,
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl Job for Keystream<'_, '_, '_> {
    type Out = ();

    #[inline(always)]
    fn run<I: Isa, S: On<I>>(self, isa: I, keys: &S::Keys) {
        let mut stream = S::load_lone(isa, &self.chain[..S::BLOCK]);
        let zero = S::xor_lone(stream, stream);
        let mut input = S::begin_chain(isa, keys, stream);
        let mut at = 0;
        while at < self.io.len() {
            (stream, input) = S::link(isa, keys, input, zero);
            let data = S::load_lone(isa, &self.io.get_in()[at..][..S::BLOCK]);
            S::store_lone(S::xor_lone(data, stream), &mut self.io.get_out()[at..][..S::BLOCK]);
            at += S::BLOCK;
        }
        S::store_lone(stream, &mut self.chain[..S::BLOCK]);
    }
}
