//! Memory that ends where it says. Where the system has no such pages, it is memory like other memory, and the tests look
//! only at the bytes written.

#[cfg(unix)]
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect};

/// `len` bytes of zeros, rounded up to whole pages, between two pages that fault when they are touched.
///
/// Nothing is reserved, so that a length beyond the memory of the machine can be asked for and left alone.
/// The pages stay mapped until the test program ends.
#[cfg(unix)]
#[allow(unsafe_code, reason = "memory is mapped and protected through raw pointers only")]
pub(crate) fn guarded(len: usize) -> &'static mut [u8] {
    let page = rustix::param::page_size();
    let len = len.next_multiple_of(page);
    // SAFETY: The mapping is new, so that nothing else refers to it, and is never unmapped. All of it but
    // the first and the last page becomes readable and writable before the slice is made of just that.
    unsafe {
        let base = mmap_anonymous(
            std::ptr::null_mut(),
            page + len + page,
            ProtFlags::empty(),
            MapFlags::PRIVATE | MapFlags::NORESERVE,
        )
        .expect("address space");
        let inner = base.byte_add(page);
        mprotect(inner, len, MprotectFlags::READ | MprotectFlags::WRITE).expect("a mapping of our own");
        std::slice::from_raw_parts_mut(inner.cast(), len)
    }
}

/// `len` bytes, rounded up to whole pages, none of which can be touched: for calls that have to refuse a message by
/// its length alone. One that does not refuse ends the test program by a fault at its first byte, and does not work
/// on gigabytes until memory is used up.
///
/// The pages stay mapped until the test program ends.
#[cfg(unix)]
#[allow(unsafe_code, reason = "memory is mapped through a raw pointer only")]
pub(crate) fn untouchable(len: usize) -> &'static mut [u8] {
    let len = len.next_multiple_of(rustix::param::page_size());
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
    // SAFETY: The mapping is new, so that nothing else refers to it, and is never unmapped. The slice is for
    // comparing its length. Any read or write through it gets a signal and no value, and ends the program.
    unsafe {
        let base = mmap_anonymous(std::ptr::null_mut(), len, ProtFlags::empty(), flags);
        std::slice::from_raw_parts_mut(base.expect("address space").cast(), len)
    }
}

/// Returns ordinary memory: `len` bytes of zeros, rounded up to 4 KiB, without pages that fault.
#[cfg(not(unix))]
pub(crate) fn guarded(len: usize) -> &'static mut [u8] {
    vec![0; len.next_multiple_of(4096)].leak()
}

/// Returns ordinary memory, like [`guarded`]: touching it does not fault.
#[cfg(not(unix))]
pub(crate) fn untouchable(len: usize) -> &'static mut [u8] {
    guarded(len)
}

/// The end of a guarded buffer that a slice touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    First,
    Last,
}

/// Bytes of a guarded buffer, flush against the page before or after it.
pub(crate) fn flush(buffer: &mut [u8], end: End, len: usize) -> &mut [u8] {
    match end {
        End::First => &mut buffer[..len],
        End::Last => {
            let start = buffer.len() - len;
            &mut buffer[start..]
        }
    }
}

/// Bytes at one end of a guarded buffer.
pub(crate) fn put<'a>(buffer: &'a mut [u8], end: End, bytes: &[u8]) -> &'a mut [u8] {
    let slice = flush(buffer, end, bytes.len());
    slice.copy_from_slice(bytes);
    slice
}
