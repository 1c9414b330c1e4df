//! Many keys against one ciphertext, as [`packets::try_keys`](crate::packets::try_keys) has it for block ciphers.

use super::schedule::is_key;
use super::{Message, apply_keys};
use crate::key_search::search;
use crate::{Error, InOutBuf};
use abreast_simd::inlined::Zipped;
use alloc::vec::Vec;

/// Decrypts up to 64 bytes under each of many keys, leaving out the first `skip` bytes of keystream, and returns the
/// positions of those whose plaintext fits, in their order. The decrypted bytes are wiped.
///
/// ```
/// use abreast::rc4::{Rc4, try_keys};
///
/// let keys: Vec<[u8; 5]> = (0..1000_u16).map(|i| [b'k', b'e', b'y', i as u8, (i >> 8) as u8]).collect();
/// let mut data = *b"%PDF-1.3";
/// Rc4::new(&keys[123])?.apply(data.as_mut_slice());
/// assert_eq!(try_keys(&keys, 0, &data, |plaintext| plaintext.starts_with(b"%PDF-"))?, [123]);
/// # Ok::<(), abreast::Error>(())
/// ```
///
/// # Errors
/// [`Error::KeyLength`] if a key has no byte or more than 256; [`Error::MessageTooLong`]. Then nothing was done.
pub fn try_keys(
    keys: &[impl AsRef<[u8]>],
    skip: u64,
    ciphertext: &[u8],
    fits: impl FnMut(&[u8]) -> bool,
) -> Result<Vec<usize>, Error> {
    if !keys.iter().all(|key| is_key(key.as_ref())) {
        return Err(Error::KeyLength);
    }
    search(keys, ciphertext.len(), fits, |keys, texts| {
        let mut batch = Vec::with_capacity(keys.len());
        for (key, text) in keys.iter().zipped(texts) {
            batch.push(Message { key: key.as_ref(), skip, buffer: InOutBuf::new(ciphertext, text)? });
        }
        apply_keys(&mut batch)
    })
}
