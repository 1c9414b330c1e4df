//! Keys as packets refer to them: small, and of one type for all ciphers.

#[cfg(feature = "aez")]
use crate::aez::Aez;
use crate::ciphers::CipherRef;
use crate::engine::backend::ChainingValue;
use crate::ghash::GhashKey;
#[cfg(feature = "keywrap")]
use crate::modes::KeyWrap;
#[cfg(feature = "siv")]
use crate::modes::Siv;
#[cfg(feature = "modes")]
use crate::modes::cmac::CmacSubkeys;
#[cfg(feature = "modes")]
use crate::modes::{Cmac, Eax, Xts};
use crate::modes::{Gcm, WithTagLen};
use crate::{BlockCipher, BlockCipher128};
use core::fmt;

/// A reference to a cipher under a key: to an [`Aes128`](crate::aes::Aes128), a [`Serpent`](crate::serpent::Serpent), a
/// `Box<dyn BlockCipher>` or any other.
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

#[cfg(feature = "keywrap")]
impl<'a, C: BlockCipher128> From<&'a KeyWrap<C>> for CipherKey<'a> {
    #[inline]
    fn from(wrapping: &'a KeyWrap<C>) -> Self {
        Self(wrapping.cipher().reference())
    }
}

impl fmt::Debug for CipherKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cipher = self.cipher();
        f.debug_tuple("CipherKey").field(&cipher.name()).field(&cipher.kernel()).finish()
    }
}

/// A reference to a [`Gcm`], with its tags of 16 bytes or [with others](Gcm::with_tag_len).
#[derive(Clone, Copy)]
pub struct GcmKey<'a> {
    pub(super) cipher: CipherRef<'a>,
    pub(super) hash: &'a GhashKey,
    pub(super) tag_len: usize,
}

/// A reference to an [`Eax`], with its tags of a block or [with others](Eax::with_tag_len).
#[cfg(feature = "modes")]
#[derive(Clone, Copy)]
pub struct EaxKey<'a> {
    pub(super) cipher: CipherRef<'a>,
    pub(super) subkeys: &'a CmacSubkeys,
    /// The CBC-MAC after the block that names each part.
    pub(super) begun: &'a [ChainingValue; 3],
    pub(super) tag_len: usize,
}

/// A reference to a [`Siv`].
#[cfg(feature = "siv")]
#[derive(Clone, Copy)]
pub struct SivKey<'a> {
    pub(super) mac: CipherRef<'a>,
    pub(super) text: CipherRef<'a>,
    pub(super) subkeys: &'a CmacSubkeys,
    /// The first value of S2V.
    pub(super) begun: &'a ChainingValue,
}

/// A reference to an [`Xts`].
#[cfg(feature = "modes")]
#[derive(Clone, Copy)]
pub struct XtsKey<'a> {
    pub(super) data: CipherRef<'a>,
    pub(super) tweak: CipherRef<'a>,
}

/// A reference to a [`Cmac`], with its tags of a block or [with others](Cmac::with_tag_len).
#[cfg(feature = "modes")]
#[derive(Clone, Copy)]
pub struct CmacKey<'a> {
    pub(super) cipher: CipherRef<'a>,
    pub(super) subkeys: &'a CmacSubkeys,
    pub(super) tag_len: usize,
}

impl<'a, C: BlockCipher128> From<&'a Gcm<C>> for GcmKey<'a> {
    #[inline]
    fn from(gcm: &'a Gcm<C>) -> Self {
        Self { cipher: gcm.cipher().reference(), hash: gcm.hash_key(), tag_len: 16 }
    }
}

impl<'a, C: BlockCipher128> From<WithTagLen<'a, Gcm<C>>> for GcmKey<'a> {
    #[inline]
    fn from(gcm: WithTagLen<'a, Gcm<C>>) -> Self {
        Self { tag_len: gcm.tag_len, ..gcm.mode.into() }
    }
}

#[cfg(feature = "modes")]
impl<'a, C: BlockCipher> From<&'a Eax<C>> for EaxKey<'a> {
    #[inline]
    fn from(eax: &'a Eax<C>) -> Self {
        eax.with_full_tag().into()
    }
}

#[cfg(feature = "modes")]
impl<'a, C: BlockCipher> From<WithTagLen<'a, Eax<C>>> for EaxKey<'a> {
    #[inline]
    fn from(eax: WithTagLen<'a, Eax<C>>) -> Self {
        let (subkeys, begun) = eax.mode.parts();
        Self { cipher: eax.mode.cipher().reference(), subkeys, begun, tag_len: eax.tag_len }
    }
}

/// A reference to an [`Aez`], with its tags of 16 bytes, [with others](Aez::with_tag_len) or
/// [without](Aez::unauthenticated).
#[cfg(feature = "aez")]
#[derive(Clone, Copy)]
pub struct AezKey<'a> {
    pub(crate) aez: &'a Aez,
    pub(crate) tag_len: usize,
}

#[cfg(feature = "siv")]
impl<'a, C: BlockCipher128> From<&'a Siv<C>> for SivKey<'a> {
    #[inline]
    fn from(siv: &'a Siv<C>) -> Self {
        let [mac, text] = siv.ciphers();
        let (subkeys, begun) = siv.parts();
        Self { mac: mac.reference(), text: text.reference(), subkeys, begun }
    }
}

#[cfg(feature = "aez")]
impl<'a> From<&'a Aez> for AezKey<'a> {
    #[inline]
    fn from(aez: &'a Aez) -> Self {
        aez.with_full_tag().into()
    }
}

#[cfg(feature = "aez")]
impl<'a> From<WithTagLen<'a, Aez>> for AezKey<'a> {
    #[inline]
    fn from(aez: WithTagLen<'a, Aez>) -> Self {
        Self { aez: aez.mode, tag_len: aez.tag_len }
    }
}

#[cfg(feature = "modes")]
impl<'a, C: BlockCipher128> From<&'a Xts<C>> for XtsKey<'a> {
    #[inline]
    fn from(xts: &'a Xts<C>) -> Self {
        let [data, tweak] = xts.ciphers();
        Self { data: data.reference(), tweak: tweak.reference() }
    }
}

#[cfg(feature = "modes")]
impl<'a, C: BlockCipher> From<&'a Cmac<C>> for CmacKey<'a> {
    #[inline]
    fn from(cmac: &'a Cmac<C>) -> Self {
        cmac.with_full_tag().into()
    }
}

#[cfg(feature = "modes")]
impl<'a, C: BlockCipher> From<WithTagLen<'a, Cmac<C>>> for CmacKey<'a> {
    #[inline]
    fn from(cmac: WithTagLen<'a, Cmac<C>>) -> Self {
        let mode = cmac.mode;
        Self { cipher: mode.cipher().reference(), subkeys: mode.subkeys(), tag_len: cmac.tag_len }
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
debug!(GcmKey);
#[cfg(feature = "modes")]
debug!(EaxKey, XtsKey, CmacKey);
#[cfg(feature = "siv")]
debug!(SivKey);
#[cfg(feature = "aez")]
debug!(AezKey);
