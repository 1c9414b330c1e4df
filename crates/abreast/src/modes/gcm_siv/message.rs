//! A message under the keys that were derived for it: the tag, and counter mode from the tag.

use super::limits::NONCE;
use crate::InOutBuf;
use crate::engine::backend::{Backend, Direction};
use crate::engine::passes::{ModeLoop, run_passes};
use crate::ghash::{BLOCK, polyval};
use crate::loops::little_counters::LittleCounters;
use abreast_simd::{Block, Isa};

/// A message at once, under the cipher of its own key.
pub(crate) struct SivMessage<'a, 'i, 'o> {
    pub(crate) direction: Direction,
    /// The key of POLYVAL.
    pub(crate) hash_key: &'a [u8; BLOCK],
    pub(crate) nonce: &'a [u8; NONCE],
    pub(crate) aad: &'a [u8],
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
    /// The tag that came with the message, for decryption; it becomes the right one.
    pub(crate) tag: &'a mut [u8; BLOCK],
}

impl ModeLoop for &mut SivMessage<'_, '_, '_> {
    type Out = ();

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: Backend<I>>(self, isa: I, keys: &S::Keys) {
        // Both ways by one text: only the order differs.
        let encrypts = self.direction == Direction::Encrypt;
        for hashes in [encrypts, !encrypts] {
            if hashes {
                let text = if encrypts { self.io.get_in() } else { &*self.io.get_out() };
                *self.tag = tag::<I, S>(isa, keys, self.hash_key, self.nonce, self.aad, text);
            } else {
                let mut passes = LittleCounters::<I, S>::from_tag(isa, keys, self.tag);
                run_passes::<I, S>(S::INTERLEAVE, &mut passes, self.io.reborrow());
            }
        }
    }
}

/// Returns the last block that is hashed: the bits of both strings (section 4).
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn lengths(aad: &[u8], text: &[u8]) -> [u8; BLOCK] {
    (u128::from(8 * text.len() as u64) << 64 | u128::from(8 * aad.len() as u64)).to_le_bytes()
}

/// Makes of a hash the block that the tag is encrypted from (section 4).
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn take_nonce(hash: &mut [u8; BLOCK], nonce: &[u8]) {
    let nonce = u128::from_le_bytes(*Block::from_part(nonce).as_bytes());
    *hash = *Block::from((u128::from_le_bytes(*hash) ^ nonce) & (u128::MAX >> 1)).as_bytes();
}

/// The tag of a plaintext (RFC 8452, section 4).
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn tag<I: Isa, S: Backend<I>>(
    isa: I,
    keys: &S::Keys,
    hash_key: &[u8; BLOCK],
    nonce: &[u8; NONCE],
    aad: &[u8],
    text: &[u8],
) -> [u8; BLOCK] {
    let lengths = lengths(aad, text);
    let (isa_of_hash, level) = (S::ghash_isa(isa), S::clmul_level(keys));
    let mut block = polyval::<S::Ghash>(isa_of_hash, level, hash_key, [aad, text], &lengths);
    take_nonce(&mut block, nonce);
    let group = S::encrypt_partial(isa, keys, S::load_partial(isa, &block), 1);
    S::store_partial(group, &mut block);
    block
}
