//! The entries of a call's list.

use std::path::PathBuf;

use crate::os::Metadata;

/// Something to work on.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The name of the input, `-` for standard input.
    pub(crate) input: PathBuf,
    /// The name of the output; `None` where nothing is written.
    pub(crate) output: Option<PathBuf>,
    /// The kind of the input.
    pub(crate) kind: EntryKind,
    /// The metadata of a folder or link of which the output is a copy.
    pub(crate) copied: Option<Metadata>,
}

/// The kinds of entries.
#[derive(Debug)]
pub(crate) enum EntryKind {
    /// A file, with its length if it is known.
    File(Option<u64>),
    /// A folder to make.
    Folder,
    /// A symbolic link to copy.
    Link,
    /// The end of a folder: all that is in it has been worked on.
    End,
}
