//! The pairs of blocks that make up most of a message, in two passes (paper, section 4, "AEZ-core").
//!
//! A pair (M, M') becomes W = M + E(1, i) M' and X = M' + E(0, 0) W. When the sum of all X has been turned into
//! S, the pair becomes Y = W + E(2, i) S and Z = X + E(2, i) S, and at last C' = Y + E(0, 0) Z and
//! C = Z + E(1, i) C'. These are five times AES4, ten rounds for a block.
//!
//! Between the passes W and X lie in the output, side by side as vectors and not in the order of their pairs,
//! which spares one permutation each way.

use super::rounds::Rounds;
use super::subkeys::{Subkeys, octets};
use crate::InOutBuf;
use crate::spec::split_up_to;
use abreast_simd::Isa;

/// Pairs whose offsets are made together: eight octets.
const CHUNK: usize = 64;

/// Bytes of a pair.
const PAIR: usize = 32;

/// Up to 64 lanes that count, and as many that do not.
const COUNTING: [u8; 2048] = {
    let mut bytes = [0; 2048];
    let mut i = 0;
    while i < 1024 {
        bytes[i] = 255;
        i += 1;
    }
    bytes
};

/// A vector without the lanes behind the first few.
#[inline(always)]
pub(super) fn first_lanes<I: Isa, R: Rounds<I>>(isa: I, vector: R::Vector, lanes: usize) -> R::Vector {
    R::and(vector, R::load(isa, &COUNTING[1024 - 16 * lanes..][..R::BYTES]))
}

/// The offsets of octets, eight at a time.
pub(super) struct Octets<'k> {
    subkeys: &'k Subkeys,
    later: [[u8; 16]; 8],
    last: u128,
}

impl<'k> Octets<'k> {
    #[inline(always)]
    pub(super) fn new(subkeys: &'k Subkeys) -> Self {
        Self { subkeys, later: [[0; 16]; 8], last: subkeys.last_octet() }
    }

    /// The first eight, or those behind what was taken last.
    #[inline(always)]
    pub(super) fn take(&mut self, first: bool) -> &[[u8; 16]; 8] {
        if first {
            return &self.subkeys.octets;
        }
        self.last = octets(self.last, u128::from_be_bytes(self.subkeys.j), &mut self.later);
        &self.later
    }
}

/// What is done with a vector of pairs.
pub(super) trait Step<I: Isa, O: Rounds<I>> {
    /// Does it with as many pairs as there are in `io`, a vector of them if they are `WHOLE` and otherwise
    /// fewer. Gives what is summed up, anything in lanes that have no pair.
    fn step<R: Rounds<I, One = O>, const WHOLE: bool>(
        &self,
        keys: R::Keys<'_>,
        offsets: R::Vector,
        io: InOutBuf<'_, '_, u8>,
    ) -> R::Vector;
}

/// One pass over the pairs: all steps, and the total of their sums.
#[inline(always)]
pub(super) fn pass<I: Isa, W: Rounds<I>>(
    with: With<'_, I, W>,
    step: &impl Step<I, W::One>,
    mut io: InOutBuf<'_, '_, u8>,
) -> <W::One as Rounds<I>>::Vector {
    let With { isa, subkeys, .. } = with;
    let mut octets = Octets::new(subkeys);
    let (mut first, mut wide_sum) = (true, W::splat(isa, &[0; 16]));
    let mut sum = W::One::splat(isa, &[0; 16]);
    while !io.is_empty() {
        let (mut chunk, rest) = split_up_to(io, CHUNK * PAIR);
        let octets = octets.take(first);
        let mut at = 0;
        while chunk.len() >= 2 * W::BYTES {
            let (part, rest) = chunk.split_at(2 * W::BYTES);
            let offsets = W::offsets(isa, octets, &subkeys.multiples, at);
            wide_sum = W::xor(wide_sum, step.step::<W, true>(with.wide, offsets, part));
            (chunk, at) = (rest, at + W::LANES);
        }
        while chunk.len() >= 2 * W::One::BYTES {
            let (part, rest) = chunk.split_at(2 * W::One::BYTES);
            let offsets = W::One::offsets(isa, octets, &subkeys.multiples, at);
            sum = W::One::xor(sum, step.step::<W::One, true>(with.keys, offsets, part));
            (chunk, at) = (rest, at + W::One::LANES);
        }
        if !chunk.is_empty() {
            let lanes = chunk.len() / PAIR;
            let offsets = W::One::offsets(isa, octets, &subkeys.multiples, at);
            let last = step.step::<W::One, false>(with.keys, offsets, chunk);
            sum = W::One::xor(sum, first_lanes::<I, W::One>(isa, last, lanes));
        }
        (io, first) = (rest, false);
    }
    W::One::total(isa, W::One::xor(sum, W::fold(wide_sum)))
}

/// The first pass: W and X, and the sum of X. If it does not `KEEP` them, it leaves the output alone.
pub(super) struct First<'k, I, const KEEP: bool> {
    pub(super) isa: I,
    pub(super) subkeys: &'k Subkeys,
}

impl<I: Isa, const KEEP: bool> First<'_, I, KEEP> {
    /// W and X of some pairs.
    #[inline(always)]
    fn mixed<R: Rounds<I>, const WHOLE: bool>(
        &self,
        keys: R::Keys<'_>,
        offsets: R::Vector,
        src: &[u8],
    ) -> (R::Vector, R::Vector) {
        let (left, right) = R::load_pairs::<WHOLE>(self.isa, src);
        let w = R::aes4(self.isa, keys, R::xor(right, offsets), left);
        let i = R::splat(self.isa, &self.subkeys.i);
        (w, R::aes4(self.isa, keys, R::xor(w, i), right))
    }
}

impl<I: Isa, O: Rounds<I>, const KEEP: bool> Step<I, O> for First<'_, I, KEEP> {
    #[inline(always)]
    fn step<R: Rounds<I, One = O>, const WHOLE: bool>(
        &self,
        keys: R::Keys<'_>,
        offsets: R::Vector,
        mut io: InOutBuf<'_, '_, u8>,
    ) -> R::Vector {
        let (w, x) = self.mixed::<R, WHOLE>(keys, offsets, io.get_in());
        if KEEP {
            let dst = io.get_out();
            if WHOLE {
                R::store(w, &mut dst[..R::BYTES]);
                R::store(x, &mut dst[R::BYTES..2 * R::BYTES]);
            } else {
                let (for_w, for_x) = dst.split_at_mut(dst.len() / 2);
                R::store_partial(w, for_w);
                R::store_partial(x, for_x);
            }
        }
        x
    }
}

/// The second pass, from W and X in the output or, if they were not `KEPT`, from the input: the ciphertext,
/// and the sum of Y.
pub(super) struct Second<'k, I: Isa, O: Rounds<I>, const KEPT: bool> {
    pub(super) first: First<'k, I, KEPT>,
    /// The sum of S and what takes an offset with J to one with 2 J.
    pub(super) s: O::Vector,
}

impl<I: Isa, O: Rounds<I>, const KEPT: bool> Step<I, O> for Second<'_, I, O, KEPT> {
    #[inline(always)]
    fn step<R: Rounds<I, One = O>, const WHOLE: bool>(
        &self,
        keys: R::Keys<'_>,
        offsets: R::Vector,
        mut io: InOutBuf<'_, '_, u8>,
    ) -> R::Vector {
        let isa = self.first.isa;
        let (w, x) = if !KEPT {
            self.first.mixed::<R, WHOLE>(keys, offsets, io.get_in())
        } else if WHOLE {
            let src = io.get_out();
            (R::load(isa, &src[..R::BYTES]), R::load(isa, &src[R::BYTES..2 * R::BYTES]))
        } else {
            let src = io.get_out();
            let (of_w, of_x) = src.split_at(src.len() / 2);
            (R::load_partial(isa, of_w), R::load_partial(isa, of_x))
        };
        let y = R::aes4(isa, keys, R::xor(R::widen(self.s), offsets), w);
        let z = R::xor(y, R::xor(w, x));
        let i = R::splat(isa, &self.first.subkeys.i);
        let right = R::aes4(isa, keys, R::xor(z, i), y);
        let left = R::aes4(isa, keys, R::xor(right, offsets), z);
        R::store_pairs::<WHOLE>(isa, left, right, io.get_out());
        y
    }
}

/// What every function here is given: the key at an instruction set.
pub(super) struct With<'k, I: Isa, W: Rounds<I>> {
    pub(super) isa: I,
    pub(super) subkeys: &'k Subkeys,
    /// The round keys for wide vectors.
    pub(super) wide: W::Keys<'k>,
    /// The round keys for those of one register.
    pub(super) keys: <W::One as Rounds<I>>::Keys<'k>,
}

impl<I: Isa, W: Rounds<I>> Clone for With<'_, I, W> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<I: Isa, W: Rounds<I>> Copy for With<'_, I, W> {}
