//! AEZ-hash: the tag length, the nonce and the associated data as one block (paper, section 4).

use super::core::{Constants as _, padding};
use super::pairs::{Octets, With, first_lanes};
use super::rounds::Rounds;
use abreast_simd::{Block, Isa};

/// Blocks whose offsets are made together: eight octets.
const CHUNK: usize = 64 * 16;

/// The hash of a tag length in bytes, a nonce and any number of strings.
#[inline(always)]
pub(super) fn hash<I: Isa, W: Rounds<I>>(
    with: With<'_, I, W>,
    tag_len: usize,
    nonce: &[u8],
    associated_data: &[&[u8]],
) -> <W::One as Rounds<I>>::Vector {
    let With { isa, subkeys, .. } = with;
    let mut sum =
        if tag_len == 16 { W::One::splat(isa, &subkeys.tag_16) } else { hash_of_tag_len(with, tag_len) };
    sum = W::One::xor(sum, string(with, &subkeys.j_4, nonce));
    for (j, data) in (5..).zip(associated_data) {
        sum = W::One::xor(sum, string(with, &subkeys.times_j(j), data));
    }
    sum
}

/// The hash of a tag length, a block that holds it in bits.
#[inline(always)]
pub(super) fn hash_of_tag_len<I: Isa, W: Rounds<I>>(
    with: With<'_, I, W>,
    tag_len: usize,
) -> <W::One as Rounds<I>>::Vector {
    let bits = 8 * tag_len as u128;
    string(with, &with.subkeys.j_3, &bits.to_be_bytes())
}

/// The hash of a string, which has the tweaks (j, 1), (j, 2), .., and (j, 0) for a part of a block or nothing;
/// `j` is the multiple of J.
#[inline(always)]
fn string<I: Isa, W: Rounds<I>>(
    with: With<'_, I, W>,
    j: &[u8; 16],
    string: &[u8],
) -> <W::One as Rounds<I>>::Vector {
    let With { isa, keys, .. } = with;
    let j = W::One::splat(isa, j);
    let zero = W::One::splat(isa, &[0; 16]);
    let (whole, rest) = string.split_at(string.len() & !15);
    let mut sum = zero;
    if whole.len() == 16 {
        // A nonce, as a rule.
        let block = W::One::splat(isa, Block::from_part(whole).as_bytes());
        let offset = W::One::xor(with.of(|subkeys| &subkeys.i_2), with.of(|subkeys| &subkeys.multiples[0]));
        sum = W::One::aes4(isa, keys, W::One::xor(block, W::One::xor(offset, j)), zero);
    } else if !whole.is_empty() {
        sum = blocks(with, j, whole);
    }
    if !rest.is_empty() || string.is_empty() {
        let padding = W::One::splat(isa, padding(rest.len()));
        let block = W::One::xor(W::One::splat(isa, Block::from_part(rest).as_bytes()), padding);
        let offset = W::One::xor(with.of(|subkeys| &subkeys.i), j);
        sum = W::One::aes4(isa, keys, W::One::xor(block, offset), sum);
    }
    sum
}

/// The hash of whole blocks.
#[inline(always)]
fn blocks<I: Isa, W: Rounds<I>>(
    with: With<'_, I, W>,
    j: <W::One as Rounds<I>>::Vector,
    mut src: &[u8],
) -> <W::One as Rounds<I>>::Vector {
    let With { isa, subkeys, wide, keys } = with;
    // The octets have J in them already.
    let j = W::One::xor(j, W::One::splat(isa, &subkeys.j));
    let mut octets = Octets::new(subkeys);
    let (mut first, mut wide_sum) = (true, W::splat(isa, &[0; 16]));
    let mut sum = W::One::splat(isa, &[0; 16]);
    while !src.is_empty() {
        let (mut chunk, rest) = src.split_at(src.len().min(CHUNK));
        let octets = octets.take(first);
        let mut at = 0;
        while chunk.len() >= W::BYTES {
            let (part, rest) = chunk.split_at(W::BYTES);
            let offsets = W::xor(W::widen(j), W::offsets(isa, octets, &subkeys.multiples, at));
            wide_sum = W::aes4(isa, wide, W::xor(W::load(isa, part), offsets), wide_sum);
            (chunk, at) = (rest, at + W::LANES);
        }
        while !chunk.is_empty() {
            let (part, rest) = chunk.split_at(chunk.len().min(W::One::BYTES));
            let offsets = W::One::xor(j, W::One::offsets(isa, octets, &subkeys.multiples, at));
            let block = W::One::load_partial(isa, part);
            let hash = W::One::aes4(isa, keys, W::One::xor(block, offsets), W::One::splat(isa, &[0; 16]));
            sum = W::One::xor(sum, first_lanes::<I, W::One>(isa, hash, part.len() / 16));
            (chunk, at) = (rest, at + W::One::LANES);
        }
        (src, first) = (rest, false);
    }
    W::One::total(isa, W::One::xor(sum, W::fold(wide_sum)))
}
