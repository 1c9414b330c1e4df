//! The errors of encryption and decryption.

use abreast::Counted;
use std::fmt;
use std::io;

use crate::module::Module;
use crate::thrift::Bad;

/// A module, and the column that it belongs to by name if that is known.
///
/// ```
/// use abreast_parquet::{Algorithm, ChunkPlace, FileContext, ModuleKey};
///
/// let context = FileContext::new(Algorithm::AesGcmV1, b"", b"the file's number");
/// let place = ChunkPlace { row_group: 2, column: 3, dictionary: false };
/// // A length field, and nothing that fits it.
/// let error = context.open_chunk(&ModuleKey::new(&[7; 16])?, place, &mut [9, 0, 0, 0]).expect_err("no module");
/// assert!(error.to_string().contains("of column 3 in row group 2"), "{error}");
/// # Ok::<(), abreast_parquet::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The module with its ordinals.
    pub module: Module,
    /// The path of the column in the schema, joined by dots.
    pub path: Option<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Module { kind, row_group, column, page } = self.module;
        f.write_str(kind.name())?;
        if kind.has_page() {
            write!(f, " {page}")?;
        }
        if kind.has_column() {
            write!(f, " of column {column}")?;
            if let Some(path) = &self.path {
                write!(f, " ({path:?})")?;
            }
            write!(f, " in row group {row_group}")?;
        }
        Ok(())
    }
}

/// The owner of a key: the footer, or a column.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Owner {
    /// The footer, and the columns without a key of their own.
    Footer,
    /// A column, by its path joined by dots, and the first row group in which it was met.
    Column {
        /// The path of the column in the schema.
        path: String,
        /// The ordinal of the row group.
        row_group: u16,
    },
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Footer => f.write_str("the footer"),
            Self::Column { path, row_group } => write!(f, "column {path:?}, met in row group {row_group}"),
        }
    }
}

/// The reason why a file was not encrypted, decrypted or looked at.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The source cannot be read.
    Read(io::Error),
    /// The target cannot be written.
    Write(io::Error),
    /// The system has no random bytes.
    Random(io::Error),
    /// The file does not begin and end with the marks of Parquet: it is another file, or it was cut off.
    NotParquet,
    /// The footer is longer than the file, or shorter than its parts.
    FooterLength(u32),
    /// Something in the metadata of the file is not as the format says.
    Metadata(&'static str),
    /// A module, or the part of a column that is not encrypted, is not as the format says.
    Malformed {
        /// The module.
        place: Place,
        /// The fault.
        what: &'static str,
    },
    /// The module was changed, belongs to another place or another file, or the key is not its key.
    NotAuthentic(Place),
    /// The writer of the file left the associated data empty, which binds no module to its place.
    EmptyAad,
    /// A key has another length than 16, 24 or 32 bytes.
    KeyLength(usize),
    /// There is no key.
    MissingKey(Owner),
    /// The source of keys failed: its reason.
    Key {
        /// The owner of the key.
        owner: Owner,
        /// The reason.
        reason: String,
    },
    /// The file does not store its AAD prefix, and none was given.
    PrefixMissing,
    /// The AAD prefix that was given is not the one that the file stores.
    PrefixDiffers,
    /// An AAD prefix was given, and the file was written without one.
    PrefixUnused,
    /// An AAD prefix has more than [`MAX_PREFIX`](crate::MAX_PREFIX) bytes.
    PrefixLength(usize),
    /// An ordinal is above 32 767, the greatest that the format has room for.
    Ordinal {
        /// The things that are numbered.
        of: &'static str,
        /// The ordinal.
        found: usize,
    },
    /// The policy has a key for a column that the file does not have.
    NoSuchColumn(String),
    /// The file is encrypted already.
    Encrypted,
    /// The file is not encrypted.
    NotEncrypted,
    /// The file has something that this library does not do.
    Unsupported(&'static str),
    /// A module would have 2^31 bytes or more.
    TooLong(Place),
    /// More than 2^32 modules were to be encrypted under one key.
    KeyUsedUp,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => write!(f, "cannot read: {error}"),
            Self::Write(error) => write!(f, "cannot write: {error}"),
            Self::Random(error) => write!(f, "the system gives no random bytes: {error}"),
            Self::NotParquet => f.write_str(
                "not a whole file of Parquet: it does not begin and end with the same mark, PAR1 or PARE",
            ),
            Self::FooterLength(len) => {
                write!(f, "the footer has {} by its length field, which does not fit the file", Counted(*len, "bytes"))
            }
            Self::Metadata(what) => write!(f, "the metadata of the file is malformed: {what}"),
            Self::Malformed { place, what } => write!(f, "the {place} is malformed: {what}"),
            Self::NotAuthentic(place) => write!(
                f,
                "the {place} is not authentic: it was changed or moved, or the key or the AAD prefix is another one"
            ),
            Self::EmptyAad => f.write_str(
                "the writer of the file left the associated data empty, so that modules can be moved unnoticed; an option accepts that",
            ),
            Self::KeyLength(len) => write!(f, "a key has {}; AES takes 16, 24 or 32", Counted(*len, "bytes")),
            Self::MissingKey(owner) => write!(f, "there is no key for {owner}"),
            Self::Key { owner, reason } => write!(f, "the key for {owner} cannot be had: {reason}"),
            Self::PrefixMissing => f.write_str("the file does not store its AAD prefix, and none was given"),
            Self::PrefixDiffers => f.write_str("the AAD prefix is not the one that the file stores"),
            Self::PrefixUnused => f.write_str("an AAD prefix was given, and the file was written without one"),
            Self::PrefixLength(len) => {
                let len = Counted(*len, "bytes");
                write!(f, "an AAD prefix has {len}; at most {} are accepted", crate::MAX_PREFIX)
            }
            Self::Ordinal { of, found } => {
                write!(f, "a file has no room for the {of} with ordinal {found}; the greatest is 32767")
            }
            Self::NoSuchColumn(path) => write!(f, "there is a key for column {path:?}, which the file does not have"),
            Self::Encrypted => f.write_str("the file is encrypted already"),
            Self::NotEncrypted => f.write_str("the file is not encrypted"),
            Self::Unsupported(what) => write!(f, "not supported: {what}"),
            Self::TooLong(place) => write!(f, "the {place} would have 2^31 bytes or more as a module"),
            Self::KeyUsedUp => f.write_str("more than 2^32 modules were to be encrypted under one key"),
        }
    }
}

impl Error {
    /// Makes the error about random bytes.
    pub(crate) fn random(error: getrandom::Error) -> Self {
        Self::Random(io::Error::other(error))
    }

    /// Returns the error with the path of a column, if it is about a module of a column whose name was not known.
    #[must_use]
    pub(crate) fn with_path(mut self, path: &str) -> Self {
        if let Self::Malformed { place, .. } | Self::NotAuthentic(place) | Self::TooLong(place) = &mut self
            && place.module.kind.has_column()
        {
            place.path.get_or_insert_with(|| path.to_owned());
        }
        self
    }
}

impl From<Bad> for Error {
    fn from(Bad(what): Bad) -> Self {
        Self::Metadata(what)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(error) | Self::Write(error) | Self::Random(error) => Some(error),
            _ => None,
        }
    }
}
