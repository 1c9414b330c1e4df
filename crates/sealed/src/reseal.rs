//! A file under another key, without its message anywhere but in a buffer.

use std::num::NonZeroUsize;

use crate::workers::{self, Job, Run, Transformed};
use crate::{Error, Input, Opener, Output, Progress, Sealer};

impl Opener {
    /// Seals the chunks of the file again, as the sealer does, which may be for another AEAD. The message is in memory a chunk
    /// at a time. A stream must stand at the first chunk. Works with at most `workers` threads and in constant memory.
    ///
    /// ```
    /// use abreast_sealed::{Aead, Header, Input, Key, Opener, Output, Sealer, open, seal};
    /// use std::num::NonZeroUsize;
    ///
    /// let (old, new) = (Key::generate(Aead::Aes128Gcm)?, Key::generate(Aead::Aes256Gcm)?);
    /// let file = seal(&old, b"the same message")?;
    /// let (mut resealed, sealer) = (Vec::new(), Sealer::new(&new)?);
    /// let opener = Opener::new(&Header::from_bytes(&file)?, &old)?;
    /// opener.reseal(sealer, Input::At(&file), Output::Stream(&mut resealed), NonZeroUsize::MIN, &())?;
    /// assert_eq!(open(&new, &resealed)?, b"the same message");
    /// # Ok::<(), abreast_sealed::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`open`](Opener::open); [`Error::OtherFormat`] if the sealer is for another format. The output must be discarded then.
    pub fn reseal(
        &self,
        to: Sealer,
        input: Input<'_>,
        mut output: Output<'_>,
        workers: NonZeroUsize,
        progress: &dyn Progress,
    ) -> Result<(), Error> {
        self.cipher.same_format(&to.cipher)?;
        let (header, shape) = (to.header_bytes(), self.cipher.shape());
        output.begin(&header)?;
        let run = shape.sealed_run();
        let reseal = |run: Run<'_>, out: &mut [u8]| {
            let first = run.index * shape.run_chunks as u64;
            let offset = header.len() as u64 + first * shape.sealed_chunk() as u64;
            let out = &mut out[..run.bytes.len()];
            out.copy_from_slice(run.bytes);
            let error = self.cipher.reseal_run(&to.cipher, first, out, run.last).err();
            let len = if error.is_none() { out.len() } else { 0 };
            Transformed { range: 0..len, offset, error }
        };
        self.whole(input, |input, end| {
            let (start, size) = (self.body_offset, input.size()?);
            let job = Job { shape, run, result: run, start, end, size };
            workers::work(&job, input, output, workers, progress, &reseal)
        })
    }
}
