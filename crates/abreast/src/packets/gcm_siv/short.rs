//! Short messages of a batch: their blocks are staged, padded, so that POLYVAL goes through those of several messages in lanes, each
//! lane under its own key, without a table of powers.

use crate::engine::backend::{Backend, Direction};
use crate::engine::passes::ModeLoop;
use crate::ghash::{BLOCK, polyval_lanes};
use crate::mode_call::ModeCall;
use crate::modes::gcm_siv::{NONCE, lengths, take_nonce};
use crate::{BlockCipher, InOutBuf};
use abreast_simd::inlined::{CopyFrom, Flat, Zipped};
use abreast_simd::{Block, Isa};

/// Blocks of data, and of associated data, of the longest message that goes this way. Longer ones fill vectors by themselves.
pub(crate) const MOST: usize = 8;

/// Blocks of both and of their lengths.
// No boundary: room for them.
const STAGED: usize = 2 * MOST + 1;

/// A message.
#[derive(Clone, Copy)]
pub(super) struct Short {
    /// The key of POLYVAL.
    hash_key: [u8; BLOCK],
    nonce: [u8; NONCE],
    /// The blocks that are hashed: associated data, data and lengths, each padded with zeros.
    blocks: [[u8; BLOCK]; STAGED],
    /// The number of those of associated data, and of all of them.
    ends: [usize; 2],
    /// The hash, and then the tag.
    tag: [u8; BLOCK],
    /// Counters, and then the keystream.
    stream: [[u8; BLOCK]; MOST],
    /// Bytes of data.
    len: usize,
}

impl Short {
    /// No message.
    pub(super) const ZERO: Self = Self {
        hash_key: [0; BLOCK],
        nonce: [0; NONCE],
        blocks: [[0; BLOCK]; STAGED],
        ends: [0; 2],
        tag: [0; BLOCK],
        stream: [[0; BLOCK]; MOST],
        len: 0,
    };

    /// Takes up a message, if it is short enough. True if it was.
    pub(super) fn begin(
        &mut self,
        hash_key: &[u8; BLOCK],
        nonce: &[u8; NONCE],
        aad: &[u8],
        text: &[u8],
    ) -> bool {
        let [front, all] = [aad, text].map(|data| data.len().div_ceil(BLOCK));
        if front > MOST || all > MOST {
            return false;
        }
        (self.hash_key, self.nonce, self.len) = (*hash_key, *nonce, text.len());
        self.ends = [front, front + all + 1];
        // Padding, where there is a part of a block.
        for last in [front, front + all] {
            self.blocks[last.saturating_sub(1)] = [0; BLOCK];
        }
        self.blocks[front + all] = lengths(aad, text);
        let bytes = self.blocks.flat_mut();
        bytes[..aad.len()].copy_from(aad);
        bytes[BLOCK * front..][..text.len()].copy_from(text);
        true
    }

    /// The block that the tag is encrypted from (RFC 8452, section 4), in place of the hash.
    pub(super) fn tag(&mut self) -> &mut [u8] {
        take_nonce(&mut self.tag, &self.nonce);
        &mut self.tag
    }

    /// The tag that was made.
    pub(super) fn tag_made(&self) -> &[u8; BLOCK] {
        &self.tag
    }

    /// Counts from a tag on.
    pub(super) fn count(&mut self, mut first: [u8; BLOCK]) {
        first[BLOCK - 1] |= 0x80;
        let first = u128::from_le_bytes(first);
        for (i, block) in self.stream.iter_mut().enumerate().take(self.len.div_ceil(BLOCK)) {
            let counter = (first as u32).wrapping_add(i as u32);
            *block = (first & !u128::from(u32::MAX) | u128::from(counter)).to_le_bytes();
        }
    }

    /// The counters, or the keystream in their place.
    pub(super) fn stream(&mut self) -> &mut [u8] {
        &mut self.stream.flat_mut()[..self.len.next_multiple_of(BLOCK)]
    }

    /// XORs the keystream into the data, of which the result is staged, too.
    pub(super) fn apply(&mut self, io: &mut InOutBuf<'_, '_, u8>) {
        let (mut at, staged) = (0, &mut self.blocks[self.ends[0]..]);
        for (stream, staged) in self.stream.iter().zipped(staged) {
            if at >= io.len() {
                break;
            }
            let end = io.len().min(at + BLOCK);
            let made = Block::from_part(&io.get_in()[at..end]) ^ Block::from(*stream);
            made.to_part(&mut io.get_out()[at..end]);
            *staged = *Block::from_part(&io.get_out()[at..end]).as_bytes();
            at = end;
        }
    }
}

/// Encrypts a part of each message under its own cipher. The CPU overlaps several.
pub(super) fn encrypt_each<'c, C: BlockCipher + 'c>(
    cipher_of: &impl Fn(usize) -> &'c C,
    shorts: &mut [Short],
    part: impl Fn(&mut Short) -> &mut [u8],
) {
    for (at, short) in shorts.iter_mut().enumerate() {
        let io = &mut part(short).into();
        cipher_of(at).mode_call(&mut ModeCall::Ecb(Direction::Encrypt, io));
    }
}

/// Hashes messages.
pub(super) struct HashEach<'s>(pub(super) &'s mut [Short]);

impl ModeLoop for HashEach<'_> {
    type Out = ();

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: Backend<I>>(self, isa: I, keys: &S::Keys) {
        polyval_lanes::<S::Ghash, _>(
            S::ghash_isa(isa),
            S::clmul_level(keys),
            self.0,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |short| (&short.hash_key, &short.blocks[..short.ends[1]], &mut short.tag),
        );
    }
}
