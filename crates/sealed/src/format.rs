//! The sizes and limits of the format, its AEADs, and the nonces of its chunks.

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
/// The longest passphrase, in bytes; the shortest has one.
pub const MAX_PASSPHRASE: usize = 4096;

/// Chunks in a run, which one thread takes at a time.
pub(crate) const RUN_CHUNKS: usize = 16;
/// Plaintext in a run of chunks, which one thread of [`Sealer`](crate::Sealer) and [`Opener`](crate::Opener) takes
/// at a time: 256 KiB. It shows in no file; a thread has buffers of about twice that.
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

    /// The name in the IANA registry, which the key derivation and the key files use; for an AEAD
    /// that is not registered there, a name that nobody else will give.
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

    /// True if the format is published with it.
    #[must_use]
    pub fn is_cobblestone(self) -> bool {
        self != Aead::Serpent256Gcm
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

    #[test]
    fn nonces_count_in_their_last_five_bytes() {
        let base = [0xff; NONCE];
        assert_eq!(nonce(&base, 0), base);
        assert_eq!(nonce(&base, 0x01_0203)[9..], [0xfe, 0xfd, 0xfc]);
        assert_eq!(nonce(&base, MAX_CHUNKS - 1)[..7], [0xff; 7]);
    }
}
