//! A property of the CPU that its flags do not tell: how long a result of a vector operation takes to be ready.

#[cfg(all(feature = "std", target_feature = "sse2"))]
use crate::x86::{Avx512, Avx512Words};

/// True if a chain of operations on vectors of AVX-512 takes much longer than the same chain in general registers: the CPU
/// can use the result of a simple operation on a vector after two cycles (Zen 5), and not after one (Intel's, Zen 4). No
/// for a CPU without AVX-512.
///
/// It is measured once, in a few microseconds, by the best of several trials. Without the feature `std` there is no clock,
/// and the answer is no. Nothing but speed depends on it.
#[must_use]
pub fn vectors_wait() -> bool {
    #[cfg(all(feature = "std", target_feature = "sse2"))]
    {
        static ANSWER: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
        *ANSWER.get_or_init(|| Avx512::detect().is_some_and(measured))
    }
    #[cfg(not(all(feature = "std", target_feature = "sse2")))]
    false
}

#[cfg(all(feature = "std", target_feature = "sse2"))]
fn measured(isa: Avx512) -> bool {
    use crate::{Isa as _, Word, Words as _, scalar};
    use core::hint::black_box;
    use std::time::{Duration, Instant};

    /// Steps of a chain, each a rotation and an XOR.
    const STEPS: u32 = 1000;
    const TRIALS: u32 = 7;

    /// One step after the other, each of which waits for the one before.
    #[inline(always)]
    fn chain<W: Word>(mut x: W, y: W, kept: impl Fn(W) -> W) {
        for _ in 0..STEPS {
            x = kept(x.rotl(1) ^ y);
        }
        black_box(x);
    }

    let in_vectors = || {
        isa.run(
            #[inline(always)]
            || {
                let word = |x| Avx512Words::splat(isa, black_box(x));
                chain(
                    word(1),
                    word(2),
                    #[inline(always)]
                    |x| x,
                );
            },
        );
    };
    let in_general_registers = || chain(black_box(1), black_box(2), scalar);

    fn shortest(work: impl Fn()) -> Duration {
        let trial = |_| {
            let start = Instant::now();
            work();
            start.elapsed()
        };
        (0..TRIALS).map(trial).min().unwrap_or_default()
    }

    // Between once and twice the time.
    2 * shortest(in_vectors) > 3 * shortest(in_general_registers)
}
