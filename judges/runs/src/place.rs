//! A folder to work in, and a program that is run in it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::process::{Run, feed, spawn};

/// A temporary folder, and the program that is tested.
pub struct Place {
    folder: TempDir,
    /// The path of the program.
    program: &'static str,
}

impl Place {
    /// Makes an empty folder for runs of the program at a path, `env!("CARGO_BIN_EXE_…")`.
    ///
    /// # Panics
    ///
    /// Panics, as all other methods, if the system refuses what is asked of it.
    #[must_use]
    pub fn of(program: &'static str) -> Place {
        Place { folder: tempfile::tempdir().unwrap(), program }
    }

    /// Returns the path of a file.
    pub fn path(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.folder.path().join(name.as_ref())
    }

    /// Writes a file. A new one is readable by its owner alone, as files with secrets should be.
    pub fn write(&self, name: impl AsRef<OsStr>, bytes: &[u8]) {
        let mut open = OpenOptions::new();
        open.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut open, 0o600);
        let mut file = open.open(self.path(name)).unwrap();
        file.write_all(bytes).unwrap();
    }

    /// Reads a file.
    #[track_caller]
    pub fn read(&self, name: impl AsRef<OsStr>) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// Returns all files with their contents; of other things, the names.
    #[must_use]
    pub fn contents(&self) -> BTreeMap<OsString, Vec<u8>> {
        let entries = fs::read_dir(self.folder.path()).unwrap().map(Result::unwrap);
        let content = |path: PathBuf| if path.is_file() { fs::read(path).unwrap() } else { Vec::new() };
        entries.map(|entry| (entry.file_name(), content(entry.path()))).collect()
    }

    /// Returns the names of all files.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.contents().into_keys().map(|name| name.to_string_lossy().into_owned()).collect()
    }

    /// Returns the program in this folder, without a standard input.
    pub fn command<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Command {
        let mut command = Command::new(self.program);
        command.args(args).current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    /// Returns a shell in this folder; `$ABREAST` is the program.
    #[must_use]
    pub fn shell(&self, script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).env("ABREAST", self.program);
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    /// Runs the program to its end.
    pub fn run<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Run {
        spawn(&mut self.command(args)).end()
    }

    /// Runs the program with that input.
    pub fn pipe<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>, input: &[u8]) -> Run {
        feed(self.command(args), input)
    }

    /// Runs the program, which must refuse and leave the folder unchanged.
    #[track_caller]
    pub fn refuses<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>, code: i32, cause: &str) {
        let before = self.contents();
        let run = self.run(args).fails(code, cause);
        assert_eq!(run.stdout, b"");
        assert!(self.contents() == before, "left behind or changed: {:?}", self.names());
    }
}
