//! The list of the files of a call.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use abreast_sealed::output::is_temporary_name;

use crate::args::TreeArgs;
use crate::failure::{Exit, Failure};
use crate::identity::Identity;
use crate::os::{self, Facts as _, Metadata};
use crate::outputs::Outputs;

use super::entry::{Entry, EntryKind};
use super::naming::{Naming, is_sealed_name};
use super::report::Report;

/// The rules by which a call takes files.
pub(crate) struct Walk<'a> {
    /// The names of the outputs; `None` if nothing is written.
    pub(crate) naming: Option<&'a Naming>,
    /// True if sealed files may be sealed once more.
    pub(crate) include_sealed: bool,
}

/// A walk through the inputs of a call.
struct Walker<'w, 'r> {
    walk: Walk<'w>,
    tree: &'w TreeArgs,
    outputs: &'w mut Outputs,
    report: &'w mut Report<'r>,
    /// True if the call has several inputs.
    several: bool,
    /// The folder of all outputs, which is not an input.
    avoided: Option<Identity>,
    entries: Vec<Entry>,
}

impl Walk<'_> {
    /// Lists the inputs, folders among them if the arguments say so, and has `outputs` keep them. Inputs that are left out
    /// or cannot be read are reported.
    pub(crate) fn list(
        self,
        inputs: &[PathBuf],
        tree: &TreeArgs,
        outputs: &mut Outputs,
        report: &mut Report<'_>,
    ) -> Vec<Entry> {
        let folder = self.naming.and_then(Naming::folder);
        let avoided = folder.and_then(|folder| os::metadata(folder).ok()).map(|folder| Identity::of(&folder));
        let several = tree.several(inputs);
        let mut walker = Walker { walk: self, tree, outputs, report, several, avoided, entries: Vec::new() };
        for input in inputs {
            if let Err(failure) = walker.argument(input) {
                walker.report.failed(input, failure);
            }
        }
        walker.entries
    }
}

impl Walker<'_, '_> {
    /// Takes an input that was named.
    fn argument(&mut self, input: &Path) -> Result<(), Failure> {
        let found = if input == Path::new("-") { Ok(None) } else { os::metadata(input).map(Some) };
        match found.as_ref().ok().and_then(Option::as_ref) {
            Some(metadata) if metadata.is_dir() && self.tree.recursive => {
                let output = self.walk.naming.map(|naming| naming.of_folder(input));
                self.folder(input, output, metadata, metadata.volume());
                Ok(())
            }
            Some(metadata) if metadata.is_dir() => {
                Err(Failure::new(Exit::Io, input, "is a folder: -r takes all files in it"))
            }
            metadata => {
                if let Some(reason) = self.left_out(input, metadata) {
                    if let Some(output) = self.walk.naming.and_then(Naming::named) {
                        return Err(Failure::left_out(input, output, reason));
                    }
                    self.report.left_out(input, reason);
                    return Ok(());
                }
                if !self.in_place() {
                    self.outputs.keep_input(input, self.several);
                }
                let length = metadata.filter(|it| it.is_file()).map(Metadata::len);
                let named = self.walk.naming.map(|naming| naming.of_file(input)).transpose();
                let output = match (named, found) {
                    // A missing file is a better reason than its name.
                    (Err(_), Err(error)) => return Err(Failure::io(input, &error)),
                    (named, _) => named?,
                };
                self.push(input.to_path_buf(), output, EntryKind::File(length), None);
                Ok(())
            }
        }
    }

    /// Takes all that is in a folder: first its files and links, then its folders, each in the order of their names.
    fn folder(&mut self, input: &Path, output: Option<PathBuf>, metadata: &Metadata, device: u64) {
        let elsewhere = self.walk.naming.is_some_and(|naming| naming.folder().is_some());
        let copied = elsewhere.then(|| metadata.clone());
        let mut names = match names_in(input) {
            Ok(names) => names,
            Err(error) => return self.report.failed(input, Failure::io(input, &error)),
        };
        names.sort_unstable();
        if elsewhere {
            self.push(input.to_path_buf(), output.clone(), EntryKind::Folder, copied.clone());
        }
        let mut folders = Vec::new();
        for name in names {
            let path = input.join(&name);
            match os::symlink_metadata(&path) {
                Ok(metadata) if metadata.is_dir() => folders.push((path, name, metadata)),
                Ok(metadata) => self.member(&path, &name, output.as_deref(), metadata, elsewhere),
                Err(error) => self.report.failed(&path, Failure::io(&path, &error)),
            }
        }
        for (path, name, metadata) in folders {
            if self.avoided == Some(Identity::of(&metadata)) {
                self.report.left_out(&path, "it is the folder of the outputs");
            } else if self.tree.one_file_system && metadata.volume() != device {
                self.report.left_out(&path, "it is on another file system");
            } else {
                let output = output.as_ref().map(|output| output.join(&name));
                self.folder(&path, output, &metadata, device);
            }
        }
        self.push(input.to_path_buf(), output, EntryKind::End, copied);
    }

    /// Takes a file or a link in a folder.
    fn member(
        &mut self,
        path: &Path,
        name: &OsString,
        folder: Option<&Path>,
        metadata: Metadata,
        elsewhere: bool,
    ) {
        if metadata.is_symlink() {
            if elsewhere {
                let output = folder.map(|folder| folder.join(name));
                self.push(path.to_path_buf(), output, EntryKind::Link, Some(metadata));
            }
            return;
        }
        let special = [
            (metadata.is_connection(), "it is a socket"),
            (metadata.is_pipe(), "it is a pipe"),
            (metadata.is_stream_device() || metadata.block_device().is_some(), "it is a device"),
            (is_temporary_name(name), "it is a temporary file of another run"),
        ];
        let special = special.into_iter().find_map(|(is, reason)| is.then_some(reason));
        if let Some(reason) = special.or_else(|| self.left_out(path, Some(&metadata))) {
            return self.report.left_out(path, reason);
        }
        if !self.seals() && !is_sealed_name(path) {
            return self.report.left_out(path, "its name does not end in .abreast");
        }
        let output = match (self.walk.naming, folder) {
            (Some(naming), Some(folder)) => match naming.in_folder(folder, name) {
                Some(output) => Some(output),
                None => return self.report.left_out(path, "nothing is left of its name without .abreast"),
            },
            _ => None,
        };
        if !self.in_place() {
            self.outputs.keep(&metadata, "is one of the inputs");
        }
        self.push(path.to_path_buf(), output, EntryKind::File(Some(metadata.len())), None);
    }

    /// Returns true for a call that seals, which leaves out the secrets in use.
    fn seals(&self) -> bool {
        self.walk.naming.is_some_and(Naming::seals)
    }

    /// Returns true if each output may take the place of its input.
    fn in_place(&self) -> bool {
        self.walk.naming.is_some_and(Naming::is_in_place)
    }

    /// Returns why a call that seals leaves out a file.
    fn left_out(&self, path: &Path, metadata: Option<&Metadata>) -> Option<&'static str> {
        if !self.seals() {
            return None;
        }
        let secret = metadata.and_then(|metadata| self.outputs.secret(metadata));
        let sealed = metadata.is_some() && !self.walk.include_sealed && is_sealed_name(path);
        secret.or(sealed.then_some("it is sealed already, and --include-sealed was not given"))
    }

    /// Adds an entry.
    fn push(&mut self, input: PathBuf, output: Option<PathBuf>, kind: EntryKind, copied: Option<Metadata>) {
        self.entries.push(Entry { input, output, kind, copied });
    }
}

/// Returns the names in a folder.
fn names_in(folder: &Path) -> io::Result<Vec<OsString>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name())).collect()
}
