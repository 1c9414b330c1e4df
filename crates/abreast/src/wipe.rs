//! Wiping of secrets: of working memory after its use, and in `Drop` of the types that hold secrets.
//!
//! Keys, and messages in pieces, lie in [`abreast_simd::Wiped`], which zeroes the whole memory of a value. Their parts,
//! such as round keys, have no `Drop` then, and code that makes such a part by itself wraps it in the same way.

use zeroize::{DefaultIsZeroes, optimization_barrier};

/// Overwrites secrets with zeros, which the compiler may not leave out.
///
/// [`zeroize::Zeroize`] stores each element by itself: for the round keys of AES-128 these are 352 stores of a byte, which
/// take longer than the expansion of the key. Here the stores are as wide as the CPU has them.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn wipe<T: DefaultIsZeroes>(secrets: &mut [T]) {
    secrets.fill(T::default());
    optimization_barrier(secrets);
}
