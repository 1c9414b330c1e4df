//! The eight S-boxes as circuits: each operation is one instruction, and computes as many S-boxes side by side as a
//! register has bits.
//!
//! Element 0 of an input or an output has the least significant bits of the nibbles. The circuits are those of the
//! library, found by the search in `tools/sboxes`. A test of this crate compares all of them with the tables of the
//! cipher's authors, those for three inputs also where no CPU with such instructions is at hand.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use abreast_simd::Words;

/// Bits side by side: a word, or a vector of words.
pub(super) trait Bits:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
}

impl<T: Copy + BitAnd<Output = T> + BitOr<Output = T> + BitXor<Output = T> + Not<Output = T>> Bits for T {}

/// S-box `number` by operations on two inputs: 14, 14, 13, 15, 14, 14, 14 and 15 of them, if `!a & b` is one.
#[inline(always)]
pub(super) fn two_input<T: Bits>(number: usize, [x0, x1, x2, x3]: [T; 4]) -> [T; 4] {
    match number {
        0 => {
            let t0 = x0 ^ x3;
            let t1 = x0 & x3;
            let t2 = x2 ^ t0;
            let t3 = x1 & t0;
            let t4 = x0 ^ t3;
            let t5 = x1 ^ t2;
            let y3 = t1 ^ t5;
            let t6 = x2 | t4;
            let y2 = t5 ^ t6;
            let t7 = t2 ^ t4;
            let t8 = !y3 & t7;
            let t9 = !t8;
            let y0 = t2 ^ t9;
            let y1 = t4 ^ t9;
            [y0, y1, y2, y3]
        }
        1 => {
            let t0 = x0 ^ x1;
            let t1 = !x0 & x1;
            let t2 = x2 ^ t1;
            let t3 = !x3 & t0;
            let t4 = x3 ^ t0;
            let t5 = x1 ^ t3;
            let t6 = !t2;
            let y2 = x3 ^ t6;
            let t7 = t5 ^ t2;
            let t8 = t5 | t6;
            let y1 = t4 ^ t8;
            let y3 = y1 ^ t7;
            let t9 = !y1 & t7;
            let y0 = t6 ^ t9;
            [y0, y1, y2, y3]
        }
        2 => {
            let t0 = x0 & x2;
            let t1 = x3 ^ t0;
            let t2 = x1 & t1;
            let t3 = x0 ^ t2;
            let t4 = x1 ^ x2;
            let y0 = t1 ^ t4;
            let t5 = t3 ^ t4;
            let t6 = !t3 & t1;
            let t7 = x2 ^ t6;
            let y3 = !t5;
            let t8 = t5 | t7;
            let y1 = t1 ^ t8;
            let y2 = t7 ^ y1;
            [y0, y1, y2, y3]
        }
        3 => {
            let t0 = x0 & x1;
            let t1 = x0 | x3;
            let t2 = t0 ^ t1;
            let t3 = x2 | t2;
            let t4 = x1 ^ t3;
            let t5 = x2 ^ x3;
            let t6 = t0 | t5;
            let t7 = x0 & x3;
            let y3 = t4 ^ t7;
            let y1 = t4 ^ t6;
            let t8 = x1 & x3;
            let t9 = t6 ^ t8;
            let y2 = x0 ^ t9;
            let t10 = !y2 & y1;
            let y0 = t2 ^ t10;
            [y0, y1, y2, y3]
        }
        4 => {
            let t0 = x0 & x3;
            let t1 = x0 ^ x3;
            let t2 = x2 ^ t0;
            let t3 = !t1 & x1;
            let t4 = t3 ^ t2;
            let t5 = x3 ^ t4;
            let t6 = t2 | t5;
            let t7 = x1 ^ t6;
            let t8 = x1 | t5;
            let y0 = !t5;
            let y3 = t1 ^ t8;
            let y2 = t1 ^ t7;
            let t9 = y3 | t7;
            let y1 = t4 ^ t9;
            [y0, y1, y2, y3]
        }
        5 => {
            let t0 = x0 | x1;
            let t1 = x2 ^ t0;
            let t2 = !x3;
            let t3 = x0 ^ x1;
            let t4 = t3 | t2;
            let t5 = t4 ^ t1;
            let y0 = x0 ^ t5;
            let t6 = y0 & t1;
            let t7 = !x3 & y0;
            let y1 = t3 ^ t7;
            let t8 = t2 ^ t6;
            let y2 = t3 ^ t8;
            let t9 = !t8 & y1;
            let y3 = t5 ^ t9;
            [y0, y1, y2, y3]
        }
        6 => {
            let t0 = x0 ^ x3;
            let t1 = x0 & x3;
            let t2 = x2 ^ t1;
            let t3 = x1 ^ t0;
            let t4 = !t2;
            let y1 = x1 ^ t4;
            let t5 = !y1 & t0;
            let t6 = x0 ^ t5;
            let t7 = !t6 & t3;
            let y3 = t2 ^ t7;
            let t8 = t3 ^ t6;
            let t9 = t8 | t4;
            let y0 = t3 ^ t9;
            let y2 = t6 ^ t9;
            [y0, y1, y2, y3]
        }
        _ => {
            let t0 = !x1 & x2;
            let t1 = x3 ^ t0;
            let t2 = !x0 & t1;
            let t3 = !t1 & x0;
            let t4 = !t1 & x2;
            let t5 = x2 ^ t3;
            let y3 = x1 ^ t5;
            let t6 = t2 ^ y3;
            let t7 = t3 | t6;
            let y1 = t5 ^ t7;
            let t8 = t4 ^ t7;
            let t9 = !y3 & t8;
            let t10 = t1 ^ t9;
            let y0 = !t10;
            let y2 = t8 ^ t10;
            [y0, y1, y2, y3]
        }
    }
}

/// S-box `number` by operations on three inputs: 7, 7, 7, 8, 7, 7, 7 and 8 of them.
#[inline(always)]
pub(super) fn three_input<W: Words>(number: usize, [x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    match number {
        0 => {
            let t0 = W::ternary::<0x36>(x0, x1, x3);
            let t1 = W::ternary::<0xb8>(x0, x1, x3);
            let t2 = W::ternary::<0x96>(x0, x2, x3);
            let y3 = x2 ^ t0;
            let y0 = W::ternary::<0x35>(y3, t2, t1);
            let y2 = W::ternary::<0x78>(t0, t2, t1);
            let y1 = W::ternary::<0x53>(y3, t2, t1);
            [y0, y1, y2, y3]
        }
        1 => {
            let t0 = W::ternary::<0x4e>(x0, x1, x3);
            let t1 = W::ternary::<0x59>(x0, x1, x2);
            let t2 = W::ternary::<0x96>(x0, x1, x3);
            let y0 = W::ternary::<0xa3>(t0, t2, t1);
            let y1 = W::ternary::<0x72>(t0, t2, t1);
            let y2 = x3 ^ t1;
            let y3 = W::ternary::<0x1b>(t0, t2, t1);
            [y0, y1, y2, y3]
        }
        2 => {
            let t0 = x0 ^ x2;
            let t1 = W::ternary::<0x6a>(x0, x2, x3);
            let y0 = W::ternary::<0x96>(x1, x2, t1);
            let y3 = W::ternary::<0x63>(x1, t0, t1);
            let t2 = W::ternary::<0x9c>(x0, x1, t1);
            let y1 = W::ternary::<0x8b>(t1, y3, t2);
            let y2 = W::ternary::<0xe2>(t1, y3, t2);
            [y0, y1, y2, y3]
        }
        3 => {
            let t0 = W::ternary::<0x6c>(x0, x1, x3);
            let t1 = W::ternary::<0x98>(x0, x2, x3);
            let y1 = W::ternary::<0x6a>(x1, t0, t1);
            let t2 = W::ternary::<0x3a>(x0, x1, x3);
            let y3 = W::ternary::<0x36>(x2, t0, t2);
            let t3 = W::ternary::<0x1e>(x0, t2, y3);
            let y0 = W::ternary::<0x6c>(y1, t2, t3);
            let y2 = y1 ^ t3;
            [y0, y1, y2, y3]
        }
        4 => {
            let t0 = W::ternary::<0xc6>(x0, x2, x3);
            let t1 = W::ternary::<0xb4>(x0, x1, t0);
            let y3 = W::ternary::<0x96>(x3, t0, t1);
            let t2 = W::ternary::<0xc2>(x3, t0, t1);
            let y0 = W::ternary::<0x93>(x1, t0, y3);
            let y1 = x1 ^ t2;
            let y2 = W::ternary::<0xe1>(t1, y0, y1);
            [y0, y1, y2, y3]
        }
        5 => {
            let t0 = W::ternary::<0xa6>(x0, x1, x2);
            let t1 = W::ternary::<0xb4>(x1, x3, t0);
            let y1 = W::ternary::<0x69>(x0, t0, t1);
            let t2 = W::ternary::<0xe3>(x0, t0, t1);
            let y0 = W::ternary::<0x63>(x3, t0, y1);
            let y3 = x3 ^ t2;
            let y2 = W::ternary::<0x2d>(t1, y0, y3);
            [y0, y1, y2, y3]
        }
        6 => {
            let t0 = W::ternary::<0x16>(x0, x1, x3);
            let t1 = W::ternary::<0x93>(x0, x2, x3);
            let y1 = x1 ^ t1;
            let t2 = W::ternary::<0x4d>(x0, x3, y1);
            let y0 = W::ternary::<0x93>(x2, t0, t2);
            let y2 = W::ternary::<0xc9>(x2, t0, t2);
            let y3 = W::ternary::<0xa3>(t0, t1, t2);
            [y0, y1, y2, y3]
        }
        _ => {
            let t0 = W::ternary::<0x78>(x0, x1, x3);
            let t1 = W::ternary::<0x1c>(x1, x2, t0);
            let t2 = W::ternary::<0x9a>(x0, x1, x3);
            let y2 = W::ternary::<0x36>(x3, t1, t2);
            let t3 = W::ternary::<0xa7>(x2, t0, t2);
            let y0 = x0 ^ t3;
            let y3 = W::ternary::<0x9c>(t0, t1, t3);
            let y1 = W::ternary::<0x2d>(t0, y2, y0);
            [y0, y1, y2, y3]
        }
    }
}
