//! The lab: ciphers made faster step by step.
//!
//! A [`Ladder`](ladder::Ladder) is one cipher and several workloads; a [`Step`](ladder::Step) is one way to do such a
//! workload, with a sentence that says what changes against the step before and why that should help. The first step is
//! the textbook's, the last one is the library `abreast`. Five published articles are rebuilt in this way, and a sixth
//! ladder is about batches: see [`ladders`]. All steps of a workload are measured in one run, by turns ([`sample`]), and
//! the output of every measured call is compared with that of the reference.
//!
//! A [`page`] tells a ladder: the words are those of its [`story`], listings are taken from the code that is measured
//! ([`source`]), diagrams are drawn from data ([`picture`]), and figures are those of a [`report`].
//!
//! **The steps are for measuring, not for use.** Many of them look up tables at secret places, which leaks keys through
//! timing; that is why they are here and not in the library.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(
        dead_code,
        unreachable_code,
        unused_imports,
        unused_variables,
        reason = "no instruction set here has AES rounds"
    )
)]

pub mod alone;
pub mod chart;
pub mod clock;
pub mod floor;
pub mod known;
pub mod ladder;
pub mod ladders;
pub mod machine;
pub mod page;
pub mod picture;
pub mod report;
pub mod sample;
pub mod source;
pub mod story;
pub mod table;
