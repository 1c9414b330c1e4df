//! Leaves nothing behind: temporary files, a new key and a changed terminal are put away when a
//! signal ends the command.
//!
//! A thread waits for the signals that would end the process, so that one is heard while the others are
//! blocked in a read or a write. A file is registered under a lock in the same step that creates it, and
//! published under that lock; the thread takes the lock and keeps it, so a file is either removed or complete.

use std::io;
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::os;
use abreast_sealed::output::{NewFile, OutputError, Published, Remover};

/// The things to put away.
struct Pending {
    /// Files that are not to stay.
    files: Vec<Remover>,
    /// A new key that nothing has been sealed with.
    new_key: Option<Remover>,
    /// The terminal, while its echo is off.
    terminal: Option<Prompting>,
}

/// A terminal that asks for a passphrase.
struct Prompting {
    /// The terminal.
    terminal: os::Terminal,
    /// The question that waits for its answer.
    prompt: Option<&'static str>,
    /// The number of those who want it hidden.
    users: usize,
}

/// The things to put away now.
static PENDING: Mutex<Pending> = Mutex::new(Pending { files: Vec::new(), new_key: None, terminal: None });

/// Locks them.
fn pending() -> MutexGuard<'static, Pending> {
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts to listen for signals.
pub(crate) fn install() -> io::Result<()> {
    os::listen(end, ask_again)
}

/// Puts everything away and ends the process.
fn end(signal: i32) -> ! {
    // Never unlocked: whoever would publish a file now waits for the end.
    let pending = pending();
    pending.files.iter().chain(&pending.new_key).for_each(Remover::remove);
    if let Some(Prompting { terminal, .. }) = &pending.terminal {
        terminal.show();
    }
    process::exit(128 + signal)
}

/// Creates a file that is not to stay.
pub(crate) fn create(create: impl FnOnce() -> Result<NewFile, OutputError>) -> Result<NewFile, OutputError> {
    let mut pending = pending();
    let created = create()?;
    // Entries of files that were published or dropped have nothing left to remove.
    pending.files.retain(|file| !file.is_done());
    pending.files.push(created.remover());
    Ok(created)
}

/// Publishes a file, by a method of it. A new key that was not to stay stays from then on.
pub(crate) fn publish(
    file: NewFile,
    by: fn(NewFile) -> Result<Published, OutputError>,
) -> Result<Published, OutputError> {
    let mut pending = pending();
    let published = by(file)?;
    pending.new_key = None;
    Ok(published)
}

/// Publishes a new key, which is not to stay before something else is published.
pub(crate) fn publish_new_key(file: NewFile) -> Result<(), OutputError> {
    let mut pending = pending();
    let published = file.publish()?;
    pending.new_key = Some(Published::remover(&published));
    Ok(())
}

/// Keeps a new key from being removed: the file sealed with it has been published and cannot be taken back.
pub(crate) fn keep_new_key() {
    pending().new_key = None;
}

/// Removes a new key that nothing was sealed with.
pub(crate) fn remove_new_key() {
    if let Some(key) = pending().new_key.take() {
        key.remove();
    }
}

/// Turns off the echo of a terminal until [`show_terminal`]. It stays off after the process was stopped and continued,
/// even if a shell has changed the settings of the terminal meanwhile.
pub(crate) fn hide_terminal(terminal: os::Terminal) -> io::Result<()> {
    let mut pending = pending();
    if let Some(hidden) = &mut pending.terminal {
        // A hidden terminal comes back to what it was before it was hidden.
        hidden.users += 1;
        return Ok(());
    }
    pending.terminal.insert(Prompting { terminal, prompt: None, users: 1 }).terminal.hide()
}

/// Notes the question that the terminal waits with, or that it has been answered.
pub(crate) fn set_prompt(prompt: Option<&'static str>) {
    if let Some(hidden) = &mut pending().terminal {
        hidden.prompt = prompt;
    }
}

/// Puts the terminal back, once nobody wants it hidden any more.
pub(crate) fn show_terminal() {
    let mut pending = pending();
    let Some(hidden) = &mut pending.terminal else { return };
    hidden.users -= 1;
    if hidden.users == 0 {
        hidden.terminal.show();
        pending.terminal = None;
    }
}

/// Turns off the echo and prints the prompt again, after the process was stopped and continued.
fn ask_again() {
    if let Some(Prompting { terminal, prompt, .. }) = &pending().terminal {
        let _ = terminal.hide();
        let _ = terminal.write(prompt.unwrap_or_default());
    }
}
