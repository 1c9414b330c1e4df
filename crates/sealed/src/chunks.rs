//! The chunks of one file, sealed and opened by number.

use std::fmt;

use abreast::modes::Gcm;
use abreast::{BlockCipher128, InOutBuf};
use zeroize::Zeroize;

use crate::Error;
use crate::format::{CHUNK, HEADER, MAX_CHUNKS, NONCE, SEALED_CHUNK, TAG, nonce};

/// Seals and opens the chunks of one file and the parts that a [`Plan`](crate::Plan) cuts it into, each independent of the
/// others, from any thread. A [`FileKey`](crate::FileKey) makes it, or a header and its key
/// ([`Header::unlock`](crate::Header::unlock)), and it keeps no other state: workers on several machines have one each.
///
/// Each chunk is to be sealed once. To seal the chunk of one number twice with the same cipher, with different bytes,
/// uses its nonce again: it gives away the XOR of both, and lets others forge chunks of the file. The same bytes again
/// give the same chunk, so that work that was lost can be done again.
pub struct FileCipher {
    /// The AEAD with its key.
    gcm: Box<Gcm<Box<dyn BlockCipher128>>>,
    /// The base that the chunk numbers are XORed into.
    base_nonce: [u8; NONCE],
    /// The salt and the commitment.
    pub(crate) header: [u8; HEADER],
}

impl fmt::Debug for FileCipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileCipher").finish_non_exhaustive()
    }
}

/// The result of [`FileCipher::open_run`].
pub(crate) struct Opened {
    /// Length of the plaintext of the chunks before the first bad one.
    pub(crate) len: usize,
    /// Why it went no further.
    pub(crate) error: Option<Error>,
}

impl FileCipher {
    /// The cipher of the file that begins with this header.
    pub(crate) fn new(
        gcm: Gcm<Box<dyn BlockCipher128>>,
        base_nonce: [u8; NONCE],
        header: [u8; HEADER],
    ) -> FileCipher {
        FileCipher { gcm: Box::new(gcm), base_nonce, header }
    }

    /// Returns the number of bytes that `plain` bytes of the message have when they are sealed. Without `last`, more chunks
    /// come after them.
    ///
    /// # Errors
    /// [`Error::ChunkLength`] if these are not whole chunks and not the last ones; [`Error::MessageTooLong`] if no
    /// message is so long.
    pub fn sealed_len(plain: usize, last: bool) -> Result<usize, Error> {
        if !last && !plain.is_multiple_of(CHUNK) {
            return Err(Error::ChunkLength);
        }
        let tags = (plain / CHUNK + usize::from(last)).checked_mul(TAG);
        tags.and_then(|tags| plain.checked_add(tags)).ok_or(Error::MessageTooLong)
    }

    /// Returns the number of bytes of the message in `sealed` sealed bytes. Without `last`, more chunks come after them.
    ///
    /// # Errors
    /// [`Error::ChunkLength`] if these are not whole chunks and not the last ones; [`Error::Truncated`] if the last
    /// ones end within a tag.
    pub fn opened_len(sealed: usize, last: bool) -> Result<usize, Error> {
        let (full, rest) = (sealed / SEALED_CHUNK, sealed % SEALED_CHUNK);
        match (last, rest) {
            (false, 0) => Ok(full * CHUNK),
            (false, _) => Err(Error::ChunkLength),
            (true, _) => Ok(full * CHUNK + rest.checked_sub(TAG).ok_or(Error::Truncated)?),
        }
    }

    /// Seals whole chunks from number `first_chunk` on into the beginning of `out`, and says how many bytes that are
    /// ([`sealed_len`](FileCipher::sealed_len)). With `last` the message ends with them: the bytes after the full
    /// chunks are the last chunk, even if there are none.
    ///
    /// # Errors
    /// The errors of [`sealed_len`](FileCipher::sealed_len); [`Error::BufferTooShort`] if `out` has no room;
    /// [`Error::MessageTooLong`] if no message has chunks of these numbers.
    pub fn seal_chunks(
        &self,
        first_chunk: u64,
        plain: &[u8],
        last: bool,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let needed = FileCipher::sealed_len(plain.len(), last)?;
        let (full, rest) = plain.as_chunks::<CHUNK>();
        let last_chunk = number_after(first_chunk, full.len())?;
        let out = out.get_mut(..needed).ok_or(Error::BufferTooShort(needed))?;
        let (sealed, tail) = out.split_at_mut(full.len() * SEALED_CHUNK);
        let (sealed, _) = sealed.as_chunks_mut::<SEALED_CHUNK>();
        for (index, (plain, sealed)) in (first_chunk..).zip(full.iter().zip(sealed)) {
            self.seal_chunk(index, plain, sealed);
        }
        if last {
            self.seal_chunk(last_chunk, rest, tail);
        }
        Ok(needed)
    }

    /// Opens whole chunks from number `first_chunk` on into the beginning of `out`, and says how many bytes of the
    /// message they are ([`opened_len`](FileCipher::opened_len)). With `last` the file ends with them; the last chunk of
    /// a file opens only as that.
    ///
    /// The caller knows from the length of the file which chunk is the last one. A file is authentic as a whole if all of its
    /// chunks have been opened, the last one as such.
    ///
    /// # Errors
    /// [`Error::Chunk`] with the number of the first chunk that was changed, or belongs elsewhere;
    /// [`Error::LastChunk`] if that is the last one; those of [`opened_len`](FileCipher::opened_len);
    /// [`Error::BufferTooShort`] if `out` has no room; [`Error::MessageTooLong`] if no message has chunks of these
    /// numbers. Nothing of the chunks is left in `out` then.
    pub fn open_chunks(
        &self,
        first_chunk: u64,
        sealed: &[u8],
        last: bool,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let needed = FileCipher::opened_len(sealed.len(), last)?;
        let out = out.get_mut(..needed).ok_or(Error::BufferTooShort(needed))?;
        match self.open_run(first_chunk, sealed, last, out).error {
            None => Ok(needed),
            Some(error) => {
                out.zeroize();
                Err(error)
            }
        }
    }

    /// Opens chunks from number `first` on into `out`, up to the first one that does not
    /// authenticate. With `last`, the bytes after the full chunks are the last chunk, and a
    /// remainder that cannot hold a tag means that the file was cut off.
    pub(crate) fn open_run(&self, first: u64, input: &[u8], last: bool, out: &mut [u8]) -> Opened {
        let (full, rest) = input.as_chunks::<SEALED_CHUNK>();
        let last_chunk = match number_after(first, full.len()) {
            Ok(number) => number,
            Err(error) => return Opened { len: 0, error: Some(error) },
        };
        let (plain, tail) = out.split_at_mut(full.len() * CHUNK);
        let (plain, _) = plain.as_chunks_mut::<CHUNK>();
        for (done, (sealed, plain)) in full.iter().zip(plain).enumerate() {
            let index = first + done as u64;
            if self.open_chunk(index, sealed, plain).is_err() {
                return Opened { len: done * CHUNK, error: Some(Error::Chunk(index)) };
            }
        }
        let len = full.len() * CHUNK;
        if !last {
            return Opened { len, error: None };
        }
        let Some(rest_len) = rest.len().checked_sub(TAG) else {
            return Opened { len, error: Some(Error::Truncated) };
        };
        match self.open_chunk(last_chunk, rest, &mut tail[..rest_len]) {
            Ok(()) => Opened { len: len + rest_len, error: None },
            Err(_) => Opened { len, error: Some(Error::LastChunk(last_chunk)) },
        }
    }

    /// Seals one chunk into `sealed`, which has room for its tag too.
    fn seal_chunk(&self, index: u64, plain: &[u8], sealed: &mut [u8]) {
        let nonce = nonce(&self.base_nonce, index);
        let (ciphertext, tag) = sealed.split_at_mut(plain.len());
        let tag = tag.try_into().expect("room for a tag of 16 bytes");
        let io = InOutBuf::new(plain, ciphertext).expect("room for the chunk");
        let done = self.gcm.encrypt_detached(&nonce, &[], io, tag);
        done.expect("a chunk is within the limits of GCM");
    }

    /// Opens one chunk, which ends in its tag, into `plain`.
    fn open_chunk(&self, index: u64, sealed: &[u8], plain: &mut [u8]) -> Result<(), abreast::Error> {
        let nonce = nonce(&self.base_nonce, index);
        let (ciphertext, tag) = sealed.split_at(plain.len());
        let tag = tag.try_into().expect("a tag of 16 bytes");
        let io = InOutBuf::new(ciphertext, plain).expect("room for the chunk");
        self.gcm.decrypt_detached(&nonce, &[], io, tag)
    }

    /// Replaces chunks from number `first` on by the same chunks under the keys of another file, up to the first one that does
    /// not authenticate. With `last`, the bytes after the full chunks are the last chunk.
    pub(crate) fn reseal_run(
        &self,
        to: &FileCipher,
        first: u64,
        chunks: &mut [u8],
        last: bool,
    ) -> Result<(), Error> {
        let (full, rest) = chunks.as_chunks_mut::<SEALED_CHUNK>();
        let last_chunk = number_after(first, full.len())?;
        if !last && !rest.is_empty() {
            return Err(Error::InputChanged);
        }
        for (index, chunk) in (first..).zip(full) {
            self.reseal_chunk(to, index, chunk).map_err(|_| Error::Chunk(index))?;
        }
        if !last {
            return Ok(());
        }
        if rest.len() < TAG {
            return Err(Error::Truncated);
        }
        self.reseal_chunk(to, last_chunk, rest).map_err(|_| Error::LastChunk(last_chunk))
    }

    /// Replaces one chunk, which ends in its tag, by the same chunk under the keys of another file.
    fn reseal_chunk(&self, to: &FileCipher, index: u64, chunk: &mut [u8]) -> Result<(), abreast::Error> {
        let (text, tag) = chunk.split_at_mut(chunk.len() - TAG);
        let tag: &mut [u8; TAG] = tag.try_into().expect("a tag of 16 bytes");
        self.gcm.decrypt_detached(&nonce(&self.base_nonce, index), &[], &mut *text, tag)?;
        let done = to.gcm.encrypt_detached(&nonce(&to.base_nonce, index), &[], text, tag);
        done.expect("a chunk is within the limits of GCM");
        Ok(())
    }
}

/// Returns the number after `full` chunks from `first` on. At least one more comes: no full chunk is the last.
pub(crate) fn number_after(first: u64, full: usize) -> Result<u64, Error> {
    let number = first.checked_add(full as u64).filter(|number| *number < MAX_CHUNKS);
    number.ok_or(Error::MessageTooLong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::SALT;
    use crate::{Aead, FileKey, Key};

    fn cipher() -> FileCipher {
        let key = Key::new(Aead::Aes128Gcm, &[7; 16]).unwrap();
        FileKey::derive(&key, &[1; SALT], b"").0.cipher()
    }

    /// No chunk has a number beyond the last one of the format, and each up to that can be had.
    #[test]
    fn numbers_of_chunks_end() {
        let cipher = cipher();
        let mut sealed = vec![0; SEALED_CHUNK + TAG];
        let mut plain = vec![0; CHUNK + TAG];
        for (first, len, fits) in [
            (MAX_CHUNKS - 2, CHUNK, true),
            (MAX_CHUNKS - 1, CHUNK - 1, true),
            (MAX_CHUNKS - 1, CHUNK, false),
            (MAX_CHUNKS, 0, false),
        ] {
            let message = vec![3; len];
            // A full chunk is never the last, so that another one is to come.
            let last = len < CHUNK;
            let done = cipher.seal_chunks(first, &message, last, &mut sealed);
            assert_eq!(done.is_ok(), fits, "{first}, {len}");
            if let Ok(len) = done {
                let opened = cipher.open_chunks(first, &sealed[..len], last, &mut plain).unwrap();
                assert!(plain[..opened] == message, "{first}, {len}");
            } else {
                assert!(matches!(done, Err(Error::MessageTooLong)));
                let body = vec![0; if last { TAG } else { SEALED_CHUNK }];
                let opened = cipher.open_chunks(first, &body, last, &mut plain);
                assert!(matches!(opened, Err(Error::MessageTooLong)), "{first}, {len}");
            }
        }
    }
}
