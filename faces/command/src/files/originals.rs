//! Originals that are removed once their sealed files are safe.

use std::fs::{self, File};
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use abreast_sealed::{Error, Format, Header, Input, Layout, Opener, Output, ReadAt, WriteAt};
use zeroize::Zeroizing;

use crate::failure::{Exit, Failure};
use crate::os::{Facts as _, Metadata, State, in_words, read_exact_at, symlink_metadata};
use crate::secrets::Secret;

/// A file of which the sealed one was opened again and compared with it, byte for byte.
pub(crate) struct Original {
    /// Its name.
    path: PathBuf,
    /// Its metadata when it was sealed.
    metadata: Metadata,
}

impl Original {
    /// Opens a sealed file again, and compares its contents with those of the original.
    ///
    /// # Errors
    ///
    /// Fails if the sealed file does not open with the secret, or holds something else.
    pub(crate) fn check(
        path: &Path,
        original: &File,
        metadata: &Metadata,
        sealed: &Path,
        secret: &mut Secret,
        jobs: NonZeroUsize,
    ) -> Result<Original, Failure> {
        let failure = |error| Failure::sealed(sealed, path, &error);
        let mut file = File::open(sealed).map_err(|error| failure(Error::Read(error)))?;
        let header = Header::read(&mut file).map_err(failure)?;
        let unlock = |key: &_| Opener::new(&header, key).map_err(failure);
        let opener = secret.with_key(&header, sealed, unlock)?;
        let size = ReadAt::size(&file).map_err(|error| failure(Error::Read(error)))?;
        let body = size.checked_sub(header.body_offset()).ok_or_else(|| failure(Error::Truncated))?;
        let same = Same(original);
        opener.open(Input::At(&file), Output::At(&same), jobs, &()).map_err(failure)?;
        if Layout::of_body(Format::Cobblestone, body).map_err(failure)?.message != metadata.len() {
            return Err(Failure::new(Exit::Io, path, DIFFERS));
        }
        Ok(Original { path: path.to_path_buf(), metadata: metadata.clone() })
    }

    /// Returns its name.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it, if its name still stands for the file that was sealed, as it was.
    pub(crate) fn remove(&self) -> Result<(), Failure> {
        let failure = |error: io::Error| Failure::io(&self.path, &error);
        let now = symlink_metadata(&self.path).map_err(failure)?;
        // Another name of the file may have been removed, which changes the time of the inode and nothing else.
        let all = now.names() == self.metadata.names();
        let state = |it: &Metadata| {
            let state = it.state();
            (it.file_id(), if all { state } else { State { changed: (0, 0), ..state } })
        };
        if now.is_symlink() {
            return Err(Failure::new(Exit::Io, &self.path, "is sealed, and stays: it is a symbolic link"));
        }
        if state(&now) != state(&self.metadata) {
            let cause = "is sealed, and stays: it was changed meanwhile";
            return Err(Failure::new(Exit::Io, &self.path, cause));
        }
        fs::remove_file(&self.path).map_err(|error| {
            Failure::new(
                Exit::Io,
                &self.path,
                format_args!("is sealed, and stays: it cannot be removed: {}", in_words(&error)),
            )
        })
    }
}

/// Error text for an original that is not what its sealed file holds.
const DIFFERS: &str = "stays: the sealed file holds something else";

/// An output that takes the bytes of a file and no others.
struct Same<'a>(&'a File);

impl WriteAt for Same<'_> {
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let mut own = Zeroizing::new(vec![0; bytes.len()]);
        let read = read_exact_at(self.0, &mut own, offset);
        match read {
            Ok(()) if *own == bytes => Ok(()),
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(error),
            _ => Err(io::Error::other(DIFFERS)),
        }
    }
}
