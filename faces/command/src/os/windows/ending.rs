//! The end that a user asks for.

use std::io;

/// The number of the signal that Ctrl-C is elsewhere, so that the exit code is the same, 130.
const INTERRUPT: i32 = 2;

/// Listens in a thread: calls `end` after Ctrl-C, Ctrl-Break, and when the console is closed. Nothing stops a process and
/// continues it.
pub(crate) fn listen(end: fn(i32) -> !, _again: fn()) -> io::Result<()> {
    ctrlc::set_handler(move || end(INTERRUPT)).map_err(io::Error::other)
}
