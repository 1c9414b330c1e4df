//! Sealed files: authenticated encryption of whole files, in parts that can be worked on independently.
//!
//! The format is [C2SP chunked encryption](https://c2sp.org/chunked-encryption) ("Cobblestone-128" and
//! "Cobblestone-256") over AES-GCM, with key files and passphrases around it:
//!
//! ```text
//! [passphrase line] salt[24] commitment[32] chunk 0, chunk 1, .., last chunk
//! ```
//!
//! A chunk is 16 KiB of plaintext and a 16-byte tag; the last one is shorter, possibly empty, and ends the file. Key,
//! nonces and commitment come from the key of the file, the salt and a context by HKDF-Expand. The name of the AEAD is
//! stored in the key file or, with a passphrase, in a line of text at the beginning of the sealed file. That line is
//! the context, so that no byte of the file is unauthenticated. Serpent-256-GCM takes the place of AES-GCM under a
//! private name in the key derivation; such files are not Cobblestone, and neither kind opens as the other.
//!
//! # Levels
//!
//! * [`seal`], [`open`] and [`open_range`] work on a message that is in memory, or on a range of it.
//! * [`Sealer`] and [`Opener`] work on any [`Input`] and [`Output`], with several threads and constant memory.
//!   They need only [`ReadAt`] and [`WriteAt`] of a file, so that an object store can be one.
//! * [`Plan`] cuts a file into parts for several machines, or for the parts of an object in a store. Whoever has the plan and
//!   the [`FileKey`] can seal and open any part with a [`FileCipher`], which needs no other state.
//!
//! [`ags1`] is a second format of the same engine: the streams of Apache Iceberg.
//!
//! Nothing here prints, parses arguments or looks at the environment. Only [`output`](mod@output) opens files by name: outputs
//! that appear complete or not at all.
//!
//! # Sizes
//!
//! | in bytes | message | file |
//! |---|---:|---:|
//! | a full chunk | 16,384 ([`CHUNK`]) | 16,400 ([`SEALED_CHUNK`]) |
//! | the last chunk | 0 to 16,383 | 16 ([`TAG`]) more |
//! | the header | | 56 ([`HEADER`]), and up to 128 ([`MAX_LINE`]) for a passphrase line |
//!
//! All chunks are full except the last one, which never is: a message of `n` bytes has `n / CHUNK + 1` chunks. Chunk `i` is
//! `i * CHUNK` bytes into the message and [`Header::body_offset`]` + i * SEALED_CHUNK` bytes into the file.
//!
//! # A message in memory
//!
//! ```
//! use abreast_sealed::{Aead, Key, open, seal};
//!
//! let key = Key::generate(Aead::Aes256Gcm)?;
//! let sealed = seal(&key, b"many chunks go over many cores")?;
//! assert_eq!(open(&key, &sealed)?, b"many chunks go over many cores");
//! # Ok::<(), abreast_sealed::Error>(())
//! ```
//!
//! # A range
//!
//! Only the chunks that hold it are read, and the last one, which authenticates the length. The file is anything that
//! implements [`ReadAt`]:
//!
//! ```
//! use abreast_sealed::{Aead, Key, open_range, seal};
//!
//! let key = Key::generate(Aead::Aes128Gcm)?;
//! let message: Vec<u8> = (0..1_000_000_u32).map(|i| i as u8).collect();
//! let sealed = seal(&key, &message)?;
//! assert_eq!(open_range(&key, &sealed, 500_000..500_100)?, message[500_000..500_100]);
//! # Ok::<(), abreast_sealed::Error>(())
//! ```
//!
//! # Parts by workers
//!
//! The plan is made once. It is not secret and says where each part lies in the message and in the file, so that parts can
//! be sealed on any machine and in any order. The keys of the file are all that a worker needs of the key:
//!
//! ```
//! use abreast_sealed::{Aead, FileKey, Key, Limits, Plan};
//!
//! let key = Key::generate(Aead::Aes256Gcm)?;
//! let message = vec![7; 20_000_000];
//! // The defaults suit the multipart uploads of S3.
//! let plan = Plan::new(message.len() as u64, Limits::default())?;
//! let file_key = FileKey::of_plan(&key, &plan)?;
//! let (text, secret) = (plan.to_string(), file_key.to_bytes());
//!
//! // On any machine, in any order:
//! let plan: Plan = text.parse()?;
//! let cipher = FileKey::from_bytes(&secret)?.cipher();
//! let mut file = vec![0; plan.sealed_len() as usize];
//! for number in [2, 0, 1] {
//!     let part = plan.part(number)?;
//!     let bytes = &message[part.plain.start as usize..part.plain.end as usize];
//!     let sealed = &mut file[part.sealed.start as usize..part.sealed.end as usize];
//!     cipher.seal_part(&part, bytes, sealed)?;
//! }
//! assert_eq!(abreast_sealed::open(&key, &file)?, message);
//!
//! // A new key, part by part and in place.
//! let new_key = Key::generate(Aead::Aes256Gcm)?;
//! let plan = Plan::of_sealed(&file, file.len() as u64, Limits::default())?;
//! let new_cipher = FileKey::generate(&new_key, b"")?.0.cipher();
//! for part in plan.parts() {
//!     let sealed = &mut file[part.sealed.start as usize..part.sealed.end as usize];
//!     cipher.reseal_part(&new_cipher, &part, sealed)?;
//! }
//! assert_eq!(abreast_sealed::open(&new_key, &file)?, message);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A passphrase
//!
//! ```
//! # #[cfg(feature = "passphrase")] {
//! use std::num::NonZeroUsize;
//! use abreast_sealed::{Aead, Costs, Header, Input, Output, Sealer, open};
//!
//! let mut sealed = Vec::new();
//! let passphrase = b"correct horse battery staple";
//! let sealer = Sealer::with_passphrase(passphrase, Aead::Aes256Gcm, Costs::DEFAULT)?;
//! let mut message = &b"a short message"[..];
//! sealer.seal(Input::Stream(&mut message), Output::Stream(&mut sealed), NonZeroUsize::MIN, &())?;
//!
//! // The header says how to hash the passphrase; that takes 64 MiB and a moment.
//! let header = Header::from_bytes(&sealed)?;
//! let line = header.passphrase_line().expect("sealed with a passphrase");
//! let key = line.stretch(passphrase)?;
//! assert_eq!(open(&key, &sealed)?, b"a short message");
//! # }
//! # Ok::<(), abreast_sealed::Error>(())
//! ```
#![forbid(unsafe_code)]

use std::num::NonZeroUsize;
use std::ops::RangeBounds;

pub mod ags1;
mod at;
mod chunks;
mod costs;
mod error;
mod filekey;
mod format;
mod header;
mod keyfile;
mod layout;
mod limits;
mod open;
#[cfg(feature = "files")]
pub mod output;
mod parts;
mod passphrase;
mod plan;
mod random;
mod reseal;
mod salt;
mod seal;
mod stream;
#[cfg(test)]
mod vectors;
mod workers;

pub use at::{ReadAt, WriteAt};
pub use chunks::FileCipher;
pub use costs::Costs;
pub use error::Error;
pub use filekey::FileKey;
pub use format::{
    Aead, CHUNK, COMMITMENT, Format, HEADER, MAX_CHUNKS, MAX_PASSPHRASE, RUN, SALT, SEALED_CHUNK, TAG,
};
pub use header::{Header, MAX_HEADER};
pub use keyfile::{Key, KeyFileError, MAGIC as KEY_FILE_MAGIC};
pub use layout::Layout;
pub use limits::Limits;
pub use open::Opener;
pub use passphrase::{MAX_LINE, PassphraseLine};
pub use plan::{Plan, PlanError, PlannedPart};
pub use seal::Sealer;
pub use workers::{Input, Output, Progress};

/// Seals a message that is in memory: the file, header and all.
///
/// # Errors
/// [`Error::Random`] and [`Error::NotRandom`] if the system has no random bytes for the salt; [`Error::OutOfMemory`].
pub fn seal(key: &Key, message: &[u8]) -> Result<Vec<u8>, Error> {
    let body = Layout::of_message(Format::Cobblestone, message.len() as u64)?.body();
    let mut sealed = Vec::new();
    let len =
        usize::try_from(body).ok().and_then(|body| body.checked_add(HEADER)).ok_or(Error::OutOfMemory)?;
    sealed.try_reserve_exact(len).map_err(|_| Error::OutOfMemory)?;
    let sealer = Sealer::new(key)?;
    sealer.seal(Input::At(&message), Output::Stream(&mut sealed), NonZeroUsize::MIN, &())?;
    Ok(sealed)
}

/// Opens a sealed file that is in memory: the message.
///
/// ```
/// use abreast_sealed::{Aead, Error, Key, open, seal};
///
/// let key = Key::generate(Aead::Aes256Gcm)?;
/// let mut sealed = seal(&key, b"many chunks go over many cores")?;
/// assert_eq!(open(&key, &sealed)?, b"many chunks go over many cores");
/// sealed[60] ^= 1;
/// assert!(matches!(open(&key, &sealed), Err(Error::LastChunk(0))));
/// assert!(matches!(open(&Key::generate(Aead::Aes256Gcm)?, &sealed), Err(Error::WrongKey)));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// [`Error::WrongKey`], [`Error::Chunk`], [`Error::LastChunk`] and [`Error::Truncated`] if the file was sealed with
/// another key, changed or cut off, and the errors of [`Header::read`]. Nothing of the message is returned then.
pub fn open(key: &Key, sealed: &[u8]) -> Result<Vec<u8>, Error> {
    open_range(key, &sealed, ..)
}

/// Opens a range of the message of a sealed file, in bytes. Of the file, the header, the last chunk and the chunks that
/// hold the range are read.
///
/// ```
/// use abreast_sealed::{Aead, Error, Key, open_range, seal};
///
/// let key = Key::generate(Aead::Aes256Gcm)?;
/// let sealed = seal(&key, b"many chunks go over many cores")?;
/// assert_eq!(open_range(&key, &sealed, 5..11)?, b"chunks");
/// assert!(matches!(open_range(&key, &sealed, ..31), Err(Error::RangeBeyondEnd { .. })));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// The errors of [`open`], as far as they show in the bytes read; [`Error::RangeBeyondEnd`] if the range is not within
/// the message, [`Error::RangeReversed`] if it ends before it begins; [`Error::Read`] if the file cannot be read.
pub fn open_range(key: &Key, sealed: &dyn ReadAt, range: impl RangeBounds<u64>) -> Result<Vec<u8>, Error> {
    let opener = Opener::new(&Header::read_at(sealed)?, key)?;
    let mut message = zeroize::Zeroizing::new(Vec::new());
    opener.open_range(range, sealed, Output::Stream(&mut *message), NonZeroUsize::MIN, &())?;
    Ok(std::mem::take(&mut *message))
}

/// The example of the crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
