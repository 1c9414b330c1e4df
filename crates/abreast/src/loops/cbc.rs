//! The loops of cipher block chaining (SP 800-38A, section 6.2).
//!
//! Encryption is serial: each block waits for the one before. Decryption is parallel: the blocks of a pass are decrypted
//! together, and the ciphertext before each comes from a shuffle of registers that hold it already, or is loaded again where registers
//! are few.

use crate::InOutBuf;
use crate::engine::backend::{Backend, ChainingValue, Direction, Spec};
use crate::engine::passes::{ModeLoop, PassLoop, load, rounds, run_passes, store};
use abreast_simd::Isa;
use abreast_simd::inlined::{CopyFrom, Zipped};

/// Whole blocks forward, one after the other.
pub(crate) struct CbcEncrypt<'a, 'i, 'o> {
    pub(crate) chain: &'a mut ChainingValue,
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl ModeLoop for CbcEncrypt<'_, '_, '_> {
    type Out = ();
    const SERIAL: bool = true;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: Backend<I>>(self, isa: I, keys: &S::Keys) {
        let Some(last) = self.io.len().checked_sub(S::BLOCK) else {
            return;
        };
        let first = S::xor_serial(
            S::load_serial(isa, &self.chain[..S::BLOCK]),
            S::load_serial(isa, &self.io.get_in()[..S::BLOCK]),
        );
        let mut input = S::begin_serial(isa, keys, first);
        let mut at = 0;
        while at < last {
            let next = S::load_serial(isa, &self.io.get_in()[at + S::BLOCK..][..S::BLOCK]);
            let (output, next_input) = S::encrypt_then_xor(isa, keys, input, next);
            S::store_serial(output, &mut self.io.get_out()[at..][..S::BLOCK]);
            input = next_input;
            at += S::BLOCK;
        }
        let (output, _) = S::encrypt_then_xor(isa, keys, input, first);
        S::store_serial(output, &mut self.io.get_out()[at..][..S::BLOCK]);
        S::store_serial(output, &mut self.chain[..S::BLOCK]);
    }
}

/// Whole blocks backward, side by side.
pub(crate) struct CbcDecrypt<'a, 'i, 'o> {
    pub(crate) chain: &'a mut ChainingValue,
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl ModeLoop for CbcDecrypt<'_, '_, '_> {
    type Out = ();

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: Backend<I>>(self, isa: I, keys: &S::Keys) {
        isa.align_frame();
        let after = chain_after::<S>(self.chain, self.io.get_in());
        let before = S::splat(isa, self.chain);
        run_passes::<I, S>(
            S::INTERLEAVE,
            &mut CbcDecryptPasses::<I, S> { isa, keys, before },
            self.io.reborrow(),
        );
        *self.chain = after;
    }
}

/// The chaining value after blocks of ciphertext: the last of them, if there is one.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn chain_after<S: Spec>(chain: &ChainingValue, ciphertext: &[u8]) -> ChainingValue {
    let mut after = *chain;
    if let Some(last) = ciphertext.len().checked_sub(S::BLOCK) {
        after[..S::BLOCK].copy_from(&ciphertext[last..]);
    }
    after
}

/// The blocks of ciphertext one block before those of a pass, which are `groups`; `before`, the group before it, becomes the last one
/// of the pass.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn blocks_before<const N: usize, const WHOLE: bool, I: Isa, S: Backend<I>>(
    isa: I,
    io: &InOutBuf<'_, '_, u8>,
    groups: [S::Group; N],
    before: &mut S::Group,
) -> [S::Group; N] {
    let mut shifted = groups;
    if WHOLE && S::LOADS_AGAIN {
        let group = |at: usize| S::load(isa, &io.get_in()[at..][..S::GROUP]);
        shifted[0] = S::shift_in(isa, group(0), *before);
        for (i, shifted) in shifted.iter_mut().enumerate().skip(1) {
            *shifted = group(i * S::GROUP - S::BLOCK);
        }
        *before = group((N - 1) * S::GROUP);
    } else {
        for (shifted, group) in shifted.iter_mut().zipped(groups) {
            *shifted = S::shift_in(isa, group, *before);
            *before = group;
        }
    }
    shifted
}

struct CbcDecryptPasses<'k, I: Isa, S: Backend<I>> {
    isa: I,
    keys: &'k S::Keys,
    /// The ciphertext before; its last block counts.
    before: S::Group,
}

impl<'k, I: Isa, S: Backend<I>> PassLoop<'k, I, S> for CbcDecryptPasses<'k, I, S> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run_keys(&self) -> S::RunKeys<'k> {
        S::run_keys::<false>(self.isa, self.keys)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn pass<const N: usize, const WHOLE: bool>(
        &mut self,
        keys: S::RunKeys<'k>,
        mut io: InOutBuf<'_, '_, u8>,
    ) {
        let ciphertext = load::<N, WHOLE, I, S>(self.isa, &io);
        let mut plaintext =
            rounds::<N, WHOLE, I, S>(self.isa, Direction::Decrypt, self.keys, keys, ciphertext, io.len());
        let before = blocks_before::<N, WHOLE, I, S>(self.isa, &io, ciphertext, &mut self.before);
        for (plaintext, before) in plaintext.iter_mut().zipped(before) {
            *plaintext = S::xor(*plaintext, before);
        }
        store::<N, WHOLE, I, S>(plaintext, &mut io);
    }
}
