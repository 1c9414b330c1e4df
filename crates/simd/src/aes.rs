//! AES states and the rounds that the CPU has for them (FIPS 197, section 5).

use crate::blocks::Blocks;
use crate::clmul::Clmul;
use crate::isa::Isa;

/// An instruction set with AES rounds and carry-less products.
pub trait AesIsa: Isa {
    /// Its register, seen as 128-bit blocks.
    type Blocks: AesBlocks<Isa = Self> + Clmul;
    /// The instructions on a register of one block. Messages of one block use it, since keys then come straight from memory.
    type Narrow: AesIsa;

    /// Returns the token for one block, which every set of AES instructions includes.
    fn narrow(self) -> Self::Narrow;
}

/// A vector of AES states.
///
/// The rounds are those of x86: the key comes last. On ARM, where `AESE` adds it first, the compiler
/// folds the addition of one round into the instruction of the next.
///
/// ```
/// use abreast_simd::{AesBlocks, AesIsa, AesLevel, Blocks, dispatch_aes};
///
/// #[inline(always)]
/// fn last_round<I: AesIsa>(isa: I, block: &[u8; 16], key: &[u8; 16]) -> [u8; 16] {
///     I::Blocks::first(isa, block).encrypt_last(I::Blocks::splat(isa, key)).to_first()
/// }
/// for level in AesLevel::detect_all() {
///     // The S-box of zero.
///     let block = dispatch_aes!(level, isa => last_round(isa, &[0; 16], &[0; 16]));
///     assert_eq!(block, [0x63; 16]);
/// }
/// ```
pub trait AesBlocks: Blocks<Isa: AesIsa<Blocks = Self>> {
    /// `SubBytes`, `ShiftRows`, `MixColumns`, `AddRoundKey`.
    fn encrypt_round(self, key: Self) -> Self;
    /// `SubBytes`, `ShiftRows`, `AddRoundKey`.
    fn encrypt_last(self, key: Self) -> Self;
    /// `InvShiftRows`, `InvSubBytes`, `InvMixColumns`, `AddRoundKey`: the equivalent inverse cipher.
    fn decrypt_round(self, key: Self) -> Self;
    /// `InvShiftRows`, `InvSubBytes`, `AddRoundKey`.
    fn decrypt_last(self, key: Self) -> Self;
    /// Every byte of a block from the place in that block that its index names; an index of 0x80 gives zero.
    fn shuffle_bytes(self, indices: &[u8; 16]) -> Self;
    /// `InvMixColumns` alone, for the keys of the equivalent inverse cipher.
    ///
    /// Not every width has an instruction for it, but a last round and an inverse round cancel in all
    /// but this step.
    #[inline(always)]
    #[allow(clippy::eq_op, reason = "zero, for which the vector itself is the token")]
    fn inv_mix_columns(self) -> Self {
        let zero = self ^ self;
        self.encrypt_last(zero).decrypt_round(zero)
    }
}
