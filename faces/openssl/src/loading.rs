//! Loading: OpenSSL hands over its functions and gets those of the provider, by which it asks for the ciphers and for what the
//! provider says of itself.

use std::ffi::{CStr, c_int, c_void};
use std::ptr::null;

use crate::core::{Algorithm, CoreHandle, Dispatch, Function, Param, data_type, id, name};
use crate::count::{Counter, TOTAL};
use crate::names::ciphers;
use crate::provider::{Core, Provider, guarded, of};
use crate::{params, self_test};

/// Loads the provider: see [`crate::OSSL_provider_init`].
///
/// # Safety
/// The arguments are those of OpenSSL for a provider.
pub(crate) unsafe fn load(
    handle: *const CoreHandle,
    from_core: *const Dispatch,
    to_core: *mut *const Dispatch,
    context: *mut *mut c_void,
) -> Result<(), ()> {
    // SAFETY: the caller says so.
    let core = unsafe { Core::new(handle, from_core) };
    let (count, legacy) = (core.switch(c"count")?, core.switch(c"legacy")?);
    let counter = Counter::configured(count, core.configured(c"report"));
    let ready = counter.and_then(|counter| self_test::passed().map(|()| counter));
    let counter = ready.map_err(|fault| core.raise(fault))?;
    let provider = Box::new(Provider { core, counter, legacy });
    // SAFETY: places for these two, of OpenSSL.
    unsafe {
        *to_core = FUNCTIONS.as_ptr();
        *context = Box::into_raw(provider).cast();
    }
    Ok(())
}

/// The functions that OpenSSL may call.
const FUNCTIONS: &[Dispatch] = &[
    Dispatch { id: id::PROVIDER_TEARDOWN, function: Function { teardown } },
    Dispatch { id: id::PROVIDER_GETTABLE_PARAMS, function: Function { known } },
    Dispatch { id: id::PROVIDER_GET_PARAMS, function: Function { get } },
    Dispatch { id: id::PROVIDER_QUERY_OPERATION, function: Function { query } },
    Dispatch { id: id::PROVIDER_SELF_TEST, function: Function { self_test: test } },
    Dispatch::END,
];

/// The parameters by which the provider describes itself.
static KNOWN: [Param; 6] = [
    Param::described(name::PROVIDER_NAME, data_type::UTF8_PTR),
    Param::described(name::PROVIDER_VERSION, data_type::UTF8_PTR),
    Param::described(name::PROVIDER_BUILDINFO, data_type::UTF8_PTR),
    Param::described(name::PROVIDER_STATUS, data_type::INTEGER),
    Param::described(TOTAL, data_type::UNSIGNED_INTEGER),
    Param::END,
];

unsafe extern "C" fn teardown(context: *mut c_void) {
    // SAFETY: OpenSSL gives back what `load` gave it, once.
    let provider = unsafe { Box::from_raw(context.cast::<Provider>()) };
    guarded((), || drop(provider));
}

unsafe extern "C" fn known(_: *mut c_void) -> *const Param {
    KNOWN.as_ptr()
}

unsafe extern "C" fn get(context: *mut c_void, list: *mut Param) -> c_int {
    // SAFETY: OpenSSL gives what `load` gave it, and a list that ends.
    let (provider, asked) = unsafe { (of(context), params::asked(list)) };
    provider.call(|| {
        const VERSION: &CStr =
            match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
                Ok(version) => version,
                Err(_) => panic!("the version has no zero in it"),
            };
        for param in asked {
            match param.name() {
                it if it == name::PROVIDER_NAME => param.put_text(c"abreast")?,
                it if it == name::PROVIDER_VERSION || it == name::PROVIDER_BUILDINFO => {
                    param.put_text(VERSION)?
                }
                it if it == name::PROVIDER_STATUS => param.put_number(1)?,
                it if it == TOTAL => param.put_number(provider.counter.as_ref().map_or(0, Counter::total))?,
                _ => {}
            }
        }
        Ok(())
    })
}

unsafe extern "C" fn query(context: *mut c_void, operation: c_int, no_store: *mut c_int) -> *const Algorithm {
    if !no_store.is_null() {
        // SAFETY: a place for a number, of OpenSSL. The algorithms never change, so it may remember them.
        unsafe { *no_store = 0 };
    }
    if operation != id::OP_CIPHER {
        return null();
    }
    // SAFETY: OpenSSL gives what `load` gave it.
    let legacy = unsafe { of(context) }.legacy;
    guarded(null(), || ciphers(legacy).as_ptr())
}

unsafe extern "C" fn test(context: *mut c_void) -> c_int {
    // SAFETY: OpenSSL gives what `load` gave it.
    unsafe { of(context) }.call(self_test::run)
}
