//! Keys and the files that hold them.
//!
//! A key file is one line, `abreast-key/1 <AEAD name> <key in hexadecimal>`. A file of nothing but the 16 or 32 bytes of a key
//! is accepted too if the caller names the AEAD: sealed files do not.

use std::fmt;
use std::io::Read;

use data_encoding::HEXLOWER;
use zeroize::Zeroizing;

use crate::{Aead, Error, random};

/// The first characters of a key file.
pub const MAGIC: &str = "abreast-key/1 ";

/// The longest key file, in bytes.
const MAX_LEN: usize = 128;

/// The key of a file, and the AEAD it is for. It is wiped when dropped.
///
/// ```
/// use abreast_sealed::{Aead, Key};
///
/// let key = Key::generate(Aead::Aes256Gcm)?;
/// let line = key.to_line();
/// assert!(line.starts_with("abreast-key/1 AEAD_AES_256_GCM "));
/// let read = Key::read(&mut line.as_bytes(), None).expect("the line of a key");
/// assert_eq!(read.bytes(), key.bytes());
/// # Ok::<(), abreast_sealed::Error>(())
/// ```
pub struct Key {
    /// The AEAD.
    aead: Aead,
    /// The key, as many bytes as the AEAD's keys have.
    bytes: Zeroizing<Vec<u8>>,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").field("aead", &self.aead).finish_non_exhaustive()
    }
}

/// The reason why a file is not a key file.
///
/// ```
/// use abreast_sealed::{Aead, Key, KeyFileError};
///
/// let raw = [7; 32];
/// assert!(matches!(Key::read(&mut &raw[..], None), Err(KeyFileError::WhichAead)));
/// assert_eq!(Key::read(&mut &raw[..], Some(Aead::Aes256Gcm))?.bytes(), raw);
/// # Ok::<(), KeyFileError>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum KeyFileError {
    /// The file cannot be read.
    Read(std::io::Error),
    /// The file is empty.
    Empty,
    /// The file is too long for a key file.
    TooLong,
    /// Its line ends in CR LF, or something follows the line.
    LineEnd,
    /// The file names an AEAD that this version does not have.
    UnknownAead,
    /// The key is not in lower-case hexadecimal, or has another length than its AEAD's keys.
    BadKey,
    /// The file is neither a line nor a raw key of the AEAD asked for.
    NotAKey,
    /// The file is a raw key, and no AEAD was told.
    WhichAead,
    /// The file has a key for another AEAD than the one asked for.
    OtherAead(Aead),
}

impl fmt::Display for KeyFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyFileError::Read(error) => write!(f, "cannot read the key file: {error}"),
            KeyFileError::Empty => f.write_str("the key file is empty"),
            KeyFileError::TooLong => f.write_str("not a key file: too long"),
            KeyFileError::LineEnd => {
                f.write_str("the key file is more than one line, or a line that does not end in LF alone")
            }
            KeyFileError::UnknownAead => f.write_str("the key file is for an unknown cipher"),
            KeyFileError::BadKey => f.write_str(
                "the key file is damaged: the key is not lower-case hexadecimal, or too short or too long for its cipher",
            ),
            KeyFileError::NotAKey => {
                f.write_str("not a key file, or damaged: neither a key line nor as many raw bytes as a key has")
            }
            KeyFileError::WhichAead => {
                f.write_str("the file is a raw key, which does not name its cipher, and no cipher was given")
            }
            KeyFileError::OtherAead(aead) => {
                write!(f, "the key is for {}, and another cipher was asked for", aead.short_name())
            }
        }
    }
}

impl std::error::Error for KeyFileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            KeyFileError::Read(error) => Some(error),
            _ => None,
        }
    }
}

impl Key {
    /// Takes the key of these bytes.
    ///
    /// # Errors
    /// [`Error::KeyLength`] if the AEAD's keys have another length.
    pub fn new(aead: Aead, bytes: &[u8]) -> Result<Key, Error> {
        let fits = bytes.len() == aead.key_len();
        if fits {
            Ok(Key { aead, bytes: Zeroizing::new(bytes.to_vec()) })
        } else {
            Err(Error::KeyLength { aead, found: bytes.len() })
        }
    }

    /// Generates a random key.
    ///
    /// # Errors
    /// [`Error::Random`] and [`Error::NotRandom`] if the system has no random bytes.
    pub fn generate(aead: Aead) -> Result<Key, Error> {
        let mut bytes = Zeroizing::new(vec![0; aead.key_len()]);
        random::fill(&mut bytes)?;
        Ok(Key { aead, bytes })
    }

    /// Reads a key file to its end. `aead` is the AEAD that was asked for, and must agree with the file.
    ///
    /// # Errors
    /// [`KeyFileError`], which names the fault of the file.
    pub fn read(file: &mut dyn Read, aead: Option<Aead>) -> Result<Key, KeyFileError> {
        // With the capacity of the longest one, the buffer does not move and leave a copy behind.
        let mut text = Zeroizing::new(Vec::with_capacity(MAX_LEN + 1));
        file.take(MAX_LEN as u64 + 1).read_to_end(&mut text).map_err(KeyFileError::Read)?;
        if text.len() > MAX_LEN {
            let lines = text.starts_with(MAGIC.as_bytes()) && text.contains(&b'\n');
            return Err(if lines { KeyFileError::LineEnd } else { KeyFileError::TooLong });
        }
        Key::parse(&text, aead)
    }

    /// Parses the contents of a key file.
    fn parse(text: &[u8], aead: Option<Aead>) -> Result<Key, KeyFileError> {
        let Some(rest) = text.strip_prefix(MAGIC.as_bytes()) else {
            return Key::parse_raw(text, aead);
        };
        let line = rest.strip_suffix(b"\n").unwrap_or(rest);
        if line.iter().any(|byte| matches!(byte, b'\r' | b'\n')) {
            return Err(KeyFileError::LineEnd);
        }
        let space = line.iter().position(|&byte| byte == b' ').ok_or(KeyFileError::BadKey)?;
        let (name, hex) = (&line[..space], &line[space + 1..]);
        let named = str::from_utf8(name).ok().and_then(Aead::from_name).ok_or(KeyFileError::UnknownAead)?;
        if aead.is_some_and(|aead| aead != named) {
            return Err(KeyFileError::OtherAead(named));
        }
        let bytes = Zeroizing::new(HEXLOWER.decode(hex).map_err(|_| KeyFileError::BadKey)?);
        Key::new(named, &bytes).map_err(|_| KeyFileError::BadKey)
    }

    /// Takes a key file that is nothing but the key.
    fn parse_raw(bytes: &[u8], aead: Option<Aead>) -> Result<Key, KeyFileError> {
        let fits_one = Aead::ALL.into_iter().any(|aead| aead.key_len() == bytes.len());
        match aead {
            _ if bytes.is_empty() => Err(KeyFileError::Empty),
            Some(aead) => Key::new(aead, bytes).map_err(|_| KeyFileError::NotAKey),
            None if fits_one => Err(KeyFileError::WhichAead),
            None => Err(KeyFileError::NotAKey),
        }
    }

    /// Returns the line of a key file, with its line feed.
    #[must_use]
    pub fn to_line(&self) -> Zeroizing<String> {
        let mut line = Zeroizing::new(String::with_capacity(MAX_LEN));
        line.push_str(MAGIC);
        line.push_str(self.aead.name());
        line.push(' ');
        HEXLOWER.encode_append(&self.bytes, &mut line);
        line.push('\n');
        line
    }

    /// Returns the AEAD it is for.
    #[must_use]
    pub fn aead(&self) -> Aead {
        self.aead
    }

    /// Returns the key itself.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_back() {
        for aead in Aead::ALL {
            let key = Key::generate(aead).unwrap();
            let line = key.to_line();
            assert!(line.len() <= MAX_LEN);
            for asked in [None, Some(aead)] {
                let read = Key::read(&mut line.as_bytes(), asked).unwrap();
                assert_eq!((read.aead, &read.bytes), (key.aead, &key.bytes));
            }
            assert!(!format!("{key:?}").contains(&line[MAGIC.len() + aead.name().len() + 1..][..8]));
        }
    }

    #[test]
    fn raw_keys_need_their_aead() {
        let key = Key::read(&mut &[7; 32][..], Some(Aead::Aes256Gcm)).unwrap();
        assert_eq!(*key.bytes, [7; 32]);
        assert!(matches!(Key::read(&mut &[7; 32][..], None), Err(KeyFileError::WhichAead)));
        assert!(matches!(Key::read(&mut &[7; 32][..], Some(Aead::Aes128Gcm)), Err(KeyFileError::NotAKey)));
    }

    #[test]
    fn bad_lines_are_refused_each_for_its_reason() {
        use KeyFileError::*;
        let hex = "00112233445566778899aabbccddeeff";
        let line = |text: &str| Key::read(&mut text.as_bytes(), None).unwrap_err();
        let good = format!("abreast-key/1 AEAD_AES_128_GCM {hex}");
        assert!(matches!(line(""), Empty));
        assert!(matches!(line(&format!("{good}\r\n")), LineEnd));
        assert!(matches!(line(&format!("{good}\n\n")), LineEnd));
        assert!(matches!(line(&format!("{good}\0")), BadKey));
        assert!(matches!(line(&format!("{good} ")), BadKey));
        assert!(matches!(line(&good.replace("aa", "AA")), BadKey));
        assert!(matches!(line(&good.replace("128", "256")), BadKey));
        assert!(matches!(line(&good.replace("128", "512")), UnknownAead));
        assert!(matches!(line(&good.replace("/1", "/2")), NotAKey));
        assert!(matches!(line(&good.replace(" AEAD", "  AEAD")), UnknownAead));
        assert!(matches!(line("abreast-key/1 AEAD_AES_128_GCM"), BadKey));
        assert!(matches!(line(&"x".repeat(10_000)), TooLong));
        let other = Key::read(&mut good.as_bytes(), Some(Aead::Aes256Gcm)).unwrap_err();
        assert!(matches!(other, OtherAead(Aead::Aes128Gcm)));
    }
}
