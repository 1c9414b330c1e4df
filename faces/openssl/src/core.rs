//! The interface of OpenSSL to providers: the types of `openssl/core.h`, and of `openssl/core_dispatch.h` and
//! `openssl/core_names.h` the numbers, signatures and names that this provider uses (OpenSSL 3.0; later versions of OpenSSL 3
//! keep them, see provider-base(7) and provider-cipher(7)).
//!
//! Declared here by hand: they are few, and a generator would want OpenSSL's headers wherever this crate is built.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::{null, null_mut};

/// OpenSSL's handle of a loaded provider.
#[repr(C)]
#[derive(Debug)]
pub struct CoreHandle(c_void);

/// A function and its number (`OSSL_DISPATCH`). A table of them ends with the number 0.
#[repr(C)]
pub struct Dispatch {
    pub(crate) id: c_int,
    pub(crate) function: Function,
}

/// The function of a [`Dispatch`], of the type that its number says.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) union Function {
    pub(crate) none: Option<unsafe extern "C" fn()>,
    // From OpenSSL.
    pub(crate) core_get_params: CoreGetParams,
    pub(crate) core_new_error: CoreNewError,
    pub(crate) core_set_error_debug: CoreSetErrorDebug,
    pub(crate) core_vset_error: CoreVsetError,
    // From the provider.
    pub(crate) teardown: unsafe extern "C" fn(*mut c_void),
    pub(crate) query: unsafe extern "C" fn(*mut c_void, c_int, *mut c_int) -> *const Algorithm,
    pub(crate) self_test: unsafe extern "C" fn(*mut c_void) -> c_int,
    // From contexts and the provider.
    pub(crate) get: unsafe extern "C" fn(*mut c_void, *mut Param) -> c_int,
    pub(crate) set: unsafe extern "C" fn(*mut c_void, *const Param) -> c_int,
    pub(crate) known: unsafe extern "C" fn(*mut c_void) -> *const Param,
    pub(crate) known_of: unsafe extern "C" fn(*mut c_void, *mut c_void) -> *const Param,
    // From ciphers.
    pub(crate) new: unsafe extern "C" fn(*mut c_void) -> *mut c_void,
    pub(crate) free: unsafe extern "C" fn(*mut c_void),
    pub(crate) init:
        unsafe extern "C" fn(*mut c_void, *const u8, usize, *const u8, usize, *const Param) -> c_int,
    pub(crate) update:
        unsafe extern "C" fn(*mut c_void, *mut u8, *mut usize, usize, *const u8, usize) -> c_int,
    pub(crate) finish: unsafe extern "C" fn(*mut c_void, *mut u8, *mut usize, usize) -> c_int,
    pub(crate) describe: unsafe extern "C" fn(*mut Param) -> c_int,
}

pub(crate) type CoreGetParams = unsafe extern "C" fn(*const CoreHandle, *mut Param) -> c_int;
pub(crate) type CoreNewError = unsafe extern "C" fn(*const CoreHandle);
pub(crate) type CoreSetErrorDebug =
    unsafe extern "C" fn(*const CoreHandle, *const c_char, c_int, *const c_char);
/// The last argument is a `va_list`, which is not read where the format has no conversions.
pub(crate) type CoreVsetError = unsafe extern "C" fn(*const CoreHandle, u32, *const c_char, *mut NoArguments);

/// In place of a `va_list`: on every platform of OpenSSL that is a pointer, or is passed by one, or fits into one.
#[repr(C, align(16))]
pub(crate) struct NoArguments(pub(crate) [u8; 64]);

impl Dispatch {
    /// The end of a table.
    pub(crate) const END: Self = Self { id: 0, function: Function { none: None } };
}

/// An algorithm: its names with colons between them, its properties, its functions (`OSSL_ALGORITHM`). A list of them
/// ends without names.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Algorithm {
    pub(crate) names: *const c_char,
    pub(crate) properties: *const c_char,
    pub(crate) implementation: *const Dispatch,
    pub(crate) description: *const c_char,
}

// SAFETY: it points to what never changes and is there for good.
unsafe impl Sync for Algorithm {}

impl Algorithm {
    /// An algorithm of this provider.
    pub(crate) const fn new(
        names: &'static CStr,
        implementation: &'static [Dispatch],
        description: &'static CStr,
    ) -> Self {
        Self {
            names: names.as_ptr(),
            properties: c"provider=abreast".as_ptr(),
            implementation: implementation.as_ptr(),
            description: description.as_ptr(),
        }
    }

    /// The end of a list.
    pub(crate) const END: Self =
        Self { names: null(), properties: null(), implementation: null(), description: null() };
}

/// A parameter: what it is called, of what type it is, where its value is or goes (`OSSL_PARAM`). A list of them ends
/// without a name.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Param {
    pub(crate) key: *const c_char,
    pub(crate) data_type: c_uint,
    pub(crate) data: *mut c_void,
    pub(crate) data_size: usize,
    pub(crate) return_size: usize,
}

// SAFETY: those that are shared are descriptions, which point to nothing but a name that is there for good.
unsafe impl Sync for Param {}

/// Types of parameters (`OSSL_PARAM_INTEGER` and those after it).
pub(crate) mod data_type {
    use std::ffi::c_uint;

    pub(crate) const INTEGER: c_uint = 1;
    pub(crate) const UNSIGNED_INTEGER: c_uint = 2;
    pub(crate) const UTF8_STRING: c_uint = 4;
    pub(crate) const OCTET_STRING: c_uint = 5;
    pub(crate) const UTF8_PTR: c_uint = 6;
    pub(crate) const OCTET_PTR: c_uint = 7;
}

impl Param {
    /// The description of a parameter.
    pub(crate) const fn described(key: &'static CStr, data_type: c_uint) -> Self {
        Self { key: key.as_ptr(), data_type, data: null_mut(), data_size: 0, return_size: UNMODIFIED }
    }

    /// The end of a list.
    pub(crate) const END: Self =
        Self { key: null(), data_type: 0, data: null_mut(), data_size: 0, return_size: 0 };
}

/// The size of a parameter that nobody set (`OSSL_PARAM_UNMODIFIED`).
pub(crate) const UNMODIFIED: usize = usize::MAX;

/// Numbers of functions and operations (`OSSL_FUNC_..`, `OSSL_OP_..`).
pub(crate) mod id {
    use std::ffi::c_int;

    pub(crate) const CORE_GET_PARAMS: c_int = 2;
    pub(crate) const CORE_NEW_ERROR: c_int = 5;
    pub(crate) const CORE_SET_ERROR_DEBUG: c_int = 6;
    pub(crate) const CORE_VSET_ERROR: c_int = 7;

    pub(crate) const PROVIDER_TEARDOWN: c_int = 1024;
    pub(crate) const PROVIDER_GETTABLE_PARAMS: c_int = 1025;
    pub(crate) const PROVIDER_GET_PARAMS: c_int = 1026;
    pub(crate) const PROVIDER_QUERY_OPERATION: c_int = 1027;
    pub(crate) const PROVIDER_SELF_TEST: c_int = 1031;

    pub(crate) const OP_CIPHER: c_int = 2;

    pub(crate) const CIPHER_NEWCTX: c_int = 1;
    pub(crate) const CIPHER_ENCRYPT_INIT: c_int = 2;
    pub(crate) const CIPHER_DECRYPT_INIT: c_int = 3;
    pub(crate) const CIPHER_UPDATE: c_int = 4;
    pub(crate) const CIPHER_FINAL: c_int = 5;
    pub(crate) const CIPHER_CIPHER: c_int = 6;
    pub(crate) const CIPHER_FREECTX: c_int = 7;
    pub(crate) const CIPHER_DUPCTX: c_int = 8;
    pub(crate) const CIPHER_GET_PARAMS: c_int = 9;
    pub(crate) const CIPHER_GET_CTX_PARAMS: c_int = 10;
    pub(crate) const CIPHER_SET_CTX_PARAMS: c_int = 11;
    pub(crate) const CIPHER_GETTABLE_PARAMS: c_int = 12;
    pub(crate) const CIPHER_GETTABLE_CTX_PARAMS: c_int = 13;
    pub(crate) const CIPHER_SETTABLE_CTX_PARAMS: c_int = 14;
}

/// Names of parameters (`OSSL_CIPHER_PARAM_..`, `OSSL_PROV_PARAM_..`).
pub(crate) mod name {
    use std::ffi::CStr;

    pub(crate) const MODE: &CStr = c"mode";
    pub(crate) const KEYLEN: &CStr = c"keylen";
    pub(crate) const IVLEN: &CStr = c"ivlen";
    pub(crate) const BLOCK_SIZE: &CStr = c"blocksize";
    pub(crate) const AEAD: &CStr = c"aead";
    pub(crate) const CUSTOM_IV: &CStr = c"custom-iv";
    pub(crate) const CTS: &CStr = c"cts";
    pub(crate) const TLS1_MULTIBLOCK: &CStr = c"tls-multi";
    pub(crate) const HAS_RAND_KEY: &CStr = c"has-randkey";
    pub(crate) const IV: &CStr = c"iv";
    pub(crate) const UPDATED_IV: &CStr = c"updated-iv";
    pub(crate) const NUM: &CStr = c"num";
    pub(crate) const PADDING: &CStr = c"padding";
    pub(crate) const TAG: &CStr = c"tag";
    pub(crate) const TAGLEN: &CStr = c"taglen";
    pub(crate) const USE_BITS: &CStr = c"use-bits";
    pub(crate) const TLS_VERSION: &CStr = c"tls-version";
    pub(crate) const TLS_MAC: &CStr = c"tls-mac";
    pub(crate) const TLS_MAC_SIZE: &CStr = c"tls-mac-size";
    pub(crate) const TLS1_AAD: &CStr = c"tlsaad";
    pub(crate) const TLS1_AAD_PAD: &CStr = c"tlsaadpad";
    pub(crate) const TLS1_IV_FIXED: &CStr = c"tlsivfixed";
    pub(crate) const TLS1_GET_IV_GEN: &CStr = c"tlsivgen";
    pub(crate) const TLS1_SET_IV_INV: &CStr = c"tlsivinv";

    pub(crate) const PROVIDER_NAME: &CStr = c"name";
    pub(crate) const PROVIDER_VERSION: &CStr = c"version";
    pub(crate) const PROVIDER_BUILDINFO: &CStr = c"buildinfo";
    pub(crate) const PROVIDER_STATUS: &CStr = c"status";
}

/// The numbers of modes (`EVP_CIPH_..._MODE` of `openssl/evp.h`).
pub(crate) mod evp_mode {
    /// Modes without a number of their own.
    pub(crate) const OTHER: u32 = 0;
    pub(crate) const ECB: u32 = 1;
    pub(crate) const CBC: u32 = 2;
    pub(crate) const CFB: u32 = 3;
    pub(crate) const OFB: u32 = 4;
    pub(crate) const CTR: u32 = 5;
    pub(crate) const GCM: u32 = 6;
    pub(crate) const XTS: u32 = 0x10001;
    /// From OpenSSL 3.2 on.
    pub(crate) const GCM_SIV: u32 = 0x10005;
}
