//! Opening and verifying, whole or in ranges.

use std::fs::File;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::os::unix::fs::FileExt;

use zeroize::Zeroizing;

use super::chunks::ChunkCipher;
use super::format::{CHUNK, COMMITMENT, HEADER, Layout, SALT, SEALED_CHUNK};
use super::passphrase::{MAGIC, MAX_LINE, PassphraseLine};
use super::workers::{self, PART_CHUNKS, Part, Plan, Transformed};
use super::{ByteRange, Error, Input, Key, Output, Progress};

/// What a sealed file begins with.
#[derive(Debug)]
pub(crate) struct Header {
    /// The passphrase line, if there is one.
    line: Option<PassphraseLine>,
    /// The salt.
    salt: [u8; SALT],
    /// The commitment to the key.
    commitment: [u8; COMMITMENT],
}

impl Header {
    /// Reads the beginning of a sealed file, and no byte more.
    pub(crate) fn read(input: &mut dyn Read) -> Result<Header, Error> {
        let mut start = vec![0; MAGIC.len()];
        read_exact(input, &mut start)?;
        let mut line = None;
        let mut body = 0;
        if start == MAGIC {
            // After a line that has not ended come at least its line feed, the salt and the commitment. So many bytes
            // can be taken in one read, and none of them belongs to the chunks.
            let mut ended = false;
            body = loop {
                if let Some(end) = start.iter().take(MAX_LINE).position(|byte| *byte == b'\n') {
                    break end + 1;
                }
                if start.len() >= MAX_LINE {
                    return Err(Error::PassphraseLine("the passphrase line has no end"));
                }
                if ended {
                    return Err(Error::Truncated);
                }
                ended = !read_more(input, &mut start, 1 + HEADER)?;
            };
            line = Some(PassphraseLine::parse(&start[..body])?);
        }
        let known = start.len() - body;
        if !read_more(input, &mut start, HEADER - known)? {
            return Err(Error::Truncated);
        }
        let (salt, commitment) = start[body..].split_at(SALT);
        let sized = "the header has its length";
        Ok(Header {
            line,
            salt: salt.try_into().expect(sized),
            commitment: commitment.try_into().expect(sized),
        })
    }

    /// The passphrase line, if there is one.
    pub(crate) fn passphrase_line(&self) -> Option<&PassphraseLine> {
        self.line.as_ref()
    }

    /// The line as the file has it, empty if it has none.
    fn context(&self) -> String {
        self.line.as_ref().map(ToString::to_string).unwrap_or_default()
    }

    /// Where the chunks begin.
    pub(crate) fn body_offset(&self) -> u64 {
        (self.context().len() + HEADER) as u64
    }

    /// Checks that the file was sealed with this key.
    pub(crate) fn unlock(&self, key: &Key) -> Result<Opener, Error> {
        self.unlock_in_context(key, self.context().as_bytes())
    }

    /// Checks that the file was sealed with this key and context.
    pub(super) fn unlock_in_context(&self, key: &Key, context: &[u8]) -> Result<Opener, Error> {
        let (cipher, commitment) = ChunkCipher::derive(key, &self.salt, context);
        // Looks at every byte wherever the first difference is.
        let difference = commitment.iter().zip(&self.commitment).fold(0, |sum, (a, b)| sum | (a ^ b));
        if difference != 0 {
            return Err(Error::WrongKey);
        }
        Ok(Opener { cipher, body_offset: self.body_offset() })
    }
}

/// Opens one file.
pub(crate) struct Opener {
    /// What opens the chunks.
    cipher: ChunkCipher,
    /// Where they begin.
    body_offset: u64,
}

/// Which chunks to open, and what of them to put out.
struct Window {
    /// The first chunk.
    first: u64,
    /// Whether the chunks go on to the last one of the file.
    whole: bool,
    /// The bytes of the plaintext to put out.
    start: u64,
    /// Where they end.
    end: u64,
}

impl Opener {
    /// Opens the file from the chunks, which a stream has come to, to its end. Each part of the
    /// output is authentic; that it is complete is known when this succeeds.
    pub(crate) fn open(
        &self,
        input: Input<'_>,
        output: Output<'_>,
        jobs: NonZeroUsize,
        progress: &dyn Progress,
    ) -> Result<(), Error> {
        let window = Window { first: 0, whole: true, start: 0, end: u64::MAX };
        self.open_window(&window, u64::MAX, input, output, jobs, progress)
    }

    /// Opens a range of the plaintext. Reads the chunks that hold it and, before them, the last one,
    /// without which the length of the file is anybody's claim.
    pub(crate) fn open_range(
        &self,
        range: ByteRange,
        file: &File,
        output: Output<'_>,
        jobs: NonZeroUsize,
        progress: &dyn Progress,
    ) -> Result<(), Error> {
        let length = file.metadata().map_err(Error::Read)?.len();
        let layout = Layout::of_body(length.checked_sub(self.body_offset).ok_or(Error::Truncated)?)?;
        self.check_last_chunk(&layout, file)?;
        let end = range.end.unwrap_or(layout.message);
        if end > layout.message || range.start > end {
            return Err(Error::RangeBeyondEnd(layout.message));
        }
        if range.start == end {
            return Ok(());
        }
        let chunk = CHUNK as u64;
        let stop = end.div_ceil(chunk);
        let window =
            Window { first: range.start / chunk, whole: stop == layout.chunks, start: range.start, end };
        let stop = (self.body_offset + stop * SEALED_CHUNK as u64).min(length);
        self.open_window(&window, stop, Input::File(file), output, jobs, progress)
    }

    /// Authenticates the last chunk of the file, and with it the number of chunks.
    fn check_last_chunk(&self, layout: &Layout, file: &File) -> Result<(), Error> {
        let index = layout.chunks - 1;
        let mut sealed = vec![0; layout.last];
        file.read_exact_at(&mut sealed, self.body_offset + index * SEALED_CHUNK as u64)
            .map_err(read_error)?;
        let mut plain = Zeroizing::new(vec![0; layout.last]);
        self.cipher.open_chunks(index, &sealed, true, &mut plain).error.map_or(Ok(()), Err)
    }

    /// Opens the chunks of a window. A file is not read beyond `stop`.
    fn open_window(
        &self,
        window: &Window,
        stop: u64,
        input: Input<'_>,
        output: Output<'_>,
        jobs: NonZeroUsize,
        progress: &dyn Progress,
    ) -> Result<(), Error> {
        let plan = Plan {
            part: PART_CHUNKS * SEALED_CHUNK,
            result: PART_CHUNKS * CHUNK,
            start: self.body_offset + window.first * SEALED_CHUNK as u64,
            end: stop,
        };
        let open = |part: Part<'_>, out: &mut [u8]| {
            let first = window.first + part.index * PART_CHUNKS as u64;
            let last = part.last && window.whole;
            if !last && !part.bytes.len().is_multiple_of(SEALED_CHUNK) {
                return Transformed { range: 0..0, offset: 0, error: Some(Error::InputChanged) };
            }
            let opened = self.cipher.open_chunks(first, part.bytes, last, out);
            let start = first * CHUNK as u64;
            let end = start + opened.len as u64;
            let from = window.start.clamp(start, end);
            let to = window.end.clamp(start, end);
            Transformed {
                range: (from - start) as usize..(to - start) as usize,
                offset: from.saturating_sub(window.start),
                error: opened.error,
            }
        };
        workers::run(&plan, input, output, jobs, progress, &open).map(drop)
    }
}

/// Reads so many bytes more, or as many as there are, and says whether there were that many.
fn read_more(input: &mut dyn Read, bytes: &mut Vec<u8>, more: usize) -> Result<bool, Error> {
    let read = Read::take(&mut *input, more as u64).read_to_end(bytes).map_err(Error::Read)?;
    Ok(read == more)
}

/// Reads all of a buffer; an input that ends within it is no sealed file.
fn read_exact(input: &mut dyn Read, buffer: &mut [u8]) -> Result<(), Error> {
    input.read_exact(buffer).map_err(read_error)
}

/// What an error of a read that must not end early means.
fn read_error(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Error::Truncated,
        _ => Error::Read(error),
    }
}
