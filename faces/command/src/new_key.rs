//! New keys that a call makes before it works on files.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use abreast_sealed::{Aead, Key};

use crate::args::TalkArgs;
use crate::failure::{Exit, Failure};
use crate::os::{self, Facts as _};
use crate::outputs::Outputs;
use crate::program::print;
use crate::secrets::Secret;
use crate::target::{Replace, Target};
use crate::{cleanup, keygen, names};

/// A key file made for this run, which goes again if nothing was sealed with it.
pub(crate) struct NewKey {
    /// Its name.
    path: PathBuf,
    /// True if there is a file that needs it.
    sealed: bool,
    /// True if the user has been told about it.
    explained: bool,
}

/// Makes a new key if a file for one was named, and the secret of it; otherwise takes the secret that there is.
pub(crate) fn secret(
    path: Option<&Path>,
    aead: Option<Aead>,
    outputs: &mut Outputs,
    otherwise: impl FnOnce(&mut Outputs) -> Result<Secret, Failure>,
) -> Result<(Option<NewKey>, Secret), Failure> {
    let Some(path) = path else { return Ok((None, otherwise(outputs)?)) };
    let (new_key, key) = NewKey::create(path, aead.unwrap_or(Aead::Aes256Gcm), outputs)?;
    Ok((Some(new_key), Secret::of_key(key)))
}

impl NewKey {
    /// Makes a key and writes it to the disk.
    fn create(path: &Path, aead: Aead, outputs: &mut Outputs) -> Result<(NewKey, Key), Failure> {
        if path == Path::new("-") {
            return Err(Failure::usage("a new key needs a file: abreast keygen prints one"));
        }
        let no_place = || Failure::new(Exit::Io, path, "is not a place for a key");
        // To open a pipe would wait for its reader.
        outputs.check_name(path)?;
        if os::metadata(path).is_ok_and(|there| there.is_pipe()) {
            return Err(no_place());
        }
        let target = Target::create(path, Replace::Never, outputs)?;
        if !target.is_new_file() {
            return Err(no_place());
        }
        let key = keygen::generate(aead)?;
        keygen::write(&key, target, |target| target.commit_new_key(outputs))?;
        Ok((NewKey { path: path.to_path_buf(), sealed: false, explained: false }, key))
    }

    /// Takes note of a file that needs the key, and tells the user.
    pub(crate) fn is_needed_by(&mut self, output: &Path, several: bool, talk: &TalkArgs) {
        self.sealed = true;
        if !talk.quiet && !talk.json {
            self.explain(output, several);
        }
    }

    /// Prints how to open a sealed file, or several: on standard output, unless the sealed file is there. If nobody listens,
    /// the file is sealed all the same.
    fn explain(&mut self, output: &Path, several: bool) {
        let key = os::shell_word(self.path.as_os_str());
        let mut text = String::new();
        if self.explained && several {
            return;
        }
        if !self.explained {
            self.explained = true;
            let name = names::escape(self.path.as_os_str());
            let files = if several { "the files" } else { "the file" };
            text = format!("{name}: the new key. Whoever has it can open {files}; without it nobody can.\n");
        }
        if output == Path::new("-") {
            text += &format!("to open: abreast open - --key-file {key}\n");
            let _ = io::stderr().write_all(text.as_bytes());
            return;
        }
        let (name, word) = (names::escape(output.as_os_str()), os::shell_word(output.as_os_str()));
        let elsewhere = if output.extension().is_some_and(|end| end == "abreast") { "" } else { " -o FILE" };
        text += &if several {
            format!(
                "To open them: abreast open FILE.. --key-file {key}, or -r and a folder in place of FILE\n"
            )
        } else {
            format!("{name}: sealed. To open: abreast open {word} --key-file {key}{elsewhere}\n")
        };
        let _ = print(&text);
    }
}

impl Drop for NewKey {
    fn drop(&mut self) {
        if !self.sealed {
            cleanup::remove_new_key();
        }
    }
}
