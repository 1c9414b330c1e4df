//! The passes pair by pair, with three ways to the offsets.

use abreast_simd::{AesIsa, Blocks};

use super::key::{Key, times};
use super::vectors::{Aes, Passes, lanes};

/// The offsets of E(j, 1), E(j, 2), ..
pub(super) trait Offsets {
    /// Returns the offsets of E(j, ..).
    fn new(key: &Key, j: u32) -> Self;
    /// The next one.
    fn next<I: AesIsa>(&mut self, aes: &Aes<'_, I>) -> I::Blocks;
}

impl<O: Offsets> Passes for O {
    #[inline(always)]
    fn first<I: AesIsa>(aes: &Aes<'_, I>, message: &[u8], output: &mut [u8]) -> I::Blocks {
        let mut offsets = O::new(aes.key, 1);
        let mut sum = aes.zero;
        for (src, dst) in message.chunks_exact(32).zip(output.chunks_exact_mut(32)) {
            let (left, right) = load(aes, src);
            let (w, x) = aes.w_and_x(offsets.next(aes), left, right);
            store(w, x, dst);
            sum = sum ^ x;
        }
        sum
    }

    #[inline(always)]
    fn second<I: AesIsa>(aes: &Aes<'_, I>, s: I::Blocks, buffer: &mut [u8]) -> I::Blocks {
        let (mut one, mut two) = (O::new(aes.key, 1), O::new(aes.key, 2));
        let mut sum = aes.zero;
        for pair in buffer.chunks_exact_mut(32) {
            let (w, x) = load(aes, pair);
            let (left, right, y) = aes.ciphertext_and_y([one.next(aes), two.next(aes)], s, w, x);
            store(left, right, pair);
            sum = sum ^ y;
        }
        sum
    }
}

#[inline(always)]
fn load<I: AesIsa>(aes: &Aes<'_, I>, pair: &[u8]) -> (I::Blocks, I::Blocks) {
    let (left, right) = pair.split_at(16);
    (I::Blocks::load(aes.isa, left), I::Blocks::load(aes.isa, right))
}

#[inline(always)]
fn store<B: Blocks>(left: B, right: B, pair: &mut [u8]) {
    let (for_left, for_right) = pair.split_at_mut(16);
    left.store(for_left);
    right.store(for_right);
}

/// Each from scratch, as [`Key::offset`] has it.
pub(super) struct FromScratch {
    j: u32,
    i: u32,
}

impl Offsets for FromScratch {
    #[inline(always)]
    fn new(_: &Key, j: u32) -> Self {
        Self { j, i: 0 }
    }

    #[inline(always)]
    fn next<I: AesIsa>(&mut self, aes: &Aes<'_, I>) -> I::Blocks {
        self.i += 1;
        lanes(aes.isa, aes.key.offset(self.j, self.i))
    }
}

/// The multiple of J and the power of two times I, which change at most once in eight offsets, are kept from one to the
/// next. The multiple of L is made anew.
pub(super) struct Running {
    multiple_of_j: u128,
    power: u128,
    i: u32,
}

impl Offsets for Running {
    #[inline(always)]
    fn new(key: &Key, j: u32) -> Self {
        Self { multiple_of_j: times(j, key.j), power: key.i, i: 0 }
    }

    #[inline(always)]
    fn next<I: AesIsa>(&mut self, aes: &Aes<'_, I>) -> I::Blocks {
        let shared = self.shared();
        lanes(aes.isa, shared ^ times(self.i % 8, aes.key.l))
    }
}

impl Running {
    /// Returns the next offset without its multiple of L.
    #[inline(always)]
    fn shared(&mut self) -> u128 {
        if self.i.is_multiple_of(8) {
            self.power = times(2, self.power);
        }
        self.i += 1;
        self.multiple_of_j ^ self.power
    }
}

/// Offsets like [`Running`], with the eight multiples of L kept with the key.
pub(super) struct KeptMultiples(Running);

impl Offsets for KeptMultiples {
    #[inline(always)]
    fn new(key: &Key, j: u32) -> Self {
        Self(Running::new(key, j))
    }

    #[inline(always)]
    fn next<I: AesIsa>(&mut self, aes: &Aes<'_, I>) -> I::Blocks {
        let multiple = &aes.key.multiples[self.0.i as usize % 8];
        lanes(aes.isa, self.0.shared()) ^ I::Blocks::splat(aes.isa, multiple)
    }
}
