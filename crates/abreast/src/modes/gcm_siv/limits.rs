//! The lengths that AES-GCM-SIV takes.

use crate::Error;

/// Bytes of a nonce (RFC 8452, section 4).
// No boundary: the size of a nonce.
pub(crate) const NONCE: usize = 12;
/// Bytes of a message, and of associated data (section 6).
// No boundary: a limit that no message of a test comes to.
const MOST: u64 = 1 << 36;

/// Refuses other nonces.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn check_nonce(nonce: &[u8]) -> Result<&[u8; NONCE], Error> {
    nonce.try_into().map_err(|_| Error::NonceLength)
}

/// Takes lengths rather than slices: no machine that runs the tests has messages as long as these limits.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn check_lengths(aad: u64, data: u64) -> Result<(), Error> {
    if aad > MOST || data > MOST { Err(Error::MessageTooLong) } else { Ok(()) }
}
