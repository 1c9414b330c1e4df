//! Words outside of vectors.

/// The number, in a general register of its own: the compiler can put it neither into a vector nor into one
/// register together with another. For chains of operations where general registers are quicker.
///
/// ```
/// assert_eq!(abreast_simd::scalar(7), 7);
/// ```
#[inline(always)]
#[must_use]
pub fn scalar(x: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    {
        let mut x = x;
        // SAFETY: no instruction is emitted.
        unsafe {
            core::arch::asm!("/* {0:e} */", inout(reg) x, options(pure, nomem, nostack, preserves_flags))
        };
        x
    }
    #[cfg(not(target_arch = "x86_64"))]
    x
}
