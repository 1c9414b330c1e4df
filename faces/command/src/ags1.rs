//! The streams of Apache Iceberg, AGS1, which `seal`, `open` and `verify` know besides the format of sealed files.

use std::path::Path;

use abreast_sealed::ags1::{self, SealedLength};
use abreast_sealed::{FileKey, Opener};

use crate::args::{FileFormat, FormatArgs, LengthArgs};
use crate::failure::{Exit, Failure};
use crate::files::Done;
use crate::secrets::Secret;
use crate::source::Source;

/// A stream to be opened: its keys, and the length that it must have.
pub(crate) struct Streams {
    /// The keys.
    keys: FileKey,
    /// The length.
    length: SealedLength,
}

/// Checks that the arguments of the two formats are not mixed, and returns true for AGS1.
pub(crate) fn is_asked_for(format: &FormatArgs, length: Option<&LengthArgs>) -> Result<bool, Failure> {
    if format.format == FileFormat::Ags1 {
        return Ok(true);
    }
    for (given, name) in [
        (format.aad_prefix.is_some(), "--aad-prefix"),
        (length.is_some_and(|length| length.sealed_length.is_some()), "--sealed-length"),
    ] {
        if given {
            return Err(Failure::usage(format_args!("{name} is for --format ags1")));
        }
    }
    Ok(false)
}

/// Returns the keys of streams: the one key, and the AAD prefix.
pub(crate) fn keys(secret: &Secret, format: &FormatArgs) -> Result<FileKey, Failure> {
    let prefix = format.aad_prefix.clone().unwrap_or_default();
    let key = secret.stream_key().unwrap_or_default();
    FileKey::ags1(key, &prefix.0).map_err(Failure::usage)
}

impl Streams {
    /// Returns how streams are to be opened, if the arguments ask for them.
    pub(crate) fn from_args(
        secret: &Secret,
        format: &FormatArgs,
        length: &LengthArgs,
        several: bool,
    ) -> Result<Streams, Failure> {
        if several && length.sealed_length.is_some() {
            return Err(Failure::usage("--sealed-length is the length of one file: name that file alone"));
        }
        let length = length.sealed_length.map_or(SealedLength::Unknown, SealedLength::Trusted);
        Ok(Streams { keys: keys(secret, format)?, length })
    }

    /// Reads the header of a stream, and returns what opens the rest.
    pub(crate) fn opener(&self, source: &mut Source) -> Result<Opener, Failure> {
        let path = source.path().to_path_buf();
        let failure = |error| Failure::sealed(&path, Path::new("-"), &error);
        let header = ags1::Header::read(source.reader()).map_err(failure)?;
        Opener::ags1(&header, &self.keys, self.length).map_err(failure)
    }

    /// Warns after a stream that was opened without a trusted length.
    pub(crate) fn done(&self, path: &Path) -> Done {
        if self.length == SealedLength::Unknown {
            let cause = "no --sealed-length was given: a stream of AGS1 that was cut off between two blocks opens without an error";
            Failure::new(Exit::Authentication, path, cause).warn();
        }
        Done::Worked
    }
}
