//! The lengths that GCM takes.

use crate::Error;

/// Bytes of a message: 2^39 - 256 bits (SP 800-38D, section 5.2.1.1).
const MAX_MESSAGE: u64 = (1 << 36) - 32;
/// Bytes of associated data, and of a nonce: the limit of a 64-bit count of bits.
const MAX_HASHED: u64 = (1 << 61) - 1;

pub(super) fn check_tag_len(tag_len: usize) -> Result<(), Error> {
    if matches!(tag_len, 4 | 8 | 12..=16) { Ok(()) } else { Err(Error::TagLength) }
}

pub(super) fn check_nonce(nonce: &[u8]) -> Result<(), Error> {
    if nonce.is_empty() || nonce.len() as u64 > MAX_HASHED { Err(Error::NonceLength) } else { Ok(()) }
}

/// Takes lengths rather than slices: no machine that runs the tests has messages as long as these limits.
pub(super) fn check_lengths(aad: u64, data: u64) -> Result<(), Error> {
    if aad > MAX_HASHED || data > MAX_MESSAGE { Err(Error::MessageTooLong) } else { Ok(()) }
}
