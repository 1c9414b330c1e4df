//! GHASH, the polynomial hash of GCM (SP 800-38D, section 6.4), over carry-less products.
//!
//! Blocks are reversed byte by byte on their way in, which turns GHASH into POLYVAL (RFC 8452, appendix
//! A): the hash key is multiplied by `x` once, and then products need no shift. A product of two blocks
//! has 256 bits in three parts, `low + middle x^64 + high x^128`, and takes three products of halves
//! (Karatsuba's way: on AMD's CPUs these bound GCM). Sums of products are reduced once, by two further
//! products with the constant of the field (Montgomery's way, 64 bits at a time).
//!
//! `n` blocks are hashed as `(acc + b1) H^n + b2 H^(n-1) + .. + bn H`: the powers are kept with the key,
//! so that all products of a pass are independent.
//!
//! POLYVAL itself takes the same products: blocks are loaded as they are, and its key is not multiplied by `x`. AES-GCM-SIV
//! has a key of it for each message, of which no more powers are made than the message needs; HCTR2 keeps all of them.
//!
//! GHASH computes on the vector type of the cipher's instruction set. A kernel over words has only the software
//! vector `SoftBlock`. If the CPU has carry-less products nevertheless, the key holds their level, and runs of data
//! are hashed at that level ([`absorb`]).

use crate::gf128::times_x_polyval;
#[cfg(any(feature = "siv", feature = "cgo"))]
use abreast_simd::Wiped;
#[cfg(feature = "cgo")]
use abreast_simd::inlined::CopyFrom;
use abreast_simd::inlined::Flat;
#[cfg(all(feature = "siv", feature = "batches"))]
use abreast_simd::inlined::Zipped;
#[cfg(feature = "cgo")]
use abreast_simd::portable::{Portable, SoftBlock};
use abreast_simd::{AesIsa, AesLevel, Block, Blocks, Clmul, Isa, dispatch_aes};

/// Bytes of a block.
pub(crate) const BLOCK: usize = 16;

/// Blocks between two reductions.
pub(crate) const PASS: usize = 32;

/// Powers kept: a last block may follow a rest that is nearly a pass.
pub(crate) const POWERS: usize = PASS + 1;

/// `H^33, .., H^2, H` between zeros. Those before bring `H^32`, with which the vectors of a pass begin,
/// to the beginning of a cache line; those after are read beside the last powers.
type Table = [[u8; 16]; FRONT + POWERS + BACK];
const FRONT: usize = 3;
const BACK: usize = 4;

/// Powers of the hash key, and of each the sum of its halves, in both halves.
// In this order: the compiler would put the level in front, and every vector of powers across two cache lines.
#[doc(hidden)]
#[repr(C, align(64))]
pub struct GhashKey {
    powers: Table,
    sums: Table,
    /// The level that hashes if the cipher's own vector is in software.
    level: Option<AesLevel>,
}

/// Returns the place of the `n`th power.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
const fn at(n: usize) -> usize {
    FRONT + POWERS - n
}

/// A vector of powers of the hash key, and the sums of their halves.
pub(crate) struct Power<V> {
    whole: V,
    sum: V,
}

impl<V: Clmul> Power<V> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn new(whole: V) -> Self {
        Self { whole, sum: whole ^ whole.swap_halves() }
    }
}

impl GhashKey {
    /// No key yet.
    pub(crate) const ZERO: Self = Self {
        powers: [[0; 16]; FRONT + POWERS + BACK],
        sums: [[0; 16]; FRONT + POWERS + BACK],
        level: None,
    };

    /// Takes up the hash key `h`, the encrypted zero block.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn set<V: Clmul>(&mut self, isa: V::Isa, level: Option<AesLevel>, h: &[u8; 16]) {
        // In one piece, as it is loaded.
        let first = Block::from(times_x_polyval(u128::from_be_bytes(*h)));
        self.set_powers::<V>(isa, level, first.as_bytes(), POWERS);
    }

    /// Takes up the key of POLYVAL, with as many powers as a message of `blocks` blocks needs.
    #[cfg(any(feature = "siv", feature = "hctr2", feature = "cgo"))]
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn set_polyval<V: Clmul>(
        &mut self,
        isa: V::Isa,
        level: Option<AesLevel>,
        h: &[u8; 16],
        blocks: usize,
    ) {
        self.set_powers::<V>(isa, level, h, blocks.min(POWERS));
    }

    /// Computes the powers of `first` up to number `most`, and up to [`POWERS`] others.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn set_powers<V: Clmul>(&mut self, isa: V::Isa, level: Option<AesLevel>, first: &[u8; 16], most: usize) {
        self.level = level;
        self.powers[at(1)] = *first;
        match level {
            Some(level) if !V::INSTRUCTIONS => dispatch_aes!(level, isa => self.fill_at(isa, most)),
            _ => self.fill::<V>(isa, most),
        }
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn fill_at<I: AesIsa>(&mut self, isa: I, most: usize) {
        self.fill::<I::Blocks>(isa, most);
    }

    /// The powers of the first: one by one up to a vector of them, and then twice as many each time, by products with
    /// the highest, until there are enough or a pass is full. These wait for the highest alone, which is squared in all
    /// lanes, in registers.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn fill<V: Clmul>(&mut self, isa: V::Isa, most: usize) {
        // A call, which all ciphers share.
        isa.run(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            || self.fill_here::<V>(isa, most),
        );
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn fill_here<V: Clmul>(&mut self, isa: V::Isa, most: usize) {
        let zero = V::splat(isa, &[0; 16]);
        let first = Power::new(V::splat(isa, &self.powers[at(1)]));
        self.sums[at(1)] = first.sum.to_first();
        let (mut filled, mut highest) = (1, first.whole);
        while filled < V::LANES {
            let square = square(isa, highest);
            // The first power times itself is the square.
            for lower in 2..=filled {
                let mut product = Product::zero(zero);
                product.add(V::splat(isa, &self.powers[at(lower - 1)]), &Power::new(highest));
                self.keep(filled + lower - 1, Power::new(product.reduce_lanes(isa)));
            }
            filled *= 2;
            self.keep(filled, Power::new(square));
            highest = square;
        }
        while filled < PASS && filled < most {
            let times = Power::new(highest);
            for after in (0..filled).step_by(V::LANES) {
                let mut product = Product::zero(zero);
                let lower = if V::LANES > 1 && filled == V::LANES {
                    // These were stored one by one, which a load of all of them would wait for.
                    V::gather_parts(
                        isa,
                        #[cfg_attr(not(abreast_unoptimized), inline(always))]
                        |lane| &self.powers[at(filled - lane)],
                    )
                } else {
                    self.powers(isa, after + V::LANES - 1).whole
                };
                product.add(lower, &times);
                let power = Power::new(product.reduce_lanes(isa));
                let lanes = at(filled + after + V::LANES)..at(filled + after);
                power.whole.store(self.powers[lanes.clone()].flat_mut());
                power.sum.store(self.sums[lanes].flat_mut());
            }
            filled *= 2;
            highest = square(isa, highest);
        }
        if most > PASS {
            let mut last = Product::zero(zero);
            last.add(highest, &first);
            self.keep(POWERS, Power::new(last.reduce_lanes(isa)));
        }
    }

    /// Keeps a power, which is in all lanes.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn keep<V: Clmul>(&mut self, n: usize, power: Power<V>) {
        self.powers[at(n)] = power.whole.to_first();
        self.sums[at(n)] = power.sum.to_first();
    }

    /// The powers for a vector whose first block is followed by `after` blocks up to the reduction.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn powers<V: Blocks>(&self, isa: V::Isa, after: usize) -> Power<V> {
        let lanes = at(after + 1)..at(after + 1) + V::LANES;
        Power {
            whole: V::load(isa, self.powers[lanes.clone()].flat()),
            sum: V::load(isa, self.sums[lanes].flat()),
        }
    }
}

/// Powers that are kept where keys are many.
#[cfg(feature = "cgo")]
// No boundary: what is hashed under such keys has one length.
pub(crate) const FEW: usize = 8;

/// `H^8, .., H`, the powers of a key of POLYVAL of which a program has many. The sums of their halves are computed at each use.
#[cfg(feature = "cgo")]
#[repr(align(64))]
pub(crate) struct FewPowers([[u8; BLOCK]; FEW]);

#[cfg(feature = "cgo")]
impl FewPowers {
    /// No key yet.
    pub(crate) const ZERO: Self = Self([[0; BLOCK]; FEW]);

    /// Takes up a key, at a level if there is one.
    #[inline(never)]
    pub(crate) fn set(&mut self, level: Option<AesLevel>, h: &[u8; BLOCK]) {
        let mut key = Wiped::new(GhashKey::ZERO);
        key.set_polyval::<SoftBlock>(Portable, level, h, FEW);
        self.0.flat_mut().copy_from(key.powers[at(FEW)..][..FEW].flat());
    }

    /// Returns the first power, the key.
    pub(crate) fn first(&self) -> &[u8; BLOCK] {
        &self.0[FEW - 1]
    }

    /// Returns one power for all lanes of a vector before which there are `before` blocks since the last reduction.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn power<V: Clmul>(&self, isa: V::Isa, before: usize) -> Power<V> {
        Power::new(V::splat(isa, &self.0[before]))
    }

    /// Returns the powers for a vector before whose first block there are `before` others since the last reduction.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn powers<V: Clmul>(&self, isa: V::Isa, before: usize) -> Power<V> {
        Power::new(V::load(isa, self.0[before..][..V::LANES].flat()))
    }
}

/// A sum of products, not yet reduced. The middle part lacks the other two, as Karatsuba leaves it.
#[derive(Clone, Copy)]
pub(crate) struct Product<V> {
    low: V,
    middle: V,
    high: V,
}

impl<V: Clmul> Product<V> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn zero(zero: V) -> Self {
        Self { low: zero, middle: zero, high: zero }
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn add(&mut self, a: V, b: &Power<V>) {
        self.low = self.low ^ a.clmul_low(b.whole);
        self.middle = self.middle ^ (a ^ a.swap_halves()).clmul_low(b.sum);
        self.high = self.high ^ a.clmul_high(b.whole);
    }

    /// The sum over all lanes, in the first lane.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn reduce(self, isa: V::Isa) -> V {
        self.reduce_lanes(isa).fold()
    }

    /// Each lane by itself.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn reduce_lanes(self, isa: V::Isa) -> V {
        reduced(isa, self.low, Some(self.middle ^ self.low ^ self.high), self.high)
    }
}

/// `low + middle x^64 + high x^128` modulo the polynomial of the field, each lane by itself. A square has no middle part.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn reduced<V: Clmul>(isa: V::Isa, low: V, middle: Option<V>, high: V) -> V {
    let field = V::splat(isa, &(0xc2u128 << 56).to_le_bytes());
    let carried = low.swap_halves() ^ low.clmul_low(field);
    let middle = if let Some(middle) = middle { middle ^ carried } else { carried };
    high ^ middle.swap_halves() ^ middle.clmul_low(field)
}

/// The square in each lane: the products of one half with the other cancel out.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn square<V: Clmul>(isa: V::Isa, x: V) -> V {
    reduced(isa, x.clmul_low(x), None, x.clmul_high(x))
}

/// Hashes vector `i` of a pass of `vectors` full vectors; the first takes up `before`.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn absorb_vector<V: Clmul>(
    isa: V::Isa,
    key: &GhashKey,
    product: &mut Product<V>,
    before: V,
    pass: &[u8],
    vectors: usize,
    i: usize,
) {
    add_vector::<true, V>(isa, key, product, before, pass, vectors, i);
}

/// Hashes vector `i` of a pass as [`absorb_vector`] does, in the order of bytes of GHASH or of POLYVAL.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn add_vector<const REVERSED: bool, V: Clmul>(
    isa: V::Isa,
    key: &GhashKey,
    product: &mut Product<V>,
    before: V,
    pass: &[u8],
    vectors: usize,
    i: usize,
) {
    let mut blocks = ordered::<REVERSED, V>(V::load(isa, &pass[i * V::BYTES..][..V::BYTES]));
    if i == 0 {
        blocks = blocks ^ before;
    }
    product.add(blocks, &key.powers(isa, (vectors - i) * V::LANES - 1));
}

/// Blocks as products take them: reversed for GHASH, as they are for POLYVAL.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn ordered<const REVERSED: bool, V: Clmul>(blocks: V) -> V {
    if REVERSED { blocks.reverse_bytes() } else { blocks }
}

/// Hashes `data`, padded with zeros to whole blocks, and then `last` if there is one. A call: there are
/// several of it in a message.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn absorb<V: Clmul>(
    isa: V::Isa,
    key: &GhashKey,
    hash: V,
    data: &[u8],
    last: Option<&[u8; 16]>,
) -> V {
    absorb_in::<true, V>(isa, key, hash, data, last)
}

/// Absorbs as [`absorb`] does, in the order of bytes of GHASH or of POLYVAL.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn absorb_in<const REVERSED: bool, V: Clmul>(
    isa: V::Isa,
    key: &GhashKey,
    mut hash: V,
    data: &[u8],
    last: Option<&[u8; 16]>,
) -> V {
    if !V::INSTRUCTIONS
        && let Some(level) = key.level
    {
        return V::first(isa, &absorb_at::<REVERSED>(level, key, hash.to_first(), data, last));
    }
    isa.run(
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || absorb_here::<REVERSED, V>(isa, key, &mut hash, data, last),
    );
    hash
}

/// POLYVAL (RFC 8452, section 3) of two strings, each padded with zeros to whole blocks, and a last block. Its key is for
/// one message: the powers are made here, as many as the strings need, and wiped.
#[cfg(feature = "siv")]
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn polyval<V: Clmul>(
    isa: V::Isa,
    level: Option<AesLevel>,
    h: &[u8; 16],
    strings: [&[u8]; 2],
    last: &[u8; 16],
) -> [u8; 16] {
    let [first, second] = strings;
    let blocks = strings.map(|string| string.len().div_ceil(BLOCK));
    if V::INSTRUCTIONS && blocks[0] + blocks[1] < ONE_BY_ONE {
        return one_by_one::<V>(isa, h, strings, last);
    }
    let mut key = Wiped::new(GhashKey::ZERO);
    key.set_polyval::<V>(isa, level, h, blocks[0].max(blocks[1] + 1));
    let mut hash = V::splat(isa, &[0; 16]);
    if !first.is_empty() {
        hash = absorb_in::<false, V>(isa, &key, hash, first, None);
    }
    absorb_in::<false, V>(isa, &key, hash, second, Some(last)).to_first()
}

/// Blocks, with the last one, that are hashed sooner one after the other than powers are made.
#[cfg(feature = "siv")]
pub(crate) const ONE_BY_ONE: usize = 6;

/// Hashes as [`polyval`] does, block after block: each product waits for the one before, and there is no power but the first.
#[cfg(feature = "siv")]
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn one_by_one<V: Clmul>(isa: V::Isa, h: &[u8; 16], strings: [&[u8]; 2], last: &[u8; 16]) -> [u8; 16] {
    let mut hash = [0; 16];
    // A call, which all ciphers share.
    isa.run(
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || {
            let zero = V::splat(isa, &[0; 16]);
            let power = Power::new(V::first(isa, h));
            let mut sum = zero;
            for string in strings {
                for block in string.chunks(BLOCK) {
                    let mut product = Product::zero(zero);
                    product.add(sum ^ V::load_partial(isa, block), &power);
                    sum = product.reduce_lanes(isa);
                }
            }
            let mut product = Product::zero(zero);
            product.add(sum ^ V::first(isa, last), &power);
            hash = product.reduce_lanes(isa).to_first();
        },
    );
    hash
}

/// Hashes on by POLYVAL, messages each under its own key in its own lane, without a table of powers.
///
/// A row is a block of each of `N` messages, of which the first `used` count. One with fewer blocks than others has zeros before
/// them, and before all of them a hash of zero.
#[cfg(all(feature = "siv", feature = "batches"))]
pub(crate) fn polyval_rows<const N: usize>(
    level: AesLevel,
    keys: &[[u8; BLOCK]; N],
    used: usize,
    rows: &[[[u8; BLOCK]; N]],
    hashes: &mut [[u8; BLOCK]; N],
) {
    dispatch_aes!(level, isa => rows_in_lanes(isa, keys, used, rows, hashes));
}

/// Hashes as [`polyval_rows`] does, some registers side by side, since a product waits for the one before.
#[cfg(all(feature = "siv", feature = "batches"))]
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn rows_in_lanes<I: AesIsa, const N: usize>(
    isa: I,
    keys: &[[u8; BLOCK]; N],
    used: usize,
    rows: &[[[u8; BLOCK]; N]],
    hashes: &mut [[u8; BLOCK]; N],
) {
    // No boundary: any number gives the same.
    const SIDE_BY_SIDE: usize = 4;
    let size = I::Blocks::BYTES;
    let zero = I::Blocks::splat(isa, &[0; BLOCK]);
    for at in (0..BLOCK * used).step_by(SIDE_BY_SIDE * size) {
        let part = at..at + SIDE_BY_SIDE * size;
        let mut powers = [zero; SIDE_BY_SIDE];
        for (power, key) in powers.iter_mut().zipped(keys.flat()[part.clone()].chunks_exact(size)) {
            *power = I::Blocks::load(isa, key);
        }
        let mut hash = [zero; SIDE_BY_SIDE];
        for (hash, place) in hash.iter_mut().zipped(hashes.flat()[part.clone()].chunks_exact(size)) {
            *hash = I::Blocks::load(isa, place);
        }
        for row in rows {
            let blocks = row.flat()[part.clone()].chunks_exact(size);
            for ((hash, power), blocks) in hash.iter_mut().zipped(powers).zipped(blocks) {
                let mut product = Product::zero(zero);
                product.add(*hash ^ I::Blocks::load(isa, blocks), &Power::new(power));
                *hash = product.reduce_lanes(isa);
            }
        }
        for (hash, place) in hash.into_iter().zipped(hashes.flat_mut()[part].chunks_exact_mut(size)) {
            hash.store(place);
        }
    }
}

/// Absorbs as [`absorb`] does, at a level of its own.
#[inline(never)]
fn absorb_at<const REVERSED: bool>(
    level: AesLevel,
    key: &GhashKey,
    hash: [u8; 16],
    data: &[u8],
    last: Option<&[u8; 16]>,
) -> [u8; 16] {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn at<const REVERSED: bool, I: AesIsa>(
        isa: I,
        key: &GhashKey,
        hash: &[u8; 16],
        data: &[u8],
        last: Option<&[u8; 16]>,
    ) -> [u8; 16] {
        let mut hash = I::Blocks::first(isa, hash);
        absorb_here::<REVERSED, _>(isa, key, &mut hash, data, last);
        hash.to_first()
    }
    dispatch_aes!(level, isa => at::<REVERSED, _>(isa, key, &hash, data, last))
}

/// Hashes associated data, the first of a message: as a rule no more than a block.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn absorb_first<V: Clmul>(isa: V::Isa, key: &GhashKey, data: &[u8]) -> V {
    let zero = V::splat(isa, &[0; 16]);
    if data.len() > 16 || !V::INSTRUCTIONS {
        return if data.is_empty() { zero } else { absorb(isa, key, zero, data, None) };
    }
    // An empty block adds nothing.
    let mut product = Product::zero(zero);
    product.add(V::load_partial(isa, data).reverse_bytes(), &key.powers(isa, 0));
    product.reduce(isa)
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn absorb_here<const REVERSED: bool, V: Clmul>(
    isa: V::Isa,
    key: &GhashKey,
    hash: &mut V,
    data: &[u8],
    last: Option<&[u8; 16]>,
) {
    isa.align_frame();
    let zero = V::splat(isa, &[0; 16]);
    let vectors = PASS / V::LANES;
    let mut passes = data.chunks_exact(vectors * V::BYTES);
    for pass in &mut passes {
        let mut product = Product::zero(zero);
        for i in 0..vectors {
            add_vector::<REVERSED, V>(isa, key, &mut product, *hash, pass, vectors, i);
        }
        *hash = product.reduce(isa);
    }

    let rest = passes.remainder();
    let mut after = rest.len().div_ceil(16) + usize::from(last.is_some());
    if after == 0 {
        return;
    }
    let mut product = Product::zero(zero);
    for blocks in rest.chunks(V::BYTES) {
        let blocks = ordered::<REVERSED, V>(V::load_partial(isa, blocks)) ^ *hash;
        product.add(blocks, &key.powers(isa, after - 1));
        *hash = zero;
        after = after.saturating_sub(V::LANES);
    }
    if let Some(block) = last {
        product.add(ordered::<REVERSED, V>(V::first(isa, block)) ^ *hash, &key.powers(isa, 0));
    }
    *hash = product.reduce(isa);
}
