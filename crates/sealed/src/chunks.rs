//! The chunks of one file, sealed and opened by number, in each of the formats.

use std::fmt;

use abreast::modes::Gcm;
use abreast::{BlockCipher128, InOutBuf};
use zeroize::{Zeroize, Zeroizing};

use crate::format::{AGS1_HEADER, Format, HEADER, NONCE, Shape, TAG, nonce};
use crate::{Error, random};

/// Seals and opens the chunks of one file and the parts that a [`Plan`](crate::Plan) cuts it into, each independent of the
/// others, from any thread. A [`FileKey`](crate::FileKey) makes it, or a header and its key
/// ([`Header::unlock`](crate::Header::unlock)), and it keeps no other state: workers on several machines have one each.
///
/// Each chunk of Cobblestone is to be sealed once. To seal the chunk of one number twice with the same cipher, with different bytes,
/// uses its nonce again: it gives away the XOR of both, and lets others forge chunks of the file. The same bytes again
/// give the same chunk, so that work that was lost can be done again. A block of AGS1 has a random nonce each time.
///
/// ```
/// use abreast_sealed::{Aead, CHUNK, FileKey, Key, SEALED_CHUNK, TAG};
///
/// let key = Key::generate(Aead::Aes256Gcm)?;
/// let (file_key, header) = FileKey::generate(&key, b"")?;
/// let cipher = file_key.cipher();
/// // The message comes in pieces of whole chunks; the last one ends it.
/// let (mut first, mut last) = (vec![0; SEALED_CHUNK], vec![0; 100 + TAG]);
/// cipher.seal_chunks(0, &[1; CHUNK], false, &mut first)?;
/// cipher.seal_chunks(1, &[2; 100], true, &mut last)?;
/// let file = [&header[..], &first, &last].concat();
/// assert_eq!(abreast_sealed::open(&key, &file)?.len(), CHUNK + 100);
///
/// let mut plain = [0; 100];
/// cipher.open_chunks(1, &last, true, &mut plain)?;
/// assert_eq!(plain, [2; 100]);
/// # Ok::<(), abreast_sealed::Error>(())
/// ```
pub struct FileCipher {
    /// The AEAD with its key.
    gcm: Box<Gcm<Box<dyn BlockCipher128>>>,
    /// The rest of the file's format.
    pub(crate) framing: Framing,
}

/// The part of a [`FileCipher`] that differs between formats.
#[derive(Clone)]
pub(crate) enum Framing {
    /// Cobblestone.
    Cobblestone {
        /// The base that the chunk numbers are XORed into.
        base_nonce: Zeroizing<[u8; NONCE]>,
        /// The salt and the commitment.
        header: [u8; HEADER],
    },
    /// AGS1.
    Ags1 {
        /// The beginning of the associated data of each block.
        aad_prefix: Vec<u8>,
    },
}

impl Framing {
    /// Returns the format.
    pub(crate) fn format(&self) -> Format {
        match self {
            Framing::Cobblestone { .. } => Format::Cobblestone,
            Framing::Ags1 { .. } => Format::Ags1,
        }
    }

    /// Returns the beginning of the file, without a passphrase line.
    pub(crate) fn header(&self) -> &[u8] {
        match self {
            Framing::Cobblestone { header, .. } => header,
            Framing::Ags1 { .. } => &AGS1_HEADER,
        }
    }

    /// Returns the error of a chunk that is not authentic.
    fn changed(&self, index: u64, last: bool) -> Error {
        match self {
            Framing::Ags1 { .. } => Error::Block(index),
            Framing::Cobblestone { .. } if last => Error::LastChunk(index),
            Framing::Cobblestone { .. } => Error::Chunk(index),
        }
    }
}

impl fmt::Debug for FileCipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileCipher").field("format", &self.format()).finish_non_exhaustive()
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
    /// Returns the cipher of the file of this format and header.
    pub(crate) fn new(gcm: Gcm<Box<dyn BlockCipher128>>, framing: Framing) -> FileCipher {
        FileCipher { gcm: Box::new(gcm), framing }
    }

    /// Returns the format of the file.
    #[must_use]
    pub fn format(&self) -> Format {
        self.framing.format()
    }

    /// Returns the sizes of the format.
    pub(crate) fn shape(&self) -> &'static Shape {
        self.format().shape()
    }

    /// Seals whole chunks from number `first_chunk` on into the beginning of `out`, and says how many bytes that are
    /// ([`Format::sealed_len`]). With `last` the message ends with them: the bytes after the full
    /// chunks are the last chunk, with [`Format::Cobblestone`] even if there are none.
    ///
    /// # Errors
    /// The errors of [`Format::sealed_len`]; [`Error::BufferTooShort`] if `out` has no room;
    /// [`Error::MessageTooLong`] if no message has chunks of these numbers; [`Error::Random`] and [`Error::NotRandom`] if the
    /// system has no random bytes for the nonces of [`Format::Ags1`].
    pub fn seal_chunks(
        &self,
        first_chunk: u64,
        plain: &[u8],
        last: bool,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let shape = self.shape();
        let needed = self.format().sealed_len(first_chunk, plain.len(), last)?;
        let last_chunk = shape.number_after(first_chunk, plain.len(), shape.chunk)?;
        let out = out.get_mut(..needed).ok_or(Error::BufferTooShort(needed))?;
        let full = plain.chunks_exact(shape.chunk);
        let rest = full.remainder();
        let (sealed, tail) = out.split_at_mut(full.len() * shape.sealed_chunk());
        let sealed = sealed.chunks_exact_mut(shape.sealed_chunk());
        for (index, (plain, sealed)) in (first_chunk..).zip(full.zip(sealed)) {
            self.seal_chunk(index, plain, sealed)?;
        }
        if last && shape.has_tail(last_chunk, rest.len()) {
            self.seal_chunk(last_chunk, rest, tail)?;
        }
        Ok(needed)
    }

    /// Opens whole chunks from number `first_chunk` on into the beginning of `out`, and says how many bytes of the
    /// message they are ([`Format::opened_len`]). With `last` the file ends with them; the last chunk of
    /// a file of Cobblestone opens only as that.
    ///
    /// The caller knows from the length of the file which chunk is the last one. A file is authentic as a whole if all of its
    /// chunks have been opened, the last one as such. With [`Format::Ags1`] that length must come from a trusted place.
    ///
    /// # Errors
    /// [`Error::Chunk`] with the number of the first chunk that was changed, or belongs elsewhere;
    /// [`Error::LastChunk`] if that is the last one; [`Error::Block`] in place of both with [`Format::Ags1`]; those of
    /// [`Format::opened_len`]; [`Error::BufferTooShort`] if `out` has no room; [`Error::MessageTooLong`] if no message has chunks
    /// of these numbers. Nothing of the chunks is left in `out` then.
    pub fn open_chunks(
        &self,
        first_chunk: u64,
        sealed: &[u8],
        last: bool,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let needed = self.format().opened_len(first_chunk, sealed.len(), last)?;
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
        let shape = self.shape();
        let full = input.chunks_exact(shape.sealed_chunk());
        let (chunks, rest) = (full.len(), full.remainder());
        let last_chunk = match shape.number_after(first, input.len(), shape.sealed_chunk()) {
            Ok(number) => number,
            Err(error) => return Opened { len: 0, error: Some(error) },
        };
        let (plain, tail) = out.split_at_mut(chunks * shape.chunk);
        for (done, (sealed, plain)) in full.zip(plain.chunks_exact_mut(shape.chunk)).enumerate() {
            let index = first + done as u64;
            if self.open_chunk(index, sealed, plain).is_err() {
                return Opened { len: done * shape.chunk, error: Some(self.framing.changed(index, false)) };
            }
        }
        let len = chunks * shape.chunk;
        if !last || (rest.is_empty() && !shape.has_tail(last_chunk, 0)) {
            return Opened { len, error: None };
        }
        let rest_len = rest.len().checked_sub(shape.overhead());
        let Some(rest_len) = rest_len.filter(|len| shape.has_tail(last_chunk, *len)) else {
            return Opened { len, error: Some(Error::Truncated) };
        };
        match self.open_chunk(last_chunk, rest, &mut tail[..rest_len]) {
            Ok(()) => Opened { len: len + rest_len, error: None },
            Err(_) => Opened { len, error: Some(self.framing.changed(last_chunk, true)) },
        }
    }

    /// Seals one chunk into `sealed`, which has room for its tag too.
    fn seal_chunk(&self, index: u64, plain: &[u8], sealed: &mut [u8]) -> Result<(), Error> {
        let (before, sealed) = sealed.split_at_mut(self.shape().before);
        let nonce = self.new_nonce(index, before)?;
        let (ciphertext, tag) = sealed.split_at_mut(plain.len());
        let tag = tag.try_into().expect("room for a tag of 16 bytes");
        let io = InOutBuf::new(plain, ciphertext).expect("room for the chunk");
        let done = self.with_aad(index, |aad| self.gcm.encrypt_detached(&nonce, aad, io, tag));
        done.expect("a chunk is within the limits of GCM");
        Ok(())
    }

    /// Opens one chunk, which ends in its tag, into `plain`.
    fn open_chunk(&self, index: u64, sealed: &[u8], plain: &mut [u8]) -> Result<(), abreast::Error> {
        let (before, sealed) = sealed.split_at(self.shape().before);
        let nonce = self.old_nonce(index, before);
        let (ciphertext, tag) = sealed.split_at(plain.len());
        let tag = tag.try_into().expect("a tag of 16 bytes");
        let io = InOutBuf::new(ciphertext, plain).expect("room for the chunk");
        self.with_aad(index, |aad| self.gcm.decrypt_detached(&nonce, aad, io, tag))
    }

    /// Returns the nonce of a chunk that is to be sealed, and writes it before the chunk if the format stores it there.
    fn new_nonce(&self, index: u64, before: &mut [u8]) -> Result<[u8; NONCE], Error> {
        if let Framing::Ags1 { .. } = self.framing {
            // The check of the source takes so many bytes.
            let mut bytes = [0; 16];
            random::fill(&mut bytes)?;
            before.copy_from_slice(&bytes[..NONCE]);
        }
        Ok(self.old_nonce(index, before))
    }

    /// Returns the nonce of a chunk, before which are these bytes.
    fn old_nonce(&self, index: u64, before: &[u8]) -> [u8; NONCE] {
        match &self.framing {
            Framing::Cobblestone { base_nonce, .. } => nonce(base_nonce, index),
            Framing::Ags1 { .. } => before.try_into().expect("a block begins with its nonce"),
        }
    }

    /// Runs something with the associated data of a chunk.
    fn with_aad<T>(&self, index: u64, run: impl FnOnce(&[u8]) -> T) -> T {
        match &self.framing {
            Framing::Cobblestone { .. } => run(&[]),
            Framing::Ags1 { aad_prefix } => {
                let index = u32::try_from(index).expect("no block has a higher number");
                run(&[&aad_prefix[..], &index.to_le_bytes()].concat())
            }
        }
    }

    /// Replaces chunks from number `first` on by the same chunks under the keys of another file of the same format, up to the first
    /// one that does not authenticate. With `last`, the bytes after the full chunks are the last chunk.
    pub(crate) fn reseal_run(
        &self,
        to: &FileCipher,
        first: u64,
        chunks: &mut [u8],
        last: bool,
    ) -> Result<(), Error> {
        let shape = self.shape();
        let number = chunks.len() / shape.sealed_chunk();
        let last_chunk = shape.number_after(first, chunks.len(), shape.sealed_chunk())?;
        let (full, rest) = chunks.split_at_mut(number * shape.sealed_chunk());
        if !last && !rest.is_empty() {
            return Err(Error::InputChanged);
        }
        for (index, chunk) in (first..).zip(full.chunks_exact_mut(shape.sealed_chunk())) {
            self.reseal_chunk(to, index, chunk, false)?;
        }
        if !last || (rest.is_empty() && !shape.has_tail(last_chunk, 0)) {
            return Ok(());
        }
        let rest_len = rest.len().checked_sub(shape.overhead());
        if !rest_len.is_some_and(|len| shape.has_tail(last_chunk, len)) {
            return Err(Error::Truncated);
        }
        self.reseal_chunk(to, last_chunk, rest, true)
    }

    /// Replaces one chunk, which ends in its tag, by the same chunk under the keys of another file.
    fn reseal_chunk(&self, to: &FileCipher, index: u64, chunk: &mut [u8], last: bool) -> Result<(), Error> {
        let (before, sealed) = chunk.split_at_mut(self.shape().before);
        let (text, tag) = sealed.split_at_mut(sealed.len() - TAG);
        let tag: &mut [u8; TAG] = tag.try_into().expect("a tag of 16 bytes");
        let nonce = self.old_nonce(index, before);
        self.with_aad(index, |aad| self.gcm.decrypt_detached(&nonce, aad, &mut *text, tag))
            .map_err(|_| self.framing.changed(index, last))?;
        let nonce = to.new_nonce(index, before).inspect_err(|_| text.zeroize())?;
        let done = to.with_aad(index, |aad| to.gcm.encrypt_detached(&nonce, aad, text, tag));
        done.expect("a chunk is within the limits of GCM");
        Ok(())
    }

    /// Refuses a file of another format than this one.
    pub(crate) fn same_format(&self, other: &FileCipher) -> Result<(), Error> {
        if self.format() == other.format() { Ok(()) } else { Err(Error::OtherFormat) }
    }
}

impl Shape {
    /// Returns the number after the full chunks of `len` bytes from chunk `first` on, of which each has `chunk` bytes.
    pub(crate) fn number_after(&self, first: u64, len: usize, chunk: usize) -> Result<u64, Error> {
        // A file whose last chunk is never full goes on after full ones.
        let chunks = if self.full_last { len.div_ceil(chunk) } else { len / chunk + 1 };
        let end = first.checked_add(chunks as u64).filter(|end| *end <= self.max_chunks);
        end.map(|_| first + (len / chunk) as u64).ok_or(Error::MessageTooLong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{CHUNK, MAX_CHUNKS, SALT, SEALED_CHUNK};
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
