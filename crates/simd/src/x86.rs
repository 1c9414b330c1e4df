//! x86 of 64 and of 32 bits: the instruction sets, and their registers as words and blocks.

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
    Sse2, "sse2", is_x86_feature_detected!["sse2"]
}
token! {
    /// AVX2 (Haswell, Excavator and later).
    Avx2, "avx2", is_x86_feature_detected!["avx2"]
}
token! {
    /// AVX-512 with bytes and words, quadwords and short vectors (Skylake-X and later, Zen 4 and later).
    Avx512, "avx512f,avx512bw,avx512dq,avx512vl",
    is_x86_feature_detected!["avx512f", "avx512bw", "avx512dq", "avx512vl"]
}
token! {
    /// AES-NI and PCLMULQDQ on a CPU without AVX (Westmere).
    AesNi, "sse4.1,aes,pclmulqdq", is_x86_feature_detected!["sse4.1", "aes", "pclmulqdq"]
}
token! {
    /// AES-NI and PCLMULQDQ in the three-operand encoding of AVX (Sandy Bridge and later).
    AesNiAvx, "avx,aes,pclmulqdq", is_x86_feature_detected!["avx", "aes", "pclmulqdq"]
}
token! {
    /// AVX2 with AES rounds and carry-less products on 256 bits (Alder Lake, Zen 3 and later).
    Vaes, "avx2,aes,pclmulqdq,vaes,vpclmulqdq",
    is_x86_feature_detected!["avx2", "aes", "pclmulqdq", "vaes", "vpclmulqdq"]
}
token! {
    /// AVX-512 with AES rounds and carry-less products on 512 bits (Ice Lake, Zen 4 and later).
    Avx512Vaes, "avx512f,avx512bw,avx512dq,avx512vl,aes,pclmulqdq,vaes,vpclmulqdq",
    is_x86_feature_detected![
        "avx512f", "avx512bw", "avx512dq", "avx512vl", "aes", "pclmulqdq", "vaes", "vpclmulqdq"
    ]
}
token! {
    /// SHA-NI: SHA-1 and SHA-256 (Goldmont, Ice Lake, Zen and later).
    ShaNi, "sse4.1,sha", is_x86_feature_detected!["sse4.1", "sha"]
}
