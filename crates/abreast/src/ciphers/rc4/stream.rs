//! The generator: steps of one state, and of several side by side.
//!
//! A step is
//!
//! ```text
//! i += 1;  j += S[i];  swap S[i], S[j];  output S[S[i] + S[j]]
//! ```
//!
//! Nothing in it has to wait for the step before but `j`, and that for one addition, provided that `S[i]` is
//! there. It usually is: only where `j` was `i + 1` does the swap of one step change the `S[i]` of the next.
//! So `S[i + 1]` is loaded before the swap and put right in a branch that is taken once in 256 steps. Loaded
//! after the swap, the CPU has to find out each time whether it was just stored; and with a conditional move
//! every step waits for the comparison.
//!
//! One stream at 16 KiB, in cycles a byte on Zen 5, state as words and as bytes:
//!
//! | order | words | bytes |
//! |---|---|---|
//! | as above, byte by byte | 5.6 | 5.3 |
//! | as above, sixteen steps written out | 3.7 to 4.8 | 3.7 to 4.3 |
//! | `S[i + 1]` after the swap, before the output | 3.7 to 5.0 | 3.6 to 4.3 |
//! | `S[i + 1]` before, by a conditional move | 5.1 | 4.8 to 5.0 |
//! | `S[i + 1]` before, by a branch | 2.9 | 3.3 |
//! | `S[i + 2]` before, by two branches | 2.9 | 3.2 |
//! | further before, with an address that waits for `j`, so that no store is passed | 3.6 to 4.8 | 3.7 to 4.8 |
//!
//! To measure, take a state that a key leads to: where `j` is `i + 1` and `S[j]` is 1, both go on side by side for
//! ever (Finney, 1994), and all is quicker by a third.
//!
//! Sixteen steps are written out, from an `i` that is a multiple of 16, so that it is an offset. Four bytes of
//! keystream come together in a register by rotations, whose order the compiler does not change; it gathers
//! bytes that are shifted into place at the end of sixteen steps, out of memory.

use abreast_simd::inlined::CopyFrom;
use abreast_simd::scalar;
use zeroize::optimization_barrier;

/// Bytes of the buffers of keystream, a multiple of [`STEPS`].
pub(crate) const BUFFER: usize = 256;

/// The steps that are written out.
pub(crate) const STEPS: usize = 16;

/// The state of RC4 between two bytes.
#[derive(Clone)]
pub(super) struct Rc4State {
    pub(super) s: [u32; 256],
    pub(super) i: u8,
    pub(super) j: u8,
}

impl Rc4State {
    /// The state before a key schedule.
    pub(super) const FIRST: Self = {
        let mut s = [0; 256];
        let mut k = 0;
        while k < 256 {
            s[k] = k as u32;
            k += 1;
        }
        Self { s, i: 0, j: 0 }
    };

    /// One byte of keystream.
    pub(super) fn next(&mut self) -> u8 {
        self.i = self.i.wrapping_add(1);
        let x = self.s[usize::from(self.i)];
        self.j = self.j.wrapping_add(x as u8);
        let y = core::mem::replace(&mut self.s[usize::from(self.j)], x);
        self.s[usize::from(self.i)] = y;
        self.s[usize::from((x + y) as u8)] as u8
    }

    /// Is it where [`fill`] can begin?
    pub(super) fn is_aligned(&self) -> bool {
        usize::from(self.i).is_multiple_of(STEPS)
    }
}

impl Drop for Rc4State {
    fn drop(&mut self) {
        // All at once, where `zeroize` would store each word by itself.
        (self.s, self.i, self.j) = ([0; 256], 0, 0);
        optimization_barrier(self);
    }
}

/// Keystream on its way to the data of `N` streams.
pub(super) struct Buffers<const N: usize>(pub(super) [[u8; BUFFER]; N]);

impl<const N: usize> Buffers<N> {
    pub(super) fn new() -> Self {
        Self([[0; BUFFER]; N])
    }
}

impl<const N: usize> Drop for Buffers<N> {
    fn drop(&mut self) {
        self.0 = [[0; BUFFER]; N];
        optimization_barrier(self);
    }
}

/// A state while its steps are done.
pub(super) struct Running<'s> {
    state: &'s mut Rc4State,
    /// The first of the steps that are written out, a multiple of [`STEPS`].
    pub(super) base: usize,
    /// `j` in the low byte.
    j: u32,
    /// `S` where the next step is.
    next: u32,
}

impl<'s> Running<'s> {
    /// The next step is at `i = base + offset`.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(super) fn new(state: &'s mut Rc4State, offset: usize) -> Self {
        let base = usize::from(state.i);
        debug_assert_eq!(base % STEPS, 0);
        Self { base, j: state.j.into(), next: state.s[(base + offset) % 256], state }
    }

    /// The swap of the step at `i = base + offset`, with a byte of the key added to `j`, and the sum of the two
    /// bytes.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(super) fn swap(&mut self, offset: usize, key: u8) -> u32 {
        let s = &mut self.state.s;
        let i = self.base % 256 / STEPS * STEPS + offset;
        let x = self.next;
        self.next = s[(i + 1) % 256];
        self.j = self.j.wrapping_add(x).wrapping_add(key.into());
        let j = usize::from(self.j as u8);
        if j == (i + 1) % 256 {
            // By `scalar`, or the compiler would make it a conditional move.
            self.next = scalar(x);
        }
        let y = s[j];
        s[i % 256] = y;
        s[j] = x;
        x + y
    }

    /// A step, and its byte of keystream.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn step(&mut self, offset: usize) -> u32 {
        let sum = self.swap(offset, 0);
        self.state.s[usize::from(sum as u8)]
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn finish(self) {
        (self.state.i, self.state.j) = (self.base as u8, self.j as u8);
    }
}

/// The first `len` bytes of each buffer, a multiple of [`STEPS`], become the next keystream of its state, which
/// is aligned.
#[inline(never)]
pub(super) fn fill<const N: usize>(states: &mut [Rc4State; N], buffers: &mut Buffers<N>, len: usize) {
    let mut running = states.each_mut().map(|state| Running::new(state, 1));
    for at in (0..len.min(BUFFER)).step_by(STEPS) {
        let at = at % BUFFER / STEPS * STEPS;
        let mut words = [0; N];
        sixteen_times(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |k| {
                for n in 0..N {
                    let byte = running[n].step(k + 1);
                    words[n] = if k % 4 == 0 { byte } else { words[n] ^ byte }.rotate_right(8);
                    if k % 4 == 3 {
                        buffers.0[n][at + k - 3..at + k + 1].copy_from(&words[n].to_le_bytes());
                    }
                }
            },
        );
        for running in &mut running {
            running.base += STEPS;
        }
    }
    for running in running {
        running.finish();
    }
}

/// Calls `f` with 0 to 15, written out so far that the compiler unrolls the rest.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn sixteen_times(mut f: impl FnMut(usize)) {
    four_times(0, &mut f);
    four_times(4, &mut f);
    four_times(8, &mut f);
    four_times(12, &mut f);
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn four_times(first: usize, f: &mut impl FnMut(usize)) {
    for k in first..first + 4 {
        f(k);
    }
}
