//! The parts of a plan, sealed and opened each on its own or several at once.

use std::num::NonZeroUsize;
use std::ops::Range;

use zeroize::Zeroize;

use crate::at::fill;
use crate::chunks::{FileCipher, Framing};
use crate::filekey::same;
use crate::format::SALT;
use crate::plan::{Plan, PlannedPart};
use crate::stream;
use crate::workers::{self, Job, Run, Transformed};
use crate::{Error, Input, Output, Progress, ReadAt};

impl FileCipher {
    /// Seals a part of a plan into the beginning of `out`, and returns the number of bytes, which is the length of
    /// [`PlannedPart::sealed`]. `plain` is the part's bytes of the message. The first part begins with the header.
    ///
    /// # Errors
    /// [`Error::PartLength`] if `plain` has another length than [`PlannedPart::plain`]; [`Error::BufferTooShort`] if
    /// `out` has no room.
    pub fn seal_part(&self, part: &PlannedPart, plain: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        check_len(&part.plain, plain.len())?;
        let header = self.head_of(part);
        let needed =
            self.format().sealed_len(part.first_chunk, plain.len(), part.last)?.saturating_add(header.len());
        check_len(&part.sealed, needed)?;
        let out = out.get_mut(..needed).ok_or(Error::BufferTooShort(needed))?;
        let (head, body) = out.split_at_mut(header.len());
        let sealed = self.seal_chunks(part.first_chunk, plain, part.last, body)?;
        head.copy_from_slice(header);
        Ok(header.len() + sealed)
    }

    /// Opens a part of a plan into the beginning of `out`, and returns the number of bytes of the message, which is the length
    /// of [`PlannedPart::plain`]. `sealed` is the part's bytes of the file.
    ///
    /// A file is authentic as a whole if all parts of its plan have been opened.
    ///
    /// # Errors
    /// [`Error::WrongKey`] and [`Error::NotAgs1`] if the file begins with another header than this cipher's; [`Error::Chunk`],
    /// [`Error::LastChunk`] and [`Error::Block`] as with [`open_chunks`](FileCipher::open_chunks); [`Error::PartLength`] if `sealed` has
    /// another length than [`PlannedPart::sealed`]; [`Error::BufferTooShort`] if `out` has no room. Nothing of the part
    /// is left in `out` then.
    pub fn open_part(&self, part: &PlannedPart, sealed: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        let body = self.body_of(part, sealed)?;
        self.open_chunks(part.first_chunk, body, part.last, out)
    }

    /// Replaces a sealed part by the same part under the keys of another file, in place. This changes the key of a file, and
    /// its message is never in memory except in this buffer, a chunk at a time. The header of the first part becomes that of
    /// the other file. The keys may be for another AEAD.
    ///
    /// # Errors
    /// The errors of [`open_part`](FileCipher::open_part), and [`Error::OtherFormat`] if the other file is of another format. After
    /// [`Error::Chunk`], [`Error::LastChunk`] and [`Error::Block`] the buffer holds zeros; after others it is unchanged.
    pub fn reseal_part(&self, to: &FileCipher, part: &PlannedPart, in_out: &mut [u8]) -> Result<(), Error> {
        self.same_format(to)?;
        let (shape, len) = (self.shape(), self.body_of(part, in_out)?.len());
        shape.number_after(part.first_chunk, len, shape.sealed_chunk())?;
        let head = to.head_of(part);
        in_out[..head.len()].copy_from_slice(head);
        let body = &mut in_out[head.len()..];
        self.reseal_run(to, part.first_chunk, body, part.last).inspect_err(|_| in_out.zeroize())
    }

    /// Returns the chunks of a sealed part, if it has the length and the header that it should have.
    fn body_of<'a>(&self, part: &PlannedPart, sealed: &'a [u8]) -> Result<&'a [u8], Error> {
        check_len(&part.sealed, sealed.len())?;
        let wrong =
            || Error::PartLength { planned: part.sealed.end - part.sealed.start, found: sealed.len() };
        let (head, body) = sealed.split_at_checked(self.head_of(part).len()).ok_or_else(wrong)?;
        check_len(&part.plain, self.format().opened_len(part.first_chunk, body.len(), part.last)?)?;
        match (&self.framing, head.try_into()) {
            (Framing::Cobblestone { header, .. }, Ok(head)) => same(header, head)?,
            (Framing::Ags1 { .. }, _) if !head.is_empty() => stream::Header::from_bytes(head).map(drop)?,
            _ => {}
        }
        Ok(body)
    }

    /// Returns the header that a part begins with: all or none of it.
    fn head_of(&self, part: &PlannedPart) -> &[u8] {
        if part.sealed.contains(&0) { self.framing.header() } else { &[] }
    }

    /// Seals some parts of a plan that follow each other, by at most `workers` threads and in constant memory, and says
    /// how many bytes of the message they have. The output begins with the first of them: the outputs of all parts, put
    /// together in their order, are the sealed file. `file` is the whole message.
    ///
    /// The message must be the same for whoever seals parts by one plan: see [`Plan`].
    ///
    /// ```
    /// use abreast_sealed::{Aead, FileKey, Key, Limits, Output, Plan};
    /// use std::num::NonZeroUsize;
    ///
    /// let (key, message) = (Key::generate(Aead::Aes256Gcm)?, vec![7; 100_000]);
    /// let limits = Limits { min_part: 0, preferred_part: 32 << 10, ..Limits::default() };
    /// let plan = Plan::new(message.len() as u64, limits)?;
    /// let cipher = FileKey::of_plan(&key, &plan)?.cipher();
    /// // Two workers, each with a share of the parts.
    /// let mut shares = [Vec::new(), Vec::new()];
    /// for (number, output) in (1..).zip(&mut shares) {
    ///     let parts = plan.share(number, 2)?;
    ///     cipher.seal_parts(&plan, parts, &message, Output::Stream(output), NonZeroUsize::MIN, &())?;
    /// }
    /// assert_eq!(abreast_sealed::open(&key, &shares.concat())?, message);
    /// # Ok::<(), abreast_sealed::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OtherSalt`] if the cipher belongs to another salt than the plan's, [`Error::OtherFormat`] if it belongs to another
    /// format; [`Error::OtherLength`] if the message
    /// has another length than the plan says; [`Error::NoSuchPart`]; [`Error::InputChanged`] if it became longer or
    /// shorter on the way; [`Error::Read`] and [`Error::Write`]. The output must be discarded then.
    pub fn seal_parts(
        &self,
        plan: &Plan,
        parts: Range<u32>,
        file: &dyn ReadAt,
        output: Output<'_>,
        workers: NonZeroUsize,
        progress: &dyn Progress,
    ) -> Result<u64, Error> {
        if self.format() != plan.format() {
            return Err(Error::OtherFormat);
        }
        if plan.salt().is_some_and(|salt| self.framing.header()[..SALT] != salt[..]) {
            return Err(Error::OtherSalt);
        }
        let span = plan.span(parts)?;
        let size = || file.size().map_err(Error::Read);
        let found = size()?;
        if found != plan.message_len() {
            return Err(Error::OtherLength { planned: plan.message_len(), found });
        }
        // A file that the system makes up when it is read has bytes and no size.
        if fill(&mut [0], |byte, _| file.read_at(byte, found)).map_err(Error::Read)? > 0 {
            return Err(Error::InputChanged);
        }
        if span.sealed.is_empty() {
            return Ok(0);
        }
        let header = self.head_of(&span);
        let read = self.seal_span(&span, header, Input::At(file), output, workers, progress)?;
        if size()? != found || read != span.plain.end - span.plain.start {
            return Err(Error::InputChanged);
        }
        Ok(read)
    }

    /// Seals a span of the message into an output that begins with it, after `header`, and says how many bytes of the
    /// message it took.
    pub(crate) fn seal_span(
        &self,
        span: &PlannedPart,
        header: &[u8],
        input: Input<'_>,
        mut output: Output<'_>,
        workers: NonZeroUsize,
        progress: &dyn Progress,
    ) -> Result<u64, Error> {
        output.begin(header)?;
        let (start, end) = (span.plain.start, span.plain.end);
        let size = input.size()?;
        let shape = self.shape();
        let job = Job { shape, run: shape.run(), result: shape.sealed_run(), start, end, size };
        let seal = |run: Run<'_>, out: &mut [u8]| {
            let first = run.index * shape.run_chunks as u64;
            let offset = header.len() as u64 + first * shape.sealed_chunk() as u64;
            match self.seal_chunks(span.first_chunk + first, run.bytes, run.last && span.last, out) {
                Ok(len) => Transformed { range: 0..len, offset, error: None },
                // A file that ended within a chunk that is not the last.
                Err(Error::ChunkLength) => {
                    Transformed { range: 0..0, offset, error: Some(Error::InputChanged) }
                }
                Err(error) => Transformed { range: 0..0, offset, error: Some(error) },
            }
        };
        workers::work(&job, input, output, workers, progress, &seal)
    }
}

/// Checks that there are as many bytes as a part has.
fn check_len(planned: &Range<u64>, found: usize) -> Result<(), Error> {
    let planned = planned.end.saturating_sub(planned.start);
    if planned == found as u64 { Ok(()) } else { Err(Error::PartLength { planned, found }) }
}
