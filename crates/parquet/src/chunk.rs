//! Column chunks: their pages, opened side by side.
//!
//! An encrypted chunk is a header and a page in turn, each a module with its length in clear. So its borders are known without
//! a key, and all of its modules are opened in batches where they are.

use std::ops::Range;

use crate::batch::{FileContext, Job, ModuleKey};
use crate::error::Place;
use crate::module::{LENGTH, Module, ModuleKind};
use crate::{Error, Fault};

/// Modules of a window: a header and a page in turn.
const WINDOW: usize = 128;

/// The place of a column chunk in its file. It decides which associated data its modules have.
///
/// ```
/// use abreast_parquet::{Algorithm, ChunkPlace, Error, FileContext, Job, Module, ModuleKey, ModuleKind};
///
/// let context = FileContext::new(Algorithm::AesGcmV1, b"", b"the file's number");
/// let key = ModuleKey::new(b"a key of 16 byte")?;
/// // A chunk of one page: a header and a body, each with 4 + 12 + 16 bytes around it.
/// let mut chunk = [0; 2 * 32 + 5 + 100];
/// let (header, body) = chunk.split_at_mut(32 + 5);
/// context.seal(&mut [
///     Job::new(&key, Module::of_column(ModuleKind::DataPageHeader, 0, 3), header),
///     Job::new(&key, Module::of_column(ModuleKind::DataPage, 0, 3), body),
/// ])?;
///
/// let place = ChunkPlace { row_group: 0, column: 3, dictionary: false };
/// let pages = context.open_chunk(&key, place, &mut chunk.clone())?;
/// assert_eq!((pages.len(), pages[0].header.len(), pages[0].body.len()), (1, 5, 100));
/// // The chunk does not open as one of another column.
/// let moved = context.open_chunk(&key, ChunkPlace { column: 4, ..place }, &mut chunk.clone());
/// assert!(matches!(moved, Err(Error::NotAuthentic(place)) if place.module.column == 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChunkPlace {
    /// The ordinal of the row group.
    pub row_group: u16,
    /// The ordinal of the column, counting leaves of the schema.
    pub column: u16,
    /// True if the chunk begins with a dictionary page, which its metadata says by `dictionary_page_offset`.
    pub dictionary: bool,
}

/// A page of a chunk in memory.
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
/// let chunk = footer.chunks.first().ok_or("no column")?;
/// let stored = &file[chunk.range.start as usize..chunk.range.end as usize];
/// let (key, mut opened) = (chunk.key.as_ref().ok_or("in clear")?, Vec::new());
/// let pages = footer.context.open_chunk_to(key, chunk.place, stored, &mut opened)?;
/// // Pages fill the chunk without a gap, and each has its header in front.
/// assert_eq!((pages[0].stored.start, pages[pages.len() - 1].stored.end), (0, stored.len()));
/// assert!(pages.iter().all(|page| page.header.end < page.body.start && page.body.end < page.stored.end));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// True for the dictionary page.
    pub dictionary: bool,
    /// All bytes of the page and its header as they are stored.
    pub stored: Range<usize>,
    /// The header, a struct of Thrift.
    pub header: Range<usize>,
    /// The page: compressed as the header says.
    pub body: Range<usize>,
}

impl ChunkPlace {
    /// Returns the modules of header and body of a page, counted with the dictionary page.
    ///
    /// # Errors
    /// [`Error::Ordinal`] if the format has no number for the page.
    pub(crate) fn modules(&self, number: usize) -> Result<[Module; 2], Error> {
        let kinds = if self.dictionary && number == 0 {
            [ModuleKind::DictionaryPageHeader, ModuleKind::DictionaryPage]
        } else {
            [ModuleKind::DataPageHeader, ModuleKind::DataPage]
        };
        let page = number - usize::from(self.dictionary && number > 0);
        let page = u16::try_from(page).map_err(|_| Error::Ordinal { of: "data page", found: page })?;
        let Self { row_group, column, .. } = *self;
        Ok(kinds.map(|kind| Module { kind, row_group, column, page }))
    }
}

/// Makes the error about a module of its fault.
pub(crate) fn error_of(fault: Fault, module: Module, path: Option<&str>) -> Error {
    let place = Place { module, path: path.map(str::to_owned) };
    match fault {
        Fault::Length => Error::Malformed { place, what: "its length field does not fit" },
        Fault::NotAuthentic => Error::NotAuthentic(place),
        Fault::TooLong => Error::TooLong(place),
        Fault::Ordinal => {
            let Module { kind, row_group, column, page } = module;
            let all = [("row group", row_group), ("column", column), ("data page", page)];
            let of_kind = if kind.has_page() { 3 } else { 2 };
            let greatest = all[..of_kind].iter().max_by_key(|(_, ordinal)| *ordinal).copied();
            let (of, found) = greatest.unwrap_or(("data page", page));
            Error::Ordinal { of, found: found.into() }
        }
        Fault::KeyUsedUp => Error::KeyUsedUp,
        Fault::NotProcessed => Error::Malformed { place, what: "it was not processed" },
    }
}

/// Takes the buffer of a module from the front of the rest of a chunk, and the module if it lies elsewhere. Nothing needs a key.
fn split_module<'c>(
    rest: &mut &'c mut [u8],
    from: &mut Option<&'c [u8]>,
) -> Option<(&'c mut [u8], Option<&'c [u8]>)> {
    let stored = from.unwrap_or(rest);
    let len = usize::try_from(u32::from_le_bytes(*stored.first_chunk()?)).ok()?.checked_add(LENGTH)?;
    let module = rest.split_off_mut(..len)?;
    match from {
        None => Some((module, None)),
        Some(from) => Some((module, Some(from.split_off(..len)?))),
    }
}

impl FileContext {
    /// Opens all modules of a column chunk where they are, and returns where headers and pages lie in it.
    ///
    /// # Errors
    /// [`Error::Malformed`], [`Error::NotAuthentic`], [`Error::Ordinal`], each about the first module with the fault. Other
    /// modules may have been opened then.
    pub fn open_chunk(
        &self,
        key: &ModuleKey,
        place: ChunkPlace,
        chunk: &mut [u8],
    ) -> Result<Vec<Page>, Error> {
        self.open_modules(key, place, None, chunk)
    }

    /// Opens all modules of a column chunk, such as one in a mapped file, into a buffer, which gets the length of the chunk, and
    /// returns where headers and pages lie in it. Its other bytes have no meaning.
    ///
    /// # Errors
    /// The errors of [`open_chunk`](Self::open_chunk). What lies in the buffer then is not authentic.
    pub fn open_chunk_to(
        &self,
        key: &ModuleKey,
        place: ChunkPlace,
        chunk: &[u8],
        buffer: &mut Vec<u8>,
    ) -> Result<Vec<Page>, Error> {
        buffer.resize(chunk.len(), 0);
        self.open_modules(key, place, Some(chunk), buffer)
    }

    /// Opens all modules of a chunk, where they are or from elsewhere.
    fn open_modules<'c>(
        &self,
        key: &ModuleKey,
        place: ChunkPlace,
        mut from: Option<&'c [u8]>,
        chunk: &'c mut [u8],
    ) -> Result<Vec<Page>, Error> {
        let mut pages = Vec::new();
        let (mut rest, mut start) = (chunk, 0);
        while !rest.is_empty() {
            let mut jobs = Vec::with_capacity(WINDOW);
            while jobs.len() < WINDOW && !rest.is_empty() {
                let modules = place.modules(pages.len())?;
                let mut parts = [const { 0..0 }; 2];
                let page_start = start;
                for (module, part) in modules.into_iter().zip(&mut parts) {
                    let split = split_module(&mut rest, &mut from);
                    let (buffer, stored) = split.ok_or_else(|| error_of(Fault::Length, module, None))?;
                    let text = self.algorithm().text(module.kind, buffer.len());
                    let text = text.ok_or_else(|| error_of(Fault::Length, module, None))?;
                    *part = start + text.start..start + text.end;
                    start += buffer.len();
                    jobs.push(match stored {
                        Some(stored) => Job::from_stored(key, module, stored, buffer),
                        None => Job::new(key, module, buffer),
                    });
                }
                let [header, body] = parts;
                let dictionary = modules[1].kind == ModuleKind::DictionaryPage;
                pages.push(Page { dictionary, stored: page_start..start, header, body });
            }
            self.open(&mut jobs);
            for job in &jobs {
                job.result.map_err(|fault| error_of(fault, job.module, None))?;
            }
        }
        Ok(pages)
    }
}
