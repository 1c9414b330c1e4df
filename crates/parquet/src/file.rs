//! Whole files: encrypted, decrypted, and looked at.
//!
//! A file is copied chunk by chunk. Pages change their lengths by the overhead of modules, so all sizes and offsets in headers,
//! indexes and footer are written anew, and all else goes through unchanged, fields that are not known here included.

use std::collections::HashMap;
use std::io::{Read, Seek, Write};

use crate::batch::FileContext;
use crate::chunk::{ChunkPlace, Page, error_of};
use crate::crc::crc32;
use crate::error::Error;
use crate::footer::{ENCRYPTED_MARK, Encryption, MARK, OpenedFooter, StoredFooter, field, seal_module};
use crate::module::{Fault, LENGTH, ModuleKind};
use crate::pages::{Written, headers, moved_locations, plain_pages, seal_all};
use crate::policy::{ColumnKey, Policy};
use crate::source::{Access, Column, Moved, Opening, Pages, Report, Source, number_of, ordinal};
use crate::target::{FooterSealing, Target, write_footer};
use crate::thrift::{Bad, Struct};

/// Bytes that are read of a Bloom filter whose length is not stored, to find its header in.
const BLOOM_HEADER: u64 = 256;

/// Levels of a schema, whose paths would fill the memory if each level had one more.
const MAX_LEVELS: usize = 256;

/// Encrypts a file in clear.
///
/// The target is written in order. After an error it holds a part of the file, which the caller removes; it has no footer then,
/// so that no reader takes it for a file.
///
/// # Errors
/// [`Error::Encrypted`] if the source is encrypted already, [`Error::NoSuchColumn`], [`Error::Ordinal`], and those of reading,
/// writing and malformed files.
pub fn encrypt<R: Read + Seek, W: Write>(
    source: &mut R,
    target: &mut W,
    policy: &Policy,
) -> Result<Report, Error> {
    let footer = StoredFooter::read(source)?;
    if footer.encryption.is_some() {
        return Err(Error::Encrypted);
    }
    let data_end = footer.start;
    let OpenedFooter { metadata, .. } = footer.open(&crate::Keys::new(), None, false)?;
    let source = Source { reader: source, data_end, encrypted: None, cache: HashMap::new(), left: data_end };
    let (encryption, context) = policy.begin()?;
    Work {
        source,
        target: Target::new(target),
        sealing: Some(Sealing { policy, encryption, context }),
        report: Report::default(),
    }
    .run(&metadata)
}

/// Decrypts an encrypted file, all of it.
///
/// The target is written in order. After an error it holds a part of the file, which the caller removes; it has no footer then,
/// so that no reader takes it for a file.
///
/// # Errors
/// [`Error::NotEncrypted`] if the source is in clear, [`Error::MissingKey`], [`Error::NotAuthentic`] and [`Error::Malformed`] with the
/// module's kind, column and row group, and those of reading and writing.
pub fn decrypt<R: Read + Seek, W: Write>(
    source: &mut R,
    target: &mut W,
    access: Access<'_>,
) -> Result<Report, Error> {
    let (source, metadata) = Source::open(source, access)?;
    let report = Report { opened: 1, sealed: 0 };
    Work { source, target: Target::new(target), sealing: None, report }.run(&metadata)
}

/// Returns the encryption of a file, or `None` if the file is in clear. No key is needed.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use abreast_parquet::{Algorithm, Policy, encrypt, inspect};
/// use std::io::Cursor;
///
/// # let plain = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/plain.parquet"));
/// let mut file = Vec::new();
/// let policy = Policy::new(&[7; 32])?.algorithm(Algorithm::AesGcmCtrV1).plaintext_footer(true);
/// encrypt(&mut Cursor::new(plain), &mut file, &policy)?;
/// let seen = inspect(&mut Cursor::new(&file))?.ok_or("the file is in clear")?;
/// assert_eq!((seen.algorithm, seen.encrypted_footer), (Algorithm::AesGcmCtrV1, false));
/// assert_eq!(inspect(&mut Cursor::new(plain))?, None);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Errors of reading and of malformed files.
pub fn inspect<R: Read + Seek>(source: &mut R) -> Result<Option<Encryption>, Error> {
    StoredFooter::read(source).map(|footer| footer.encryption)
}

/// The encryption of a target.
struct Sealing<'a> {
    policy: &'a Policy,
    encryption: Encryption,
    context: FileContext,
}

struct Work<'a, R, W> {
    source: Source<'a, R>,
    target: Target<'a, W>,
    sealing: Option<Sealing<'a>>,
    report: Report,
}

/// Returns the paths of the leaves of the schema, joined by dots.
fn leaves(metadata: &Struct<'_>) -> Result<Vec<String>, Error> {
    use field::schema::{CHILDREN, NAME};
    let schema = metadata.structures(field::file::SCHEMA)?.unwrap_or_default();
    let mut paths = Vec::new();
    // The names above an element, and the number of children that are still to come. The root has no name.
    let mut above: Vec<(String, i32)> = Vec::new();
    for (at, element) in schema.iter().enumerate() {
        let name = String::from_utf8_lossy(element.binary(NAME)?.unwrap_or(&[])).into_owned();
        let children = element.i32(CHILDREN)?.unwrap_or(0);
        while above.last().is_some_and(|(_, left)| *left <= 0) {
            above.pop();
        }
        if above.len() > MAX_LEVELS {
            return Err(Error::Unsupported("a schema of more than 256 levels"));
        }
        let path = match above.last_mut() {
            Some((parent, left)) => {
                *left -= 1;
                if parent.is_empty() { name } else { format!("{parent}.{name}") }
            }
            None if at == 0 => String::new(),
            None => return Err(Error::Metadata("the schema has an element outside its root")),
        };
        if children > 0 {
            above.push((path, children));
        } else if at > 0 {
            paths.push(path);
        }
    }
    Ok(paths)
}

impl<'a, R: Read + Seek, W: Write> Work<'a, R, W> {
    fn run(mut self, metadata: &Struct<'_>) -> Result<Report, Error> {
        let row_groups = metadata.structures(field::file::ROW_GROUPS)?.unwrap_or_default();
        let policy = self.sealing.as_ref().map(|sealing| sealing.policy);
        if let Some(policy) = policy.filter(|policy| policy.has_columns()) {
            policy.check_columns(&leaves(metadata)?)?;
        }
        let mark = if self.sealing.as_ref().is_some_and(|sealing| sealing.encryption.encrypted_footer) {
            ENCRYPTED_MARK
        } else {
            MARK
        };
        self.target.write(&mark)?;
        let mut groups = Vec::with_capacity(row_groups.len());
        for (index, row_group) in row_groups.into_iter().enumerate() {
            let number = match policy {
                Some(_) => ordinal("row group", index, true)?,
                None => number_of(&row_group, index)?,
            };
            let chunks = row_group.structures(field::row_group::COLUMNS)?.unwrap_or_default();
            let mut columns = Vec::with_capacity(chunks.len());
            for (index, chunk) in chunks.into_iter().enumerate() {
                let column = ordinal("column", index, policy.is_some())?;
                let mut column = self.source.open_column(chunk, number, column, &mut self.report)?;
                column.sealing = policy.and_then(|policy| policy.column_key(&column.path));
                self.copy_chunk(&mut column)?;
                columns.push(column);
            }
            groups.push((row_group, number, columns));
        }
        for column in groups.iter_mut().flat_map(|(.., columns)| columns) {
            self.copy_bloom_filter(column)?;
        }
        for kind in [ModuleKind::ColumnIndex, ModuleKind::OffsetIndex] {
            for column in groups.iter_mut().flat_map(|(.., columns)| columns) {
                self.copy_index(column, kind)?;
            }
        }
        let mut written = Vec::with_capacity(groups.len());
        for (row_group, number, columns) in groups {
            written.push(self.row_group(row_group, number, columns)?);
        }
        let mut metadata = metadata.clone();
        metadata.set_structures(field::file::ROW_GROUPS, &written);
        let sealing = self.sealing.as_ref().map(|Sealing { policy, encryption, context }| FooterSealing {
            encryption,
            context,
            key: policy.footer_key(),
        });
        self.report.sealed += u64::from(sealing.is_some());
        write_footer(&mut self.target, metadata, sealing.as_ref())?;
        Ok(self.report)
    }

    /// Copies the pages of a column, and sets sizes and offsets of its metadata.
    fn copy_chunk(&mut self, column: &mut Column<'_>) -> Result<(), Error> {
        use field::column::{COMPRESSED_SIZE, DATA_PAGE_OFFSET, DICTIONARY_PAGE_OFFSET, INDEX_PAGE_OFFSET};
        let (mut place, start, len) = column.chunk()?;
        let to = self.target.position as i64;
        let kind = if place.dictionary { ModuleKind::DictionaryPage } else { ModuleKind::DataPage };
        let left = u64::try_from(len).ok().and_then(|len| self.source.left.checked_sub(len));
        self.source.left =
            left.ok_or_else(|| column.malformed(kind, "it lies outside the data of the file"))?;
        let mut chunk = match len {
            // Some writers have no offset then.
            0 => Vec::new(),
            len => self.source.read(start, len)?.map_err(|what| column.malformed(kind, what))?,
        };
        if column.opening.is_none() && column.sealing.is_none() {
            self.target.write(&chunk)?;
            let shift = to.saturating_sub(start);
            for id in [DATA_PAGE_OFFSET, DICTIONARY_PAGE_OFFSET, INDEX_PAGE_OFFSET] {
                if let Some(offset) = column.metadata.i64(id)?.filter(|offset| *offset > 0) {
                    let moved = offset
                        .checked_add(shift)
                        .ok_or(Error::Metadata("an offset has more than 63 bits"))?;
                    column.metadata.set_i64(id, moved);
                }
            }
            column.pages = Pages::Shifted(shift);
            return Ok(());
        }
        let (pages, overhead) = match (&column.opening, &self.source.encrypted) {
            (Some(key), Some(Opening { context, .. })) => {
                let pages = context
                    .open_chunk(key, place, &mut chunk)
                    .map_err(|error| error.with_path(&column.path))?;
                self.report.opened += 2 * pages.len() as u64;
                // The writer that leaves the associated data empty gives the length of the page in clear.
                let overhead =
                    if context.is_empty() { 0 } else { context.algorithm().overhead(ModuleKind::DataPage) };
                (pages, overhead)
            }
            _ => (plain_pages(&chunk, &mut place, column)?, 0),
        };
        let headers = headers(&chunk, &pages, place, overhead, column)?;
        let written = self.write_pages(column, place, &chunk, &pages, headers)?;
        let sizes = |index: usize| written.get(index).map_or(0, |page: &Written| page.header + page.body);
        let first = if place.dictionary { sizes(0) } else { 0 };
        let uncompressed: u64 = written.iter().map(|page| page.header + page.uncompressed).sum();
        let metadata = &mut column.metadata;
        metadata.set_i64(field::column::UNCOMPRESSED_SIZE, uncompressed as i64);
        metadata.set_i64(COMPRESSED_SIZE, self.target.position as i64 - to);
        metadata.set_i64(DATA_PAGE_OFFSET, to + first as i64);
        metadata.remove(INDEX_PAGE_OFFSET);
        if place.dictionary {
            metadata.set_i64(DICTIONARY_PAGE_OFFSET, to);
        } else {
            metadata.remove(DICTIONARY_PAGE_OFFSET);
        }
        let mut moved = Vec::with_capacity(pages.len());
        let mut at = to;
        for (page, written) in pages.iter().zip(&written) {
            let size = (written.header + written.body) as i64;
            if !page.dictionary {
                let size = i32::try_from(size);
                let size =
                    size.map_err(|_| column.malformed(ModuleKind::DataPage, "it has 2^31 bytes or more"))?;
                moved.push(Moved { from: start + page.stored.start as i64, to: at, size });
            }
            at += size;
        }
        column.pages = Pages::Moved(moved);
        Ok(())
    }

    /// Writes pages with their headers, encrypted if the column is to be.
    fn write_pages(
        &mut self,
        column: &Column<'_>,
        place: ChunkPlace,
        chunk: &[u8],
        pages: &[Page],
        mut headers: Vec<Struct<'_>>,
    ) -> Result<Vec<Written>, Error> {
        use field::page::{COMPRESSED_SIZE, CRC, UNCOMPRESSED_SIZE};
        let Some((sealing, key)) = self.sealing.as_ref().zip(column.sealing) else {
            return self.write_plain_pages(chunk, pages, headers);
        };
        let (context, key) = (&sealing.context, key.key());
        // Pages first: the checksums of headers are over what is stored.
        let texts: Vec<_> = pages.iter().map(|page| &chunk[page.body.clone()]).collect();
        let bodies = seal_all(context, key, place, 1, &texts, column)?;
        for (header, body) in headers.iter_mut().zip(bodies.iter()) {
            let too_long =
                |_| error_of(Fault::TooLong, column.module(ModuleKind::DataPage), Some(&column.path));
            header.set_i32(COMPRESSED_SIZE, i32::try_from(body.len()).map_err(too_long)?);
            if header.has(CRC) {
                header.set_i32(CRC, crc32(body) as i32);
            }
        }
        let texts: Vec<_> = headers.iter().map(Struct::to_bytes).collect();
        let texts: Vec<_> = texts.iter().map(Vec::as_slice).collect();
        let sealed = seal_all(context, key, place, 0, &texts, column)?;
        self.report.sealed += 2 * pages.len() as u64;
        let mut written = Vec::with_capacity(pages.len());
        for ((header, body), parsed) in sealed.iter().zip(bodies.iter()).zip(&headers) {
            self.target.write(header)?;
            self.target.write(body)?;
            let uncompressed = parsed.i32(UNCOMPRESSED_SIZE)?.unwrap_or(0).max(0) as u64;
            written.push(Written { header: header.len() as u64, body: body.len() as u64, uncompressed });
        }
        Ok(written)
    }

    fn write_plain_pages(
        &mut self,
        chunk: &[u8],
        pages: &[Page],
        headers: Vec<Struct<'_>>,
    ) -> Result<Vec<Written>, Error> {
        use field::page::{COMPRESSED_SIZE, CRC, UNCOMPRESSED_SIZE};
        let mut written = Vec::with_capacity(pages.len());
        for (page, mut header) in pages.iter().zip(headers) {
            let body = &chunk[page.body.clone()];
            let len =
                i32::try_from(body.len()).map_err(|_| Error::Metadata("a page has 2^31 bytes or more"))?;
            header.set_i32(COMPRESSED_SIZE, len);
            if header.has(CRC) {
                header.set_i32(CRC, crc32(body) as i32);
            }
            let bytes = header.to_bytes();
            self.target.write(&bytes)?;
            self.target.write(body)?;
            let uncompressed = header.i32(UNCOMPRESSED_SIZE)?.unwrap_or(0).max(0) as u64;
            written.push(Written { header: bytes.len() as u64, body: body.len() as u64, uncompressed });
        }
        Ok(written)
    }

    /// Writes a part outside of chunks, encrypted if the column is to be, and returns where it lies.
    fn write_text(
        &mut self,
        column: &Column<'_>,
        kind: ModuleKind,
        text: &[u8],
    ) -> Result<(i64, i32), Error> {
        let offset = self.target.position as i64;
        if let Some((sealing, key)) = self.sealing.as_ref().zip(column.sealing) {
            let module =
                seal_module(&sealing.context, key.key(), column.module(kind), text, Some(&column.path))?;
            self.target.write(&module)?;
            self.report.sealed += 1;
        } else {
            self.target.write(text)?;
        }
        let len = i32::try_from(self.target.position as i64 - offset);
        Ok((offset, len.map_err(|_| column.malformed(kind, "it has 2^31 bytes or more"))?))
    }

    fn copy_bloom_filter(&mut self, column: &mut Column<'_>) -> Result<(), Error> {
        use field::column::{BLOOM_FILTER_LENGTH, BLOOM_FILTER_OFFSET};
        let Some(offset) = column.metadata.i64(BLOOM_FILTER_OFFSET)? else { return Ok(()) };
        let (head, bits) = (ModuleKind::BloomFilterHeader, ModuleKind::BloomFilterBitset);
        let left = (self.source.data_end as i64).saturating_sub(offset);
        let (header, start) = if column.opening.is_some() {
            let size = self.module_size(column, head, offset)?;
            (self.source.text(column, head, (offset, size), &mut self.report)?, offset + size)
        } else {
            let len = left.min(BLOOM_HEADER as i64);
            let mut bytes = self.source.read(offset, len)?.map_err(|what| column.malformed(head, what))?;
            let mut rest = bytes.as_slice();
            Struct::take(&mut rest).map_err(|Bad(what)| column.malformed(head, what))?;
            let len = bytes.len() - rest.len();
            bytes.truncate(len);
            (bytes, offset + len as i64)
        };
        let num_bytes = Struct::parse(&header).and_then(|header| header.i32(field::bloom::NUM_BYTES));
        let num_bytes = num_bytes.map_err(|Bad(what)| column.malformed(head, what))?.unwrap_or(0);
        let size =
            if column.opening.is_some() { self.module_size(column, bits, start)? } else { num_bytes.into() };
        let bitset = self.source.text(column, bits, (start, size), &mut self.report)?;
        if i64::try_from(bitset.len()) != Ok(num_bytes.into()) {
            return Err(column.malformed(bits, "it has another length than its header says"));
        }
        let (offset, header_len) = self.write_text(column, head, &header)?;
        let (_, bitset_len) = self.write_text(column, bits, &bitset)?;
        let len = header_len.checked_add(bitset_len);
        column.metadata.set_i64(BLOOM_FILTER_OFFSET, offset);
        let len = len.ok_or_else(|| column.malformed(bits, "it has 2^31 bytes or more"))?;
        column.metadata.set_i32(BLOOM_FILTER_LENGTH, len);
        Ok(())
    }

    /// Returns the length of a module by its length field.
    fn module_size(&mut self, column: &Column<'_>, kind: ModuleKind, offset: i64) -> Result<i64, Error> {
        let len = self.source.read(offset, LENGTH as i64)?.map_err(|what| column.malformed(kind, what))?;
        let len = len.first_chunk().map_or(0, |len| u32::from_le_bytes(*len));
        Ok(i64::from(len) + LENGTH as i64)
    }

    fn copy_index(&mut self, column: &mut Column<'_>, kind: ModuleKind) -> Result<(), Error> {
        use field::chunk::{COLUMN_INDEX, OFFSET_INDEX};
        let id = if kind == ModuleKind::OffsetIndex { OFFSET_INDEX } else { COLUMN_INDEX };
        let (Some(offset), Some(len)) = (column.chunk.i64(id)?, column.chunk.i32(id + 1)?) else {
            column.chunk.retain(|field| field != id && field != id + 1);
            return Ok(());
        };
        let mut text = self.source.text(column, kind, (offset, len.into()), &mut self.report)?;
        if kind == ModuleKind::OffsetIndex {
            text = moved_locations(&text, column)?;
        }
        let (offset, len) = self.write_text(column, kind, &text)?;
        column.chunk.set_i64(id, offset);
        column.chunk.set_i32(id + 1, len);
        Ok(())
    }

    /// Returns the row group as it is written.
    fn row_group(
        &mut self,
        mut row_group: Struct<'_>,
        number: u16,
        columns: Vec<Column<'_>>,
    ) -> Result<Vec<u8>, Error> {
        use field::column::{COMPRESSED_SIZE, DATA_PAGE_OFFSET, DICTIONARY_PAGE_OFFSET, UNCOMPRESSED_SIZE};
        use field::row_group::{COLUMNS, FILE_OFFSET, ORDINAL, TOTAL_BYTE_SIZE, TOTAL_COMPRESSED_SIZE};
        let (mut uncompressed, mut compressed, mut start) = (0_i64, 0_i64, None);
        let mut written = Vec::with_capacity(columns.len());
        for column in columns {
            let sum = |total: i64, more| {
                total.checked_add(more).ok_or(Error::Metadata("sizes have more than 63 bits"))
            };
            uncompressed = sum(uncompressed, column.number(UNCOMPRESSED_SIZE)?)?;
            compressed = sum(compressed, column.number(COMPRESSED_SIZE)?)?;
            let dictionary = column.metadata.i64(DICTIONARY_PAGE_OFFSET)?.filter(|offset| *offset > 0);
            let data = column.number(DATA_PAGE_OFFSET)?;
            start.get_or_insert(dictionary.map_or(data, |dictionary| dictionary.min(data)));
            written.push(self.column_chunk(column)?);
        }
        row_group.set_structures(COLUMNS, &written);
        row_group.set_i64(TOTAL_BYTE_SIZE, uncompressed);
        if row_group.has(TOTAL_COMPRESSED_SIZE) {
            row_group.set_i64(TOTAL_COMPRESSED_SIZE, compressed);
        }
        if let (true, Some(start)) = (row_group.has(FILE_OFFSET), start) {
            row_group.set_i64(FILE_OFFSET, start);
        }
        if self.sealing.is_some() {
            row_group.set_i16(ORDINAL, number as i16);
        }
        Ok(row_group.to_bytes())
    }

    /// Returns the column chunk as it is written into the footer.
    fn column_chunk(&mut self, column: Column<'_>) -> Result<Vec<u8>, Error> {
        use field::chunk::{CRYPTO_METADATA, ENCRYPTED_METADATA, FILE_OFFSET, META_DATA};
        use field::column_crypto::{COLUMN_KEY, FOOTER_KEY, KEY_METADATA, PATH};
        let module = column.module(ModuleKind::ColumnMetaData);
        let Column { mut chunk, mut metadata, path, sealing: key, .. } = column;
        // No copy of the metadata is written outside of the footer.
        chunk.set_i64(FILE_OFFSET, 0);
        chunk.remove(CRYPTO_METADATA);
        chunk.remove(ENCRYPTED_METADATA);
        chunk.remove(META_DATA);
        if let Some((sealing, key)) = self.sealing.as_ref().zip(key) {
            let mut crypto = Struct::default();
            match key {
                ColumnKey::Footer(_) => crypto.set_structure(FOOTER_KEY, &Struct::default()),
                ColumnKey::Own(_, key_metadata) => {
                    let mut own = Struct::default();
                    own.set_binaries(PATH, &metadata.binaries(field::column::PATH)?.unwrap_or_default());
                    if let Some(key_metadata) = key_metadata {
                        own.set_binary(KEY_METADATA, key_metadata);
                    }
                    crypto.set_structure(COLUMN_KEY, &own);
                }
            }
            chunk.set_structure(CRYPTO_METADATA, &crypto);
            let encrypted_footer = sealing.encryption.encrypted_footer;
            if matches!(key, ColumnKey::Own(..)) || !encrypted_footer {
                let text = metadata.to_bytes();
                let sealed = seal_module(&sealing.context, key.key(), module, &text, Some(&path))?;
                chunk.set_binary(ENCRYPTED_METADATA, &sealed);
                self.report.sealed += 1;
                if encrypted_footer {
                    return Ok(chunk.to_bytes());
                }
                metadata.retain(|id| field::column::IN_CLEAR.contains(&id));
            }
        }
        chunk.set_structure(META_DATA, &metadata);
        Ok(chunk.to_bytes())
    }
}
