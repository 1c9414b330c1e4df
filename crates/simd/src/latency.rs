//! A property of the CPU that its flags do not tell: how long a result of a vector operation takes to be ready.

/// True if a chain of operations on vectors of AVX-512 takes much longer than the same chain in general registers, as it does
/// on AMD's CPUs: a block of Serpent takes 1.7 times as long on Zen 4, and 1.4 times on Zen 5. False
/// for a CPU that is not known. Nothing but speed depends on it.
///
/// ```
/// use abreast_simd::{Word, Words, WordsIsa, baseline, scalar, vectors_wait};
///
/// fn chain<W: Word>(x: W) -> W {
///     let y = x ^ x.rotl(1);
///     let z = y ^ y.rotl(7);
///     z ^ z.rotl(22)
/// }
/// let in_vectors = |x| {
///     let mut first = [0; 4];
///     chain(<abreast_simd::Baseline as WordsIsa>::Words::splat(baseline(), x)).store_partial(&mut first);
///     u32::from_le_bytes(first)
/// };
/// let result = if vectors_wait() { chain(scalar(5)) } else { in_vectors(5) };
/// assert_eq!(result, chain(5));
/// ```
#[must_use]
pub fn vectors_wait() -> bool {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use core::sync::atomic::{AtomicU8, Ordering::Relaxed};
        const ASKED: u8 = 2;
        // Asking takes microseconds in a virtual machine. Two threads that ask get the same answer.
        static ANSWER: AtomicU8 = AtomicU8::new(0);
        let mut answer = ANSWER.load(Relaxed);
        if answer == 0 {
            answer = ASKED | u8::from(is_amd_since_zen_3());
            ANSWER.store(answer, Relaxed);
        }
        answer & 1 == 1
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    false
}

/// True for AMD's families since 25, which is that of Zen 3 and Zen 4; Zen 5 is in the next.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[allow(unused_unsafe, reason = "newer compilers call the function safe")]
fn is_amd_since_zen_3() -> bool {
    // SAFETY: every x86-64 has the instruction and this leaf.
    let vendor = unsafe { core::arch::x86_64::__cpuid(0) };
    // SAFETY: every x86-64 has the instruction and this leaf.
    let version = unsafe { core::arch::x86_64::__cpuid(1) };
    let name = [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes);
    let family = (version.eax >> 8 & 0xf) + (version.eax >> 20 & 0xff);
    name.as_flattened() == b"AuthenticAMD" && family >= 25
}
