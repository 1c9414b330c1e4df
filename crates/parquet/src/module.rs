//! Modules: parts of a file that are encrypted by themselves, in batches.
//!
//! A module is stored as
//!
//! ```text
//! length u32 LE | nonce 12 | ciphertext | tag 16          AES-GCM
//! length u32 LE | nonce 12 | ciphertext                   counter mode: pages of AES_GCM_CTR_V1
//! ```
//!
//! where the length counts all that follows it. The associated data of GCM binds a module to its place: the AAD prefix, a number
//! that the file has at random, the kind of the module as a byte, and the ordinals of row group, column and page as 16-bit
//! little-endian numbers, as far as the kind has them. The first counter block of counter mode is the nonce and a 32-bit one.
//!
//! Source: Parquet Modular Encryption, sections 4 and 5 (`Encryption.md` of apache/parquet-format).

use std::ops::Range;

/// Bytes of the length field of a module.
pub const LENGTH: usize = 4;
/// Bytes of a nonce.
pub const NONCE: usize = 12;
/// Bytes of a tag.
pub const TAG: usize = 16;
/// Bytes in front of the text of a module.
pub(crate) const HEAD: usize = LENGTH + NONCE;
/// The most bytes of an AAD prefix that are accepted. The format has no limit.
pub const MAX_PREFIX: usize = 1 << 16;
/// Bytes of the number by which files written here differ.
pub(crate) const FILE_UNIQUE: usize = 8;
/// Bytes that follow prefix and file number in the associated data: a kind and three ordinals.
pub(crate) const MAX_SUFFIX: usize = 7;
/// The greatest ordinal that is written.
pub const MAX_ORDINAL: u16 = i16::MAX as u16;

/// The algorithm of a file.
///
/// ```
/// use abreast_parquet::{Algorithm, ModuleKind};
///
/// // Length, nonce and tag; pages have no tag in AES_GCM_CTR_V1.
/// assert_eq!(Algorithm::AesGcmV1.overhead(ModuleKind::DataPage), 4 + 12 + 16);
/// assert!(!Algorithm::AesGcmCtrV1.authenticates(ModuleKind::DataPage));
/// assert_eq!(Algorithm::AesGcmCtrV1.text(ModuleKind::DataPage, 100), Some(16..100));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// AES-GCM for all modules.
    AesGcmV1,
    /// Counter mode for pages, which are not authenticated, and AES-GCM for all other modules.
    AesGcmCtrV1,
}

impl Algorithm {
    /// Returns the name that the format has for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::AesGcmV1 => "AES_GCM_V1",
            Self::AesGcmCtrV1 => "AES_GCM_CTR_V1",
        }
    }

    /// True if modules of a kind have a tag.
    #[must_use]
    pub fn authenticates(self, kind: ModuleKind) -> bool {
        self == Self::AesGcmV1 || !matches!(kind, ModuleKind::DataPage | ModuleKind::DictionaryPage)
    }

    /// Returns the bytes that a module of a kind has more than its plaintext.
    #[must_use]
    pub fn overhead(self, kind: ModuleKind) -> usize {
        HEAD + if self.authenticates(kind) { TAG } else { 0 }
    }

    /// Returns the place of the text in a module of `len` bytes, or `None` if a module of the kind has more bytes.
    #[must_use]
    pub fn text(self, kind: ModuleKind, len: usize) -> Option<Range<usize>> {
        (len >= self.overhead(kind)).then(|| HEAD..len - (self.overhead(kind) - HEAD))
    }
}

/// The kind of a module, with its number in the associated data.
///
/// ```
/// use abreast_parquet::ModuleKind;
///
/// let of_pages = ModuleKind::ALL.into_iter().filter(|kind| kind.has_page()).map(ModuleKind::name);
/// assert_eq!(of_pages.collect::<Vec<_>>(), ["data page", "header of data page"]);
/// assert!(!ModuleKind::Footer.has_column());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ModuleKind {
    /// The footer, or its signature.
    Footer = 0,
    /// The metadata of a column chunk.
    ColumnMetaData = 1,
    /// A data page.
    DataPage = 2,
    /// A dictionary page.
    DictionaryPage = 3,
    /// The header of a data page.
    DataPageHeader = 4,
    /// The header of a dictionary page.
    DictionaryPageHeader = 5,
    /// The column index of a column chunk.
    ColumnIndex = 6,
    /// The offset index of a column chunk.
    OffsetIndex = 7,
    /// The header of a Bloom filter.
    BloomFilterHeader = 8,
    /// The bits of a Bloom filter.
    BloomFilterBitset = 9,
}

impl ModuleKind {
    /// Every kind, by number.
    pub const ALL: [Self; 10] = [
        Self::Footer,
        Self::ColumnMetaData,
        Self::DataPage,
        Self::DictionaryPage,
        Self::DataPageHeader,
        Self::DictionaryPageHeader,
        Self::ColumnIndex,
        Self::OffsetIndex,
        Self::BloomFilterHeader,
        Self::BloomFilterBitset,
    ];

    /// Returns the name for errors.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Footer => "footer",
            Self::ColumnMetaData => "column metadata",
            Self::DataPage => "data page",
            Self::DictionaryPage => "dictionary page",
            Self::DataPageHeader => "header of data page",
            Self::DictionaryPageHeader => "header of the dictionary page",
            Self::ColumnIndex => "column index",
            Self::OffsetIndex => "offset index",
            Self::BloomFilterHeader => "header of the Bloom filter",
            Self::BloomFilterBitset => "Bloom filter",
        }
    }

    /// True if the kind belongs to a column of a row group.
    #[must_use]
    pub fn has_column(self) -> bool {
        self != Self::Footer
    }

    /// True if the kind belongs to a data page.
    #[must_use]
    pub fn has_page(self) -> bool {
        matches!(self, Self::DataPage | Self::DataPageHeader)
    }
}

/// The place of a module in its file. Ordinals that the kind does not have are not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Module {
    /// The kind.
    pub kind: ModuleKind,
    /// The ordinal of the row group.
    pub row_group: u16,
    /// The ordinal of the column, counting leaves of the schema.
    pub column: u16,
    /// The ordinal of the data page in its column chunk; the dictionary page does not count.
    pub page: u16,
}

impl Module {
    /// The footer.
    pub const FOOTER: Self = Self { kind: ModuleKind::Footer, row_group: 0, column: 0, page: 0 };

    /// Returns a module of a column chunk.
    #[must_use]
    pub fn of_column(kind: ModuleKind, row_group: u16, column: u16) -> Self {
        Self { kind, row_group, column, page: 0 }
    }

    /// Writes what follows the file's number in the associated data, and returns its length.
    pub(crate) fn write_suffix(&self, to: &mut [u8; MAX_SUFFIX]) -> usize {
        to[0] = self.kind as u8;
        to[1..3].copy_from_slice(&self.row_group.to_le_bytes());
        to[3..5].copy_from_slice(&self.column.to_le_bytes());
        to[5..].copy_from_slice(&self.page.to_le_bytes());
        match (self.kind.has_column(), self.kind.has_page()) {
            (false, _) => 1,
            (true, false) => 5,
            (true, true) => MAX_SUFFIX,
        }
    }

    /// Refuses ordinals that the format has no room for.
    pub(crate) fn check_ordinals(&self) -> Result<(), Fault> {
        let greatest = match (self.kind.has_column(), self.kind.has_page()) {
            (false, _) => 0,
            (true, false) => self.row_group.max(self.column),
            (true, true) => self.row_group.max(self.column).max(self.page),
        };
        if greatest > MAX_ORDINAL { Err(Fault::Ordinal) } else { Ok(()) }
    }
}

/// The reason why a module of a batch was not encrypted or decrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// The buffer is shorter than an empty module, or has another length than its length field says.
    Length,
    /// The tag does not match; the text was filled with zeros.
    NotAuthentic,
    /// The module would have 2^31 bytes or more.
    TooLong,
    /// An ordinal is greater than [`MAX_ORDINAL`], which is refused on writing.
    Ordinal,
    /// The key has encrypted 2^32 modules.
    KeyUsedUp,
    /// The module was not processed.
    NotProcessed,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Length => "the module has another length than its length field says",
            Self::NotAuthentic => "the module is not authentic: its tag does not match",
            Self::TooLong => "the module has 2^31 bytes or more",
            Self::Ordinal => "an ordinal of the module is above 32767",
            Self::KeyUsedUp => "the key has encrypted 2^32 modules",
            Self::NotProcessed => "the module was not processed",
        })
    }
}

impl std::error::Error for Fault {}
