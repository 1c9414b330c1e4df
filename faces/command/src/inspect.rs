//! `abreast inspect`.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::failure::{Exit, Failure};
use crate::files::failed_line;
use crate::key_args::InspectArgs;
use crate::names;
use crate::os::read_at;
use crate::outputs::Outputs;
use crate::program::{deliver, each_file};
use crate::purposes;
use crate::recognize::not_random;
use crate::secrets::{Found, Secret};
use crate::source::Source;
use abreast::Counted;
use abreast_sealed::{
    Aead, CHUNK, Costs, Error, Format, HEADER, Header, KEY_FILE_MAGIC, Layout, PassphraseLine,
};

/// Runs the command.
pub(crate) fn run(args: &InspectArgs) -> Result<(), Failure> {
    purposes::check(&args.key, &args.files)?;
    let mut secret = match args.key.name_a_secret() {
        true => Some(Secret::for_opening(&args.key, &args.hash, &mut Outputs::without_inputs())?),
        false => None,
    };
    each_file(&args.files, |file| {
        let (text, outcome) = match inspect(file, secret.as_mut(), args.json) {
            Ok(told) => told,
            Err(failure) if args.json => (failed_line(file, &failure), Err(failure)),
            Err(failure) => return Err(failure),
        };
        deliver(&text).and(outcome)
    })
}

/// Returns the facts about a file that can be a sealed one, and the failure if no key of those given opens it.
fn inspect(
    path: &Path,
    secret: Option<&mut Secret>,
    json: bool,
) -> Result<(String, Result<(), Failure>), Failure> {
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
    let no_length = || not_sealed(format!("no sealed file has {}", Counted(length, "bytes")));
    let by_size = |error| if matches!(error, Error::Truncated) { no_length() } else { failure(error) };
    let header = Header::read(source.reader()).map_err(by_size)?;
    let body = length.checked_sub(header.body_offset()).ok_or_else(no_length)?;
    let layout = Layout::of_body(Format::Cobblestone, body).map_err(by_size)?;
    let found = secret.map(|secret| secret.find(&header, path));
    let opens = found.as_ref().and_then(|found| found.as_ref().ok());
    if opens.is_none()
        && header.passphrase_line().is_none()
        && let Some(what) = not_random(&start)
    {
        return Err(Failure::not_sealed(path, &what));
    }

    let facts = Facts { path, length, header: &header, layout: &layout, found: found.as_ref() };
    let text = if json { facts.json() } else { facts.text() };
    Ok((text, found.map_or(Ok(()), |found| found.map(drop))))
}

/// The facts about a file that can be one that was sealed.
struct Facts<'a> {
    path: &'a Path,
    /// The length of the file in bytes.
    length: u64,
    header: &'a Header,
    layout: &'a Layout,
    /// The key that opens it, or why none of those given does; `None` if none was given.
    found: Option<&'a Result<Found<'a>, Failure>>,
}

impl Facts<'_> {
    /// Returns the key that opens the file.
    fn opens(&self) -> Option<&Found<'_>> {
        self.found.and_then(|found| found.as_ref().ok())
    }

    /// Returns the cipher, if it is known.
    fn aead(&self) -> Option<Aead> {
        let of_line = self.header.passphrase_line().map(PassphraseLine::aead);
        of_line.or_else(|| self.opens().map(|found| found.key.aead()))
    }

    /// Returns the facts as lines for people.
    fn text(&self) -> String {
        let Facts { path, length, header, layout, .. } = self;
        let mut text = format!("{}\n", names::escape(path.as_os_str()));
        let mut row = |name: &str, value: String| text.push_str(&format!("  {name:<12}{value}\n"));
        let line = header.passphrase_line();
        match self.aead() {
            Some(aead) => {
                let format = if aead.is_cobblestone() { "Cobblestone" } else { "private to abreast" };
                let secret = if line.is_some() { "passphrase" } else { "key file" };
                row("format", format!("{format}, {}, {secret}", aead.name()));
            }
            None => {
                row(
                    "format",
                    "could be Cobblestone by its size, with a key file; only that key can tell".into(),
                );
            }
        }
        if let Some(line) = line {
            row("passphrase", format!("argon2id, {}", line.costs()));
        }
        match (self.found, self.opens()) {
            (_, Some(found)) => row("key", names::escape(found.name.as_os_str())),
            (Some(_), None) => row("key", "none of those given".into()),
            (None, None) => {}
        }
        row("file", Counted(*length, "bytes").to_string());
        row("message", Counted(layout.message, "bytes").to_string());
        row("header", format!("{} bytes", header.body_offset()));
        row("chunks", format!("{}, of {CHUNK} bytes each but the last", layout.chunks));
        text.push_str("None of this is authenticated: abreast verify does that.\n");
        text
    }

    /// Returns the facts as a line of JSON.
    fn json(&self) -> String {
        let Facts { path, length, header, layout, .. } = self;
        let text = |text: Option<&str>| text.map_or("null".into(), names::json);
        let file = names::json_path("file", path.as_os_str());
        let cipher = text(self.aead().map(Aead::name));
        let key = self.opens().map(|found| names::json_path("key", found.name.as_os_str()));
        let key = key.unwrap_or_else(|| "\"key\":null".into());
        let kdf = header.passphrase_line().map_or("null".into(), |line| {
            let Costs { memory, passes, lanes } = line.costs();
            format!("{{\"name\":\"argon2id\",\"memory_kib\":{memory},\"passes\":{passes},\"lanes\":{lanes}}}")
        });
        format!(
            "{{{file},\"cipher\":{cipher},\"kdf\":{kdf},{key},\"file_bytes\":{length},\
             \"message_bytes\":{},\"header_bytes\":{},\"chunks\":{}}}\n",
            layout.message,
            header.body_offset(),
            layout.chunks
        )
    }
}

/// The beginning of a file, as long as the header of a sealed one.
fn start_of(file: &File) -> io::Result<Vec<u8>> {
    let mut start = vec![0; HEADER];
    let mut len = 0;
    while len < HEADER {
        match read_at(file, &mut start[len..], len as u64) {
            Ok(0) => break,
            Ok(read) => len += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    start.truncate(len);
    Ok(start)
}
