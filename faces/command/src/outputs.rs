//! Files that the outputs of a call must not replace: its keys, its passphrase, its inputs and each other.
//!
//! Files are compared by their identity, not by their names, so hard links and symbolic links to a key are refused as the key
//! itself is, and `--force` changes nothing about that.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::failure::{Exit, Failure, output_name};
use crate::identity::Identity;
use crate::os::{self, Facts as _, Metadata};
use crate::streams::Stream;

/// Error text for an output that is the key file.
pub(crate) const KEY_FILE: &str = "is the key file";

/// Error text for an output that is the passphrase file.
pub(crate) const PASSPHRASE_FILE: &str = "is the passphrase file";

/// Error text for an output that a command for the secret names.
pub(crate) const NAMED_IN_COMMAND: &str = "is named in the command that prints the secret";

/// The files that a call must not write over.
pub struct Outputs {
    /// Each with the error text for an output that is this file.
    /// In order and not hashed: hash tables need random bytes, and a panic is all that the standard library has without.
    kept: BTreeMap<Identity, &'static str>,
}

impl Outputs {
    /// Returns the protected files of a call with these secrets, each with its description.
    pub(crate) fn of_secrets<'a>(secrets: impl Iterator<Item = (&'a Path, &'static str)>) -> Outputs {
        let secrets = secrets.filter_map(|(path, what)| Some((Identity::of_input(path)?, what)));
        Outputs { kept: secrets.collect() }
    }

    /// Keeps an input. One that is not there yet counts too: the output of another one could take its name.
    pub(crate) fn keep_input(&mut self, input: &Path, several: bool) {
        if let Some(identity) = Identity::of_input(input) {
            let what = if several { "is one of the inputs" } else { "is the input" };
            self.kept.entry(identity).or_insert(what);
        }
    }

    /// Returns why a call that seals leaves out a file that it takes its secret from.
    pub(crate) fn secret(&self, file: &Metadata) -> Option<&'static str> {
        match self.kept.get(&Identity::of(file)) {
            Some(&KEY_FILE) => Some("it is the key file in use"),
            Some(&PASSPHRASE_FILE) => Some("it is the passphrase file in use"),
            Some(&NAMED_IN_COMMAND) => Some("it is named in the command that prints the secret"),
            _ => None,
        }
    }

    /// Returns the protected files of a call without inputs: so far none.
    pub fn without_inputs() -> Outputs {
        Outputs { kept: BTreeMap::new() }
    }

    /// Refuses a call with an output that is a pipe from which it also reads a secret or an input, before anything is opened:
    /// opening a pipe waits for its other end, which nobody but this call would open.
    pub(crate) fn check_pipes(&self, mut outputs: impl Iterator<Item = PathBuf>) -> Result<(), Failure> {
        outputs.try_for_each(|output| self.check_pipe(&output))
    }

    /// Refuses an output that is a pipe to be kept.
    pub(crate) fn check_pipe(&self, path: &Path) -> Result<(), Failure> {
        let output = if path == Path::new("-") {
            Stream::stdout().and_then(|stdout| stdout.metadata())
        } else {
            os::metadata(path)
        };
        match output {
            Ok(output) if output.is_pipe() => self.check(path, &output),
            _ => Ok(()),
        }
    }

    /// Keeps a file no more.
    pub(crate) fn forget(&mut self, path: &Path) {
        if let Some(identity) = Identity::of_name(path) {
            self.kept.remove(&identity);
        }
    }

    /// Keeps a file from being overwritten. `what` describes it in messages.
    pub(crate) fn keep(&mut self, file: &Metadata, what: &'static str) {
        // The first name for a file is the one to report, as it was the first on the command line.
        self.kept.entry(Identity::of(file)).or_insert(what);
    }

    /// Refuses an output that has the name of a file to be kept.
    pub(crate) fn check_name(&self, path: &Path) -> Result<(), Failure> {
        match Identity::of_name(path) {
            Some(identity) if !os::metadata(path).is_ok_and(|output| has_two_ends(&output)) => {
                self.check_identity(path, &identity)
            }
            _ => Ok(()),
        }
    }

    /// Refuses an open output that is a file to be kept.
    pub(crate) fn check(&self, path: &Path, output: &Metadata) -> Result<(), Failure> {
        if has_two_ends(output) {
            return Ok(());
        }
        self.check_identity(path, &Identity::of(output))
    }

    /// Refuses an output that is a file to be kept.
    fn check_identity(&self, path: &Path, output: &Identity) -> Result<(), Failure> {
        match self.kept.get(output) {
            Some(what) => {
                let cause = format_args!("{what}, and would be written over: give the output another name");
                Err(Failure::new(Exit::Exists, output_name(path), cause))
            }
            None => Ok(()),
        }
    }
}

/// Returns true for a file with two ends, such as a terminal or a connection: bytes written there are not read back, so
/// it may be both the input and the output.
fn has_two_ends(output: &Metadata) -> bool {
    output.is_stream_device() || output.is_connection()
}
