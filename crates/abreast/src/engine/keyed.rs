//! Round keys with the kernel that they are laid out for: the engine's view of the public type of each block cipher.

use super::backend::Direction;
use super::kernel::Kernel;
use super::multibuf::Batch;
use super::passes::ModeLoop;
#[cfg(feature = "alloc")]
use crate::Error;
use crate::InOutBuf;
use abreast_simd::inlined::Zipped;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;

/// Ciphers that get their keys together: a multiple of the number that any of them expands side by side.
#[cfg(feature = "alloc")]
const TOGETHER: usize = 32;

/// A block cipher under a key, for the kernel that was chosen with the key.
///
/// The table of ciphers ([`cipher`](crate::ciphers)) makes a public block cipher of every type that implements this.
pub(crate) trait KeyedCipher: Sized + 'static {
    /// Bytes of a block, 8 or 16: [`Spec::BLOCK`](super::backend::Spec::BLOCK) of all specifications of the cipher.
    const BLOCK: usize;
    /// The variants in the registry.
    const ALGORITHMS: &'static [Variant];
    /// True if the rounds are calls. A loop around them serves both directions then, and is compiled once.
    const ROUNDS_ARE_CALLS: bool;
    /// The key as batches know it: [`MultiBufferSpec::Key`](super::multibuf::MultiBufferSpec::Key) of the cipher's
    /// specifications.
    type BatchKey: 'static;

    /// Returns the key for batches.
    fn batch_key(&self) -> &Self::BatchKey;

    /// Returns a constructor of ciphers without a key (all-zero round keys) for a variant and a kernel.
    ///
    /// # Errors
    /// [`Error::KernelUnavailable`] if the kernel is another cipher's.
    // A function, because a cipher in a `Result` would be copied.
    #[cfg(feature = "alloc")]
    fn blanks(variant: u8, kernel: Kernel) -> Result<impl Fn() -> Self + Copy, Error>;
    /// Allocates memory that the round keys need besides, for callers that must not abort where there is none. Otherwise
    /// [`set_key`](Self::set_key) does.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; then the cipher has no key.
    #[cfg(feature = "alloc")]
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn reserve(&mut self) -> Result<(), Error> {
        Ok(())
    }
    /// Expands a key where the round keys stay. The key is as long as the variant's.
    fn set_key(&mut self, key: &[u8]);
    /// Expands keys for ciphers of one variant and one kernel, several side by side where that is faster.
    #[cfg(feature = "alloc")]
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn set_keys<'a>(keyed: impl Iterator<Item = (&'a mut Self, &'a [u8])>) {
        for (cipher, key) in keyed {
            cipher.set_key(key);
        }
    }

    /// New ciphers under many keys.
    #[cfg(feature = "alloc")]
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn expand_many<const N: usize>(blank: impl Fn() -> Self, keys: &[[u8; N]]) -> Vec<Self> {
        let mut ciphers = Vec::with_capacity(keys.len());
        // Not all at once, so that they are still in the cache when their keys come.
        for keys in keys.chunks(TOGETHER) {
            let before = ciphers.len();
            ciphers.resize_with(before + keys.len(), &blank);
            Self::set_keys(ciphers[before..].iter_mut().zipped(keys.iter().map(<[u8; N]>::as_slice)));
        }
        ciphers
    }

    /// Name of the cipher with its key size, such as `aes-256`.
    fn name(&self) -> &'static str;
    /// The kernel that the round keys are laid out for.
    fn kernel(&self) -> Kernel;
    /// The kernels that this CPU can run, best first.
    #[cfg(feature = "alloc")]
    fn all_kernels() -> impl Iterator<Item = Kernel>;
    /// The best kernel that this CPU can run.
    #[cfg(feature = "alloc")]
    fn best_kernel() -> Option<Kernel> {
        Self::all_kernels().next()
    }
    /// Runs a mode's loop on the kernel of this key.
    fn visit<J: ModeLoop>(&self, job: J) -> J::Out;
    /// Takes a message of a block or two forward or backward, if there is a shorter way than the loop of a mode. True if it
    /// was done.
    fn few_blocks(&self, direction: Direction, io: &mut InOutBuf<'_, '_, u8>) -> bool;
    /// Runs a batch on the kernel of this key, if that kernel takes batches.
    fn visit_batch(&self, batch: impl Batch);
}

/// Takes items by groups of up to `N`, each filled from the front.
#[cfg(feature = "alloc")]
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn in_groups<T, const N: usize>(
    mut items: impl Iterator<Item = T>,
    mut take: impl FnMut(&mut [Option<T>; N]),
) {
    loop {
        let mut group = [const { None }; N];
        for place in &mut group {
            *place = items.next();
        }
        if group[0].is_none() {
            return;
        }
        take(&mut group);
    }
}

/// A cipher with one key size and one byte order, as the registry names it.
pub(crate) struct Variant {
    /// Name, such as `serpent-192`.
    pub(crate) name: &'static str,
    /// Bytes of a key.
    pub(crate) key_len: usize,
}
