//! Vectors and instruction sets: where `unsafe` is at home. (The C interface has the rest, for its pointers.)
//!
//! Three ideas carry everything above this crate.
//!
//! * **A token is a proof.** `x86::Avx2`, `neon::NeonAes`, [`portable::Portable`] and the others are
//!   zero-sized types that only detection (or an `unsafe` promise) can make. A vector carries the
//!   token of its instruction set, so owning a vector proves that its operations may run: they are
//!   safe functions, and ciphers need no `unsafe`.
//! * **One `#[target_feature]` per instruction set**, in [`Isa::run`]. What is inlined into the
//!   closure handed to `run` is compiled for that instruction set. Everything between `run` and an
//!   intrinsic must therefore be `#[inline(always)]`: with a plain `#[inline]` each intrinsic turns
//!   into a call, every test still passes, and the kernel is a hundred times slower. The project's
//!   inlining gate looks for exactly that.
//! * **CPU features are a lattice, not a ladder.** [`Level`] lists the sets that compute on words,
//!   [`AesLevel`] those with AES rounds, [`ShaLevel`] those with rounds of SHA; [`dispatch!`], [`dispatch_aes!`] and
//!   [`dispatch_sha!`] turn a level kept beside a key into a token, once per call.
//!
//! The vectors are [`Words`] (lanes of `u32`, for bit-sliced and ARX ciphers), [`Blocks`] (128-bit
//! blocks), and over the latter [`AesBlocks`] and [`Clmul`]; [`ShaRounds`] are the rounds of hashes.
//!
//! # Example
//!
//! A kernel is written once. A token, and with it the vectors, comes from [`dispatch!`] or is at hand.
//!
//! ```
//! use abreast_simd::portable::Portable;
//! use abreast_simd::{Isa, Level, Words, WordsIsa, dispatch};
//!
//! #[inline(always)]
//! fn add_to_words<I: WordsIsa>(isa: I, x: u32, data: &mut [u8]) {
//!     let x = I::Words::splat(isa, x);
//!     for part in data.chunks_mut(I::Words::BYTES) {
//!         (I::Words::load_partial(isa, part) + x).store_partial(part);
//!     }
//! }
//!
//! let mut expected = [0xff; 100];
//! let isa = Portable;
//! isa.run(#[inline(always)] || add_to_words(isa, 2, &mut expected));
//! assert_eq!(expected[..8], [1, 0, 0, 0, 1, 0, 0, 0]);
//!
//! for level in Level::detect_all() {
//!     let mut data = [0xff; 100];
//!     dispatch!(level, isa => add_to_words(isa, 2, &mut data));
//!     assert_eq!(data, expected, "{}", level.name());
//! }
//! ```

#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
// The crate exists to hold this: each block says why it is sound.
#![allow(unsafe_code, reason = "intrinsics are unsafe functions; the tokens make them safe")]

pub mod aes;
pub mod blocks;
pub mod buffer;
pub mod clmul;
pub mod inlined;
#[cfg(any(
    target_feature = "sse2",
    all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"),
    all(target_arch = "wasm32", target_feature = "simd128")
))]
mod intrinsic;
pub mod isa;
mod latency;
mod levels;
pub mod lines;
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
pub mod neon;
mod partial;
pub mod planes;
pub mod portable;
mod scalar;
pub mod sha;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub mod wasm;
mod wiped;
pub mod words;
#[cfg(target_feature = "sse2")]
pub mod x86;

pub use aes::{AesBlocks, AesIsa};
pub use blocks::{Block, Blocks, Places};
pub use clmul::Clmul;
pub use isa::Isa;
pub use latency::{additions_wait, vectors_wait};
pub use levels::{AesLevel, Baseline, Level, OneBlockLevel, ShaLevel, baseline};
pub use planes::{Circuit, Gates, Plane};
pub use scalar::{prefetch, scalar};
pub use sha::{ShaIsa, ShaRounds};
pub use wiped::Wiped;
pub use words::{Word, Words, WordsIsa};
