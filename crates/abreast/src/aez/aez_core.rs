//! AEZ-core: enciphering and deciphering of a message with its tag, at least 32 bytes together (paper, section 4).
//!
//! The last two blocks, x and y, and up to 31 bytes before them, u and v, form a serial chain of 28 rounds
//! beside the two passes over the pairs. The code works on vectors whose lanes all belong to one message, or
//! to a message each.

use super::pairs::{First, Octets, Second, With, first_lanes, first_pass, mixed, second_pass, separated};
use super::rounds::AezVectors;
use super::subkeys::AezSubkeys;
use super::text::Text;
use crate::InOutBuf;
use crate::engine::backend::Direction;
use crate::masks::first_bytes;
use abreast_simd::{Block, Isa};

/// The narrowest vector beside another one.
type Narrow<I, W> = <<W as AezVectors<I>>::One as AezVectors<I>>::Vector;

/// The source of the constants in each lane of a vector.
pub(crate) trait SubkeySource<V> {
    /// A block of the subkeys of each lane.
    fn of(&self, block: impl for<'k> Fn(&'k AezSubkeys) -> &'k [u8; 16]) -> V;
    /// Two of them.
    fn two(&self, blocks: impl for<'k> Fn(&'k AezSubkeys) -> &'k [[u8; 16]; 2]) -> (V, V);
}

/// The summands of a tweak.
#[derive(Clone, Copy)]
pub(crate) struct Tweak<V> {
    /// The offset of (0, i).
    offset: V,
    /// The offset of (-1, i).
    multiple: V,
}

/// The tweak of a number from 1 to 7.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn tweak<V>(constants: &impl SubkeySource<V>, i: usize) -> Tweak<V> {
    let (offset, multiple) = constants.two(
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        |subkeys| &subkeys.tweaks[i - 1],
    );
    Tweak { offset, multiple }
}

impl<I: Isa, W: AezVectors<I>> SubkeySource<<W::One as AezVectors<I>>::Vector> for With<'_, I, W> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn of(
        &self,
        block: impl for<'k> Fn(&'k AezSubkeys) -> &'k [u8; 16],
    ) -> <W::One as AezVectors<I>>::Vector {
        W::One::first(self.isa, block(self.subkeys))
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn two(
        &self,
        blocks: impl for<'k> Fn(&'k AezSubkeys) -> &'k [[u8; 16]; 2],
    ) -> (<W::One as AezVectors<I>>::Vector, <W::One as AezVectors<I>>::Vector) {
        let [first, second] = blocks(self.subkeys);
        (W::One::first(self.isa, first), W::One::first(self.isa, second))
    }
}

/// One of the two blocks before the last, which need not be whole.
#[derive(Clone, Copy)]
#[allow(clippy::large_enum_variant, reason = "the larger one is what is to be fast")]
pub(crate) enum PartialBlock<V> {
    /// With bytes in any lane.
    Filled(Filled<V>),
    /// Padding alone, of which this is E. That is the usual end: of 32 bytes, 64, ..
    Padding(V),
}

/// The state of a block with bytes.
#[derive(Clone, Copy)]
pub(crate) struct Filled<V> {
    /// The block, padded if it is not whole.
    pub(crate) block: V,
    /// Its bytes, without the padding.
    pub(crate) kept: V,
    /// Its padding.
    pub(crate) padding: V,
    /// All ones where there is one, zero where there is none, if it is not everywhere.
    pub(crate) present: Option<V>,
    /// The tweak, (.., 4) of the first and (.., 5) of the second.
    pub(crate) tweak: Tweak<V>,
}

/// Both of them, where any lane has them.
#[derive(Clone, Copy)]
pub(crate) struct PartialBlocks<V> {
    pub(crate) u: Option<PartialBlock<V>>,
    pub(crate) v: Option<PartialBlock<V>>,
}

/// The hash of the header, and the last two blocks x and y (paper, section 4, "AEZ-core").
#[derive(Clone, Copy)]
pub(crate) struct Ends<V> {
    /// The hash of the header.
    pub(crate) delta: V,
    /// The last blocks.
    pub(crate) x: V,
    pub(crate) y: V,
}

/// The state before the first pass.
#[derive(Clone, Copy)]
pub(crate) struct Early<V> {
    /// To be added to the sum of the pass.
    sum: V,
    /// The offset of the encryption that follows the pass.
    multiple: V,
}

/// The state between the two passes.
#[derive(Clone, Copy)]
pub(crate) struct Middle<V> {
    x: V,
    y: V,
    /// The sum that the second pass is about.
    pub(crate) s: V,
}

/// The results for the last blocks.
#[derive(Clone, Copy)]
pub(crate) struct Enciphered<V> {
    pub(crate) u: V,
    pub(crate) v: V,
    /// To be added to the sum of the second pass.
    pub(crate) x: V,
    pub(crate) y: V,
}

/// The constants for one lane or for many, the round keys, and the direction.
pub(crate) struct LaneSource<'k, 'c, I: Isa, R: AezVectors<I>, C> {
    pub(crate) isa: I,
    pub(crate) keys: R::Keys<'k>,
    pub(crate) constants: &'c C,
    pub(crate) direction: Direction,
}

impl<I: Isa, R: AezVectors<I>, C: SubkeySource<R::Vector>> LaneSource<'_, '_, I, R, C> {
    /// E with the offset of a tweak (0, i), and the sum with `add`.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn e(&self, tweak: &Tweak<R::Vector>, x: R::Vector, add: R::Vector) -> R::Vector {
        R::aes4(self.isa, self.keys, R::xor(x, tweak.offset), add)
    }

    /// E of a block in the place of a part, and the sum with `add`.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn e_of(&self, part: &Filled<R::Vector>, block: R::Vector, add: R::Vector) -> R::Vector {
        match part.present {
            None => self.e(&part.tweak, block, add),
            Some(present) => {
                let e = self.e(&part.tweak, block, R::splat(self.isa, &[0; 16]));
                R::xor(add, R::and(e, present))
            }
        }
    }

    /// A partial block before the first pass: `add` XORed with E of it.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn begin_part(&self, part: &Option<PartialBlock<R::Vector>>, add: R::Vector) -> R::Vector {
        match part {
            None => add,
            Some(PartialBlock::Padding(e)) => R::xor(add, *e),
            Some(PartialBlock::Filled(part)) => self.e_of(part, part.block, add),
        }
    }

    /// A partial block after the first pass: XORs AES10 of S and its tweak into it and pads it again (10*). Gives the
    /// block, and `add` XORed with E of it if it has any bytes.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn finish_part(
        &self,
        part: &Option<PartialBlock<R::Vector>>,
        s: R::Vector,
        add: R::Vector,
    ) -> (R::Vector, R::Vector) {
        match part {
            None => (s, add),
            Some(PartialBlock::Padding(e)) => (s, R::xor(add, *e)),
            Some(PartialBlock::Filled(part)) => {
                let sum = R::aes10(self.isa, self.keys, R::xor(s, part.tweak.multiple), part.block);
                let block = R::xor(R::and(sum, part.kept), part.padding);
                (block, self.e_of(part, block, add))
            }
        }
    }

    /// The tweaks of the first half and of the second.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn tweaks(&self) -> (usize, usize) {
        if self.direction == Direction::Encrypt { (1, 2) } else { (2, 1) }
    }

    /// Computes before the first pass everything that does not depend on it: a long pass fills the CPU's
    /// reorder buffer, so that anything after it would start only near its end. The partial blocks come first: the
    /// branches on whether they exist are cheapest while nothing else is in registers.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn begin(
        &self,
        parts: &PartialBlocks<R::Vector>,
        ends: impl FnOnce() -> Ends<R::Vector>,
    ) -> (Early<R::Vector>, Ends<R::Vector>) {
        let sum = self.begin_part(&parts.u, R::splat(self.isa, &[0; 16]));
        let sum = self.begin_part(&parts.v, sum);
        let ends = ends();
        let (first, _) = self.tweaks();
        let tweak = tweak(self.constants, first);
        let sum = self.e(&tweak, ends.y, R::xor(R::xor(ends.x, ends.delta), sum));
        (Early { sum, multiple: tweak.multiple }, ends)
    }

    /// From the sum of the first pass to that which the second is about.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn middle(
        &self,
        ends: &Ends<R::Vector>,
        early: Early<R::Vector>,
        sum: R::Vector,
    ) -> Middle<R::Vector> {
        let x = R::xor(early.sum, sum);
        let input = R::xor(R::xor(early.sum, early.multiple), sum);
        let y = R::aes10(self.isa, self.keys, input, ends.y);
        Middle { x, y, s: R::xor(x, y) }
    }

    /// All but the sum of the second pass, which this does not wait for either.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn finish(
        &self,
        parts: &PartialBlocks<R::Vector>,
        ends: &Ends<R::Vector>,
        middle: Middle<R::Vector>,
    ) -> Enciphered<R::Vector> {
        let (_, second) = self.tweaks();
        let tweak = tweak(self.constants, second);
        let y = R::aes10(self.isa, self.keys, R::xor(middle.y, tweak.multiple), middle.x);
        let x = self.e(&tweak, y, R::xor(middle.y, ends.delta));
        let (u, x) = self.finish_part(&parts.u, middle.s, x);
        let (v, x) = self.finish_part(&parts.v, middle.s, x);
        Enciphered { u, v, x, y }
    }
}

/// A window of which, `n` bytes from its beginning, has a single bit after `n` bytes.
const PADDING: [u8; 33] = {
    let mut bytes = [0; 33];
    bytes[16] = 0x80;
    bytes
};

/// Sixteen bytes of a table.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn window(table: &[u8], at: usize) -> &[u8; 16] {
    table[at..].first_chunk().unwrap_or(&[0; 16])
}

/// The first `n` bytes of a block, n at most 16.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn kept(n: usize) -> &'static [u8; 16] {
    first_bytes(n, 16).first_chunk().unwrap_or(&[0; 16])
}

/// The padding after `n` bytes; none after 16.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn padding(n: usize) -> &'static [u8; 16] {
    if n < 16 { window(&PADDING, 16 - n) } else { &[0; 16] }
}

/// Enciphers or deciphers a text of at least 32 bytes.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn encipher<I: Isa, W: AezVectors<I>>(
    with: With<'_, I, W>,
    delta: &[u8; 16],
    direction: Direction,
    text: &mut Text<'_, '_, '_>,
) {
    let isa = with.isa;
    let len = text.len() - 32;
    let pairs = len - len % 32;
    let keys = with.keys::<W::One>();
    let lanes: LaneSource<'_, '_, I, W::One, _> = LaneSource { isa, keys, constants: &with, direction };
    let (x, y) = text.last_blocks::<I, W::One>(isa);
    let parts = &text.io.get_in()[pairs..len];
    let (u, v) = parts.split_at(parts.len().min(16));
    let parts = PartialBlocks {
        u: (!u.is_empty()).then(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            || part(with, 4, u),
        ),
        v: (u.len() == 16).then(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            || part(with, 5, v),
        ),
    };
    let ends = Ends { delta: W::One::first(isa, delta), x, y };
    let io = text.io.reborrow().split_at(pairs).0;
    let (after, sum) = match pairs % (2 * W::BYTES) {
        _ if pairs == 0 => {
            let zero = W::One::first(isa, &[0; 16]);
            let (early, ends) = lanes.begin(
                &parts,
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                || ends,
            );
            (lanes.finish(&parts, &ends, lanes.middle(&ends, early, zero)), zero)
        }
        _ if pairs == 32 => around_one(with, &lanes, &parts, &ends, io),
        0 => around::<I, W, W::One, false>(with, &lanes, &parts, &ends, io),
        rest if rest <= 2 * W::One::BYTES => around::<I, W, W::One, true>(with, &lanes, &parts, &ends, io),
        _ => around::<I, W, W, true>(with, &lanes, &parts, &ends, io),
    };
    if len > pairs {
        let parts = &mut text.io.get_out()[pairs..len];
        let (u, v) = parts.split_at_mut(parts.len().min(16));
        W::One::store_partial(after.u, u);
        W::One::store_partial(after.v, v);
    }
    text.set_last_blocks::<I, W::One>(W::One::xor(after.x, sum), after.y);
}

/// Does all work around the two passes over the pairs, and in them the pairs that do not fill a wide vector, if
/// there is such a `REST`, which fits one of `R` and stays in registers. Returns the new ends, and the sum to
/// be added to the first of the last two blocks.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn around<I: Isa, W: AezVectors<I>, R: AezVectors<I, One = W::One, Kept = W::Kept>, const REST: bool>(
    with: With<'_, I, W>,
    lanes: &LaneSource<'_, '_, I, W::One, With<'_, I, W>>,
    parts: &PartialBlocks<Narrow<I, W>>,
    ends: &Ends<Narrow<I, W>>,
    io: InOutBuf<'_, '_, u8>,
) -> (Enciphered<Narrow<I, W>>, Narrow<I, W>) {
    let With { isa, subkeys, .. } = with;
    let (early, ends) = &lanes.begin(
        parts,
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || *ends,
    );
    let whole = io.len() - io.len() % (2 * W::BYTES);
    let (mut whole, mut rest) = io.split_at(whole);
    let mut octets = Octets::new(subkeys);
    let mut sum = W::One::first(isa, &[0; 16]);
    if !whole.is_empty() {
        let block = first_pass(with, &mut octets, whole.reborrow());
        sum = W::One::first(isa, &block);
    }
    let (keys, count) = (with.keys::<R>(), rest.len() / 32);
    let offsets = octets.offsets::<I, R>(isa);
    let pairs = if REST {
        First { isa, subkeys }.mixed::<R, false>(keys, offsets, rest.get_in())
    } else {
        (offsets, offsets)
    };
    if REST {
        let total = W::One::total(isa, R::fold(first_lanes::<I, R>(isa, pairs.1, count)));
        sum = W::One::xor(sum, total);
    }

    let middle = lanes.middle(ends, *early, sum);
    let after = lanes.finish(parts, ends, middle);
    let s = W::One::broadcast(isa, W::One::xor(middle.s, W::One::first(isa, &subkeys.j_3)));

    sum = W::One::first(isa, &[0; 16]);
    if !whole.is_empty() {
        let s = W::One::to_first(s);
        let block = second_pass(with, &s, whole.get_out());
        sum = W::One::first(isa, &block);
    }
    if REST {
        let second = Second::<_, W::One> { isa, subkeys, s };
        let y = second.separated::<R, false>(keys, offsets, pairs, rest.get_out());
        let total = W::One::total(isa, R::fold(first_lanes::<I, R>(isa, y, count)));
        sum = W::One::xor(sum, total);
    }
    (after, sum)
}

/// Enciphers around a single pair, which needs the first lane alone.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn around_one<I: Isa, W: AezVectors<I>>(
    with: With<'_, I, W>,
    lanes: &LaneSource<'_, '_, I, W::One, With<'_, I, W>>,
    parts: &PartialBlocks<Narrow<I, W>>,
    ends: &Ends<Narrow<I, W>>,
    mut io: InOutBuf<'_, '_, u8>,
) -> (Enciphered<Narrow<I, W>>, Narrow<I, W>) {
    let isa = with.isa;
    let (early, ends) = &lanes.begin(
        parts,
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || *ends,
    );
    let halves = io.get_in().as_chunks().0;
    let (left, right) = (W::One::first(isa, &halves[0]), W::One::first(isa, &halves[1]));
    let i = with.of(|subkeys| subkeys.i());
    let offset = W::One::xor(with.of(|subkeys| &subkeys.octets[0]), with.of(|subkeys| &subkeys.multiples[0]));
    let (w, x) = mixed::<I, W::One>(isa, lanes.keys, i, offset, left, right);
    let middle = lanes.middle(ends, *early, x);
    let s = W::One::xor(middle.s, with.of(|subkeys| &subkeys.j_3));
    let (left, right, y) = separated::<I, W::One>(isa, lanes.keys, i, offset, s, w, x);
    let (for_left, for_right) = io.get_out().split_at_mut(16);
    W::One::store_partial(left, for_left);
    W::One::store_partial(right, for_right);
    (lanes.finish(parts, ends, middle), y)
}

/// One of the blocks before the last.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn part<I: Isa, W: AezVectors<I>>(
    with: With<'_, I, W>,
    i: usize,
    bytes: &[u8],
) -> PartialBlock<Narrow<I, W>> {
    let isa = with.isa;
    if bytes.is_empty() {
        return PartialBlock::Padding(with.of(|subkeys| &subkeys.padding));
    }
    let padding = W::One::first(isa, padding(bytes.len()));
    PartialBlock::Filled(Filled {
        block: W::One::xor(W::One::first(isa, Block::from_part(bytes).as_bytes()), padding),
        kept: W::One::first(isa, kept(bytes.len())),
        padding,
        present: None,
        tweak: tweak(&with, i),
    })
}

/// E of a block of padding alone with the tweak (0, 5), which is kept with the key.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn e_of_padding<I: Isa, W: AezVectors<I>>(with: With<'_, I, W>) -> [u8; 16] {
    let isa = with.isa;
    let input = W::One::xor(W::One::first(isa, padding(0)), tweak(&with, 5).offset);
    W::One::to_first(W::One::aes4(isa, with.keys::<W::One>(), input, W::One::first(isa, &[0; 16])))
}
