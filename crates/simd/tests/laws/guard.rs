//! A page of memory between two that fault. WebAssembly has no such pages, nor has Miri: there it is a page of memory like
//! other memory. The laws look at what was written only on WebAssembly; Miri sees what is read or written beyond.

#[cfg(not(any(target_family = "wasm", miri)))]
use region::{Allocation, Protection, page};
#[cfg(not(any(target_family = "wasm", miri)))]
use std::slice;

/// A readable and writable page; whoever reads or writes a byte before or behind it dies of it.
#[cfg(not(any(target_family = "wasm", miri)))]
pub(crate) struct GuardedPage(Allocation);

/// A page of memory like other memory.
#[cfg(any(target_family = "wasm", miri))]
pub(crate) struct GuardedPage(Vec<u8>);

#[cfg(any(target_family = "wasm", miri))]
impl GuardedPage {
    pub(crate) fn new() -> Self {
        Self(vec![0; 4096])
    }

    fn bytes(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

#[cfg(not(any(target_family = "wasm", miri)))]
impl GuardedPage {
    #[allow(unsafe_code, reason = "page protections are nobody's but the kernel's to check")]
    pub(crate) fn new() -> Self {
        let mut pages = region::alloc(3 * page::size(), Protection::READ_WRITE).unwrap();
        let start = pages.as_mut_ptr::<u8>();
        for guard in [start, start.wrapping_add(2 * page::size())] {
            // SAFETY: the page belongs to this allocation, to which nothing refers yet, and `bytes`
            // gives out the page between the two only.
            unsafe { region::protect(guard, page::size(), Protection::NONE) }.unwrap();
        }
        Self(pages)
    }

    #[allow(unsafe_code, reason = "a slice of what the kernel gave")]
    fn bytes(&mut self) -> &mut [u8] {
        let start = self.0.as_mut_ptr::<u8>().wrapping_add(page::size());
        // SAFETY: the second of the three pages is readable, writable, zeroed by the kernel, and
        // borrowed with `self`.
        unsafe { slice::from_raw_parts_mut(start, page::size()) }
    }
}

impl GuardedPage {
    /// The first `n` bytes: what lies before them faults.
    pub(crate) fn first(&mut self, n: usize) -> &mut [u8] {
        &mut self.bytes()[..n]
    }

    /// The last `n` bytes: what lies behind them faults.
    pub(crate) fn last(&mut self, n: usize) -> &mut [u8] {
        let bytes = self.bytes();
        let start = bytes.len() - n;
        &mut bytes[start..]
    }
}
