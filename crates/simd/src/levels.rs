//! The lists of instruction sets that a cipher or a hash can be asked to run on, and the choice of one.

#[cfg(target_feature = "sse2")]
use crate::AesIsa as _;
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
use crate::neon::{Neon, NeonAes, NeonSha};
#[cfg(not(any(
    target_feature = "sse2",
    all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"),
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
use crate::portable::Portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::wasm::Simd128;
#[cfg(target_feature = "sse2")]
use crate::x86::{AesNi, AesNiAvx, Avx2, Avx512, Avx512Vaes, ShaNi, Sse2, Vaes};

/// Defines a list of instruction sets, from least to most, and what can be asked of it.
macro_rules! levels {
    ($(#[$doc:meta])* $level:ident, $($(#[$cfg:meta])* $token:ident = $name:literal),*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $level {
            $($(#[$cfg])* #[doc = concat!("`", $name, "`")] $token($token),)*
        }

        $($(#[$cfg])* impl From<$token> for $level {
            fn from(token: $token) -> Self {
                Self::$token(token)
            }
        })*

        impl $level {
            /// Returns the levels that this CPU can run, from least to most.
            ///
            /// ```
            #[doc = concat!("use abreast_simd::", stringify!($level), ";")]
            ///
            /// // A program takes the last, or one that its user names.
            /// let by_name = |name: &str| {
            #[doc = concat!("    ", stringify!($level), "::detect_all().rfind(|level| level.name() == name)")]
            /// };
            #[doc = concat!("let best = ", stringify!($level), "::detect_all().next_back();")]
            /// assert_eq!(best.and_then(|best| by_name(best.name())), best);
            /// assert_eq!(by_name("mmx"), None);
            /// ```
            pub fn detect_all() -> impl DoubleEndedIterator<Item = Self> {
                let candidates: &[fn() -> Option<Self>] =
                    &[$($(#[$cfg])* || $token::detect().map(Self::$token),)*];
                candidates.iter().filter_map(|detect| detect())
            }

            /// Returns every level of the target, from least to most: its name, the features that it needs, separated by commas,
            /// and true if this CPU can run it.
            ///
            /// ```
            #[doc = concat!("use abreast_simd::", stringify!($level), ";")]
            ///
            #[doc = concat!("let here = ", stringify!($level), "::all().filter(|(.., here)| *here).map(|(name, ..)| name);")]
            #[doc = concat!("assert!(here.eq(", stringify!($level), "::detect_all().map(|level| level.name())));")]
            /// ```
            pub fn all() -> impl Iterator<Item = (&'static str, &'static str, bool)> {
                [$($(#[$cfg])* ($name, <$token as $crate::Isa>::FEATURES, $token::detect().is_some()),)*].into_iter()
            }

            /// Returns the name that tests, benchmarks, the command line and the C interface use.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $($(#[$cfg])* Self::$token(_) => $name,)*
                }
            }
        }
    };
}

levels! {
    /// An instruction set to compute on words with: what bit-sliced AES, Serpent and XTEA run on.
    ///
    /// Portable code is a level where the target has no vectors that every CPU has.
    ///
    /// ```
    /// use abreast_simd::{Level, Words, WordsIsa, dispatch};
    ///
    /// /// A key that keeps its level, so that the CPU is asked once.
    /// struct Pad {
    ///     level: Level,
    ///     word: u32,
    /// }
    ///
    /// impl Pad {
    ///     fn xor(&self, data: &mut [u8]) {
    ///         dispatch!(self.level, isa => xor(isa, self.word, data));
    ///     }
    /// }
    ///
    /// #[inline(always)]
    /// fn xor<I: WordsIsa>(isa: I, word: u32, data: &mut [u8]) {
    ///     for part in data.chunks_mut(I::Words::BYTES) {
    ///         (I::Words::load_partial(isa, part) ^ I::Words::splat(isa, word)).store_partial(part);
    ///     }
    /// }
    ///
    /// let (pad, mut data) = (Pad { level: Level::best(), word: 0x0606_0606 }, [5; 100]);
    /// pad.xor(&mut data);
    /// assert_eq!(data, [3; 100]);
    /// ```
    Level,
    #[cfg(not(any(target_feature = "sse2", all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"), all(target_arch = "wasm32", target_feature = "simd128"))))]
    Portable = "portable",
    #[cfg(target_feature = "sse2")] Sse2 = "sse2",
    #[cfg(target_feature = "sse2")] Avx2 = "avx2",
    #[cfg(target_feature = "sse2")] Avx512 = "avx512",
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))] Neon = "neon",
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))] Simd128 = "simd128"
}

impl Level {
    /// Returns the best level that this CPU can run.
    ///
    /// ```
    /// use abreast_simd::Level;
    ///
    /// assert_eq!(Some(Level::best()), Level::detect_all().last());
    /// ```
    #[must_use]
    pub fn best() -> Self {
        Self::detect_all().next_back().unwrap_or(Self::from(baseline()))
    }
}

/// The vectors that every CPU of the target has, or portable words where there are none; see [`baseline`].
#[cfg(target_feature = "sse2")]
pub type Baseline = Sse2;
/// The vectors that every CPU of the target has, or portable words where there are none; see [`baseline`].
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
pub type Baseline = Neon;
/// The vectors that every CPU of the target has, or portable words where there are none; see [`baseline`].
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub type Baseline = Simd128;
/// The vectors that every CPU of the target has, or portable words where there are none; see [`baseline`].
#[cfg(not(any(
    target_feature = "sse2",
    all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"),
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
pub type Baseline = Portable;

/// Returns the token of [`Baseline`], which needs no detection.
///
/// ```
/// use abreast_simd::{Baseline, Level, Words, WordsIsa, baseline};
///
/// let isa: Baseline = baseline();
/// let mut bytes = [0; 16];
/// <Baseline as WordsIsa>::Words::splat(isa, 1).store_partial(&mut bytes);
/// assert_eq!(bytes, [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
/// // It is the least of the levels.
/// assert_eq!(Level::detect_all().next(), Some(Level::from(isa)));
/// ```
#[must_use]
pub const fn baseline() -> Baseline {
    #[cfg(any(
        target_feature = "sse2",
        all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"),
        all(target_arch = "wasm32", target_feature = "simd128")
    ))]
    {
        // SAFETY: the target was compiled with the features of its baseline, so nothing of the program runs without them.
        unsafe { Baseline::assume() }
    }
    #[cfg(not(any(
        target_feature = "sse2",
        all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"),
        all(target_arch = "wasm32", target_feature = "simd128")
    )))]
    Portable
}

levels! {
    /// An instruction set with AES rounds. AES-NI comes in two encodings, of which a CPU with AVX
    /// wants the second: legacy SSE code mixed with dirty upper halves of registers stalls.
    ///
    /// A CPU need not have one. Carry-less products then have portable code:
    ///
    /// ```
    /// use abreast_simd::portable::{Portable, SoftBlock};
    /// use abreast_simd::{AesIsa, AesLevel, Blocks, Clmul, dispatch_aes};
    ///
    /// #[inline(always)]
    /// fn square<B: Clmul>(isa: B::Isa, x: u64) -> u128 {
    ///     let x = B::first(isa, &u128::from(x).to_le_bytes());
    ///     u128::from_le_bytes(x.clmul_low(x).to_first())
    /// }
    /// #[inline(always)]
    /// fn square_at<I: AesIsa>(isa: I, x: u64) -> u128 {
    ///     square::<I::Blocks>(isa, x)
    /// }
    ///
    /// let square: u128 = match AesLevel::detect_all().next_back() {
    ///     Some(level) => dispatch_aes!(level, isa => square_at(isa, 0b111)),
    ///     None => square::<SoftBlock>(Portable, 0b111),
    /// };
    /// // A square has the bits of its root with zeros between them.
    /// assert_eq!(square, 0b10101);
    /// ```
    AesLevel,
    #[cfg(target_feature = "sse2")] AesNi = "aesni",
    #[cfg(target_feature = "sse2")] AesNiAvx = "aesni",
    #[cfg(target_feature = "sse2")] Vaes = "vaes",
    #[cfg(target_feature = "sse2")] Avx512Vaes = "avx512",
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))] NeonAes = "neon-aes"
}

/// An instruction set with AES rounds on a register of one block. [`dispatch_one_block!`](crate::dispatch_one_block) has an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OneBlockLevel {
    #[cfg(target_feature = "sse2")]
    /// AES-NI in SSE form.
    AesNi(AesNi),
    #[cfg(target_feature = "sse2")]
    /// AES-NI in AVX form.
    AesNiAvx(AesNiAvx),
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    /// The AES instructions of ARM.
    NeonAes(NeonAes),
}

impl AesLevel {
    /// Returns the level for one block, which every level includes: what a chain and a key schedule need.
    #[must_use]
    #[inline(always)]
    pub fn one_block(self) -> OneBlockLevel {
        match self {
            #[cfg(target_feature = "sse2")]
            Self::AesNi(isa) => OneBlockLevel::AesNi(isa),
            #[cfg(target_feature = "sse2")]
            Self::AesNiAvx(isa) => OneBlockLevel::AesNiAvx(isa),
            #[cfg(target_feature = "sse2")]
            Self::Vaes(isa) => OneBlockLevel::AesNiAvx(isa.narrow()),
            #[cfg(target_feature = "sse2")]
            Self::Avx512Vaes(isa) => OneBlockLevel::AesNiAvx(isa.narrow()),
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            Self::NeonAes(isa) => OneBlockLevel::NeonAes(isa),
        }
    }
}

levels! {
    /// An instruction set with rounds of SHA-1 and of SHA-256. The example of [`ShaRounds`](crate::ShaRounds) hashes at each.
    ShaLevel,
    #[cfg(target_feature = "sse2")] ShaNi = "sha-ni",
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))] NeonSha = "neon-sha"
}

/// Runs an expression that is generic over a [`WordsIsa`](crate::WordsIsa) token at a given [`Level`].
///
/// The expression is compiled once per level, inside [`Isa::run`](crate::Isa::run).
///
/// ```
/// use abreast_simd::{Level, Words, WordsIsa, dispatch};
///
/// #[inline(always)]
/// fn lanes<I: WordsIsa>(_: I) -> usize {
///     I::Words::LANES
/// }
///
/// let widest = Level::detect_all().last().unwrap();
/// assert!(dispatch!(widest, isa => lanes(isa)) >= 4);
/// ```
#[macro_export]
#[rustfmt::skip] // It would give every arm five lines.
macro_rules! dispatch {
    ($level:expr, $isa:ident => $body:expr) => {
        match $level {
            #[cfg(not(any(target_feature = "sse2", all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"), all(target_arch = "wasm32", target_feature = "simd128"))))]
            $crate::Level::Portable($isa) => $crate::Isa::run($isa, #[inline(always)] || $body),
            #[cfg(target_feature = "sse2")]
            $crate::Level::Sse2($isa) => $crate::Isa::run($isa, #[inline(always)] || $body),
            #[cfg(target_feature = "sse2")]
            $crate::Level::Avx2($isa) => $crate::Isa::run($isa, #[inline(always)] || $body),
            #[cfg(target_feature = "sse2")]
            $crate::Level::Avx512($isa) => $crate::Isa::run($isa, #[inline(always)] || $body),
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            $crate::Level::Neon($isa) => $crate::Isa::run($isa, #[inline(always)] || $body),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            $crate::Level::Simd128($isa) => $crate::Isa::run($isa, #[inline(always)] || $body),
        }
    };
}

/// Dispatches as [`dispatch!`] does, for an [`AesIsa`](crate::AesIsa) token at a given [`AesLevel`].
///
/// ```
/// use abreast_simd::{AesBlocks, AesIsa, AesLevel, Blocks, dispatch_aes};
///
/// /// The first round of FIPS 197, appendix B.
/// #[inline(always)]
/// fn first_round<I: AesIsa>(isa: I) -> u128 {
///     let state = 0x193de3be_a0f4e22b_9ac68d2a_e9f84808_u128.to_be_bytes();
///     let key = 0xa0fafe17_88542cb1_23a33939_2a6c7605_u128.to_be_bytes();
///     let state = I::Blocks::splat(isa, &state).encrypt_round(I::Blocks::splat(isa, &key));
///     u128::from_be_bytes(state.to_first())
/// }
///
/// // A CPU need not have AES rounds: the list may be empty. Where the target has no level at all, nothing but the annotation
/// // tells the type of the result.
/// for level in AesLevel::detect_all() {
///     let state: u128 = dispatch_aes!(level, isa => first_round(isa));
///     assert_eq!(state, 0xa49c7ff2_689f352b_6b5bea43_026a5049);
/// }
/// ```
#[macro_export]
#[rustfmt::skip] // It would give every arm five lines.
macro_rules! dispatch_aes {
    ($level:expr, $isa:ident => $body:expr) => {
        match $level {
            #[cfg(target_feature = "sse2")]
            $crate::AesLevel::AesNi($isa) => $crate::Isa::run($isa, #[inline(always)] || $body),
            #[cfg(target_feature = "sse2")]
            $crate::AesLevel::AesNiAvx($isa) => $crate::Isa::run($isa, #[inline(always)] || $body),
            #[cfg(target_feature = "sse2")]
            $crate::AesLevel::Vaes($isa) => $crate::Isa::run($isa, #[inline(always)] || $body),
            #[cfg(target_feature = "sse2")]
            $crate::AesLevel::Avx512Vaes($isa) => $crate::Isa::run($isa, #[inline(always)] || $body),
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            $crate::AesLevel::NeonAes($isa) => $crate::Isa::run($isa, #[inline(always)] || $body),
        }
    };
}

/// Dispatches as [`dispatch_aes!`] does, for the register of one block of a level: by a [`OneBlockLevel`](crate::OneBlockLevel),
/// of which there are fewer, so that less code is made.
///
/// ```
/// use abreast_simd::{AesBlocks, AesIsa, AesLevel, Blocks, dispatch_one_block};
///
/// #[inline(always)]
/// fn last_round<I: AesIsa>(isa: I, block: &[u8; 16]) -> [u8; 16] {
///     I::Blocks::first(isa, block).encrypt_last(I::Blocks::first(isa, &[0; 16])).to_first()
/// }
///
/// for level in AesLevel::detect_all() {
///     let state: [u8; 16] = dispatch_one_block!(level.one_block(), isa => last_round(isa, &[0; 16]));
///     assert_eq!(state, [0x63; 16]);
/// }
/// ```
#[macro_export]
#[rustfmt::skip] // It would give every arm five lines.
macro_rules! dispatch_one_block {
    ($level:expr, $isa:ident => $body:expr) => {
        match $level {
            #[cfg(target_feature = "sse2")]
            $crate::OneBlockLevel::AesNi($isa) => $crate::Isa::run($isa, #[inline(always)] || $body),
            #[cfg(target_feature = "sse2")]
            $crate::OneBlockLevel::AesNiAvx($isa) => $crate::Isa::run($isa, #[inline(always)] || $body),
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            $crate::OneBlockLevel::NeonAes($isa) => $crate::Isa::run($isa, #[inline(always)] || $body),
        }
    };
}

/// Dispatches as [`dispatch!`] does, for a [`ShaIsa`](crate::ShaIsa) token at a given [`ShaLevel`].
///
/// ```
/// use abreast_simd::{ShaIsa, ShaLevel, ShaRounds, dispatch_sha};
///
/// #[inline(always)]
/// fn steps<I: ShaIsa>(_: I) -> usize {
///     I::Sha1::STEPS
/// }
///
/// // A CPU need not have them: the list may be empty.
/// for level in ShaLevel::detect_all() {
///     let steps: usize = dispatch_sha!(level, isa => steps(isa));
///     assert_eq!(steps, 5);
/// }
/// ```
#[macro_export]
#[rustfmt::skip] // It would give every arm five lines.
macro_rules! dispatch_sha {
    ($level:expr, $isa:ident => $body:expr) => {
        match $level {
            #[cfg(target_feature = "sse2")]
            $crate::ShaLevel::ShaNi($isa) => $crate::Isa::run($isa, #[inline(always)] || $body),
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            $crate::ShaLevel::NeonSha($isa) => $crate::Isa::run($isa, #[inline(always)] || $body),
        }
    };
}
