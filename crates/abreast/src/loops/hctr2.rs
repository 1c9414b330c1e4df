//! The loops of HCTR2 (eprint 2021/1441, section 2.4): a hash, a block, counter mode, and the hash once more.
//!
//! A message is its first block and the rest. The first block takes up the hash of the rest, goes through the cipher, and takes
//! up the hash of the new rest. The XOR of what goes into the cipher and what comes out is the mask of counter mode over the
//! rest. Decryption is the same with the cipher backward.
//!
//! Several messages under one key go side by side: their first blocks pass the cipher together, where one would wait for it.

use crate::InOutBuf;
use crate::ciphers::CipherRef;
use crate::engine::backend::{Backend, Direction};
use crate::engine::passes::{ModeLoop, run_passes};
use crate::ghash::{BLOCK, GhashKey, POWERS, Product, absorb_in};
use crate::loops::little_counters::LittleCounters;
use crate::wipe::wipe;
use abreast_simd::inlined::{CopyFrom, Flat, Zipped};
use abreast_simd::{Block, Blocks, Clmul, Isa};

/// Messages that are done together.
pub(crate) const TOGETHER: usize = 16;

/// Keys beside that of the cipher, which are made with it.
pub(crate) struct Hctr2Keys {
    /// The powers of the hash key, the encrypted block 0.
    hash: GhashKey,
    /// The encrypted block 1, which masks of counter mode take up.
    offset: [u8; BLOCK],
}

impl Hctr2Keys {
    /// No keys yet.
    pub(crate) const ZERO: Self = Self { hash: GhashKey::ZERO, offset: [0; BLOCK] };
}

/// Makes the keys.
struct Hctr2MakeKeys<'a>(&'a mut Hctr2Keys);

impl ModeLoop for Hctr2MakeKeys<'_> {
    type Out = ();

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: Backend<I>>(self, isa: I, keys: &S::Keys) {
        let mut blocks = [[0; BLOCK], 1u128.to_le_bytes()];
        each_block::<I, S>(isa, keys, Direction::Encrypt, &mut blocks);
        let [hash, offset] = &blocks;
        self.0.hash.set_polyval::<S::Ghash>(S::ghash_isa(isa), S::clmul_level(keys), hash, POWERS);
        self.0.offset.copy_from(offset);
        wipe(blocks.flat_mut());
    }
}

/// A message of at least a block, with its tweak.
pub(crate) struct Hctr2Part<'i, 'o> {
    tweak: &'i [u8],
    io: InOutBuf<'i, 'o, u8>,
    /// The hash of the lengths and the tweak, with which both hashes begin.
    begun: [u8; BLOCK],
    /// The block that goes into the cipher.
    input: [u8; BLOCK],
}

impl<'i, 'o> Hctr2Part<'i, 'o> {
    /// A message that is not begun yet.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn new(tweak: &'i [u8], io: InOutBuf<'i, 'o, u8>) -> Self {
        Self { tweak, io, begun: [0; BLOCK], input: [0; BLOCK] }
    }
}

/// Messages, and for each a block that is overwritten.
pub(crate) struct Hctr2Messages<'a, 'i, 'o> {
    pub(crate) direction: Direction,
    pub(crate) keys: &'a Hctr2Keys,
    pub(crate) parts: &'a mut [Hctr2Part<'i, 'o>],
    pub(crate) blocks: &'a mut [[u8; BLOCK]],
}

impl ModeLoop for &mut Hctr2Messages<'_, '_, '_> {
    type Out = ();

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: Backend<I>>(self, isa: I, keys: &S::Keys) {
        isa.align_frame();
        let (hash_isa, own) = (S::ghash_isa(isa), self.keys);
        for (part, block) in self.parts.iter_mut().zipped(&mut *self.blocks) {
            let (first, rest) = part.io.get_in().split_at(BLOCK);
            let begun = begin::<S::Ghash>(hash_isa, &own.hash, part.tweak, rest.len());
            let first = S::Ghash::load_partial(hash_isa, first);
            let input = finish(hash_isa, &own.hash, begun, rest) ^ first;
            (part.begun, part.input) = (begun.to_first(), input.to_first());
            *block = part.input;
        }
        each_block::<I, S>(isa, keys, self.direction, self.blocks);
        let offset = Block::from(own.offset);
        for (part, block) in self.parts.iter_mut().zipped(&mut *self.blocks) {
            let mask = Block::from(part.input) ^ Block::from(*block) ^ offset;
            let (mut first, mut rest) = part.io.reborrow().split_at(BLOCK);
            if !rest.is_empty() {
                let mut passes = LittleCounters::<I, S>::masked(isa, keys, mask.as_bytes());
                run_passes::<I, S>(S::INTERLEAVE, &mut passes, rest.reborrow());
            }
            let begun = S::Ghash::first(hash_isa, &part.begun);
            let output =
                finish(hash_isa, &own.hash, begun, rest.get_out()) ^ S::Ghash::first(hash_isa, block);
            output.store_partial(first.get_out());
            wipe(&mut part.begun);
            wipe(&mut part.input);
            wipe(block);
        }
    }
}

/// Encrypts or decrypts messages. Not a call of [`mode_call`](crate::mode_call), which a program that has any mode has: the loops
/// are only in programs that come here. Nor is it generic, so that they are compiled once, in this crate.
#[inline(never)]
pub(crate) fn crypt(cipher: CipherRef<'_>, mut messages: Hctr2Messages<'_, '_, '_>) {
    cipher.visit_128(&mut messages);
}

/// Makes the keys that go with a cipher.
#[inline(never)]
pub(crate) fn make_keys(cipher: CipherRef<'_>, keys: &mut Hctr2Keys) {
    cipher.visit_128(Hctr2MakeKeys(keys));
}

/// Encrypts or decrypts blocks, in place.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn each_block<I: Isa, S: Backend<I>>(
    isa: I,
    keys: &S::Keys,
    direction: Direction,
    blocks: &mut [[u8; BLOCK]],
) {
    for group in blocks.flat_mut().chunks_mut(S::GROUP) {
        let (loaded, count) = (S::load_partial(isa, group), group.len() / BLOCK);
        let done = match direction {
            Direction::Encrypt => S::encrypt_partial(isa, keys, loaded, count),
            Direction::Decrypt => S::decrypt_partial(isa, keys, loaded, count),
        };
        S::store_partial(done, group);
    }
}

/// Hashes the lengths and the tweak (section 2.2): in the first lane.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn begin<V: Clmul>(isa: V::Isa, key: &GhashKey, tweak: &[u8], rest: usize) -> V {
    let ragged = u128::from(!rest.is_multiple_of(BLOCK));
    let lengths = Block::from(16 * tweak.len() as u128 + 2 + ragged);
    let lengths = V::first(isa, lengths.as_bytes());
    let zero = V::splat(isa, &[0; BLOCK]);
    if V::INSTRUCTIONS && tweak.len() <= V::BYTES {
        let mut product = Product::zero(zero);
        let blocks = tweak.len().div_ceil(BLOCK);
        product.add(lengths, &key.powers(isa, blocks));
        if blocks > 0 {
            product.add(V::load_partial(isa, tweak), &key.powers(isa, blocks - 1));
        }
        return product.reduce(isa);
    }
    let hash = absorb_in::<false, V>(isa, key, zero, &[], Some(&lengths.to_first()));
    if tweak.is_empty() { hash } else { absorb_in::<false, V>(isa, key, hash, tweak, None) }
}

/// Hashes a text after what was begun (section 2.2): in the first lane. A text that does not end with a block gets a bit after its
/// end.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn finish<V: Clmul>(isa: V::Isa, key: &GhashKey, begun: V, text: &[u8]) -> V {
    if text.is_empty() {
        return begun;
    }
    let ragged = !text.len().is_multiple_of(BLOCK);
    if V::INSTRUCTIONS && text.len() <= V::BYTES {
        let mut blocks = V::load_partial(isa, text) ^ begun;
        if ragged {
            blocks = blocks ^ V::load(isa, &END[MOST_BYTES - text.len()..][..V::BYTES]);
        }
        let mut product = Product::zero(V::splat(isa, &[0; BLOCK]));
        product.add(blocks, &key.powers(isa, text.len().div_ceil(BLOCK) - 1));
        return product.reduce(isa);
    }
    let (whole, end) = text.split_at(text.len() - text.len() % BLOCK);
    let last = V::load_partial(isa, end) ^ V::first(isa, end_at(end.len()));
    let last = last.to_first();
    absorb_in::<false, V>(isa, key, begun, whole, ragged.then_some(&last))
}

/// Bytes of the widest vector.
// No boundary: room for a vector.
const MOST_BYTES: usize = 64;

/// A bit, between zeros.
static END: [u8; 2 * MOST_BYTES] = {
    let mut bytes = [0; 2 * MOST_BYTES];
    bytes[MOST_BYTES] = 1;
    bytes
};

/// Returns a block with a bit at a byte.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn end_at(byte: usize) -> &'static [u8; BLOCK] {
    let mut block = &[0; BLOCK];
    if let Some(found) = END[MOST_BYTES - byte..].first_chunk() {
        block = found;
    }
    block
}
