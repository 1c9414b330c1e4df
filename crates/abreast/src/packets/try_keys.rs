//! Many keys against one ciphertext: whose is it?
//!
//! Tools that read archives have thousands of keys and know of each file only how its plaintext begins: with a magic
//! number, a length that can be, a checksum. A few blocks are decrypted under every key, in batches.

use super::ecb_decrypt;
use super::key::CipherKey;
use super::packet::Packet;
use crate::key_search::search;
use crate::{Error, InOutBuf};
use abreast_simd::inlined::Zipped;
use alloc::vec::Vec;

/// Decrypts up to 64 bytes of whole blocks under each of many keys, and returns the positions of those whose
/// plaintext fits, in their order. The decrypted bytes are wiped.
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
        for (key, text) in keys.iter().zipped(texts) {
            batch.push(Packet::new(*key, &[], InOutBuf::new(ciphertext, text)?));
        }
        ecb_decrypt(&mut batch);
        batch.iter().try_for_each(|packet| packet.result)
    })
}
