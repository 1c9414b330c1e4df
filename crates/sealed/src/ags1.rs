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
//! the stream has to come from a trusted place, as the key does ([`SealedLength`]): Iceberg keeps both in the key metadata of a file
//! ([`KeyMetadata`]).
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

use std::num::NonZeroUsize;
use std::ops::RangeBounds;

use zeroize::Zeroizing;

pub use crate::format::{AGS1_HEADER_LEN as HEADER, BLOCK, MAX_BLOCKS, SEALED_BLOCK};
pub use crate::stream::{Header, KeyMetadata, SealedLength};
use crate::{Error, FileKey, Format, Input, Layout, Opener, Output, ReadAt, Sealer};

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
/// ```
/// use abreast_sealed::{Error, ags1::{self, SealedLength}};
///
/// let stream = ags1::seal(&[7; 16], b"the AAD prefix", b"a manifest")?;
/// let length = SealedLength::Trusted(stream.len() as u64);
/// assert_eq!(ags1::open(&[7; 16], b"the AAD prefix", &stream, length)?, b"a manifest");
/// let other = ags1::open(&[7; 16], b"another prefix", &stream, length);
/// assert!(matches!(other, Err(Error::Block(0))));
/// # Ok::<(), Error>(())
/// ```
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
