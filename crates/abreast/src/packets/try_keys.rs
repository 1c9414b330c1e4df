//! Many keys against one ciphertext: whose is it?
//!
//! Tools that read archives have thousands of keys and know of each file only how its plaintext begins: with a magic
//! number, a length that can be, a checksum. A few blocks are decrypted under every key, in batches.

use super::{CipherKey, Packet, ecb_decrypt};
use crate::{Error, InOutBuf};
use alloc::vec::Vec;
use zeroize::Zeroizing;

/// The longest ciphertext.
pub(crate) const LONGEST: usize = 64;
/// Keys of a batch.
pub(crate) const AT_ONCE: usize = 256;

/// Decrypts up to 64 bytes of whole blocks under each of many keys, and returns the positions of those whose
/// plaintext fits, in their order. What was decrypted is wiped.
///
/// ```
/// use abreast::{BlockCipher, packets::{self, CipherKey}, xtea::Xtea};
///
/// let keys: Vec<_> = (0..1000_u128).map(|key| Xtea::new(&key.to_le_bytes())).collect();
/// let mut header = *b"PK\x03\x04, and so on.";
/// keys[123].encrypt_raw_blocks(header.as_mut_slice().into())?;
///
/// let keys: Vec<_> = keys.iter().map(CipherKey::from).collect();
/// let found = packets::try_keys(&keys, &header, |plaintext| plaintext.starts_with(b"PK\x03\x04"))?;
/// assert_eq!(found, [123]);
/// # Ok::<(), abreast::Error>(())
/// ```
///
/// # Errors
/// [`Error::MessageTooLong`]; [`Error::PartialBlock`] if the ciphertext is no whole number of blocks of each cipher.
/// Then nothing was done.
pub fn try_keys(
    keys: &[CipherKey<'_>],
    ciphertext: &[u8],
    fits: impl FnMut(&[u8]) -> bool,
) -> Result<Vec<usize>, Error> {
    let partial = |key: &CipherKey<'_>| !ciphertext.len().is_multiple_of(key.cipher().block_size());
    if keys.iter().any(partial) {
        return Err(Error::PartialBlock);
    }
    search(keys, ciphertext.len(), fits, |keys, texts| {
        let mut batch = Vec::with_capacity(keys.len());
        for (key, text) in keys.iter().zip(texts) {
            batch.push(Packet::new(*key, &[], InOutBuf::new(ciphertext, text)?));
        }
        ecb_decrypt(&mut batch);
        batch.iter().try_for_each(|packet| packet.result)
    })
}

/// The positions of the keys under which what `decrypt` writes fits. It is given some of the keys, and a text as long
/// as the ciphertext for each.
pub(crate) fn search<K>(
    keys: &[K],
    len: usize,
    mut fits: impl FnMut(&[u8]) -> bool,
    mut decrypt: impl FnMut(&[K], core::slice::ChunksExactMut<'_, u8>) -> Result<(), Error>,
) -> Result<Vec<usize>, Error> {
    if len > LONGEST {
        return Err(Error::MessageTooLong);
    }
    // An empty ciphertext has one plaintext, which fits or not.
    if len == 0 {
        return Ok((0..keys.len()).filter(|_| fits(&[])).collect());
    }
    let mut found = Vec::new();
    let mut texts = Zeroizing::new([0; AT_ONCE * LONGEST]);
    for (batch, keys) in keys.chunks(AT_ONCE).enumerate() {
        let texts = &mut texts[..len * keys.len()];
        decrypt(keys, texts.chunks_exact_mut(len))?;
        let fitting = texts.chunks_exact(len).enumerate().filter(|(_, text)| fits(text));
        found.extend(fitting.map(|(at, _)| AT_ONCE * batch + at));
    }
    Ok(found)
}
