//! Sealing.

use std::num::NonZeroUsize;
use std::os::unix::fs::FileExt;

use super::chunks::ChunkCipher;
use super::format::{CHUNK, SALT, SEALED_CHUNK};
use super::passphrase::{Costs, MAGIC, PassphraseLine};
use super::workers::{self, PART_CHUNKS, Part, Plan, Transformed};
use super::{Aead, Error, Input, Key, Output, Progress, random};

/// Seals one file. A second one under the same nonces would give both away, so sealing uses it up.
pub(crate) struct Sealer {
    /// What comes before the chunks.
    prefix: Vec<u8>,
    /// What seals the chunks.
    cipher: ChunkCipher,
}

impl Sealer {
    /// Seals with a key.
    pub(crate) fn new(key: &Key) -> Result<Sealer, Error> {
        Sealer::with_context(key, b"")
    }

    /// Seals with a passphrase.
    pub(crate) fn with_passphrase(passphrase: &[u8], aead: Aead) -> Result<Sealer, Error> {
        let line = PassphraseLine::generate(aead, Costs::DEFAULT)?;
        let key = line.stretch(passphrase)?;
        Sealer::with_context(&key, line.to_string().as_bytes())
    }

    /// Seals with a key and a context that the file begins with.
    fn with_context(key: &Key, context: &[u8]) -> Result<Sealer, Error> {
        let salt = draw_salt(random::fill)?;
        let (cipher, commitment) = ChunkCipher::derive(key, &salt, context);
        Ok(Sealer { prefix: [context, &salt, &commitment].concat(), cipher })
    }

    /// Seals the input from its beginning to its end, and says how many bytes that were.
    pub(crate) fn seal(
        self,
        input: Input<'_>,
        mut output: Output<'_>,
        jobs: NonZeroUsize,
        progress: &dyn Progress,
    ) -> Result<u64, Error> {
        match &mut output {
            Output::File(file) => file.write_all_at(&self.prefix, 0),
            Output::Stream(stream) => stream.write_all(&self.prefix),
            Output::Nothing => Ok(()),
        }
        .map_err(Error::Write)?;
        let plan =
            Plan { part: PART_CHUNKS * CHUNK, result: PART_CHUNKS * SEALED_CHUNK, start: 0, end: u64::MAX };
        let seal = |part: Part<'_>, out: &mut [u8]| {
            let first = part.index * PART_CHUNKS as u64;
            let offset = self.prefix.len() as u64 + first * SEALED_CHUNK as u64;
            match self.cipher.seal_chunks(first, part.bytes, part.last, out) {
                Ok(len) => Transformed { range: 0..len, offset, error: None },
                Err(error) => Transformed { range: 0..0, offset, error: Some(error) },
            }
        };
        workers::run(&plan, input, output, jobs, progress, &seal)
    }
}

/// Draws the salt of a file. One that begins as a passphrase line does would be taken for that line, so
/// another one is drawn.
fn draw_salt(mut fill: impl FnMut(&mut [u8]) -> Result<(), Error>) -> Result<[u8; SALT], Error> {
    let mut salt = [0; SALT];
    for _ in 0..2 {
        fill(&mut salt)?;
        if !salt.starts_with(MAGIC) {
            return Ok(salt);
        }
    }
    // A random source does not do this twice in the life of the universe.
    Err(Error::NotRandom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_salt_is_not_the_beginning_of_a_passphrase_line() {
        let mut draws = [*b"abreast/1 AEAD_AES_256_G", *b"abreast-like, but no lin"].into_iter();
        let salt = draw_salt(|salt| {
            salt.copy_from_slice(&draws.next().unwrap());
            Ok(())
        });
        assert_eq!(salt.unwrap(), *b"abreast-like, but no lin");
        let stuck = draw_salt(|salt| {
            salt.copy_from_slice(b"abreast/1 AEAD_AES_256_G");
            Ok(())
        });
        assert!(matches!(stuck, Err(Error::NotRandom)));
    }
}
