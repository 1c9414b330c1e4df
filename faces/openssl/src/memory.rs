//! Memory for what begins at a cache line, as keys do.
//!
//! The C library cuts aligned memory from a larger piece and takes back what is left at its ends (`posix_memalign` of glibc 2.36),
//! which took a fifth of the time of a new context with a key. Here the larger piece stays whole.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;

/// The alignment of all memory of the C library.
const LEAST: usize = align_of::<u128>();

/// The memory of the C library, from which aligned memory is taken without its help.
struct Aligned;

// Miri has memory of its own, and no rules for an allocator that has more of a piece than it gives.
#[cfg_attr(not(miri), global_allocator)]
#[cfg_attr(miri, expect(dead_code, reason = "as above"))]
static MEMORY: Aligned = Aligned;

/// The piece in which memory of this layout lies, a number before it: bytes of the piece in front of it.
fn piece(layout: Layout) -> Option<Layout> {
    Layout::from_size_align(layout.size().checked_add(layout.align())?, LEAST).ok()
}

// SAFETY: memory of the system, or a part of it that is large enough and aligned.
unsafe impl GlobalAlloc for Aligned {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= LEAST {
            // SAFETY: the caller's layout.
            return unsafe { System.alloc(layout) };
        }
        let Some(piece) = piece(layout) else { return null_mut() };
        // SAFETY: it has more bytes than the alignment.
        let start = unsafe { System.alloc(piece) };
        if start.is_null() {
            return start;
        }
        // One alignment at most, and no less than the system's, in which the number has room.
        let before = layout.align() - start.addr() % layout.align();
        // SAFETY: within the piece, as above.
        unsafe {
            let memory = start.add(before);
            memory.cast::<usize>().sub(1).write(before);
            memory
        }
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        let Some(piece) = piece(layout).filter(|_| layout.align() > LEAST) else {
            // SAFETY: the caller got it from `alloc` with this layout, and so from the system.
            return unsafe { System.dealloc(memory, layout) };
        };
        // SAFETY: as above, and `alloc` wrote the number.
        unsafe {
            let before = memory.cast::<usize>().sub(1).read();
            System.dealloc(memory.sub(before), piece);
        }
    }
}
