//! The pairs of blocks that make up most of a message, in two passes (paper, section 4, "AEZ-core").
//!
//! A pair (M, M') becomes W = M + E(1, i) M' and X = M' + E(0, 0) W. When the sum of all X has been turned into
//! S, the pair becomes Y = W + E(2, i) S and Z = X + E(2, i) S, and at last C' = Y + E(0, 0) Z and
//! C = Z + E(1, i) C'. These are five times AES4, ten rounds for a block.
//!
//! Between the passes W and X lie in the output, side by side as vectors and not in the order of their pairs,
//! which spares one permutation each way.

use super::rounds::AezVectors;
use super::subkeys::{AezSubkeys, octets};
use crate::InOutBuf;
use crate::masks::first_bytes;
use abreast_simd::Isa;

/// Tweaks whose offsets are made together: eight octets.
pub(crate) const TWEAKS: usize = 64;

/// A vector without the lanes after the first few.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn first_lanes<I: Isa, R: AezVectors<I>>(isa: I, vector: R::Vector, lanes: usize) -> R::Vector {
    R::and(vector, R::load(isa, first_bytes(16 * lanes, R::BYTES)))
}

/// The offsets of tweaks (1, 1), (1, 2), .., a vector at a time.
pub(crate) struct Octets<'k> {
    subkeys: &'k AezSubkeys,
    /// The multiples of eight octets, from the second eight on.
    later: [[u8; 16]; 8],
    /// The last of these, without J.
    last: u128,
    /// True while these are the first eight, which are kept with the key.
    first: bool,
    /// The number of tweaks taken of these.
    at: usize,
}

impl<'k> Octets<'k> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn new(subkeys: &'k AezSubkeys) -> Self {
        Self { subkeys, later: [[0; 16]; 8], last: 0, first: true, at: 0 }
    }

    /// Returns the offsets of the next vector, which has as many left of its eight octets.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn offsets<I: Isa, R: AezVectors<I>>(&self, isa: I) -> R::Vector {
        let octets = if self.first { &self.subkeys.octets } else { &self.later };
        R::offsets(isa, octets, &self.subkeys.multiples, self.at)
    }

    /// Advances by a number of tweaks, all of which lie in the current eight octets.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn advance(&mut self, tweaks: usize) {
        self.at += tweaks;
        if self.at == TWEAKS {
            self.go_on();
        }
    }

    /// The next eight octets.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn go_on(&mut self) {
        if self.first {
            self.last = self.subkeys.last_octet();
        }
        self.last = octets(self.last, u128::from_be_bytes(*self.subkeys.j()), &mut self.later);
        (self.first, self.at) = (false, 0);
    }
}

/// The first step: W and X of pairs. All pairs have I as the offset of E(0, 0).
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn mixed<I: Isa, R: AezVectors<I>>(
    isa: I,
    keys: R::Keys<'_>,
    i: R::Vector,
    offsets: R::Vector,
    left: R::Vector,
    right: R::Vector,
) -> (R::Vector, R::Vector) {
    let w = R::aes4(isa, keys, R::xor(right, offsets), left);
    (w, R::aes4(isa, keys, R::xor(w, i), right))
}

/// The second step: from W and X to the ciphertext and Y. `s` is S plus the difference between an offset with J
/// and one with 2 J.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn separated<I: Isa, R: AezVectors<I>>(
    isa: I,
    keys: R::Keys<'_>,
    i: R::Vector,
    offsets: R::Vector,
    s: R::Vector,
    w: R::Vector,
    x: R::Vector,
) -> (R::Vector, R::Vector, R::Vector) {
    let y = R::aes4(isa, keys, R::xor(s, offsets), w);
    let z = R::xor(y, R::xor(w, x));
    let right = R::aes4(isa, keys, R::xor(z, i), y);
    (R::aes4(isa, keys, R::xor(right, offsets), z), right, y)
}

/// The first step on pairs in memory.
#[derive(Clone, Copy)]
pub(crate) struct First<'k, I> {
    pub(crate) isa: I,
    pub(crate) subkeys: &'k AezSubkeys,
}

impl<I: Isa> First<'_, I> {
    /// W and X of a vector of pairs if they are `WHOLE`, or of fewer.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn mixed<R: AezVectors<I>, const WHOLE: bool>(
        &self,
        keys: R::Keys<'_>,
        offsets: R::Vector,
        src: &[u8],
    ) -> (R::Vector, R::Vector) {
        let (left, right) = R::load_pairs::<WHOLE>(self.isa, src);
        mixed::<I, R>(self.isa, keys, R::splat(self.isa, self.subkeys.i()), offsets, left, right)
    }
}

/// The second step to memory.
#[derive(Clone, Copy)]
pub(crate) struct Second<'k, I: Isa, O: AezVectors<I>> {
    pub(crate) isa: I,
    pub(crate) subkeys: &'k AezSubkeys,
    /// See [`separated`](fn@separated).
    pub(crate) s: O::Vector,
}

impl<I: Isa, O: AezVectors<I>> Second<'_, I, O> {
    /// From W and X of some pairs to their ciphertext, and Y.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn separated<R: AezVectors<I, One = O>, const WHOLE: bool>(
        &self,
        keys: R::Keys<'_>,
        offsets: R::Vector,
        (w, x): (R::Vector, R::Vector),
        dst: &mut [u8],
    ) -> R::Vector {
        let isa = self.isa;
        let (i, s) = (R::splat(isa, self.subkeys.i()), R::widen(self.s));
        let (left, right, y) = separated::<I, R>(isa, keys, i, offsets, s, w, x);
        R::store_pairs::<WHOLE>(isa, left, right, dst);
        y
    }
}

/// The first pass over pairs that fill wide vectors: W and X in the output, and the sum of X. Leaves `octets`
/// after them. A call.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn first_pass<I: Isa, W: AezVectors<I>>(
    with: With<'_, I, W>,
    octets: &mut Octets<'_>,
    mut io: InOutBuf<'_, '_, u8>,
) -> [u8; 16] {
    with.isa.run(
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || {
            let With { isa, subkeys, .. } = with;
            let first = First { isa, subkeys };
            let keys = with.keys::<W>();
            let mut sum = W::splat(isa, &[0; 16]);
            while !io.is_empty() {
                let (mut part, rest) = io.split_at(2 * W::BYTES);
                let (w, x) = first.mixed::<W, true>(keys, octets.offsets::<I, W>(isa), part.get_in());
                let dst = part.get_out();
                W::store(w, &mut dst[..W::BYTES]);
                W::store(x, &mut dst[W::BYTES..]);
                sum = W::xor(sum, x);
                octets.advance(W::LANES);
                io = rest;
            }
            W::One::to_first(W::One::total(isa, W::fold(sum)))
        },
    )
}

/// The second pass over the same pairs, from W and X to the ciphertext, and the sum of Y. A call.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn second_pass<I: Isa, W: AezVectors<I>>(
    with: With<'_, I, W>,
    s: &[u8; 16],
    buffer: &mut [u8],
) -> [u8; 16] {
    with.isa.run(
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || {
            let With { isa, subkeys, .. } = with;
            let second = Second::<_, W::One> { isa, subkeys, s: W::One::splat(isa, s) };
            let keys = with.keys::<W>();
            let mut octets = Octets::new(subkeys);
            let mut sum = W::splat(isa, &[0; 16]);
            for part in buffer.chunks_exact_mut(2 * W::BYTES) {
                let pairs = (W::load(isa, &part[..W::BYTES]), W::load(isa, &part[W::BYTES..]));
                let y = second.separated::<W, true>(keys, octets.offsets::<I, W>(isa), pairs, part);
                sum = W::xor(sum, y);
                octets.advance(W::LANES);
            }
            W::One::to_first(W::One::total(isa, W::fold(sum)))
        },
    )
}

/// The key at an instruction set, an argument of every function here. It holds no vectors, so that it can
/// be handed to a call.
pub(crate) struct With<'k, I: Isa, W: AezVectors<I>> {
    pub(crate) isa: I,
    pub(crate) subkeys: &'k AezSubkeys,
    pub(crate) kept: &'k W::Kept,
}

impl<'k, I: Isa, W: AezVectors<I>> With<'k, I, W> {
    /// The round keys.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn keys<R: AezVectors<I, Kept = W::Kept>>(self) -> R::Keys<'k> {
        R::keys(self.isa, self.subkeys, self.kept)
    }
}

impl<I: Isa, W: AezVectors<I>> Clone for With<'_, I, W> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<I: Isa, W: AezVectors<I>> Copy for With<'_, I, W> {}
