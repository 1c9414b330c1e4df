//! Passphrases: the line of text that such files begin with, and the key it leads to.
//!
//! ```text
//! abreast/1 AEAD_AES_256_GCM argon2id m=65536,t=3,p=4 <16 bytes of salt, base64>\n
//! ```
//!
//! The key of the file is Argon2id (RFC 9106, version 19) of passphrase and salt under those costs:
//! `m` KiB of memory, `t` passes, `p` lanes. The whole line, with its line feed, is the context of
//! the Cobblestone body after it. Each line has one spelling only, and the costs are bounded before
//! any memory is taken, because anyone can write a line.

use std::fmt;

#[cfg(feature = "passphrase")]
use argon2::{Algorithm, Argon2, Block, Params, Version};
use data_encoding::BASE64_NOPAD;
#[cfg(feature = "passphrase")]
use zeroize::Zeroizing;

#[cfg(feature = "passphrase")]
use crate::Key;
use crate::costs::{BEYOND_BOUNDS, Costs};
#[cfg(feature = "passphrase")]
use crate::format::MAX_PASSPHRASE;
use crate::{Aead, Error, random};

/// The beginning of a passphrase line, without its version: long enough that the random salt of a file without one does not
/// begin so.
pub(crate) const MAGIC: &[u8] = b"abreast/";

/// The longest passphrase line, with its line feed.
pub const MAX_LINE: usize = 128;

/// Length of the salt.
const SALT: usize = 16;

/// A passphrase line.
///
/// ```
/// use abreast_sealed::{Aead, Costs, PassphraseLine};
///
/// let line = PassphraseLine::generate(Aead::Aes256Gcm, Costs::DEFAULT)?;
/// let text = line.to_string();
/// assert!(text.contains("argon2id m=65536,t=3,p=4 "));
/// let read = PassphraseLine::parse(text.as_bytes())?;
/// assert_eq!((read.aead(), read.costs()), (Aead::Aes256Gcm, Costs::DEFAULT));
/// # Ok::<(), abreast_sealed::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassphraseLine {
    /// The AEAD of the body.
    aead: Aead,
    /// The costs of the hash, within bounds.
    costs: Costs,
    /// The salt of the hash.
    salt: [u8; SALT],
}

/// The line with its line feed.
impl fmt::Display for PassphraseLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Costs { memory, passes, lanes } = self.costs;
        let salt = BASE64_NOPAD.encode(&self.salt);
        writeln!(f, "abreast/1 {} argon2id m={memory},t={passes},p={lanes} {salt}", self.aead.name())
    }
}

impl PassphraseLine {
    /// Generates a line with a new salt.
    ///
    /// # Errors
    /// [`Error::Costs`] if the costs are out of bounds; [`Error::Random`] and [`Error::NotRandom`] if the system has no
    /// random bytes.
    pub fn generate(aead: Aead, costs: Costs) -> Result<PassphraseLine, Error> {
        if !costs.in_bounds() {
            return Err(Error::Costs(costs));
        }
        let mut salt = [0; SALT];
        random::fill(&mut salt)?;
        Ok(PassphraseLine { aead, costs, salt })
    }

    /// Returns the AEAD of the body.
    #[must_use]
    pub fn aead(&self) -> Aead {
        self.aead
    }

    /// Returns the costs of the hash.
    #[must_use]
    pub fn costs(&self) -> Costs {
        self.costs
    }

    /// Parses a line, line feed included.
    ///
    /// # Errors
    /// [`Error::Unknown`] if it names a version or algorithm that is not known here, [`Error::PassphraseLine`] if
    /// anything else is wrong with it.
    pub fn parse(line: &[u8]) -> Result<PassphraseLine, Error> {
        let malformed = || Error::PassphraseLine("the passphrase line is malformed");
        let text = str::from_utf8(line).map_err(|_| malformed())?;
        let mut fields = text.strip_suffix('\n').ok_or_else(malformed)?.split(' ');
        let mut field = || fields.next().ok_or_else(malformed);
        if field()? != "abreast/1" {
            let version = text.strip_prefix("abreast/").and_then(|rest| rest.split(' ').next());
            let number = version.is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit()));
            return Err(if number { Error::Unknown("version") } else { malformed() });
        }
        let aead = Aead::from_name(field()?).ok_or(Error::Unknown("cipher"))?;
        if field()? != "argon2id" {
            return Err(Error::Unknown("passphrase hash"));
        }
        let mut costs = field()?.split(',');
        let mut cost = |name| {
            let digits = costs.next()?.strip_prefix(name)?;
            digits.parse::<u32>().ok()
        };
        let costs = match (cost("m="), cost("t="), cost("p=")) {
            (Some(memory), Some(passes), Some(lanes)) => Costs { memory, passes, lanes },
            _ => return Err(malformed()),
        };
        if !costs.in_bounds() {
            return Err(Error::PassphraseLine(BEYOND_BOUNDS));
        }
        let salt = BASE64_NOPAD.decode(field()?.as_bytes()).map_err(|_| malformed())?;
        let salt = salt.try_into().map_err(|_| malformed())?;
        let parsed = PassphraseLine { aead, costs, salt };
        // Leading zeros, plus signs, surplus fields: whatever is not written back the same.
        if parsed.to_string() == text { Ok(parsed) } else { Err(malformed()) }
    }

    /// Returns the key of the line: hashes the passphrase, 1 to [`MAX_PASSPHRASE`] bytes of any value. It is the key of all
    /// files that begin with this line.
    ///
    /// # Errors
    /// [`Error::PassphraseLength`] if it is empty or longer; [`Error::NoMemory`] if there is not as much memory as the
    /// costs name.
    #[cfg(feature = "passphrase")]
    pub fn stretch(&self, passphrase: &[u8]) -> Result<Key, Error> {
        if !(1..=MAX_PASSPHRASE).contains(&passphrase.len()) {
            return Err(Error::PassphraseLength(passphrase.len()));
        }
        let Costs { memory, passes, lanes } = self.costs;
        let unreachable = "costs within bounds suit argon2";
        let params = Params::new(memory, passes, lanes, Some(self.aead.key_len())).expect(unreachable);
        // Taken by hand: `Vec` ends the process where memory is short, and nobody wipes it.
        let mut blocks = Zeroizing::new(Vec::new());
        blocks.try_reserve_exact(params.block_count()).map_err(|_| Error::NoMemory(memory))?;
        blocks.resize(params.block_count(), Block::new());
        let mut key = Zeroizing::new(vec![0; self.aead.key_len()]);
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_into_with_memory(passphrase, &self.salt, &mut key, &mut blocks[..])
            .expect(unreachable);
        Ok(Key::new(self.aead, &key).expect("the hash is as long as the key"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "abreast/1 AEAD_AES_256_GCM argon2id m=65536,t=3,p=4 AAECAwQFBgcICQoLDA0ODw\n";

    #[test]
    fn a_line_reads_back() {
        let line = PassphraseLine::parse(LINE.as_bytes()).unwrap();
        assert_eq!(line.costs, Costs::DEFAULT);
        assert_eq!(line.salt, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
        assert_eq!(line.to_string(), LINE);
        assert!(LINE.len() <= MAX_LINE);
    }

    /// No change of a single bit leaves a line that means the same.
    #[test]
    fn every_bit_counts() {
        let original = PassphraseLine::parse(LINE.as_bytes()).unwrap();
        for bit in 0..LINE.len() * 8 {
            let mut line = LINE.as_bytes().to_vec();
            line[bit / 8] ^= 1 << (bit % 8);
            if let Ok(other) = PassphraseLine::parse(&line) {
                assert_ne!(other, original, "{bit}");
            }
        }
    }

    #[test]
    fn other_spellings_are_refused() {
        for (from, to) in [
            ("m=65536", "m=065536"),
            ("m=65536", "m=+65536"),
            ("m=65536,t=3", "t=3,m=65536"),
            ("p=4", "p=4,p=4"),
            ("p=4", "p=4,x=1"),
            ("p=4 ", "p=4  "),
            ("p=4", "p=-4"),
            ("argon2id", "argon2i"),
            ("abreast/1", "abreast/2"),
            ("abreast/1", "abreast/01"),
            ("256_GCM", "256_CCM"),
            ("ODw\n", "ODw=\n"),
            // The same bytes but for two spare bits of the last character.
            ("ODw\n", "ODx\n"),
            ("ODw\n", "ODw"),
            ("ODw\n", "ODw\r\n"),
            ("ODw\n", "ODw \n"),
            ("ODw\n", "ODwA\n"),
            ("ODw\n", "\n"),
        ] {
            let line = LINE.replace(from, to);
            assert_ne!(line, LINE);
            assert!(PassphraseLine::parse(line.as_bytes()).is_err(), "{line}");
        }
    }

    #[test]
    fn costs_have_bounds() {
        for (memory, passes, lanes, good) in [
            (8192, 1, 1, true),
            (8191, 1, 1, false),
            (1 << 20, 4, 16, true),
            (1 << 20, 5, 1, false),
            ((1 << 20) + 1, 1, 1, false),
            (u32::MAX, u32::MAX, 1, false),
            (65536, 0, 1, false),
            (65536, 1, 0, false),
            (65536, 1, 17, false),
        ] {
            let line = LINE.replace("m=65536,t=3,p=4", &format!("m={memory},t={passes},p={lanes}"));
            assert_eq!(PassphraseLine::parse(line.as_bytes()).is_ok(), good, "{line}");
        }
    }
}
