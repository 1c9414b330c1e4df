//! The report of a call: a line for each failure, lines for programs, and a summary.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use crate::args::TalkArgs;
use crate::failure::{Exit, Failure, output_name, program};
use crate::names;
use crate::program::{print, several_failed};
use crate::shown::aside;

use super::entry::{Entry, EntryKind};
use super::naming::Rename;

/// The work of a call, as the report calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    /// `seal`.
    Sealed,
    /// `open`.
    Opened,
    /// `verify`.
    Verified,
    /// `reseal`.
    Resealed,
}

impl Verb {
    /// Returns the change of names from inputs to outputs.
    pub(super) const fn rename(self) -> Rename {
        match self {
            Verb::Sealed => Rename::Seal,
            Verb::Opened => Rename::Open,
            Verb::Verified | Verb::Resealed => Rename::Same,
        }
    }

    /// Returns the participle.
    const fn name(self) -> &'static str {
        match self {
            Verb::Sealed => "sealed",
            Verb::Opened => "opened",
            Verb::Verified => "verified",
            Verb::Resealed => "resealed",
        }
    }
}

/// The result for an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    /// Worked on.
    Worked,
    /// Skipped, for this reason.
    Skipped(&'static str),
    /// Left out, for this reason.
    LeftOut(&'static str),
    /// A folder or a link.
    Around,
}

/// The report of a call, while it is worked on.
pub(crate) struct Report<'a> {
    verb: Verb,
    talk: &'a TalkArgs,
    /// The number of files to work on, and of those that were listed and failed before.
    files: usize,
    /// True if the call is for one file that was named, whose failure is that of the call.
    single: bool,
    done: usize,
    skipped: usize,
    left_out: usize,
    failed: Vec<PathBuf>,
    /// The failure of the only file.
    only: Option<Failure>,
    /// The failure of standard output, after which nothing more is printed there.
    unheard: Option<Failure>,
}

impl<'a> Report<'a> {
    /// Begins a report.
    pub(crate) fn new(verb: Verb, talk: &'a TalkArgs, several: bool) -> Report<'a> {
        Report {
            verb,
            talk,
            files: 0,
            single: !several,
            done: 0,
            skipped: 0,
            left_out: 0,
            failed: Vec::new(),
            only: None,
            unheard: None,
        }
    }

    /// Counts the files to work on.
    pub(crate) fn begin(&mut self, entries: &[Entry]) {
        self.files += entries.iter().filter(|entry| matches!(entry.kind, EntryKind::File(_))).count();
    }

    /// Reports an input that is left out.
    pub(crate) fn left_out(&mut self, input: &Path, reason: &str) {
        self.left_out += 1;
        self.line(input, "left out", &[text("reason", reason)]);
        if !self.talk.quiet && !self.talk.json {
            self.note(format_args!("{}: left out: {reason}", names::escape(input.as_os_str())));
        }
    }

    /// Reports an input that could not be listed.
    pub(crate) fn failed(&mut self, path: &Path, failure: Failure) {
        self.files += 1;
        self.fail(path, failure);
    }

    /// Reports what failed after the work on a file.
    pub(crate) fn failed_late(&mut self, path: &Path, failure: Failure) {
        self.done = self.done.saturating_sub(1);
        self.fail(path, failure);
    }

    /// Reports the result of an entry.
    pub(crate) fn entry(&mut self, entry: &Entry, done: Result<Done, Failure>) {
        match done {
            Ok(Done::Around) => {}
            Ok(Done::LeftOut(reason)) => self.left_out(&entry.input, reason),
            Ok(Done::Worked) => {
                self.done += 1;
                let output = entry.output.as_deref().map(output_name);
                let field = output.map(|output| names::json_path("output", output.as_os_str()));
                self.line(&entry.input, self.verb.name(), field.as_slice());
                if self.talk.verbose && !self.talk.json {
                    let output = output.map(|output| format!(" as {}", names::escape(output.as_os_str())));
                    let (input, output) = (Failure::name(&entry.input), output.unwrap_or_default());
                    self.note(format_args!("{input}: {}{output}", self.verb.name()));
                }
            }
            Ok(Done::Skipped(reason)) => {
                self.skipped += 1;
                self.line(&entry.input, "skipped", &[text("reason", reason)]);
                if self.talk.verbose && !self.talk.json {
                    self.note(format_args!("{}: skipped: {reason}", Failure::name(&entry.input)));
                }
            }
            Err(failure) => self.fail(&entry.input, failure),
        }
    }

    /// Counts a failure, and says it now if the call has other files.
    fn fail(&mut self, path: &Path, failure: Failure) {
        if self.talk.json {
            self.print(&failed_line(path, &failure));
        }
        self.failed.push(path.to_path_buf());
        if self.single && self.only.is_none() {
            self.only = Some(failure);
        } else {
            failure.print();
        }
    }

    /// Prints the summary, and returns the outcome of the call.
    pub(crate) fn end(mut self) -> Result<(), Failure> {
        if self.talk.json {
            let (verb, done, files) = (self.verb.name(), self.done, self.files);
            let (skipped, left_out, failed) = (self.skipped, self.left_out, self.failed.len());
            self.print(&format!(
                "{{\"summary\":{{\"files\":{files},\"{verb}\":{done},\"skipped\":{skipped},\"left_out\":{left_out},\
                 \"failed\":{failed}}}}}\n"
            ));
        } else if !self.single && self.failed.is_empty() && self.is_worth_a_summary() {
            let mut text = format!("{} {}", count(self.done, "file"), self.verb.name());
            for (number, what) in [(self.skipped, "skipped"), (self.left_out, "left out")] {
                if number > 0 {
                    text += &format!(", {number} {what}");
                }
            }
            aside(|| {
                let _ = writeln!(io::stderr(), "{}: {text}", program());
            });
        }
        if let Some(failure) = self.only {
            return Err(failure);
        }
        if self.files + self.left_out == 0 {
            let none = "no files were found";
            if self.verb == Verb::Verified {
                return Err(Failure::plain(Exit::Io, none));
            }
            if !self.talk.quiet && !self.talk.json {
                self.note(format_args!("{none}"));
            }
        }
        let failed: Vec<_> = self.failed.iter().map(|path| Failure::name(path)).collect();
        several_failed(&failed, self.files.max(failed.len()))?;
        self.unheard.map_or(Ok(()), Err)
    }

    /// Returns true if somebody wants to read a summary of a success: a person, or whoever asked for lines, and whoever is to
    /// know that files were not worked on.
    fn is_worth_a_summary(&self) -> bool {
        let asked = self.talk.verbose || self.skipped + self.left_out > 0 || io::stderr().is_terminal();
        asked && !self.talk.quiet
    }

    /// Prints a line for programs.
    fn line(&mut self, path: &Path, status: &str, fields: &[String]) {
        if self.talk.json {
            self.print(&line(path, status, fields));
        }
    }

    /// Prints on standard output, as long as that takes it.
    fn print(&mut self, text: &str) {
        if self.unheard.is_none() {
            self.unheard = print(text).err();
        }
    }

    /// Prints a note on standard error.
    fn note(&self, text: std::fmt::Arguments<'_>) {
        aside(|| {
            let _ = writeln!(io::stderr(), "{}: note: {text}", program());
        });
    }
}

/// Returns the line for programs about a file that failed.
pub(crate) fn failed_line(path: &Path, failure: &Failure) -> String {
    let code = format!("\"exit\":{}", failure.code());
    line(path, "failed", &[code, text("message", failure.message())])
}

/// Returns a line for programs.
fn line(path: &Path, status: &str, fields: &[String]) -> String {
    let mut line = format!("{{{},\"status\":\"{status}\"", names::json_path("file", path.as_os_str()));
    for field in fields {
        line += ",";
        line += field;
    }
    line + "}\n"
}

/// Returns a field of a JSON object with a text.
fn text(name: &str, value: &str) -> String {
    format!("\"{name}\":{}", names::json(value))
}

/// Returns a number of things.
fn count(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}
