//! The formats of sealed files: their sizes and limits, the AEADs of Cobblestone, and the nonces of its chunks.

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
/// The nonce of a chunk, which AGS1 stores before it.
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

/// Plaintext in every block of a stream of AGS1 but the last, which may have less.
pub const BLOCK: usize = 1 << 20;
/// A block of AGS1 as it lies in the stream: nonce, ciphertext and tag.
pub const SEALED_BLOCK: usize = Format::Ags1.shape().sealed_chunk();
/// The length of the header of a stream of AGS1.
pub const AGS1_HEADER_LEN: usize = 8;
/// Blocks in one stream of AGS1, as many as Iceberg counts: 2 PiB.
pub const MAX_BLOCKS: u64 = 1 << 31;

/// The header of every stream of AGS1 that has blocks of 1 MiB, as Iceberg demands.
pub(crate) const AGS1_HEADER: [u8; AGS1_HEADER_LEN] = {
    let [a, b, c, d] = (BLOCK as u32).to_le_bytes();
    [b'A', b'G', b'S', b'1', a, b, c, d]
};

/// The formats of sealed files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// C2SP chunked encryption. Its last chunk is never full, and ends the file.
    Cobblestone,
    /// The streams of Apache Iceberg, [`ags1`](crate::ags1). The last block may be full, and nothing marks it.
    Ags1,
}

/// The sizes of a format.
#[derive(Debug)]
pub(crate) struct Shape {
    /// Plaintext in a full chunk, in bytes.
    pub(crate) chunk: usize,
    /// Bytes before the ciphertext of a chunk: the nonce, where it is stored.
    pub(crate) before: usize,
    /// Bytes before the first chunk, without a passphrase line.
    pub(crate) header: usize,
    /// Chunks in a run, which one thread takes at a time.
    pub(crate) run_chunks: usize,
    /// The most chunks.
    pub(crate) max_chunks: u64,
    /// True if the last chunk may be full. The empty message has an empty chunk in any case.
    pub(crate) full_last: bool,
}

impl Shape {
    /// Returns the bytes that a chunk has in the file besides its plaintext.
    pub(crate) const fn overhead(&self) -> usize {
        self.before + TAG
    }

    /// Returns the length of a full chunk in the file.
    pub(crate) const fn sealed_chunk(&self) -> usize {
        self.chunk + self.overhead()
    }

    /// Returns the length of the plaintext of a run.
    pub(crate) const fn run(&self) -> usize {
        self.run_chunks * self.chunk
    }

    /// Returns the length of a run in the file.
    pub(crate) const fn sealed_run(&self) -> usize {
        self.run_chunks * self.sealed_chunk()
    }

    /// True if a chunk of `rest` bytes of plaintext comes after the full ones, the last of the file, with this number.
    pub(crate) fn has_tail(&self, number: u64, rest: usize) -> bool {
        !self.full_last || rest > 0 || number == 0
    }
}

impl Format {
    /// Returns the sizes of the format.
    pub(crate) const fn shape(self) -> &'static Shape {
        match self {
            Format::Cobblestone => &Shape {
                chunk: CHUNK,
                before: 0,
                header: HEADER,
                run_chunks: RUN_CHUNKS,
                max_chunks: MAX_CHUNKS,
                full_last: false,
            },
            Format::Ags1 => &Shape {
                chunk: BLOCK,
                before: NONCE,
                header: AGS1_HEADER_LEN,
                run_chunks: 1,
                max_chunks: MAX_BLOCKS,
                full_last: true,
            },
        }
    }
}

/// The AEADs a file can be sealed with.
///
/// ```
/// use abreast_sealed::{Aead, Key};
///
/// let aead = Aead::from_name("AEAD_AES_256_GCM").ok_or("no such AEAD")?;
/// assert_eq!((aead, aead.key_len(), aead.short_name()), (Aead::Aes256Gcm, 32, "aes-256-gcm"));
/// let key = Key::new(aead, &[7; 32])?;
/// assert_eq!(key.aead(), aead);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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

    /// Returns the name in the IANA registry, which the key derivation and the key files use; for an AEAD
    /// that is not registered there, a name that nobody else will give.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Aead::Aes128Gcm => "AEAD_AES_128_GCM",
            Aead::Aes256Gcm => "AEAD_AES_256_GCM",
            Aead::Serpent256Gcm => "ABREAST_SERPENT_256_GCM",
        }
    }

    /// Returns the name for people.
    #[must_use]
    pub fn short_name(self) -> &'static str {
        match self {
            Aead::Aes128Gcm => "aes-128-gcm",
            Aead::Aes256Gcm => "aes-256-gcm",
            Aead::Serpent256Gcm => "serpent-256-gcm",
        }
    }

    /// Returns the AEAD of that name in a file.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Aead> {
        Aead::ALL.into_iter().find(|aead| aead.name() == name)
    }

    /// Returns the length of its keys in bytes, which is also that of the key of a file.
    #[must_use]
    pub fn key_len(self) -> usize {
        match self {
            Aead::Aes128Gcm => 16,
            Aead::Aes256Gcm | Aead::Serpent256Gcm => 32,
        }
    }

    /// True if the format is published with it.
    ///
    /// ```
    /// use abreast_sealed::Aead;
    ///
    /// let own: Vec<_> = Aead::ALL.into_iter().filter(|aead| !aead.is_cobblestone()).map(Aead::name).collect();
    /// assert_eq!(own, ["ABREAST_SERPENT_256_GCM"]);
    /// ```
    #[must_use]
    pub fn is_cobblestone(self) -> bool {
        self != Aead::Serpent256Gcm
    }
}

/// Returns the nonce of chunk `index`: the base nonce with the index XORed into its last five bytes.
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
