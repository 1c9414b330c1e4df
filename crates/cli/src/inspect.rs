//! `abreast inspect`.

use crate::args::InspectArgs;
use crate::failure::{Exit, Failure};
use crate::sealed::format::{CHUNK, Layout};
use crate::sealed::{Error, Header, keyfile};
use crate::source::Source;
use crate::{names, print};

/// Runs the command.
pub(crate) fn run(args: &InspectArgs) -> Result<(), Failure> {
    let path = &args.file;
    let mut source = Source::open(path)?;
    let failure = |error| Failure::sealed(path, "-".as_ref(), &error);
    let Some(length) = source.len() else {
        return Err(Failure::new(Exit::Usage, path, "only a regular file can be inspected"));
    };
    if is_key_file(&source).map_err(|error| failure(Error::Read(error)))? {
        return Err(Failure::new(Exit::Usage, path, "is a key file, not a sealed file"));
    }
    let header = Header::read(source.reader()).map_err(failure)?;
    let body = length.checked_sub(header.body_offset()).ok_or(Error::Truncated).map_err(failure)?;
    let layout = Layout::of_body(body).map_err(failure)?;

    let mut text = format!("{}\n", names::escape(path.as_os_str()));
    let mut row = |name: &str, value: String| text.push_str(&format!("  {name:<12}{value}\n"));
    match header.passphrase_line() {
        Some(line) => {
            let costs = line.costs;
            let (memory, passes, lanes) = (costs.memory, costs.passes, costs.lanes);
            let format = if line.aead.is_cobblestone() { "Cobblestone" } else { "private to abreast" };
            row("format", format!("{format}, {}, passphrase", line.aead.name()));
            row(
                "passphrase",
                format!("argon2id, memory {} MiB, passes {passes}, lanes {lanes}", memory / 1024),
            );
        }
        None => row("format", "Cobblestone by its size, with a key file that names the cipher".into()),
    }
    row("file", format!("{length} bytes"));
    row("message", format!("{} bytes", layout.message));
    row("header", format!("{} bytes", header.body_offset()));
    row("chunks", format!("{}, of {CHUNK} bytes each but the last", layout.chunks));
    text.push_str("None of this is authenticated: abreast verify does that.\n");
    print(&text)
}

/// Whether the file is one to keep to oneself.
fn is_key_file(source: &Source) -> std::io::Result<bool> {
    use std::os::unix::fs::FileExt;
    let mut start = [0; keyfile::MAGIC.len()];
    let read = source.file().map_or(Ok(0), |file| file.read_at(&mut start, 0))?;
    Ok(start[..read] == *keyfile::MAGIC.as_bytes())
}
