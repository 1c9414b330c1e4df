//! AES-128 by the same two interfaces, with the CPU's instructions for it.

use abreast_simd::{AesBlocks, AesIsa, AesLevel, Blocks, dispatch_aes};

use super::interface::{BLOCK, ManyBlocks, OneBlock};

/// AES under a key of 128 bits.
pub(super) struct Aes128 {
    level: AesLevel,
    keys: [[u8; BLOCK]; 11],
}

impl Aes128 {
    pub(super) fn new(level: AesLevel, key: &[u8; BLOCK]) -> Self {
        Self { level, keys: dispatch_aes!(level, isa => expand(isa.narrow(), key)) }
    }
}

impl OneBlock for Aes128 {
    fn encrypt_block(&self, input: &[u8; BLOCK], output: &mut [u8; BLOCK]) {
        dispatch_aes!(self.level, isa => encrypt::<1, _>(isa.narrow(), &self.keys, input, output));
    }
}

/// A call for all blocks, one of them at a time.
pub(super) struct OneRegister(pub(super) Aes128);

impl ManyBlocks for OneRegister {
    fn encrypt_n(&self, input: &[u8], output: &mut [u8]) {
        let Aes128 { level, keys } = &self.0;
        dispatch_aes!(*level, isa => encrypt::<1, _>(isa.narrow(), keys, input, output));
    }
}

/// A call for all blocks, eight registers of them at a time.
pub(super) struct EightRegisters(pub(super) Aes128);

impl ManyBlocks for EightRegisters {
    fn encrypt_n(&self, input: &[u8], output: &mut [u8]) {
        let Aes128 { level, keys } = &self.0;
        dispatch_aes!(*level, isa => encrypt::<8, _>(isa, keys, input, output));
    }
}

/// All blocks, `N` registers at a time. The message is whole passes.
#[inline(always)]
fn encrypt<const N: usize, I: AesIsa>(isa: I, keys: &[[u8; BLOCK]; 11], input: &[u8], output: &mut [u8]) {
    let bytes = I::Blocks::BYTES;
    for (input, output) in input.chunks_exact(N * bytes).zip(output.chunks_exact_mut(N * bytes)) {
        let mut states = [I::Blocks::splat(isa, &keys[0]); N];
        for (state, input) in states.iter_mut().zip(input.chunks_exact(bytes)) {
            *state = *state ^ I::Blocks::load(isa, input);
        }
        for key in &keys[1..10] {
            let key = I::Blocks::splat(isa, key);
            for state in &mut states {
                *state = state.encrypt_round(key);
            }
        }
        let last = I::Blocks::splat(isa, &keys[10]);
        for (state, output) in states.into_iter().zip(output.chunks_exact_mut(bytes)) {
            state.encrypt_last(last).store(output);
        }
    }
}

/// The key schedule (FIPS 197, section 5.2). In a block of four equal columns the last round moves nothing, which
/// leaves of it the S-box.
#[inline(always)]
fn expand<I: AesIsa>(isa: I, key: &[u8; BLOCK]) -> [[u8; BLOCK]; 11] {
    let mut keys = [*key; 11];
    let mut constant = 1;
    for round in 1..11 {
        let [.., a, b, c, d] = keys[round - 1];
        let column = I::Blocks::splat(isa, &[b, c, d, a, b, c, d, a, b, c, d, a, b, c, d, a]);
        let mut word = column.encrypt_last(I::Blocks::splat(isa, &[0; BLOCK])).to_first();
        word[0] ^= constant;
        // 2^8 is the field's x^4 + x^3 + x + 1.
        constant = constant << 1 ^ if constant >= 0x80 { 0x1b } else { 0 };
        for i in 0..BLOCK {
            let before = if i < 4 { word[i] } else { keys[round][i - 4] };
            keys[round][i] = keys[round - 1][i] ^ before;
        }
    }
    keys
}
