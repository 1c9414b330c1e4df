//! AEZ-hash: the tag length, the nonce and the associated data as one block (paper, section 4).

use super::aez_core::padding;
use super::pairs::{Octets, With, first_lanes};
use super::rounds::AezVectors;
use super::subkeys::StringOffsets;
use abreast_simd::{Block, Isa, Wiped};

/// Returns the hash of a tag length in bytes, a nonce and any number of strings, in a register: of bytes in memory the compiler
/// stores halves, and a load of both waits until they are in the cache.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn hash<I: Isa, W: AezVectors<I>>(
    with: With<'_, I, W>,
    tag_len: usize,
    nonce: &[u8],
    associated_data: &[&[u8]],
) -> <W::One as AezVectors<I>>::Vector {
    let sum = beside_nonce(with, tag_len, associated_data);
    string(with, &with.subkeys.nonce, nonce, sum)
}

/// Returns the sum without the nonce.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn beside_nonce<I: Isa, W: AezVectors<I>>(
    with: With<'_, I, W>,
    tag_len: usize,
    associated_data: &[&[u8]],
) -> <W::One as AezVectors<I>>::Vector {
    let With { isa, subkeys, .. } = with;
    let mut sum = if tag_len == 16 {
        W::One::first(isa, subkeys.tag_16())
    } else {
        // Rare, so a call; its result comes in memory.
        let block = isa.run(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            || hash_of_tag_len(with, tag_len),
        );
        W::One::first(isa, &block)
    };
    for (n, data) in associated_data.iter().enumerate() {
        let others;
        let offsets = if n == 0 {
            &subkeys.data
        } else {
            others = Wiped::new(subkeys.string(n as u128 + 5));
            &others
        };
        sum = string(with, offsets, data, sum);
    }
    sum
}

/// The hash of a tag length, a block that holds it in bits.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn hash_of_tag_len<I: Isa, W: AezVectors<I>>(with: With<'_, I, W>, tag_len: usize) -> [u8; 16] {
    let bits = 8 * tag_len as u128;
    let zero = W::One::first(with.isa, &[0; 16]);
    W::One::to_first(string(with, &Wiped::new(with.subkeys.string(3)), &bits.to_be_bytes(), zero))
}

/// The hash of a string, added to `sum`. It has the tweaks (j, 1), (j, 2), .., and (j, 0) for a part of a block
/// or nothing.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn string<I: Isa, W: AezVectors<I>>(
    with: With<'_, I, W>,
    offsets: &StringOffsets,
    string: &[u8],
    mut sum: <W::One as AezVectors<I>>::Vector,
) -> <W::One as AezVectors<I>>::Vector {
    let isa = with.isa;
    let keys = with.keys::<W::One>();
    let (whole, rest) = string.split_at(string.len() & !15);
    if whole.len() > 16 {
        let block = isa.run(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            move || blocks(with, &offsets.j, whole),
        );
        sum = W::One::xor(sum, W::One::first(isa, &block));
    }
    if let Ok(block) = <&[u8; 16]>::try_from(whole) {
        let input = W::One::xor(W::One::first(isa, block), W::One::first(isa, &offsets.whole));
        sum = W::One::aes4(isa, keys, input, sum);
    }
    if !rest.is_empty() || string.is_empty() {
        let block = W::One::first(isa, Block::from_part(rest).as_bytes());
        let offset = W::One::xor(W::One::first(isa, &offsets.part), W::One::first(isa, padding(rest.len())));
        sum = W::One::aes4(isa, keys, W::One::xor(block, offset), sum);
    }
    sum
}

/// The hash of whole blocks.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn blocks<I: Isa, W: AezVectors<I>>(with: With<'_, I, W>, j: &[u8; 16], mut src: &[u8]) -> [u8; 16] {
    let With { isa, subkeys, .. } = with;
    let (wide, keys) = (with.keys::<W>(), with.keys::<W::One>());
    // The octets have J in them already.
    let j = W::One::xor(W::One::splat(isa, j), W::One::splat(isa, subkeys.j()));
    let mut octets = Octets::new(subkeys);
    let mut wide_sum = W::splat(isa, &[0; 16]);
    while src.len() >= W::BYTES {
        let (part, rest) = src.split_at(W::BYTES);
        let offsets = W::xor(W::widen(j), octets.offsets::<I, W>(isa));
        wide_sum = W::aes4(isa, wide, W::xor(W::load(isa, part), offsets), wide_sum);
        octets.advance(W::LANES);
        src = rest;
    }
    let mut sum = W::fold(wide_sum);
    while !src.is_empty() {
        let (part, rest) = src.split_at(src.len().min(W::One::BYTES));
        let offsets = W::One::xor(j, octets.offsets::<I, W::One>(isa));
        let block = W::One::load_partial(isa, part);
        let hash = W::One::aes4(isa, keys, W::One::xor(block, offsets), W::One::splat(isa, &[0; 16]));
        sum = W::One::xor(sum, first_lanes::<I, W::One>(isa, hash, part.len() / 16));
        octets.advance(W::One::LANES);
        src = rest;
    }
    W::One::to_first(W::One::total(isa, sum))
}
