//! Functions of words.

use crate::forms::{Bit, ONE, Word, ZERO, and, xor, xor_all};

/// The XOR of two words, bit by bit.
pub(crate) fn xors(a: &[Bit], b: &[Bit]) -> Word {
    a.iter().zip(b).map(|(a, b)| xor(*a, *b)).collect()
}

/// Moves a word up.
pub(crate) fn shift_left(x: &[Bit], by: usize) -> Word {
    (0..x.len()).map(|i| if i < by { ZERO } else { x[i - by] }).collect()
}

/// Moves a word down.
pub(crate) fn shift_right(x: &[Bit], by: usize) -> Word {
    (0..x.len()).map(|i| if i + by < x.len() { x[i + by] } else { ZERO }).collect()
}

/// Turns a word up.
pub(crate) fn rotate_left(x: &[Bit], by: usize) -> Word {
    let width = x.len();
    (0..width).map(|i| x[(i + width - by % width) % width]).collect()
}

/// Turns a word down.
pub(crate) fn rotate_right(x: &[Bit], by: usize) -> Word {
    rotate_left(x, x.len() - by % x.len())
}

/// Bytes in the other order.
pub(crate) fn swap_bytes(x: &[Bit]) -> Word {
    x.chunks(8).rev().flatten().copied().collect()
}

/// A function of three bits by its eight values: bit `4a + 2b + c` of `values`.
pub(crate) fn of_three(values: u8, a: Bit, b: Bit, c: Bit) -> Bit {
    let mut terms = values;
    for (by, mask) in [(1, 0xaa), (2, 0xcc), (4, 0xf0)] {
        terms ^= terms << by & mask;
    }
    let product = |i: u8| {
        let chosen = |bit: u8, x: Bit| if i & bit == 0 { ONE } else { x };
        and(and(chosen(4, a), chosen(2, b)), chosen(1, c))
    };
    let all: Word = (0..8).filter(|i| terms >> i & 1 == 1).map(product).collect();
    xor_all(&all)
}
