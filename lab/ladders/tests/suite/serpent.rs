//! Serpent's S-boxes as circuits, those too which the CPU at hand has no instructions for.

use abreast_reference::serpent::SBOXES;
use abreast_simd::Words;
use abreast_simd::portable::{Portable, Words4};

// The ladder keeps its circuits to itself.
#[path = "../../src/ladders/serpent/circuits.rs"]
mod circuits;

/// The sixteen nibbles side by side, from the least significant bits to the most significant ones.
const NIBBLES: [u32; 4] = [0xaaaa, 0xcccc, 0xf0f0, 0xff00];

/// The nibbles that such words have.
fn table(words: [u32; 4]) -> [u8; 16] {
    let mut table = [0; 16];
    for (i, nibble) in table.iter_mut().enumerate() {
        *nibble = words.iter().rev().fold(0, |nibble, word| nibble << 1 | (word >> i & 1) as u8);
    }
    table
}

#[test]
fn circuits_are_the_s_boxes() {
    for (number, sbox) in SBOXES.iter().enumerate() {
        assert_eq!(table(circuits::two_input(number, NIBBLES)), *sbox, "S{number} of two inputs");
        let lanes = circuits::three_input(number, NIBBLES.map(|word| Words4::splat(Portable, word)));
        let words = lanes.map(|lanes| {
            let mut bytes = [0; 16];
            lanes.store(&mut bytes);
            u32::from_le_bytes(bytes.as_chunks().0[0])
        });
        assert_eq!(table(words), *sbox, "S{number} of three inputs");
    }
}
