//! x86 of 64 and of 32 bits: the instruction sets, and their registers as words and blocks.
//!
//! ```
//! use abreast_simd::x86::{AesNiAvxBlock, Avx2Words, Avx512Blocks, Avx512Words, Sse2Words, VaesBlocks};
//! use abreast_simd::{Blocks, Words};
//!
//! assert_eq!([Sse2Words::LANES, Avx2Words::LANES, Avx512Words::LANES], [4, 8, 16]);
//! assert_eq!([AesNiAvxBlock::LANES, VaesBlocks::LANES, Avx512Blocks::LANES], [1, 2, 4]);
//! ```

mod blocks;
mod registers;
mod sha;
mod words;

pub use blocks::{AesNiAvxBlock, AesNiBlock, Avx512Blocks, VaesBlocks};
pub use sha::{ShaNi1, ShaNi1State, ShaNi256, ShaNi256State};
pub use words::{Avx2Words, Avx512Words, LaneTables, Sse2Words};

pub(crate) use registers::{bytes, xor};

use crate::isa::token;

token! {
    /// SSE2, the baseline of x86-64 and of i686.
    ///
    /// ```
    /// use abreast_simd::x86::Sse2;
    ///
    /// let isa: Sse2 = abreast_simd::baseline();
    /// assert_eq!(Sse2::detect(), Some(isa));
    /// ```
    Sse2, "sse2", is_x86_feature_detected!["sse2"]
}
token! {
    /// AVX2 (Haswell, Excavator and later).
    ///
    /// ```
    /// use abreast_simd::{Level, x86::Avx2};
    ///
    /// let levels: Vec<_> = Level::detect_all().map(Level::name).collect();
    /// assert_eq!(Avx2::detect().is_some(), levels.contains(&"avx2"));
    /// ```
    Avx2, "avx2", is_x86_feature_detected!["avx2"]
}
token! {
    /// AVX-512 with bytes and words, quadwords and short vectors (Skylake-X and later, Zen 4 and later).
    ///
    /// ```
    /// use abreast_simd::{Level, x86::Avx512};
    ///
    /// if let Some(isa) = Avx512::detect() {
    ///     assert_eq!(Level::best(), Level::from(isa));
    /// }
    /// ```
    Avx512, "avx512f,avx512bw,avx512dq,avx512vl",
    is_x86_feature_detected!["avx512f", "avx512bw", "avx512dq", "avx512vl"]
}
token! {
    /// AES-NI and PCLMULQDQ on a CPU without AVX (Westmere).
    ///
    /// ```
    /// use abreast_simd::x86::{AesNi, AesNiAvx};
    ///
    /// // A CPU that has the other encoding has this one, too.
    /// assert!(AesNi::detect().is_some() || AesNiAvx::detect().is_none());
    /// ```
    AesNi, "sse4.1,aes,pclmulqdq", is_x86_feature_detected!["sse4.1", "aes", "pclmulqdq"]
}
token! {
    /// AES-NI and PCLMULQDQ in the three-operand encoding of AVX (Sandy Bridge and later).
    ///
    /// ```
    /// use abreast_simd::AesLevel;
    /// use abreast_simd::x86::{AesNi, AesNiAvx};
    ///
    /// // Both encodings are the level "aesni", of which the second is the better.
    /// if let (Some(legacy), Some(avx)) = (AesNi::detect(), AesNiAvx::detect()) {
    ///     let levels = [AesLevel::from(legacy), AesLevel::from(avx)];
    ///     assert!(AesLevel::detect_all().take(2).eq(levels));
    ///     assert_eq!(levels.map(AesLevel::name), ["aesni"; 2]);
    /// }
    /// ```
    AesNiAvx, "avx,aes,pclmulqdq", is_x86_feature_detected!["avx", "aes", "pclmulqdq"]
}
token! {
    /// AVX2 with AES rounds and carry-less products on 256 bits (Alder Lake, Zen 3 and later).
    ///
    /// ```
    /// use abreast_simd::AesIsa;
    /// use abreast_simd::x86::{AesNiAvx, Vaes};
    ///
    /// if let Some(isa) = Vaes::detect() {
    ///     // One block alone takes the instructions on 128 bits.
    ///     let narrow: AesNiAvx = isa.narrow();
    ///     assert_eq!(AesNiAvx::detect(), Some(narrow));
    /// }
    /// ```
    Vaes, "avx2,aes,pclmulqdq,vaes,vpclmulqdq",
    is_x86_feature_detected!["avx2", "aes", "pclmulqdq", "vaes", "vpclmulqdq"]
}
token! {
    /// AVX-512 with AES rounds and carry-less products on 512 bits (Ice Lake, Zen 4 and later).
    ///
    /// ```
    /// use abreast_simd::AesLevel;
    /// use abreast_simd::x86::Avx512Vaes;
    ///
    /// if let Some(isa) = Avx512Vaes::detect() {
    ///     assert_eq!(AesLevel::detect_all().last(), Some(AesLevel::from(isa)));
    /// }
    /// ```
    Avx512Vaes, "avx512f,avx512bw,avx512dq,avx512vl,aes,pclmulqdq,vaes,vpclmulqdq",
    is_x86_feature_detected![
        "avx512f", "avx512bw", "avx512dq", "avx512vl", "aes", "pclmulqdq", "vaes", "vpclmulqdq"
    ]
}
token! {
    /// SHA-NI: SHA-1 and SHA-256 (Goldmont, Ice Lake, Zen and later).
    ///
    /// ```
    /// use abreast_simd::{ShaLevel, x86::ShaNi};
    ///
    /// assert_eq!(ShaNi::detect().map(ShaLevel::from), ShaLevel::detect_all().last());
    /// ```
    ShaNi, "sse4.1,sha", is_x86_feature_detected!["sse4.1", "sha"]
}
