//! Pages of a column chunk in clear, and modules that are made of them.

use crate::batch::{FileContext, Job, ModuleKey};
use crate::chunk::{ChunkPlace, Page, error_of};
use crate::error::{Error, Place};
use crate::footer::field;
use crate::module::ModuleKind;
use crate::source::{Column, Pages};
use crate::thrift::{Bad, Struct};

/// The sizes of a page that was written.
pub(super) struct Written {
    pub(super) header: u64,
    pub(super) body: u64,
    pub(super) uncompressed: u64,
}

/// Modules one after the other, with the end of each.
pub(super) struct Modules {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Modules {
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.bytes[start..*end])
    }
}

/// Encrypts the headers (part 0) or bodies (part 1) of the pages of a chunk.
pub(super) fn seal_all(
    context: &FileContext,
    key: &ModuleKey,
    place: ChunkPlace,
    part: usize,
    texts: &[&[u8]],
    column: &Column<'_>,
) -> Result<Modules, Error> {
    let algorithm = context.algorithm();
    let mut modules = Vec::with_capacity(texts.len());
    for number in 0..texts.len() {
        modules.push(place.modules(number)?[part]);
    }
    let len =
        texts.iter().zip(&modules).map(|(text, module)| text.len() + algorithm.overhead(module.kind)).sum();
    let mut sealed = Modules { bytes: vec![0; len], ends: Vec::with_capacity(texts.len()) };
    let (mut rest, mut end) = (sealed.bytes.as_mut_slice(), 0);
    let mut jobs = Vec::with_capacity(texts.len());
    for (text, module) in texts.iter().zip(modules) {
        let len = text.len() + algorithm.overhead(module.kind);
        let (buffer, more) = std::mem::take(&mut rest).split_at_mut(len);
        rest = more;
        end += len;
        sealed.ends.push(end);
        if let Some(at) = algorithm.text(module.kind, len) {
            buffer[at].copy_from_slice(text);
        }
        jobs.push(Job::new(key, module, buffer));
    }
    context.seal(&mut jobs)?;
    for job in &jobs {
        job.result.map_err(|fault| error_of(fault, job.module, Some(&column.path)))?;
    }
    drop(jobs);
    Ok(sealed)
}

/// The kinds of pages in their headers.
mod page_type {
    pub(super) const DATA: i32 = 0;
    pub(super) const DICTIONARY: i32 = 2;
    pub(super) const DATA_V2: i32 = 3;
}

/// Returns the pages of a chunk in clear. It begins with a dictionary page if that is its first one, since old writers do not say so
/// in the metadata.
pub(super) fn plain_pages(
    chunk: &[u8],
    place: &mut ChunkPlace,
    column: &Column<'_>,
) -> Result<Vec<Page>, Error> {
    use field::page::{COMPRESSED_SIZE, TYPE};
    let malformed = |what| column.malformed(ModuleKind::DataPageHeader, what);
    let mut pages = Vec::new();
    let mut rest = chunk;
    while !rest.is_empty() {
        let start = chunk.len() - rest.len();
        let header = Struct::take(&mut rest).map_err(|Bad(what)| malformed(what))?;
        let body = chunk.len() - rest.len();
        let size = header.i32(COMPRESSED_SIZE)?.and_then(|size| usize::try_from(size).ok());
        let more = size.and_then(|size| rest.get(size..));
        rest = more.ok_or_else(|| malformed("its page is longer than the column chunk"))?;
        let end = chunk.len() - rest.len();
        let dictionary = pages.is_empty() && header.i32(TYPE)? == Some(page_type::DICTIONARY);
        pages.push(Page { dictionary, stored: start..end, header: start..body, body: body..end });
    }
    place.dictionary = pages.first().is_some_and(|page| page.dictionary);
    Ok(pages)
}

/// Parses the headers of pages, and compares them with the pages.
pub(super) fn headers<'c>(
    chunk: &'c [u8],
    pages: &[Page],
    place: ChunkPlace,
    overhead: usize,
    column: &Column<'_>,
) -> Result<Vec<Struct<'c>>, Error> {
    use field::page::{COMPRESSED_SIZE, TYPE};
    let mut headers = Vec::with_capacity(pages.len());
    for (number, page) in pages.iter().enumerate() {
        let module = place.modules(number)?[0];
        let malformed = |what| {
            let path = Some(column.path.clone());
            Error::Malformed { place: Place { module, path }, what }
        };
        let header = Struct::parse(&chunk[page.header.clone()]).map_err(|Bad(what)| malformed(what))?;
        match header.i32(TYPE)? {
            Some(page_type::DICTIONARY) if page.dictionary => {}
            Some(page_type::DATA | page_type::DATA_V2) if !page.dictionary => {}
            Some(page_type::DATA..=page_type::DATA_V2) => {
                return Err(malformed("its page is of another kind than its place in the column says"));
            }
            _ => return Err(malformed("its page is of an unknown kind")),
        }
        let stored = page.body.len() + overhead;
        if header.i32(COMPRESSED_SIZE)?.and_then(|size| usize::try_from(size).ok()) != Some(stored) {
            return Err(malformed("its page has another length than it says"));
        }
        headers.push(header);
    }
    Ok(headers)
}

/// Returns an offset index with the new places of its pages.
pub(super) fn moved_locations(text: &[u8], column: &Column<'_>) -> Result<Vec<u8>, Error> {
    use field::offset_index::{COMPRESSED_PAGE_SIZE, OFFSET, PAGE_LOCATIONS};
    let malformed = |what| column.malformed(ModuleKind::OffsetIndex, what);
    let mut index = Struct::parse(text).map_err(|Bad(what)| malformed(what))?;
    let mut locations = index.structures(PAGE_LOCATIONS)?.unwrap_or_default();
    if matches!(&column.pages, Pages::Moved(pages) if pages.len() != locations.len()) {
        return Err(malformed("it has another number of pages than the column"));
    }
    for (number, location) in locations.iter_mut().enumerate() {
        let offset = location.i64(OFFSET)?;
        let offset = match &column.pages {
            Pages::Shifted(shift) => offset.and_then(|offset| offset.checked_add(*shift)),
            Pages::Moved(pages) => {
                let page = pages.get(number).filter(|page| offset == Some(page.from));
                if let Some(page) = page {
                    location.set_i32(COMPRESSED_PAGE_SIZE, page.size);
                }
                page.map(|page| page.to)
            }
        };
        location.set_i64(OFFSET, offset.ok_or_else(|| malformed("a page does not begin where it says"))?);
    }
    let locations: Vec<_> = locations.iter().map(Struct::to_bytes).collect();
    index.set_structures(PAGE_LOCATIONS, &locations);
    Ok(index.to_bytes())
}
