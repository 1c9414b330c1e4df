//! Rounds of SHA-1 and of SHA-256 (FIPS 180-4, sections 6.1 and 6.2), four at a time, as the instructions of CPUs have them.
//!
//! A block of 64 bytes is sixteen words, in four vectors of four. A step is four rounds, which take one of these vectors, and
//! the schedule makes the next vector of the last four. That holds for both hashes, for one message in a register and for
//! messages in lanes, so a loop over [`ShaRounds`] serves all of them.

use crate::isa::Isa;

/// The chaining value of a message, as vectors hold it: words, little-endian, in the order of the standard. SHA-1 leaves the
/// last three zero.
pub type Chain = [[u8; 16]; 2];

/// An instruction set with rounds of SHA-1 and of SHA-256.
///
/// ```
/// use abreast_simd::{Isa, ShaIsa, ShaLevel, ShaRounds, dispatch_sha};
///
/// #[inline(always)]
/// fn steps_of_a_quarter<I: ShaIsa>(_: I) -> (usize, usize) {
///     (I::Sha1::STEPS, I::Sha256::STEPS)
/// }
/// for level in ShaLevel::detect_all() {
///     assert_eq!(dispatch_sha!(level, isa => steps_of_a_quarter(isa)), (5, 4));
/// }
/// ```
pub trait ShaIsa: Isa {
    /// The rounds of SHA-1.
    type Sha1: ShaRounds<Isa = Self>;
    /// The rounds of SHA-256.
    type Sha256: ShaRounds<Isa = Self>;
}

/// Four words of the schedule of a message, or of several side by side, and the rounds that take them.
pub trait ShaRounds: Copy {
    /// The instruction set.
    type Isa: Isa;
    /// A chaining value in registers, of each message.
    type State: Copy;
    /// Messages side by side.
    const LANES: usize;
    /// Steps of four rounds in a quarter of the rounds: 5 in SHA-1, 4 in SHA-256.
    const STEPS: usize;
    /// True if all quarters are the same but for their constants.
    const UNIFORM: bool;

    /// Returns the chaining values, that of lane `i` from `chain(i)`.
    fn load<'b>(isa: Self::Isa, chain: impl Fn(usize) -> &'b Chain) -> Self::State;
    /// Hands out the chaining values, each with its lane.
    fn store(state: Self::State, chain: impl FnMut(usize, &Chain));
    /// Takes four words of each message, which are big-endian in memory.
    fn message<'b>(isa: Self::Isa, row: impl Fn(usize) -> &'b [u8; 16]) -> Self;
    /// Returns the four words that follow on the last sixteen.
    fn schedule(last: [Self; 4]) -> Self;
    /// Returns the state before the first round of a block.
    fn begin(chain: Self::State) -> Self::State;
    /// Computes four rounds: step `step` of all, in a quarter that [`UNIFORM`](Self::UNIFORM) rounds do not look at.
    fn rounds<const QUARTER: usize>(self, state: Self::State, step: usize) -> Self::State;
    /// Returns the chaining value after the last round of a block, of the state and the value before that block.
    fn finish(state: Self::State, before: Self::State) -> Self::State;
}

/// The constants of the quarters of SHA-1 (section 4.2.1).
pub const SHA1_CONSTANTS: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];

/// The constants of the steps of SHA-256 (section 4.2.2).
#[rustfmt::skip]
pub const SHA256_CONSTANTS: [[u32; 4]; 16] = [
    [0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5],
    [0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5],
    [0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3],
    [0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174],
    [0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc],
    [0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da],
    [0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7],
    [0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967],
    [0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13],
    [0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85],
    [0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3],
    [0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070],
    [0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5],
    [0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3],
    [0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208],
    [0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2],
];
