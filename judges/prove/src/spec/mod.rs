//! The specifications, over bits and in as few lines as they take. Their tests run them on numbers against `judges/reference`.

pub(crate) mod aes;
pub(crate) mod aez;
pub(crate) mod gf128;
pub(crate) mod modes;
pub(crate) mod serpent;
pub(crate) mod words;

use crate::forms::{Bit, Word};

/// A block cipher under a key.
pub(crate) trait Cipher {
    /// The bytes of a block.
    fn block(&self) -> usize;
    /// Encrypts a block.
    fn encrypt(&self, block: &[Bit]) -> Word;
    /// Decrypts a block.
    fn decrypt(&self, block: &[Bit]) -> Word;
}

/// The cipher of a name such as `aes-256` or `xtea-be`, under the bits of a key. None if there is no specification of it.
///
/// `closed` says that the S-box of AES is a table of which nothing is known: enough, and quicker, where the code under
/// examination has instructions for AES.
pub(crate) fn cipher(name: &str, key: &[Bit], closed: bool) -> Option<Box<dyn Cipher>> {
    Some(match name {
        "aes-128" | "aes-192" | "aes-256" => Box::new(aes::Aes::new(key, closed)),
        "serpent-128" | "serpent-192" | "serpent-256" => Box::new(serpent::Serpent::new(key)),
        "tea" => Box::new(words::Words::tea(key, false)),
        "tea-be" => Box::new(words::Words::tea(key, true)),
        "xtea" => Box::new(words::Words::xtea(key, false)),
        "xtea-be" => Box::new(words::Words::xtea(key, true)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
