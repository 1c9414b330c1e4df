//! Runs this program again, as the one that is watched: with secrets on its standard input, without random addresses, and
//! with a time limit.

#![allow(unsafe_code, reason = "a child process asks the kernel for addresses that are not random")]

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The time limit of a child. A child that exceeds it is a fault.
pub(crate) const LIMIT: Duration = Duration::from_secs(7200);

/// The number of secret bytes, more than any subject asks for. In Miri, whose short form asks for less, it takes a minute to
/// make a million.
const SECRETS: usize = if cfg!(miri) { 1 << 16 } else { 1 << 20 };

/// Secrets that follow from a number.
pub(crate) fn bytes(seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::with_capacity(SECRETS);
    while bytes.len() < SECRETS {
        // Marsaglia's xorshift64*.
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        bytes.extend(state.wrapping_mul(0x2545_f491_4f6c_dd1d).to_be_bytes());
    }
    bytes
}

/// A file of them.
pub(crate) fn secrets(seed: u64) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(&bytes(seed))?;
    file.rewind()?;
    Ok(file)
}

/// A program, which is this one as a rule, by itself or below another one, at the same addresses in each run.
pub(crate) fn command(
    below: &[&str],
    program: &Path,
    arguments: &[String],
    secrets: File,
) -> io::Result<Command> {
    let mut command = match below.split_first() {
        Some((first, rest)) => {
            let mut command = Command::new(first);
            command.args(rest).arg(program);
            command
        }
        None => Command::new(program),
    };
    // The environment lies on the stack and would move it.
    command.args(arguments).env_clear().stdin(secrets);
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    // SAFETY: one system call, which allocates nothing, between fork and exec.
    unsafe {
        command.pre_exec(|| match libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) {
            -1 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        });
    }
    Ok(command)
}

/// Runs a command to its end and returns its standard output.
pub(crate) fn run(mut command: Command) -> io::Result<(ExitStatus, String)> {
    let mut output = tempfile::tempfile()?;
    let mut child = command.stdout(output.try_clone()?).spawn()?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > LIMIT {
            end(&mut child);
            return Err(io::Error::other("the time is over"));
        }
        sleep(Duration::from_millis(5));
    };
    let mut text = String::new();
    output.rewind()?;
    output.read_to_string(&mut text)?;
    Ok((status, text))
}

/// Ends a child, whatever it does.
pub(crate) fn end(child: &mut Child) {
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
}
