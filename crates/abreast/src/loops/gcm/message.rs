//! The calls of a kernel for GCM: make the hash key, a message at once, or a message in pieces.

use super::short::short;
use super::stitched::crypt;
use crate::InOutBuf;
use crate::engine::backend::{Backend, Direction, Secrecy};
use crate::engine::passes::ModeLoop;
use crate::ghash::{BLOCK, GhashKey, absorb, absorb_first};
use crate::loops::ctr::CtrPasses;
use crate::wipe::wipe;
use abreast_simd::{Block, Blocks, Clmul, Isa};
use zeroize::Zeroize;

/// The hash key of a cipher: its encrypted zero block and powers of it.
pub(crate) struct GcmMakeKey<'a> {
    pub(crate) key: &'a mut GhashKey,
}

impl ModeLoop for GcmMakeKey<'_> {
    type Out = ();

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: Backend<I>>(self, isa: I, keys: &S::Keys) {
        let zero = S::load_partial(isa, &[0; BLOCK]);
        let [h] = S::encrypt(
            isa,
            keys,
            [zero],
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |_| (),
        );
        self.key.set::<S::Ghash>(S::ghash_isa(isa), S::clmul_level(keys), &first_block::<I, S>(h));
    }
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn first_block<I: Isa, S: Backend<I>>(group: S::Group) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    S::store_partial(group, &mut block);
    block
}

/// The block that ends the hash: two lengths in bits.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn lengths(aad: u64, data: u64) -> [u8; BLOCK] {
    (u128::from(8 * aad) << 64 | u128::from(8 * data)).to_be_bytes()
}

/// The first counter block (section 7.1, step 2), as a big-endian number.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn first_counter<V: Clmul>(isa: V::Isa, key: &GhashKey, nonce: &[u8]) -> (u128, Secrecy) {
    if let &[a, b, c, d, e, f, g, h, i, j, k, l] = nonce {
        (u128::from_be_bytes([a, b, c, d, e, f, g, h, i, j, k, l, 0, 0, 0, 1]), Secrecy::Public)
    } else {
        let zero = V::splat(isa, &[0; BLOCK]);
        let lengths = lengths(0, nonce.len() as u64);
        // The hash as the kernels hold it has its bytes reversed.
        (u128::from_le_bytes(absorb(isa, key, zero, nonce, Some(&lengths)).to_first()), Secrecy::Secret)
    }
}

/// The counter block `blocks` after this one: the low 32 bits count (section 6.2).
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn advance(counter: u128, blocks: u32) -> u128 {
    let low = u128::from(u32::MAX);
    counter & !low | u128::from((counter as u32).wrapping_add(blocks))
}

/// A whole message at once, and its full tag.
#[doc(hidden)]
pub struct GcmMessage<'a, 'i, 'o> {
    pub(crate) key: &'a GhashKey,
    pub(crate) direction: Direction,
    pub(crate) nonce: &'a [u8],
    pub(crate) aad: &'a [u8],
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
    pub(crate) tag: &'a mut [u8; BLOCK],
}

impl ModeLoop for &mut GcmMessage<'_, '_, '_> {
    type Out = ();

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: Backend<I>>(self, isa: I, keys: &S::Keys) {
        let GcmMessage { key, direction, nonce, aad, ref mut io, .. } = *self;
        if let Some(tag) = short::<I, S>(isa, keys, key, direction, nonce, aad, io) {
            *self.tag = tag.to_first();
            return;
        }
        let hash_isa = S::ghash_isa(isa);
        let (first, secrecy) = first_counter::<S::Ghash>(hash_isa, self.key, self.nonce);
        let mut mask =
            CtrPasses::<I, S> { isa, keys, counter: S::counter(isa, &Block::from(first), secrecy) };
        let [mask] = mask.keystream::<1>(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |_| (),
        );

        let hash = absorb_first::<S::Ghash>(hash_isa, self.key, self.aad);
        let lengths = lengths(self.aad.len() as u64, self.io.len() as u64);
        let passes =
            CtrPasses { isa, keys, counter: S::counter(isa, &Block::from(advance(first, 1)), secrecy) };
        let hash = crypt::<I, S>(passes, self.key, hash, self.direction, self.io, Some(&lengths));
        let mask = S::Ghash::first(hash_isa, &first_block::<I, S>(mask));
        *self.tag = (hash.reverse_bytes() ^ mask).to_first();
    }
}

/// The state of a message between two pieces. Its counters pass for secret, whatever the nonce.
#[derive(Clone, Default)]
#[doc(hidden)]
pub struct GcmState {
    /// The first counter block, whose keystream masks the hash.
    first: u128,
    /// The counter block to come.
    pub(crate) counter: u128,
    /// The hash so far, as the kernels hold it.
    hash: [u8; BLOCK],
}

impl Drop for GcmState {
    fn drop(&mut self) {
        // The counters, too: from a nonce that is not 12 bytes long they come by way of the hash key.
        self.first.zeroize();
        self.counter.zeroize();
        wipe(&mut self.hash);
    }
}

/// Starts a message in pieces: the nonce and the associated data.
#[doc(hidden)]
pub struct GcmBegin<'a> {
    pub(crate) key: &'a GhashKey,
    pub(crate) nonce: &'a [u8],
    pub(crate) aad: &'a [u8],
    pub(crate) running: &'a mut GcmState,
}

impl ModeLoop for &mut GcmBegin<'_> {
    type Out = ();

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: Backend<I>>(self, isa: I, _: &S::Keys) {
        let isa = S::ghash_isa(isa);
        let (first, _) = first_counter::<S::Ghash>(isa, self.key, self.nonce);
        let hash = absorb_first::<S::Ghash>(isa, self.key, self.aad).to_first();
        *self.running = GcmState { first, counter: advance(first, 1), hash };
    }
}

/// A piece of a message: whole blocks, unless it is the last.
#[doc(hidden)]
pub struct GcmPiece<'a, 'i, 'o> {
    pub(crate) key: &'a GhashKey,
    pub(crate) direction: Direction,
    pub(crate) running: &'a mut GcmState,
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl ModeLoop for &mut GcmPiece<'_, '_, '_> {
    type Out = ();

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: Backend<I>>(self, isa: I, keys: &S::Keys) {
        let blocks = self.io.len().div_ceil(BLOCK) as u32;
        let passes = CtrPasses {
            isa,
            keys,
            counter: S::counter(isa, &Block::from(self.running.counter), Secrecy::Secret),
        };
        let hash = S::Ghash::first(S::ghash_isa(isa), &self.running.hash);
        self.running.hash = crypt::<I, S>(passes, self.key, hash, self.direction, self.io, None).to_first();
        self.running.counter = advance(self.running.counter, blocks);
    }
}

/// The tag of a message in pieces, from its lengths.
#[doc(hidden)]
pub struct GcmFinish<'a> {
    pub(crate) key: &'a GhashKey,
    pub(crate) running: &'a GcmState,
    /// The part of a block that is not hashed yet.
    pub(crate) tail: &'a [u8],
    pub(crate) aad_len: u64,
    pub(crate) data_len: u64,
    pub(crate) tag: &'a mut [u8; BLOCK],
}

impl ModeLoop for &mut GcmFinish<'_> {
    type Out = ();

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: Backend<I>>(self, isa: I, keys: &S::Keys) {
        let counter = S::counter(isa, &Block::from(self.running.first), Secrecy::Secret);
        let [mask] = CtrPasses::<I, S> { isa, keys, counter }.keystream::<1>(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |_| (),
        );
        let isa = S::ghash_isa(isa);
        let hash = S::Ghash::first(isa, &self.running.hash);
        let hash = absorb(isa, self.key, hash, self.tail, Some(&lengths(self.aad_len, self.data_len)));
        *self.tag = (hash.reverse_bytes() ^ S::Ghash::first(isa, &first_block::<I, S>(mask))).to_first();
    }
}

/// Hashes bytes of ciphertext that were processed elsewhere.
pub(crate) struct GcmHash<'a> {
    pub(crate) key: &'a GhashKey,
    pub(crate) running: &'a mut GcmState,
    pub(crate) data: &'a [u8],
}

impl ModeLoop for GcmHash<'_> {
    type Out = ();

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: Backend<I>>(self, isa: I, _: &S::Keys) {
        let isa = S::ghash_isa(isa);
        let hash = S::Ghash::first(isa, &self.running.hash);
        self.running.hash = absorb(isa, self.key, hash, self.data, None).to_first();
    }
}
