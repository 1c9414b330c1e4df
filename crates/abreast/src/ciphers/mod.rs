//! The ciphers, and the one table of them.
//!
//! A cipher is a folder here: its schedule, its rounds over the vectors of the engine, and a public type that
//! implements [`KeyedCipher`](crate::engine::keyed::KeyedCipher). It knows neither modes nor batches. With a row in
//! [`block_ciphers!`] it is a [`BlockCipher`](crate::BlockCipher) for every mode, has a variant in [`CipherRef`] for
//! batches, implements the traits of RustCrypto and is in the registry under its names.

pub mod aes;
#[cfg(feature = "legacy")]
pub mod rc4;
#[cfg(feature = "serpent")]
pub(crate) mod serpent;
#[cfg(feature = "tea")]
pub mod tea;
#[cfg(any(feature = "tea", feature = "xtea"))]
mod two_words;
#[cfg(feature = "xtea")]
pub mod xtea;

use crate::engine::keyed::KeyedCipher;
use crate::engine::multibuf::{Batch, MultiBufferSpec};
use core::any::Any;

/// The public modules at the root of the crate. Serpent's module there has an adapter besides.
pub(crate) mod public {
    pub use super::aes;
    #[cfg(feature = "legacy")]
    pub use super::rc4;
    #[cfg(feature = "tea")]
    pub use super::tea;
    #[cfg(feature = "xtea")]
    pub use super::xtea;
}

/// The table of block ciphers: hands its rows to the macro `$then`.
///
/// A row is the feature that the cipher belongs to, if it is not always there, the public type, the bytes of a block as a number and as the type-level number of the crate `cipher`, and the
/// blocks in a pass of its widest kernel, which is how many the traits of `cipher` hand over at a time.
macro_rules! block_ciphers {
    ($then:path) => {
        $then! {
            aes::Aes128, block 16 U16, pass U32;
            aes::Aes192, block 16 U16, pass U32;
            aes::Aes256, block 16 U16, pass U32;
            #[cfg(feature = "serpent")] serpent::Serpent, block 16 U16, pass U64;
            #[cfg(feature = "tea")] tea::Tea, block 8 U8, pass U128;
            #[cfg(feature = "xtea")] xtea::Xtea, block 8 U8, pass U128;
        }
    };
}
pub(crate) use block_ciphers;

macro_rules! references {
    ($($(#[$cfg:meta])? $module:ident::$type:ident, block $block:tt $size:ident, pass $pass:ident;)*) => {
        /// A reference to any of the ciphers under a key.
        #[doc(hidden)]
        #[derive(Clone, Copy)]
        pub enum CipherRef<'a> {
            $($(#[$cfg])? #[doc(hidden)] $type(&'a $module::$type),)*
        }

        impl<'a> CipherRef<'a> {
            /// Returns the key for batches, if it is a `K`: settled when this is compiled for a `K`.
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            pub(crate) fn get<K: 'static>(self) -> Option<&'a K> {
                match self {
                    $($(#[$cfg])? Self::$type(cipher) => (cipher.batch_key() as &dyn Any).downcast_ref(),)*
                }
            }

            /// Runs a batch on the kernel of this key, if that kernel takes batches.
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            pub(crate) fn visit_batch(self, batch: impl Batch) {
                match self {
                    $($(#[$cfg])? Self::$type(cipher) => cipher.visit_batch(batch),)*
                }
            }
        }

        $($(#[$cfg])? const _: () = assert!($module::$type::BLOCK == $block, "the table and the cipher agree on the size of a block");)*
    };
}
block_ciphers!(references);

impl<'a> CipherRef<'a> {
    /// The round keys, if they are those of a specification and laid out for a level.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn keys_at<S: MultiBufferSpec>(self, level: S::Level) -> Option<&'a S::Keys> {
        S::keys_at(self.get()?, level)
    }
}
