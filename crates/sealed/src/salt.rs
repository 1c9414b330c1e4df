//! The salt that makes the keys of each file its own.

use crate::Error;
use crate::format::SALT;
use crate::passphrase::MAGIC;

/// Draws the salt of a file. One that begins as a passphrase line does would be taken for that line, so
/// another one is drawn.
pub(crate) fn draw_salt(mut fill: impl FnMut(&mut [u8]) -> Result<(), Error>) -> Result<[u8; SALT], Error> {
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
