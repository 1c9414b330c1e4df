//! The lists of instruction sets that a cipher or a hash can be asked to run on, and the choice of one.

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
            /// The levels that this CPU can run, from least to most.
            pub fn detect_all() -> impl DoubleEndedIterator<Item = Self> {
                let candidates: &[fn() -> Option<Self>] =
                    &[$($(#[$cfg])* || $token::detect().map(Self::$token),)*];
                candidates.iter().filter_map(|detect| detect())
            }

            /// Every level of the target, from least to most: its name, the features that it needs, separated by commas, and true
            /// if this CPU can run it.
            pub fn all() -> impl Iterator<Item = (&'static str, &'static str, bool)> {
                [$($(#[$cfg])* ($name, <$token as $crate::Isa>::FEATURES, $token::detect().is_some()),)*].into_iter()
            }

            /// The name used by tests, benchmarks, the command line and the C interface.
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
    #[must_use]
    pub fn best() -> Self {
        Self::detect_all().next_back().unwrap_or(Self::from(baseline()))
    }
}

/// The vectors that every CPU of the target has, or portable words where there are none.
#[cfg(target_feature = "sse2")]
pub type Baseline = Sse2;
/// The vectors that every CPU of the target has, or portable words where there are none.
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
pub type Baseline = Neon;
/// The vectors that every CPU of the target has, or portable words where there are none.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub type Baseline = Simd128;
/// The vectors that every CPU of the target has, or portable words where there are none.
#[cfg(not(any(
    target_feature = "sse2",
    all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"),
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
pub type Baseline = Portable;

/// Returns the token of [`Baseline`].
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
    AesLevel,
    #[cfg(target_feature = "sse2")] AesNi = "aesni",
    #[cfg(target_feature = "sse2")] AesNiAvx = "aesni",
    #[cfg(target_feature = "sse2")] Vaes = "vaes",
    #[cfg(target_feature = "sse2")] Avx512Vaes = "avx512",
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))] NeonAes = "neon-aes"
}

levels! {
    /// An instruction set with rounds of SHA-1 and of SHA-256.
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
/// // A CPU need not have AES rounds: the list may be empty.
/// for level in AesLevel::detect_all() {
///     let state = dispatch_aes!(level, isa => first_round(isa));
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
///     assert_eq!(dispatch_sha!(level, isa => steps(isa)), 5);
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
