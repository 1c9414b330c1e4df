//! The S-boxes of Serpent and their inverses as circuits: constant time on any word, four bits of many
//! nibbles side by side.
//!
//! The S-boxes are those of Anderson, Biham and Knudsen ("Serpent: A Proposal for the Advanced Encryption
//! Standard", 1998). Element 0 of an input or output is the word of the least significant bits. Each box
//! comes in four kinds:
//!
//! * `ternary`: the fewest gates with three inputs. A pass over many groups of blocks wants few operations;
//!   other groups fill the time that one waits. The search goes through all circuits of seven such gates and
//!   less: none of these counts can be lowered.
//! * `shallow`: two gates one after another and no more, of which the second alone takes
//!   `x2` (`x3` in the inverses): what the linear transform before has ready last. A pass over one
//!   group waits for each gate.
//! * `two_input`: few gates with two inputs, for CPUs that have no others. `!a & b` is one of them, a
//!   complement by itself is one too.
//! * `timed`: gates with two inputs, without `!a & b`, for a block by itself in general registers. It waits for each gate, so
//!   these are done as early as the words allow that come from the linear transformation and go into the next.
//!
//! `cargo run --release -p sboxes` searches for the circuits, checks each on all sixteen nibbles, and writes this file.
//! Gates are in an order that keeps few values alive, those of `timed` in the order of time. Their number and the depth of
//! the circuits:
//!
//! | | `ternary` | depth | `shallow` | depth | `two_input` | depth | `timed` | depth |
//! |---|---|---|---|---|---|---|---|---|
//! | S0 | 7 | 3 | 9 | 2 | 14 | 7 | 24 | 5 |
//! | inverse S0 | 7 | 2 | 11 | 2 | 14 | 8 | 23 | 4 |
//! | S1 | 7 | 2 | 10 | 2 | 14 | 7 | 21 | 6 |
//! | inverse S1 | 7 | 3 | 11 | 2 | 14 | 7 | 23 | 4 |
//! | S2 | 7 | 3 | 11 | 2 | 13 | 9 | 22 | 4 |
//! | inverse S2 | 7 | 3 | 11 | 2 | 13 | 10 | 20 | 4 |
//! | S3 | 8 | 4 | 12 | 2 | 15 | 7 | 21 | 4 |
//! | inverse S3 | 8 | 3 | 11 | 2 | 15 | 6 | 22 | 4 |
//! | S4 | 7 | 5 | 10 | 2 | 14 | 8 | 21 | 5 |
//! | inverse S4 | 7 | 6 | 11 | 2 | 15 | 10 | 22 | 4 |
//! | S5 | 7 | 5 | 10 | 2 | 14 | 8 | 23 | 5 |
//! | inverse S5 | 7 | 6 | 11 | 2 | 14 | 11 | 20 | 4 |
//! | S6 | 7 | 4 | 10 | 2 | 14 | 9 | 22 | 5 |
//! | inverse S6 | 7 | 3 | 11 | 2 | 14 | 9 | 21 | 4 |
//! | S7 | 8 | 4 | 11 | 2 | 15 | 11 | 25 | 5 |
//! | inverse S7 | 8 | 5 | 12 | 2 | 16 | 7 | 22 | 4 |

use abreast_simd::{Word, Words};

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn ternary_s0<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0x36>(x0, x1, x3);
    let t1 = W::ternary::<0xb8>(x0, x1, x3);
    let t2 = W::ternary::<0x96>(x0, x2, x3);
    let y3 = x2 ^ t0;
    let y0 = W::ternary::<0x35>(y3, t2, t1);
    let y2 = W::ternary::<0x78>(t0, t2, t1);
    let y1 = W::ternary::<0x53>(y3, t2, t1);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn ternary_inverse_s0<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0xa9>(x0, x1, x2);
    let t1 = W::ternary::<0x4e>(x0, x1, x3);
    let t2 = W::ternary::<0x96>(x0, x1, x3);
    let y2 = x3 ^ t0;
    let y0 = W::ternary::<0x9a>(t0, t1, t2);
    let y1 = W::ternary::<0x2b>(t0, t1, t2);
    let y3 = W::ternary::<0x59>(t0, t1, t2);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn ternary_s1<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0x4e>(x0, x1, x3);
    let t1 = W::ternary::<0x59>(x0, x1, x2);
    let t2 = W::ternary::<0x96>(x0, x1, x3);
    let y0 = W::ternary::<0xa3>(t0, t2, t1);
    let y1 = W::ternary::<0x72>(t0, t2, t1);
    let y2 = x3 ^ t1;
    let y3 = W::ternary::<0x1b>(t0, t2, t1);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn ternary_inverse_s1<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0x5c>(x0, x1, x3);
    let t1 = W::ternary::<0xd2>(x0, x1, x3);
    let t2 = W::ternary::<0x96>(x1, x2, x3);
    let y3 = x2 ^ t1;
    let y0 = W::ternary::<0x1d>(t0, y3, t2);
    let y2 = W::ternary::<0x93>(t0, t1, t2);
    let y1 = W::ternary::<0xb8>(t0, y3, t2);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn ternary_s2<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = x0 ^ x2;
    let t1 = W::ternary::<0x6a>(x0, x2, x3);
    let y0 = W::ternary::<0x96>(x1, x2, t1);
    let y3 = W::ternary::<0x63>(x1, t0, t1);
    let t2 = W::ternary::<0x9c>(x0, x1, t1);
    let y1 = W::ternary::<0x8b>(t1, y3, t2);
    let y2 = W::ternary::<0xe2>(t1, y3, t2);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn ternary_inverse_s2<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0x72>(x1, x2, x3);
    let t1 = W::ternary::<0x5c>(x1, x2, x3);
    let y0 = x0 ^ t1;
    let t2 = W::ternary::<0xc6>(x1, x2, x3);
    let y1 = W::ternary::<0xa6>(x0, t0, t2);
    let y2 = W::ternary::<0x65>(x0, t0, t2);
    let y3 = W::ternary::<0x87>(t0, y0, y2);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn ternary_s3<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
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

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn ternary_inverse_s3<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0x9a>(x0, x1, x2);
    let t1 = W::ternary::<0xb4>(x0, x1, x2);
    let t2 = W::ternary::<0x96>(x1, x2, x3);
    let y0 = W::ternary::<0xa6>(x3, t1, t2);
    let t3 = W::ternary::<0x3e>(x3, t1, t2);
    let y3 = W::ternary::<0x6c>(t0, t1, t2);
    let y1 = W::ternary::<0x9a>(t0, t2, t3);
    let y2 = W::ternary::<0x96>(x1, y0, t3);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn ternary_s4<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0xc6>(x0, x2, x3);
    let t1 = W::ternary::<0xb4>(x0, x1, t0);
    let y3 = W::ternary::<0x96>(x3, t0, t1);
    let t2 = W::ternary::<0xc2>(x3, t0, t1);
    let y0 = W::ternary::<0x93>(x1, t0, y3);
    let y1 = x1 ^ t2;
    let y2 = W::ternary::<0xe1>(t1, y0, y1);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn ternary_inverse_s4<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0x56>(x0, x1, x2);
    let t1 = W::ternary::<0x46>(x0, x3, t0);
    let y1 = x1 ^ t1;
    let t2 = W::ternary::<0x78>(x0, x3, y1);
    let y0 = W::ternary::<0x87>(t0, y1, t2);
    let y3 = W::ternary::<0x96>(x3, t0, t2);
    let y2 = W::ternary::<0x2d>(t2, y0, y3);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn ternary_s5<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0xa6>(x0, x1, x2);
    let t1 = W::ternary::<0xb4>(x1, x3, t0);
    let y1 = W::ternary::<0x69>(x0, t0, t1);
    let t2 = W::ternary::<0xe3>(x0, t0, t1);
    let y0 = W::ternary::<0x63>(x3, t0, y1);
    let y3 = x3 ^ t2;
    let y2 = W::ternary::<0x2d>(t1, y0, y3);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn ternary_inverse_s5<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0xc6>(x0, x2, x3);
    let t1 = W::ternary::<0xd9>(x0, x1, t0);
    let y3 = x3 ^ t1;
    let t2 = W::ternary::<0x2d>(x0, x1, y3);
    let y0 = W::ternary::<0x96>(x1, t0, t2);
    let y1 = W::ternary::<0x4b>(t0, y3, t2);
    let y2 = W::ternary::<0xd2>(t2, y0, y1);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn ternary_s6<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0x16>(x0, x1, x3);
    let t1 = W::ternary::<0x93>(x0, x2, x3);
    let y1 = x1 ^ t1;
    let t2 = W::ternary::<0x4d>(x0, x3, y1);
    let y0 = W::ternary::<0x93>(x2, t0, t2);
    let y2 = W::ternary::<0xc9>(x2, t0, t2);
    let y3 = W::ternary::<0xa3>(t0, t1, t2);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn ternary_inverse_s6<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0x4e>(x0, x2, x3);
    let t1 = W::ternary::<0xd4>(x0, x2, x3);
    let t2 = W::ternary::<0x59>(x0, x2, x3);
    let y0 = W::ternary::<0x39>(x1, t0, t1);
    let y3 = W::ternary::<0x63>(x1, t0, t1);
    let y1 = x1 ^ t2;
    let y2 = W::ternary::<0x95>(y0, y3, t2);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn ternary_s7<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
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

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn ternary_inverse_s7<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0x5c>(x0, x2, x3);
    let t1 = W::ternary::<0x9c>(x0, x1, x2);
    let t2 = x2 ^ x3;
    let y3 = W::ternary::<0xb8>(t0, t1, t2);
    let t3 = W::ternary::<0x6b>(x2, x3, t1);
    let y1 = x0 ^ t3;
    let y0 = W::ternary::<0x87>(t1, y3, y1);
    let y2 = W::ternary::<0x96>(t0, t3, y0);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn shallow_s0<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0x2e>(x0, x1, x3);
    let t1 = W::ternary::<0x96>(x0, x1, x3);
    let y2 = W::ternary::<0xac>(x2, t0, t1);
    let t2 = W::ternary::<0x4e>(x0, x1, x3);
    let t3 = W::ternary::<0xd4>(x0, x1, x3);
    let t4 = W::ternary::<0x78>(x0, x1, x3);
    let y0 = W::ternary::<0xc9>(x2, t2, t3);
    let y1 = W::ternary::<0x93>(x2, t4, t3);
    let y3 = W::ternary::<0x96>(x2, t2, t4);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn shallow_inverse_s0<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0x7e>(x0, x1, x2);
    let t1 = W::ternary::<0xe2>(x0, x1, x2);
    let y0 = W::ternary::<0x95>(x3, t0, t1);
    let t2 = W::ternary::<0x36>(x0, x1, x2);
    let t3 = W::ternary::<0xd2>(x0, x1, x2);
    let y1 = W::ternary::<0xac>(x3, t2, t3);
    let t4 = W::ternary::<0x56>(x0, x1, x2);
    let t5 = W::ternary::<0x42>(x0, x1, x2);
    let t6 = W::ternary::<0x78>(x0, x1, x2);
    let y2 = W::ternary::<0x81>(x3, t4, t4);
    let y3 = W::ternary::<0x65>(x3, t5, t6);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn shallow_s1<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0x4e>(x0, x1, x3);
    let t1 = W::ternary::<0xd2>(x0, x1, x3);
    let y0 = W::ternary::<0x59>(x2, t0, t1);
    let t2 = W::ternary::<0x4a>(x0, x1, x3);
    let t3 = W::ternary::<0xd8>(x0, x1, x3);
    let t4 = !x0 & x1;
    let t5 = W::ternary::<0x46>(x0, x1, x3);
    let y1 = W::ternary::<0xc9>(x2, t2, t3);
    let y2 = W::ternary::<0x69>(x2, x3, t4);
    let y3 = W::ternary::<0x93>(x2, t5, t3);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn shallow_inverse_s1<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0x7c>(x0, x1, x2);
    let t1 = W::ternary::<0xe4>(x0, x1, x2);
    let y0 = W::ternary::<0x93>(x3, t0, t1);
    let t2 = W::ternary::<0x14>(x0, x1, x2);
    let t3 = W::ternary::<0xf2>(x0, x1, x2);
    let y1 = W::ternary::<0x56>(x3, t2, t3);
    let t4 = x0 ^ x2;
    let y3 = W::ternary::<0x9a>(x3, x1, t4);
    let t5 = W::ternary::<0x34>(x0, x1, x2);
    let t6 = x0 & x2;
    let y2 = W::ternary::<0xc9>(x3, t5, t6);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn shallow_s2<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0x06>(x0, x1, x3);
    let t1 = W::ternary::<0x1c>(x0, x1, x3);
    let y1 = W::ternary::<0x9a>(x2, t0, t1);
    let t2 = W::ternary::<0x58>(x0, x1, x3);
    let t3 = W::ternary::<0xc6>(x0, x1, x3);
    let y2 = W::ternary::<0xc6>(x2, t2, t3);
    let t4 = x1 ^ x3;
    let t5 = W::ternary::<0x74>(x0, x1, x3);
    let t6 = x0 & x1;
    let y0 = W::ternary::<0x9a>(x2, x0, t4);
    let y3 = W::ternary::<0xc9>(x2, t5, t6);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn shallow_inverse_s2<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0x3a>(x0, x1, x2);
    let t1 = W::ternary::<0xa6>(x0, x1, x2);
    let y1 = W::ternary::<0x6a>(x3, t0, t1);
    let t2 = W::ternary::<0x5c>(x0, x1, x2);
    let t3 = W::ternary::<0xc6>(x0, x1, x2);
    let y2 = W::ternary::<0xa9>(x3, t2, t3);
    let t4 = W::ternary::<0x1e>(x0, x1, x2);
    let y0 = W::ternary::<0x6a>(x3, x1, t4);
    let t5 = W::ternary::<0x68>(x0, x1, x2);
    let t6 = x0 & x2;
    let y3 = W::ternary::<0xc9>(x3, t5, t6);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn shallow_s3<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0x36>(x0, x1, x3);
    let t1 = W::ternary::<0x4e>(x0, x1, x3);
    let y0 = W::ternary::<0x6c>(x2, t0, t1);
    let t2 = W::ternary::<0x1c>(x0, x1, x3);
    let t3 = x0 | x3;
    let y1 = W::ternary::<0x6c>(x2, t2, t3);
    let t4 = W::ternary::<0x52>(x0, x1, x3);
    let t5 = W::ternary::<0x56>(x0, x1, x3);
    let t6 = W::ternary::<0x6c>(x0, x1, x3);
    let t7 = x0 & x1;
    let y2 = W::ternary::<0x36>(x2, t4, t7);
    let y3 = W::ternary::<0x5c>(x2, t5, t6);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn shallow_inverse_s3<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0x1e>(x0, x1, x2);
    let t1 = W::ternary::<0xf6>(x0, x1, x2);
    let y2 = W::ternary::<0xc6>(x3, t0, t1);
    let t2 = W::ternary::<0xd2>(x0, x1, x2);
    let t3 = W::ternary::<0x6e>(x0, x1, x2);
    let t4 = W::ternary::<0xb6>(x0, x1, x2);
    let t5 = W::ternary::<0x2c>(x0, x1, x2);
    let t6 = x1 ^ x2;
    let y0 = W::ternary::<0x3a>(x3, t6, t2);
    let y1 = W::ternary::<0x5c>(x3, t3, t4);
    let y3 = W::ternary::<0xca>(x3, t5, t4);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn shallow_s4<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0x6c>(x0, x1, x3);
    let t1 = W::ternary::<0xd2>(x0, x1, x3);
    let y1 = W::ternary::<0xca>(x2, t0, t1);
    let t2 = W::ternary::<0x2e>(x0, x1, x3);
    let t3 = W::ternary::<0x58>(x0, x1, x3);
    let y3 = W::ternary::<0x56>(x2, x1, t3);
    let t4 = W::ternary::<0x16>(x0, x1, x3);
    let t5 = x0 & x3;
    let y0 = W::ternary::<0x69>(x2, t2, t5);
    let y2 = W::ternary::<0x36>(x2, t4, t2);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn shallow_inverse_s4<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0x3a>(x0, x1, x2);
    let t1 = W::ternary::<0x96>(x0, x1, x2);
    let y0 = W::ternary::<0x65>(x3, t0, t1);
    let t2 = W::ternary::<0x76>(x0, x1, x2);
    let t3 = !x0 & x1;
    let y2 = W::ternary::<0x63>(x3, t2, t3);
    let t4 = !x2 & x0;
    let t5 = W::ternary::<0x9a>(x0, x1, x2);
    let t6 = x0 ^ x1;
    let y1 = W::ternary::<0x56>(x3, t4, t5);
    let y3 = W::ternary::<0xc6>(x3, t6, t5);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn shallow_s5<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0x72>(x0, x1, x3);
    let t1 = W::ternary::<0x94>(x0, x1, x3);
    let y2 = W::ternary::<0x59>(x2, t0, t1);
    let t2 = W::ternary::<0x56>(x0, x1, x3);
    let t3 = W::ternary::<0x60>(x0, x1, x3);
    let y3 = W::ternary::<0xc9>(x2, t2, t3);
    let t4 = W::ternary::<0x8e>(x0, x1, x3);
    let t5 = W::ternary::<0x38>(x0, x1, x3);
    let y0 = W::ternary::<0x81>(x2, t4, t4);
    let y1 = W::ternary::<0xa9>(x2, x3, t5);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn shallow_inverse_s5<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0x78>(x0, x1, x2);
    let t1 = x0 & x1;
    let y0 = W::ternary::<0x9c>(x3, t0, t1);
    let t2 = W::ternary::<0x36>(x0, x1, x2);
    let t3 = W::ternary::<0x9a>(x0, x1, x2);
    let y2 = W::ternary::<0xca>(x3, t2, t3);
    let t4 = W::ternary::<0x94>(x0, x1, x2);
    let t5 = W::ternary::<0x26>(x0, x1, x2);
    let t6 = !x1 & x0;
    let y1 = W::ternary::<0x9a>(x3, t6, t4);
    let y3 = W::ternary::<0x95>(x3, x0, t5);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn shallow_s6<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0x16>(x0, x1, x3);
    let t1 = W::ternary::<0x74>(x0, x1, x3);
    let t2 = W::ternary::<0x38>(x0, x1, x3);
    let y0 = W::ternary::<0x63>(x2, t0, t1);
    let y2 = W::ternary::<0xc5>(x2, t0, t2);
    let t3 = W::ternary::<0x6c>(x0, x1, x3);
    let t4 = W::ternary::<0x12>(x0, x1, x3);
    let t5 = W::ternary::<0xb4>(x0, x1, x3);
    let y1 = W::ternary::<0x81>(x2, t3, t3);
    let y3 = W::ternary::<0x56>(x2, t4, t5);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn shallow_inverse_s6<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0x48>(x0, x1, x2);
    let t1 = W::ternary::<0xd0>(x0, x1, x2);
    let y0 = W::ternary::<0xa9>(x3, t0, t1);
    let t2 = W::ternary::<0x2e>(x0, x1, x2);
    let t3 = W::ternary::<0xb4>(x0, x1, x2);
    let y2 = W::ternary::<0x95>(x3, t2, t3);
    let t4 = !x0 & x2;
    let t5 = W::ternary::<0x12>(x0, x1, x2);
    let t6 = W::ternary::<0xbc>(x0, x1, x2);
    let y1 = W::ternary::<0x69>(x3, x1, t4);
    let y3 = W::ternary::<0xa9>(x3, t5, t6);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn shallow_s7<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0x6a>(x0, x1, x3);
    let t1 = W::ternary::<0x82>(x0, x1, x3);
    let y0 = W::ternary::<0xc9>(x2, t0, t1);
    let t2 = W::ternary::<0x76>(x0, x1, x3);
    let t3 = W::ternary::<0x48>(x0, x1, x3);
    let y2 = W::ternary::<0x36>(x2, t2, t3);
    let t4 = W::ternary::<0x1a>(x0, x1, x3);
    let t5 = W::ternary::<0x9c>(x0, x1, x3);
    let t6 = !x1 & x0;
    let y1 = W::ternary::<0x36>(x2, t4, t5);
    let y3 = W::ternary::<0x9a>(x2, t6, t5);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn shallow_inverse_s7<W: Words>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = W::ternary::<0x2e>(x0, x1, x2);
    let t1 = W::ternary::<0xb4>(x0, x1, x2);
    let y0 = W::ternary::<0x95>(x3, t0, t1);
    let t2 = W::ternary::<0x14>(x0, x1, x2);
    let t3 = W::ternary::<0xd2>(x0, x1, x2);
    let y1 = W::ternary::<0x65>(x3, t2, t3);
    let t4 = W::ternary::<0x6c>(x0, x1, x2);
    let t5 = W::ternary::<0xa6>(x0, x1, x2);
    let t6 = W::ternary::<0x16>(x0, x1, x2);
    let t7 = x0 | x1;
    let y2 = W::ternary::<0x5c>(x3, t4, t5);
    let y3 = W::ternary::<0xc6>(x3, t6, t7);
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn two_input_s0<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
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

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn two_input_inverse_s0<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = !x0;
    let t1 = x0 ^ x3;
    let t2 = x1 ^ t1;
    let t3 = !x1 & t0;
    let t4 = x2 ^ t3;
    let t5 = x3 | t2;
    let t6 = t0 ^ t5;
    let y2 = x3 ^ t4;
    let t7 = t6 & t4;
    let y0 = t2 ^ t7;
    let t8 = t6 ^ t4;
    let y3 = y0 ^ t8;
    let t9 = !t8 & y0;
    let y1 = t6 ^ t9;
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn two_input_s1<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
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

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn two_input_inverse_s1<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = !x1;
    let t1 = t0 ^ x3;
    let t2 = x3 | t0;
    let t3 = t1 & x0;
    let t4 = x1 ^ t3;
    let t5 = x2 ^ t1;
    let t6 = x0 ^ t5;
    let y3 = t2 ^ t6;
    let t7 = !t4 & x2;
    let y2 = t6 ^ t7;
    let t8 = t4 ^ t5;
    let t9 = y3 | t8;
    let y0 = t4 ^ t9;
    let y1 = t5 ^ t9;
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn two_input_s2<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
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

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn two_input_inverse_s2<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = !x3;
    let t1 = x0 ^ t0;
    let t2 = x1 ^ x2;
    let t3 = t2 | t0;
    let t4 = x1 ^ t3;
    let t5 = t1 & t4;
    let y2 = t2 ^ t5;
    let t6 = x0 ^ y2;
    let y1 = t4 ^ t6;
    let t7 = t4 & t6;
    let y0 = t1 ^ t7;
    let t8 = y2 & y0;
    let y3 = t4 ^ t8;
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn two_input_s3<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
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

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn two_input_inverse_s3<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = !x2 & x1;
    let t1 = x1 ^ x2;
    let t2 = x0 ^ t0;
    let t3 = x1 ^ x3;
    let t4 = t3 & t2;
    let t5 = x3 | t2;
    let t6 = x1 ^ t4;
    let y0 = t1 ^ t5;
    let t7 = t1 ^ t2;
    let t8 = !t7 & t5;
    let t9 = y0 | t6;
    let y1 = t2 ^ t9;
    let y2 = t3 ^ t8;
    let t10 = !t6 & y0;
    let y3 = t8 ^ t10;
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn two_input_s4<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
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

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn two_input_inverse_s4<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = !x0;
    let t1 = t0 ^ x3;
    let t2 = x2 ^ t1;
    let t3 = !x0 & x1;
    let t4 = t2 ^ t3;
    let t5 = x3 | t0;
    let t6 = !t4 & t5;
    let y1 = x1 ^ t6;
    let t7 = y1 | t1;
    let t8 = t0 ^ t4;
    let y0 = t7 ^ t8;
    let t9 = x3 & y1;
    let y3 = t8 ^ t9;
    let t10 = y0 & y3;
    let y2 = t4 ^ t10;
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn two_input_s5<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
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

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn two_input_inverse_s5<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = !x0 & x3;
    let t1 = x2 ^ t0;
    let t2 = !x2 & x0;
    let t3 = x1 ^ t1;
    let t4 = !t2 & t3;
    let t5 = x3 ^ t4;
    let y3 = !t5;
    let t6 = x1 | t5;
    let t7 = x0 ^ t6;
    let y0 = t3 ^ t7;
    let t8 = t5 | t7;
    let y1 = t1 ^ t8;
    let t9 = y0 | y1;
    let y2 = t3 ^ t9;
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn two_input_s6<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
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

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn two_input_inverse_s6<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = x0 | x2;
    let t1 = x3 ^ t0;
    let t2 = x2 ^ t1;
    let t3 = x0 ^ t1;
    let t4 = t2 & t3;
    let t5 = t1 ^ t4;
    let t6 = !x1;
    let t7 = x1 ^ t5;
    let t8 = !t5 & t6;
    let y1 = t6 ^ t3;
    let y3 = t2 ^ t8;
    let y0 = y3 ^ t7;
    let t9 = !t7 & y3;
    let y2 = t3 ^ t9;
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn two_input_s7<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
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

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn two_input_inverse_s7<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = !x3;
    let t1 = x2 | x3;
    let t2 = x0 & x3;
    let t3 = t1 ^ t2;
    let t4 = x0 ^ x1;
    let t5 = t1 & t4;
    let t6 = !x0 & t0;
    let t7 = x1 | t3;
    let t8 = x2 ^ t7;
    let y0 = t6 ^ t8;
    let y2 = t8 ^ t5;
    let t9 = t0 ^ t5;
    let t10 = x0 | x2;
    let y1 = t9 ^ t10;
    let t11 = !y1 & y2;
    let y3 = t3 ^ t11;
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn timed_s0<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = !x3;
    let t1 = x1 ^ x3;
    let t2 = t0 | x1;
    let t3 = x0 ^ t2;
    let t4 = t1 ^ x0;
    let t5 = t0 ^ x2;
    let t6 = x0 | x2;
    let t7 = x1 | x2;
    let t8 = x2 | x3;
    let t9 = x2 ^ t8;
    let t10 = t6 & t1;
    let t11 = t5 & t3;
    let t12 = t7 & t4;
    let t13 = t1 | x0;
    let t14 = x3 & t7;
    let t15 = !t14;
    let t16 = x1 ^ x2;
    let y0 = t10 ^ t11;
    let y2 = t9 ^ t12;
    let t17 = x2 & t13;
    let t18 = x0 | x3;
    let t19 = t15 ^ t17;
    let y3 = t16 ^ t18;
    let y1 = x0 ^ t19;
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn timed_inverse_s0<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = !x2;
    let t1 = x0 ^ x2;
    let t2 = x0 | x2;
    let t3 = !t2;
    let t4 = t2 ^ x3;
    let t5 = x3 & t0;
    let t6 = x0 ^ x3;
    let t7 = x0 ^ x1;
    let t8 = x1 & x0;
    let t9 = t0 ^ x3;
    let t10 = t0 | x3;
    let t11 = t1 | x3;
    let t12 = t4 | t6;
    let t13 = t4 | t8;
    let t14 = t11 & x1;
    let t15 = t5 | x1;
    let t16 = t7 | x1;
    let t17 = t3 | t9;
    let t18 = t7 | t10;
    let y2 = t16 ^ t9;
    let y0 = t14 ^ t17;
    let y3 = t13 ^ t18;
    let y1 = t12 ^ t15;
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn timed_s1<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = !x1;
    let t1 = x1 | x3;
    let t2 = !x3;
    let t3 = x0 ^ x2;
    let t4 = x0 ^ x1;
    let t5 = x2 & x0;
    let t6 = x3 & x0;
    let t7 = t0 | x0;
    let t8 = t1 & x2;
    let t9 = t7 ^ x2;
    let t10 = t2 | t3;
    let t11 = t5 ^ x1;
    let t12 = !t4;
    let t13 = t6 | t8;
    let t14 = t11 & t10;
    let y0 = t12 ^ t13;
    let t15 = t2 | t4;
    let y2 = t9 ^ x3;
    let y3 = t14 ^ t15;
    let t16 = t14 ^ y2;
    let y1 = x0 ^ t16;
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn timed_inverse_s1<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = !x0;
    let t1 = x0 ^ x2;
    let t2 = x0 | x2;
    let t3 = x0 ^ x3;
    let t4 = t0 ^ x1;
    let t5 = x2 & x0;
    let t6 = t1 ^ x3;
    let t7 = x2 & x1;
    let t8 = x0 | x1;
    let t9 = x1 | x2;
    let t10 = t0 | x3;
    let t11 = t2 | x3;
    let t12 = t8 ^ t11;
    let t13 = t7 ^ t10;
    let t14 = t9 & t3;
    let t15 = t4 | t6;
    let t16 = x3 & x1;
    let t17 = t4 | t7;
    let t18 = t5 | x3;
    let y2 = t17 ^ t18;
    let y0 = t15 & t13;
    let y1 = t12 ^ t14;
    let y3 = t6 ^ t16;
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn timed_s2<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = !x3;
    let t1 = x1 ^ x3;
    let t2 = x1 ^ x2;
    let t3 = !x0;
    let t4 = t1 ^ x0;
    let t5 = t0 | x0;
    let t6 = x2 & x1;
    let t7 = x1 | x2;
    let t8 = x2 ^ x3;
    let t9 = t5 & t2;
    let t10 = x2 & t3;
    let t11 = t4 ^ t7;
    let t12 = t3 | t6;
    let t13 = t1 | x1;
    let t14 = t1 & t8;
    let t15 = x2 ^ t13;
    let t16 = t12 ^ x3;
    let y2 = t9 ^ t11;
    let y0 = t1 ^ t10;
    let y3 = t15 ^ t16;
    let t17 = t14 | x0;
    let y1 = t15 ^ t17;
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn timed_inverse_s2<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = x0 | x2;
    let t1 = !x2;
    let t2 = x2 ^ x3;
    let t3 = !x1;
    let t4 = x1 & x0;
    let t5 = x3 & x0;
    let t6 = t0 & x1;
    let t7 = x3 & t0;
    let t8 = x0 | x3;
    let t9 = t8 & t3;
    let t10 = x1 ^ x2;
    let t11 = x0 ^ x3;
    let t12 = t1 | t5;
    let t13 = t2 ^ t6;
    let t14 = t2 | x1;
    let t15 = t4 | t7;
    let y3 = t12 ^ t13;
    let y0 = t11 ^ t14;
    let y2 = t9 ^ t12;
    let y1 = t10 ^ t15;
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn timed_s3<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = x3 & x1;
    let t1 = x1 | x3;
    let t2 = x1 ^ x3;
    let t3 = x1 & x0;
    let t4 = x3 & x0;
    let t5 = x0 | t0;
    let t6 = t1 & x2;
    let t7 = t5 ^ x3;
    let t8 = x0 ^ x2;
    let t9 = t2 ^ x0;
    let t10 = t3 | x2;
    let t11 = t4 | t6;
    let t12 = x0 | x3;
    let t13 = x0 & t2;
    let t14 = t12 & t8;
    let y0 = t9 ^ t11;
    let t15 = t2 ^ t10;
    let y2 = t7 ^ t10;
    let y3 = t14 ^ t15;
    let t16 = t13 | x1;
    let y1 = t14 ^ t16;
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn timed_inverse_s3<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = !x0;
    let t1 = x0 ^ x2;
    let t2 = x2 & x0;
    let t3 = x0 | x2;
    let t4 = x1 ^ x3;
    let t5 = x1 ^ t3;
    let t6 = x3 & t0;
    let t7 = t2 ^ x3;
    let t8 = t1 ^ x1;
    let t9 = t1 | x1;
    let t10 = x2 | x3;
    let t11 = t6 ^ t1;
    let t12 = t7 & t4;
    let t13 = t9 ^ x3;
    let t14 = t5 | t6;
    let t15 = t10 & t8;
    let t16 = t10 & x1;
    let t17 = t7 | x1;
    let y1 = t15 ^ t17;
    let y2 = t13 ^ t14;
    let y3 = t12 ^ t14;
    let y0 = t11 ^ t16;
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn timed_s4<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = x3 & x1;
    let t1 = x1 | x3;
    let t2 = !t1;
    let t3 = x1 & x0;
    let t4 = x3 & x0;
    let t5 = x0 | t0;
    let t6 = t1 & x2;
    let t7 = t5 ^ x2;
    let t8 = t4 ^ x2;
    let t9 = x0 ^ x1;
    let t10 = t2 | t3;
    let t11 = t3 | t6;
    let t12 = t7 ^ t8;
    let y0 = t8 ^ t10;
    let y2 = t7 ^ t11;
    let t13 = x1 | x2;
    let t14 = t9 | x3;
    let t15 = t8 ^ x1;
    let y3 = t12 ^ t13;
    let t16 = x2 | t14;
    let y1 = t15 ^ t16;
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn timed_inverse_s4<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = !x0;
    let t1 = x0 ^ x2;
    let t2 = x0 | x2;
    let t3 = t2 ^ x3;
    let t4 = !x1;
    let t5 = x1 ^ x2;
    let t6 = x1 & t0;
    let t7 = x1 & x0;
    let t8 = x3 & x0;
    let t9 = t0 ^ x3;
    let t10 = t0 | x1;
    let t11 = t1 | x3;
    let t12 = t10 & t3;
    let t13 = t8 & t5;
    let t14 = t4 | t5;
    let t15 = t3 | t6;
    let t16 = t7 | t9;
    let t17 = t4 ^ t11;
    let y1 = t12 | t13;
    let y3 = t16 ^ t17;
    let y2 = t14 ^ t15;
    let y0 = t13 ^ t17;
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn timed_s5<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = !x1;
    let t1 = x3 & t0;
    let t2 = x1 ^ x3;
    let t3 = x3 & x1;
    let t4 = !x3;
    let t5 = x0 & t2;
    let t6 = t1 | x0;
    let t7 = t3 | x2;
    let t8 = x1 | x3;
    let t9 = !x2;
    let t10 = t7 & t6;
    let t11 = t4 ^ x1;
    let t12 = t5 ^ t8;
    let t13 = x0 | x3;
    let t14 = t9 & t4;
    let t15 = t9 | t5;
    let t16 = x1 ^ t13;
    let y2 = t10 ^ t11;
    let t17 = t13 & x1;
    let y0 = t9 ^ t12;
    let y3 = t15 ^ t16;
    let t18 = t14 ^ t17;
    let y1 = x0 ^ t18;
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn timed_inverse_s5<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = !x2;
    let t1 = x0 ^ x2;
    let t2 = x0 ^ x3;
    let t3 = x1 & x0;
    let t4 = t1 ^ x3;
    let t5 = x3 & x0;
    let t6 = t0 ^ x1;
    let t7 = x0 | x1;
    let t8 = x0 | x3;
    let t9 = t7 & t4;
    let t10 = x1 & t6;
    let t11 = t3 | t6;
    let t12 = t8 & x1;
    let t13 = t2 | t3;
    let t14 = t1 | t5;
    let t15 = x1 | x3;
    let y0 = t10 ^ t13;
    let y2 = t12 ^ t14;
    let y1 = t9 ^ t15;
    let y3 = t5 ^ t11;
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn timed_s6<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = !x3;
    let t1 = !x1;
    let t2 = t0 | t1;
    let t3 = t1 | x3;
    let t4 = x0 & t2;
    let t5 = t0 ^ x0;
    let t6 = t1 ^ x2;
    let t7 = t3 & x2;
    let t8 = x1 | x3;
    let t9 = x0 ^ t8;
    let t10 = t0 ^ x1;
    let t11 = t5 | t6;
    let t12 = t4 | t7;
    let t13 = x1 | x2;
    let t14 = x2 ^ x3;
    let y2 = t11 ^ t12;
    let y0 = t10 ^ t12;
    let t15 = t13 & t9;
    let t16 = t0 | x0;
    let y3 = t14 ^ t15;
    let t17 = t14 ^ t16;
    let y1 = t17 ^ x1;
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn timed_inverse_s6<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = !x0;
    let t1 = x0 ^ x2;
    let t2 = x0 | x2;
    let t3 = x3 & t1;
    let t4 = t0 ^ x1;
    let t5 = t1 ^ x3;
    let t6 = t0 ^ t2;
    let t7 = t2 & x1;
    let t8 = x3 & x1;
    let t9 = t1 | x3;
    let t10 = x1 | x3;
    let t11 = t4 ^ t5;
    let t12 = t6 ^ t9;
    let t13 = x2 & x0;
    let t14 = t3 | t7;
    let t15 = t4 | t8;
    let t16 = t10 & x2;
    let y2 = t15 ^ t16;
    let y0 = t12 ^ t14;
    let y1 = t11 ^ t13;
    let y3 = t11 ^ t14;
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn timed_s7<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = !x3;
    let t1 = x3 & x1;
    let t2 = x1 | x3;
    let t3 = x2 ^ x3;
    let t4 = x1 ^ x2;
    let t5 = x0 ^ x1;
    let t6 = x1 & x0;
    let t7 = x3 & x0;
    let t8 = x2 & t1;
    let t9 = t0 | x2;
    let t10 = x0 | t2;
    let t11 = t8 ^ t10;
    let t12 = t3 ^ t6;
    let t13 = t4 | x0;
    let t14 = t5 ^ t7;
    let t15 = t5 | t9;
    let t16 = t6 | x2;
    let t17 = t13 ^ t16;
    let t18 = t7 ^ x2;
    let y0 = t12 ^ t15;
    let y2 = t11 ^ t16;
    let t19 = t4 | t14;
    let y3 = t17 ^ t18;
    let t20 = x0 ^ t19;
    let y1 = t20 ^ x3;
    [y0, y1, y2, y3]
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn timed_inverse_s7<W: Word>([x0, x1, x2, x3]: [W; 4]) -> [W; 4] {
    let t0 = !x0;
    let t1 = x0 | x2;
    let t2 = x1 ^ t1;
    let t3 = x1 & x0;
    let t4 = t0 ^ x1;
    let t5 = t0 ^ x2;
    let t6 = x3 & x0;
    let t7 = x3 & x1;
    let t8 = x1 | x3;
    let t9 = x2 | x3;
    let t10 = t9 & t2;
    let t11 = t9 & t5;
    let t12 = t0 ^ x3;
    let t13 = t4 | t7;
    let t14 = t6 | t7;
    let t15 = t6 | x1;
    let t16 = t8 & x2;
    let t17 = t3 | x2;
    let y3 = t14 ^ t17;
    let y0 = t13 ^ t16;
    let y2 = t11 ^ t15;
    let y1 = t10 ^ t12;
    [y0, y1, y2, y3]
}
