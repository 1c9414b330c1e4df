//! One stream or several side by side, with steps written out.
//!
//! The streams are at the same `i`, so that one index serves all of them, and what they wait for they wait
//! for at the same time. Their keystream goes to buffers first: the pointers to all messages would not find
//! room in the registers.

use abreast_simd::scalar;

use super::state::{Key, State};

/// A stream on its way.
struct Running {
    /// `j` in the low byte.
    j: u32,
    /// `S[i]` of the next step, loaded ahead.
    next: u32,
}

/// Everything of a step but the output: the swap at `i`, with a byte of the key added to `j`. Returns
/// the sum of the two that were swapped.
#[inline(always)]
fn swap(s: &mut [u32; 256], running: &mut Running, i: usize, key: u8) -> u32 {
    let (x, after) = (running.next, (i + 1) % 256);
    running.next = s[after];
    running.j = running.j.wrapping_add(x).wrapping_add(key.into());
    let j = usize::from(running.j as u8);
    let y = s[j];
    s[j] = x;
    s[i] = y;
    if j == after {
        running.next = scalar(x);
    }
    x.wrapping_add(y)
}

/// Calls `step` with the numbers from 0 to `STEPS`, 4 or 16, each of which is a constant of the code.
#[inline(always)]
fn written_out<const STEPS: usize>(mut step: impl FnMut(usize)) {
    four::<0>(&mut step);
    if STEPS == 16 {
        four::<4>(&mut step);
        four::<8>(&mut step);
        four::<12>(&mut step);
    }
}

#[inline(always)]
fn four<const FIRST: usize>(step: &mut impl FnMut(usize)) {
    step(FIRST);
    step(FIRST + 1);
    step(FIRST + 2);
    step(FIRST + 3);
}

/// Encrypts `N` messages of the same length that lie one after the other, by passes with `STEPS` steps
/// written out. A pass is once around the table, 256 bytes, or a whole message if that is shorter.
pub(super) fn crypt<const N: usize, const STEPS: usize, const PASS: usize>(
    states: &mut [State<u32>; N],
    input: &[u8],
    output: &mut [u8],
) {
    let len = input.len() / N;
    let mut buffers = [[0; PASS]; N];
    for at in (0..len).step_by(PASS) {
        keystream::<N, STEPS, PASS>(states, &mut buffers);
        for (n, buffer) in buffers.iter().enumerate() {
            let pass = n * len + at..n * len + at + PASS;
            for ((output, input), byte) in output[pass.clone()].iter_mut().zip(&input[pass]).zip(buffer) {
                *output = input ^ byte;
            }
        }
    }
}

/// The next `PASS` bytes of keystream of `N` streams whose `i` is zero, as it is again after 256 bytes.
#[inline(never)]
pub fn keystream<const N: usize, const STEPS: usize, const PASS: usize>(
    states: &mut [State<u32>; N],
    buffers: &mut [[u8; PASS]; N],
) {
    let mut running = states.each_ref().map(|state| Running { j: state.j.into(), next: state.s[1] });
    for base in (0..PASS).step_by(STEPS) {
        let mut words = [0; N];
        written_out::<STEPS>(
            #[inline(always)]
            |k| {
                for n in 0..N {
                    let s = &mut states[n].s;
                    let sum = swap(s, &mut running[n], (base + k + 1) % 256, 0);
                    let byte = s[usize::from(sum as u8)];
                    // Four bytes come together by rotation, and are stored as one word.
                    words[n] = if k % 4 == 0 { byte } else { words[n] ^ byte }.rotate_right(8);
                    if k % 4 == 3 {
                        buffers[n][base + k - 3..][..4].copy_from_slice(&words[n].to_le_bytes());
                    }
                }
            },
        );
    }
    for (state, running) in states.iter_mut().zip(running) {
        state.j = running.j as u8;
    }
}

/// The key schedules of `N` keys side by side, with sixteen steps written out: as many as a key has bytes.
#[inline(never)]
pub fn schedule<const N: usize>(keys: &[Key; N]) -> [State<u32>; N] {
    let mut states = [State::first(); N];
    let mut running = states.each_ref().map(|state| Running { j: 0, next: state.s[0] });
    for base in (0..256).step_by(16) {
        written_out::<16>(
            #[inline(always)]
            |k| {
                for n in 0..N {
                    swap(&mut states[n].s, &mut running[n], base + k, keys[n][k]);
                }
            },
        );
    }
    states
}
