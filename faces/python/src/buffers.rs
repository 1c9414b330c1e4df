//! Buffers of Python as slices of Rust: the only module here with `unsafe`.
//!
//! Every object with the buffer protocol (PEP 3118) that lies in one piece in memory is accepted: bytes, bytearray, memoryview,
//! mmap, arrays of ctypes and NumPy, buffers of Arrow. Nothing is copied. While a buffer is exported, its owner neither moves
//! nor frees it. Another thread may still write to it during a call that has released the interpreter's lock; the result is
//! then some mixture of old and new bytes, as with every extension module that works on buffers.

#![allow(
    unsafe_code,
    reason = "the interpreter hands out buffers as pointers, and this module is where they become slices"
)]

use abreast::InOutBuf;
use abreast::packets::Buffer;
use pyo3::exceptions::{PyBufferError, PyMemoryError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::ffi::CStr;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::NonNull;
use std::slice;

/// Data from this many bytes on are worked on without the interpreter's lock: to give it away and to get it back takes
/// some 50 ns when nobody wants it, and this much work about a microsecond.
const WORTH_RELEASING: usize = 4096;

/// Does a work on `len` bytes, without the interpreter's lock if it takes a while.
#[inline]
pub(crate) fn release<T: Send>(py: Python<'_>, len: usize, work: impl FnOnce() -> T + Send) -> T {
    if len < WORTH_RELEASING { work() } else { py.detach(work) }
}

/// A buffer that an object has exported, in one piece of memory. Unlike pyo3's, it need not say its shape and strides, which
/// the protocol lets exporters leave out: arrays of ctypes have no strides, and those without dimensions no shape.
struct Exported(NonNull<ffi::Py_buffer>);

// SAFETY: an exported buffer belongs to no thread; it is released with the interpreter's lock held.
unsafe impl Send for Exported {}
// SAFETY: the description of a buffer does not change while it is exported.
unsafe impl Sync for Exported {}

impl Exported {
    /// Gets the buffer of an object.
    ///
    /// # Errors
    /// `TypeError` for an object that has none, or one of addresses; `BufferError` if it is not in one piece.
    fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        // On the heap, because exporters may point from the description to itself.
        let mut view = Box::new(ffi::Py_buffer::new());
        // SAFETY: the object is alive and the description may be written. Full descriptions are asked for, or buffers of
        // numbers would come as bytes.
        if unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), &raw mut *view, ffi::PyBUF_FULL_RO) } != 0 {
            return Err(no_buffer(object, PyErr::fetch(object.py())));
        }
        let exported = Self(NonNull::from(Box::leak(view)));
        // SAFETY: the description was filled by the exporter.
        if unsafe { ffi::PyBuffer_IsContiguous(exported.0.as_ptr(), b'C' as _) } == 0 {
            return Err(PyBufferError::new_err(
                "the buffer is not in one piece of memory, in the order of its items; bytes(buffer) copies it into one",
            ));
        }
        // Such as an array of NumPy with `dtype=object`, whose memory is addresses.
        if exported.format().contains(&b'O') {
            return Err(PyTypeError::new_err("the buffer holds objects of Python, and bytes are required"));
        }
        Ok(exported)
    }

    fn view(&self) -> &ffi::Py_buffer {
        // SAFETY: the description lives until this is dropped, and nobody changes it.
        unsafe { self.0.as_ref() }
    }

    fn start(&self) -> *mut u8 {
        self.view().buf.cast()
    }

    fn len(&self) -> usize {
        self.view().len.unsigned_abs()
    }

    fn readonly(&self) -> bool {
        self.view().readonly != 0
    }

    fn item_size(&self) -> usize {
        self.view().itemsize.unsigned_abs()
    }

    /// The type of its items in the characters of the module `struct`.
    fn format(&self) -> &[u8] {
        let format = self.view().format;
        if format.is_null() {
            return b"B";
        }
        // SAFETY: it is a string of C that lives as long as the buffer is exported.
        unsafe { CStr::from_ptr(format) }.to_bytes()
    }
}

impl Drop for Exported {
    fn drop(&mut self) {
        let view = self.0.as_ptr();
        // SAFETY: it was exported once and is released once. After the end of the interpreter there is nothing to release.
        Python::try_attach(|_| unsafe { ffi::PyBuffer_Release(view) });
        // SAFETY: it comes from a box, which nobody else has.
        drop(unsafe { Box::from_raw(view) });
    }
}

/// Says that an object has no buffer, and for text names the type to pass instead.
#[cold]
fn no_buffer(object: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    if !error.is_instance_of::<PyTypeError>(object.py()) {
        return error;
    }
    if object.is_instance_of::<PyString>() {
        return PyTypeError::new_err(
            "a bytes-like object is required, not str: pass \"abc\".encode() or b\"abc\"",
        );
    }
    let name = crate::arguments::class_of(object);
    PyTypeError::new_err(format!("a bytes-like object is required, not {name}"))
}

/// A buffer of an argument that is read.
pub(crate) struct Input<'a> {
    start: *const u8,
    len: usize,
    /// The export that keeps the buffer in place, unless it is a `bytes`, which the caller holds for `'a`.
    exported: Option<Exported>,
    argument: PhantomData<&'a [u8]>,
}

// SAFETY: the buffer stays where it is until it is dropped, and it is only read.
unsafe impl Send for Input<'_> {}
// SAFETY: as above.
unsafe impl Sync for Input<'_> {}

impl<'a, 'py> FromPyObject<'a, 'py> for Input<'a> {
    type Error = PyErr;

    #[inline]
    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            // SAFETY: the object is a `bytes`, of which both calls cannot fail.
            let (start, len) =
                unsafe { (ffi::PyBytes_AsString(bytes.as_ptr()), ffi::PyBytes_Size(bytes.as_ptr())) };
            return Ok(Self {
                start: start.cast(),
                len: len as usize,
                exported: None,
                argument: PhantomData,
            });
        }
        Input::exported(&object)
    }
}

impl Input<'static> {
    /// A buffer that keeps itself where it is, whatever becomes of the object.
    #[cold]
    pub(crate) fn exported(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let buffer = Exported::of(object)?;
        Ok(Self { start: buffer.start(), len: buffer.len(), exported: Some(buffer), argument: PhantomData })
    }
}

impl Input<'static> {
    /// The buffer of an object, or none of one that has no bytes, and so may be an iterable of buffers.
    ///
    /// # Errors
    /// `BufferError` if the object has bytes that cannot be taken.
    pub(crate) fn unless_several(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        // SAFETY: the object is alive. Asked first, because an exception takes longer to make.
        if unsafe { ffi::PyObject_CheckBuffer(object.as_ptr()) } == 0 {
            return Ok(None);
        }
        match Self::exported(object) {
            Ok(one) => Ok(Some(one)),
            Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Input<'_> {
    /// Bytes of an item as the owner sees it: 1 for a `bytes`, 8 for an array of 64-bit numbers.
    pub(crate) fn item_size(&self) -> usize {
        self.exported.as_ref().map_or(1, Exported::item_size)
    }

    /// The type of an item as the owner sees it, in the characters of the module `struct`.
    pub(crate) fn item_format(&self) -> String {
        self.exported
            .as_ref()
            .map_or_else(|| "B".into(), |one| String::from_utf8_lossy(one.format()).into_owned())
    }

    /// True if the owner sees numbers of one of these types, which are characters of the module `struct`, in the byte order of
    /// this machine.
    pub(crate) fn items_are(&self, types: &str) -> bool {
        let native = if cfg!(target_endian = "little") { b'<' } else { b'>' };
        match self.exported.as_ref().map(Exported::format) {
            Some([kind]) => types.as_bytes().contains(kind),
            Some([order, kind]) => [b'@', b'=', native].contains(order) && types.as_bytes().contains(kind),
            _ => false,
        }
    }
}

mod sealed {
    /// Numbers for which any bytes stand.
    pub(crate) trait Number: Copy {}
    impl Number for i32 {}
    impl Number for i64 {}
    impl Number for u32 {}
}
use sealed::Number;

impl Input<'_> {
    /// The buffer as numbers in the byte order of this machine.
    ///
    /// # Errors
    /// `ValueError` if they are no whole number of numbers, or do not lie where numbers lie.
    pub(crate) fn numbers<T: Number>(&self) -> PyResult<&[T]> {
        let size = size_of::<T>();
        if self.len == 0 {
            return Ok(&[]);
        }
        if !self.len.is_multiple_of(size) || !self.start.cast::<T>().is_aligned() {
            return Err(not_numbers(size));
        }
        // SAFETY: the buffer has as many bytes, aligned for the type, of which any are a number; it stays as `deref` says.
        Ok(unsafe { slice::from_raw_parts(self.start.cast(), self.len / size) })
    }
}

fn not_numbers(size: usize) -> PyErr {
    PyValueError::new_err(format!("the buffer does not begin and end where a number of {size} bytes does"))
}

impl Deref for Input<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: the buffer has `len` bytes and stays where it is while `self` lives. The module's documentation warns of
        // other threads that write to it meanwhile.
        unsafe { slice::from_raw_parts(self.start, self.len) }
    }
}

/// A buffer of an argument that is written.
pub(crate) struct Output {
    start: *mut u8,
    len: usize,
    _exported: Exported,
}

// SAFETY: the buffer stays where it is until it is dropped.
unsafe impl Send for Output {}

impl<'a, 'py> FromPyObject<'a, 'py> for Output {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let buffer = Exported::of(&object)?;
        if buffer.readonly() {
            return Err(PyTypeError::new_err(
                "the buffer for the result is read-only; pass a bytearray or a writable memoryview",
            ));
        }
        Ok(Self { start: buffer.start(), len: buffer.len(), _exported: buffer })
    }
}

impl Output {
    /// Bytes.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The first `len` bytes, as the output of `input` and of more that follows it.
    ///
    /// # Errors
    /// `ValueError` if the buffer is shorter, or overlaps the input and does not begin where that begins.
    fn part(&mut self, input: &[u8], len: usize) -> PyResult<*mut u8> {
        if self.len < len {
            return Err(PyValueError::new_err(format!(
                "the buffer for the result has {} bytes, and the result takes {len}",
                self.len
            )));
        }
        let (from, to) = (input.as_ptr() as usize, self.start as usize);
        let apart = input.is_empty() || len == 0 || from + input.len() <= to || to + len <= from;
        if apart || from == to {
            Ok(self.start)
        } else {
            Err(PyValueError::new_err(
                "the buffer for the result overlaps the data: it has to begin where the data begins, or lie elsewhere",
            ))
        }
    }

    /// The data and as many bytes of the output, and the next `more` bytes of the output, such as a tag. If output and
    /// data overlap, they begin at the same byte, and the bytes for `more` are none of the data.
    ///
    /// # Errors
    /// `ValueError` if the output is too short or overlaps the data otherwise.
    pub(crate) fn in_out<'b>(
        &'b mut self,
        input: &'b [u8],
        more: usize,
    ) -> PyResult<(Buffer<'b>, &'b mut [u8])> {
        let len = input.len();
        let start = self.part(input, len + more)?;
        // SAFETY: both have `len` bytes, and are the same bytes or apart.
        let buffer = unsafe { InOutBuf::from_raw(input.as_ptr(), start, len) };
        // SAFETY: `part` has seen to it that there are `more` bytes after them, and that the data is not among them: it
        // is elsewhere or ends where they begin.
        let rest = unsafe { slice::from_raw_parts_mut(start.wrapping_add(len), more) };
        Ok((buffer.into(), rest))
    }

    /// Refuses a buffer that overlaps something else that is read, such as a nonce. The error calls it `what`.
    ///
    /// # Errors
    /// `ValueError` if it does.
    pub(crate) fn apart_from(&self, input: &[u8], what: &str) -> PyResult<()> {
        let (from, to) = (input.as_ptr() as usize, self.start as usize);
        if input.is_empty() || from + input.len() <= to || to + self.len <= from {
            return Ok(());
        }
        Err(PyValueError::new_err(format!("the buffer for the result overlaps {what}")))
    }

    /// Refuses a buffer that overlaps the data or any of several strings.
    ///
    /// # Errors
    /// `ValueError` if it does.
    pub(crate) fn apart_from_all(&self, data: &[u8], strings: &[&[u8]]) -> PyResult<()> {
        strings.iter().try_for_each(|string| self.apart_from(string, OTHERS))?;
        self.apart_from(data, "the message").map_err(|_| {
            PyValueError::new_err("the buffer for the result overlaps the data; it has to lie elsewhere")
        })
    }

    /// The first `len` bytes, without any data that they could overlap.
    ///
    /// # Errors
    /// `ValueError` if the buffer is shorter.
    pub(crate) fn first(&mut self, len: usize) -> PyResult<&mut [u8]> {
        let start = self.part(&[], len)?;
        if len == 0 {
            return Ok(&mut []);
        }
        // SAFETY: there are as many bytes, and `self` is borrowed as long as they are.
        Ok(unsafe { slice::from_raw_parts_mut(start, len) })
    }

    /// The first `len` bytes of the data, and as many of the output. What follows them in the data, such as a tag, is read too, so
    /// the output is not over it.
    ///
    /// # Errors
    /// `ValueError` if the output is too short or overlaps the data otherwise than [`in_out`](Self::in_out) allows.
    pub(crate) fn of_first<'b>(&'b mut self, data: &'b [u8], len: usize) -> PyResult<Buffer<'b>> {
        self.part(data, len)?;
        self.of(&data[..len])
    }

    /// Two buffers of the same length: one that is read, and the beginning of this one, which may be the same.
    pub(crate) fn of<'b>(&'b mut self, input: &'b [u8]) -> PyResult<Buffer<'b>> {
        Ok(self.in_out(input, 0)?.0)
    }
}

/// The name in errors for all that authenticated encryption reads besides the message.
pub(crate) const OTHERS: &str = "the nonce or the associated data";

/// Data and the first bytes of an output, which has as many, as input and output, and the rest of the output.
#[inline]
pub(crate) fn in_out<'b>(input: &'b [u8], output: &'b mut [u8]) -> (Buffer<'b>, &'b mut [u8]) {
    let (output, rest) = output.split_at_mut(input.len());
    let buffer = InOutBuf::new(input, output).unwrap_or_else(|_| unreachable!("they are equally long"));
    (buffer.into(), rest)
}

/// A new `bytes` that is filled before anybody sees it.
pub(crate) struct NewBytes<'py> {
    bytes: Bound<'py, PyBytes>,
    start: *mut u8,
    len: usize,
}

impl<'py> NewBytes<'py> {
    /// One of a length.
    ///
    /// # Errors
    /// `MemoryError`.
    #[inline]
    pub(crate) fn new(py: Python<'py>, len: usize) -> PyResult<Self> {
        let size = ffi::Py_ssize_t::try_from(len).map_err(|_| PyMemoryError::new_err(()))?;
        // SAFETY: the interpreter is attached. The result is a new `bytes`, or null with an exception set, which becomes an
        // error.
        let bytes = unsafe {
            let object = ffi::PyBytes_FromStringAndSize(std::ptr::null(), size);
            Bound::from_owned_ptr_or_err(py, object)?.cast_into_unchecked::<PyBytes>()
        };
        // SAFETY: it is a `bytes`.
        let start = unsafe { ffi::PyBytes_AsString(bytes.as_ptr()) }.cast();
        Ok(Self { bytes, start, len })
    }

    /// Its bytes, to be written: every path that hands out the object has written all of them. The interpreter's
    /// allocator has set them to something unknown.
    #[inline]
    pub(crate) fn as_mut(&mut self) -> &mut [u8] {
        // SAFETY: nobody else has the object yet, so its bytes may be changed, and it is borrowed as long as they are.
        unsafe { slice::from_raw_parts_mut(self.start, self.len) }
    }

    /// Its bytes as numbers, to be written.
    ///
    /// # Errors
    /// `ValueError` if they are no whole number of numbers, or do not lie where numbers lie.
    pub(crate) fn numbers<T: Number>(&mut self) -> PyResult<&mut [T]> {
        let size = size_of::<T>();
        if !self.len.is_multiple_of(size) || !self.start.cast::<T>().is_aligned() {
            return Err(not_numbers(size));
        }
        // SAFETY: as for `as_mut`; the bytes are as many as those of the numbers and aligned for them.
        Ok(unsafe { slice::from_raw_parts_mut(self.start.cast(), self.len / size) })
    }

    /// Data and the first bytes of the new object as input and output, and the rest of it.
    #[inline]
    pub(crate) fn in_out<'b>(&'b mut self, input: &'b [u8]) -> (Buffer<'b>, &'b mut [u8]) {
        in_out(input, self.as_mut())
    }

    /// The object.
    #[inline]
    pub(crate) fn finish(self) -> Bound<'py, PyBytes> {
        self.bytes
    }
}

/// Memory for the bytes of a result, filled before anybody reads it: a new `bytes`, or a buffer from a function of the caller's.
pub(crate) enum Room<'py> {
    Bytes(NewBytes<'py>),
    Made(Bound<'py, PyAny>, Output),
}

impl<'py> Room<'py> {
    /// Some of a length, by the function if there is one, which takes the length.
    ///
    /// # Errors
    /// `MemoryError`, and the exceptions of the function.
    pub(crate) fn new(py: Python<'py>, make: Option<&Bound<'py, PyAny>>, len: usize) -> PyResult<Self> {
        let Some(make) = make else { return NewBytes::new(py, len).map(Self::Bytes) };
        let made = make.call1((len,))?;
        let output = made.extract()?;
        Ok(Self::Made(made, output))
    }

    /// Its bytes, to be written.
    ///
    /// # Errors
    /// `ValueError` if the function made fewer than `len`, the length that it was asked for.
    pub(crate) fn first(&mut self, len: usize) -> PyResult<&mut [u8]> {
        match self {
            Self::Bytes(bytes) => Ok(bytes.as_mut()),
            Self::Made(_, output) => output.first(len),
        }
    }

    /// The object.
    pub(crate) fn finish(self) -> Bound<'py, PyAny> {
        match self {
            Self::Bytes(bytes) => bytes.finish().into_any(),
            Self::Made(made, _) => made,
        }
    }
}
