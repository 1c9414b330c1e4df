//! Rounds of SHA-1 and of SHA-256 (FIPS 180-4, sections 6.1 and 6.2), four at a time, as the instructions of CPUs have them.
//!
//! A block of 64 bytes is sixteen words, in four vectors of four. A step is four rounds, which take one of these vectors, and
//! the schedule makes the next vector of the last four. That holds for both hashes, for one message in a register and for
//! messages in lanes, so a loop over [`ShaRounds`] serves all of them.

use crate::isa::Isa;

/// The chaining value of a message, as vectors hold it: words, little-endian, in the order of the standard. SHA-1 leaves the
/// last three zero.
///
/// ```
/// use abreast_simd::sha::Chain;
///
/// // The first chaining value of SHA-1 (FIPS 180-4, section 5.3.1).
/// let chain: Chain = [
///     [0x67452301_u32, 0xefcdab89, 0x98badcfe, 0x10325476].map(u32::to_le_bytes).as_flattened().try_into().unwrap(),
///     [0xc3d2e1f0_u32, 0, 0, 0].map(u32::to_le_bytes).as_flattened().try_into().unwrap(),
/// ];
/// assert_eq!(chain[0][..8], [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef]);
/// ```
pub type Chain = [[u8; 16]; 2];

/// An instruction set with rounds of SHA-1 and of SHA-256.
///
/// ```
/// use abreast_simd::{ShaIsa, ShaLevel, ShaRounds, dispatch_sha};
///
/// #[inline(always)]
/// fn steps_of_a_quarter<I: ShaIsa>(_: I) -> (usize, usize) {
///     (I::Sha1::STEPS, I::Sha256::STEPS)
/// }
/// for level in ShaLevel::detect_all() {
///     let steps: (usize, usize) = dispatch_sha!(level, isa => steps_of_a_quarter(isa));
///     assert_eq!(steps, (5, 4));
/// }
/// ```
pub trait ShaIsa: Isa {
    /// The rounds of SHA-1.
    type Sha1: ShaRounds<Isa = Self>;
    /// The rounds of SHA-256.
    type Sha256: ShaRounds<Isa = Self>;
}

/// Four words of the schedule of a message, or of several side by side, and the rounds that take them.
///
/// ```
/// use abreast_simd::sha::Chain;
/// use abreast_simd::{ShaIsa, ShaLevel, ShaRounds, dispatch_sha};
///
/// /// Takes a block of a message into its chaining value.
/// #[inline(always)]
/// fn compress<R: ShaRounds>(isa: R::Isa, chain: &mut Chain, block: &[u8; 64]) {
///     let before = R::load(isa, |_| &*chain);
///     let rows = block.as_chunks().0;
///     let mut words = [0, 1, 2, 3].map(|i| R::message(isa, |_| &rows[i]));
///     let mut state = R::begin(before);
///     state = quarter::<R, 0>(state, &mut words);
///     state = quarter::<R, 1>(state, &mut words);
///     state = quarter::<R, 2>(state, &mut words);
///     state = quarter::<R, 3>(state, &mut words);
///     R::store(R::finish(state, before), |_, after| *chain = *after);
/// }
///
/// /// Computes a quarter of the rounds. Each step takes four words and appends those that follow on the sixteen.
/// #[inline(always)]
/// fn quarter<R: ShaRounds, const QUARTER: usize>(mut state: R::State, words: &mut [R; 4]) -> R::State {
///     for step in QUARTER * R::STEPS..(QUARTER + 1) * R::STEPS {
///         let [a, b, c, d] = *words;
///         state = a.rounds::<QUARTER>(state, step);
///         *words = [b, c, d, R::schedule([a, b, c, d])];
///     }
///     state
/// }
///
/// /// Hashes one block by SHA-1 and by SHA-256.
/// #[inline(always)]
/// fn hash<I: ShaIsa>(isa: I, chains: &mut [Chain; 2], block: &[u8; 64]) {
///     compress::<I::Sha1>(isa, &mut chains[0], block);
///     compress::<I::Sha256>(isa, &mut chains[1], block);
/// }
///
/// fn chain(words: [u32; 8]) -> Chain {
///     let bytes = words.map(u32::to_le_bytes);
///     let rows = bytes.as_flattened().as_chunks().0;
///     [rows[0], rows[1]]
/// }
///
/// // The message "abc": a bit and zeros after it, then its length of 24 bits.
/// let mut block = [0; 64];
/// block[..4].copy_from_slice(b"abc\x80");
/// block[63] = 24;
/// for level in ShaLevel::detect_all() {
///     let mut chains = [
///         chain([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0, 0, 0, 0]),
///         chain([
///             0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
///         ]),
///     ];
///     dispatch_sha!(level, isa => hash(isa, &mut chains, &block));
///     let sha1 = chain([0xa9993e36, 0x4706816a, 0xba3e2571, 0x7850c26c, 0x9cd0d89d, 0, 0, 0]);
///     let sha256 = chain([
///         0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad,
///     ]);
///     assert_eq!(chains, [sha1, sha256]);
/// }
/// ```
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
    ///
    /// ```
    /// use abreast_simd::sha::Chain;
    /// use abreast_simd::{ShaIsa, ShaLevel, ShaRounds, dispatch_sha};
    ///
    /// /// Adds a chaining value to itself: a block with no round between its beginning and its end.
    /// #[inline(always)]
    /// fn twice<I: ShaIsa>(isa: I, chain: &Chain) -> Chain {
    ///     let (before, mut sum) = (I::Sha256::load(isa, |_| chain), [[0; 16]; 2]);
    ///     I::Sha256::store(I::Sha256::finish(I::Sha256::begin(before), before), |_, after| sum = *after);
    ///     sum
    /// }
    /// for level in ShaLevel::detect_all() {
    ///     // Word by word, without a carry from one to the next.
    ///     let sum: Chain = dispatch_sha!(level, isa => twice(isa, &[[0xff; 16]; 2]));
    ///     assert_eq!(sum.as_flattened().as_chunks().0, [0xffff_fffe_u32.to_le_bytes(); 8]);
    /// }
    /// ```
    fn finish(state: Self::State, before: Self::State) -> Self::State;
}

/// The constants of the quarters of SHA-1 (section 4.2.1).
///
/// ```
/// use abreast_simd::sha::SHA1_CONSTANTS;
///
/// // The square roots of 2, 3, 5 and 10.
/// let roots = [2_f64, 3., 5., 10.].map(|x| (x.sqrt() * f64::from(1 << 30)) as u32);
/// assert_eq!(SHA1_CONSTANTS, roots);
/// ```
pub const SHA1_CONSTANTS: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];

/// The constants of the steps of SHA-256 (section 4.2.2).
///
/// ```
/// use abreast_simd::sha::SHA256_CONSTANTS;
///
/// // The first 32 bits after the point of the cube roots of the first 64 primes.
/// let primes = (2_u32..).filter(|n| (2..*n).all(|divisor| n % divisor != 0));
/// let roots = primes.map(|prime| (f64::from(prime).cbrt().fract() * 2_f64.powi(32)) as u32);
/// assert!(roots.take(64).eq(SHA256_CONSTANTS.as_flattened().iter().copied()));
/// ```
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
