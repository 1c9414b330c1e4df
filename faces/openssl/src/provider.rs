//! The provider as OpenSSL has loaded it: the functions of OpenSSL that it may call, and how it reports errors.

use std::ffi::{CStr, CString, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null;

use crate::core::{
    CoreGetParams, CoreHandle, CoreNewError, CoreSetErrorDebug, CoreVsetError, Dispatch, NoArguments, Param,
    data_type, id,
};
use crate::count::Counter;
use crate::fault::Fault;

/// One loading of this library by OpenSSL. It is there until OpenSSL tears it down, after all contexts.
pub(crate) struct Provider {
    pub(crate) core: Core,
    /// Present if the configuration asks for it.
    pub(crate) counter: Option<Counter>,
    /// True if the configuration asks for ciphers that are broken.
    pub(crate) legacy: bool,
}

/// The functions of OpenSSL that a provider may call.
pub(crate) struct Core {
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
    pub(crate) unsafe fn new(handle: *const CoreHandle, mut table: *const Dispatch) -> Self {
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
    pub(crate) fn raise(&self, fault: Fault) {
        self.raise_with(fault, fault.text());
    }

    /// Puts an error with a sentence of its own, without a conversion of `printf`, into the queue of this thread.
    #[cold]
    fn raise_with(&self, fault: Fault, text: &CStr) {
        let (Some(new_error), Some(vset_error)) = (self.new_error, self.vset_error) else { return };
        // SAFETY: OpenSSL's functions with OpenSSL's handle. The format has no conversions, so no argument is read.
        unsafe {
            new_error(self.handle);
            if let Some(debug) = self.set_error_debug {
                debug(self.handle, c"abreast".as_ptr(), 0, c"".as_ptr());
            }
            vset_error(self.handle, fault.number(), text.as_ptr(), &mut NoArguments([0; 64]));
        }
    }

    /// Returns the value of a name in the configuration of the provider.
    pub(crate) fn configured(&self, name: &'static CStr) -> Option<&CStr> {
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

    /// True if the configuration of the provider has `yes` under a name, and not if it has `no` or nothing. Another value is
    /// an error, which is in the queue then.
    pub(crate) fn switch(&self, name: &'static CStr) -> Result<bool, ()> {
        let value = self.configured(name);
        match value.map(CStr::to_bytes) {
            None | Some(b"no") => Ok(false),
            Some(b"yes") => Ok(true),
            Some(value) => {
                // A percent sign would begin a conversion.
                let value = value.escape_ascii().to_string().replace('%', "%%");
                let name = name.to_string_lossy();
                let text = format!(
                    "{name} is \"{value}\" in the configuration of the provider, and can be yes or no"
                );
                self.raise_with(Fault::Setting, &CString::new(text).unwrap_or_default());
                Err(())
            }
        }
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

/// The provider of a context that OpenSSL hands back.
///
/// # Safety
/// The context is that of [`load`](crate::loading::load), and not torn down for `'p`.
pub(crate) unsafe fn of<'p>(context: *mut c_void) -> &'p Provider {
    // SAFETY: the caller says so.
    unsafe { &*context.cast_const().cast() }
}
