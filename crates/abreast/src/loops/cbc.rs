//! The loops of cipher block chaining (SP 800-38A, section 6.2).
//!
//! Encryption is serial: each block waits for the one before. Decryption is parallel: the blocks of a pass are decrypted
//! together, and the ciphertext before each comes from a shuffle of registers that hold it already.

use crate::InOutBuf;
use crate::engine::backend::{Chain, On, Spec};
use crate::engine::passes::{Job, Passes, ladder, load, rounds, store};
use abreast_simd::Isa;

/// Whole blocks forward, one after the other.
pub(crate) struct Encrypt<'a, 'i, 'o> {
    pub(crate) chain: &'a mut Chain,
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl Job for Encrypt<'_, '_, '_> {
    type Out = ();

    #[inline(always)]
    fn run<I: Isa, S: On<I>>(self, isa: I, keys: &S::Keys) {
        let Some(last) = self.io.len().checked_sub(S::BLOCK) else {
            return;
        };
        let first = S::xor_lone(
            S::load_lone(isa, &self.chain[..S::BLOCK]),
            S::load_lone(isa, &self.io.get_in()[..S::BLOCK]),
        );
        let mut input = S::begin_chain(isa, keys, first);
        let mut at = 0;
        while at < last {
            let next = S::load_lone(isa, &self.io.get_in()[at + S::BLOCK..][..S::BLOCK]);
            let (output, next_input) = S::link(isa, keys, input, next);
            S::store_lone(output, &mut self.io.get_out()[at..][..S::BLOCK]);
            input = next_input;
            at += S::BLOCK;
        }
        let (output, _) = S::link(isa, keys, input, first);
        S::store_lone(output, &mut self.io.get_out()[at..][..S::BLOCK]);
        S::store_lone(output, &mut self.chain[..S::BLOCK]);
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

/// The chaining value behind blocks of ciphertext: the last of them, if there is one.
#[inline(always)]
pub(super) fn chain_behind<S: Spec>(chain: &Chain, ciphertext: &[u8]) -> Chain {
    let mut behind = *chain;
    if let Some(last) = ciphertext.len().checked_sub(S::BLOCK) {
        behind[..S::BLOCK].copy_from_slice(&ciphertext[last..]);
    }
    behind
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
        let mut plaintext = rounds::<false, N, WHOLE, I, S>(self.isa, self.keys, ciphertext, io.len());
        for (plaintext, ciphertext) in plaintext.iter_mut().zip(ciphertext) {
            *plaintext = S::xor(*plaintext, S::follow(self.isa, ciphertext, self.before));
            self.before = ciphertext;
        }
        store::<N, WHOLE, I, S>(plaintext, &mut io);
    }
}
