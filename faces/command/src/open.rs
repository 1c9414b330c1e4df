//! `abreast open` and `abreast verify`.

use std::path::{Path, PathBuf};

use crate::args::{OpenArgs, VerifyArgs, WorkArgs};
use crate::failure::{Exit, Failure};
use crate::key_args::{HashLimitArgs, KeyArgs};
use crate::outputs::Outputs;
use crate::progress::Meter;
use crate::recognize::not_random;
use abreast_sealed::{Aead, Error, Header, Layout, Limits, Opener, Output, Plan, Progress as _};

use crate::program::{each_file, jobs};
use crate::purposes;
use crate::range::{ByteRange, Share};
use crate::secrets::{self, Secret};
use crate::source::Source;
use crate::target::{Replace, Target};

/// Error text for an input in which no range can be opened.
const ONLY_REGULAR: &str = "a range or a share is opened in a regular file given by name";

/// The part of the contents to open.
#[derive(Clone, Copy)]
enum Slice {
    /// All of them.
    All,
    /// A range.
    Range(ByteRange),
    /// One of several shares.
    Share(Share),
}

impl Slice {
    /// Returns the part that the arguments name.
    fn from_args(args: &OpenArgs) -> Slice {
        match (args.range, args.share) {
            (Some(range), _) => Slice::Range(range),
            (None, Some(share)) => Slice::Share(share),
            (None, None) => Slice::All,
        }
    }

    /// The range that it is in a file of that length, which begins with that header; `None` if it is all of it. Nothing
    /// of it is authentic before the range is opened.
    fn range(self, header: &Header, length: u64) -> Result<Option<ByteRange>, Error> {
        let share = match self {
            Slice::All => return Ok(None),
            Slice::Range(range) => return Ok(Some(range)),
            Slice::Share(share) => share,
        };
        let body = length.checked_sub(header.body_offset()).ok_or(Error::Truncated)?;
        let plan = Plan::with_salt(Layout::of_body(body)?.message, Limits::default(), header.salt())?;
        let span = plan.span(plan.share(share.number, share.of)?)?.plain;
        Ok(Some(ByteRange { start: span.start, end: Some(span.end) }))
    }
}

/// Runs `open`.
pub(crate) fn run(args: &OpenArgs) -> Result<(), Failure> {
    let slice = Slice::from_args(args);
    if !matches!(slice, Slice::All) && args.files.len() > 1 {
        return Err(Failure::usage("a range or a share is opened in one file, not in several"));
    }
    if args.output.is_some() && args.files.len() > 1 {
        return Err(Failure::usage("several files cannot be opened into one: leave out -o"));
    }
    let mut outputs = Outputs::of_inputs(&args.files);
    let name = |file: &PathBuf| args.output.clone().or_else(|| opened_name(file).ok());
    outputs.check_pipes(secrets::files(&args.key), args.files.iter().filter_map(name))?;
    let mut opening = Opening::new(&args.key, &args.hash, &args.work, &args.files, &mut outputs)?;
    each_file(&args.files, |file| {
        let output = match &args.output {
            Some(output) => output.clone(),
            None => opened_name(file)?,
        };
        let mut source = match slice {
            Slice::All => Source::open(file)?,
            Slice::Range(_) | Slice::Share(_) => Source::open_regular(file, ONLY_REGULAR)?,
        };
        outputs.keep(source.metadata(), "is the input");
        let prepared = Target::prepare(&output, Replace::by_force(args.force), &outputs)?;
        // Before anything is created: to hash a passphrase takes memory, and a process that has none left may be killed.
        let opened = opening.unlock(&mut source, slice)?;
        let mut target = prepared.create(&outputs)?;
        opening.open(&opened, &mut source, target.output(), &output)?;
        target.commit(&mut outputs)
    })
}

/// Runs `verify`.
pub(crate) fn verify(args: &VerifyArgs) -> Result<(), Failure> {
    let mut opening =
        Opening::new(&args.key, &args.hash, &args.work, &args.files, &mut Outputs::without_inputs())?;
    each_file(&args.files, |file| {
        let mut source = Source::open(file)?;
        let opened = opening.unlock(&mut source, Slice::All)?;
        opening.open(&opened, &mut source, Output::Nothing, Path::new("-"))
    })
}

/// The name of a file once it is opened.
fn opened_name(file: &Path) -> Result<PathBuf, Failure> {
    if file == Path::new("-") {
        return Ok(file.to_path_buf());
    }
    if file.file_name().is_some_and(|name| name == ".abreast") {
        return Err(Failure::new(
            Exit::Usage,
            file,
            "nothing is left of the name without .abreast: tell with -o where to write",
        ));
    }
    if file.extension().is_some_and(|end| end == "abreast") {
        return Ok(file.with_extension(""));
    }
    Err(Failure::new(Exit::Usage, file, "the name does not end in .abreast: tell with -o where to write"))
}

/// A file of which the key is known.
struct Unlocked {
    /// The file, ready to be opened.
    opener: Opener,
    /// The range to open; `None` for all of it.
    range: Option<ByteRange>,
    /// The offset of the first chunk.
    body_offset: u64,
}

/// The arguments of opening beyond the file.
struct Opening<'a> {
    /// The key, a passphrase, or the terminal to ask for one.
    secret: Secret,
    /// The cipher that files have to be sealed with, if one was named.
    cipher: Option<Aead>,
    /// The threads and the style of progress.
    work: &'a WorkArgs,
}

impl<'a> Opening<'a> {
    /// Takes it from the arguments.
    fn new(
        key: &KeyArgs,
        hash: &HashLimitArgs,
        work: &'a WorkArgs,
        files: &[PathBuf],
        outputs: &mut Outputs,
    ) -> Result<Opening<'a>, Failure> {
        purposes::check(key, files)?;
        Ok(Opening { secret: Secret::for_opening(key, hash, outputs)?, cipher: key.cipher, work })
    }

    /// Reads the header of a file, and finds its key.
    fn unlock(&mut self, source: &mut Source, slice: Slice) -> Result<Unlocked, Failure> {
        let file = source.path().to_path_buf();
        let failure = |error| Failure::sealed(&file, Path::new("-"), &error);
        if !matches!(slice, Slice::All) && source.file().is_none() {
            return Err(Failure::new(Exit::Usage, &file, ONLY_REGULAR));
        }
        let header = Header::read(source.reader()).map_err(failure)?;
        if let (Some(asked), Some(line)) = (self.cipher, header.passphrase_line())
            && asked != line.aead()
        {
            let name = line.aead().short_name();
            let cause = format_args!("sealed with {name}, and --cipher says otherwise");
            return Err(Failure::new(Exit::Usage, &file, cause));
        }
        let unlock = |key: &_| Opener::new(&header, key).map_err(failure);
        let opener = match self.secret.with_key(&header, &file, unlock) {
            Err(refused) if header.passphrase_line().is_none() => {
                // Without a key file, a length that no sealed file has is why nothing opens this one.
                if !self.secret.is_keys()
                    && let Some(body) =
                        source.len().and_then(|length| length.checked_sub(header.body_offset()))
                {
                    Layout::of_body(body).map_err(failure)?;
                }
                let begins = not_random(&header.to_bytes());
                return Err(begins.map_or(refused, |begins| Failure::not_sealed(&file, &begins)));
            }
            opener => opener?,
        };
        let range = slice.range(&header, source.len().unwrap_or_default()).map_err(failure)?;
        Ok(Unlocked { opener, range, body_offset: header.body_offset() })
    }

    /// Opens one file, of which the header has been read.
    fn open(
        &self,
        unlocked: &Unlocked,
        source: &mut Source,
        output: Output<'_>,
        output_name: &Path,
    ) -> Result<(), Failure> {
        let Unlocked { opener, range, body_offset } = unlocked;
        let file = source.path().to_path_buf();
        let failure = |error| Failure::sealed(&file, output_name, &error);
        // How much of a file is read for a range is not known before.
        let total = if range.is_none() { source.len() } else { None };
        let meter = Meter::new(self.work.progress, &file, total);
        meter.advance(*body_offset);
        let jobs = jobs(self.work.jobs);
        match (range, source.file()) {
            (Some(range), Some(file)) => opener.open_range(range.bounds(), file, output, jobs, &meter),
            _ => opener.open(source.input(), output, jobs, &meter),
        }
        .map_err(failure)?;
        meter.finish();
        Ok(())
    }
}
