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
    amd_family() >= ZEN_3
}

/// True if an addition of vectors of AVX-512 takes two cycles, as it does on AMD's CPUs from Zen 5 on, and not one. No for a
/// CPU that is not known. Nothing but speed depends on it.
#[must_use]
pub fn additions_wait() -> bool {
    amd_family() >= ZEN_5
}

/// The family of Zen 3 and Zen 4.
const ZEN_3: u8 = 25;
const ZEN_5: u8 = 26;

/// Returns the family of a CPU of AMD, and 0 for any other.
fn amd_family() -> u8 {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use core::sync::atomic::{AtomicU16, Ordering::Relaxed};
        const ASKED: u16 = 1 << 8;
        // Asking takes microseconds in a virtual machine. Two threads that ask get the same answer.
        static ANSWER: AtomicU16 = AtomicU16::new(0);
        let mut answer = ANSWER.load(Relaxed);
        if answer == 0 {
            answer = ASKED | u16::from(ask());
            ANSWER.store(answer, Relaxed);
        }
        answer as u8
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    0
}

/// Asks the CPU for its family.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[allow(unused_unsafe, reason = "newer compilers call the function safe")]
fn ask() -> u8 {
    // SAFETY: every x86-64 has the instruction and this leaf.
    let vendor = unsafe { core::arch::x86_64::__cpuid(0) };
    // SAFETY: every x86-64 has the instruction and this leaf.
    let version = unsafe { core::arch::x86_64::__cpuid(1) };
    let name = [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes);
    let family = (version.eax >> 8 & 0xf) + (version.eax >> 20 & 0xff);
    if name.as_flattened() == b"AuthenticAMD" { family.min(0xff) as u8 } else { 0 }
}
