//! The choice of the circuit for an S-box of Serpent: by the number of the box, by the instructions of the vector, and by
//! whether one group waits for each gate or several groups want few gates.

use super::circuits;
use abreast_simd::{Word, Words};

/// S-box `S`; `SHALLOW` asks for the shorter chain.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn sbox<const S: usize, const SHALLOW: bool, W: Words>(x: [W; 4]) -> [W; 4] {
    match (W::TERNARY, SHALLOW, S) {
        (true, false, 0) => circuits::ternary_s0(x),
        (true, false, 1) => circuits::ternary_s1(x),
        (true, false, 2) => circuits::ternary_s2(x),
        (true, false, 3) => circuits::ternary_s3(x),
        (true, false, 4) => circuits::ternary_s4(x),
        (true, false, 5) => circuits::ternary_s5(x),
        (true, false, 6) => circuits::ternary_s6(x),
        (true, false, _) => circuits::ternary_s7(x),
        (true, true, 0) => circuits::shallow_s0(x),
        (true, true, 1) => circuits::shallow_s1(x),
        (true, true, 2) => circuits::shallow_s2(x),
        (true, true, 3) => circuits::shallow_s3(x),
        (true, true, 4) => circuits::shallow_s4(x),
        (true, true, 5) => circuits::shallow_s5(x),
        (true, true, 6) => circuits::shallow_s6(x),
        (true, true, _) => circuits::shallow_s7(x),
        (false, _, 0) => circuits::two_input_s0(x),
        (false, _, 1) => circuits::two_input_s1(x),
        (false, _, 2) => circuits::two_input_s2(x),
        (false, _, 3) => circuits::two_input_s3(x),
        (false, _, 4) => circuits::two_input_s4(x),
        (false, _, 5) => circuits::two_input_s5(x),
        (false, _, 6) => circuits::two_input_s6(x),
        (false, _, _) => circuits::two_input_s7(x),
    }
}

/// The inverse of S-box `S`.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn inverse_sbox<const S: usize, const SHALLOW: bool, W: Words>(x: [W; 4]) -> [W; 4] {
    match (W::TERNARY, SHALLOW, S) {
        (true, false, 0) => circuits::ternary_inverse_s0(x),
        (true, false, 1) => circuits::ternary_inverse_s1(x),
        (true, false, 2) => circuits::ternary_inverse_s2(x),
        (true, false, 3) => circuits::ternary_inverse_s3(x),
        (true, false, 4) => circuits::ternary_inverse_s4(x),
        (true, false, 5) => circuits::ternary_inverse_s5(x),
        (true, false, 6) => circuits::ternary_inverse_s6(x),
        (true, false, _) => circuits::ternary_inverse_s7(x),
        (true, true, 0) => circuits::shallow_inverse_s0(x),
        (true, true, 1) => circuits::shallow_inverse_s1(x),
        (true, true, 2) => circuits::shallow_inverse_s2(x),
        (true, true, 3) => circuits::shallow_inverse_s3(x),
        (true, true, 4) => circuits::shallow_inverse_s4(x),
        (true, true, 5) => circuits::shallow_inverse_s5(x),
        (true, true, 6) => circuits::shallow_inverse_s6(x),
        (true, true, _) => circuits::shallow_inverse_s7(x),
        (false, _, 0) => circuits::two_input_inverse_s0(x),
        (false, _, 1) => circuits::two_input_inverse_s1(x),
        (false, _, 2) => circuits::two_input_inverse_s2(x),
        (false, _, 3) => circuits::two_input_inverse_s3(x),
        (false, _, 4) => circuits::two_input_inverse_s4(x),
        (false, _, 5) => circuits::two_input_inverse_s5(x),
        (false, _, 6) => circuits::two_input_inverse_s6(x),
        (false, _, _) => circuits::two_input_inverse_s7(x),
    }
}

/// S-box `S` for a block by itself in general registers.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn timed_sbox<const S: usize, W: Word>(x: [W; 4]) -> [W; 4] {
    match S {
        0 => circuits::timed_s0(x),
        1 => circuits::timed_s1(x),
        2 => circuits::timed_s2(x),
        3 => circuits::timed_s3(x),
        4 => circuits::timed_s4(x),
        5 => circuits::timed_s5(x),
        6 => circuits::timed_s6(x),
        _ => circuits::timed_s7(x),
    }
}

/// The inverse of S-box `S` for a block by itself in general registers.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn timed_inverse_sbox<const S: usize, W: Word>(x: [W; 4]) -> [W; 4] {
    match S {
        0 => circuits::timed_inverse_s0(x),
        1 => circuits::timed_inverse_s1(x),
        2 => circuits::timed_inverse_s2(x),
        3 => circuits::timed_inverse_s3(x),
        4 => circuits::timed_inverse_s4(x),
        5 => circuits::timed_inverse_s5(x),
        6 => circuits::timed_inverse_s6(x),
        _ => circuits::timed_inverse_s7(x),
    }
}
