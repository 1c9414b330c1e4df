//! Opening and verifying, whole or in ranges.

use std::num::NonZeroUsize;
use std::ops::{Bound, RangeBounds};

use zeroize::Zeroizing;

use crate::at::fill;
use crate::chunks::FileCipher;
use crate::format::{CHUNK, RUN, RUN_CHUNKS, SEALED_CHUNK, SEALED_RUN};
use crate::layout::Layout;
use crate::workers::{self, Job, Run, Transformed};
use crate::{Error, Header, Input, Key, Output, Progress, ReadAt};

/// Opens one file, whole or in ranges.
///
/// ```
/// use abreast_sealed::{Aead, Header, Input, Key, Opener, Output, seal};
/// use std::num::NonZeroUsize;
///
/// let key = Key::generate(Aead::Aes256Gcm)?;
/// let sealed = seal(&key, b"as a stream")?;
/// let mut stream = &sealed[..];
/// let mut message = Vec::new();
/// let opener = Opener::new(&Header::read(&mut stream)?, &key)?;
/// opener.open(Input::Stream(&mut stream), Output::Stream(&mut message), NonZeroUsize::MIN, &())?;
/// assert_eq!(message, b"as a stream");
/// # Ok::<(), abreast_sealed::Error>(())
/// ```
#[derive(Debug)]
pub struct Opener {
    /// The cipher that opens the chunks.
    pub(crate) cipher: FileCipher,
    /// The offset of the first chunk.
    pub(crate) body_offset: u64,
}

/// The chunks to open, and the part of them to put out.
struct Window {
    /// The first chunk.
    first: u64,
    /// True if the chunks go on to the last one of the file.
    whole: bool,
    /// The bytes of the plaintext to put out.
    start: u64,
    /// The offset of their end.
    end: u64,
}

impl Opener {
    /// Opens the file with this header, if it was sealed with this key.
    ///
    /// # Errors
    /// [`Error::WrongKey`] if it was sealed with another key, or the header was changed.
    pub fn new(header: &Header, key: &Key) -> Result<Opener, Error> {
        Ok(Opener { cipher: header.unlock(key)?, body_offset: header.body_offset() })
    }

    /// Opens the chunks of the file, with at most `workers` threads. A stream must stand at the first chunk. Each chunk of the
    /// output is authentic; that it is complete is known when this succeeds. With [`Output::Nothing`] the file is verified and
    /// that is all.
    ///
    /// # Errors
    /// [`Error::Chunk`] with the number of the first chunk that was changed, [`Error::LastChunk`] if the file ends with that
    /// one; [`Error::Truncated`] if the input ends where no sealed file does; [`Error::InputChanged`] if it became shorter on
    /// the way; [`Error::Read`] and [`Error::Write`]. A stream has received the chunks before the first bad one; output
    /// elsewhere must be discarded.
    pub fn open(
        &self,
        input: Input<'_>,
        output: Output<'_>,
        workers: NonZeroUsize,
        progress: &dyn Progress,
    ) -> Result<(), Error> {
        let window = Window { first: 0, whole: true, start: 0, end: u64::MAX };
        self.open_window(&window, u64::MAX, input, output, workers, progress)
    }

    /// Opens a range of the plaintext, in bytes. Reads the chunks that hold it and, before them, the last one,
    /// without which the length of the file would not be authenticated. The output begins with the range.
    ///
    /// # Errors
    /// The errors of [`open`](Opener::open), as far as they show in the bytes read; [`Error::RangeBeyondEnd`] if the range is
    /// not within the message, and [`Error::RangeReversed`] if it ends before it begins.
    pub fn open_range(
        &self,
        range: impl RangeBounds<u64>,
        file: &dyn ReadAt,
        output: Output<'_>,
        workers: NonZeroUsize,
        progress: &dyn Progress,
    ) -> Result<(), Error> {
        let length = file.size().map_err(Error::Read)?;
        let layout = Layout::of_body(length.checked_sub(self.body_offset).ok_or(Error::Truncated)?)?;
        self.check_last_chunk(&layout, file)?;
        let beyond = || Error::RangeBeyondEnd(layout.message);
        let start = match range.start_bound() {
            Bound::Included(start) => *start,
            Bound::Excluded(before) => before.checked_add(1).ok_or_else(beyond)?,
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(last) => last.checked_add(1).ok_or_else(beyond)?,
            Bound::Excluded(end) => *end,
            Bound::Unbounded => layout.message,
        };
        if end > layout.message || start > layout.message {
            return Err(beyond());
        }
        if start > end {
            return Err(Error::RangeReversed);
        }
        if start == end {
            return Ok(());
        }
        let chunk = CHUNK as u64;
        let stop = end.div_ceil(chunk);
        let window = Window { first: start / chunk, whole: stop == layout.chunks, start, end };
        let stop = (self.body_offset + stop * SEALED_CHUNK as u64).min(length);
        self.open_window(&window, stop, Input::At(file), output, workers, progress)
    }

    /// Authenticates the last chunk of the file, and with it the number of chunks.
    fn check_last_chunk(&self, layout: &Layout, file: &dyn ReadAt) -> Result<(), Error> {
        let index = layout.chunks - 1;
        let mut sealed = vec![0; layout.last];
        let offset = self.body_offset + index * SEALED_CHUNK as u64;
        let read = fill(&mut sealed, |rest, done| file.read_at(rest, offset + done)).map_err(Error::Read)?;
        if read < sealed.len() {
            return Err(Error::InputChanged);
        }
        let mut plain = Zeroizing::new(vec![0; layout.last]);
        self.cipher.open_chunks(index, &sealed, true, &mut plain).map(drop)
    }

    /// Opens the chunks of a window. A file is not read beyond `stop`.
    fn open_window(
        &self,
        window: &Window,
        stop: u64,
        input: Input<'_>,
        output: Output<'_>,
        workers: NonZeroUsize,
        progress: &dyn Progress,
    ) -> Result<(), Error> {
        let size = match &input {
            Input::At(file) if stop == u64::MAX => file.size().unwrap_or(u64::MAX),
            _ => stop,
        };
        let job = Job {
            run: SEALED_RUN,
            result: RUN,
            start: self.body_offset + window.first * SEALED_CHUNK as u64,
            end: stop,
            size,
        };
        let open = |run: Run<'_>, out: &mut [u8]| {
            let first = window.first + run.index * RUN_CHUNKS as u64;
            let last = run.last && window.whole;
            if !last && !run.bytes.len().is_multiple_of(SEALED_CHUNK) {
                return Transformed { range: 0..0, offset: 0, error: Some(Error::InputChanged) };
            }
            let opened = self.cipher.open_run(first, run.bytes, last, out);
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
        workers::work(&job, input, output, workers, progress, &open).map(drop)
    }
}
