#![doc = include_str!("../README.md")]
//!
//! # How it is built
//! OpenSSL knows a provider by one function, [`OSSL_provider_init`], which hands it a table of functions; a cipher is
//! another table, of the functions for its contexts (provider-base(7), provider-cipher(7)). These tables are declared in
//! `core`; no code of OpenSSL is linked. `names` lists the ciphers. Each is a type, a cipher in a mode, that implements
//! `context::CipherMode`; the functions of its table are written once, in `context`, and no panic leaves them. What a
//! context keeps of keys and messages is in it: a message allocates nothing, nor does another key.

#![allow(unsafe_code, reason = "OpenSSL hands over pointers")]

use std::ffi::{c_int, c_void};

mod buffers;
mod context;
mod core;
mod count;
mod fault;
mod keys;
mod loading;
mod memory;
mod modes;
mod names;
mod params;
mod provider;
mod self_test;
#[cfg(test)]
mod tests;

pub use crate::core::{CoreHandle, Dispatch};

/// Loads the provider: the function by which OpenSSL knows one. 1 if it is ready; 0 if the self-test fails or the
/// configuration is wrong, and then OpenSSL has the reason in its queue of errors.
///
/// # Safety
/// The arguments are those of OpenSSL 3: its handle and its table of functions, which ends, and two places for the
/// functions and the context of the provider.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn OSSL_provider_init(
    handle: *const CoreHandle,
    from_core: *const Dispatch,
    to_core: *mut *const Dispatch,
    context: *mut *mut c_void,
) -> c_int {
    // SAFETY: the caller says so.
    provider::guarded(0, || unsafe { loading::load(handle, from_core, to_core, context) }.is_ok().into())
}
