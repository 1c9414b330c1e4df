//! The arithmetic of the format: sizes, offsets and limits, all of them checked.

use std::ops::Range;

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

/// Chunks in a part.
pub const PART_CHUNKS: usize = 16;
/// Plaintext in every part but the last, which has less: 256 KiB. A part is what one worker takes at a time.
pub const PART: usize = PART_CHUNKS * CHUNK;
/// A part with its tags, as it lies in the file; the last one has less.
pub const SEALED_PART: usize = PART_CHUNKS * SEALED_CHUNK;

/// The AEADs a file can be sealed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::enum_variant_names, reason = "an AEAD is named after its cipher and its mode")]
pub enum Aead {
    /// Cobblestone-128.
    Aes128Gcm,
    /// Cobblestone-256.
    Aes256Gcm,
    /// The same construction over a cipher that it is not specified for.
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

    /// The length of its keys in bytes, of which the key of a file has as many.
    #[must_use]
    pub fn key_len(self) -> usize {
        match self {
            Aead::Aes128Gcm => 16,
            Aead::Aes256Gcm | Aead::Serpent256Gcm => 32,
        }
    }

    /// Whether it is one of those that the format is published with.
    #[must_use]
    pub fn is_cobblestone(self) -> bool {
        self != Aead::Serpent256Gcm
    }
}

/// What the length of a message, or that of a body, which is all chunks together, tells.
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

/// Where a part lies.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartRange {
    /// Its bytes in the message.
    pub message: Range<u64>,
    /// Its bytes in the body; in the file they come after the header
    /// ([`Header::body_offset`](crate::Header::body_offset)).
    pub body: Range<u64>,
    /// Whether it is the last part.
    pub last: bool,
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

    /// Number of parts, at least one. The last one may be empty but for a tag.
    #[must_use]
    pub fn parts(&self) -> u64 {
        self.message / PART as u64 + 1
    }

    /// Where part `index` lies; `None` if there are not so many.
    #[must_use]
    pub fn part(&self, index: u64) -> Option<PartRange> {
        let parts = self.parts();
        let range = |part: usize, end: u64| {
            let start = index * part as u64;
            start..(start + part as u64).min(end)
        };
        (index < parts).then(|| PartRange {
            message: range(PART, self.message),
            body: range(SEALED_PART, self.body()),
            last: index == parts - 1,
        })
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
    }

    /// The parts follow each other without a gap and cover message and body, and the last one alone is not full.
    #[test]
    fn parts_cover_the_file() {
        let part = PART as u64;
        for message in (0..4).flat_map(|n| [n * part, n * part + 1, n * part + part - 1]).chain([part * 1000])
        {
            let layout = Layout::of_message(message).unwrap();
            let (mut plain, mut sealed) = (0, 0);
            for index in 0..layout.parts() {
                let part = layout.part(index).unwrap();
                assert_eq!((part.message.start, part.body.start), (plain, sealed), "{message}");
                (plain, sealed) = (part.message.end, part.body.end);
                assert_eq!(part.last, index == layout.parts() - 1);
                assert_eq!(part.message.end - part.message.start < PART as u64, part.last);
                assert_eq!(part.body.end - part.body.start < SEALED_PART as u64, part.last);
            }
            assert_eq!((plain, sealed), (message, layout.body()));
            assert_eq!(layout.part(layout.parts()), None);
        }
        let longest = Layout::of_message(MAX_CHUNKS * CHUNK as u64 - 1).unwrap();
        assert_eq!(longest.part(longest.parts() - 1).unwrap().body.end, longest.body());
        assert_eq!(longest.part(u64::MAX), None);
        assert!(matches!(Layout::of_message(longest.message + 1), Err(Error::MessageTooLong)));
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
