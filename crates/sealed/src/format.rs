//! The arithmetic of the format: sizes, offsets and limits, all of them checked.

use crate::Error;

/// Plaintext in every chunk but the last, which has less.
pub const CHUNK: usize = 16 * 1024;
/// The tag after each chunk.
pub const TAG: usize = 16;
/// A chunk and its tag, as they lie in the file.
pub const SEALED_CHUNK: usize = CHUNK + TAG;
/// The random salt that makes the keys of each file its own.
pub const SALT: usize = 24;
/// The commitment to the key.
pub const COMMITMENT: usize = 32;
/// Salt and commitment.
pub const HEADER: usize = SALT + COMMITMENT;
/// The nonce of a chunk.
pub(crate) const NONCE: usize = 12;
/// Chunks in one message, the last one among them: 4 PiB.
pub const MAX_CHUNKS: u64 = 1 << 38;

/// Chunks in a run, which is what one thread takes at a time.
pub(crate) const RUN_CHUNKS: usize = 16;
/// Plaintext in a run of chunks, which is what one thread of [`Sealer`](crate::Sealer) and [`Opener`](crate::Opener)
/// takes at a time: 256 KiB. It shows in no file; a thread has buffers of about twice that.
pub const RUN: usize = RUN_CHUNKS * CHUNK;
/// A run with its tags, as it lies in the file.
pub(crate) const SEALED_RUN: usize = RUN_CHUNKS * SEALED_CHUNK;

/// The AEADs a file can be sealed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::enum_variant_names, reason = "an AEAD is named after its cipher and its mode")]
pub enum Aead {
    /// Cobblestone-128.
    Aes128Gcm,
    /// Cobblestone-256.
    Aes256Gcm,
    /// The construction over a cipher that it is not specified for.
    Serpent256Gcm,
}

impl Aead {
    /// All of them.
    pub const ALL: [Aead; 3] = [Aead::Aes256Gcm, Aead::Aes128Gcm, Aead::Serpent256Gcm];

    /// The name in the IANA registry, which the key derivation and the key files use; for what is not
    /// registered there, a name that nobody else will give.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Aead::Aes128Gcm => "AEAD_AES_128_GCM",
            Aead::Aes256Gcm => "AEAD_AES_256_GCM",
            Aead::Serpent256Gcm => "ABREAST_SERPENT_256_GCM",
        }
    }

    /// The name for people.
    #[must_use]
    pub fn short_name(self) -> &'static str {
        match self {
            Aead::Aes128Gcm => "aes-128-gcm",
            Aead::Aes256Gcm => "aes-256-gcm",
            Aead::Serpent256Gcm => "serpent-256-gcm",
        }
    }

    /// The AEAD of that name in a file.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Aead> {
        Aead::ALL.into_iter().find(|aead| aead.name() == name)
    }

    /// The length of its keys in bytes, which is also that of the key of a file.
    #[must_use]
    pub fn key_len(self) -> usize {
        match self {
            Aead::Aes128Gcm => 16,
            Aead::Aes256Gcm | Aead::Serpent256Gcm => 32,
        }
    }

    /// True if it is one of those that the format is published with.
    #[must_use]
    pub fn is_cobblestone(self) -> bool {
        self != Aead::Serpent256Gcm
    }
}

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

/// The nonce of chunk `index`: the base nonce with the index XORed into its last five bytes.
pub(crate) fn nonce(base: &[u8; NONCE], index: u64) -> [u8; NONCE] {
    debug_assert!(index < MAX_CHUNKS);
    let mut nonce = *base;
    for (byte, counter) in nonce[NONCE - 8..].iter_mut().zip(index.to_be_bytes()) {
        *byte ^= counter;
    }
    nonce
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

    #[test]
    fn nonces_count_in_their_last_five_bytes() {
        let base = [0xff; NONCE];
        assert_eq!(nonce(&base, 0), base);
        assert_eq!(nonce(&base, 0x01_0203)[9..], [0xfe, 0xfd, 0xfc]);
        assert_eq!(nonce(&base, MAX_CHUNKS - 1)[..7], [0xff; 7]);
    }
}
