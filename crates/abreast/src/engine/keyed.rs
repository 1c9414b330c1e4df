//! Round keys with the kernel that they are laid out for: what the public type of each block cipher is to the engine.

use super::backend::{ChainingValue, Direction};
use super::kernel::Kernel;
use super::multibuf::Batch;
use super::passes::ModeLoop;
use crate::Error;

/// A block cipher under a key, for the kernel that was chosen with the key.
///
/// The table of ciphers ([`cipher`](crate::ciphers)) makes a public block cipher of every type that implements this.
pub(crate) trait KeyedCipher: Sized + 'static {
    /// Bytes of a block, 8 or 16: [`Spec::BLOCK`](super::backend::Spec::BLOCK) of all specifications of the cipher.
    const BLOCK: usize;
    /// What the registry offers of it.
    const ALGORITHMS: &'static [Variant<Self>];

    /// Name of the cipher with its key size, such as `aes-256`.
    fn name(&self) -> &'static str;
    /// The kernel that the round keys are laid out for.
    fn kernel(&self) -> Kernel;
    /// The kernels that this CPU can run, best first.
    #[cfg(feature = "alloc")]
    fn all_kernels() -> impl Iterator<Item = Kernel>;
    /// Runs a mode's loop on the kernel of this key.
    fn visit<J: ModeLoop>(&self, job: J) -> J::Out;
    /// A block of 128 bits in place, if there is a shorter way to it than a mode's loop; whether there is.
    #[inline(always)]
    fn one_block(&self, direction: Direction, block: &mut ChainingValue) -> bool {
        let _ = (direction, block);
        false
    }
    /// Runs a batch on the kernel of this key, if that kernel takes batches.
    fn visit_batch(&self, batch: impl Batch);
}

/// A cipher with one key size and one byte order, as the registry names it.
pub(crate) struct Variant<C> {
    /// Name, such as `serpent-192`.
    pub(crate) name: &'static str,
    /// Bytes of a key.
    pub(crate) key_len: usize,
    /// Expands a key for a kernel.
    #[cfg_attr(not(feature = "alloc"), allow(dead_code, reason = "the registry alone makes keys by name"))]
    pub(crate) new: fn(&[u8], Kernel) -> Result<C, Error>,
}

/// A key of exactly the length that a variant has.
pub(crate) fn sized<const N: usize>(key: &[u8]) -> Result<&[u8; N], Error> {
    key.try_into().map_err(|_| Error::KeyLength)
}
