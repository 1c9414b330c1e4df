//! GCM for short messages: at most four vectors of data, a nonce of 12 bytes and at most 16 bytes of associated data, where
//! the CPU has carry-less products. Few instructions and one chain of them decide here.
//!
//! The formulas are those of the loop for messages of any length, which has more cases to tell apart and reduces the hash
//! three times. On a Zen 5 with AVX-512 a message of 16 bytes takes 68 cycles this way and 117 by that loop.
//!
//! The blocks of the message and their counters are vectors, the block that masks the tag is encrypted beside them, and
//! the hash is a sum of products and one reduction.

use crate::InOutBuf;
use crate::engine::backend::{Backend, Direction};
use crate::engine::passes::{load, store};
use crate::ghash::{BLOCK, GhashKey, Product};
use crate::masks::first_bytes;
use abreast_simd::inlined::{CopyFrom, Zipped};
use abreast_simd::{Block, Blocks, Clmul, Isa};

/// Groups of data in the longest message that goes this way.
pub(crate) const MOST_GROUPS: usize = 4;

/// Encrypts or decrypts a message that is short enough, with a nonce of 12 bytes and associated data of up to 16, and
/// returns its full tag. Returns `None` for any other message, and then nothing was done.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn short<I: Isa, S: Backend<I>>(
    isa: I,
    keys: &S::Keys,
    key: &GhashKey,
    direction: Direction,
    nonce: &[u8],
    aad: &[u8],
    io: &mut InOutBuf<'_, '_, u8>,
) -> Option<S::Ghash> {
    // Groups have to be vectors that products are instructions of.
    if S::GROUP != S::Ghash::BYTES || !S::Ghash::INSTRUCTIONS {
        return None;
    }
    let &[a, b, c, d, e, f, g, h, i, j, k, l] = nonce else { return None };
    if aad.len() > BLOCK {
        return None;
    }
    // Section 7.1, step 2; the last byte counts, and never leaves itself.
    let counter = |n: u8| Block::from(u128::from_le_bytes([a, b, c, d, e, f, g, h, i, j, k, l, 0, 0, 0, n]));
    let sum = Sum::<I, S> { isa, keys, key, direction, first: counter(1), next: counter(2), aad };
    match io.len().div_ceil(S::GROUP) {
        0 | 1 => Some(sum.tag::<1, 2>(io)),
        2 => Some(sum.tag::<2, 3>(io)),
        3 | MOST_GROUPS => Some(sum.tag::<MOST_GROUPS, 5>(io)),
        _ => None,
    }
}

/// All of a message but its data.
struct Sum<'a, I: Isa, S: Backend<I>> {
    isa: I,
    keys: &'a S::Keys,
    key: &'a GhashKey,
    direction: Direction,
    /// The counter block of the mask, and the first one of the data.
    first: Block,
    next: Block,
    aad: &'a [u8],
}

impl<I: Isa, S: Backend<I>> Sum<'_, I, S> {
    /// The tag of a message of up to `N` groups, which is encrypted or decrypted on the way; `M` is one more than `N`.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn tag<const N: usize, const M: usize>(&self, io: &mut InOutBuf<'_, '_, u8>) -> S::Ghash {
        let (isa, ghash_isa, len) = (self.isa, S::ghash_isa(self.isa), io.len());
        let counters: [S::Group; N] = S::first_counters(isa, self.next.as_bytes());
        let mut groups = [S::splat(isa, self.first.as_bytes()); M];
        groups[..N].copy_from(&counters);
        let groups = S::encrypt(
            isa,
            self.keys,
            groups,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |_| (),
        );

        let blocks = len.div_ceil(BLOCK);
        let mut product = Product::zero(S::Ghash::splat(ghash_isa, &[0; BLOCK]));
        if !self.aad.is_empty() {
            let aad = S::Ghash::load_partial(ghash_isa, self.aad).reverse_bytes();
            product.add(aad, &self.key.powers(ghash_isa, blocks + 1));
        }
        if len > 0 {
            let mut io = io.reborrow();
            let inputs = load::<N, false, I, S>(isa, &io);
            let mut outputs = inputs;
            for (output, stream) in outputs.iter_mut().zipped(groups) {
                *output = S::xor(*output, stream);
            }
            store::<N, false, I, S>(outputs, &mut io);
            let ciphertexts = if self.direction == Direction::Encrypt { outputs } else { inputs };
            for (i, ciphertext) in ciphertexts.into_iter().enumerate() {
                let at = i * S::GROUP;
                // The first group has data, and so have all others of the narrow ones.
                if i == 0 || at < len {
                    let kept = first_bytes((len - at).min(S::GROUP), S::GROUP);
                    let ciphertext = S::ghash_of(isa, ciphertext) & S::Ghash::load(ghash_isa, kept);
                    product.add(ciphertext.reverse_bytes(), &self.key.powers(ghash_isa, blocks - at / BLOCK));
                }
            }
        }
        // The two lengths in bits, with their bytes reversed like all blocks here.
        let (aad_bits, bits) = (8 * self.aad.len() as u128, 8 * len as u128);
        let lengths = Block::from(aad_bits << 64 | bits);
        product.add(S::Ghash::first(ghash_isa, lengths.as_bytes()), &self.key.powers(ghash_isa, 0));
        product.reduce(ghash_isa).reverse_bytes() ^ S::ghash_of(isa, groups[N])
    }
}
