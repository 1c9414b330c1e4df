//! AES on the instructions that CPUs have for it.
//!
//! A group is one register of blocks and a pass is eight of them: `aesenc` takes three or four cycles
//! and one or two can start in each, so that eight in flight keep the unit busy. The round keys are
//! broadcast from memory to a register as they are needed; with 32 registers the compiler keeps them.

use super::schedule::expand;
use crate::spec::{On, Spec};
use abreast_simd::{AesBlocks, AesIsa, Block, Blocks};
use zeroize::Zeroize;

/// AES with `RK` round keys, by AES instructions.
pub(crate) struct AesRounds<const RK: usize>;

/// Round keys in the order in which they are used; none of them crosses a cache line.
#[repr(align(16))]
pub(crate) struct RoundKeys<const RK: usize> {
    encrypt: [[u8; 16]; RK],
    /// Those of the equivalent inverse cipher (FIPS 197, section 5.3.5).
    decrypt: [[u8; 16]; RK],
}

impl<const RK: usize> RoundKeys<RK> {
    #[inline(always)]
    pub(super) fn new<I: AesIsa>(isa: I, key: &[u8]) -> Self {
        let zero = I::Blocks::splat(isa, &[0; 16]);
        let encrypt: [[u8; 16]; RK] = expand(
            key,
            #[inline(always)]
            |word| {
                // The same word in all four columns makes ShiftRows do nothing.
                let mut columns = [0; 16];
                for column in columns.chunks_exact_mut(4) {
                    column.copy_from_slice(&word.to_le_bytes());
                }
                let state = I::Blocks::first(isa, &columns).encrypt_last(zero).to_first();
                u32::from_le_bytes([state[0], state[1], state[2], state[3]])
            },
        );
        let mut decrypt = encrypt;
        decrypt.reverse();
        for key in &mut decrypt[1..RK - 1] {
            *key = I::Blocks::first(isa, key).inv_mix_columns().to_first();
        }
        Self { encrypt, decrypt }
    }
}

impl<const RK: usize> Drop for RoundKeys<RK> {
    fn drop(&mut self) {
        self.encrypt.zeroize();
        self.decrypt.zeroize();
    }
}

impl<const RK: usize> Spec for AesRounds<RK> {
    type Keys = RoundKeys<RK>;
}

impl<I: AesIsa, const RK: usize> On<I> for AesRounds<RK> {
    type Group = I::Blocks;
    const GROUP: usize = I::Blocks::BYTES;
    const DEPTH: usize = 8;

    #[inline(always)]
    fn load(isa: I, src: &[u8]) -> I::Blocks {
        I::Blocks::load(isa, src)
    }
    #[inline(always)]
    fn store(group: I::Blocks, dst: &mut [u8]) {
        group.store(dst);
    }
    #[inline(always)]
    fn load_partial(isa: I, src: &[u8]) -> I::Blocks {
        I::Blocks::load_partial(isa, src)
    }
    #[inline(always)]
    fn store_partial(group: I::Blocks, dst: &mut [u8]) {
        group.store_partial(dst);
    }
    #[inline(always)]
    fn xor(a: I::Blocks, b: I::Blocks) -> I::Blocks {
        a ^ b
    }

    /// The next blocks with their bytes reversed, so that the counter is the first word.
    type Counter = I::Blocks;
    #[inline(always)]
    fn counter(isa: I, block: &Block) -> I::Blocks {
        I::Blocks::splat(isa, block.as_bytes()).add_words(I::Blocks::count(isa, 0))
    }
    #[inline(always)]
    fn count<const N: usize>(isa: I, counter: &mut I::Blocks) -> [I::Blocks; N] {
        let lanes = I::Blocks::splat(isa, &(I::Blocks::LANES as u128).to_le_bytes());
        let mut blocks = [*counter; N];
        for block in &mut blocks {
            *block = counter.reverse_bytes();
            *counter = counter.add_words(lanes);
        }
        blocks
    }

    const STEPS: usize = RK - 2;
    #[inline(always)]
    fn encrypt<const N: usize>(
        isa: I,
        keys: &RoundKeys<RK>,
        mut states: [I::Blocks; N],
        mut step: impl FnMut(usize),
    ) -> [I::Blocks; N] {
        let key = I::Blocks::splat(isa, &keys.encrypt[0]);
        for state in &mut states {
            *state = *state ^ key;
        }
        let mut round = 1;
        while round < RK - 1 {
            let key = I::Blocks::splat(isa, &keys.encrypt[round]);
            for state in &mut states {
                *state = state.encrypt_round(key);
            }
            step(round - 1);
            round += 1;
        }
        let key = I::Blocks::splat(isa, &keys.encrypt[RK - 1]);
        for state in &mut states {
            *state = state.encrypt_last(key);
        }
        states
    }
    #[inline(always)]
    fn decrypt<const N: usize>(isa: I, keys: &RoundKeys<RK>, mut states: [I::Blocks; N]) -> [I::Blocks; N] {
        let key = I::Blocks::splat(isa, &keys.decrypt[0]);
        for state in &mut states {
            *state = *state ^ key;
        }
        let mut round = 1;
        while round < RK - 1 {
            let key = I::Blocks::splat(isa, &keys.decrypt[round]);
            for state in &mut states {
                *state = state.decrypt_round(key);
            }
            round += 1;
        }
        let key = I::Blocks::splat(isa, &keys.decrypt[RK - 1]);
        for state in &mut states {
            *state = state.decrypt_last(key);
        }
        states
    }

    type Ghash = I::Blocks;
    #[inline(always)]
    fn ghash_isa(isa: I) -> I {
        isa
    }
}
