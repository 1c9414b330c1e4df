//! Rounds of SHA-1 and of SHA-256 on words: those of one message in general registers, or of several in the lanes of vectors.

use abreast_simd::inlined::{CopyFrom, Zipped};
use abreast_simd::sha::{Chain, SHA1_CONSTANTS, SHA256_CONSTANTS};
use abreast_simd::{Baseline, Isa, ShaRounds, Words};

/// A word of one message, or the same word of several.
pub(super) trait MessageWords: Copy {
    type Isa: Isa;
    /// Messages.
    const LANES: usize;

    fn splat(isa: Self::Isa, x: u32) -> Self;
    /// Four words of each message, of which `row` returns the bytes.
    fn four<'b>(isa: Self::Isa, row: impl Fn(usize) -> &'b [u8; 16]) -> [Self; 4];
    /// Hands out four words of each message as rows of their bytes.
    fn rows(words: [Self; 4], row: impl FnMut(usize, &[u8; 16]));
    fn swap_bytes(self) -> Self;
    fn add(self, other: Self) -> Self;
    fn rotl(self, n: u32) -> Self;
    fn shr(self, n: u32) -> Self;
    fn xor(self, other: Self) -> Self;
    fn parity(x: Self, y: Self, z: Self) -> Self;
    fn choose(x: Self, y: Self, z: Self) -> Self;
    fn majority(x: Self, y: Self, z: Self) -> Self;

    /// Rotated to the right by each number, and the sum of that without carries.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn rotations(self, [a, b, c]: [u32; 3]) -> Self {
        Self::parity(self.rotl(32 - a), self.rotl(32 - b), self.rotl(32 - c))
    }
    /// Rotated to the right by two numbers and shifted by a third, and the sum of that without carries.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn rotations_and_shift(self, [a, b]: [u32; 2], c: u32) -> Self {
        Self::parity(self.rotl(32 - a), self.rotl(32 - b), self.shr(c))
    }
}

/// A word of one message, in a general register.
#[derive(Clone, Copy)]
pub(super) struct One(u32);

impl MessageWords for One {
    type Isa = Baseline;
    const LANES: usize = 1;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn splat(_: Baseline, x: u32) -> Self {
        Self(x)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn four<'b>(_: Baseline, row: impl Fn(usize) -> &'b [u8; 16]) -> [Self; 4] {
        let row = u128::from_le_bytes(*row(0));
        [Self(row as u32), Self((row >> 32) as u32), Self((row >> 64) as u32), Self((row >> 96) as u32)]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn rows([a, b, c, d]: [Self; 4], mut row: impl FnMut(usize, &[u8; 16])) {
        let [a, b, c, d] = [u128::from(a.0), u128::from(b.0), u128::from(c.0), u128::from(d.0)];
        row(0, &(a | b << 32 | c << 64 | d << 96).to_le_bytes());
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn swap_bytes(self) -> Self {
        Self(self.0.swap_bytes())
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn xor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn rotl(self, n: u32) -> Self {
        Self(self.0.rotate_left(n))
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn shr(self, n: u32) -> Self {
        Self(self.0 >> n)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn parity(x: Self, y: Self, z: Self) -> Self {
        Self(x.0 ^ y.0 ^ z.0)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn choose(x: Self, y: Self, z: Self) -> Self {
        Self((y.0 ^ z.0) & x.0 ^ z.0)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn majority(x: Self, y: Self, z: Self) -> Self {
        Self((x.0 | y.0) & z.0 | x.0 & y.0)
    }
}

/// A word of each of several messages, in a vector.
#[derive(Clone, Copy)]
pub(super) struct Several<W>(W);

impl<W: Words> MessageWords for Several<W> {
    type Isa = W::Isa;
    const LANES: usize = W::LANES;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn splat(isa: W::Isa, x: u32) -> Self {
        Self(W::splat(isa, x))
    }
    /// A row of four lanes is four words of one message, and transposed one word of four.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn four<'b>(isa: W::Isa, row: impl Fn(usize) -> &'b [u8; 16]) -> [Self; 4] {
        let [a, b, c, d] = W::transpose([
            every_fourth(isa, &row, 0),
            every_fourth(isa, &row, 1),
            every_fourth(isa, &row, 2),
            every_fourth(isa, &row, 3),
        ]);
        [Self(a), Self(b), Self(c), Self(d)]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn rows([a, b, c, d]: [Self; 4], mut row: impl FnMut(usize, &[u8; 16])) {
        for (i, vector) in W::transpose([a.0, b.0, c.0, d.0]).into_iter().enumerate() {
            let mut bytes = [[0; 16]; MOST_LANES / 4];
            let bytes = &mut bytes.as_flattened_mut()[..W::BYTES];
            vector.store(bytes);
            for (lanes, bytes) in bytes.as_chunks().0.iter().enumerate() {
                row(4 * lanes + i, bytes);
            }
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn swap_bytes(self) -> Self {
        Self(self.0.swap_bytes())
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn xor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn rotl(self, n: u32) -> Self {
        Self(self.0.rotl(n))
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn shr(self, n: u32) -> Self {
        Self(self.0.shr(n))
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn parity(x: Self, y: Self, z: Self) -> Self {
        Self(if W::TERNARY { W::ternary::<0b1001_0110>(x.0, y.0, z.0) } else { x.0 ^ y.0 ^ z.0 })
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn choose(x: Self, y: Self, z: Self) -> Self {
        Self(if W::TERNARY { W::ternary::<0b1100_1010>(x.0, y.0, z.0) } else { (y.0 ^ z.0) & x.0 ^ z.0 })
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn majority(x: Self, y: Self, z: Self) -> Self {
        Self(if W::TERNARY {
            W::ternary::<0b1110_1000>(x.0, y.0, z.0)
        } else {
            (x.0 | y.0) & z.0 | x.0 & y.0
        })
    }
}

/// Rows of every fourth message, the first of which is `i`.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn every_fourth<'b, W: Words>(isa: W::Isa, row: &impl Fn(usize) -> &'b [u8; 16], i: usize) -> W {
    W::gather(
        isa,
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        |lanes| row(4 * lanes + i),
    )
}

/// Messages in the lanes of the widest vectors.
pub(crate) const MOST_LANES: usize = 16;

/// Four words of the schedule of SHA-1 (FIPS 180-4, section 6.1.2).
#[derive(Clone, Copy)]
pub(super) struct Sha1Words<X: MessageWords>([X; 4], X::Isa);

impl<X: MessageWords> ShaRounds for Sha1Words<X> {
    type Isa = X::Isa;
    type State = [X; 5];
    const LANES: usize = X::LANES;
    // No boundary: the rounds of a hash.
    const STEPS: usize = 5;
    const UNIFORM: bool = false;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn load<'b>(isa: X::Isa, chain: impl Fn(usize) -> &'b Chain) -> [X; 5] {
        let [[a, b, c, d], [e, ..]] = both_rows(isa, chain);
        [a, b, c, d, e]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn store([a, b, c, d, e]: [X; 5], chain: impl FnMut(usize, &Chain)) {
        // The words that SHA-1 does not have are written over in `chains`.
        chains([a, b, c, d], [e, e, e, e], 1, chain);
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn message<'b>(isa: X::Isa, row: impl Fn(usize) -> &'b [u8; 16]) -> Self {
        Self(message(isa, row), isa)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn schedule([w, x, y, z]: [Self; 4]) -> Self {
        let isa = w.1;
        let (w, x, y, z) = (w.0, x.0, y.0, z.0);
        let a = X::parity(y[0], w[2], w[0]).xor(z[1]).rotl(1);
        let b = X::parity(y[1], w[3], w[1]).xor(z[2]).rotl(1);
        let c = X::parity(y[2], x[0], w[2]).xor(z[3]).rotl(1);
        let d = X::parity(y[3], x[1], w[3]).xor(a).rotl(1);
        Self([a, b, c, d], isa)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn begin(chain: [X; 5]) -> [X; 5] {
        chain
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn rounds<const QUARTER: usize>(self, [mut a, mut b, mut c, mut d, mut e]: [X; 5], _: usize) -> [X; 5] {
        let constant = X::splat(self.1, SHA1_CONSTANTS[QUARTER]);
        for word in self.0 {
            let f = match QUARTER {
                0 => X::choose(b, c, d),
                2 => X::majority(b, c, d),
                _ => X::parity(b, c, d),
            };
            let sum = e.add(word.add(constant)).add(f).add(a.rotl(5));
            (a, b, c, d, e) = (sum, a, b.rotl(30), c, d);
        }
        [a, b, c, d, e]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn finish(state: [X; 5], before: [X; 5]) -> [X; 5] {
        sums(state, before)
    }
}

/// Four words of the schedule of SHA-256 (section 6.2.2).
#[derive(Clone, Copy)]
pub(super) struct Sha256Words<X: MessageWords>([X; 4], X::Isa);

impl<X: MessageWords> ShaRounds for Sha256Words<X> {
    type Isa = X::Isa;
    type State = [X; 8];
    const LANES: usize = X::LANES;
    // No boundary: the rounds of a hash.
    const STEPS: usize = 4;
    const UNIFORM: bool = true;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn load<'b>(isa: X::Isa, chain: impl Fn(usize) -> &'b Chain) -> [X; 8] {
        let [[a, b, c, d], [e, f, g, h]] = both_rows(isa, chain);
        [a, b, c, d, e, f, g, h]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn store([a, b, c, d, e, f, g, h]: [X; 8], chain: impl FnMut(usize, &Chain)) {
        chains([a, b, c, d], [e, f, g, h], 4, chain);
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn message<'b>(isa: X::Isa, row: impl Fn(usize) -> &'b [u8; 16]) -> Self {
        Self(message(isa, row), isa)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn schedule([w, x, y, z]: [Self; 4]) -> Self {
        let isa = w.1;
        let (w, x, y, z) = (w.0, x.0, y.0, z.0);
        let a = next_word(z[2], y[1], w[1], w[0]);
        let b = next_word(z[3], y[2], w[2], w[1]);
        let c = next_word(a, y[3], w[3], w[2]);
        let d = next_word(b, z[0], x[0], w[3]);
        Self([a, b, c, d], isa)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn begin(chain: [X; 8]) -> [X; 8] {
        chain
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn rounds<const QUARTER: usize>(self, state: [X; 8], step: usize) -> [X; 8] {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
        let constants = &SHA256_CONSTANTS[step % 16];
        for (word, constant) in self.0.into_iter().zipped(constants) {
            let t1 = h.add(word.add(X::splat(self.1, *constant)));
            let t1 = t1.add(X::choose(e, f, g)).add(e.rotations([6, 11, 25]));
            let t2 = X::majority(a, b, c).add(a.rotations([2, 13, 22]));
            (a, b, c, d, e, f, g, h) = (t1.add(t2), a, b, c, d.add(t1), e, f, g);
        }
        [a, b, c, d, e, f, g, h]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn finish(state: [X; 8], before: [X; 8]) -> [X; 8] {
        sums(state, before)
    }
}

/// The next word of the schedule of SHA-256, of those two, seven, fifteen and sixteen before it.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn next_word<X: MessageWords>(two: X, seven: X, fifteen: X, sixteen: X) -> X {
    let known = sixteen.add(fifteen.rotations_and_shift([7, 18], 3)).add(seven);
    known.add(two.rotations_and_shift([17, 19], 10))
}

/// Four big-endian words of each message.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn message<'b, X: MessageWords>(isa: X::Isa, row: impl Fn(usize) -> &'b [u8; 16]) -> [X; 4] {
    let [a, b, c, d] = X::four(isa, row);
    [a.swap_bytes(), b.swap_bytes(), c.swap_bytes(), d.swap_bytes()]
}

/// The words of chaining values, in two rows.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn both_rows<'b, X: MessageWords>(isa: X::Isa, chain: impl Fn(usize) -> &'b Chain) -> [[X; 4]; 2] {
    let first = X::four(
        isa,
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        |lane| &chain(lane)[0],
    );
    let second = X::four(
        isa,
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        |lane| &chain(lane)[1],
    );
    [first, second]
}

/// Hands out the chaining values of words, of whose second row the first `used` count.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn chains<X: MessageWords>(first: [X; 4], second: [X; 4], used: usize, mut chain: impl FnMut(usize, &Chain)) {
    let mut all = [[[0; 16]; 2]; MOST_LANES];
    X::rows(
        first,
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        |lane, row| all[lane][0] = *row,
    );
    X::rows(
        second,
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        |lane, row| all[lane][1][..4 * used].copy_from(&row[..4 * used]),
    );
    for (lane, its) in all.iter().enumerate().take(X::LANES) {
        chain(lane, its);
    }
}

/// Sums word by word.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn sums<X: MessageWords, const N: usize>(mut a: [X; N], b: [X; N]) -> [X; N] {
    for (a, b) in a.iter_mut().zipped(b) {
        *a = a.add(b);
    }
    a
}
