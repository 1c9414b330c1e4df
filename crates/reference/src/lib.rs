//! Slow, specification-shaped ciphers and modes: what the fast code is tested against.
//!
//! Each module is one standard or paper, written down section by section: a function is named after
//! the operation that the standard names and its comment gives the section, so that the two can be
//! laid side by side and read. Nothing is rearranged for speed, and nothing is shared with the
//! fast code, so that a misreading has to be made twice, and differently, to go unseen.
//!
//! Tables are indexed by secrets and tags compared byte by byte: **this crate leaks keys through
//! timing and is for tests alone.**
//!
//! The block ciphers are [`aes`], [`serpent`] and [`xtea`]. The modes are generic over [`BlockCipher`]:
//! [`ecb`], [`cbc`], [`cfb`], [`ofb`] and [`ctr`] over any block; [`xts`] and [`gcm`] over one of
//! 16 bytes; [`cmac`] and [`eax`] over one of 8 or 16 bytes. [`rc4`] is a stream cipher, and [`aez`]
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
pub mod cbc;
pub mod cfb;
pub mod cmac;
pub mod ctr;
pub mod eax;
pub mod ecb;
pub mod gcm;
pub mod ofb;
pub mod rc4;
pub mod serpent;
pub mod xtea;
pub mod xts;

/// A block cipher under one key: a permutation of blocks of `N` bytes, and its inverse.
///
/// The block length is part of the type, so that a mode made for 16-byte blocks (GCM) takes no
/// cipher of another size, and one made for any block (CBC) takes all of them.
pub trait BlockCipher<const N: usize> {
    /// The forward permutation: plaintext to ciphertext.
    fn encrypt_block(&self, block: &[u8; N]) -> [u8; N];

    /// The inverse permutation: ciphertext to plaintext.
    fn decrypt_block(&self, block: &[u8; N]) -> [u8; N];
}

/// The sum of two blocks: exclusive or, bit by bit.
fn xor<const N: usize>(a: &[u8; N], b: &[u8; N]) -> [u8; N] {
    let mut sum = *a;
    for (sum, b) in sum.iter_mut().zip(b) {
        *sum ^= b;
    }
    sum
}
