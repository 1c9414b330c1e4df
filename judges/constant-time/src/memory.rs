//! The memory of another process: the parts that it may write, piece by piece.

use std::fs::{File, read_to_string};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// A piece of memory and its contents.
pub(crate) struct Piece {
    /// Its first address.
    pub(crate) start: u64,
    /// The kernel's name for it: `[heap]`, `[stack]`, a file, or nothing.
    pub(crate) name: String,
    /// The contents.
    pub(crate) bytes: Vec<u8>,
}

/// All that a process may write. It has to be stopped.
pub(crate) fn of(process: u32) -> io::Result<Vec<Piece>> {
    let folder = Path::new("/proc").join(process.to_string());
    let memory = File::open(folder.join("mem"))?;
    let mut pieces = Vec::new();
    for line in read_to_string(folder.join("maps"))?.lines() {
        let mut fields = line.split_whitespace();
        let (range, rights) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        let name = fields.nth(3).unwrap_or_default().to_owned();
        let address = |text: &str| u64::from_str_radix(text, 16).map_err(io::Error::other);
        let Some((start, end)) = range.split_once('-') else { continue };
        let (start, end) = (address(start)?, address(end)?);
        if !rights.starts_with("rw") || name.starts_with("[v") {
            continue;
        }
        let mut bytes = vec![0; usize::try_from(end - start).map_err(io::Error::other)?];
        memory.read_exact_at(&mut bytes, start)?;
        pieces.push(Piece { start, name, bytes });
    }
    if pieces.is_empty() { Err(io::Error::other("a process without memory")) } else { Ok(pieces) }
}
