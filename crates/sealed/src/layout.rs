//! The layout of a file: the arithmetic of its lengths, all of it checked.

use crate::Error;
use crate::format::{CHUNK, MAX_CHUNKS, SEALED_CHUNK, TAG};

/// The layout that follows from the length of a message, or of a body, which is all chunks together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Layout {
    /// Number of chunks, at least one.
    pub chunks: u64,
    /// Length of the plaintext in bytes.
    pub message: u64,
    /// Length of the last chunk with its tag, in bytes.
    pub last: usize,
}

impl Layout {
    /// The layout of a body of that length in bytes, if a message has one.
    ///
    /// # Errors
    /// [`Error::Truncated`] if no message has a body of that length, [`Error::MessageTooLong`] beyond 4 PiB.
    pub fn of_body(length: u64) -> Result<Layout, Error> {
        let last = (length % SEALED_CHUNK as u64) as usize;
        let chunks = length / SEALED_CHUNK as u64 + 1;
        if last < TAG {
            return Err(Error::Truncated);
        }
        if chunks > MAX_CHUNKS {
            return Err(Error::MessageTooLong);
        }
        Ok(Layout { chunks, message: length - chunks * TAG as u64, last })
    }

    /// The layout of a message of that length in bytes.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`] beyond 4 PiB.
    pub fn of_message(length: u64) -> Result<Layout, Error> {
        let chunks = length / CHUNK as u64 + 1;
        if chunks > MAX_CHUNKS {
            return Err(Error::MessageTooLong);
        }
        Ok(Layout { chunks, message: length, last: (length % CHUNK as u64) as usize + TAG })
    }

    /// Length of the body in bytes. The file has a header in front of it.
    #[must_use]
    pub fn body(&self) -> u64 {
        self.message + self.chunks * TAG as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The length of the body of a message, computed the other way round.
    fn body(message: u64) -> u64 {
        message + (message / CHUNK as u64 + 1) * TAG as u64
    }

    #[test]
    fn every_message_length_has_its_layout() {
        for message in
            (0..3 * CHUNK as u64 + 2).chain([(1 << 40) - 1, 1 << 40, (MAX_CHUNKS * CHUNK as u64) - 1])
        {
            let layout = Layout::of_body(body(message)).unwrap();
            assert_eq!(layout.message, message);
            assert_eq!(layout.last, message as usize % CHUNK + TAG);
            assert_eq!(layout.chunks, message / CHUNK as u64 + 1);
            assert_eq!(Layout::of_message(message).unwrap(), layout);
            assert_eq!(layout.body(), body(message));
        }
        let longest = MAX_CHUNKS * CHUNK as u64 - 1;
        assert!(matches!(Layout::of_message(longest + 1), Err(Error::MessageTooLong)));
        assert!(matches!(Layout::of_message(u64::MAX), Err(Error::MessageTooLong)));
    }

    #[test]
    fn no_other_length_has_one() {
        for chunks in [0, 1, 7] {
            for cut in 0..TAG as u64 {
                let length = chunks * SEALED_CHUNK as u64 + cut;
                assert!(matches!(Layout::of_body(length), Err(Error::Truncated)), "{length}");
            }
        }
        assert!(matches!(Layout::of_body(body(MAX_CHUNKS * CHUNK as u64)), Err(Error::MessageTooLong)));
        assert!(Layout::of_body(u64::MAX).is_err());
    }
}
