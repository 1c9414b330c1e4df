//! Calls on many files: the list of them, the names of the outputs, and the report.
//!
//! A call lists all its files before it works on the first one. So nothing that it writes is among what it reads, and progress
//! has a total.

pub(crate) mod entry;
pub(crate) mod folders;
pub(crate) mod naming;
pub(crate) mod originals;
pub(crate) mod report;
mod unsynced;
pub(crate) mod walk;

use std::path::{Path, PathBuf};

use crate::args::{OutputArgs, TalkArgs, TreeArgs};
use crate::failure::Failure;
use crate::os::{Facts as _, Metadata};
use crate::outputs::Outputs;
use crate::program::is_heard;
use crate::streams::Stream;
use crate::target::Target;
use abreast_sealed::output::Published;

pub(crate) use entry::{Entry, EntryKind};
pub(crate) use naming::Naming;
pub(crate) use report::{Done, Report, Verb, failed_line};
pub(crate) use walk::Walk;

use unsynced::Unsynced;

/// The arguments that the files of a call and its report depend on.
#[derive(Clone, Copy)]
pub(crate) struct Arguments<'a> {
    pub(crate) tree: &'a TreeArgs,
    pub(crate) to: &'a OutputArgs,
    pub(crate) talk: &'a TalkArgs,
}

/// A call on many files, while it is worked on.
pub(crate) struct Call<'a> {
    /// The files that must not be written over.
    pub(crate) outputs: Outputs,
    /// The folders with names that are not on the disk yet.
    pub(crate) unsynced: Unsynced,
    /// The report for the user.
    report: Report<'a>,
    /// True for several files.
    pub(crate) several: bool,
    /// True if each output takes the place of its input.
    pub(crate) in_place: bool,
    /// True if outputs get the permissions and the times of their inputs.
    preserve: bool,
}

impl<'a> Call<'a> {
    /// Begins a call with these protected files, on several files or on one that was named.
    pub(crate) fn new(verb: Verb, outputs: Outputs, talk: &'a TalkArgs, several: bool) -> Call<'a> {
        let (unsynced, report) = (Unsynced::default(), Report::new(verb, talk, several));
        Call { outputs, unsynced, report, several, in_place: false, preserve: false }
    }

    /// Begins a call that writes: names its outputs, makes the folder for them, and lists its files.
    pub(crate) fn writing(
        verb: Verb,
        arguments: Arguments<'a>,
        outputs: Outputs,
        inputs: &[PathBuf],
        include_sealed: bool,
    ) -> Result<(Call<'a>, Vec<Entry>), Failure> {
        let Arguments { tree, to, talk } = arguments;
        let several = tree.several(inputs);
        let naming = Naming::from_args(verb.rename(), to, several)?;
        check_listener(talk)?;
        check_report(talk, &naming, inputs)?;
        let mut call = Call::new(verb, outputs, talk, several);
        call.in_place = naming.is_in_place();
        call.preserve = to.preserve || tree.recursive || call.in_place;
        let entries = call.list(inputs, tree, Walk { naming: Some(&naming), include_sealed });
        call.outputs.check_pipes(inputs.iter().filter_map(|file| naming.of_file(file).ok()))?;
        if let Some(folder) = &to.output_dir {
            folders::make_place(folder)?;
        }
        Ok((call, entries))
    }

    /// Lists the files of the call.
    pub(crate) fn list(&mut self, inputs: &[PathBuf], tree: &TreeArgs, walk: Walk<'_>) -> Vec<Entry> {
        walk.list(inputs, tree, &mut self.outputs, &mut self.report)
    }

    /// Works on each file, makes the folders and links around them, and gives the outcome. With several files, the others are
    /// done when one fails.
    pub(crate) fn each(
        mut self,
        entries: &[Entry],
        mut work: impl FnMut(&mut Self, &Entry) -> Result<Done, Failure>,
    ) -> Result<(), Failure> {
        self.report.begin(entries);
        let mut entries = entries.iter();
        while let Some(entry) = entries.next() {
            let done = match &entry.kind {
                EntryKind::File(_) => work(&mut self, entry),
                EntryKind::Folder => folders::make(entry).map(|()| Done::Around),
                EntryKind::Link => folders::copy_link(entry).map(|()| Done::Around),
                EntryKind::End => self.end_of_folder(entry).map(|()| Done::Around),
            };
            match done {
                Err(failure) if failure.ends_call() => {
                    self.settle(None);
                    return Err(failure);
                }
                Err(_) if matches!(entry.kind, EntryKind::Folder) => {
                    // Nothing can be put into a folder that is not there.
                    let is_end = |it: &&Entry| matches!(it.kind, EntryKind::End) && it.input == entry.input;
                    entries.find(is_end);
                    self.report.entry(entry, done);
                }
                done => self.report.entry(entry, done),
            }
        }
        self.settle(None);
        self.report.end()
    }

    /// Gives a folder the permissions and times of the one that it was made for, and puts the names in it on the disk.
    fn end_of_folder(&mut self, entry: &Entry) -> Result<(), Failure> {
        let finished = folders::finish(entry);
        if let Some(output) = &entry.output {
            self.settle(Some(output));
        }
        finished
    }

    /// Makes an output final, with the permissions and times of its input if it is to have them. In a call on several files its
    /// name comes to the disk with those of all files in the folder, and the file is returned until then.
    pub(crate) fn publish(&mut self, target: Target, from: &Metadata) -> Result<Option<Published>, Failure> {
        if self.preserve {
            target.copy_metadata(from)?;
        }
        if self.several {
            target.commit_unsynced(&mut self.outputs)
        } else {
            target.commit(&mut self.outputs).map(|()| None)
        }
    }

    /// Makes an output final of which the original stays.
    pub(crate) fn put(&mut self, target: Target, from: &Metadata) -> Result<(), Failure> {
        let output = target.path().to_path_buf();
        if let Some(published) = self.publish(target, from)? {
            self.unsynced.add(&output, published, None);
        }
        Ok(())
    }

    /// Puts the names in a folder on the disk, or those in all folders.
    fn settle(&mut self, folder: Option<&Path>) {
        let failures = match folder {
            Some(folder) => self.unsynced.settle(folder),
            None => self.unsynced.settle_all(),
        };
        for (path, failure) in failures {
            self.report.failed_late(&path, failure);
        }
    }
}

/// Refuses lines of JSON on standard output where a file goes there, too.
fn check_report(talk: &TalkArgs, naming: &Naming, inputs: &[PathBuf]) -> Result<(), Failure> {
    let is_stdout = |input: &PathBuf| naming.of_file(input).is_ok_and(|output| output == Path::new("-"));
    if talk.json && inputs.iter().any(is_stdout) {
        return Err(Failure::usage(
            "--json prints on standard output, where the contents of a file go: give -o FILE",
        ));
    }
    Ok(())
}

/// Refuses lines of JSON that nobody gets, before any work is done.
pub(crate) fn check_listener(talk: &TalkArgs) -> Result<(), Failure> {
    if talk.json { is_heard() } else { Ok(()) }
}

/// Returns the inputs of a call: the files that were named, or standard input if it is a pipe or a file and none was.
pub(crate) fn inputs(files: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    if !files.is_empty() {
        return Ok(files.to_vec());
    }
    let has_data = |stdin: Stream| {
        let kind = stdin.metadata().ok()?;
        Some(kind.is_file() || kind.is_pipe() || kind.is_connection())
    };
    if Stream::stdin().ok().and_then(has_data) == Some(true) {
        return Ok(vec!["-".into()]);
    }
    Err(Failure::usage(
        "no file was named, and standard input is neither a pipe nor a file: give FILE, or - for standard input",
    ))
}
