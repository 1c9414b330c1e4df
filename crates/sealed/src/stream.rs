//! The parts of a stream of Iceberg besides its blocks: the header, the length from a trusted place, and key metadata.

use std::fmt;
use std::io::Read;

use zeroize::Zeroizing;

use crate::at::{ReadAt, fill};
use crate::error::Error;
use crate::format::{AGS1_HEADER, AGS1_HEADER_LEN};

/// The length of a stream in bytes, if it is known from a trusted place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealedLength {
    /// The length, header and all. A stream of another length is refused.
    Trusted(u64),
    /// Not known: a stream that was cut off between two blocks opens without an error.
    Unknown,
}

/// The header of a stream, which has been read and is as it should be. It is not authenticated and holds nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header(());

impl Header {
    /// Reads the beginning of a stream, and no byte more.
    ///
    /// # Errors
    /// [`Error::Truncated`] if the input ends within it, [`Error::NotAgs1`] if it is another header, [`Error::Read`].
    pub fn read(input: &mut dyn Read) -> Result<Header, Error> {
        let mut bytes = [0; AGS1_HEADER_LEN];
        let len = fill(&mut bytes, |rest, _| input.read(rest)).map_err(Error::Read)?;
        Header::from_bytes(&bytes[..len])
    }

    /// Reads the beginning of a stream.
    ///
    /// # Errors
    /// The errors of [`read`](Header::read).
    pub fn read_at(file: &dyn ReadAt) -> Result<Header, Error> {
        let mut bytes = [0; AGS1_HEADER_LEN];
        let len = fill(&mut bytes, |rest, done| file.read_at(rest, done)).map_err(Error::Read)?;
        Header::from_bytes(&bytes[..len])
    }

    /// Takes the header from the beginning of these bytes; the bytes after it do not matter.
    ///
    /// # Errors
    /// The errors of [`read`](Header::read), except [`Error::Read`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Header, Error> {
        let header = bytes.first_chunk::<AGS1_HEADER_LEN>().ok_or(Error::Truncated)?;
        if *header == AGS1_HEADER { Ok(Header(())) } else { Err(Error::NotAgs1) }
    }
}

/// The key metadata of a file of Iceberg ("standard key metadata" of its specification of encryption): a byte 1 and a record of Avro with
/// the key, the AAD prefix and the length of the stream. It is as secret as the key, and Iceberg itself encrypts it.
///
/// ```
/// use abreast_sealed::ags1::{self, KeyMetadata};
///
/// let stream = ags1::seal(&[7; 16], b"the AAD prefix", b"a manifest")?;
/// let metadata = KeyMetadata::new(&[7; 16], b"the AAD prefix", Some(stream.len() as u64)).to_bytes();
///
/// let read = KeyMetadata::parse(&metadata)?;
/// assert_eq!(ags1::open(read.key(), read.aad_prefix(), &stream, read.length())?, b"a manifest");
/// # Ok::<(), abreast_sealed::Error>(())
/// ```
pub struct KeyMetadata {
    /// The key.
    key: Zeroizing<Vec<u8>>,
    /// The AAD prefix, empty if there is none.
    aad_prefix: Vec<u8>,
    /// The length of the stream.
    length: SealedLength,
}

impl fmt::Debug for KeyMetadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyMetadata").field("length", &self.length).finish_non_exhaustive()
    }
}

impl KeyMetadata {
    /// Returns the metadata of a key, and of the length of its stream if that is known.
    #[must_use]
    pub fn new(key: &[u8], aad_prefix: &[u8], sealed_length: Option<u64>) -> KeyMetadata {
        // Avro's numbers have a sign, and no stream is longer.
        let trusted = |len: u64| SealedLength::Trusted(len.min(i64::MAX as u64));
        let length = sealed_length.map_or(SealedLength::Unknown, trusted);
        KeyMetadata { key: Zeroizing::new(key.to_vec()), aad_prefix: aad_prefix.to_vec(), length }
    }

    /// Reads key metadata. That of early writers has no length.
    ///
    /// # Errors
    /// [`Error::KeyMetadata`] if these bytes are none.
    pub fn parse(bytes: &[u8]) -> Result<KeyMetadata, Error> {
        let mut rest = bytes.strip_prefix(&[1]).ok_or(Error::KeyMetadata)?;
        let key = avro_bytes(&mut rest)?;
        let aad_prefix = if avro_is_there(&mut rest)? { avro_bytes(&mut rest)? } else { &[] };
        let length = if rest.is_empty() || !avro_is_there(&mut rest)? {
            SealedLength::Unknown
        } else {
            SealedLength::Trusted(avro_long(&mut rest)?.try_into().map_err(|_| Error::KeyMetadata)?)
        };
        if !rest.is_empty() {
            return Err(Error::KeyMetadata);
        }
        Ok(KeyMetadata { key: Zeroizing::new(key.to_vec()), aad_prefix: aad_prefix.to_vec(), length })
    }

    /// Returns the metadata as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        // At its whole length from the beginning, since growing would leave a copy of the key behind.
        let mut out = Zeroizing::new(Vec::with_capacity(64 + self.key.len() + self.aad_prefix.len()));
        out.push(1);
        push_avro_long(&mut out, self.key.len() as u64);
        out.extend_from_slice(&self.key);
        push_avro_long(&mut out, 1);
        push_avro_long(&mut out, self.aad_prefix.len() as u64);
        out.extend_from_slice(&self.aad_prefix);
        match self.length {
            SealedLength::Unknown => push_avro_long(&mut out, 0),
            SealedLength::Trusted(length) => {
                push_avro_long(&mut out, 1);
                push_avro_long(&mut out, length);
            }
        }
        out
    }

    /// Returns the key.
    #[must_use]
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// Returns the AAD prefix, empty if there is none.
    #[must_use]
    pub fn aad_prefix(&self) -> &[u8] {
        &self.aad_prefix
    }

    /// Returns the length of the stream.
    #[must_use]
    pub fn length(&self) -> SealedLength {
        self.length
    }
}

/// Takes a number of Avro: seven bits a byte, the lowest first, of which the lowest bit is the sign.
fn avro_long(rest: &mut &[u8]) -> Result<i64, Error> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (&byte, after) = rest.split_first().ok_or(Error::KeyMetadata)?;
        *rest = after;
        let bits = u64::from(byte & 0x7f);
        if bits << shift >> shift != bits {
            return Err(Error::KeyMetadata);
        }
        number |= bits << shift;
        if byte < 0x80 {
            return Ok((number >> 1) as i64 ^ -((number & 1) as i64));
        }
    }
    Err(Error::KeyMetadata)
}

/// Takes bytes of Avro, which their number comes before.
fn avro_bytes<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], Error> {
    let len = usize::try_from(avro_long(rest)?).map_err(|_| Error::KeyMetadata)?;
    let (bytes, after) = rest.split_at_checked(len).ok_or(Error::KeyMetadata)?;
    *rest = after;
    Ok(bytes)
}

/// Takes the number of a branch of a union of null and something else. True for something else.
fn avro_is_there(rest: &mut &[u8]) -> Result<bool, Error> {
    match avro_long(rest)? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Error::KeyMetadata),
    }
}

/// Appends a number of Avro that is below 2^63.
fn push_avro_long(out: &mut Vec<u8>, number: u64) {
    let mut rest = number << 1;
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}
