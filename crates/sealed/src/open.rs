//! Opening and verifying, whole or in ranges.

use std::num::NonZeroUsize;
use std::ops::{Bound, RangeBounds};

use zeroize::Zeroizing;

use crate::at::fill;
use crate::chunks::FileCipher;
use crate::format::{AGS1_HEADER_LEN, Format};
use crate::layout::Layout;
use crate::stream::{self, SealedLength};
use crate::workers::{self, Job, Run, Transformed};
use crate::{Error, FileKey, Header, Input, Key, Output, Progress, ReadAt};

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
    /// The trusted length of a stream of AGS1. Cobblestone authenticates its length.
    pub(crate) length: SealedLength,
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
        let (cipher, body_offset) = (header.unlock(key)?, header.body_offset());
        Ok(Opener { cipher, body_offset, length: SealedLength::Unknown })
    }

    /// Opens the stream of [`Format::Ags1`] with this header and these keys. That they are the right ones shows in its first block.
    ///
    /// ```
    /// use abreast_sealed::ags1::{self, SealedLength};
    /// use abreast_sealed::{Error, FileKey, Input, Opener, Output};
    /// use std::num::NonZeroUsize;
    ///
    /// let message = vec![1; 3 << 20];
    /// let stream = ags1::seal(&[7; 32], b"prefix", &message)?;
    /// let length = SealedLength::Trusted(stream.len() as u64);
    /// let opener = Opener::ags1(&ags1::Header::read_at(&stream)?, &FileKey::ags1(&[7; 32], b"prefix")?, length)?;
    /// opener.open(Input::At(&stream), Output::Nothing, NonZeroUsize::MIN, &())?;
    ///
    /// // Two of its three blocks would open.
    /// let cut = stream[..ags1::HEADER + 2 * ags1::SEALED_BLOCK].to_vec();
    /// let outcome = opener.open(Input::At(&cut), Output::Nothing, NonZeroUsize::MIN, &());
    /// assert!(matches!(outcome, Err(Error::SealedLength { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OtherFormat`] if these are keys of a file of another format.
    pub fn ags1(header: &stream::Header, keys: &FileKey, length: SealedLength) -> Result<Opener, Error> {
        // A proof alone: there is nothing else in it.
        let _ = header;
        if keys.format() != Format::Ags1 {
            return Err(Error::OtherFormat);
        }
        Ok(Opener { cipher: keys.cipher(), body_offset: AGS1_HEADER_LEN as u64, length })
    }

    /// Opens the chunks of the file, with at most `workers` threads. A stream must stand at the first chunk. Each chunk of the
    /// output is authentic; that it is complete is known when this succeeds. With [`Output::Nothing`] the file is verified and
    /// that is all.
    ///
    /// # Errors
    /// [`Error::Chunk`] with the number of the first chunk that was changed, [`Error::LastChunk`] if the file ends with that
    /// one; [`Error::Truncated`] if the input ends where no sealed file does; [`Error::InputChanged`] if it became shorter on
    /// the way; [`Error::Read`] and [`Error::Write`]. With [`Format::Ags1`] [`Error::Block`] for a changed block, and
    /// [`Error::SealedLength`] if the stream has another length than the trusted one. A stream has received the chunks before the first bad one; output
    /// elsewhere must be discarded.
    pub fn open(
        &self,
        input: Input<'_>,
        output: Output<'_>,
        workers: NonZeroUsize,
        progress: &dyn Progress,
    ) -> Result<(), Error> {
        let window = Window { first: 0, whole: true, start: 0, end: u64::MAX };
        self.whole(input, |input, stop| self.open_window(&window, stop, input, output, workers, progress))
    }

    /// Runs work on all of a file, of which a trusted length is compared with its own: before the work, and where the file is a
    /// stream, after it. The work is told where to stop, and returns the number of bytes of the body that there were.
    pub(crate) fn whole(
        &self,
        mut input: Input<'_>,
        work: impl FnOnce(Input<'_>, u64) -> Result<u64, Error>,
    ) -> Result<(), Error> {
        let SealedLength::Trusted(trusted) = self.length else { return work(input, u64::MAX).map(drop) };
        if let Input::At(file) = &input {
            self.check_length(file.size().map_err(Error::Read)?)?;
        }
        let lent = match &mut input {
            Input::At(file) => Input::At(*file),
            Input::Stream(stream) => Input::Stream(&mut **stream),
        };
        let read = work(lent, trusted)?;
        self.check_length(self.body_offset + read)?;
        if let Input::Stream(stream) = &mut input
            && fill(&mut [0], |byte, _| stream.read(byte)).map_err(Error::Read)? > 0
        {
            return Err(Error::SealedLength { trusted, found: None });
        }
        Ok(())
    }

    /// Compares the length of a file with the trusted one, if there is one.
    fn check_length(&self, found: u64) -> Result<(), Error> {
        match self.length {
            SealedLength::Trusted(trusted) if trusted != found => {
                Err(Error::SealedLength { trusted, found: Some(found) })
            }
            _ => Ok(()),
        }
    }

    /// Opens a range of the plaintext, in bytes. Reads the chunks that hold it and, before them, the last one,
    /// without which the length of the file would not be authenticated. The output begins with the range. Of a stream of
    /// [`Format::Ags1`], nothing but the blocks that hold the range is read, and for an empty range the last one.
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
        self.check_length(length)?;
        let body = length.checked_sub(self.body_offset).ok_or(Error::Truncated)?;
        let layout = Layout::of_body(self.cipher.format(), body)?;
        let marks_its_end = layout.format == Format::Cobblestone;
        if marks_its_end {
            self.check_last_chunk(&layout, file)?;
        }
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
            // No bytes, and the key is the right one all the same.
            return if marks_its_end { Ok(()) } else { self.check_last_chunk(&layout, file) };
        }
        let shape = self.cipher.shape();
        let chunk = shape.chunk as u64;
        let stop = end.div_ceil(chunk);
        let window = Window { first: start / chunk, whole: stop == layout.chunks, start, end };
        let stop = (self.body_offset + stop * shape.sealed_chunk() as u64).min(length);
        self.open_window(&window, stop, Input::At(file), output, workers, progress).map(drop)
    }

    /// Authenticates the last chunk of the file, and with it the number of chunks where the format marks its end.
    fn check_last_chunk(&self, layout: &Layout, file: &dyn ReadAt) -> Result<(), Error> {
        let index = layout.chunks - 1;
        let mut sealed = vec![0; layout.last];
        let offset = self.body_offset + index * self.cipher.shape().sealed_chunk() as u64;
        let read = fill(&mut sealed, |rest, done| file.read_at(rest, offset + done)).map_err(Error::Read)?;
        if read < sealed.len() {
            return Err(Error::InputChanged);
        }
        let mut plain = Zeroizing::new(vec![0; layout.last]);
        self.cipher.open_chunks(index, &sealed, true, &mut plain).map(drop)
    }

    /// Opens the chunks of a window, and returns the number of bytes read. The input is not read beyond `stop`.
    fn open_window(
        &self,
        window: &Window,
        stop: u64,
        input: Input<'_>,
        output: Output<'_>,
        workers: NonZeroUsize,
        progress: &dyn Progress,
    ) -> Result<u64, Error> {
        let shape = self.cipher.shape();
        let size = match &input {
            Input::At(file) if stop == u64::MAX => file.size().unwrap_or(u64::MAX),
            _ => stop,
        };
        let job = Job {
            shape,
            run: shape.sealed_run(),
            result: shape.run(),
            start: self.body_offset + window.first * shape.sealed_chunk() as u64,
            end: stop,
            size,
        };
        let open = |run: Run<'_>, out: &mut [u8]| {
            let first = window.first + run.index * shape.run_chunks as u64;
            let last = run.last && window.whole;
            if !last && !run.bytes.len().is_multiple_of(shape.sealed_chunk()) {
                return Transformed { range: 0..0, offset: 0, error: Some(Error::InputChanged) };
            }
            let opened = self.cipher.open_run(first, run.bytes, last, out);
            let start = first * shape.chunk as u64;
            let end = start + opened.len as u64;
            let from = window.start.clamp(start, end);
            let to = window.end.clamp(start, end);
            Transformed {
                range: (from - start) as usize..(to - start) as usize,
                offset: from.saturating_sub(window.start),
                error: opened.error,
            }
        };
        workers::work(&job, input, output, workers, progress, &open)
    }
}
