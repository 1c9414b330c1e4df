//! The modes that columns have.

use crate::engine::backend::Direction;
#[cfg(feature = "xtea")]
use crate::modes::CounterWidth;
#[cfg(feature = "aez")]
use crate::packets::AezKey;
#[cfg(feature = "xtea")]
use crate::packets::CipherKey;
use crate::packets::{self, GcmKey, GcmSivKey, Packet, SivKey};

mod sealed {
    pub trait SealedMode {}
}
use sealed::SealedMode;

/// A mode of columns, with the lengths and places of nonce and tag around each value.
pub trait Woven: SealedMode {
    #[doc(hidden)]
    type Key<'k>: Copy;
    /// Bytes of a nonce, which come first.
    const NONCE: usize;
    /// Bytes of a tag.
    const TAG: usize;
    /// True if the tag comes before the ciphertext.
    const TAG_FIRST: bool;
    #[doc(hidden)]
    fn batch(direction: Direction, packets: &mut [Packet<'_, Self::Key<'_>>]);
}

/// The table of the modes of columns: hands its rows to the macro `$then`.
///
/// A row has three parts: the constant of [`Weave`](super::Weave) with its documentation, and the type of the mode; the type
/// of keys with its parameters, and how keys are made of bytes, for those that are made one by one; the key of packets, bytes
/// of nonce and tag, whether the tag comes first, and the batches.
macro_rules! column_modes {
    ($then:ident) => {
        $then! {
            {
                GCM "GCM, with nonces of 12 bytes." InGcm;
                [C: crate::block_cipher::BlockCipher128] crate::modes::Gcm<C>, made [];
                GcmKey nonce 12, tag 16 first false, packets::gcm_encrypt, packets::gcm_decrypt
            }
            {
                SIV "SIV, whose associated data is one string, also if it is empty." InSiv;
                [C: crate::block_cipher::BlockCipher128] crate::modes::Siv<C>, made [];
                SivKey nonce 0, tag 16 first true, packets::siv_encrypt, packets::siv_decrypt
            }
            {
                GCM_SIV "AES-GCM-SIV, with nonces of 12 bytes, which may repeat." InGcmSiv;
                [] crate::modes::GcmSiv,
                made [16 |key| crate::modes::GcmSiv::new(key), 32 |key| crate::modes::GcmSiv::new(key)];
                GcmSivKey nonce 12, tag 16 first false, packets::gcm_siv_encrypt, packets::gcm_siv_decrypt
            }
            #[cfg(feature = "xtea")]
            {
                CTR "XTEA in counter mode, with first counter blocks of 8 bytes and no associated data. \
                    **Nothing is authenticated.**" InCtr;
                [] crate::ciphers::xtea::Xtea, made [];
                CipherKey nonce 8, tag 0 first false,
                |packets: &mut [_]| packets::ctr(packets, CounterWidth::Bits64),
                |packets: &mut [_]| packets::ctr(packets, CounterWidth::Bits64)
            }
            #[cfg(feature = "aez")]
            {
                AEZ "AEZ, with an empty nonce, and one string of associated data, or none if it is empty." InAez;
                [] crate::aez::Aez, made [48 |key| Ok(crate::aez::Aez::new(key))];
                AezKey nonce 0, tag 16 first false, packets::aez_encrypt, packets::aez_decrypt
            }
        }
    };
}
pub(super) use column_modes;

macro_rules! modes {
    ($(
        $(#[$cfg:meta])?
        {
            $weave:ident $doc:literal $mode:ident;
            [$($parameter:tt)*] $type:ty, made [$($made:tt)*];
            $key:ident nonce $nonce:literal, tag $tag:literal first $first:literal, $encrypt:expr, $decrypt:expr
        }
    )*) => {$(
        #[doc = concat!("`Weave::", stringify!($weave), "`.")]
        $(#[$cfg])?
        #[derive(Clone, Copy, Debug)]
        pub enum $mode {}

        $(#[$cfg])?
        impl SealedMode for $mode {}

        $(#[$cfg])?
        impl Woven for $mode {
            type Key<'k> = $key<'k>;
            const NONCE: usize = $nonce;
            const TAG: usize = $tag;
            const TAG_FIRST: bool = $first;
            fn batch(direction: Direction, packets: &mut [Packet<'_, $key<'_>>]) {
                match direction {
                    Direction::Encrypt => $encrypt(packets),
                    Direction::Decrypt => $decrypt(packets),
                }
            }
        }
    )*};
}
column_modes!(modes);
