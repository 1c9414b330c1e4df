//! AEZ-core: what becomes of a message and its tag, at least 32 bytes together (paper, section 4).
//!
//! The last two blocks, x and y, and up to 31 bytes before them, u and v, take a way of their own, on which
//! everything waits for what was before: a chain of 28 rounds beside two passes over the pairs. It is written
//! over vectors whose lanes are one message all alike, or a message each.

use super::pairs::{First, Second, With, pass};
use super::rounds::Rounds;
use super::subkeys::Subkeys;
use super::text::Text;
use crate::modes::Direction;
use abreast_simd::Isa;

/// Where the lanes of a vector have their constants from.
pub(super) trait Constants<V> {
    /// A block of the subkeys of each lane.
    fn of(&self, block: impl for<'k> Fn(&'k Subkeys) -> &'k [u8; 16]) -> V;
}

impl<I: Isa, W: Rounds<I>> Constants<<W::One as Rounds<I>>::Vector> for With<'_, I, W> {
    #[inline(always)]
    fn of(&self, block: impl for<'k> Fn(&'k Subkeys) -> &'k [u8; 16]) -> <W::One as Rounds<I>>::Vector {
        W::One::splat(self.isa, block(self.subkeys))
    }
}

/// One of the two blocks before the last, which need not be whole.
#[derive(Clone, Copy)]
pub(super) struct Part<V> {
    /// The block, padded if it is not whole.
    pub(super) block: V,
    /// Its bytes, without the padding.
    pub(super) kept: V,
    /// Its padding.
    pub(super) padding: V,
    /// All ones where there is one, zero where there is none.
    pub(super) present: V,
}

/// What is not pairs.
#[derive(Clone, Copy)]
pub(super) struct Ends<V> {
    /// The hash of what comes with the message.
    pub(super) delta: V,
    /// The last blocks.
    pub(super) x: V,
    pub(super) y: V,
    /// The blocks before them, where any lane has them.
    pub(super) u: Option<Part<V>>,
    pub(super) v: Option<Part<V>>,
}

/// What is known between the two passes.
#[derive(Clone, Copy)]
pub(super) struct Middle<V> {
    x: V,
    y: V,
    /// The sum that the second pass is about.
    pub(super) s: V,
}

/// What becomes of the ends.
pub(super) struct Enciphered<V> {
    pub(super) u: V,
    pub(super) v: V,
    pub(super) x: V,
    pub(super) y: V,
}

/// The constants for one lane or for many, the round keys, and the direction.
pub(super) struct Lanes<'k, 'c, I: Isa, R: Rounds<I>, C> {
    pub(super) isa: I,
    pub(super) keys: R::Keys<'k>,
    pub(super) constants: &'c C,
    pub(super) direction: Direction,
}

impl<I: Isa, R: Rounds<I>, C: Constants<R::Vector>> Lanes<'_, '_, I, R, C> {
    /// The offset of the tweak (-1, i), 0 < i < 8.
    #[inline(always)]
    fn multiple(&self, i: usize) -> R::Vector {
        self.constants.of(
            #[inline(always)]
            |subkeys| &subkeys.multiples[i - 1],
        )
    }

    /// E with the tweak (0, i), 0 < i < 8, and the sum with `add`.
    #[inline(always)]
    fn e(&self, i: usize, x: R::Vector, add: R::Vector) -> R::Vector {
        let i_2 = self.constants.of(
            #[inline(always)]
            |subkeys| &subkeys.i_2,
        );
        R::aes4(self.isa, self.keys, R::xor(x, R::xor(i_2, self.multiple(i))), add)
    }

    /// E with the tweak (0, i) of a part, where there is one.
    #[inline(always)]
    fn e_of(&self, i: usize, block: R::Vector, part: &Part<R::Vector>) -> R::Vector {
        R::and(self.e(i, block, R::splat(self.isa, &[0; 16])), part.present)
    }

    /// The tweaks of the first half and of the second.
    #[inline(always)]
    fn tweaks(&self) -> (usize, usize) {
        if self.direction == Direction::Encrypt { (1, 2) } else { (2, 1) }
    }

    /// From the sum of the first pass to that which the second is about.
    #[inline(always)]
    pub(super) fn middle(&self, ends: &Ends<R::Vector>, mut sum: R::Vector) -> Middle<R::Vector> {
        let (first, _) = self.tweaks();
        if let Some(u) = &ends.u {
            sum = R::xor(sum, self.e_of(4, u.block, u));
        }
        if let Some(v) = &ends.v {
            sum = R::xor(sum, self.e_of(5, v.block, v));
        }
        let early = self.e(first, ends.y, R::xor(ends.x, ends.delta));
        let x = R::xor(early, sum);
        let input = R::xor(R::xor(early, self.multiple(first)), sum);
        let y = R::aes10(self.isa, self.keys, input, ends.y);
        Middle { x, y, s: R::xor(x, y) }
    }

    /// From the sum of the second pass to the end.
    #[inline(always)]
    pub(super) fn finish(
        &self,
        ends: &Ends<R::Vector>,
        middle: Middle<R::Vector>,
        mut sum: R::Vector,
    ) -> Enciphered<R::Vector> {
        let (_, second) = self.tweaks();
        let y = R::aes10(self.isa, self.keys, R::xor(middle.y, self.multiple(second)), middle.x);
        let (mut u, mut v) = (y, y);
        if let Some(part) = &ends.u {
            u = self.part(4, part, middle.s);
            sum = R::xor(sum, self.e_of(4, u, part));
        }
        if let Some(part) = &ends.v {
            v = self.part(5, part, middle.s);
            sum = R::xor(sum, self.e_of(5, v, part));
        }
        let x = R::xor(self.e(second, y, R::xor(middle.y, ends.delta)), sum);
        Enciphered { u, v, x, y }
    }

    /// A part with the keystream of its tweak, padded again.
    #[inline(always)]
    fn part(&self, i: usize, part: &Part<R::Vector>, s: R::Vector) -> R::Vector {
        let sum = R::aes10(self.isa, self.keys, R::xor(s, self.multiple(i)), part.block);
        R::xor(R::and(sum, part.kept), part.padding)
    }
}

/// Bytes in front of which there is a window of `n` ones for every n up to 16.
const KEPT: [u8; 32] = {
    let mut bytes = [0; 32];
    let mut i = 0;
    while i < 16 {
        bytes[i] = 255;
        i += 1;
    }
    bytes
};
/// The same for a single bit behind `n` bytes.
const PADDING: [u8; 33] = {
    let mut bytes = [0; 33];
    bytes[16] = 0x80;
    bytes
};

/// Sixteen bytes of a table.
#[inline(always)]
fn window(table: &[u8], at: usize) -> &[u8; 16] {
    table[at..].first_chunk().unwrap_or(&[0; 16])
}

/// The first `n` bytes of a block, n at most 16.
#[inline(always)]
pub(super) fn kept(n: usize) -> &'static [u8; 16] {
    window(&KEPT, 16 - n)
}

/// The padding behind `n` bytes; none behind 16.
#[inline(always)]
pub(super) fn padding(n: usize) -> &'static [u8; 16] {
    if n < 16 { window(&PADDING, 16 - n) } else { &[0; 16] }
}

/// Enciphers or deciphers a text of at least 32 bytes.
#[inline(always)]
pub(super) fn encipher<I: Isa, W: Rounds<I>>(
    with: With<'_, I, W>,
    delta: <W::One as Rounds<I>>::Vector,
    direction: Direction,
    text: &mut Text<'_, '_, '_>,
) {
    let With { isa, subkeys, keys, .. } = with;
    let ends = text.len() - 32;
    let pairs = ends - ends % 32;
    let before = Ends {
        delta,
        x: W::One::splat(isa, text.block(ends).as_bytes()),
        y: W::One::splat(isa, text.block(ends + 16).as_bytes()),
        u: (ends > pairs).then(
            #[inline(always)]
            || part(with, text, pairs, ends),
        ),
        v: (ends >= pairs + 16).then(
            #[inline(always)]
            || part(with, text, pairs + 16, ends),
        ),
    };
    let lanes: Lanes<'_, '_, I, W::One, _> = Lanes { isa, keys, constants: &with, direction };
    let first = First::<_, true> { isa, subkeys };
    let sum = pass(with, &first, text.front(pairs));
    let middle = lanes.middle(&before, sum);
    let s = W::One::xor(middle.s, W::One::splat(isa, &subkeys.j_3));
    let sum = pass(with, &Second { first, s }, text.front(pairs));
    let after = lanes.finish(&before, middle, sum);
    text.store::<I, W::One>(pairs, (ends - pairs).min(16), after.u);
    text.store::<I, W::One>(pairs + 16, (ends - pairs).saturating_sub(16), after.v);
    text.store::<I, W::One>(ends, 16, after.x);
    text.store::<I, W::One>(ends + 16, 16, after.y);
}

/// A part of the input, what there is between `at` and `end`.
#[inline(always)]
fn part<I: Isa, W: Rounds<I>>(
    with: With<'_, I, W>,
    text: &Text<'_, '_, '_>,
    at: usize,
    end: usize,
) -> Part<<W::One as Rounds<I>>::Vector> {
    let isa = with.isa;
    let len = (end - at).min(16);
    let padding = W::One::splat(isa, padding(len));
    Part {
        block: W::One::xor(W::One::splat(isa, text.part(at, len).as_bytes()), padding),
        kept: W::One::splat(isa, kept(len)),
        padding,
        present: W::One::splat(isa, &[255; 16]),
    }
}
