//! The loops of UIV+ (Degabriele, Melloni, Münch and Stam, "Counter Galois Onion", eprint 2025/583, in the sizes of Tor's proposal 359):
//! a hash of the tweak and of the right part, and counter mode from a hash of the left block. The block between them is a call that
//! is there anyway.
//!
//! Each loop takes one cell under its own keys and is a call: a cell of a batch is hashed while the CPU still encrypts the one before.
//! All lengths are constants, so that the loops are straight code. The last byte of the first counter has its low six bits clear, so
//! that no counter of a cell carries.

use crate::InOutBuf;
use crate::engine::backend::Backend;
use crate::engine::kernel::{Choice, Kernel};
use crate::engine::passes::ModeLoop;
use crate::ghash::{BLOCK, FEW, FewPowers, Power, Product};
use crate::loops::ctr::xor;
use abreast_simd::inlined::Zipped;
use abreast_simd::portable::{Portable, SoftBlock};
use abreast_simd::{AesIsa, Block, Blocks, Clmul, Isa, dispatch_aes};

/// Bytes of a cell.
// No boundary: the only length.
pub(crate) const CELL: usize = 509;

/// Bytes of a cell after its first block.
// No boundary: the only length.
pub(crate) const RIGHT: usize = CELL - BLOCK;

/// Bytes of a tweak.
// No boundary: the only length.
pub(crate) const TWEAK: usize = BLOCK + 1;

/// Blocks that are hashed: a tweak and the right part.
// No boundary: the only number.
const HASHED: usize = (TWEAK + RIGHT).div_ceil(BLOCK);

/// Blocks of keystream before those that new keys are made of (`C` in proposal 359).
// No boundary: a number that is added.
pub(crate) const BEFORE_KEYS: u128 = 31;

/// Numbers in the last byte of a block, for all blocks of keystream.
static NUMBERS: [u8; HASHED * BLOCK] = {
    let mut numbers = [0; HASHED * BLOCK];
    let mut i = 0;
    while i < HASHED {
        numbers[i * BLOCK + BLOCK - 1] = i as u8;
        i += 1;
    }
    numbers
};

/// Hashes the tweak and the right part of a cell at a kernel of AES: its level, or in software.
pub(crate) fn hash(
    kernel: Kernel,
    powers: &FewPowers,
    tweak: &[u8; TWEAK],
    cell: &[u8; CELL],
    hash: &mut [u8; BLOCK],
) {
    match kernel.0 {
        Choice::AesRounds(level) => {
            dispatch_aes!(level, isa => hash_at(isa, powers, tweak, cell, hash));
        }
        _ => {
            *hash = [0; BLOCK];
            let second = second_block(tweak, cell);
            for i in 0..HASHED {
                let block = match i {
                    0 => Block::from_part(&tweak[..BLOCK]),
                    1 => second,
                    _ => Block::from_part(&cell[BLOCK * i - 1..CELL.min(BLOCK * (i + 1) - 1)]),
                };
                *hash = soft_product((Block::from(*hash) ^ block).as_bytes(), powers.first());
            }
        }
    }
}

/// Multiplies in software: a call, of which there are many.
#[inline(never)]
fn soft_product(a: &[u8; BLOCK], b: &[u8; BLOCK]) -> [u8; BLOCK] {
    product_here::<SoftBlock>(Portable, a, b).to_first()
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn product_here<V: Clmul>(isa: V::Isa, a: &[u8; BLOCK], b: &[u8; BLOCK]) -> V {
    let mut product = Product::zero(V::splat(isa, &[0; BLOCK]));
    product.add(V::first(isa, a), &Power::new(V::first(isa, b)));
    product.reduce(isa)
}

/// Hashes at the level of AES instructions.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn hash_at<I: AesIsa>(
    isa: I,
    powers: &FewPowers,
    tweak: &[u8; TWEAK],
    cell: &[u8; CELL],
    hash: &mut [u8; BLOCK],
) {
    *hash = hash_here::<I::Blocks>(isa, powers, tweak, cell).to_first();
}

/// Hashes with one reduction for every [`FEW`] blocks. Each lane keeps its own sum until the last pass, the only one in which lanes have
/// different powers. From the third on, blocks lie in the cell, one byte before a multiple of 16.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn hash_here<V: Clmul>(isa: V::Isa, powers: &FewPowers, tweak: &[u8; TWEAK], cell: &[u8; CELL]) -> V {
    isa.align_frame();
    let zero = V::splat(isa, &[0; BLOCK]);
    let Some(chain) = tweak.first_chunk() else { return zero };
    let second = second_block(tweak, cell);
    let head = [chain, second.as_bytes(), block_at(cell, 2), block_at(cell, 3)];
    let mut hash = zero;
    for pass in (0..HASHED).step_by(FEW) {
        let (mut product, last) = (Product::zero(zero), pass + FEW == HASHED);
        for at in (0..FEW).step_by(V::LANES) {
            let first = pass + at;
            let blocks = if first < 2 {
                V::gather(
                    isa,
                    #[cfg_attr(not(abreast_unoptimized), inline(always))]
                    |lane| head[first + lane],
                )
            } else if first + V::LANES == HASHED {
                V::load_partial(isa, &cell[BLOCK * first - 1..])
            } else {
                V::load(isa, &cell[BLOCK * first - 1..][..V::BYTES])
            };
            let blocks = if at == 0 { blocks ^ hash } else { blocks };
            let power = if last { powers.powers(isa, at) } else { powers.power(isa, at) };
            product.add(blocks, &power);
        }
        hash = if last { product.reduce(isa) } else { product.reduce_lanes(isa) };
    }
    hash
}

/// Returns the second block that is hashed: the last byte of the tweak, and the first ones of the right part.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn second_block(tweak: &[u8; TWEAK], cell: &[u8; CELL]) -> Block {
    let [.., byte] = tweak;
    (u128::from_le_bytes(*block_at(cell, 1)) & !0xff | u128::from(*byte)).into()
}

/// Returns block `i` of those that are hashed, from the second on; the first byte of that one is another.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn block_at(cell: &[u8; CELL], i: usize) -> &[u8; BLOCK] {
    let mut block = &[0; BLOCK];
    if let Some(found) = cell[BLOCK * i - 1..].first_chunk() {
        block = found;
    }
    block
}

/// Hashes a block under a key at a kernel of AES, and clears the bits that count: the first counter.
pub(crate) fn first_counter(kernel: Kernel, key: &[u8; BLOCK], input: &[u8; BLOCK]) -> Block {
    let mut first = match kernel.0 {
        Choice::AesRounds(level) => dispatch_aes!(level, isa => product_at(isa, input, key)),
        _ => soft_product(input, key),
    };
    first[BLOCK - 1] &= 0xc0;
    first.into()
}

/// Multiplies at the level of AES instructions, of which one lane is enough.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn product_at<I: AesIsa>(isa: I, a: &[u8; BLOCK], b: &[u8; BLOCK]) -> [u8; BLOCK] {
    product_here::<<I::Narrow as AesIsa>::Blocks>(isa.narrow(), a, b).to_first()
}

/// Xors keystream into the right part of a cell, if the groups of the kernel are so wide that this takes one pass. True if it did:
/// for other kernels, counter mode has passes that suit.
pub(crate) struct UivStream<'a> {
    pub(crate) first: &'a Block,
    pub(crate) right: &'a mut [u8; RIGHT],
}

impl ModeLoop for UivStream<'_> {
    type Out = bool;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, S: Backend<I>>(self, isa: I, keys: &S::Keys) -> bool {
        // No boundary: the groups of the one pass.
        const GROUPS: usize = 8;
        if GROUPS * S::GROUP != NUMBERS.len() || GROUPS > S::INTERLEAVE {
            return false;
        }
        isa.align_frame();
        let mut blocks = [S::splat(isa, self.first.as_bytes()); GROUPS];
        for (block, numbers) in blocks.iter_mut().zipped(NUMBERS.chunks_exact(S::GROUP)) {
            *block = S::xor(*block, S::load(isa, numbers));
        }
        let blocks = S::run::<true, GROUPS>(isa, S::run_keys::<true>(isa, keys), blocks);
        xor::<GROUPS, false, I, S>(isa, blocks, &mut InOutBuf::from(self.right.as_mut_slice()));
        true
    }
}
