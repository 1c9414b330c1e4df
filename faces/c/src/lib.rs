//! The C interface: `libabreast`, with `include/abreast.h` made from this crate by `cargo xtask header`.
//!
//! The documentation of functions and types is written for the reader of the header. The rules that all of them
//! share are at the header's top, from `install/opening.h.in`, and here they are kept in four places:
//!
//! * [`status`]: every call runs in `guarded`, where panics end, and gives an integer.
//! * [`buffers`]: pointers with lengths become slices, after they were looked at.
//! * [`handle`]: keys are counted references, so that a stream keeps its key.
//! * [`packets`]: arrays of descriptors become windows of a batch.
//!
//! Functions for OpenCL devices are in [`devices`].
//!
//! Pointers arrive as types that only C can make: newtypes with private fields. So exported functions are safe ones, and
//! `unsafe` is where such a newtype is looked into, after the pointer was checked.

#![allow(
    unsafe_code,
    reason = "C hands over pointers; each block says what of the header's rules it relies on"
)]
#![deny(unsafe_op_in_unsafe_fn)]
#![cfg_attr(
    not(feature = "full"),
    allow(dead_code, reason = "some of what functions share is shared by ciphers that are left out")
)]
#![allow(clippy::too_many_arguments, reason = "C has no slices: each is two")]

// In this order in the header.
pub mod about;
pub mod status;

pub mod cipher;
pub mod constructors;
#[cfg(feature = "xtea")]
pub mod xtea;

pub mod modes;
pub mod strings;

#[cfg(feature = "columns")]
pub mod columns;

#[cfg(feature = "aez")]
pub mod aez;
#[cfg(feature = "cgo")]
pub mod cgo;
#[cfg(feature = "legacy")]
pub mod rc4;

pub mod packets;
pub mod srtp;

pub mod esp;
pub mod quic;

#[cfg(feature = "devices")]
pub mod devices;

pub mod buffers;
pub mod handle;
pub mod names;
mod self_test;
#[cfg(all(test, feature = "full"))]
mod tests;
mod texts;
