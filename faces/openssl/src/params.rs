//! Parameters: lists of named values that OpenSSL asks for or sets.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null;
use std::slice::{from_raw_parts, from_raw_parts_mut};

use crate::core::{Param, data_type};
use crate::fault::Fault;

/// The parameters of a list that OpenSSL wants to have filled in; NULL is an empty one.
///
/// # Safety
/// The list ends without a name, and nobody else uses it for `'p`.
pub(crate) unsafe fn asked<'p>(list: *mut Param) -> &'p mut [Param] {
    // SAFETY: the caller says so, and `count` counts up to the end.
    if list.is_null() { &mut [] } else { unsafe { from_raw_parts_mut(list, count(list)) } }
}

/// The parameters of a list that OpenSSL sets; NULL is an empty one.
///
/// # Safety
/// The list ends without a name, and nobody changes it for `'p`.
pub(crate) unsafe fn given<'p>(list: *const Param) -> &'p [Param] {
    // SAFETY: the caller says so, and `count` counts up to the end.
    if list.is_null() { &[] } else { unsafe { from_raw_parts(list, count(list)) } }
}

/// # Safety
/// The list ends without a name.
unsafe fn count(list: *const Param) -> usize {
    let mut count = 0;
    // SAFETY: this is not the end yet.
    while unsafe { !(*list.add(count)).key.is_null() } {
        count += 1;
    }
    count
}

impl Param {
    /// Its name.
    pub(crate) fn name(&self) -> &CStr {
        if self.key.is_null() {
            return c"";
        }
        // SAFETY: a name ends with a zero and is there as long as the list.
        unsafe { CStr::from_ptr(self.key) }
    }

    /// The number that it is set to.
    pub(crate) fn number(&self) -> Result<u64, Fault> {
        let data = self.data;
        let number = match (self.data_type, self.data_size) {
            _ if data.is_null() => None,
            (data_type::UNSIGNED_INTEGER, 4) => {
                // SAFETY: OpenSSL says that so many bytes are there, whatever the alignment.
                Some(unsafe { data.cast::<u32>().read_unaligned() }.into())
            }
            (data_type::UNSIGNED_INTEGER, 8) => {
                // SAFETY: as above.
                Some(unsafe { data.cast::<u64>().read_unaligned() })
            }
            (data_type::INTEGER, 4) => {
                // SAFETY: as above.
                unsafe { data.cast::<i32>().read_unaligned() }.try_into().ok()
            }
            (data_type::INTEGER, 8) => {
                // SAFETY: as above.
                unsafe { data.cast::<i64>().read_unaligned() }.try_into().ok()
            }
            _ => None,
        };
        number.ok_or(Fault::Parameter)
    }

    /// The number that it is set to, where OpenSSL keeps an `unsigned int`.
    pub(crate) fn number_of_32_bits(&self) -> Result<u32, Fault> {
        self.number()?.try_into().map_err(|_| Fault::Parameter)
    }

    /// The bytes that it is set to, if it has any and not a length alone.
    pub(crate) fn bytes(&self) -> Result<Option<&[u8]>, Fault> {
        if self.data_type != data_type::OCTET_STRING {
            return Err(Fault::Parameter);
        }
        // SAFETY: OpenSSL says that so many bytes are there.
        Ok((!self.data.is_null()).then(|| unsafe { from_raw_parts(self.data.cast(), self.data_size) }))
    }

    /// The text that it points to.
    pub(crate) fn text(&self) -> Option<&CStr> {
        if self.data_type != data_type::UTF8_PTR || self.data.is_null() {
            return None;
        }
        // SAFETY: where the data is, OpenSSL put a pointer, or left the one that was there.
        let text = unsafe { self.data.cast::<*const c_char>().read_unaligned() };
        // SAFETY: text ends with a zero, and is there as long as the provider is loaded.
        (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })
    }

    /// Answers with a number.
    pub(crate) fn put_number(&mut self, number: u64) -> Result<(), Fault> {
        let (unsigned, signed) =
            (self.data_type == data_type::UNSIGNED_INTEGER, self.data_type == data_type::INTEGER);
        if !unsigned && !signed {
            return Err(Fault::Parameter);
        }
        if self.data.is_null() {
            self.return_size = size_of::<u64>();
            return Ok(());
        }
        let most = match self.data_size {
            4 if signed => i32::MAX as u64,
            4 => u32::MAX.into(),
            8 if signed => i64::MAX as u64,
            8 => u64::MAX,
            _ => return Err(Fault::Parameter),
        };
        if number > most {
            return Err(Fault::Parameter);
        }
        // SAFETY: OpenSSL says that there is room for so many bytes, whatever the alignment.
        unsafe {
            match self.data_size {
                4 => self.data.cast::<u32>().write_unaligned(number as u32),
                _ => self.data.cast::<u64>().write_unaligned(number),
            }
        }
        self.return_size = self.data_size;
        Ok(())
    }

    /// Answers with a number that OpenSSL keeps as an `int` or `unsigned int`.
    pub(crate) fn put_number_of_32_bits(&mut self, number: u32) -> Result<(), Fault> {
        self.put_number(number.into())?;
        if self.data.is_null() {
            self.return_size = size_of::<u32>();
        }
        Ok(())
    }

    /// Returns the place for an answer of bytes: as many as there is room for, and at most `most`.
    pub(crate) fn room(&mut self, most: usize) -> Result<&mut [u8], Fault> {
        if self.data_type != data_type::OCTET_STRING || self.data.is_null() {
            return Err(Fault::Parameter);
        }
        self.return_size = self.data_size.min(most);
        // SAFETY: OpenSSL says that there is room for so many bytes.
        Ok(unsafe { from_raw_parts_mut(self.data.cast(), self.return_size) })
    }

    /// Answers with bytes of a context: a copy of them, or where they are for as long as the context.
    pub(crate) fn put_bytes(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.return_size = bytes.len();
        match self.data_type {
            _ if self.data.is_null() => Ok(()),
            data_type::OCTET_PTR => {
                // SAFETY: there is room for a pointer.
                unsafe { self.data.cast::<*const c_void>().write_unaligned(bytes.as_ptr().cast()) };
                Ok(())
            }
            data_type::OCTET_STRING if self.data_size >= bytes.len() => {
                self.room(bytes.len())?.copy_from_slice(bytes);
                Ok(())
            }
            _ => Err(Fault::Parameter),
        }
    }

    /// Answers with a pointer to bytes, which are not copied: to nothing if there are none, of a length nevertheless.
    pub(crate) fn put_pointer(&mut self, bytes: Option<&[u8]>, len: usize) -> Result<(), Fault> {
        self.return_size = len;
        if self.data_type != data_type::OCTET_PTR {
            return Err(Fault::Parameter);
        }
        if !self.data.is_null() {
            let bytes = bytes.map_or(null(), <[u8]>::as_ptr);
            // SAFETY: there is room for a pointer.
            unsafe { self.data.cast::<*const c_void>().write_unaligned(bytes.cast()) };
        }
        Ok(())
    }

    /// Answers with text that is there for good.
    pub(crate) fn put_text(&mut self, text: &'static CStr) -> Result<(), Fault> {
        let len = text.count_bytes();
        self.return_size = len;
        match self.data_type {
            _ if self.data.is_null() => Ok(()),
            data_type::UTF8_PTR => {
                // SAFETY: there is room for a pointer.
                unsafe { self.data.cast::<*const c_char>().write_unaligned(text.as_ptr()) };
                Ok(())
            }
            data_type::UTF8_STRING if self.data_size > len => {
                let text = text.to_bytes_with_nul();
                // SAFETY: OpenSSL says that there is room for so many bytes, and the text has no more.
                unsafe { from_raw_parts_mut(self.data.cast::<u8>(), text.len()) }.copy_from_slice(text);
                Ok(())
            }
            _ => Err(Fault::Parameter),
        }
    }
}
