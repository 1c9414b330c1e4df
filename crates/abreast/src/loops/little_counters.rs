//! Counter mode with counters in the first word of a block, least byte first: of AES-GCM-SIV and of HCTR2.
//!
//! The engine has counters at the end of a block, greatest byte first. So these are counted here, in vectors of POLYVAL, which
//! lie in memory as the groups of the cipher do: where both are registers of one kind, the compiler makes nothing of the way
//! from one to the other.

use crate::InOutBuf;
use crate::engine::backend::{Backend, Direction};
use crate::engine::passes::{PassLoop, rounds};
use crate::ghash::BLOCK;
use crate::loops::ctr::xor;
use abreast_simd::{Blocks, Clmul, Isa};

/// Counter mode whose blocks are counters, XORed with a mask.
pub(crate) struct LittleCounters<'k, I: Isa, S: Backend<I>> {
    isa: I,
    keys: &'k S::Keys,
    /// The next counters.
    next: S::Ghash,
    /// The block that each of them is XORed with.
    mask: S::Ghash,
    /// Blocks in a vector of them, as a word to add.
    step: S::Ghash,
}

/// Bytes of the widest group.
// No boundary: room for a group.
const MOST_GROUP: usize = 512;

impl<'k, I: Isa, S: Backend<I>> LittleCounters<'k, I, S> {
    /// Counters from a tag on, its highest bit set, as AES-GCM-SIV has them (RFC 8452, section 4).
    #[cfg(feature = "siv")]
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn from_tag(isa: I, keys: &'k S::Keys, tag: &[u8; BLOCK]) -> Self {
        let mut first = *tag;
        first[15] |= 0x80;
        Self::new(isa, keys, &first, &[0; BLOCK])
    }

    /// Counters from 1 on under a mask: XCTR, as HCTR2 has it (eprint 2021/1441, section 2.3).
    #[cfg(feature = "hctr2")]
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn masked(isa: I, keys: &'k S::Keys, mask: &[u8; BLOCK]) -> Self {
        Self::new(isa, keys, &1u128.to_le_bytes(), mask)
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn new(isa: I, keys: &'k S::Keys, first: &[u8; BLOCK], mask: &[u8; BLOCK]) -> Self {
        let (isa_of_hash, lanes) = (S::ghash_isa(isa), S::Ghash::LANES as u32);
        let step = u128::from(lanes).to_le_bytes();
        let next = S::Ghash::splat(isa_of_hash, first).add_words(S::Ghash::count(isa_of_hash, 0));
        let mask = S::Ghash::splat(isa_of_hash, mask);
        Self { isa, keys, next, mask, step: S::Ghash::splat(isa_of_hash, &step) }
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn group(&mut self) -> S::Group {
        const { assert!(S::GROUP <= MOST_GROUP && S::GROUP.is_multiple_of(S::Ghash::BYTES)) };
        if S::GROUP == S::Ghash::BYTES {
            let mut bytes = [0; 64];
            (self.next ^ self.mask).store(&mut bytes[..S::GROUP]);
            self.next = self.next.add_words(self.step);
            return S::load(self.isa, &bytes[..S::GROUP]);
        }
        let mut bytes = [0; MOST_GROUP];
        let group = &mut bytes[..S::GROUP];
        if S::Ghash::INSTRUCTIONS {
            fill(&mut self.next, self.mask, self.step, group);
        } else {
            fill_apart(&mut self.next, self.mask, self.step, group);
        }
        S::load(self.isa, group)
    }
}

/// Writes the next counters under the mask.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn fill<V: Blocks>(next: &mut V, mask: V, step: V, group: &mut [u8]) {
    for part in group.chunks_exact_mut(V::BYTES) {
        (*next ^ mask).store(part);
        *next = next.add_words(step);
    }
}

/// Fills a group in a call, which all kernels without products share.
#[inline(never)]
fn fill_apart<V: Blocks>(next: &mut V, mask: V, step: V, group: &mut [u8]) {
    fill(next, mask, step, group);
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
