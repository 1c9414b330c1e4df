//! Keys as packets refer to them: small, and of one type for all ciphers.

use crate::BlockCipher;
use crate::BlockCipher128;
use crate::aes::{Aes128, Aes192, Aes256};
#[cfg(feature = "aez")]
use crate::aez::Aez;
use crate::ghash::GhashKey;
use crate::modes::cmac::Subkeys;
use crate::modes::{Cmac, Eax, Gcm, WithTagLen, Xts};
use crate::serpent::Serpent;
use crate::spec::Direction;
use crate::work::Chain;
use crate::xtea::Xtea;
use crate::{Error, InOutBuf};
use core::fmt;

/// A reference to a cipher under a key: to an [`Aes128`], a [`Serpent`], a `Box<dyn BlockCipher>` or any other.
#[derive(Clone, Copy)]
pub struct CipherKey<'a>(pub(crate) Cipher<'a>);

/// The ciphers there are.
#[derive(Clone, Copy)]
pub(crate) enum Cipher<'a> {
    Aes128(&'a Aes128),
    Aes192(&'a Aes192),
    Aes256(&'a Aes256),
    Serpent(&'a Serpent),
    Xtea(&'a Xtea),
}

impl<'a> CipherKey<'a> {
    /// The cipher by itself.
    #[inline]
    #[must_use]
    pub fn cipher(self) -> &'a dyn BlockCipher {
        match self.0 {
            Cipher::Aes128(cipher) => cipher,
            Cipher::Aes192(cipher) => cipher,
            Cipher::Aes256(cipher) => cipher,
            Cipher::Serpent(cipher) => cipher,
            Cipher::Xtea(cipher) => cipher,
        }
    }
}

impl<'a> Cipher<'a> {
    /// The cipher by itself, if its blocks have 128 bits.
    pub(super) fn cipher_128(self) -> Option<&'a dyn BlockCipher128> {
        Some(match self {
            Cipher::Aes128(cipher) => cipher,
            Cipher::Aes192(cipher) => cipher,
            Cipher::Aes256(cipher) => cipher,
            Cipher::Serpent(cipher) => cipher,
            Cipher::Xtea(_) => return None,
        })
    }
}

impl<'a, C: BlockCipher + ?Sized> From<&'a C> for CipherKey<'a> {
    #[inline]
    fn from(cipher: &'a C) -> Self {
        cipher.key()
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
    pub(super) cipher: CipherKey<'a>,
    pub(super) hash: &'a GhashKey,
    pub(super) tag_len: usize,
}

/// What there is in an [`Eax`].
pub(super) struct EaxParts<'a> {
    pub(super) cipher: CipherKey<'a>,
    pub(super) subkeys: &'a Subkeys,
    pub(super) begun: &'a [Chain; 3],
}

/// An [`Eax`] over any cipher.
pub(super) trait AnyEax: Sync {
    fn parts(&self) -> EaxParts<'_>;
}

/// A reference to an [`Eax`], with its tags of a block or [with others](Eax::with_tag_len).
#[derive(Clone, Copy)]
pub struct EaxKey<'a> {
    pub(super) eax: &'a dyn AnyEax,
    pub(super) tag_len: usize,
}

/// An [`Xts`] over any cipher.
pub(super) trait AnyXts: Sync {
    fn alone(&self, direction: Direction, number: u128, io: InOutBuf<'_, '_, u8>) -> Result<(), Error>;
}

/// A reference to an [`Xts`].
#[derive(Clone, Copy)]
pub struct XtsKey<'a> {
    pub(super) xts: &'a dyn AnyXts,
}

/// A [`Cmac`] over any cipher.
pub(super) trait AnyCmac: Sync {
    fn parts(&self) -> (CipherKey<'_>, &Subkeys);
}

/// A reference to a [`Cmac`], with its tags of a block or [with others](Cmac::with_tag_len).
#[derive(Clone, Copy)]
pub struct CmacKey<'a> {
    pub(super) cmac: &'a dyn AnyCmac,
    pub(super) tag_len: usize,
}

impl<'a, C: BlockCipher128> From<&'a Gcm<C>> for GcmKey<'a> {
    #[inline]
    fn from(gcm: &'a Gcm<C>) -> Self {
        Self { cipher: gcm.cipher().key(), hash: gcm.hash_key(), tag_len: 16 }
    }
}

impl<'a, C: BlockCipher128> From<WithTagLen<'a, Gcm<C>>> for GcmKey<'a> {
    #[inline]
    fn from(gcm: WithTagLen<'a, Gcm<C>>) -> Self {
        Self { tag_len: gcm.tag_len, ..gcm.mode.into() }
    }
}

impl<'a, C: BlockCipher> From<&'a Eax<C>> for EaxKey<'a> {
    #[inline]
    fn from(eax: &'a Eax<C>) -> Self {
        eax.with_full_tag().into()
    }
}

impl<'a, C: BlockCipher> From<WithTagLen<'a, Eax<C>>> for EaxKey<'a> {
    #[inline]
    fn from(eax: WithTagLen<'a, Eax<C>>) -> Self {
        Self { eax: eax.mode, tag_len: eax.tag_len }
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

impl<C: BlockCipher> AnyEax for Eax<C> {
    fn parts(&self) -> EaxParts<'_> {
        let (subkeys, begun) = self.parts();
        EaxParts { cipher: self.cipher().key(), subkeys, begun }
    }
}

impl<'a, C: BlockCipher128> From<&'a Xts<C>> for XtsKey<'a> {
    #[inline]
    fn from(xts: &'a Xts<C>) -> Self {
        Self { xts }
    }
}

impl<C: BlockCipher128> AnyXts for Xts<C> {
    fn alone(&self, direction: Direction, number: u128, io: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        match direction {
            Direction::Encrypt => self.encrypt_units(number, io.len(), io),
            Direction::Decrypt => self.decrypt_units(number, io.len(), io),
        }
    }
}

impl<'a, C: BlockCipher> From<&'a Cmac<C>> for CmacKey<'a> {
    #[inline]
    fn from(cmac: &'a Cmac<C>) -> Self {
        cmac.with_full_tag().into()
    }
}

impl<'a, C: BlockCipher> From<WithTagLen<'a, Cmac<C>>> for CmacKey<'a> {
    #[inline]
    fn from(cmac: WithTagLen<'a, Cmac<C>>) -> Self {
        Self { cmac: cmac.mode, tag_len: cmac.tag_len }
    }
}

impl<C: BlockCipher> AnyCmac for Cmac<C> {
    fn parts(&self) -> (CipherKey<'_>, &Subkeys) {
        (self.cipher().key(), self.subkeys())
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
#[cfg(feature = "aez")]
debug!(AezKey);
