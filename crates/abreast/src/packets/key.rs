//! Keys as packets refer to them: small, and of one type for all ciphers.

#[cfg(feature = "aez")]
use crate::aez::Aez;
use crate::ciphers::CipherRef;
use crate::engine::backend::ChainingValue;
use crate::ghash::GhashKey;
#[cfg(feature = "hmac")]
use crate::hmac::{Hmac, HmacHash, Midstates};
#[cfg(feature = "hctr2")]
use crate::loops::hctr2::Hctr2Keys;
#[cfg(feature = "hctr2")]
use crate::modes::Hctr2;
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
#[cfg(feature = "hmac")]
use core::marker::PhantomData;

/// A reference to a cipher under a key: to an [`Aes128`](crate::aes::Aes128), a [`Serpent`](crate::serpent::Serpent), a
/// `Box<dyn BlockCipher>` or any other.
///
/// ```
/// use abreast::{BlockCipher, aes::Aes128, packets::{CipherKey, Packet}, xtea::Xtea};
///
/// // Keys of several kinds in one batch.
/// let (aes, xtea): (_, Box<dyn BlockCipher>) = (Aes128::new(&[1; 16]), Box::new(Xtea::new(&[2; 16])));
/// let (mut one, mut other) = ([0; 32], [0; 32]);
/// let batch: [Packet<'_, CipherKey<'_>>; 2] =
///     [Packet::new(&aes, &[], one.as_mut_slice()), Packet::new(&xtea, &[], other.as_mut_slice())];
/// assert_eq!(batch[1].key.cipher().name(), "xtea");
/// ```
#[derive(Clone, Copy)]
pub struct CipherKey<'a>(pub(crate) CipherRef<'a>);

impl<'a> CipherKey<'a> {
    /// Returns the cipher.
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
///
/// ```
/// use abreast::{aes::Aes128, modes::Gcm, packets::{self, GcmKey, Packet}};
///
/// let gcm = Gcm::from_cipher(Aes128::new(&[1; 16]));
/// // Tags of 8 bytes; all bytes: `GcmKey::from(&gcm)`.
/// let key = GcmKey::from(gcm.with_tag_len(8)?);
/// let (mut message, mut tag) = (*b"short", [0; 8]);
/// let mut batch = [Packet::new(key, &[0; 12], message.as_mut_slice()).with_tag(b"", &mut tag)];
/// packets::gcm_encrypt(&mut batch);
/// assert_eq!(batch[0].result, Ok(()));
/// # Ok::<(), abreast::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct GcmKey<'a> {
    pub(super) cipher: CipherRef<'a>,
    pub(super) hash: &'a GhashKey,
    pub(super) tag_len: usize,
}

/// A reference to an [`Eax`], with its tags of a block or [with others](Eax::with_tag_len).
///
/// ```
/// use abreast::{aes::Aes128, modes::Eax, packets::{self, EaxKey, Packet}, xtea::Xtea};
///
/// // Ciphers with blocks of 16 and of 8 bytes in one batch.
/// let (aes, xtea) = (Eax::from_cipher(Aes128::new(&[1; 16])), Eax::from_cipher(Xtea::new(&[2; 16])));
/// let (mut one, mut other, mut tags) = (*b"one", *b"other", ([0; 16], [0; 8]));
/// let keys = [EaxKey::from(&aes), EaxKey::from(&xtea)];
/// let mut batch = [
///     Packet::new(keys[0], b"nonce", one.as_mut_slice()).with_tag(b"", &mut tags.0),
///     Packet::new(keys[1], b"nonce", other.as_mut_slice()).with_tag(b"", &mut tags.1),
/// ];
/// packets::eax_encrypt(&mut batch);
/// assert!(batch.iter().all(|packet| packet.result.is_ok()));
/// ```
#[cfg(feature = "modes")]
#[derive(Clone, Copy)]
pub struct EaxKey<'a> {
    pub(super) cipher: CipherRef<'a>,
    pub(super) subkeys: &'a CmacSubkeys,
    /// The CBC-MAC after the block that names each part.
    pub(super) begun: &'a [ChainingValue; 3],
    pub(super) tag_len: usize,
}

/// A reference to a [`GcmSiv`](crate::modes::GcmSiv).
#[cfg(feature = "siv")]
pub type GcmSivKey<'a> = &'a crate::modes::GcmSiv;

/// A reference to a [`Siv`].
///
/// ```
/// use abreast::{aes::Aes128, modes::Siv, packets::{self, Packet, SivKey}};
///
/// let siv = Siv::<Aes128>::new(&[1; 32])?;
/// let key = SivKey::from(&siv);
/// // Equal messages under a key become equal ciphertexts and tags: there is no nonce.
/// let (mut texts, mut tags) = ([*b"message"; 2], [[0; 16]; 2]);
/// let places = texts.iter_mut().zip(&mut tags);
/// let mut batch: Vec<_> =
///     places.map(|(text, tag)| Packet::new(key, &[], text.as_mut_slice()).with_tag(b"", tag)).collect();
/// packets::siv_encrypt(&mut batch);
/// assert!(texts[0] == texts[1] && tags[0] == tags[1] && texts[0] != *b"message");
/// # Ok::<(), abreast::Error>(())
/// ```
#[cfg(feature = "siv")]
#[derive(Clone, Copy)]
pub struct SivKey<'a> {
    pub(super) mac: CipherRef<'a>,
    pub(super) text: CipherRef<'a>,
    pub(super) subkeys: &'a CmacSubkeys,
    /// The first value of S2V.
    pub(super) begun: &'a ChainingValue,
}

/// A reference to an [`Hctr2`].
///
/// ```
/// use abreast::{aes::Aes128, modes::Hctr2, packets::{self, Hctr2Key, Packet}};
///
/// let hctr2 = Hctr2::from_cipher(Aes128::new(&[1; 16]));
/// let key = Hctr2Key::from(&hctr2);
/// // A change of one byte of a name changes all of it.
/// let mut names = [*b"accounts-2025.csv", *b"accounts-2026.csv"];
/// let mut batch = names.each_mut().map(|name| Packet::new(key, b"folder", name.as_mut_slice()));
/// packets::hctr2_encrypt(&mut batch);
/// assert_ne!(names[0][..8], names[1][..8]);
/// ```
#[cfg(feature = "hctr2")]
#[derive(Clone, Copy)]
pub struct Hctr2Key<'a> {
    pub(super) cipher: CipherRef<'a>,
    pub(super) keys: &'a Hctr2Keys,
}

#[cfg(feature = "hctr2")]
impl Hctr2Key<'_> {
    /// True if both refer to one key.
    pub(super) fn is(self, other: Hctr2Key<'_>) -> bool {
        core::ptr::eq(self.keys, other.keys)
    }
}

/// A reference to an [`Xts`].
///
/// ```
/// use abreast::{aes::Aes128, modes::Xts, packets::{self, Packet, XtsKey}};
///
/// let xts = Xts::new(Aes128::new(&[1; 16]), Aes128::new(&[2; 16]))?;
/// let key = XtsKey::from(&xts);
/// // The tweak of a sector is its number, little-endian.
/// let (tweaks, mut sectors) = ([0_u128, 1].map(u128::to_le_bytes), [[0; 512]; 2]);
/// let [first, second] = &mut sectors;
/// let mut batch =
///     [Packet::new(key, &tweaks[0], first.as_mut_slice()), Packet::new(key, &tweaks[1], second.as_mut_slice())];
/// packets::xts_encrypt(&mut batch);
/// assert!(batch.iter().all(|packet| packet.result.is_ok()));
/// assert_ne!(sectors[0], sectors[1]);
/// # Ok::<(), abreast::Error>(())
/// ```
#[cfg(feature = "modes")]
#[derive(Clone, Copy)]
pub struct XtsKey<'a> {
    pub(super) data: CipherRef<'a>,
    pub(super) tweak: CipherRef<'a>,
}

/// A reference to a [`Cmac`], with its tags of a block or [with others](Cmac::with_tag_len).
///
/// ```
/// use abreast::{aes::Aes128, modes::Cmac, packets::{self, CmacKey, Packet}};
///
/// let cmac = Cmac::from_cipher(Aes128::new(&[1; 16]));
/// let (key, mut tag) = (CmacKey::from(cmac.with_tag_len(8)?), [0; 8]);
/// packets::cmac(&mut [Packet::new(key, &[], &mut [][..]).with_tag(b"open the door", &mut tag)]);
/// cmac.with_tag_len(8)?.verify(b"open the door", &tag)?;
/// # Ok::<(), abreast::Error>(())
/// ```
#[cfg(feature = "modes")]
#[derive(Clone, Copy)]
pub struct CmacKey<'a> {
    pub(super) cipher: CipherRef<'a>,
    pub(super) subkeys: &'a CmacSubkeys,
    pub(super) tag_len: usize,
}

/// A reference to an [`Hmac`], with its tags as long as the hash or [with others](Hmac::with_tag_len).
///
/// ```
/// use abreast::{hmac::{Hmac, Sha1}, packets::{self, HmacKey, Packet}};
///
/// let hmac = Hmac::<Sha1>::new(b"a key of 20 bytes...");
/// let (key, mut tag) = (HmacKey::from(hmac.with_tag_len(10)?), [0; 10]);
/// packets::hmac(&mut [Packet::new(key, &[], &mut [][..]).with_tag(b"open the door", &mut tag)]);
/// hmac.with_tag_len(10)?.verify(b"open the door", &tag)?;
/// # Ok::<(), abreast::Error>(())
/// ```
#[cfg(feature = "hmac")]
pub struct HmacKey<'a, H> {
    pub(super) midstates: &'a Midstates,
    pub(super) tag_len: usize,
    hash: PhantomData<H>,
}

#[cfg(feature = "hmac")]
impl<H> Clone for HmacKey<'_, H> {
    fn clone(&self) -> Self {
        *self
    }
}

#[cfg(feature = "hmac")]
impl<H> Copy for HmacKey<'_, H> {}

#[cfg(feature = "hmac")]
impl<'a, H: HmacHash> From<&'a Hmac<H>> for HmacKey<'a, H> {
    #[inline]
    fn from(hmac: &'a Hmac<H>) -> Self {
        hmac.with_full_tag().into()
    }
}

#[cfg(feature = "hmac")]
impl<'a, H: HmacHash> From<WithTagLen<'a, Hmac<H>>> for HmacKey<'a, H> {
    #[inline]
    fn from(hmac: WithTagLen<'a, Hmac<H>>) -> Self {
        Self { midstates: hmac.mode.midstates(), tag_len: hmac.tag_len, hash: PhantomData }
    }
}

#[cfg(feature = "hmac")]
impl<H: HmacHash> fmt::Debug for HmacKey<'_, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HmacKey")
            .field("hash", &H::NAME)
            .field("tag_len", &self.tag_len)
            .finish_non_exhaustive()
    }
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
///
/// ```
/// use abreast::{aez::Aez, packets::{self, AezKey, Packet}};
///
/// let aez = Aez::new(b"a key of any length");
/// // Without a tag: nothing is authenticated.
/// let (key, mut name) = (AezKey::from(aez.unauthenticated()), *b"a name.txt");
/// packets::aez_encrypt(&mut [Packet::new(key, b"folder", name.as_mut_slice())]);
/// packets::aez_decrypt(&mut [Packet::new(key, b"folder", name.as_mut_slice())]);
/// assert_eq!(&name, b"a name.txt");
/// ```
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

#[cfg(feature = "hctr2")]
impl<'a, C: BlockCipher128> From<&'a Hctr2<C>> for Hctr2Key<'a> {
    #[inline]
    fn from(hctr2: &'a Hctr2<C>) -> Self {
        Self { cipher: hctr2.cipher().reference(), keys: hctr2.keys() }
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
#[cfg(feature = "hctr2")]
debug!(Hctr2Key);
#[cfg(feature = "siv")]
debug!(SivKey);
#[cfg(feature = "aez")]
debug!(AezKey);
