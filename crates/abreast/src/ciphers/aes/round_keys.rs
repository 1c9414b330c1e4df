//! Round keys of AES for AES instructions, in memory and on their way to the registers: one key for all blocks, one for each
//! register, or one for each lane.

use abreast_simd::inlined::Zipped;
use abreast_simd::{AesIsa, Blocks};

/// Round keys of AES with keys of 128 bits.
pub(super) const AES_128_ROUND_KEYS: usize = 11;

/// Round keys in the order in which they are used; none of them crosses a cache line.
///
/// AES-192 has the room of AES-256, of which it leaves out the second and the third round key. So both have one code,
/// with a branch around two rounds: a loop for each key size made AES-256 no faster.
#[repr(align(16))]
pub(crate) struct AesRoundKeys<const RK: usize> {
    pub(super) encrypt: [[u8; 16]; RK],
    /// The round keys of the equivalent inverse cipher (FIPS 197, section 5.3.5).
    pub(super) decrypt: [[u8; 16]; RK],
    /// Round keys that are left out after the first one, 0 or 2. The size of a key is public.
    pub(super) left_out: usize,
}

impl<const RK: usize> AesRoundKeys<RK> {
    /// No key yet.
    pub(super) const ZERO: Self = Self { encrypt: [[0; 16]; RK], decrypt: [[0; 16]; RK], left_out: 0 };

    /// Returns the number of round keys that are left out after the first one; for AES-128 a constant.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(super) fn left_out(&self) -> usize {
        if RK == AES_128_ROUND_KEYS { 0 } else { self.left_out }
    }
}

/// The source of the round keys of one direction for `N` registers.
pub(super) trait RoundKeySource<I: AesIsa, const N: usize> {
    /// Round key `round` of each register.
    fn key(&self, isa: I, round: usize) -> [I::Blocks; N];
    /// True if the [`OPTIONAL`] round keys are left out.
    fn leaves_out(&self) -> bool;
}

/// Round keys after the first one that AES-192 leaves out of the room of AES-256.
pub(super) const OPTIONAL: usize = 2;

/// Returns the number of round keys after the first one that may be left out of the room for `RK`.
pub(super) const fn optional<const RK: usize>() -> usize {
    if RK == AES_128_ROUND_KEYS { 0 } else { OPTIONAL }
}

/// One key for all blocks.
pub(super) struct AesOneKey<'k, const RK: usize>(pub(super) &'k AesRoundKeys<RK>);

impl<I: AesIsa, const N: usize, const RK: usize> RoundKeySource<I, N> for AesOneKey<'_, RK> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn key(&self, isa: I, round: usize) -> [I::Blocks; N] {
        [I::Blocks::splat(isa, &self.0.encrypt[round]); N]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn leaves_out(&self) -> bool {
        self.0.left_out() != 0
    }
}

/// One key for all blocks of a run of passes, in one direction.
#[derive(Clone, Copy)]
pub(crate) struct AesRunKeys<'k, V, const RK: usize> {
    in_memory: &'k [[u8; 16]; RK],
    /// The round keys, each in all lanes.
    in_registers: [V; RK],
    pub(super) leaves_out: bool,
}

impl<'k, V: Blocks, const RK: usize> AesRunKeys<'k, V, RK> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(super) fn new<const ENCRYPT: bool>(isa: V::Isa, keys: &'k AesRoundKeys<RK>) -> Self {
        let in_memory = if ENCRYPT { &keys.encrypt } else { &keys.decrypt };
        let mut in_registers = [V::splat(isa, &in_memory[0]); RK];
        for (register, key) in in_registers.iter_mut().zipped(in_memory) {
            *register = V::splat(isa, key);
        }
        Self { in_memory, in_registers, leaves_out: keys.left_out() != 0 }
    }

    /// Round key `round`. Instruction sets with 32 registers keep it in one; others load it each time.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(super) fn get(&self, isa: V::Isa, round: usize) -> V {
        if V::LANES == 4 { self.in_registers[round] } else { V::splat(isa, &self.in_memory[round]) }
    }
}

impl<I: AesIsa, const N: usize, const RK: usize> RoundKeySource<I, N> for AesRunKeys<'_, I::Blocks, RK> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn key(&self, isa: I, round: usize) -> [I::Blocks; N] {
        [self.get(isa, round); N]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn leaves_out(&self) -> bool {
        self.leaves_out
    }
}

/// A key for each register.
pub(super) struct AesKeyPerRegister<'k, const RK: usize, const N: usize>(
    pub(super) [&'k AesRoundKeys<RK>; N],
);

impl<I: AesIsa, const N: usize, const RK: usize> RoundKeySource<I, N> for AesKeyPerRegister<'_, RK, N> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn key(&self, isa: I, round: usize) -> [I::Blocks; N] {
        let mut registers = [I::Blocks::splat(isa, &[0; 16]); N];
        for (register, keys) in registers.iter_mut().zipped(self.0) {
            *register = I::Blocks::splat(isa, &keys.encrypt[round]);
        }
        registers
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn leaves_out(&self) -> bool {
        self.0[0].left_out() != 0
    }
}

/// Registers side by side in a batch: as many as it takes to keep the AES units busy.
pub(super) const REGISTERS: usize = 8;

/// The round keys of all lanes, laid out in registers, of one size of keys and one direction.
pub(crate) struct AesLaneKeys<V, const RK: usize> {
    pub(super) keys: [[V; REGISTERS]; RK],
    pub(super) leaves_out: bool,
}

/// A key for each lane.
pub(super) struct AesKeyPerLane<'k, V, const RK: usize>(pub(super) &'k AesLaneKeys<V, RK>);

impl<I: AesIsa, const RK: usize> RoundKeySource<I, REGISTERS> for AesKeyPerLane<'_, I::Blocks, RK> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn key(&self, _: I, round: usize) -> [I::Blocks; REGISTERS] {
        self.0.keys[round]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn leaves_out(&self) -> bool {
        RK != AES_128_ROUND_KEYS && self.0.leaves_out
    }
}
