//! The function by which OpenSSL knows a provider, called as OpenSSL would that offers nothing: what loads has to do
//! without.

#![allow(unsafe_code, reason = "it is called as OpenSSL calls it")]

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use abreast_ossl_provider::{Dispatch, OSSL_provider_init};

#[test]
fn it_loads_with_nothing_to_call() {
    let (mut functions, mut context) = (null::<Dispatch>(), null_mut::<c_void>());
    // SAFETY: no handle and no functions, and places for the two results.
    let loaded = unsafe { OSSL_provider_init(null(), null(), &mut functions, &mut context) };
    assert_eq!(loaded, 1);
    assert!(!functions.is_null() && !context.is_null());
}
