//! AEZ by the traits of `aead`.

use super::Aez;
use crate::InOutBuf;
use aead::{AeadCore, AeadInOut, TagPosition};
use cipher::array::ArraySize;
use cipher::consts::{U12, U16, U48};
use cipher::{InvalidLength, Key, KeyInit, KeySizeUser};
use core::fmt;
use core::marker::PhantomData;

/// AEZ for code written against `aead`: nonces of `N` bytes, 12 or any other number, one string of associated
/// data, which may be empty, and tags of 16 bytes after the ciphertext. [`Aez`] itself has the other shapes.
///
/// Keys have 48 bytes; by `new_from_slice` they have any length.
///
/// ```
/// use abreast::aez::{Aez, AezAead};
/// use aead::{AeadInOut, KeyInit};
///
/// let aead: AezAead = KeyInit::new_from_slice(b"a key of any length")?;
/// let tag = aead.encrypt_inout_detached(&[1; 12].into(), b"data", [0; 5].as_mut_slice().into())?;
///
/// let mut same = [0; 5 + 16];
/// Aez::new(b"a key of any length").encrypt_joined(&[1; 12], &[b"data"], same.as_mut_slice())?;
/// assert_eq!(tag.as_slice(), &same[5..]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct AezAead<N: ArraySize = U12> {
    aez: Aez,
    nonce: PhantomData<N>,
}

/// A key, at the kernel that it has.
impl<N: ArraySize> From<Aez> for AezAead<N> {
    fn from(aez: Aez) -> Self {
        Self { aez, nonce: PhantomData }
    }
}

impl<N: ArraySize> fmt::Debug for AezAead<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AezAead").field("kernel", &self.aez.kernel()).finish_non_exhaustive()
    }
}

impl<N: ArraySize> KeySizeUser for AezAead<N> {
    type KeySize = U48;
}

impl<N: ArraySize> KeyInit for AezAead<N> {
    fn new(key: &Key<Self>) -> Self {
        Aez::new(key).into()
    }

    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        Ok(Aez::new(key).into())
    }
}

impl<N: ArraySize> AeadCore for AezAead<N> {
    type NonceSize = N;
    type TagSize = U16;
    const TAG_POSITION: TagPosition = TagPosition::Postfix;
}

impl<N: ArraySize> AeadInOut for AezAead<N> {
    fn encrypt_inout_detached(
        &self,
        nonce: &aead::Nonce<Self>,
        associated_data: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> aead::Result<aead::Tag<Self>> {
        let mut tag = aead::Tag::<Self>::default();
        self.aez.encrypt_detached(nonce, &[associated_data], buffer, &mut tag.0).map_err(|_| aead::Error)?;
        Ok(tag)
    }

    fn decrypt_inout_detached(
        &self,
        nonce: &aead::Nonce<Self>,
        associated_data: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &aead::Tag<Self>,
    ) -> aead::Result<()> {
        self.aez.decrypt_detached(nonce, &[associated_data], buffer, &tag.0).map_err(|_| aead::Error)
    }
}

impl zeroize::ZeroizeOnDrop for Aez {}
impl<N: ArraySize> zeroize::ZeroizeOnDrop for AezAead<N> {}
