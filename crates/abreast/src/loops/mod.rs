//! The loops of the modes, each written once over a cipher's backend and compiled for every kernel.
//!
//! A loop is a [`Job`](crate::engine::passes::Job). What is not its business is in [`modes`](crate::modes): lengths,
//! limits, partial blocks between two calls, tags. Nothing here knows which ciphers there are.

pub(crate) mod cbc;
pub(crate) mod cfb;
pub(crate) mod cmac;
pub(crate) mod ctr;
pub(crate) mod eax;
pub(crate) mod ecb;
pub(crate) mod gcm;
pub(crate) mod ofb;
pub(crate) mod xts;
