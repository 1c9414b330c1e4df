//! The loops of cipher feedback (SP 800-38A, section 6.3), with segments of a block and of a byte.

use super::cbc::{blocks_before, chain_after};
use crate::InOutBuf;
use crate::engine::backend::{Backend, ChainingValue, Direction};
use crate::engine::passes::{ModeLoop, PassLoop, load, rounds, run_passes, store};
use crate::wipe::wipe;
use abreast_simd::Isa;
use abreast_simd::inlined::Zipped;

/// Whole blocks forward, one after the other.
pub(crate) struct CfbEncrypt<'a, 'i, 'o> {
    pub(crate) chain: &'a mut ChainingValue,
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl ModeLoop for CfbEncrypt<'_, '_, '_> {
    type Out = ();
    const SERIAL: bool = true;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: Backend<I>>(self, isa: I, keys: &S::Keys) {
        let mut ciphertext = S::load_serial(isa, &self.chain[..S::BLOCK]);
        let mut input = S::begin_serial(isa, keys, ciphertext);
        let mut at = 0;
        while at < self.io.len() {
            let plaintext = S::load_serial(isa, &self.io.get_in()[at..][..S::BLOCK]);
            let (output, next) = S::encrypt_then_xor(isa, keys, input, plaintext);
            ciphertext = S::xor_serial(output, plaintext);
            S::store_serial(ciphertext, &mut self.io.get_out()[at..][..S::BLOCK]);
            input = next;
            at += S::BLOCK;
        }
        S::store_serial(ciphertext, &mut self.chain[..S::BLOCK]);
    }
}

/// Whole blocks backward, side by side.
pub(crate) struct CfbDecrypt<'a, 'i, 'o> {
    pub(crate) chain: &'a mut ChainingValue,
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl ModeLoop for CfbDecrypt<'_, '_, '_> {
    type Out = ();

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: Backend<I>>(self, isa: I, keys: &S::Keys) {
        let after = chain_after::<S>(self.chain, self.io.get_in());
        let before = S::splat(isa, self.chain);
        run_passes::<I, S>(
            S::INTERLEAVE,
            &mut CfbDecryptPasses::<I, S> { isa, keys, before },
            self.io.reborrow(),
        );
        *self.chain = after;
    }
}

struct CfbDecryptPasses<'k, I: Isa, S: Backend<I>> {
    isa: I,
    keys: &'k S::Keys,
    /// The ciphertext before; its last block counts.
    before: S::Group,
}

impl<'k, I: Isa, S: Backend<I>> PassLoop<'k, I, S> for CfbDecryptPasses<'k, I, S> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run_keys(&self) -> S::RunKeys<'k> {
        S::run_keys::<true>(self.isa, self.keys)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn pass<const N: usize, const WHOLE: bool>(
        &mut self,
        keys: S::RunKeys<'k>,
        mut io: InOutBuf<'_, '_, u8>,
    ) {
        let ciphertext = load::<N, WHOLE, I, S>(self.isa, &io);
        let inputs = blocks_before::<N, WHOLE, I, S>(self.isa, &io, ciphertext, &mut self.before);
        let mut stream =
            rounds::<N, WHOLE, I, S>(self.isa, Direction::Encrypt, self.keys, keys, inputs, io.len());
        let ciphertext = if S::LOADS_AGAIN { load::<N, WHOLE, I, S>(self.isa, &io) } else { ciphertext };
        for (stream, ciphertext) in stream.iter_mut().zipped(ciphertext) {
            *stream = S::xor(*stream, ciphertext);
        }
        store::<N, WHOLE, I, S>(stream, &mut io);
    }
}

/// The last block of ciphertext when a byte has joined it.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn shifted(chain: ChainingValue, byte: u8, size: usize) -> ChainingValue {
    (u128::from_le_bytes(chain) >> 8 | u128::from(byte) << (8 * (size - 1))).to_le_bytes()
}

/// Bytes forward, one after the other.
pub(crate) struct Cfb8Encrypt<'a, 'i, 'o> {
    pub(crate) chain: &'a mut ChainingValue,
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl ModeLoop for Cfb8Encrypt<'_, '_, '_> {
    type Out = ();
    const SERIAL: bool = true;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: Backend<I>>(self, isa: I, keys: &S::Keys) {
        let mut chain = *self.chain;
        let mut stream = [0; 16];
        let mut at = 0;
        while at < self.io.len() {
            let block = S::load_serial(isa, &chain[..S::BLOCK]);
            let (output, _) = S::encrypt_then_xor(isa, keys, S::begin_serial(isa, keys, block), block);
            S::store_serial(output, &mut stream[..S::BLOCK]);
            let byte = self.io.get_in()[at] ^ stream[0];
            self.io.get_out()[at] = byte;
            chain = shifted(chain, byte, S::BLOCK);
            at += 1;
        }
        *self.chain = chain;
        wipe(&mut stream);
    }
}
