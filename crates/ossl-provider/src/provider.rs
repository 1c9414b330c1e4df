//! The provider as OpenSSL has loaded it: what it can do, what it says of itself, and how it reports errors.

use std::ffi::{CStr, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null;

use crate::core::{
    Algorithm, CoreGetParams, CoreHandle, CoreNewError, CoreSetErrorDebug, CoreVsetError, Dispatch, Function,
    NoArguments, Param, data_type, id, name,
};
use crate::count::{Counter, TOTAL};
use crate::fault::Fault;
use crate::names::CIPHERS;
use crate::{params, self_test};

/// One loading of this library by OpenSSL. It is there until OpenSSL tears it down, after all contexts.
pub(crate) struct Provider {
    core: Core,
    /// Present if the configuration asks for it.
    pub(crate) counter: Option<Counter>,
}

/// The functions of OpenSSL that a provider may call.
struct Core {
    handle: *const CoreHandle,
    get_params: Option<CoreGetParams>,
    new_error: Option<CoreNewError>,
    set_error_debug: Option<CoreSetErrorDebug>,
    vset_error: Option<CoreVsetError>,
}

// SAFETY: OpenSSL's functions may be called by any thread, with the handle that it gave.
unsafe impl Send for Core {}
// SAFETY: as above.
unsafe impl Sync for Core {}

impl Core {
    /// # Safety
    /// The table is OpenSSL's for a provider, and ends with the number 0.
    unsafe fn new(handle: *const CoreHandle, mut table: *const Dispatch) -> Self {
        let mut core =
            Self { handle, get_params: None, new_error: None, set_error_debug: None, vset_error: None };
        // SAFETY: the caller says that the table goes on until the number is 0, and that functions have the types of
        // their numbers.
        unsafe {
            while !table.is_null() && (*table).id != 0 {
                let function = &(*table).function;
                match (*table).id {
                    id::CORE_GET_PARAMS => core.get_params = Some(function.core_get_params),
                    id::CORE_NEW_ERROR => core.new_error = Some(function.core_new_error),
                    id::CORE_SET_ERROR_DEBUG => core.set_error_debug = Some(function.core_set_error_debug),
                    id::CORE_VSET_ERROR => core.vset_error = Some(function.core_vset_error),
                    _ => {}
                }
                table = table.add(1);
            }
        }
        core
    }

    /// Puts an error into the queue of this thread.
    #[cold]
    fn raise(&self, fault: Fault) {
        let (Some(new_error), Some(vset_error)) = (self.new_error, self.vset_error) else { return };
        // SAFETY: OpenSSL's functions with OpenSSL's handle. The format has no conversions, so no argument is read.
        unsafe {
            new_error(self.handle);
            if let Some(debug) = self.set_error_debug {
                debug(self.handle, c"abreast".as_ptr(), 0, c"".as_ptr());
            }
            vset_error(self.handle, fault.number(), fault.text().as_ptr(), &mut NoArguments([0; 64]));
        }
    }

    /// Returns the value of a name in the configuration of the provider.
    fn configured(&self, name: &'static CStr) -> Option<&CStr> {
        let mut value = null::<std::ffi::c_char>();
        let mut asked = [Param::described(name, data_type::UTF8_PTR), Param::END];
        asked[0].data = (&raw mut value).cast();
        asked[0].data_size = size_of_val(&value);
        // SAFETY: OpenSSL's function with OpenSSL's handle and a list of parameters that ends.
        let done = unsafe { self.get_params?(self.handle, asked.as_mut_ptr()) };
        // It lives as long as the provider is loaded, and so does what is borrowed from here.
        if done == 1 { asked[0].text() } else { None }.map(|text| {
            // SAFETY: as above: OpenSSL keeps the text, not the list.
            unsafe { CStr::from_ptr(text.as_ptr()) }
        })
    }
}

impl Provider {
    /// Reports an error.
    #[cold]
    pub(crate) fn raise(&self, fault: Fault) {
        self.core.raise(fault);
    }

    /// Runs what a function of the provider does. OpenSSL hears of an error by 0 and its queue. A panic ends here.
    #[inline]
    pub(crate) fn call(&self, body: impl FnOnce() -> Result<(), Fault>) -> c_int {
        // After a panic the context is not to be used, which OpenSSL is told by an error like any other.
        let outcome = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
            // Dropping it could panic anew.
            std::mem::forget(payload);
            Err(Fault::Panic)
        });
        match outcome {
            Ok(()) => 1,
            Err(fault) => {
                self.raise(fault);
                0
            }
        }
    }
}

/// Runs what makes no use of a provider; a panic gives the value.
pub(crate) fn guarded<T>(fault: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        std::mem::forget(payload);
        fault
    })
}

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
    let counter = Counter::configured(core.configured(c"count"), core.configured(c"report"));
    let ready = counter.and_then(|counter| self_test::passed().map(|()| counter));
    let counter = ready.map_err(|fault| core.raise(fault))?;
    let provider = Box::new(Provider { core, counter });
    // SAFETY: places for these two, of OpenSSL.
    unsafe {
        *to_core = FUNCTIONS.as_ptr();
        *context = Box::into_raw(provider).cast();
    }
    Ok(())
}

/// The provider of a context that OpenSSL hands back.
///
/// # Safety
/// It is that of [`load`], and not torn down for `'p`.
pub(crate) unsafe fn of<'p>(context: *mut c_void) -> &'p Provider {
    // SAFETY: the caller says so.
    unsafe { &*context.cast_const().cast() }
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

unsafe extern "C" fn query(_: *mut c_void, operation: c_int, no_store: *mut c_int) -> *const Algorithm {
    if !no_store.is_null() {
        // SAFETY: a place for a number, of OpenSSL. The algorithms never change, so it may remember them.
        unsafe { *no_store = 0 };
    }
    if operation == id::OP_CIPHER { CIPHERS.as_ptr() } else { null() }
}

unsafe extern "C" fn test(context: *mut c_void) -> c_int {
    // SAFETY: OpenSSL gives what `load` gave it.
    unsafe { of(context) }.call(self_test::run)
}
