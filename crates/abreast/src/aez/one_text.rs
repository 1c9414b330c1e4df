//! AEZ-core of one text: what [`aez_core`](super::aez_core) computes of its last blocks, around two passes over its pairs.

use super::aez_core::{
    Enciphered, Ends, Filled, LaneSource, PartialBlock, PartialBlocks, SubkeySource as _, kept, padding,
    tweak,
};
use super::pairs::{First, Octets, Second, With, first_lanes, first_pass, mixed, second_pass, separated};
use super::rounds::AezVectors;
use super::text::Text;
use crate::InOutBuf;
use crate::engine::backend::Direction;
use abreast_simd::{Block, Isa};

/// The narrowest vector beside another one.
type Narrow<I, W> = <<W as AezVectors<I>>::One as AezVectors<I>>::Vector;

/// Enciphers or deciphers a text of at least 32 bytes.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn encipher<I: Isa, W: AezVectors<I>>(
    with: With<'_, I, W>,
    delta: Narrow<I, W>,
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
    let ends = Ends { delta, x, y };
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
