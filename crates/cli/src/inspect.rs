//! `abreast inspect`.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::args::InspectArgs;
use crate::failure::{Exit, Failure};
use crate::source::Source;
use crate::{names, print};
use abreast_sealed::{CHUNK, Error, HEADER, Header, KEY_FILE_MAGIC, Layout, SALT};

/// Runs the command.
pub(crate) fn run(args: &InspectArgs) -> Result<(), Failure> {
    let path = &args.file;
    let only_regular = "only a regular file can be inspected";
    let mut source = Source::open_regular(path, only_regular)?;
    let failure = |error| Failure::sealed(path, "-".as_ref(), &error);
    let (Some(length), Some(file)) = (source.len(), source.file()) else {
        return Err(Failure::new(Exit::Usage, path, only_regular));
    };
    let start = start_of(file).map_err(|error| failure(Error::Read(error)))?;
    if start.starts_with(KEY_FILE_MAGIC.as_bytes()) {
        return Err(Failure::new(Exit::Usage, path, "is a key file, not a sealed file"));
    }
    let not_sealed = |why: String| {
        Failure::new(Exit::Authentication, path, format_args!("is not a sealed file, or was cut off: {why}"))
    };
    let no_length = || not_sealed(format!("no sealed file has {length} bytes"));
    let by_size = |error| if matches!(error, Error::Truncated) { no_length() } else { failure(error) };
    let header = Header::read(source.reader()).map_err(by_size)?;
    let body = length.checked_sub(header.body_offset()).ok_or_else(no_length)?;
    let layout = Layout::of_body(body).map_err(by_size)?;
    if header.passphrase_line().is_none()
        && let Some(what) = not_random(&start)
    {
        let cause =
            format_args!("is not a sealed file: it begins {what}, and a sealed one with random bytes");
        return Err(Failure::new(Exit::Authentication, path, cause));
    }

    let mut text = format!("{}\n", names::escape(path.as_os_str()));
    let mut row = |name: &str, value: String| text.push_str(&format!("  {name:<12}{value}\n"));
    match header.passphrase_line() {
        Some(line) => {
            let costs = line.costs();
            let (memory, passes, lanes) = (costs.memory, costs.passes, costs.lanes);
            let format = if line.aead().is_cobblestone() { "Cobblestone" } else { "private to abreast" };
            row("format", format!("{format}, {}, passphrase", line.aead().name()));
            row(
                "passphrase",
                format!("argon2id, memory {} MiB, passes {passes}, lanes {lanes}", memory / 1024),
            );
        }
        None => {
            row("format", "could be Cobblestone by its size, with a key file; only that key can tell".into())
        }
    }
    row("file", format!("{length} bytes"));
    row("message", format!("{} bytes", layout.message));
    row("header", format!("{} bytes", header.body_offset()));
    row("chunks", format!("{}, of {CHUNK} bytes each but the last", layout.chunks));
    text.push_str("None of this is authenticated: abreast verify does that.\n");
    print(&text)
}

/// The beginning of a file, as long as the header of a sealed one.
fn start_of(file: &File) -> io::Result<Vec<u8>> {
    let mut start = vec![0; HEADER];
    let mut len = 0;
    while len < HEADER {
        match file.read_at(&mut start[len..], len as u64) {
            Ok(0) => break,
            Ok(read) => len += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    start.truncate(len);
    Ok(start)
}

/// How common types of files begin; those that begin with text, or with few different bytes, are found
/// without this. Each is so long that a random salt begins like one of them once in 100 million times.
const TYPES: [(&[u8], &str); 13] = [
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff\xe0", "a JPEG image"),
    (b"\xff\xd8\xff\xe1", "a JPEG image"),
    (b"\x1f\x8b\x08\x00", "a gzip file"),
    (b"\x1f\x8b\x08\x08", "a gzip file"),
    (b"PK\x03\x04", "a ZIP file"),
    (b"\xfd7zXZ", "an xz file"),
    (b"\x28\xb5\x2f\xfd", "a zstd file"),
    (b"BZh9", "a bzip2 file"),
    (b"7z\xbc\xaf", "a 7z file"),
    (b"%PDF", "a PDF document"),
    (b"Salted__", "a file of openssl enc"),
    (b"\x7fELF", "a program"),
];

/// What the beginning of a file is, if it is not what a random salt and a commitment look like.
///
/// Of 24 random bytes, 8 have the same value once in 10^11 times, and there are 12 different values or fewer even
/// more rarely; 56 of them are text more rarely still. So a sealed file is practically never called anything else.
fn not_random(start: &[u8]) -> Option<String> {
    if let Some((_, name)) = TYPES.into_iter().find(|(magic, _)| start.starts_with(magic)) {
        return Some(format!("as {name}"));
    }
    let text = start.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let shows = |char: char| !char.is_control() || matches!(char, '\t' | '\n' | '\r' | '\x0c');
    // The end may be in the middle of a character.
    if text.len() + 3 >= start.len() && text.chars().all(shows) {
        return Some("with text".into());
    }
    let mut counts = [0; 256];
    start[..SALT].iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let different = counts.iter().filter(|count| **count > 0).count();
    if different <= SALT / 2 || counts.iter().any(|count| *count >= SALT / 3) {
        return Some("with hardly any different bytes".into());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_a_salt() {
        let start = |bytes: &[u8]| not_random(&[bytes, &[0; HEADER]].concat()[..HEADER]);
        assert!(start(b"").unwrap().contains("hardly any"));
        assert!(start(b"\x89PNG\r\n\x1a\n01234567890123456789").unwrap().contains("PNG"));
        let text = "a sentence that goes on and on, \u{fc}ber alles M\u{f6}gliche".repeat(2);
        for end in HEADER..=HEADER + 1 {
            assert_eq!(not_random(&text.as_bytes()[end - HEADER..end]).as_deref(), Some("with text"));
        }
    }

    #[test]
    fn random_bytes_are_not_taken_for_something_else() {
        let mut start = [0; HEADER];
        for _ in 0..10_000 {
            getrandom::fill(&mut start).unwrap();
            assert_eq!(not_random(&start), None, "{start:?}");
        }
    }
}
