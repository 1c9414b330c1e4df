//! One stream, byte by byte: the three versions of the article, and two more.
//!
//! Each of them is a function that is never inlined, so that its machine code can be looked at by itself.

use abreast_simd::scalar;

use super::state::{Element, State};

/// Version 1 of the article: all by the book. The elements are read again after they were swapped.
#[inline(never)]
pub fn version_1(state: &mut State<u8>, input: &[u8], output: &mut [u8]) {
    let State { s, i, j } = state;
    for (input, output) in input.iter().zip(output) {
        *i = i.wrapping_add(1);
        let x = s[usize::from(*i)];
        *j = j.wrapping_add(x);
        s[usize::from(*i)] = s[usize::from(*j)];
        s[usize::from(*j)] = x;
        let sum = s[usize::from(*i)].wrapping_add(s[usize::from(*j)]);
        *output = input ^ s[usize::from(sum)];
    }
}

/// Version 2: what was read before the swap is not read again.
#[inline(never)]
pub fn version_2(state: &mut State<u8>, input: &[u8], output: &mut [u8]) {
    let State { s, i, j } = state;
    for (input, output) in input.iter().zip(output) {
        *i = i.wrapping_add(1);
        let x = s[usize::from(*i)];
        *j = j.wrapping_add(x);
        let y = s[usize::from(*j)];
        s[usize::from(*j)] = x;
        s[usize::from(*i)] = y;
        *output = input ^ s[usize::from(x.wrapping_add(y))];
    }
}

/// Version 3: a byte of keystream is used in the step after the one that loads it.
#[inline(never)]
pub fn version_3(state: &mut State<u8>, input: &[u8], output: &mut [u8]) {
    one_step_late(state, input, output);
}

/// Version 3 with elements of 32 bits.
#[inline(never)]
pub fn version_3_words(state: &mut State<u32>, input: &[u8], output: &mut [u8]) {
    one_step_late(state, input, output);
}

#[inline(always)]
fn one_step_late<T: Element>(state: &mut State<T>, input: &[u8], output: &mut [u8]) {
    let output = &mut output[..input.len()];
    let Some(last) = input.len().checked_sub(1) else { return };
    let mut keystream = step(state);
    for at in 0..last {
        let next = step(state);
        output[at] = input[at] ^ keystream;
        keystream = next;
    }
    output[last] = input[last] ^ keystream;
}

/// A byte of keystream, as in version 2.
#[inline(always)]
fn step<T: Element>(State { s, i, j }: &mut State<T>) -> u8 {
    *i = i.wrapping_add(1);
    let x = s[usize::from(*i)];
    *j = j.wrapping_add(x.byte());
    let y = s[usize::from(*j)];
    s[usize::from(*j)] = x;
    s[usize::from(*i)] = y;
    s[usize::from(x.byte().wrapping_add(y.byte()))].byte()
}

/// `S[i]` of the next step is loaded before this step stores anything.
#[inline(never)]
pub fn next_element_ahead(state: &mut State<u32>, input: &[u8], output: &mut [u8]) {
    let State { s, i, j } = state;
    let mut x = s[usize::from(i.wrapping_add(1))];
    for (input, output) in input.iter().zip(output) {
        *i = i.wrapping_add(1);
        let after = i.wrapping_add(1);
        let mut next = s[usize::from(after)];
        *j = j.wrapping_add(x as u8);
        let y = s[usize::from(*j)];
        s[usize::from(*j)] = x;
        s[usize::from(*i)] = y;
        if *j == after {
            // What was loaded has just been replaced. By `scalar` it stays a branch, which is taken once in
            // 256 steps.
            next = scalar(x);
        }
        *output = input ^ s[usize::from(x.wrapping_add(y) as u8)] as u8;
        x = next;
    }
}
