//! Streams of Apache Iceberg, AGS1 (the specification `gcm-stream-spec` of Iceberg), a second format of this crate's engine.
//!
//! ```text
//! "AGS1" block-length[4] block 0, block 1, ..
//! block: nonce[12] ciphertext tag[16], with the associated data: AAD prefix, number of the block[4]
//! ```
//!
//! Numbers are little-endian. A block is 1 MiB of plaintext, and only the last one may be shorter. A message of whole blocks ends with a
//! full one, and the empty message is one empty block. The cipher is AES-GCM, with the key itself and a random nonce for each block.
//!
//! **The end of a stream is not marked.** A stream that was cut off between two blocks opens, to a part of the message. So the length of
//! the stream has to come from a trusted place, as the key does ([`SealedLength`]): Iceberg keeps both in the key metadata of a file.
//!
//! ```
//! use abreast_sealed::ags1::{self, SealedLength};
//!
//! let (key, prefix) = ([7; 16], b"the AAD prefix");
//! let stream = ags1::seal(&key, prefix, b"a manifest")?;
//! let length = SealedLength::Trusted(stream.len() as u64);
//! assert_eq!(ags1::open_range(&key, prefix, &stream, length, 2..)?, b"manifest");
//! # Ok::<(), abreast_sealed::Error>(())
//! ```
//!
//! [`Sealer::ags1`], [`Opener::ags1`], [`Plan::ags1`](crate::Plan::ags1) and [`FileKey::ags1`] are for files, ranges, threads and
//! parts, as with Cobblestone.

use std::io::Read;
use std::num::NonZeroUsize;
use std::ops::RangeBounds;

use zeroize::Zeroizing;

use crate::at::fill;
use crate::{Error, FileKey, Format, Input, Layout, Opener, Output, ReadAt, Sealer};

/// Plaintext in every block but the last, which may have less.
pub const BLOCK: usize = 1 << 20;
/// A block as it lies in the stream: nonce, ciphertext and tag.
pub const SEALED_BLOCK: usize = Format::Ags1.shape().sealed_chunk();
/// The beginning of a stream.
pub const HEADER: usize = 8;
/// Blocks in one stream, as many as Iceberg counts: 2 PiB.
pub const MAX_BLOCKS: u64 = 1 << 31;

/// The header of every stream that has blocks of 1 MiB, as Iceberg demands.
pub(crate) const HEADER_BYTES: [u8; HEADER] = {
    let [a, b, c, d] = (BLOCK as u32).to_le_bytes();
    [b'A', b'G', b'S', b'1', a, b, c, d]
};

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
        let mut bytes = [0; HEADER];
        let len = fill(&mut bytes, |rest, _| input.read(rest)).map_err(Error::Read)?;
        Header::from_bytes(&bytes[..len])
    }

    /// Reads the beginning of a stream.
    ///
    /// # Errors
    /// The errors of [`read`](Header::read).
    pub fn read_at(file: &dyn ReadAt) -> Result<Header, Error> {
        let mut bytes = [0; HEADER];
        let len = fill(&mut bytes, |rest, done| file.read_at(rest, done)).map_err(Error::Read)?;
        Header::from_bytes(&bytes[..len])
    }

    /// Takes the header from the beginning of these bytes; the bytes after it do not matter.
    ///
    /// # Errors
    /// The errors of [`read`](Header::read), except [`Error::Read`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Header, Error> {
        let header = bytes.first_chunk::<HEADER>().ok_or(Error::Truncated)?;
        if *header == HEADER_BYTES { Ok(Header(())) } else { Err(Error::NotAgs1) }
    }
}

/// Seals a message that is in memory: the stream. The key has 16, 24 or 32 bytes.
///
/// # Errors
/// [`Error::AesKeyLength`]; [`Error::Random`] and [`Error::NotRandom`] if the system has no random bytes;
/// [`Error::OutOfMemory`].
pub fn seal(key: &[u8], aad_prefix: &[u8], message: &[u8]) -> Result<Vec<u8>, Error> {
    let sealer = Sealer::ags1(&FileKey::ags1(key, aad_prefix)?)?;
    let file = Layout::of_message(Format::Ags1, message.len() as u64)?.file();
    let mut sealed = Vec::new();
    let len = usize::try_from(file).map_err(|_| Error::OutOfMemory)?;
    sealed.try_reserve_exact(len).map_err(|_| Error::OutOfMemory)?;
    sealer.seal(Input::At(&message), Output::Stream(&mut sealed), NonZeroUsize::MIN, &())?;
    Ok(sealed)
}

/// Opens a stream that is in memory: the message.
///
/// # Errors
/// [`Error::SealedLength`] if the stream has another length than the trusted one; [`Error::Block`] if the key or the prefix is another
/// one, or a block was changed or moved; [`Error::Truncated`] and [`Error::NotAgs1`] if it is no stream;
/// [`Error::AesKeyLength`]. Nothing of the message is returned then.
pub fn open(key: &[u8], aad_prefix: &[u8], sealed: &[u8], length: SealedLength) -> Result<Vec<u8>, Error> {
    open_range(key, aad_prefix, &sealed, length, ..)
}

/// Opens a range of the message of a stream, in bytes. Of the stream, the header and the blocks that hold the range are read.
///
/// # Errors
/// The errors of [`open`], as far as they show in the bytes read; [`Error::RangeBeyondEnd`] if the range is not within
/// the message, [`Error::RangeReversed`] if it ends before it begins; [`Error::Read`] if the stream cannot be read.
pub fn open_range(
    key: &[u8],
    aad_prefix: &[u8],
    sealed: &dyn ReadAt,
    length: SealedLength,
    range: impl RangeBounds<u64>,
) -> Result<Vec<u8>, Error> {
    let opener = Opener::ags1(&Header::read_at(sealed)?, &FileKey::ags1(key, aad_prefix)?, length)?;
    let mut message = Zeroizing::new(Vec::new());
    opener.open_range(range, sealed, Output::Stream(&mut *message), NonZeroUsize::MIN, &())?;
    Ok(std::mem::take(&mut *message))
}
