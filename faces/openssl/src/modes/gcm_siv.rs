//! AES-GCM-SIV: the tag, which begins the counter, is made of the whole plaintext.

use std::ops::RangeInclusive;

use abreast::modes::GcmSiv;
use abreast::{Error, InOutBuf};

use super::whole::{TAG, WholeMode};
use crate::context::About;
use crate::core::evp_mode;
use crate::keys::{Aes128, Aes256, Cipher};

/// AES-GCM-SIV with keys of a size of AES.
#[derive(Clone)]
pub(crate) struct GcmSivKey<C>(C);

macro_rules! gcm_siv {
    ($($cipher:ty),*) => {$(
        impl WholeMode for GcmSivKey<$cipher> {
            type Keyed = GcmSiv;
            const ABOUT: About = About {
                cipher: <$cipher>::NAME,
                mode: "gcm-siv",
                number: evp_mode::GCM_SIV,
                key_len: <$cipher>::KEY_LEN,
                iv_len: 12,
                block: 1,
                aead: true,
                custom_iv: true,
            };
            const KEYS: RangeInclusive<usize> = <$cipher>::KEY_LEN..=<$cipher>::KEY_LEN;
            const NONCES: RangeInclusive<usize> = 12..=12;
            const TAGS: RangeInclusive<usize> = TAG..=TAG;
            const STRINGS: bool = false;

            fn keyed(key: &[u8]) -> Result<GcmSiv, Error> {
                GcmSiv::new(key)
            }
            fn seal(
                siv: &GcmSiv,
                nonce: &[u8],
                strings: &[&[u8]],
                io: InOutBuf<'_, '_, u8>,
                tag: &mut [u8],
            ) -> Result<(), Error> {
                siv.encrypt_detached(nonce, one_of(strings), io, tag.try_into().map_err(|_| Error::TagLength)?)
            }
            fn open(
                siv: &GcmSiv,
                nonce: &[u8],
                strings: &[&[u8]],
                io: InOutBuf<'_, '_, u8>,
                tag: &[u8],
            ) -> Result<(), Error> {
                siv.decrypt_detached(nonce, one_of(strings), io, tag.try_into().map_err(|_| Error::TagLength)?)
            }
        }
    )*};
}
gcm_siv!(Aes128, Aes256);

/// Returns the only string of a mode that has one, or an empty one.
fn one_of<'s>(strings: &[&'s [u8]]) -> &'s [u8] {
    strings.first().copied().unwrap_or_default()
}
