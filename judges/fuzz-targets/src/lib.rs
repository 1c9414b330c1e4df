//! The functions that the fuzzer runs: one for each target, which takes any bytes and panics if the library is wrong.
//!
//! The programs for libFuzzer are in `judges/fuzz`, a workspace of its own, because they need a nightly compiler. Each is
//! one line around a function of [`TARGETS`]. The functions are here so that a stable compiler can run them without
//! instrumentation: `tests/corpus.rs` passes the committed corpora through them, like any other test.
//!
//! A target has to end quickly for every input, must not depend on the environment, and touches no files by name.
//! Structured targets take their fields from the bytes by `arbitrary` and the contents of messages from a seed, so
//! that a long message does not need a long input.

mod aez;
mod byte_range;
#[allow(unsafe_code, reason = "functions for C are called as C calls them")]
mod capi;
mod cgo;
mod columns;
mod ctr_seek;
mod frames;
mod game_frame;
mod hmac;
mod input;
mod key_file;
mod key_wrap;
mod packets;
mod packets_aez;
mod padding;
mod parquet;
mod passphrase_line;
mod pieces;
mod plan;
mod raw_args;
mod rc4;
mod sealed_bytes;
mod sealed_changes;
mod sealers;
mod targets;
mod whole_packets;

/// The judges of the library's own tests.
#[path = "../../../crates/abreast/tests/suite/common/mod.rs"]
mod common;

pub use input::mutated;
pub use targets::{TARGETS, Target, run};

/// The examples of the documents, which are tested here because this crate depends on all public ones.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../book/src/rust.md")]
    struct Rust;
    #[doc = include_str!("../../../book/src/packets.md")]
    struct Packets;
    #[doc = include_str!("../../../book/src/parquet.md")]
    struct Parquet;
    #[doc = include_str!("../../../book/src/columns.md")]
    struct Columns;
    #[doc = include_str!("../../../book/src/modes.md")]
    struct Modes;
}
