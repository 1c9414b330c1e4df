//! Slow, specification-shaped ciphers and modes, against which the fast code is tested.
//!
//! Each module is one standard or paper, written down section by section: a function is named after
//! the operation that the standard names and its comment gives the section, so that the two can be
//! laid side by side and read. Nothing is rearranged for speed, and nothing is shared with the
//! fast code, so that a misreading has to be made twice, and differently, to go unseen.
//!
//! Tables are indexed by secrets and tags compared byte by byte: **this crate leaks keys through
//! timing and is for tests alone.**
//!
//! The block ciphers are [`aes`], [`serpent`], [`tea`] and [`xtea`]. The modes are generic over [`BlockCipher`]:
//! [`ecb`], [`cbc`], [`cfb`], [`ofb`] and [`ctr`] over any block; [`xts`], [`hctr2`], [`gcm`], [`siv`] and [`key_wrap`] over one of
//! 16 bytes; [`cmac`] and [`eax`] over one of 8 or 16 bytes. [`gcm_siv`] and [`cgo`] are for AES. [`rc4`] is a stream cipher, and [`aez`]
//! encrypts messages of any length as one block.
//!
//! ```
//! use abreast_reference::{BlockCipher, aes::Aes};
//!
//! let cipher = Aes::new(&[0; 16]);
//! let block = [0; 16];
//! assert_eq!(cipher.decrypt_block(&cipher.encrypt_block(&block)), block);
//! ```
#![forbid(unsafe_code)]

pub mod aes;
pub mod aez;
mod blake2b;
mod block;
pub mod cbc;
pub mod cfb;
pub mod cgo;
pub mod cmac;
pub mod ctr;
pub mod eax;
pub mod ecb;
pub mod gcm;
pub mod gcm_siv;
pub mod hctr2;
pub mod key_wrap;
pub mod ofb;
pub mod rc4;
pub mod serpent;
pub mod siv;
pub mod tea;
pub mod words;
pub mod xtea;
pub mod xts;

pub use block::BlockCipher;

/// A cipher that was asked for by its name, by the length of its blocks.
pub enum Named {
    /// With blocks of 8 bytes.
    Of8(Box<dyn BlockCipher<8> + Send + Sync>),
    /// With blocks of 16 bytes.
    Of16(Box<dyn BlockCipher<16> + Send + Sync>),
}

/// The cipher of a name such as `aes-256` or `xtea-be`, under a key of the length that the name says.
///
/// ```
/// use abreast_reference::{BlockCipher, Named, named};
///
/// let Some(Named::Of8(cipher)) = named("xtea-be", &[0; 16]) else { panic!("a cipher") };
/// assert_eq!(cipher.encrypt_block(&[0; 8]), 0xdee9d4d8f7131ed9_u64.to_be_bytes());
/// ```
///
/// # Panics
///
/// If the key has another length.
pub fn named(name: &str, key: &[u8]) -> Option<Named> {
    use words::ByteOrder::{BigEndian, LittleEndian};
    let sixteen = || key.try_into().expect("a key has 16 bytes");
    let (cipher, of_name) = name.split_once('-').unwrap_or((name, ""));
    Some(match (cipher, of_name) {
        ("aes", _) => Named::Of16(Box::new(aes::Aes::new(key))),
        ("serpent", _) => Named::Of16(Box::new(serpent::Serpent::new(key))),
        ("tea", "") => Named::Of8(Box::new(tea::Tea::new(sixteen(), LittleEndian))),
        ("tea", "be") => Named::Of8(Box::new(tea::Tea::new(sixteen(), BigEndian))),
        ("xtea", "") => Named::Of8(Box::new(xtea::Xtea::new(sixteen(), LittleEndian, 32))),
        ("xtea", "be") => Named::Of8(Box::new(xtea::Xtea::new(sixteen(), BigEndian, 32))),
        _ => return None,
    })
}

/// Ciphertext and tag of a message in a mode of authenticated encryption, by the name of the mode. Ciphers are AES, associated
/// data is one string, and tags have 16 bytes. In SIV the nonce is a second string, unless it is empty; in AEZ an empty
/// string of associated data is none.
///
/// ```
/// let (ciphertext, tag) = abreast_reference::sealed("gcm", &[0; 16], &[0; 12], b"", b"").expect("a mode");
/// assert_eq!((ciphertext.len(), &tag[..4]), (0, &[0x58, 0xe2, 0xfc, 0xce][..]));
/// ```
///
/// # Panics
///
/// If the key or the nonce has a length that the mode does not take.
pub fn sealed(
    mode: &str,
    key: &[u8],
    nonce: &[u8],
    aad: &[u8],
    plaintext: &[u8],
) -> Option<(Vec<u8>, Vec<u8>)> {
    Some(match mode {
        "gcm" => gcm::seal(&aes::Aes::new(key), nonce, aad, plaintext, 16),
        "eax" => eax::seal(&aes::Aes::new(key), nonce, aad, plaintext, 16),
        "siv" => {
            let (mac, text) = key.split_at(key.len() / 2);
            let strings = if nonce.is_empty() { vec![aad] } else { vec![aad, nonce] };
            let (tag, ciphertext) = siv::seal(&aes::Aes::new(mac), &aes::Aes::new(text), &strings, plaintext);
            (ciphertext, tag.to_vec())
        }
        "gcm-siv" => {
            let nonce = nonce.try_into().expect("a nonce of 12 bytes");
            let (ciphertext, tag) = gcm_siv::seal(key, nonce, aad, plaintext);
            (ciphertext, tag.to_vec())
        }
        "aez" => {
            let strings: &[&[u8]] = if aad.is_empty() { &[] } else { &[aad] };
            let mut ciphertext = aez::encrypt(key, nonce, strings, 16, plaintext);
            let tag = ciphertext.split_off(plaintext.len());
            (ciphertext, tag)
        }
        _ => return None,
    })
}
