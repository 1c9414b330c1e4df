//! The beginning of a sealed file: the passphrase line if there is one, the salt and the commitment to the key.

use std::io::Read;

use crate::at::fill;
use crate::format::{HEADER, SALT};
use crate::passphrase::{MAGIC, MAX_LINE, PassphraseLine};
use crate::salt::draw_salt;
use crate::{Error, FileCipher, FileKey, Key, ReadAt, random};

/// The longest header, in bytes: a passphrase line, a salt and a commitment.
pub const MAX_HEADER: usize = MAX_LINE + HEADER;

/// The beginning of a sealed file. It is not secret.
///
/// ```
/// use abreast_sealed::{Aead, HEADER, Header, Key, seal};
///
/// let key = Key::generate(Aead::Aes256Gcm)?;
/// let sealed = seal(&key, b"a message")?;
/// let header = Header::from_bytes(&sealed)?;
/// assert_eq!((header.passphrase_line(), header.body_offset()), (None, HEADER as u64));
/// assert_eq!(header.to_bytes(), sealed[..HEADER]);
/// let mut message = [0; 9];
/// header.unlock(&key)?.open_chunks(0, &sealed[HEADER..], true, &mut message)?;
/// assert_eq!(&message, b"a message");
/// # Ok::<(), abreast_sealed::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The passphrase line, if there is one.
    line: Option<PassphraseLine>,
    /// The salt and the commitment to the key.
    bytes: [u8; HEADER],
}

impl Header {
    /// Generates the header of a new file that is sealed with a key, with a new salt.
    ///
    /// It is for one file: under one header, each chunk is sealed once and not again with other bytes, which would give
    /// away both and the key of the authentication.
    ///
    /// # Errors
    /// [`Error::Random`] and [`Error::NotRandom`] if the system has no random bytes.
    pub fn generate(key: &Key) -> Result<Header, Error> {
        Ok(Header::with_salt(key, None, &draw_salt(random::fill)?))
    }

    /// Generates the header of a new file that is sealed with a passphrase. `key` has to be the one that `line`
    /// [makes](PassphraseLine::stretch) of the passphrase. This is not checked, because it would take another hash: a
    /// file under another key opens with that key and with no passphrase. For the rest it is
    /// [`generate`](Header::generate).
    ///
    /// # Errors
    /// The errors of [`generate`](Header::generate); [`Error::OtherAead`] if the key is not for the AEAD of the line.
    pub fn generate_with_line(key: &Key, line: PassphraseLine) -> Result<Header, Error> {
        if key.aead() != line.aead() {
            return Err(Error::OtherAead { key: key.aead(), line: line.aead() });
        }
        Ok(Header::with_salt(key, Some(line), &draw_salt(random::fill)?))
    }

    /// Makes the header that belongs to a salt, for known answers and for tests. Two files with one key and one salt give
    /// each other away, so for files there is [`generate`](Header::generate). A salt that begins with `abreast/` gives
    /// a header that does not read back. With a key that is not for the AEAD of the line, nothing
    /// [unlocks](Header::unlock) the file.
    ///
    /// ```
    /// use abreast_sealed::{Aead, Header, Key};
    ///
    /// let key = Key::new(Aead::Aes128Gcm, &[7; 16])?;
    /// let (one, same) = (Header::with_salt(&key, None, &[1; 24]), Header::with_salt(&key, None, &[1; 24]));
    /// assert_eq!((one.salt(), &one), (&[1; 24], &same));
    /// # Ok::<(), abreast_sealed::Error>(())
    /// ```
    #[must_use]
    pub fn with_salt(key: &Key, line: Option<PassphraseLine>, salt: &[u8; SALT]) -> Header {
        let context = line.as_ref().map(ToString::to_string).unwrap_or_default();
        let (_, header) = FileKey::derive(key, salt, context.as_bytes());
        Header { line, bytes: header }
    }

    /// Reads the beginning of a sealed file, and no byte more.
    ///
    /// # Errors
    /// [`Error::Truncated`] if the input ends within it; [`Error::PassphraseLine`] and [`Error::Unknown`] if it begins
    /// with a passphrase line that is malformed or of another version; [`Error::Read`] if it cannot be read.
    pub fn read(input: &mut dyn Read) -> Result<Header, Error> {
        let mut start = Vec::with_capacity(MAX_HEADER);
        if !read_more(input, &mut start, MAGIC.len())? {
            return Err(Error::Truncated);
        }
        let mut line = None;
        let mut body = 0;
        if start == MAGIC {
            // After a line that has not ended come at least its line feed, the salt and the commitment. So many bytes
            // can be taken in one read, and none of them belongs to the chunks.
            let mut ended = false;
            body = loop {
                if let Some(end) = start.iter().take(MAX_LINE).position(|byte| *byte == b'\n') {
                    break end + 1;
                }
                if start.len() >= MAX_LINE {
                    return Err(Error::PassphraseLine("the passphrase line has no end"));
                }
                if ended {
                    return Err(Error::Truncated);
                }
                ended = !read_more(input, &mut start, 1 + HEADER)?;
            };
            line = Some(PassphraseLine::parse(&start[..body])?);
        }
        let known = start.len() - body;
        if !read_more(input, &mut start, HEADER - known)? {
            return Err(Error::Truncated);
        }
        let bytes = start[body..].try_into().expect("the header has its length");
        Ok(Header { line, bytes })
    }

    /// Reads the beginning of a sealed file in one call, if the source gives [`MAX_HEADER`] bytes in one.
    ///
    /// # Errors
    /// The errors of [`read`](Header::read).
    pub fn read_at(file: &dyn ReadAt) -> Result<Header, Error> {
        let mut start = [0; MAX_HEADER];
        let len = fill(&mut start, |rest, done| file.read_at(rest, done)).map_err(Error::Read)?;
        Header::from_bytes(&start[..len])
    }

    /// Takes the header from the beginning of these bytes; the bytes after it do not matter.
    ///
    /// # Errors
    /// The errors of [`read`](Header::read), except [`Error::Read`].
    pub fn from_bytes(mut bytes: &[u8]) -> Result<Header, Error> {
        Header::read(&mut bytes)
    }

    /// Returns the header as a file has it.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        [self.context().as_bytes(), &self.bytes].concat()
    }

    /// Returns the passphrase line, if there is one: the file was sealed with a passphrase then, and with a key if not.
    #[must_use]
    pub fn passphrase_line(&self) -> Option<&PassphraseLine> {
        self.line.as_ref()
    }

    /// Returns the salt of the file.
    #[must_use]
    pub fn salt(&self) -> &[u8; SALT] {
        self.bytes.first_chunk().expect("a header begins with its salt")
    }

    /// Returns the line as the file has it, empty if it has none.
    fn context(&self) -> String {
        self.line.as_ref().map(ToString::to_string).unwrap_or_default()
    }

    /// Returns the offset of the chunks: the length of the header in bytes, at most [`MAX_HEADER`].
    #[must_use]
    pub fn body_offset(&self) -> u64 {
        (self.context().len() + HEADER) as u64
    }

    /// Returns the cipher that seals and opens the chunks of the file, if the header was made with this key.
    ///
    /// # Errors
    /// [`Error::WrongKey`] if it was made with another one, or was changed.
    pub fn unlock(&self, key: &Key) -> Result<FileCipher, Error> {
        if self.line.as_ref().is_some_and(|line| line.aead() != key.aead()) {
            return Err(Error::WrongKey);
        }
        self.unlock_in_context(key, self.context().as_bytes())
    }

    /// Returns the cipher, as [`unlock`](Header::unlock) does, in another context than that of the passphrase line.
    pub(crate) fn unlock_in_context(&self, key: &Key, context: &[u8]) -> Result<FileCipher, Error> {
        Ok(FileKey::from_header(key, &self.bytes, context)?.cipher())
    }
}

/// Reads `more` bytes, or as many as there are, and says whether there were enough.
fn read_more(input: &mut dyn Read, bytes: &mut Vec<u8>, more: usize) -> Result<bool, Error> {
    let known = bytes.len();
    bytes.resize(known + more, 0);
    let read = fill(&mut bytes[known..], |rest, _| input.read(rest)).map_err(Error::Read)?;
    bytes.truncate(known + read);
    Ok(read == more)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aead, Costs};

    /// A stream that fails the test if it is asked for more than the header.
    struct Exactly<'a>(&'a [u8], usize);

    impl Read for Exactly<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            assert!(buffer.len() <= self.0.len(), "asked for bytes of the chunks");
            self.1 += 1;
            self.0.read(buffer)
        }
    }

    /// The bytes after the header belong to the chunks, so none is read; and no byte has a call of its own.
    #[test]
    fn no_byte_more_than_the_header_is_read() {
        let mut lines = vec![None];
        for costs in [(8192, 1, 1), (65536, 3, 4), (1 << 20, 4, 16)] {
            for aead in Aead::ALL {
                let (memory, passes, lanes) = costs;
                let costs = Costs { memory, passes, lanes };
                lines.push(Some(PassphraseLine::generate(aead, costs).unwrap()));
            }
        }
        for line in lines {
            let aead = line.as_ref().map_or(Aead::Aes128Gcm, |line| line.aead());
            let key = Key::generate(aead).unwrap();
            let header = Header::with_salt(&key, line, &[7; SALT]);
            let bytes = header.to_bytes();
            assert_eq!(bytes.len() as u64, header.body_offset());
            assert!(bytes.len() <= MAX_HEADER);
            let mut input = Exactly(&bytes, 0);
            assert_eq!(Header::read(&mut input).unwrap(), header);
            assert!(input.0.is_empty() && input.1 <= 4, "{} calls", input.1);
            assert_eq!(Header::read_at(&[&bytes[..], &[0; 500]].concat()).unwrap(), header);
            for cut in 0..bytes.len() {
                assert!(matches!(Header::from_bytes(&bytes[..cut]), Err(Error::Truncated)), "{cut}");
            }
        }
    }
}
