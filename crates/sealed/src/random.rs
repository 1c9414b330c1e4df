//! Random bytes for keys and salts, from the operating system.

use crate::Error;

/// Fills a buffer of at least 16 bytes. A result of nothing but zeros is an error too: it means that the
/// source did not write, and a key or salt like that gives the files away.
pub(crate) fn fill(bytes: &mut [u8]) -> Result<(), Error> {
    fill_by(bytes, getrandom::fill)
}

/// Fills a buffer by `source`.
fn fill_by(
    bytes: &mut [u8],
    source: impl FnOnce(&mut [u8]) -> Result<(), getrandom::Error>,
) -> Result<(), Error> {
    debug_assert!(bytes.len() >= 16);
    bytes.fill(0);
    source(bytes).map_err(|error| Error::Random(error.into()))?;
    // Adds up every byte, because a key is secret.
    if bytes.iter().fold(0, |sum, byte| sum | byte) == 0 { Err(Error::NotRandom) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_writes_nothing_is_noticed() {
        let mut bytes = [7; 24];
        assert!(matches!(fill_by(&mut bytes, |_| Ok(())), Err(Error::NotRandom)));
        assert!(matches!(fill_by(&mut bytes, |_| Err(getrandom::Error::UNSUPPORTED)), Err(Error::Random(_))));
        fill_by(&mut bytes, |bytes| {
            bytes[23] = 1;
            Ok(())
        })
        .unwrap();
        fill(&mut bytes).unwrap();
        assert_ne!(bytes, [0; 24]);
    }
}
