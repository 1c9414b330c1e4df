//! Operations outside of vectors: words in general registers, and a hint to the cache.

/// Returns the number in a general register of its own: the compiler can put it neither into a vector nor into one
/// register together with another. For chains of operations where general registers are quicker.
///
/// ```
/// use abreast_simd::scalar;
///
/// /// Four words that wait for each other, and would be slower as a vector.
/// fn chain(words: [u32; 4]) -> u32 {
///     let [a, b, c, d] = words.map(scalar);
///     (a ^ b.rotate_left(3)).wrapping_add(c) ^ d
/// }
/// assert_eq!(chain([1, 2, 3, 4]), (1 ^ 16) + 3 ^ 4);
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
///
/// ```
/// use abreast_simd::prefetch;
///
/// let keys = vec![[7_u8; 64]; 1000];
/// let order = [900, 3, 471];
/// let mut sum = 0;
/// for (at, &key) in order.iter().enumerate() {
///     if let Some(&next) = order.get(at + 1) {
///         prefetch(&keys[next]);
///     }
///     sum += u32::from(keys[key][0]);
/// }
/// // An address of no memory does no harm.
/// prefetch(std::ptr::null::<u8>());
/// assert_eq!(sum, 21);
/// ```
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
