//! Keys as packets refer to them: small, and of one type for all ciphers.

use crate::ciphers::CipherRef;
use crate::engine::backend::Chain;
use crate::ghash::GhashKey;
use crate::modes::cmac::Subkeys;
use crate::modes::{Cmac, Eax, Gcm, Xts};
use crate::{BlockCipher, BlockCipher128};
use core::fmt;

/// A reference to a cipher under a key: to an [`Aes128`], a [`Serpent`], a `Box<dyn BlockCipher>` or any other.
#[derive(Clone, Copy)]
pub struct CipherKey<'a>(pub(crate) CipherRef<'a>);

impl<'a> CipherKey<'a> {
    /// The cipher by itself.
    #[inline]
    #[must_use]
    pub fn cipher(self) -> &'a dyn BlockCipher {
        self.0.cipher()
    }
}

impl<'a, C: BlockCipher + ?Sized> From<&'a C> for CipherKey<'a> {
    #[inline]
    fn from(cipher: &'a C) -> Self {
        Self(cipher.reference())
    }
}

impl fmt::Debug for CipherKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cipher = self.cipher();
        f.debug_tuple("CipherKey").field(&cipher.name()).field(&cipher.kernel()).finish()
    }
}

/// A reference to a [`Gcm`].
#[derive(Clone, Copy)]
pub struct GcmKey<'a> {
    pub(super) cipher: CipherRef<'a>,
    pub(super) hash: &'a GhashKey,
}

/// A reference to an [`Eax`].
#[derive(Clone, Copy)]
pub struct EaxKey<'a> {
    pub(super) cipher: CipherRef<'a>,
    pub(super) subkeys: &'a Subkeys,
    /// The CBC-MAC after the block that names each part.
    pub(super) begun: &'a [Chain; 3],
}

/// A reference to an [`Xts`].
#[derive(Clone, Copy)]
pub struct XtsKey<'a> {
    pub(super) data: CipherRef<'a>,
    pub(super) tweak: CipherRef<'a>,
}

/// A reference to a [`Cmac`].
#[derive(Clone, Copy)]
pub struct CmacKey<'a> {
    pub(super) cipher: CipherRef<'a>,
    pub(super) subkeys: &'a Subkeys,
}

impl<'a, C: BlockCipher128> From<&'a Gcm<C>> for GcmKey<'a> {
    #[inline]
    fn from(gcm: &'a Gcm<C>) -> Self {
        Self { cipher: gcm.cipher().reference(), hash: gcm.hash_key() }
    }
}

impl<'a, C: BlockCipher> From<&'a Eax<C>> for EaxKey<'a> {
    #[inline]
    fn from(eax: &'a Eax<C>) -> Self {
        let (subkeys, begun) = eax.parts();
        Self { cipher: eax.cipher().reference(), subkeys, begun }
    }
}

impl<'a, C: BlockCipher128> From<&'a Xts<C>> for XtsKey<'a> {
    #[inline]
    fn from(xts: &'a Xts<C>) -> Self {
        let [data, tweak] = xts.ciphers();
        Self { data: data.reference(), tweak: tweak.reference() }
    }
}

impl<'a, C: BlockCipher> From<&'a Cmac<C>> for CmacKey<'a> {
    #[inline]
    fn from(cmac: &'a Cmac<C>) -> Self {
        Self { cipher: cmac.cipher().reference(), subkeys: cmac.subkeys() }
    }
}

/// Names the kernel of a key that belongs to a mode.
macro_rules! debug {
    ($($type:ident),*) => {
        $(impl fmt::Debug for $type<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($type)).finish_non_exhaustive()
            }
        })*
    };
}
debug!(GcmKey, EaxKey, XtsKey, CmacKey);
