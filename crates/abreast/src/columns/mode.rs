//! The modes that columns have.

use crate::engine::backend::Direction;
use crate::modes::CounterWidth;
#[cfg(feature = "aez")]
use crate::packets::AezKey;
use crate::packets::{self, CipherKey, GcmKey, Packet, SivKey};

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

macro_rules! modes {
    ($($(#[$meta:meta])* $mode:ident $key:ident, nonce $nonce:literal, tag $tag:literal first $first:literal, $encrypt:expr, $decrypt:expr;)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        pub enum $mode {}

        $(#[$meta])*
        impl SealedMode for $mode {}

        $(#[$meta])*
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
modes! {
    /// `Weave::GCM`.
    InGcm GcmKey, nonce 12, tag 16 first false, packets::gcm_encrypt, packets::gcm_decrypt;
    /// `Weave::SIV`.
    InSiv SivKey, nonce 0, tag 16 first true, packets::siv_encrypt, packets::siv_decrypt;
    /// `Weave::CTR`.
    InCtr CipherKey, nonce 8, tag 0 first false,
        |packets: &mut [_]| packets::ctr(packets, CounterWidth::Bits64),
        |packets: &mut [_]| packets::ctr(packets, CounterWidth::Bits64);
}
#[cfg(feature = "aez")]
modes! {
    /// `Weave::AEZ`.
    InAez AezKey, nonce 0, tag 16 first false, packets::aez_encrypt, packets::aez_decrypt;
}
