//! The loop of output feedback (SP 800-38A, section 6.4): serial in both directions.

use crate::InOutBuf;
use crate::engine::backend::{Backend, ChainingValue};
use crate::engine::passes::ModeLoop;
use abreast_simd::Isa;

/// Xors the keystream after a block of it into whole blocks.
pub(crate) struct OfbKeystream<'a, 'i, 'o> {
    pub(crate) chain: &'a mut ChainingValue,
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl ModeLoop for OfbKeystream<'_, '_, '_> {
    type Out = ();
    const SERIAL: bool = true;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: Backend<I>>(self, isa: I, keys: &S::Keys) {
        let mut stream = S::load_serial(isa, &self.chain[..S::BLOCK]);
        let zero = S::xor_serial(stream, stream);
        let mut input = S::begin_serial(isa, keys, stream);
        let mut at = 0;
        while at < self.io.len() {
            (stream, input) = S::encrypt_then_xor(isa, keys, input, zero);
            let data = S::load_serial(isa, &self.io.get_in()[at..][..S::BLOCK]);
            S::store_serial(S::xor_serial(data, stream), &mut self.io.get_out()[at..][..S::BLOCK]);
            at += S::BLOCK;
        }
        S::store_serial(stream, &mut self.chain[..S::BLOCK]);
    }
}
