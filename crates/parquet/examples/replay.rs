//! The time of the modules of a file, replayed from memory: `replay FILE KEY [PREFIX]`, the key of a uniformly encrypted file in
//! hexadecimal digits.
//!
//! A pass makes the keys, copies the column chunks, and opens all of their modules. Then the headers of pages alone are copied and
//! opened. The best of many passes counts. Without arguments it makes modules of its own, of lengths as PyArrow writes them.

use std::error::Error;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::time::Instant;

use abreast_parquet::{
    Access, Algorithm, ChunkPlace, FileContext, Job, Keys, Module, ModuleKey, ModuleKind, TAG, read_footer,
};

/// Passes, of which the best counts.
const PASSES: usize = 30;
/// Chunks and their pages where there is no file: 200 MB.
const CHUNKS: u16 = 60;
const PAGES: u16 = 50;

type Chunks = Vec<(ChunkPlace, Vec<u8>)>;
/// Modules as they are stored, chunk by chunk.
type Modules = Vec<Vec<(Module, Vec<u8>)>>;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let digits = arguments.get(1).map_or("000102030405060708090a0b0c0d0e0f", String::as_str);
    let digit = |at: usize| digits.get(at..at + 2).map(|two| u8::from_str_radix(two, 16));
    let key: Vec<u8> = (0..digits.len()).step_by(2).map_while(digit).collect::<Result<_, _>>()?;
    let (context, chunks) = match arguments.first() {
        Some(path) => of_file(path, &key, arguments.get(2).map(String::as_bytes))?,
        None => made(&key)?,
    };
    let headers = headers(&context, &key, &chunks)?;
    let bytes: usize = chunks.iter().map(|(_, chunk)| chunk.len()).sum();
    let modules = 2 * headers.iter().map(Vec::len).sum::<usize>();
    println!("{} chunks, {modules} modules, {bytes} bytes, {}", chunks.len(), context.algorithm().name());

    let mut scratch = Vec::new();
    let all = best(|| {
        let key = ModuleKey::new(&key)?;
        for (place, chunk) in &chunks {
            context.open_chunk_to(&key, *place, chunk, &mut scratch)?;
        }
        Ok(())
    })?;
    println!("all modules       {:8.3} ms, {:6.2} GB/s", all * 1e3, bytes as f64 / all / 1e9);
    let short = best(|| {
        let key = ModuleKey::new(&key)?;
        for headers in &headers {
            let mut copies: Vec<_> = headers.iter().map(|(_, bytes)| bytes.clone()).collect();
            let jobs = headers.iter().zip(&mut copies);
            let mut jobs: Vec<_> = jobs.map(|((module, _), copy)| Job::new(&key, *module, copy)).collect();
            context.open(&mut jobs);
            jobs.iter().try_for_each(|job| job.result)?;
        }
        Ok(())
    })?;
    println!("headers of pages  {:8.3} ms, {:6.1} ns each", short * 1e3, 2e9 * short / modules as f64);
    Ok(())
}

/// Returns the seconds of the best pass.
fn best(mut pass: impl FnMut() -> Result<(), Box<dyn Error>>) -> Result<f64, Box<dyn Error>> {
    let mut best = f64::INFINITY;
    for _ in 0..PASSES {
        let start = Instant::now();
        pass()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best)
}

/// Reads the encrypted chunks of a file.
fn of_file(path: &str, key: &[u8], prefix: Option<&[u8]>) -> Result<(FileContext, Chunks), Box<dyn Error>> {
    let mut file = BufReader::new(File::open(path)?);
    let keys = Keys::new().footer(key)?;
    let footer = read_footer(&mut file, Access { aad_prefix: prefix, ..Access::new(&keys) })?;
    let mut chunks = Vec::new();
    for chunk in footer.chunks.iter().filter(|chunk| chunk.key.is_some()) {
        let mut bytes = vec![0; usize::try_from(chunk.range.end - chunk.range.start)?];
        file.seek(SeekFrom::Start(chunk.range.start))?;
        file.read_exact(&mut bytes)?;
        chunks.push((chunk.place, bytes));
    }
    Ok((footer.context, chunks))
}

/// Makes chunks of pages of 10 to 420 kilobytes after headers of 17 to 94 bytes.
fn made(key: &[u8]) -> Result<(FileContext, Chunks), Box<dyn Error>> {
    let context = FileContext::new(Algorithm::AesGcmV1, b"", b"12345678");
    let key = ModuleKey::new(key)?;
    let mut chunks = Vec::new();
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    for row_group in 0..CHUNKS {
        let mut chunk = Vec::new();
        for page in 0..PAGES {
            let lengths = [17 + random() % 78, (10_000 << (random() % 5)) + random() % 10_000];
            for (kind, len) in [ModuleKind::DataPageHeader, ModuleKind::DataPage].into_iter().zip(lengths) {
                let module = Module { kind, row_group, column: 0, page };
                let start = chunk.len();
                chunk.resize(start + context.algorithm().overhead(kind) + len, row_group as u8);
                let mut jobs = [Job::new(&key, module, &mut chunk[start..])];
                context.seal(&mut jobs)?;
                jobs[0].result?;
            }
        }
        chunks.push((ChunkPlace { row_group, column: 0, dictionary: false }, chunk));
    }
    Ok((context, chunks))
}

/// Returns the modules of headers, as they are stored.
fn headers(context: &FileContext, key: &[u8], chunks: &Chunks) -> Result<Modules, Box<dyn Error>> {
    let key = ModuleKey::new(key)?;
    let of_chunk = |(place, chunk): &(ChunkPlace, Vec<u8>)| {
        let pages = context.open_chunk(&key, *place, &mut chunk.clone())?;
        let first = u16::from(place.dictionary);
        let header = |(number, page): (u16, &abreast_parquet::Page)| {
            let kind = match page.dictionary {
                true => ModuleKind::DictionaryPageHeader,
                false => ModuleKind::DataPageHeader,
            };
            let ChunkPlace { row_group, column, .. } = *place;
            let module = Module { kind, row_group, column, page: number.saturating_sub(first) };
            (module, chunk[page.stored.start..page.header.end + TAG].to_vec())
        };
        Ok((0..).zip(&pages).map(header).collect())
    };
    chunks.iter().map(of_chunk).collect()
}
