//! The loops of GCM: counter mode and the hash of the ciphertext, in one pass over the data.
//!
//! The hash of one pass's ciphertext is computed between the rounds of another: when encrypting, of the
//! pass before, which is still in the first-level cache; when decrypting, of the same pass. AES rounds
//! and carry-less products use different units of the CPU, so the hash costs little more than the
//! instructions it takes to issue.
//!
//! The input is asked for some passes ahead: the CPU's own prefetchers stop at the end of each page of 4 KiB, and from memory the
//! loops would wait there for more than a pass.

use crate::InOutBuf;
use crate::engine::backend::{Backend, Direction};
use crate::engine::passes::{PassLoop, run_passes, split_up_to};
use crate::ghash::{BLOCK, GhashKey, PASS, Product, absorb, absorb_vector};
use crate::loops::ctr::{CtrPasses, xor};
use abreast_simd::{Blocks, Clmul, Isa, prefetch};

/// Groups of a pass of the main loop: no more blocks than there are powers of the hash key.
const fn depth<I: Isa, S: Backend<I>>() -> usize {
    let most = PASS * BLOCK / S::GROUP;
    if S::INTERLEAVE < most { S::INTERLEAVE } else { most }
}

/// Bytes between a pass and the input that is asked for: some 250 ns of work, longer than memory takes.
// No boundary: nothing but time depends on it.
const AHEAD: usize = 2048;
/// Bytes of a cache line.
// No boundary: nothing but time depends on it.
const LINE: usize = 64;

/// Asks for as many bytes of the input as a pass has, [`AHEAD`] of it. They may be beyond the input's end.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn read_ahead(pass: &[u8]) {
    let mut at = 0;
    while at < pass.len() {
        prefetch(pass.as_ptr().wrapping_add(AHEAD + at));
        at += LINE;
    }
}

/// Counter mode and the hash of the ciphertext, and of a last block if there is one.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn crypt<I: Isa, S: Backend<I>>(
    mut passes: CtrPasses<'_, I, S>,
    key: &GhashKey,
    mut hash: S::Ghash,
    direction: Direction,
    io: &mut InOutBuf<'_, '_, u8>,
    last: Option<&[u8; BLOCK]>,
) -> S::Ghash {
    if !S::Ghash::INSTRUCTIONS {
        return apart::<I, S>(passes, key, hash, direction, io, last);
    }
    let isa = S::ghash_isa(passes.isa);
    let pass = depth::<I, S>() * S::GROUP;
    let done = io.len() - io.len() % pass;
    if done > 0 {
        // A constant block, so that loops of other depths are not compiled.
        match const { depth::<I, S>() } {
            8 => whole_passes::<8, I, S>(&mut passes, key, &mut hash, direction, io),
            4 => whole_passes::<4, I, S>(&mut passes, key, &mut hash, direction, io),
            2 => whole_passes::<2, I, S>(&mut passes, key, &mut hash, direction, io),
            _ => whole_passes::<1, I, S>(&mut passes, key, &mut hash, direction, io),
        }
    }
    if direction == Direction::Decrypt {
        // In place the ciphertext is gone once it is decrypted.
        hash = absorb(isa, key, hash, &io.get_in()[done..], last);
    }
    let (_, rest) = io.reborrow().split_at(done);
    run_passes(depth::<I, S>() / 2, &mut passes, rest);
    if direction == Direction::Encrypt {
        // The last of the whole passes has not been hashed.
        hash = absorb(isa, key, hash, &io.get_out()[done.saturating_sub(pass)..], last);
    }
    hash
}

/// Bytes between two turns of counter mode and hash: they stay in the first-level cache.
pub(crate) const TURN: usize = 4096;

/// Counter mode and the hash in turns, for rounds that have no products beside them. A call, for messages in one piece and in
/// many.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn apart<I: Isa, S: Backend<I>>(
    mut passes: CtrPasses<'_, I, S>,
    key: &GhashKey,
    mut hash: S::Ghash,
    direction: Direction,
    io: &mut InOutBuf<'_, '_, u8>,
    last: Option<&[u8; BLOCK]>,
) -> S::Ghash {
    // A pass counts whole groups: a turn that ended inside one would skip keystream.
    const { assert!(TURN.is_multiple_of(S::INTERLEAVE * S::GROUP)) };
    passes.isa.run(
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || {
            let isa = S::ghash_isa(passes.isa);
            let mut rest = io.reborrow();
            loop {
                let (mut turn, after) = split_up_to(rest, TURN);
                let last = last.filter(|_| after.is_empty());
                if direction == Direction::Decrypt {
                    hash = absorb(isa, key, hash, turn.get_in(), last);
                }
                run_passes(S::INTERLEAVE, &mut passes, turn.reborrow());
                if direction == Direction::Encrypt {
                    hash = absorb(isa, key, hash, turn.get_out(), last);
                }
                if after.is_empty() {
                    return;
                }
                rest = after;
            }
        },
    );
    hash
}

/// The keystream of one pass, and between its rounds the products that hash a pass of ciphertext, from
/// `before` on.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn stitched<const N: usize, I: Isa, S: Backend<I>>(
    passes: &mut CtrPasses<'_, I, S>,
    key: &GhashKey,
    before: S::Ghash,
    ciphertext: &[u8],
) -> ([S::Group; N], Product<S::Ghash>) {
    let isa = S::ghash_isa(passes.isa);
    let vectors = N * S::GROUP / S::Ghash::BYTES;
    let mut product = Product::zero(S::Ghash::splat(isa, &[0; BLOCK]));
    let stream = passes.keystream::<N>(
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        |step| {
            let mut vector = step * vectors / S::STITCHES;
            while vector < (step + 1) * vectors / S::STITCHES {
                // The vector that takes up the hash so far comes last, so that there is time to compute it.
                let at = (vector + 1) % vectors;
                absorb_vector(isa, key, &mut product, before, ciphertext, vectors, at);
                vector += 1;
            }
        },
    );
    (stream, product)
}

/// The main loops, over all whole passes of a buffer. A call, for messages in one piece and in many.
///
/// Decryption hashes each pass's own ciphertext. Encryption hashes that of the pass before, and so leaves
/// the last pass to be hashed.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn whole_passes<const N: usize, I: Isa, S: Backend<I>>(
    passes: &mut CtrPasses<'_, I, S>,
    key: &GhashKey,
    hash: &mut S::Ghash,
    direction: Direction,
    io: &mut InOutBuf<'_, '_, u8>,
) {
    passes.isa.run(
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || {
            passes.isa.align_frame();
            // Copies, which can stay in registers: the loops write memory that might be behind a reference.
            let mut local = CtrPasses { ..*passes };
            *hash = match direction {
                Direction::Encrypt => encrypt_passes::<N, I, S>(&mut local, key, *hash, io.reborrow()),
                Direction::Decrypt => decrypt_passes::<N, I, S>(&mut local, key, *hash, io.reborrow()),
            };
            passes.counter = local.counter;
        },
    );
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn encrypt_passes<const N: usize, I: Isa, S: Backend<I>>(
    passes: &mut CtrPasses<'_, I, S>,
    key: &GhashKey,
    mut hash: S::Ghash,
    mut io: InOutBuf<'_, '_, u8>,
) -> S::Ghash {
    let isa = S::ghash_isa(passes.isa);
    let bytes = N * S::GROUP;
    let mut pending: &[u8] = &[];
    if io.len() >= bytes {
        let (mut pass, rest) = io.split_at(bytes);
        passes.pass::<N, true>(passes.run_keys(), pass.reborrow());
        (pending, io) = (pass.into_out(), rest);
    }
    while io.len() >= bytes {
        let (mut pass, rest) = io.split_at(bytes);
        read_ahead(pass.get_in());
        let (stream, product) = stitched::<N, I, S>(passes, key, hash, &pending[..bytes]);
        xor::<N, true, I, S>(passes.isa, stream, &mut pass);
        hash = product.reduce(isa);
        (pending, io) = (pass.into_out(), rest);
    }
    hash
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn decrypt_passes<const N: usize, I: Isa, S: Backend<I>>(
    passes: &mut CtrPasses<'_, I, S>,
    key: &GhashKey,
    mut hash: S::Ghash,
    mut io: InOutBuf<'_, '_, u8>,
) -> S::Ghash {
    let isa = S::ghash_isa(passes.isa);
    let bytes = N * S::GROUP;
    while io.len() >= bytes {
        let (mut pass, rest) = io.split_at(bytes);
        read_ahead(pass.get_in());
        let (stream, product) = stitched::<N, I, S>(passes, key, hash, &pass.get_in()[..bytes]);
        xor::<N, true, I, S>(passes.isa, stream, &mut pass);
        hash = product.reduce(isa);
        io = rest;
    }
    hash
}
