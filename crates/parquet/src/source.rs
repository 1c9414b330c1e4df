//! The source of a copy: metadata of columns, keys, and the bytes of parts.

use std::collections::HashMap;
use std::io::{Read, Seek};
use std::ops::Range;
use std::sync::Arc;

use crate::batch::{FileContext, ModuleKey};
use crate::chunk::ChunkPlace;
use crate::error::{Error, Owner, Place};
use crate::footer::{MARK, OpenedFooter, StoredFooter, field, open_module, read_at};
use crate::keys::KeySource;
use crate::module::{MAX_ORDINAL, Module, ModuleKind};
use crate::policy::ColumnKey;
use crate::thrift::Struct;

/// The numbers of modules that were opened and sealed.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let plain = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/plain.parquet"));
/// use abreast_parquet::{Policy, encrypt};
///
/// let report = encrypt(&mut std::io::Cursor::new(plain), &mut Vec::new(), &Policy::new(&[7; 32])?)?;
/// assert!(report.opened == 0 && report.sealed > 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Modules that were decrypted, and signatures that were verified.
    pub opened: u64,
    /// Modules that were encrypted, and signatures that were made.
    pub sealed: u64,
}

/// The keys of a reader, and the associated data that it accepts.
#[derive(Clone, Copy)]
pub struct Access<'a> {
    /// The keys.
    pub keys: &'a dyn KeySource,
    /// The AAD prefix: required if the file does not store it, and compared if it does.
    pub aad_prefix: Option<&'a [u8]>,
    /// True to read files whose writer left the associated data empty (DuckDB does), which does not tell modules that were
    /// moved within a file or come from another one.
    pub empty_aad: bool,
}

impl<'a> Access<'a> {
    /// Returns the access by keys, with no AAD prefix, to files with associated data.
    #[must_use]
    pub fn new(keys: &'a dyn KeySource) -> Self {
        Self { keys, aad_prefix: None, empty_aad: false }
    }
}

impl std::fmt::Debug for Access<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access").finish_non_exhaustive()
    }
}

/// The keys of an encrypted source.
pub(crate) struct Opening<'a> {
    pub(crate) keys: &'a dyn KeySource,
    pub(crate) key: Arc<ModuleKey>,
    pub(crate) context: FileContext,
}

pub(crate) struct Source<'a, R> {
    pub(crate) reader: &'a mut R,
    pub(crate) data_end: u64,
    pub(crate) encrypted: Option<Opening<'a>>,
    /// Keys of columns by path.
    pub(crate) cache: HashMap<String, Arc<ModuleKey>>,
    /// The bytes of the file that no column chunk has taken. Chunks over each other would make a long file of a short one.
    pub(crate) left: u64,
}

/// The place of a data page before and after.
pub(crate) struct Moved {
    pub(crate) from: i64,
    pub(crate) to: i64,
    pub(crate) size: i32,
}

/// The pages of a chunk before and after.
pub(crate) enum Pages {
    /// All bytes have moved by as many.
    Shifted(i64),
    /// The data pages one by one.
    Moved(Vec<Moved>),
}

/// A column chunk on its way.
pub(crate) struct Column<'a> {
    /// ColumnChunk.
    pub(crate) chunk: Struct<'static>,
    /// ColumnMetaData.
    pub(crate) metadata: Struct<'static>,
    pub(crate) path: String,
    pub(crate) row_group: u16,
    pub(crate) column: u16,
    pub(crate) opening: Option<Arc<ModuleKey>>,
    pub(crate) sealing: Option<ColumnKey<'a>>,
    pub(crate) pages: Pages,
}

impl Column<'_> {
    pub(crate) fn module(&self, kind: ModuleKind) -> Module {
        Module::of_column(kind, self.row_group, self.column)
    }

    pub(crate) fn malformed(&self, kind: ModuleKind, what: &'static str) -> Error {
        Error::Malformed { place: Place { module: self.module(kind), path: Some(self.path.clone()) }, what }
    }

    /// Returns the place of the pages, their offset in the file and their length, as the metadata tells them.
    pub(crate) fn chunk(&self) -> Result<(ChunkPlace, i64, i64), Error> {
        use field::column::{COMPRESSED_SIZE, DATA_PAGE_OFFSET, DICTIONARY_PAGE_OFFSET};
        let first_data = self.number(DATA_PAGE_OFFSET)?;
        let dictionary = self.metadata.i64(DICTIONARY_PAGE_OFFSET)?;
        // A column without values has a dictionary and no data page, whose offset some writers leave at 0.
        let dictionary = dictionary.filter(|offset| *offset > 0 && (*offset < first_data || first_data <= 0));
        let place =
            ChunkPlace { row_group: self.row_group, column: self.column, dictionary: dictionary.is_some() };
        Ok((place, dictionary.unwrap_or(first_data), self.number(COMPRESSED_SIZE)?))
    }

    /// Returns a field of the metadata that has to be there.
    pub(crate) fn number(&self, id: i16) -> Result<i64, Error> {
        let missing =
            || self.malformed(ModuleKind::ColumnMetaData, "a field that every column has is missing");
        self.metadata.i64(id)?.ok_or_else(missing)
    }
}

/// Returns an ordinal of the source, which may be as great as 16 bits go.
pub(crate) fn ordinal(of: &'static str, found: usize, written: bool) -> Result<u16, Error> {
    let greatest = if written { MAX_ORDINAL } else { u16::MAX };
    u16::try_from(found).ok().filter(|ordinal| *ordinal <= greatest).ok_or(Error::Ordinal { of, found })
}

pub(crate) fn path_of(parts: &[&[u8]]) -> String {
    parts.iter().map(|part| String::from_utf8_lossy(part)).collect::<Vec<_>>().join(".")
}

impl<R: Read + Seek> Source<'_, R> {
    /// Returns the bytes of a range between the marks, or the fault.
    pub(crate) fn read(&mut self, offset: i64, len: i64) -> Result<Result<Vec<u8>, &'static str>, Error> {
        let range = u64::try_from(offset).ok().zip(u64::try_from(len).ok());
        let range = range.filter(|(offset, len)| {
            *offset >= MARK.len() as u64 && offset.checked_add(*len).is_some_and(|end| end <= self.data_end)
        });
        let Some((offset, len)) = range else { return Ok(Err("it lies outside the data of the file")) };
        let mut bytes = vec![
            0;
            usize::try_from(len)
                .map_err(|_| Error::Unsupported("a part that memory has no room for"))?
        ];
        read_at(self.reader, offset, &mut bytes)?;
        Ok(Ok(bytes))
    }

    /// Returns the key of a column, or `None` for one in clear.
    pub(crate) fn column_key(
        &mut self,
        chunk: &Struct<'_>,
        row_group: u16,
    ) -> Result<Option<Arc<ModuleKey>>, Error> {
        use field::column_crypto::{COLUMN_KEY, FOOTER_KEY, KEY_METADATA, PATH};
        let Some(crypto) = chunk.structure(field::chunk::CRYPTO_METADATA)? else {
            // The writer that leaves the associated data empty encrypts all columns and does not say so.
            let silent = self.encrypted.as_ref().filter(|opening| opening.context.is_empty());
            return Ok(silent.map(|opening| opening.key.clone()));
        };
        let Some(opening) = &self.encrypted else { return Err(Error::Encrypted) };
        if crypto.has(FOOTER_KEY) {
            return Ok(Some(opening.key.clone()));
        }
        let own = crypto.structure(COLUMN_KEY)?;
        let own = own.ok_or(Error::Metadata("it does not say by which key a column is encrypted"))?;
        let path = path_of(&own.binaries(PATH)?.unwrap_or_default());
        if let Some(key) = self.cache.get(&path) {
            return Ok(Some(key.clone()));
        }
        let owner = Owner::Column { path: path.clone(), row_group };
        let key = opening.keys.column_key(&owner, &path, own.binary(KEY_METADATA)?)?;
        let key = key.ok_or(Error::MissingKey(owner))?;
        self.cache.insert(path, key.clone());
        Ok(Some(key))
    }

    /// Returns the text of a module at an offset, which is encrypted if the column is, and its length as it is stored.
    pub(crate) fn text(
        &mut self,
        column: &Column<'_>,
        kind: ModuleKind,
        (offset, len): (i64, i64),
        report: &mut Report,
    ) -> Result<Vec<u8>, Error> {
        let bytes = self.read(offset, len)?.map_err(|what| column.malformed(kind, what))?;
        let (Some(opening), Some(key)) = (&self.encrypted, &column.opening) else { return Ok(bytes) };
        report.opened += 1;
        open_module(&opening.context, key, column.module(kind), &bytes, Some(&column.path))
    }

    /// Reads the metadata of a column.
    pub(crate) fn open_column<'c>(
        &mut self,
        chunk: Struct<'_>,
        row_group: u16,
        column: u16,
        report: &mut Report,
    ) -> Result<Column<'c>, Error> {
        use field::chunk::{ENCRYPTED_METADATA, FILE_PATH, META_DATA};
        if chunk.has(FILE_PATH) {
            return Err(Error::Unsupported("column chunks in other files"));
        }
        let opening = self.column_key(&chunk, row_group)?;
        let module = Module::of_column(ModuleKind::ColumnMetaData, row_group, column);
        let metadata = match (&opening, &self.encrypted, chunk.binary(ENCRYPTED_METADATA)?) {
            (Some(key), Some(Opening { context, .. }), Some(stored)) => {
                let named = chunk.structure(field::chunk::CRYPTO_METADATA)?;
                let named = named
                    .as_ref()
                    .map(|crypto| crypto.structure(field::column_crypto::COLUMN_KEY))
                    .transpose()?;
                let named = match named.flatten() {
                    Some(own) => {
                        Some(path_of(&own.binaries(field::column_crypto::PATH)?.unwrap_or_default()))
                    }
                    None => None,
                };
                report.opened += 1;
                let text = open_module(context, key, module, stored, named.as_deref())?;
                Struct::parse(&text)?.into_owned()
            }
            _ => chunk.structure(META_DATA)?.ok_or(Error::Metadata("a column has no metadata"))?.into_owned(),
        };
        let path = path_of(&metadata.binaries(field::column::PATH)?.unwrap_or_default());
        let chunk = chunk.into_owned();
        Ok(Column {
            chunk,
            metadata,
            path,
            row_group,
            column,
            opening,
            sealing: None,
            pages: Pages::Shifted(0),
        })
    }
}

/// A column chunk of a file, for those who read its pages themselves.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use abreast_parquet::{Access, Keys, Policy, encrypt, read_footer};
/// use std::io::Cursor;
///
/// # let plain = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/plain.parquet"));
/// // The footer's key encrypts all columns: none is in clear.
/// let mut file = Vec::new();
/// encrypt(&mut Cursor::new(plain), &mut file, &Policy::new(&[7; 32])?)?;
/// let keys = Keys::new().footer(&[7; 32])?;
/// let footer = read_footer(&mut Cursor::new(&file), Access::new(&keys))?;
/// assert!(footer.chunks.iter().all(|chunk| chunk.key.is_some() && chunk.range.end < file.len() as u64));
/// // Row group by row group.
/// assert!(footer.chunks.is_sorted_by_key(|chunk| (chunk.place.row_group, chunk.place.column)));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Chunk {
    /// The place, to open it by.
    pub place: ChunkPlace,
    /// The path of the column in the schema, joined by dots.
    pub path: String,
    /// The bytes of the file in which its pages lie.
    pub range: Range<u64>,
    /// The key, or `None` for a column in clear.
    pub key: Option<Arc<ModuleKey>>,
}

/// The footer of an encrypted file, opened: all that it takes to read chunks and open them.
#[derive(Debug)]
#[non_exhaustive]
pub struct Footer {
    /// FileMetaData, a struct of Thrift, as the writer made it. Metadata of columns with keys of their own is still encrypted in it.
    pub metadata: Vec<u8>,
    /// The context of the file's modules.
    pub context: FileContext,
    /// The column chunks, row group by row group.
    pub chunks: Vec<Chunk>,
}

/// Reads the footer of an encrypted file and the metadata of its columns.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use abreast_parquet::{Access, Keys, Policy, encrypt, read_footer};
/// use std::io::Cursor;
///
/// # let plain = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/plain.parquet"));
/// let mut file = Vec::new();
/// encrypt(&mut Cursor::new(plain), &mut file, &Policy::new(&[7; 32])?)?;
/// let keys = Keys::new().footer(&[7; 32])?;
/// let footer = read_footer(&mut Cursor::new(&file), Access::new(&keys))?;
/// for chunk in &footer.chunks {
///     let mut bytes = file[chunk.range.start as usize..chunk.range.end as usize].to_vec();
///     if let Some(key) = &chunk.key {
///         for page in footer.context.open_chunk(key, chunk.place, &mut bytes)? {
///             println!("{}: a page of {} bytes", chunk.path, bytes[page.body].len());
///         }
///     }
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::NotEncrypted`], and the errors of [`decrypt`](crate::decrypt()) about footers, columns and keys.
pub fn read_footer<R: Read + Seek>(source: &mut R, access: Access<'_>) -> Result<Footer, Error> {
    let (mut source, metadata) = Source::open(source, access)?;
    let mut chunks = Vec::new();
    let row_groups = metadata.structures(field::file::ROW_GROUPS)?.unwrap_or_default();
    for (index, row_group) in row_groups.iter().enumerate() {
        let number = number_of(row_group, index)?;
        let columns = row_group.structures(field::row_group::COLUMNS)?.unwrap_or_default();
        for (index, chunk) in columns.into_iter().enumerate() {
            let column = ordinal("column", index, false)?;
            let column = source.open_column(chunk, number, column, &mut Report::default())?;
            let (place, start, len) = column.chunk()?;
            let range = u64::try_from(start).ok().zip(u64::try_from(len).ok());
            let range = range.and_then(|(start, len)| Some(start..start.checked_add(len)?));
            let range = range.filter(|range| range.end <= source.data_end);
            let outside = || column.malformed(ModuleKind::DataPage, "it lies outside the data of the file");
            chunks.push(Chunk {
                place,
                range: range.ok_or_else(outside)?,
                key: column.opening,
                path: column.path,
            });
        }
    }
    let context = source.encrypted.ok_or(Error::NotEncrypted)?.context;
    Ok(Footer { metadata: metadata.to_bytes(), context, chunks })
}

/// Returns the ordinal of a row group of an encrypted source.
pub(crate) fn number_of(row_group: &Struct<'_>, index: usize) -> Result<u16, Error> {
    match row_group.i16(field::row_group::ORDINAL)? {
        Some(number) => Ok(number as u16),
        None => ordinal("row group", index, false),
    }
}

impl<'a, R: Read + Seek> Source<'a, R> {
    /// Opens an encrypted source, and returns its metadata too.
    pub(crate) fn open(reader: &'a mut R, access: Access<'a>) -> Result<(Self, Struct<'static>), Error> {
        let footer = StoredFooter::read(reader)?;
        if footer.encryption.is_none() {
            return Err(Error::NotEncrypted);
        }
        let data_end = footer.start;
        let opened = footer.open(access.keys, access.aad_prefix, access.empty_aad)?;
        let OpenedFooter { metadata, encrypted } = opened;
        let encrypted = encrypted.map(|(key, context)| Opening { keys: access.keys, key, context });
        Ok((Self { reader, data_end, encrypted, cache: HashMap::new(), left: data_end }, metadata))
    }
}
