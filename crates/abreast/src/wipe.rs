//! Wiping of secrets, for the `Drop` of whatever holds a key, a chaining value or keystream.

use zeroize::{DefaultIsZeroes, optimization_barrier};

/// Overwrites secrets with zeros, which the compiler may not leave out.
///
/// [`zeroize::Zeroize`] stores each element by itself: for the round keys of AES-128 these are 352 stores of a byte, which
/// take longer than the expansion of the key. Here the stores are as wide as the CPU has them.
#[inline(always)]
pub(crate) fn wipe<T: DefaultIsZeroes>(secrets: &mut [T]) {
    secrets.fill(T::default());
    optimization_barrier(secrets);
}
