//! The loops of the modes, each written once over a cipher's backend and compiled for every kernel.
//!
//! A loop is a [`ModeLoop`](crate::engine::passes::ModeLoop). [`modes`](crate::modes) does the rest: lengths, limits, partial
//! blocks between two calls, tags. Nothing here knows which ciphers there are.

#[cfg(feature = "modes")]
pub(crate) mod cbc;
#[cfg(feature = "modes")]
pub(crate) mod cfb;
#[cfg(feature = "modes")]
pub(crate) mod cmac;
pub(crate) mod ctr;
#[cfg(feature = "modes")]
pub(crate) mod eax;
pub(crate) mod ecb;
pub(crate) mod gcm;
#[cfg(feature = "hctr2")]
pub(crate) mod hctr2;
#[cfg(any(feature = "siv", feature = "hctr2"))]
pub(crate) mod little_counters;
#[cfg(feature = "modes")]
pub(crate) mod ofb;
#[cfg(feature = "cgo")]
pub(crate) mod uiv;
#[cfg(feature = "modes")]
pub(crate) mod xts;
