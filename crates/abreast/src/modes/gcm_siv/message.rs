//! A message under the keys that were derived for it: the tag, and counter mode from the tag.
//!
//! Counters are words at the beginning of a block, least byte first, where the engine has them at the end, greatest byte
//! first. So they are counted here, in vectors of POLYVAL, which lie in memory as the groups of the cipher do: where both
//! are registers of one kind, the compiler makes nothing of the way from one to the other.

use super::limits::NONCE;
use crate::InOutBuf;
use crate::engine::backend::{Backend, Direction};
use crate::engine::passes::{ModeLoop, PassLoop, rounds, run_passes};
use crate::ghash::{BLOCK, polyval};
use crate::loops::ctr::xor;
use abreast_simd::inlined::Zipped;
use abreast_simd::{Blocks, Isa};

/// A message at once, under the cipher of its own key.
pub(super) struct SivMessage<'a, 'i, 'o> {
    pub(super) direction: Direction,
    /// The key of POLYVAL.
    pub(super) hash_key: &'a [u8; BLOCK],
    pub(super) nonce: &'a [u8; NONCE],
    pub(super) aad: &'a [u8],
    pub(super) io: &'a mut InOutBuf<'i, 'o, u8>,
    /// The tag that came with the message, for decryption; it becomes the right one.
    pub(super) tag: &'a mut [u8; BLOCK],
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
                let mut passes = LittleCounters::<I, S>::new(isa, keys, self.tag);
                run_passes::<I, S>(S::INTERLEAVE, &mut passes, self.io.reborrow());
            }
        }
    }
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
    let lengths = (u128::from(8 * text.len() as u64) << 64 | u128::from(8 * aad.len() as u64)).to_le_bytes();
    let (isa_of_hash, level) = (S::ghash_isa(isa), S::clmul_level(keys));
    let mut block = polyval::<S::Ghash>(isa_of_hash, level, hash_key, [aad, text], &lengths);
    for (byte, nonce) in block.iter_mut().zipped(nonce) {
        *byte ^= nonce;
    }
    block[15] &= 0x7f;
    let group = S::encrypt_partial(isa, keys, S::load_partial(isa, &block), 1);
    S::store_partial(group, &mut block);
    block
}

/// Counter mode from a tag on.
struct LittleCounters<'k, I: Isa, S: Backend<I>> {
    isa: I,
    keys: &'k S::Keys,
    /// The next blocks.
    next: S::Ghash,
    /// Blocks in a vector of them, as a word to add.
    step: S::Ghash,
}

/// Bytes of the widest group.
// No boundary: room for a group.
const MOST_GROUP: usize = 512;

impl<'k, I: Isa, S: Backend<I>> LittleCounters<'k, I, S> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn new(isa: I, keys: &'k S::Keys, tag: &[u8; BLOCK]) -> Self {
        let mut first = *tag;
        first[15] |= 0x80;
        let (isa_of_hash, lanes) = (S::ghash_isa(isa), S::Ghash::LANES as u32);
        let step = u128::from(lanes).to_le_bytes();
        let next = S::Ghash::splat(isa_of_hash, &first).add_words(S::Ghash::count(isa_of_hash, 0));
        Self { isa, keys, next, step: S::Ghash::splat(isa_of_hash, &step) }
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn group(&mut self) -> S::Group {
        const { assert!(S::GROUP <= MOST_GROUP && S::GROUP.is_multiple_of(S::Ghash::BYTES)) };
        if S::GROUP == S::Ghash::BYTES {
            let mut bytes = [0; 64];
            self.next.store(&mut bytes[..S::GROUP]);
            self.next = self.next.add_words(self.step);
            return S::load(self.isa, &bytes[..S::GROUP]);
        }
        let mut bytes = [0; MOST_GROUP];
        for part in bytes[..S::GROUP].chunks_exact_mut(S::Ghash::BYTES) {
            self.next.store(part);
            self.next = self.next.add_words(self.step);
        }
        S::load(self.isa, &bytes[..S::GROUP])
    }
}

impl<'k, I: Isa, S: Backend<I>> PassLoop<'k, I, S> for LittleCounters<'k, I, S> {
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
        let mut blocks = [S::splat(self.isa, &[0; BLOCK]); N];
        for block in &mut blocks {
            *block = self.group();
        }
        let stream =
            rounds::<N, WHOLE, I, S>(self.isa, Direction::Encrypt, self.keys, keys, blocks, io.len());
        xor::<N, WHOLE, I, S>(self.isa, stream, &mut io);
    }
}
