//! The cases that targets make of their input.

use abreast::Kernel;
use abreast::kernels::{Algorithm, algorithms};
use arbitrary::{Arbitrary, Unstructured};

use crate::common::{Random, kernels};

/// The input as the fields of a case; `None` if there are too few bytes for them.
pub(crate) fn fields<'a, T: Arbitrary<'a>>(data: &'a [u8]) -> Option<T> {
    T::arbitrary_take_rest(Unstructured::new(data)).ok()
}

/// One of several by any byte.
pub(crate) fn pick<T: Copy>(from: &[T], byte: u8) -> T {
    from[usize::from(byte) % from.len()]
}

/// A block cipher and one of its kernels.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub(crate) struct Choice {
    cipher: u8,
    kernel: u8,
}

impl Choice {
    /// The cipher.
    pub(crate) fn cipher(self) -> Algorithm {
        pick(algorithms(), self.cipher)
    }

    /// The kernel, of those that this CPU can run.
    pub(crate) fn kernel(self) -> Kernel {
        pick(&kernels(self.cipher()), self.kernel)
    }
}

/// Returns an input that differs from another in a few places, as the fuzzer would change it without looking at what comes of
/// it; a seed gives the same each time.
#[must_use]
pub fn mutated(data: &[u8], seed: u64) -> Vec<u8> {
    let (mut data, mut random) = (data.to_vec(), Random::new(seed));
    for _ in 0..=random.up_to(4) {
        let at = random.up_to(data.len());
        let len = random.up_to(8);
        let end = (at + len).min(data.len());
        match random.up_to(4) {
            0 => data.truncate(at),
            1 => drop(data.splice(at..at, random.bytes(len))),
            2 => drop(data.drain(at..end)),
            3 => data[at..end].copy_from_slice(&random.bytes(end - at)),
            _ => {
                if let Some(byte) = data.get_mut(at) {
                    *byte ^= 1 << random.up_to(7);
                }
            }
        }
    }
    data
}
