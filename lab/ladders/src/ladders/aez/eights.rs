//! The passes over eight pairs at a time, whose offsets differ in the multiple of L alone.
//!
//! They are written for vectors of one, two or four blocks. Where there is more than one, left and right blocks are
//! separated on the way in and put together on the way out. Between the passes W and X stay apart.

use abreast_simd::{AesBlocks, AesIsa, Blocks};

use super::key::times;
use super::vectors::{Aes, Passes, lanes};

/// Bytes of eight pairs.
const EIGHT: usize = 256;

/// The common term of the offsets of E(1, i) of eight pairs: J with 2 I, then with 4 I, 8 I, ..
trait Shared<I: AesIsa> {
    fn new(aes: &Aes<'_, I>) -> Self;
    /// The next one, in every lane.
    fn next(&mut self, aes: &Aes<'_, I>) -> I::Blocks;
}

/// The common term whose power of two is doubled by the multiplication for all factors.
struct Multiplied(u128);

impl<I: AesIsa> Shared<I> for Multiplied {
    #[inline(always)]
    fn new(aes: &Aes<'_, I>) -> Self {
        Self(aes.key.i)
    }

    #[inline(always)]
    fn next(&mut self, aes: &Aes<'_, I>) -> I::Blocks {
        self.0 = times(2, self.0);
        lanes(aes.isa, self.0 ^ aes.key.j)
    }
}

/// The common term whose power of two is doubled in a vector, which counts bits from the other end.
struct Doubled<B> {
    power: B,
    j: B,
}

impl<I: AesIsa> Shared<I> for Doubled<I::Blocks> {
    #[inline(always)]
    fn new(aes: &Aes<'_, I>) -> Self {
        Self { power: aes.i.reverse_bytes(), j: aes.j.reverse_bytes() }
    }

    #[inline(always)]
    fn next(&mut self, _: &Aes<'_, I>) -> I::Blocks {
        self.power = self.power.times_x(1);
        (self.power ^ self.j).reverse_bytes()
    }
}

/// Passes that make the common term of eight pairs once for them.
pub(super) struct SharedTerm;

impl Passes for SharedTerm {
    #[inline(always)]
    fn first<I: AesIsa>(aes: &Aes<'_, I>, message: &[u8], output: &mut [u8]) -> I::Blocks {
        first::<I, Multiplied>(aes, message, output)
    }

    #[inline(always)]
    fn second<I: AesIsa>(aes: &Aes<'_, I>, s: I::Blocks, buffer: &mut [u8]) -> I::Blocks {
        second::<I, Multiplied>(aes, s, buffer)
    }
}

/// Pass two takes a round of all eight pairs before the next one.
pub(super) struct PassTwoUnrolled;

impl Passes for PassTwoUnrolled {
    #[inline(always)]
    fn first<I: AesIsa>(aes: &Aes<'_, I>, message: &[u8], output: &mut [u8]) -> I::Blocks {
        first::<I, Multiplied>(aes, message, output)
    }

    #[inline(always)]
    fn second<I: AesIsa>(aes: &Aes<'_, I>, s: I::Blocks, buffer: &mut [u8]) -> I::Blocks {
        second_unrolled::<I, Multiplied>(aes, s, buffer)
    }
}

/// Passes like [`PassTwoUnrolled`], with powers of two that are doubled in a vector.
pub(super) struct DoubledInVectors;

impl Passes for DoubledInVectors {
    #[inline(always)]
    fn first<I: AesIsa>(aes: &Aes<'_, I>, message: &[u8], output: &mut [u8]) -> I::Blocks {
        first::<I, Doubled<I::Blocks>>(aes, message, output)
    }

    #[inline(always)]
    fn second<I: AesIsa>(aes: &Aes<'_, I>, s: I::Blocks, buffer: &mut [u8]) -> I::Blocks {
        second_unrolled::<I, Doubled<I::Blocks>>(aes, s, buffer)
    }
}

/// The first pass, one vector of pairs after the other.
#[inline(always)]
fn first<I: AesIsa, S: Shared<I>>(aes: &Aes<'_, I>, message: &[u8], output: &mut [u8]) -> I::Blocks {
    let mut shared = S::new(aes);
    let mut sum = aes.zero;
    let eights = message.as_chunks::<EIGHT>().0.iter().zip(output.as_chunks_mut::<EIGHT>().0);
    for (src, dst) in eights {
        let one = shared.next(aes);
        let mut n = 0;
        while n < count::<I>() {
            let (a, b) = load(aes, src, n);
            let (left, right) = I::Blocks::unzip(a, b);
            let (w, x) = aes.w_and_x(one ^ multiples(aes, n), left, right);
            store(w, x, dst, n);
            sum = sum ^ x;
            n += 1;
        }
    }
    sum.total()
}

/// The second pass, one vector of pairs after the other.
#[inline(always)]
fn second<I: AesIsa, S: Shared<I>>(aes: &Aes<'_, I>, s: I::Blocks, buffer: &mut [u8]) -> I::Blocks {
    let mut shared = S::new(aes);
    // From the offset of E(1, i) to that of E(2, i).
    let difference = lanes(aes.isa, times(3, aes.key.j));
    let mut sum = aes.zero;
    for eight in buffer.as_chunks_mut::<EIGHT>().0 {
        let one = shared.next(aes);
        let mut n = 0;
        while n < count::<I>() {
            let offset = one ^ multiples(aes, n);
            let (w, x) = load(aes, eight, n);
            let (left, right, y) = aes.ciphertext_and_y([offset, offset ^ difference], s, w, x);
            let (a, b) = I::Blocks::zip(left, right);
            store(a, b, eight, n);
            sum = sum ^ y;
            n += 1;
        }
    }
    sum.total()
}

/// The second pass, round by round on all eight pairs. Blocks that wait lie in the buffer: two blocks of each pair and an
/// offset would be more than there are registers.
#[inline(always)]
fn second_unrolled<I: AesIsa, S: Shared<I>>(aes: &Aes<'_, I>, s: I::Blocks, buffer: &mut [u8]) -> I::Blocks {
    let mut shared = S::new(aes);
    // From the offset of E(1, i) to that of E(2, i).
    let difference = lanes(aes.isa, times(3, aes.key.j));
    let mut sum = aes.zero;
    for eight in buffer.as_chunks_mut::<EIGHT>().0 {
        let one = shared.next(aes);
        // Wider vectors take fewer of these places.
        let mut state = [aes.zero; 8];
        let mut n = 0;
        while n < count::<I>() {
            state[n] = s ^ difference ^ one ^ multiples(aes, n);
            n += 1;
        }
        aes4(aes, &mut state);
        n = 0;
        while n < count::<I>() {
            let (w, x) = load(aes, eight, n);
            let (y, z) = (w ^ state[n], x ^ state[n]);
            store(y, z, eight, n);
            sum = sum ^ y;
            state[n] = z ^ aes.i;
            n += 1;
        }
        aes4(aes, &mut state);
        n = 0;
        while n < count::<I>() {
            let (y, z) = load(aes, eight, n);
            let right = y ^ state[n];
            store(z, right, eight, n);
            state[n] = right ^ one ^ multiples(aes, n);
            n += 1;
        }
        aes4(aes, &mut state);
        n = 0;
        while n < count::<I>() {
            let (z, right) = load(aes, eight, n);
            let (a, b) = I::Blocks::zip(z ^ state[n], right);
            store(a, b, eight, n);
            n += 1;
        }
    }
    sum.total()
}

/// AES4 round by round on as many vectors as hold eight blocks.
#[inline(always)]
fn aes4<I: AesIsa>(aes: &Aes<'_, I>, state: &mut [I::Blocks; 8]) {
    for key in [aes.j, aes.i, aes.l, aes.zero] {
        let mut n = 0;
        while n < count::<I>() {
            state[n] = state[n].encrypt_round(key);
            n += 1;
        }
    }
}

/// Returns the number of vectors that eight blocks take.
#[inline(always)]
const fn count<I: AesIsa>() -> usize {
    8 / I::Blocks::LANES
}

/// The multiples of L of a vector among eight pairs.
#[inline(always)]
fn multiples<I: AesIsa>(aes: &Aes<'_, I>, n: usize) -> I::Blocks {
    let bytes = I::Blocks::BYTES;
    I::Blocks::load(aes.isa, &aes.key.multiples.as_flattened()[bytes * n..][..bytes])
}

/// Two vectors, number 2 n and the next one.
#[inline(always)]
fn load<I: AesIsa>(aes: &Aes<'_, I>, eight: &[u8; EIGHT], n: usize) -> (I::Blocks, I::Blocks) {
    let bytes = I::Blocks::BYTES;
    let (a, b) = eight[2 * bytes * n..][..2 * bytes].split_at(bytes);
    (I::Blocks::load(aes.isa, a), I::Blocks::load(aes.isa, b))
}

/// The inverse of [`load`].
#[inline(always)]
fn store<B: Blocks>(a: B, b: B, eight: &mut [u8; EIGHT], n: usize) {
    let (for_a, for_b) = eight[2 * B::BYTES * n..][..2 * B::BYTES].split_at_mut(B::BYTES);
    a.store(for_a);
    b.store(for_b);
}
