//! GHASH, the polynomial hash of GCM (SP 800-38D, section 6.4), over carry-less products.
//!
//! Blocks are reversed byte by byte on their way in, which turns GHASH into POLYVAL (RFC 8452, appendix
//! A): the hash key is multiplied by `x` once, and then products need no shift. A product of two blocks
//! has 256 bits in three parts, `low + middle x^64 + high x^128`; sums of products are reduced once, by
//! two further products with the constant of the field (Montgomery's way, 64 bits at a time).
//!
//! `n` blocks are hashed as `(acc + b1) H^n + b2 H^(n-1) + .. + bn H`: the powers are kept with the key,
//! so that all products of a pass are independent.

use abreast_simd::{Blocks, Clmul};
use zeroize::Zeroize;

/// Powers kept, and so the most blocks between two reductions.
pub(crate) const POWERS: usize = 32;

/// Blocks between two reductions in [`absorb`]; with a last block behind a rest there are still enough
/// powers.
const PASS: usize = POWERS / 2;

/// The most lanes of a vector less one: zeros behind the powers, read beside the last of them.
const MARGIN: usize = 3;

/// `H^32, .., H^2, H`, then zeros.
#[doc(hidden)]
#[repr(align(64))]
pub struct GhashKey([[u8; 16]; POWERS + MARGIN]);

impl GhashKey {
    /// The powers of `h`, the encrypted zero block.
    #[inline(always)]
    pub(crate) fn new<V: Clmul>(isa: V::Isa, h: &[u8; 16]) -> Self {
        let mut powers = [[0; 16]; POWERS + MARGIN];
        let times_x = times_x(u128::from_be_bytes(*h));
        powers[POWERS - 1] = times_x.to_le_bytes();
        for n in 2..=POWERS {
            // From halves, so that the chain of products is five deep and not 31.
            let (a, b) = (n / 2, n - n / 2);
            let mut product = Product::zero(V::splat(isa, &[0; 16]));
            product.add(V::first(isa, &powers[POWERS - a]), V::first(isa, &powers[POWERS - b]));
            powers[POWERS - n] = product.reduce(isa).to_first();
        }
        Self(powers)
    }

    /// The powers for a vector whose first block is followed by `behind` blocks up to the reduction.
    #[inline(always)]
    fn powers<V: Blocks>(&self, isa: V::Isa, behind: usize) -> V {
        let first = POWERS - 1 - behind;
        V::load(isa, self.0[first..first + V::LANES].as_flattened())
    }
}

impl Drop for GhashKey {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// `x` times a field element of POLYVAL, without a branch.
fn times_x(h: u128) -> u128 {
    let carry = (h >> 127).wrapping_neg();
    h << 1 ^ carry & (0xc2 << 120 | 1)
}

/// A sum of products, not yet reduced.
#[derive(Clone, Copy)]
pub(crate) struct Product<V> {
    low: V,
    middle: V,
    high: V,
}

impl<V: Clmul> Product<V> {
    #[inline(always)]
    pub(crate) fn zero(zero: V) -> Self {
        Self { low: zero, middle: zero, high: zero }
    }

    #[inline(always)]
    fn add(&mut self, a: V, b: V) {
        self.low = self.low ^ a.clmul_low(b);
        self.middle = self.middle ^ a.clmul_cross(b);
        self.high = self.high ^ a.clmul_high(b);
    }

    /// The sum over all lanes, in the first lane.
    #[inline(always)]
    pub(crate) fn reduce(self, isa: V::Isa) -> V {
        let field = V::splat(isa, &(0xc2u128 << 56).to_le_bytes());
        let middle = self.middle ^ self.low.swap_halves() ^ self.low.clmul_low(field);
        let high = self.high ^ middle.swap_halves() ^ middle.clmul_low(field);
        high.fold()
    }
}

/// Hashes vector `i` of a pass of `vectors` full vectors; the first takes up what came before.
#[inline(always)]
pub(crate) fn absorb_vector<V: Clmul>(
    isa: V::Isa,
    key: &GhashKey,
    product: &mut Product<V>,
    before: V,
    pass: &[u8],
    vectors: usize,
    i: usize,
) {
    let mut blocks = V::load(isa, &pass[i * V::BYTES..][..V::BYTES]).reverse_bytes();
    if i == 0 {
        blocks = blocks ^ before;
    }
    product.add(blocks, key.powers(isa, (vectors - i) * V::LANES - 1));
}

/// Hashes `data`, padded with zeros to whole blocks, and then `last` if there is one.
#[inline(always)]
pub(crate) fn absorb<V: Clmul>(
    isa: V::Isa,
    key: &GhashKey,
    mut hash: V,
    data: &[u8],
    last: Option<&[u8; 16]>,
) -> V {
    let zero = V::splat(isa, &[0; 16]);
    let vectors = PASS / V::LANES;
    let mut passes = data.chunks_exact(vectors * V::BYTES);
    for pass in &mut passes {
        let mut product = Product::zero(zero);
        let mut i = 0;
        while i < vectors {
            absorb_vector(isa, key, &mut product, hash, pass, vectors, i);
            i += 1;
        }
        hash = product.reduce(isa);
    }

    let rest = passes.remainder();
    let mut behind = rest.len().div_ceil(16) + usize::from(last.is_some());
    if behind == 0 {
        return hash;
    }
    let mut product = Product::zero(zero);
    for blocks in rest.chunks(V::BYTES) {
        let blocks = V::load_partial(isa, blocks).reverse_bytes() ^ hash;
        product.add(blocks, key.powers(isa, behind - 1));
        hash = zero;
        behind = behind.saturating_sub(V::LANES);
    }
    if let Some(block) = last {
        product.add(V::first(isa, block).reverse_bytes() ^ hash, key.powers(isa, 0));
    }
    product.reduce(isa)
}
