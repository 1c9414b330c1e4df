//! Sealing a whole file.

use std::num::NonZeroUsize;

use crate::chunks::FileCipher;
use crate::plan::PlannedPart;
#[cfg(feature = "passphrase")]
use crate::{Aead, Costs};
use crate::{Error, FileKey, Format, Header, Input, Key, Output, PassphraseLine, Progress};

/// Seals one file. A second file under the same nonces would reveal the XOR of both, so sealing consumes the sealer.
///
/// ```
/// use abreast_sealed::{Aead, Input, Key, Output, Sealer, open};
/// use std::{num::NonZeroUsize, sync::Mutex};
///
/// let key = Key::generate(Aead::Aes256Gcm)?;
/// let (message, sealed) = (vec![1; 600_000], Mutex::new(Vec::new()));
/// let workers = NonZeroUsize::new(4).expect("not zero");
/// let read = Sealer::new(&key)?.seal(Input::At(&message), Output::At(&sealed), workers, &())?;
/// assert_eq!(read, 600_000);
/// assert_eq!(open(&key, &sealed.into_inner().expect("no panic"))?, message);
/// # Ok::<(), abreast_sealed::Error>(())
/// ```
#[derive(Debug)]
pub struct Sealer {
    /// The header of a file of Cobblestone, before the chunks.
    header: Option<Header>,
    /// The cipher that seals the chunks.
    pub(crate) cipher: FileCipher,
}

impl Sealer {
    /// Seals with a key, under a new salt.
    ///
    /// # Errors
    /// [`Error::Random`] and [`Error::NotRandom`] if the system has no random bytes.
    pub fn new(key: &Key) -> Result<Sealer, Error> {
        let header = Header::generate(key)?;
        Ok(Sealer { cipher: header.unlock(key)?, header: Some(header) })
    }

    /// Seals with a passphrase. Hashing it takes the memory that the costs name while this runs, 64 MiB at
    /// [`Costs::DEFAULT`].
    ///
    /// # Errors
    /// The errors of [`new`](Sealer::new), [`PassphraseLine::generate`] and [`PassphraseLine::stretch`].
    #[cfg(feature = "passphrase")]
    pub fn with_passphrase(passphrase: &[u8], aead: Aead, costs: Costs) -> Result<Sealer, Error> {
        let line = PassphraseLine::generate(aead, costs)?;
        Sealer::with_line(&line.stretch(passphrase)?, line)
    }

    /// Seals with the key that `line` [makes](PassphraseLine::stretch) of a passphrase, under a new salt. One hash serves
    /// many files in this way: each has the same line and its own salt, from which its keys come. That they were sealed
    /// together shows. As in [`Header::generate_with_line`], it is not checked that the line made the key.
    ///
    /// ```
    /// # #[cfg(feature = "passphrase")] {
    /// use std::num::NonZeroUsize;
    /// use abreast_sealed::{Aead, Costs, Header, Input, Output, PassphraseLine, Sealer, open};
    ///
    /// let line = PassphraseLine::generate(Aead::Aes256Gcm, Costs::DEFAULT)?;
    /// let key = line.stretch(b"correct horse battery staple")?;
    /// for message in [&b"one"[..], b"two"] {
    ///     let mut sealed = Vec::new();
    ///     let sealer = Sealer::with_line(&key, line.clone())?;
    ///     sealer.seal(Input::At(&message), Output::Stream(&mut sealed), NonZeroUsize::MIN, &())?;
    ///     assert_eq!(Header::from_bytes(&sealed)?.passphrase_line(), Some(&line));
    ///     assert_eq!(open(&key, &sealed)?, message);
    /// }
    /// # }
    /// # Ok::<(), abreast_sealed::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Header::generate_with_line`].
    pub fn with_line(key: &Key, line: PassphraseLine) -> Result<Sealer, Error> {
        let header = Header::generate_with_line(key, line)?;
        Ok(Sealer { cipher: header.unlock(key)?, header: Some(header) })
    }

    /// Seals a stream of [`Format::Ags1`] with its keys.
    ///
    /// # Errors
    /// [`Error::OtherFormat`] if these are keys of a file of another format.
    pub fn ags1(keys: &FileKey) -> Result<Sealer, Error> {
        if keys.format() == Format::Ags1 {
            Ok(Sealer { cipher: keys.cipher(), header: None })
        } else {
            Err(Error::OtherFormat)
        }
    }

    /// Returns the header that the file will have; `None` for a stream of [`Format::Ags1`].
    #[must_use]
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// Returns the header as the file will have it.
    pub(crate) fn header_bytes(&self) -> Vec<u8> {
        self.header.as_ref().map_or_else(|| self.cipher.framing.header().to_vec(), Header::to_bytes)
    }

    /// Seals the input from its beginning to its end, with at most `workers` threads, and returns its length in bytes. Without
    /// the feature `threads`, only the calling thread works.
    ///
    /// # Errors
    /// [`Error::Read`] and [`Error::Write`]; [`Error::InputChanged`] if the [`size`](crate::ReadAt::size) of an
    /// [`Input::At`] is another one in the end, and [`Error::InputSize`] if it did not give as many bytes;
    /// [`Error::MessageTooLong`] beyond the limit of the format; [`Error::Random`] and [`Error::NotRandom`] if the system has no random
    /// bytes for the nonces of [`Format::Ags1`]. The output must be discarded then, even if it opens: it may be the
    /// beginning of the message alone. Bytes that are replaced by as many others while they are read cannot be seen
    /// here.
    pub fn seal(
        self,
        input: Input<'_>,
        output: Output<'_>,
        workers: NonZeroUsize,
        progress: &dyn Progress,
    ) -> Result<u64, Error> {
        let file = match &input {
            Input::At(file) => Some((*file, file.size().map_err(Error::Read)?)),
            Input::Stream(_) => None,
        };
        let header = self.header_bytes();
        let all =
            PlannedPart { number: 0, first_chunk: 0, plain: 0..u64::MAX, sealed: 0..u64::MAX, last: true };
        let read = self.cipher.seal_span(&all, &header, input, output, workers, progress)?;
        match file {
            Some((file, size)) if file.size().map_err(Error::Read)? != size => Err(Error::InputChanged),
            Some((_, size)) if read != size => Err(Error::InputSize { size, read }),
            _ => Ok(read),
        }
    }
}
