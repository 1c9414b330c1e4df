//! The lengths of messages that AEZ takes.

use crate::Error;

/// Bytes under one key.
const MAX_MESSAGE: u64 = 1 << 48;

/// Takes a length rather than a slice: no address space has room for a message as long as the limit.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn check_length(len: usize) -> Result<(), Error> {
    if len as u64 > MAX_MESSAGE { Err(Error::MessageTooLong) } else { Ok(()) }
}
