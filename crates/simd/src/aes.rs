//! AES states and the rounds that the CPU has for them (FIPS 197, section 5).

use crate::blocks::Blocks;
use crate::clmul::Clmul;
use crate::isa::Isa;

/// An instruction set with AES rounds and carry-less products.
///
/// ```
/// use abreast_simd::{AesIsa, AesLevel, Blocks, dispatch_aes};
///
/// /// XORs a pad to a message: whole vectors at first, then block by block with the narrow registers.
/// #[inline(always)]
/// fn mask<I: AesIsa>(isa: I, pad: &[u8; 16], message: &mut [u8]) {
///     let (vectors, rest) = message.split_at_mut(message.len() / I::Blocks::BYTES * I::Blocks::BYTES);
///     for part in vectors.chunks_mut(I::Blocks::BYTES) {
///         (I::Blocks::load(isa, part) ^ I::Blocks::splat(isa, pad)).store(part);
///     }
///     blocks(isa.narrow(), pad, rest);
/// }
///
/// #[inline(always)]
/// fn blocks<N: AesIsa>(isa: N, pad: &[u8; 16], message: &mut [u8]) {
///     for part in message.chunks_mut(16) {
///         (N::Blocks::load_partial(isa, part) ^ N::Blocks::splat(isa, pad)).store_partial(part);
///     }
/// }
///
/// for level in AesLevel::detect_all() {
///     let mut message = [0x0f; 75];
///     dispatch_aes!(level, isa => mask(isa, &[0xff; 16], &mut message));
///     assert_eq!(message, [0xf0; 75]);
/// }
/// ```
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
///     let block: [u8; 16] = dispatch_aes!(level, isa => last_round(isa, &[0; 16], &[0; 16]));
///     assert_eq!(block, [0x63; 16]);
/// }
/// ```
pub trait AesBlocks: Blocks<Isa: AesIsa<Blocks = Self>> {
    /// Does a round of encryption: `SubBytes`, `ShiftRows`, `MixColumns`, `AddRoundKey`.
    ///
    /// The example of [`dispatch_aes!`](crate::dispatch_aes) is the first round of FIPS 197, appendix B.
    fn encrypt_round(self, key: Self) -> Self;
    /// Does the last round of encryption: `SubBytes`, `ShiftRows`, `AddRoundKey`.
    ///
    /// ```
    /// use abreast_simd::{AesBlocks, AesIsa, AesLevel, Blocks, dispatch_aes};
    ///
    /// /// The last round of FIPS 197, appendix B, whose result is the ciphertext.
    /// #[inline(always)]
    /// fn last_round<I: AesIsa>(isa: I) -> u128 {
    ///     let state = 0xeb40f21e_592e3884_8ba113e7_1bc342d2_u128.to_be_bytes();
    ///     let key = 0xd014f9a8_c9ee2589_e13f0cc8_b6630ca6_u128.to_be_bytes();
    ///     let state = I::Blocks::splat(isa, &state).encrypt_last(I::Blocks::splat(isa, &key));
    ///     u128::from_be_bytes(state.to_first())
    /// }
    /// for level in AesLevel::detect_all() {
    ///     let ciphertext: u128 = dispatch_aes!(level, isa => last_round(isa));
    ///     assert_eq!(ciphertext, 0x3925841d_02dc09fb_dc118597_196a0b32);
    /// }
    /// ```
    fn encrypt_last(self, key: Self) -> Self;
    /// Does a round of decryption: `InvShiftRows`, `InvSubBytes`, `InvMixColumns`, `AddRoundKey`, as in the equivalent inverse
    /// cipher (FIPS 197, section 5.3.5).
    ///
    /// Its keys are those of encryption, all but the first and the last after [`inv_mix_columns`](Self::inv_mix_columns):
    ///
    /// ```
    /// use abreast_simd::{AesBlocks, AesIsa, AesLevel, Blocks, dispatch_aes};
    ///
    /// /// Encrypts and decrypts a block by a cipher of two rounds.
    /// #[inline(always)]
    /// fn there_and_back<I: AesIsa>(isa: I, block: &[u8; 16], keys: [[u8; 16]; 3]) -> [[u8; 16]; 2] {
    ///     let [first, middle, last] = keys.map(|key| I::Blocks::splat(isa, &key));
    ///     let plaintext = I::Blocks::splat(isa, block);
    ///     let ciphertext = (plaintext ^ first).encrypt_round(middle).encrypt_last(last);
    ///     let decrypted = (ciphertext ^ last).decrypt_round(middle.inv_mix_columns()).decrypt_last(first);
    ///     [ciphertext.to_first(), decrypted.to_first()]
    /// }
    /// for level in AesLevel::detect_all() {
    ///     let keys = [[1; 16], [2; 16], [3; 16]];
    ///     let blocks: [[u8; 16]; 2] =
    ///         dispatch_aes!(level, isa => there_and_back(isa, b"0123456789abcdef", keys));
    ///     assert_ne!(&blocks[0], b"0123456789abcdef");
    ///     assert_eq!(&blocks[1], b"0123456789abcdef");
    /// }
    /// ```
    fn decrypt_round(self, key: Self) -> Self;
    /// Does the last round of decryption: `InvShiftRows`, `InvSubBytes`, `AddRoundKey`; see [`decrypt_round`](Self::decrypt_round).
    fn decrypt_last(self, key: Self) -> Self;
    /// Moves bytes within every block: byte `i` becomes what byte `indices[i]` was, or zero if that index is 0x80. There must be
    /// no other indices of 16 and more.
    ///
    /// ```
    /// use abreast_simd::{AesBlocks, AesIsa, AesLevel, Blocks, dispatch_aes};
    ///
    /// /// Moves the last three words to the front, and clears the fourth.
    /// #[inline(always)]
    /// fn moved<I: AesIsa>(isa: I, block: &[u8; 16]) -> [u8; 16] {
    ///     let indices = [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0x80, 0x80, 0x80, 0x80];
    ///     I::Blocks::splat(isa, block).shuffle_bytes(&indices).to_first()
    /// }
    /// for level in AesLevel::detect_all() {
    ///     let block: [u8; 16] = dispatch_aes!(level, isa => moved(isa, b"0123456789abcdef"));
    ///     assert_eq!(&block, b"456789abcdef\0\0\0\0");
    /// }
    /// ```
    fn shuffle_bytes(self, indices: &[u8; 16]) -> Self;
    /// Does `InvMixColumns` alone, for the keys of the equivalent inverse cipher; see [`decrypt_round`](Self::decrypt_round).
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
