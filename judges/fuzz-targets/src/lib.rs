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
mod columns;
mod ctr_seek;
mod frames;
mod game_frame;
mod input;
mod key_file;
mod packets;
mod packets_aez;
mod padding;
mod passphrase_line;
mod pieces;
mod plan;
mod raw_args;
mod rc4;
mod sealed_bytes;
mod sealed_changes;
mod targets;

/// The judges of the library's own tests.
#[path = "../../../crates/abreast/tests/suite/common/mod.rs"]
mod common;

// The modules of the command that targets run. Its library keeps the command line and `raw` to itself, so they are compiled
// again here, and at the root of the crate, because they refer to each other from there.
#[path = "../../../faces/command/src/args.rs"]
#[allow(dead_code, reason = "only `raw` is run")]
mod args;
#[path = "../../../faces/command/src/cleanup.rs"]
#[allow(dead_code, reason = "no signal is handled")]
mod cleanup;
#[path = "../../../faces/command/src/failure.rs"]
#[allow(dead_code, unreachable_pub, reason = "nothing is printed; the library of the command hands it on")]
mod failure;
#[path = "../../../faces/command/src/identity.rs"]
#[allow(dead_code, reason = "a part is used")]
mod identity;
#[path = "../../../faces/command/src/leftovers.rs"]
#[allow(dead_code, reason = "a part is used")]
mod leftovers;
#[path = "../../../faces/command/src/names.rs"]
#[allow(dead_code, unreachable_pub, reason = "a part is used; the library of the command hands it on")]
mod names;
#[path = "../../../faces/command/src/outputs.rs"]
#[allow(dead_code, unreachable_pub, reason = "a part is used; the library of the command hands it on")]
mod outputs;
#[path = "../../../faces/command/src/progress.rs"]
#[allow(dead_code, reason = "no progress is shown")]
mod progress;
#[path = "../../../faces/command/src/range.rs"]
#[allow(dead_code, unreachable_pub, reason = "a part is used; the library of the command hands it on")]
mod range;
#[path = "../../../faces/command/src/raw/mod.rs"]
mod raw;
#[path = "../../../faces/command/src/source.rs"]
#[allow(dead_code, unreachable_pub, reason = "a part is used; the library of the command hands it on")]
mod source;
#[path = "../../../faces/command/src/streams.rs"]
#[allow(dead_code, unreachable_pub, reason = "a part is used; the library of the command hands it on")]
mod streams;
#[path = "../../../faces/command/src/system.rs"]
#[allow(dead_code, reason = "a part is used")]
mod system;
#[path = "../../../faces/command/src/target.rs"]
#[allow(dead_code, unreachable_pub, reason = "a part is used; the library of the command hands it on")]
mod target;

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
    #[doc = include_str!("../../../book/src/columns.md")]
    struct Columns;
}
