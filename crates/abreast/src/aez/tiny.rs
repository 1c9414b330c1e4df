//! AEZ-tiny: texts of less than 32 bytes, by a Feistel network (paper, section 4).

use super::aez_core::SubkeySource as _;
use super::pairs::With;
use super::rounds::AezVectors;
use super::text::Text;
use crate::engine::backend::Direction;
use crate::wipe::wipe;
use abreast_simd::inlined::{CopyFrom, Flat};
use abreast_simd::{Block, Isa};

/// Enciphers or deciphers a text of 1 to 31 bytes.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn encipher<I: Isa, W: AezVectors<I>>(
    with: With<'_, I, W>,
    delta: <W::One as AezVectors<I>>::Vector,
    direction: Direction,
    text: &mut Text<'_, '_, '_>,
) {
    let len = text.len();
    let mut bytes = [0; 32];
    bytes[..len].copy_from(&text.last().flat()[32 - len..]);

    let rounds = match len {
        1 => 24,
        2 => 16,
        3..16 => 10,
        _ => 8,
    };
    if direction == Direction::Decrypt {
        settle(with, delta, &mut bytes, len);
    }

    // Halves of as many bits each, which need not be whole bytes, on top of numbers.
    let half = 4 * len as u32;
    let mask = !(u128::MAX >> half);
    let [high, low] = [0, 1].map(|n| u128::from_be_bytes(bytes.as_chunks().0[n]));
    let (mut left, mut right) = (high & mask, (high << half | low >> (128 - half)) & mask);
    let tweak = if len < 16 { 7 } else { 6 };
    for i in 0..rounds {
        let i = if direction == Direction::Encrypt { i } else { rounds - 1 - i };
        let padded = right | 1 << (127 - half);
        (left, right) = (right, left ^ (e(with, delta, tweak, padded ^ i) & mask));
    }
    bytes[..16].copy_from(&(right | left >> half).to_be_bytes());
    bytes[16..].copy_from(&(left << (128 - half)).to_be_bytes());

    if direction == Direction::Encrypt {
        settle(with, delta, &mut bytes, len);
    }
    bytes.rotate_right(32 - len);
    text.set_last([0, 1].map(|n| bytes.as_chunks().0[n]));
    wipe(&mut bytes);
}

/// E with the tweak (0, i) on the sum of a number and the hash.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn e<I: Isa, W: AezVectors<I>>(
    with: With<'_, I, W>,
    delta: <W::One as AezVectors<I>>::Vector,
    i: usize,
    input: u128,
) -> u128 {
    let input = W::One::first(with.isa, Block::from(input.swap_bytes()).as_bytes());
    let input = W::One::xor(input, W::One::xor(delta, with.of(|subkeys| &subkeys.tweaks[i - 1][0])));
    let zero = W::One::first(with.isa, &[0; 16]);
    u128::from_be_bytes(W::One::to_first(W::One::aes4(with.isa, with.keys::<W::One>(), input, zero)))
}

/// Corrects the first bit of a short text, or the permutation would be an even one always.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn settle<I: Isa, W: AezVectors<I>>(
    with: With<'_, I, W>,
    delta: <W::One as AezVectors<I>>::Vector,
    bytes: &mut [u8; 32],
    len: usize,
) {
    const FIRST: u128 = 1 << 127;
    if len < 16 {
        let mut block = [0; 16];
        block[..len].copy_from(&bytes[..len]);
        let bit = e(with, delta, 3, u128::from_be_bytes(block) | FIRST) & FIRST;
        bytes[0] ^= (bit >> 120) as u8;
    }
}
