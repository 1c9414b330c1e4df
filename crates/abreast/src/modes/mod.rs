//! Modes of operation: each one loop over a cipher's passes, written once for all kernels.
//!
//! | mode | for | blocks |
//! |---|---|---|
//! | [`Gcm`] | messages, authenticated | 128 bits |
//! | [`Eax`] | messages, authenticated; nonces of any length | any |
//! | [`Siv`] | messages, authenticated; without a nonce | 128 bits |
//! | [`GcmSiv`] | messages, authenticated; a nonce may repeat | of AES |
//! | [`Xts`] | sectors of a disk | 128 bits |
//! | [`Hctr2`] | sectors and names, as one wide block | 128 bits |
//! | [`Ctr`] | keystream by number | any |
//! | [`Cbc`], [`Cfb`], [`Cfb8`], [`Ofb`] | existing protocols and formats | any |
//! | [`Cmac`] | tags without encryption | any |
//! | [`Uiv`] | cells of Tor, under keys that change | of AES |
//! | [`KeyWrap`] | keys, authenticated; without a nonce | 128 bits |

#[cfg(feature = "modes")]
mod block_buffer;
#[cfg(feature = "modes")]
pub(crate) mod cbc;
#[cfg(feature = "modes")]
pub(crate) mod cfb;
#[cfg(feature = "modes")]
mod chain;
#[cfg(feature = "modes")]
pub(crate) mod cmac;
pub(crate) mod ctr;
#[cfg(feature = "modes")]
pub(crate) mod eax;
#[cfg(feature = "modes")]
mod eax_state;
pub(crate) mod gcm;
#[cfg(feature = "siv")]
pub(crate) mod gcm_siv;
#[cfg(feature = "hctr2")]
pub(crate) mod hctr2;
#[cfg(feature = "keywrap")]
pub(crate) mod key_wrap;
#[cfg(feature = "modes")]
pub(crate) mod ofb;
#[cfg(feature = "full")]
pub(crate) mod sealer;
#[cfg(feature = "siv")]
pub(crate) mod siv;
mod stream;
pub(crate) mod tag;
#[cfg(feature = "cgo")]
pub(crate) mod uiv;
#[cfg(feature = "modes")]
pub(crate) mod xts;

use crate::InOutBuf;
use abreast_simd::inlined::CopyFrom;

pub use crate::engine::backend::Direction;
#[cfg(feature = "modes")]
pub use block_buffer::BlockBuffer;
#[cfg(feature = "modes")]
pub use cbc::Cbc;
#[cfg(feature = "modes")]
#[doc(hidden)]
pub use cbc::unpadded;
#[cfg(feature = "modes")]
pub use cfb::{Cfb, Cfb8};
#[cfg(feature = "modes")]
pub use cmac::{Cmac, CmacPieces};
pub use ctr::{CounterWidth, Ctr};
#[cfg(feature = "modes")]
pub use eax::Eax;
pub use gcm::Gcm;
#[cfg(feature = "siv")]
pub use gcm_siv::GcmSiv;
#[cfg(feature = "hctr2")]
pub use hctr2::Hctr2;
#[cfg(feature = "keywrap")]
pub use key_wrap::KeyWrap;
#[cfg(feature = "modes")]
pub use ofb::Ofb;
#[cfg(feature = "siv")]
pub use siv::Siv;
pub use stream::{Decryptor, Encryptor, Streaming};
pub use tag::WithTagLen;
#[cfg(feature = "cgo")]
pub use uiv::{Uiv, UivCell, UivCipher, UivUpdate};
#[cfg(feature = "modes")]
pub use xts::Xts;

/// The table of modes: hands its rows to the macro `$then`.
///
/// A row is the name; the keys, as many of a cipher or bytes by themselves; the blocks that the cipher has to have; the
/// vector, the lengths of tags, and associated data; bytes of a message and of associated data at most; and the operations
/// that exist. A mode that is authenticated encryption with one string of associated data says besides if the tag comes first
/// where it is one string with the ciphertext, how a key of it is made of bytes, and by which functions batches and columns
/// are done.
#[cfg(feature = "full")]
macro_rules! mode_rows {
    ($then:path) => {
        $then! {
            "ecb": keys OfCiphers(1), blocks Any, vector NoVector, tags NoTag, aad false, most [u64::MAX, 0],
                waits Never, does [Once Batch];
            "cbc": keys OfCiphers(1), blocks Any, vector Block, tags NoTag, aad false, most [u64::MAX, 0],
                waits Encrypting, does [Once Stream Batch];
            "cfb": keys OfCiphers(1), blocks Any, vector Block, tags NoTag, aad false, most [u64::MAX, 0],
                waits Encrypting, does [Once Stream];
            "cfb8": keys OfCiphers(1), blocks Any, vector Block, tags NoTag, aad false, most [u64::MAX, 0],
                waits Encrypting, does [Once Stream];
            "ofb": keys OfCiphers(1), blocks Any, vector Block, tags NoTag, aad false, most [u64::MAX, 0],
                waits Always, does [Once Stream Batch];
            "ctr": keys OfCiphers(1), blocks Any, vector Counter, tags NoTag, aad false, most [u64::MAX, 0],
                waits Never, does [Once Stream Batch Column];
            "xts": keys OfCiphers(2), blocks Of16, vector Unit, tags NoTag, aad false, most [1 << 24, 0],
                waits Never, does [Once Batch];
            "hctr2": keys OfCiphers(1), blocks Of16, vector Nonce(0, usize::MAX), tags NoTag, aad false, most [1 << 36, 0],
                waits Never, does [Once Batch];
            "cmac": keys OfCiphers(1), blocks Any, vector NoVector, tags UpToABlock, aad true, most [0, u64::MAX],
                waits Always, does [Once Stream Batch];
            "gcm": keys OfCiphers(1), blocks Of16, vector Nonce(1, usize::MAX),
                tags Of(&[4, 8, 12, 13, 14, 15, 16]), aad true, most [(1 << 36) - 32, (1 << 61) - 1],
                waits Never, does [Once Stream Batch Column],
                seals Gcm<Box<dyn BlockCipher128>>, keys &[16, 24, 32],
                made |key, kernel| aes(key, kernel).map(Gcm::from_cipher),
                batch |gcm| packets::GcmKey::from(gcm), packets::gcm_encrypt, packets::gcm_decrypt, column column_of;
            "eax": keys OfCiphers(1), blocks Any, vector Nonce(0, usize::MAX), tags UpToABlock, aad true,
                most [u64::MAX, u64::MAX], waits Always, does [Once Stream Batch],
                seals Eax<Box<dyn BlockCipher128>>, keys &[16, 24, 32],
                made |key, kernel| aes(key, kernel).map(Eax::from_cipher),
                batch |eax| packets::EaxKey::from(eax), packets::eax_encrypt, packets::eax_decrypt;
            "siv": keys OfCiphers(2), blocks Of16, vector Nonce(0, usize::MAX), tags Of(&[16]), aad true,
                most [u64::MAX, u64::MAX], waits Always, does [Once Batch Column],
                seals Siv<Box<dyn BlockCipher128>>, tag first, keys &[32, 48, 64],
                made |key, kernel| {
                    let (mac, text) = key.split_at(key.len() / 2);
                    Ok(Siv::from_ciphers(aes(mac, kernel)?, aes(text, kernel)?))
                },
                batch |siv| packets::SivKey::from(siv), packets::siv_encrypt, packets::siv_decrypt, column column_of;
            "gcm-siv": keys Own(&[16, 32]), blocks None, vector Nonce(12, 12), tags Of(&[16]), aad true,
                most [1 << 36, 1 << 36], waits Never, does [Once Batch Column],
                seals crate::modes::GcmSiv, keys &[16, 32],
                made crate::modes::GcmSiv::with_kernel,
                batch |key| key, packets::gcm_siv_encrypt, packets::gcm_siv_decrypt, column column_of;
            "aez": keys Own(&[]), blocks None, vector Nonce(0, usize::MAX), tags UpTo(32), aad true,
                most [1 << 48, 1 << 48], waits Never, does [Once Batch Column],
                seals Aez, keys &[48, 16],
                made Aez::with_kernel,
                batch |aez| packets::AezKey::from(aez), packets::aez_encrypt, packets::aez_decrypt, column column_of;
        }
    };
}
#[cfg(feature = "full")]
pub(crate) use mode_rows;

/// A block of a message that came in pieces: its keystream, and its ciphertext as far as it goes. Xors the
/// keystream into a piece of the block, from byte `at` on, and keeps the ciphertext.
fn part_of_block(
    direction: Direction,
    stream: &[u8; 16],
    ciphertext: &mut [u8; 16],
    at: usize,
    mut io: InOutBuf<'_, '_, u8>,
) {
    let part = at..at + io.len();
    if direction == Direction::Decrypt {
        ciphertext[part.clone()].copy_from(io.get_in());
    }
    io.xor_in2out(&stream[part.clone()]);
    if direction == Direction::Encrypt {
        ciphertext[part].copy_from(io.get_out());
    }
}
