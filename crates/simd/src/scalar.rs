//! Operations outside of vectors: words in general registers, and a hint to the cache.

/// The number, in a general register of its own: the compiler can put it neither into a vector nor into one
/// register together with another. For chains of operations where general registers are quicker.
///
/// ```
/// assert_eq!(abreast_simd::scalar(7), 7);
/// ```
#[inline(always)]
#[must_use]
pub fn scalar(x: u32) -> u32 {
    // Miri runs no assembly, and has no registers to choose among.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        let mut x = x;
        // SAFETY: no instruction is emitted.
        unsafe {
            core::arch::asm!("/* {0:e} */", inout(reg) x, options(pure, nomem, nostack, preserves_flags))
        };
        x
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    x
}

/// Asks the CPU to bring the cache line of an address nearer, which need not be one of memory. Nothing waits for it. What has
/// many cold values to read, one after the other, asks for those to come first.
#[inline(always)]
pub fn prefetch<T>(address: *const T) {
    #[cfg(target_feature = "sse")]
    {
        #[cfg(target_arch = "x86")]
        use core::arch::x86::{_MM_HINT_T0, _mm_prefetch};
        #[cfg(target_arch = "x86_64")]
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the instruction ignores addresses that cannot be read.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[cfg(not(target_feature = "sse"))]
    let _ = address;
}
