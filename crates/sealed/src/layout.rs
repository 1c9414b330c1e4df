//! The layout of a file: the arithmetic of its lengths, all of it checked.

use crate::Error;
use crate::format::Format;

/// The layout that follows from the length of a message, or of a body, which is all chunks together.
///
/// ```
/// use abreast_sealed::{Format, Layout};
///
/// let layout = Layout::of_message(Format::Cobblestone, 100_000)?;
/// assert_eq!((layout.chunks, layout.file()), (7, 56 + 100_000 + 7 * 16));
/// assert_eq!(Layout::of_body(Format::Cobblestone, layout.body())?.message, 100_000);
/// # Ok::<(), abreast_sealed::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Layout {
    /// The format of the file.
    pub format: Format,
    /// Number of chunks, at least one.
    pub chunks: u64,
    /// Length of the plaintext in bytes.
    pub message: u64,
    /// Length of the last chunk in the file, in bytes.
    pub last: usize,
}

impl Layout {
    /// Returns the layout of a body of that length in bytes, if a message has one.
    ///
    /// # Errors
    /// [`Error::Truncated`] if no message has a body of that length, [`Error::MessageTooLong`] if it has more chunks than the format.
    pub fn of_body(format: Format, length: u64) -> Result<Layout, Error> {
        let shape = format.shape();
        let (overhead, sealed) = (shape.overhead() as u64, shape.sealed_chunk() as u64);
        let (full, rest) = (length / sealed, length % sealed);
        let (chunks, last) =
            if rest == 0 && !shape.has_tail(full, 0) { (full, sealed) } else { (full + 1, rest) };
        let text = last.checked_sub(overhead).ok_or(Error::Truncated)?;
        // No stream ends in an empty block after others.
        if last < sealed && !shape.has_tail(full, text as usize) {
            return Err(Error::Truncated);
        }
        if chunks > shape.max_chunks {
            return Err(Error::MessageTooLong);
        }
        Ok(Layout { format, chunks, message: length - chunks * overhead, last: last as usize })
    }

    /// Returns the layout of a message of that length in bytes.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`] beyond 4 PiB, and with [`Format::Ags1`] beyond 2 PiB.
    pub fn of_message(format: Format, length: u64) -> Result<Layout, Error> {
        let shape = format.shape();
        let chunk = shape.chunk as u64;
        let (full, rest) = (length / chunk, (length % chunk) as usize);
        let (chunks, last) = if shape.has_tail(full, rest) { (full + 1, rest) } else { (full, shape.chunk) };
        if chunks > shape.max_chunks {
            return Err(Error::MessageTooLong);
        }
        Ok(Layout { format, chunks, message: length, last: last + shape.overhead() })
    }

    /// Returns the length of the body in bytes. The file has a header in front of it.
    #[must_use]
    pub fn body(&self) -> u64 {
        self.message + self.chunks * self.format.shape().overhead() as u64
    }

    /// Returns the length of the file in bytes, with the header of a file that is sealed with a key.
    #[must_use]
    pub fn file(&self) -> u64 {
        self.format.shape().header as u64 + self.body()
    }
}

impl Format {
    /// Returns the number of bytes that `plain` bytes of the message, from the chunk of a number on, have when they are sealed.
    /// Without `last`, more chunks come after them.
    ///
    /// ```
    /// use abreast_sealed::Format;
    ///
    /// assert_eq!(Format::Cobblestone.sealed_len(0, 100, true)?, 116);
    /// assert_eq!(Format::Cobblestone.opened_len(0, 116, true)?, 100);
    /// # Ok::<(), abreast_sealed::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::ChunkLength`] if these are not whole chunks and not the last ones; [`Error::MessageTooLong`] if no
    /// message is so long.
    pub fn sealed_len(self, first_chunk: u64, plain: usize, last: bool) -> Result<usize, Error> {
        let shape = self.shape();
        let (full, rest) = (plain / shape.chunk, plain % shape.chunk);
        if !last && rest > 0 {
            return Err(Error::ChunkLength);
        }
        let number = first_chunk.checked_add(full as u64).ok_or(Error::MessageTooLong)?;
        let chunks = full + usize::from(last && shape.has_tail(number, rest));
        let more = chunks.checked_mul(shape.overhead());
        more.and_then(|more| plain.checked_add(more)).ok_or(Error::MessageTooLong)
    }

    /// Returns the number of bytes of the message in `sealed` sealed bytes, from the chunk of a number on. Without `last`, more
    /// chunks come after them.
    ///
    /// # Errors
    /// [`Error::ChunkLength`] if these are not whole chunks and not the last ones; [`Error::Truncated`] if the last
    /// ones end where no file does.
    pub fn opened_len(self, first_chunk: u64, sealed: usize, last: bool) -> Result<usize, Error> {
        let shape = self.shape();
        let (full, rest) = (sealed / shape.sealed_chunk(), sealed % shape.sealed_chunk());
        match (last, rest) {
            (false, 0) => Ok(full * shape.chunk),
            (false, _) => Err(Error::ChunkLength),
            (true, 0) if !shape.has_tail(first_chunk.saturating_add(full as u64), 0) => {
                Ok(full * shape.chunk)
            }
            (true, _) => {
                let text = rest.checked_sub(shape.overhead());
                let text = text.filter(|text| shape.has_tail(first_chunk.saturating_add(full as u64), *text));
                Ok(full * shape.chunk + text.ok_or(Error::Truncated)?)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{CHUNK, MAX_CHUNKS, SEALED_CHUNK, TAG};
    use Format::Cobblestone;

    /// Returns the length of the body of a message, computed the other way round.
    fn body(message: u64) -> u64 {
        message + (message / CHUNK as u64 + 1) * TAG as u64
    }

    #[test]
    fn every_message_length_has_its_layout() {
        for message in
            (0..3 * CHUNK as u64 + 2).chain([(1 << 40) - 1, 1 << 40, (MAX_CHUNKS * CHUNK as u64) - 1])
        {
            let layout = Layout::of_body(Cobblestone, body(message)).unwrap();
            assert_eq!(layout.message, message);
            assert_eq!(layout.last, message as usize % CHUNK + TAG);
            assert_eq!(layout.chunks, message / CHUNK as u64 + 1);
            assert_eq!(Layout::of_message(Cobblestone, message).unwrap(), layout);
            assert_eq!(layout.body(), body(message));
        }
        let longest = MAX_CHUNKS * CHUNK as u64 - 1;
        assert!(matches!(Layout::of_message(Cobblestone, longest + 1), Err(Error::MessageTooLong)));
        assert!(matches!(Layout::of_message(Cobblestone, u64::MAX), Err(Error::MessageTooLong)));
    }

    #[test]
    fn no_other_length_has_one() {
        for chunks in [0, 1, 7] {
            for cut in 0..TAG as u64 {
                let length = chunks * SEALED_CHUNK as u64 + cut;
                assert!(matches!(Layout::of_body(Cobblestone, length), Err(Error::Truncated)), "{length}");
            }
        }
        assert!(matches!(
            Layout::of_body(Cobblestone, body(MAX_CHUNKS * CHUNK as u64)),
            Err(Error::MessageTooLong)
        ));
        assert!(Layout::of_body(Cobblestone, u64::MAX).is_err());
    }
}
