//! The search among many keys for those under which a ciphertext has a plaintext that fits, whatever the cipher.

use crate::Error;
use alloc::vec::Vec;
use zeroize::Zeroizing;

/// The longest ciphertext.
pub(crate) const LONGEST: usize = 64;
/// Keys of a batch.
pub(crate) const AT_ONCE: usize = 256;

/// Returns the positions of the keys under which the output of `decrypt` fits. It is given some of the keys, and a
/// text as long as the ciphertext for each.
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
