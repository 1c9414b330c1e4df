//! Modes of operation: each one loop over a cipher's passes, written once for all kernels.

pub(crate) mod ctr;
pub(crate) mod ecb;
pub(crate) mod gcm;

pub use ctr::{CounterWidth, Ctr};
pub use gcm::{Gcm, GcmDecryptor, GcmEncryptor};
