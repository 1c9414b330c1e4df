//! The loops of cipher feedback (SP 800-38A, section 6.3), with segments of a block and of a byte.

use super::cbc::chain_behind;
use crate::InOutBuf;
use crate::engine::backend::{Chain, On};
use crate::engine::passes::{Job, Passes, ladder, load, rounds, store};
use abreast_simd::Isa;
use zeroize::Zeroize;

/// Whole blocks forward, one after the other.
pub(crate) struct Encrypt<'a, 'i, 'o> {
    pub(crate) chain: &'a mut Chain,
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl Job for Encrypt<'_, '_, '_> {
    type Out = ();

    #[inline(always)]
    fn run<I: Isa, S: On<I>>(self, isa: I, keys: &S::Keys) {
        let mut ciphertext = S::load_lone(isa, &self.chain[..S::BLOCK]);
        let mut input = S::begin_chain(isa, keys, ciphertext);
        let mut at = 0;
        while at < self.io.len() {
            let plaintext = S::load_lone(isa, &self.io.get_in()[at..][..S::BLOCK]);
            let (output, next) = S::link(isa, keys, input, plaintext);
            ciphertext = S::xor_lone(output, plaintext);
            S::store_lone(ciphertext, &mut self.io.get_out()[at..][..S::BLOCK]);
            input = next;
            at += S::BLOCK;
        }
        S::store_lone(ciphertext, &mut self.chain[..S::BLOCK]);
    }
}

/// Whole blocks backward, side by side.
pub(crate) struct Decrypt<'a, 'i, 'o> {
    pub(crate) chain: &'a mut Chain,
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl Job for Decrypt<'_, '_, '_> {
    type Out = ();

    #[inline(always)]
    fn run<I: Isa, S: On<I>>(self, isa: I, keys: &S::Keys) {
        let behind = chain_behind::<S>(self.chain, self.io.get_in());
        let before = S::splat(isa, self.chain);
        ladder::<I, S>(S::DEPTH, &mut Passing::<I, S> { isa, keys, before }, self.io.reborrow());
        *self.chain = behind;
    }
}

struct Passing<'k, I: Isa, S: On<I>> {
    isa: I,
    keys: &'k S::Keys,
    /// The ciphertext in front; its last block counts.
    before: S::Group,
}

impl<I: Isa, S: On<I>> Passes<I, S> for Passing<'_, I, S> {
    #[inline(always)]
    fn pass<const N: usize, const WHOLE: bool>(&mut self, mut io: InOutBuf<'_, '_, u8>) {
        let ciphertext = load::<N, WHOLE, I, S>(self.isa, &io);
        let mut inputs = ciphertext;
        for (input, ciphertext) in inputs.iter_mut().zip(ciphertext) {
            *input = S::follow(self.isa, ciphertext, self.before);
            self.before = ciphertext;
        }
        let mut stream = rounds::<true, N, WHOLE, I, S>(self.isa, self.keys, inputs, io.len());
        for (stream, ciphertext) in stream.iter_mut().zip(ciphertext) {
            *stream = S::xor(*stream, ciphertext);
        }
        store::<N, WHOLE, I, S>(stream, &mut io);
    }
}

/// The last block of ciphertext when a byte has joined it.
#[inline(always)]
pub(crate) fn shifted(chain: Chain, byte: u8, size: usize) -> Chain {
    (u128::from_le_bytes(chain) >> 8 | u128::from(byte) << (8 * (size - 1))).to_le_bytes()
}

/// Bytes forward, one after the other.
pub(crate) struct Encrypt8<'a, 'i, 'o> {
    pub(crate) chain: &'a mut Chain,
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl Job for Encrypt8<'_, '_, '_> {
    type Out = ();

    #[inline(always)]
    fn run<I: Isa, S: On<I>>(self, isa: I, keys: &S::Keys) {
        let mut chain = *self.chain;
        let mut stream = [0; 16];
        let mut at = 0;
        while at < self.io.len() {
            let block = S::load_lone(isa, &chain[..S::BLOCK]);
            let (output, _) = S::link(isa, keys, S::begin_chain(isa, keys, block), block);
            S::store_lone(output, &mut stream[..S::BLOCK]);
            let byte = self.io.get_in()[at] ^ stream[0];
            self.io.get_out()[at] = byte;
            chain = shifted(chain, byte, S::BLOCK);
            at += 1;
        }
        *self.chain = chain;
        stream.zeroize();
    }
}
