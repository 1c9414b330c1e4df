//! The system: everything that the command asks of it and that Unix and Windows have in different forms.
//!
//! Both folders have the same functions and types, so that nothing else in the command depends on the system.

#[cfg(unix)]
#[path = "unix/mod.rs"]
mod system;

#[cfg(windows)]
#[path = "windows/mod.rs"]
mod system;

pub(crate) use system::*;

/// The changes of a file that its metadata show: two equal states are of a file that nobody wrote to meanwhile, as far as
/// the system keeps account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// The length in bytes.
    pub(super) length: u64,
    /// The time of modification.
    pub(super) modified: (i64, i64),
    /// The time of the last change of any kind, where the system keeps it.
    pub(super) changed: (i64, i64),
}

/// Facts in metadata that systems tell in different ways.
pub(crate) trait Facts {
    /// Returns numbers that no other file has at the same time: of the file system, and in it.
    fn file_id(&self) -> (u64, u64);

    /// Returns the number of the file system.
    fn volume(&self) -> u64;

    /// Returns the number of a block device, whichever name it was found by.
    fn block_device(&self) -> Option<u64>;

    /// Returns true for a pipe, with or without a name.
    fn is_pipe(&self) -> bool;

    /// Returns true for a socket.
    fn is_connection(&self) -> bool;

    /// Returns true for a device that passes bytes on, such as a terminal.
    fn is_stream_device(&self) -> bool;

    /// Returns the number of names of the file.
    fn names(&self) -> u64;

    /// Returns the state of the contents.
    fn state(&self) -> State;

    /// Returns the time of modification, in seconds and nanoseconds since 1970.
    fn modification(&self) -> (i64, i64);
}
