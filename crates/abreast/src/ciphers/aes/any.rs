//! AES with a key of any of its three lengths.

use super::{Aes128, Aes192, Aes256};
use crate::{Error, Kernel};

/// AES with a key of 16, 24 or 32 bytes, for programs that learn the length at run time.
///
/// Every mode and every batch takes it, like the types for one length. Each call has one branch more.
///
/// ```
/// use abreast::{aes::Aes, modes::Gcm};
///
/// let key: Vec<u8> = vec![7; 24];
/// let gcm = Gcm::from_cipher(Aes::new(&key)?);
/// let mut message = b"attack at dawn".to_vec();
/// gcm.seal_in_place(&[1; 12], b"", &mut message)?;
/// assert_eq!(message.len(), 14 + 16);
/// # Ok::<(), abreast::Error>(())
/// ```
pub struct Aes(pub(crate) OfSize);

/// The type of the key's length.
#[allow(clippy::large_enum_variant, reason = "a box for the larger ones would need an allocator")]
pub(crate) enum OfSize {
    Aes128(Aes128),
    Aes192(Aes192),
    Aes256(Aes256),
}

impl Aes {
    /// Expands a key of 16, 24 or 32 bytes, for the best kernel of this CPU.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        Self::made(key, |key| Ok(Aes128::new(key)), |key| Ok(Aes192::new(key)), |key| Ok(Aes256::new(key)))
    }

    /// Expands a key of 16, 24 or 32 bytes for a given kernel, one of [`kernels`](Self::kernels).
    ///
    /// # Errors
    /// [`Error::KeyLength`]; [`Error::KernelUnavailable`] if the kernel is another cipher's; [`Error::OutOfMemory`] for a
    /// bit-sliced one.
    pub fn with_kernel(key: &[u8], kernel: Kernel) -> Result<Self, Error> {
        Self::made(
            key,
            |key| Aes128::with_kernel(key, kernel),
            |key| Aes192::with_kernel(key, kernel),
            |key| Aes256::with_kernel(key, kernel),
        )
    }

    /// Expands a key by the function of its length.
    fn made(
        key: &[u8],
        of_128: impl FnOnce(&[u8; 16]) -> Result<Aes128, Error>,
        of_192: impl FnOnce(&[u8; 24]) -> Result<Aes192, Error>,
        of_256: impl FnOnce(&[u8; 32]) -> Result<Aes256, Error>,
    ) -> Result<Self, Error> {
        Ok(Self(if let Ok(key) = key.try_into() {
            OfSize::Aes128(of_128(key)?)
        } else if let Ok(key) = key.try_into() {
            OfSize::Aes192(of_192(key)?)
        } else if let Ok(key) = key.try_into() {
            OfSize::Aes256(of_256(key)?)
        } else {
            return Err(Error::KeyLength);
        }))
    }

    /// Returns the kernels that this CPU can run, best first.
    pub fn kernels() -> impl Iterator<Item = Kernel> {
        Kernel::of_aes()
    }
}

impl zeroize::ZeroizeOnDrop for Aes {}
