//! Floors: how fast the AES and carry-less units of this core could be at best.
//!
//! A probe issues one kind of instruction in [`CHAINS`] independent chains, more than the latency of any
//! known core times the instructions that it can begin in a cycle. What that costs per block is what no
//! cipher built from these instructions can go below, at this width of registers.
//!
//! The floor of ECB and CTR is the AES rounds. The floor of GCM is the AES rounds or the carry-less
//! products, whichever take longer, three products a block (Karatsuba's way; schoolbook takes four): the
//! two kinds overlap on cores that have separate units for them, and reductions, of which there is one for
//! many blocks, are left out. Floors say nothing about memory, so at sizes beyond the caches they are far.

use std::convert::Infallible;
use std::hint::black_box;

use abreast::Kernel;
use abreast::kernels::Cipher;
use abreast::simd::{AesBlocks, AesIsa, AesLevel, Blocks, Clmul, dispatch_aes};

use super::sample;
use super::work::{Mode, What};

/// Independent registers; with the key they are as many as SSE and AVX have.
const CHAINS: usize = 12;
/// Instructions on each register in a lap.
const LENGTH: u32 = 256;
/// Carry-less products for a block of GHASH.
const PRODUCTS: f64 = 3.0;
/// Bytes of a block.
const BLOCK: f64 = 16.0;

/// What the units of the core take, in core cycles per block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rates {
    /// An AES round.
    round: f64,
    /// A carry-less product.
    product: f64,
}

impl Rates {
    /// Probes the instructions of a kernel, if it is one of AES instructions.
    pub(crate) fn of(kernel: Kernel) -> Option<Self> {
        let level = AesLevel::detect_all().find(|&level| Kernel::aes_rounds(level) == kernel)?;
        let probes = [rounds, products];
        let best = sample::side_by_side(probes.len(), |probe, laps| {
            probes[probe](level, laps);
            Ok::<(), Infallible>(())
        })
        .unwrap_or_else(|never| match never {});
        let blocks = dispatch_aes!(level, isa => blocks_of(isa)) * CHAINS as f64 * f64::from(LENGTH);
        Some(Self { round: best[0].cycles / blocks, product: best[1].cycles / blocks })
    }

    /// The cycles per byte that nothing goes below; unknown for ciphers that are no AES.
    pub(crate) fn floor(self, what: What) -> Option<f64> {
        let aes = rounds_of(what.cipher)? * self.round / BLOCK;
        Some(match what.mode {
            Mode::Ecb | Mode::EcbDecrypt | Mode::Ctr => aes,
            Mode::Gcm | Mode::GcmDecrypt => aes.max(PRODUCTS * self.product / BLOCK),
        })
    }
}

/// AES rounds of a block.
fn rounds_of(cipher: Cipher) -> Option<f64> {
    match cipher.name() {
        "aes-128" => Some(10.0),
        "aes-192" => Some(12.0),
        "aes-256" => Some(14.0),
        _ => None,
    }
}

/// Blocks in a register.
#[inline(always)]
fn blocks_of<I: AesIsa>(_: I) -> f64 {
    I::Blocks::LANES as f64
}

/// Laps of AES rounds.
fn rounds(level: AesLevel, laps: u32) {
    dispatch_aes!(level, isa => chains(isa, laps, #[inline(always)] |x, key| x.encrypt_round(key)));
}

/// Laps of carry-less products.
fn products(level: AesLevel, laps: u32) {
    dispatch_aes!(level, isa => chains(isa, laps, #[inline(always)] |x, key| x.clmul_low(key)));
}

/// Laps of one instruction on every register.
#[inline(always)]
fn chains<I: AesIsa>(isa: I, laps: u32, step: impl Fn(I::Blocks, I::Blocks) -> I::Blocks) {
    let key = I::Blocks::splat(isa, &black_box([0x5a; 16]));
    // Chains that begin alike would be computed once.
    let mut state = [key; CHAINS];
    let mut chain = 0;
    while chain < CHAINS {
        state[chain] = I::Blocks::splat(isa, &black_box([chain as u8; 16]));
        chain += 1;
    }
    for _ in 0..laps * LENGTH {
        let mut chain = 0;
        while chain < CHAINS {
            state[chain] = step(state[chain], key);
            chain += 1;
        }
    }
    let mut all = state[0];
    for x in &state[1..] {
        all = all ^ *x;
    }
    black_box(all.to_first());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_follow_from_the_rates() {
        let floor = |name, round, product| {
            let what = What::from_name(name).expect("the name is known");
            Rates { round, product }.floor(what)
        };
        assert_eq!(floor("aes-128-ctr", 0.25, 9.0), Some(0.15625));
        assert_eq!(floor("aes-256-ecb", 0.25, 9.0), Some(0.21875));
        assert_eq!(floor("aes-192-gcm", 0.5, 0.25), Some(0.375));
        assert_eq!(floor("aes-128-gcm-decrypt", 0.125, 0.5), Some(0.09375));
    }

    #[test]
    fn kernels_of_aes_instructions_have_rates() {
        for kernel in abreast::aes::Aes128::kernels() {
            let sliced = kernel.name().starts_with("sliced");
            assert_eq!(Rates::of(kernel).is_none(), sliced, "{kernel}");
        }
    }
}
