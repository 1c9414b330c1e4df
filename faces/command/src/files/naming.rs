//! Names of outputs.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf, is_separator};

use crate::args::OutputArgs;
use crate::failure::{Exit, Failure, output_name};

/// The ending of sealed files.
const EXTENSION: &str = "abreast";

/// The change of a name from an input to its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rename {
    /// `FILE` becomes `FILE.abreast`.
    Seal,
    /// `FILE.abreast` becomes `FILE`.
    Open,
    /// The name stays.
    Same,
}

/// The place of the outputs of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// Beside each input.
    Beside,
    /// One file, or standard output.
    File(PathBuf),
    /// A folder, in which the names of the inputs are kept.
    Folder(PathBuf),
}

/// The names of the outputs of a call.
pub(crate) struct Naming {
    /// The change of each name.
    rename: Rename,
    /// The place of the outputs.
    place: Place,
}

impl Naming {
    /// Returns the names by the options `-o` and `--output-dir`. With `-o`, a folder that is there counts as `--output-dir`.
    ///
    /// # Errors
    ///
    /// Fails if one file is to take several inputs.
    pub(crate) fn from_args(rename: Rename, to: &OutputArgs, several: bool) -> Result<Naming, Failure> {
        let place = match (&to.output, &to.output_dir) {
            (_, Some(folder)) => Place::Folder(folder.clone()),
            (Some(output), None)
                if output != Path::new("-") && fs::metadata(output).is_ok_and(|it| it.is_dir()) =>
            {
                Place::Folder(output.clone())
            }
            (Some(output), None) if several => {
                return Err(Failure::new(
                    Exit::Usage,
                    output_name(output),
                    "is one output for several files: give --output-dir with a folder",
                ));
            }
            (Some(output), None) => Place::File(output.clone()),
            (None, None) => Place::Beside,
        };
        Ok(Naming { rename, place })
    }

    /// Returns the folder that all outputs are in, if one was named.
    pub(crate) fn folder(&self) -> Option<&Path> {
        match &self.place {
            Place::Folder(folder) => Some(folder),
            Place::Beside | Place::File(_) => None,
        }
    }

    /// Returns true for the outputs of a call that seals.
    pub(crate) fn seals(&self) -> bool {
        self.rename == Rename::Seal
    }

    /// Returns true if each output takes the place of its input.
    pub(crate) fn is_in_place(&self) -> bool {
        self.rename == Rename::Same && self.place == Place::Beside
    }

    /// Returns the name of the one output, if it was given.
    pub(crate) fn named(&self) -> Option<&Path> {
        match &self.place {
            Place::File(output) => Some(output),
            Place::Beside | Place::Folder(_) => None,
        }
    }

    /// Returns the place of what a folder that was named contains, as `cp -r` has it: `DIR/photos` for `a/photos`, and `DIR`
    /// itself for `a/.` and `..`.
    pub(crate) fn of_folder(&self, folder: &Path) -> PathBuf {
        match (&self.place, last_name(folder)) {
            (Place::Folder(place), Some(name)) => place.join(name),
            (Place::Folder(place), None) => place.clone(),
            (Place::Beside | Place::File(_), _) => folder.to_path_buf(),
        }
    }

    /// Returns the name of the output for a file that was named.
    ///
    /// # Errors
    ///
    /// Fails if the name of the input says no name for the output.
    pub(crate) fn of_file(&self, file: &Path) -> Result<PathBuf, Failure> {
        match &self.place {
            Place::File(output) => Ok(output.clone()),
            Place::Beside => self.rename.path(file),
            Place::Folder(_) if file == Path::new("-") => {
                Err(Failure::usage("standard input has no name to keep in a folder: give -o FILE"))
            }
            Place::Folder(place) => {
                let renamed = self.rename.path(file)?;
                let name =
                    renamed.file_name().ok_or_else(|| Failure::new(Exit::Usage, file, "has no name"))?;
                Ok(place.join(name))
            }
        }
    }

    /// Returns the name of the output for a file in a folder; `None` if the name of the input says none.
    pub(crate) fn in_folder(&self, folder: &Path, name: &OsStr) -> Option<PathBuf> {
        self.rename.path(&folder.join(name)).ok()
    }
}

impl Rename {
    /// Returns the path of the output beside its input.
    fn path(self, file: &Path) -> Result<PathBuf, Failure> {
        let refuse = |cause| Err(Failure::new(Exit::Usage, file, cause));
        match self {
            _ if file == Path::new("-") => Ok(file.to_path_buf()),
            Rename::Seal => {
                let mut name = OsString::from(file);
                name.push(".");
                name.push(EXTENSION);
                Ok(name.into())
            }
            Rename::Same => Ok(file.to_path_buf()),
            Rename::Open if file.file_name().is_some_and(|name| name == ".abreast") => {
                refuse("nothing is left of the name without .abreast: tell with -o where to write")
            }
            Rename::Open if is_sealed_name(file) => Ok(file.with_extension("")),
            Rename::Open => refuse("the name does not end in .abreast: tell with -o where to write"),
        }
    }
}

/// Returns true if a file has the name of a sealed one.
pub(crate) fn is_sealed_name(file: &Path) -> bool {
    file.extension().is_some_and(|end| end == EXTENSION)
}

/// Returns the last name of a path; `None` for one that ends in `.` or `..`, and for the root.
fn last_name(path: &Path) -> Option<&OsStr> {
    let name = path.file_name()?;
    let bytes = path.as_os_str().as_encoded_bytes();
    let separates = |byte: u8| is_separator(char::from(byte));
    let ends_in_dot = match *bytes {
        [.., before, b'.'] => separates(before),
        [.., before, b'.', after] => separates(before) && separates(after),
        _ => false,
    };
    (!ends_in_dot).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_cp() {
        let naming = Naming { rename: Rename::Seal, place: Place::Folder("out".into()) };
        for (folder, place) in [
            ("a/photos", "out/photos"),
            ("photos/", "out/photos"),
            ("a/.", "out"),
            (".", "out"),
            ("..", "out"),
            ("/", "out"),
        ] {
            assert_eq!(naming.of_folder(Path::new(folder)), Path::new(place), "{folder}");
        }
        assert_eq!(naming.of_file(Path::new("a/b.txt")).unwrap(), Path::new("out/b.txt.abreast"));
        assert!(naming.of_file(Path::new("-")).is_err());
        let beside = Naming { rename: Rename::Open, place: Place::Beside };
        assert_eq!(beside.of_folder(Path::new("a/photos")), Path::new("a/photos"));
        assert_eq!(beside.in_folder(Path::new("a"), OsStr::new("b.abreast")).unwrap(), Path::new("a/b"));
        assert_eq!(beside.in_folder(Path::new("a"), OsStr::new("b")), None);
        assert_eq!(beside.in_folder(Path::new("a"), OsStr::new(".abreast")), None);
    }
}
