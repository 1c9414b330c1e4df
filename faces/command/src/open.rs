//! `abreast open` and `abreast verify`.

use std::ops::Bound;
use std::path::{Path, PathBuf};

use crate::ags1::{self, Streams};
use crate::args::{FormatArgs, LengthArgs, OpenArgs, OutputArgs, VerifyArgs, WorkArgs};
use crate::failure::{Exit, Failure};
use crate::files::{self, Arguments, Call, Done, Entry, Verb, Walk};
use crate::key_args::{HashLimitArgs, KeyArgs};
use crate::outputs::Outputs;
use crate::progress::Bar;
use crate::recognize::not_random;
use abreast_sealed::ags1::HEADER;
use abreast_sealed::{
    Aead, Error, Format, Header, Layout, Limits, Opener, Output, Plan, Progress as _, SALT,
};

use crate::program::jobs;
use crate::purposes;
use crate::range::{Bounds, ByteRange, Share};
use crate::secrets::{self, Secret};
use crate::source::Source;
use crate::target::{Replace, Target};

/// Error text for an input in which no range can be opened.
const ONLY_REGULAR: &str = "a range or a share is opened in a regular file given by name";

/// The part of the contents to open.
#[derive(Clone, Copy)]
pub(crate) enum Slice {
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

    /// The range that it is in a file of that length and format, whose chunks begin there; `None` if it is all of it. Nothing
    /// of it is authentic before the range is opened.
    fn range(self, format: Format, body_offset: u64, length: u64) -> Result<Option<Bounds>, Error> {
        let message = || {
            let body = length.checked_sub(body_offset).ok_or(Error::Truncated)?;
            Ok::<_, Error>(Layout::of_body(format, body)?.message)
        };
        match self {
            Slice::All => Ok(None),
            Slice::Range(range) => Ok(Some(range.in_length(message()?))),
            Slice::Share(share) => {
                // The cut does not depend on the salt.
                let plan = match format {
                    Format::Cobblestone => Plan::with_salt(message()?, Limits::default(), &[0; SALT])?,
                    Format::Ags1 => Plan::ags1(message()?, Limits::default())?,
                };
                let span = plan.span(plan.share(share.number, share.of)?)?.plain;
                Ok(Some((Bound::Included(span.start), Bound::Excluded(span.end))))
            }
        }
    }
}

/// Runs `open`.
pub(crate) fn run(args: &OpenArgs) -> Result<(), Failure> {
    let inputs = files::inputs(&args.files)?;
    let slice = Slice::from_args(args);
    if args.tree.several(&inputs) && !matches!(slice, Slice::All) {
        return Err(Failure::usage("a range or a share is opened in one file, not in several"));
    }
    if !matches!(slice, Slice::All) && args.to.output.is_none() {
        return Err(Failure::usage(
            "a range or a share has no name of its own: give -o FILE, or -o - for a pipe",
        ));
    }
    let outputs = Outputs::of_secrets(secrets::files(&args.key));
    let arguments = Arguments { tree: &args.tree, to: &args.to, talk: &args.talk };
    let (mut call, entries) = Call::writing(Verb::Opened, arguments, outputs, &inputs, true)?;
    let streams = ags1::is_asked_for(&args.format, Some(&args.length))?;
    let mut opening = Opening::new(&args.key, &args.hash, &args.work, &inputs, &mut call.outputs, streams)?;
    opening.take_format(&args.format, &args.length, call.several)?;
    let bar = Bar::new(args.work.progress, &args.talk, &entries);
    call.each(&entries, |call, entry| {
        let Entry { input: file, output: Some(output), .. } = entry else { return Ok(Done::Around) };
        if args.to.skips(output) {
            bar.pass(entry);
            return Ok(Done::Skipped("its output exists"));
        }
        let mut source = match slice {
            Slice::All => Source::open(file)?,
            Slice::Range(_) | Slice::Share(_) => Source::open_regular(file, ONLY_REGULAR)?,
        };
        call.outputs.keep(source.metadata(), "is the input");
        let prepared = Target::prepare(output, Replace::by_force(args.to.force), &call.outputs)?;
        // Before anything is created: to hash a passphrase takes memory, and a process that has none left may be killed.
        let opened = opening.unlock(&mut source, slice)?;
        opening.check_output(&args.to, output)?;
        let mut target = prepared.create(&call.outputs)?;
        opening.open(&opened, &mut source, target.output(), output, &bar)?;
        call.put(target, source.metadata())?;
        Ok(opening.done(source.path()))
    })
}

/// Runs `verify`.
pub(crate) fn verify(args: &VerifyArgs) -> Result<(), Failure> {
    let inputs = files::inputs(&args.files)?;
    files::check_listener(&args.talk)?;
    let several = args.tree.several(&inputs);
    let mut call = Call::new(Verb::Verified, Outputs::without_inputs(), &args.talk, several);
    let entries = call.list(&inputs, &args.tree, Walk { naming: None, include_sealed: true });
    let streams = ags1::is_asked_for(&args.format, Some(&args.length))?;
    let mut opening = Opening::new(&args.key, &args.hash, &args.work, &inputs, &mut call.outputs, streams)?;
    opening.take_format(&args.format, &args.length, several)?;
    let bar = Bar::new(args.work.progress, &args.talk, &entries);
    call.each(&entries, |_, entry| {
        let mut source = Source::open(&entry.input)?;
        let opened = opening.unlock(&mut source, Slice::All)?;
        opening.open(&opened, &mut source, Output::Nothing, Path::new("-"), &bar)?;
        Ok(opening.done(source.path()))
    })
}

/// A file of which the key is known.
pub(crate) struct Unlocked {
    /// The file, ready to be opened.
    pub(crate) opener: Opener,
    /// The range to open; `None` for all of it.
    range: Option<Bounds>,
    /// The offset of the first chunk.
    body_offset: u64,
}

/// The arguments of opening beyond the file.
pub(crate) struct Opening<'a> {
    /// The key, a passphrase, or the terminal to ask for one.
    secret: Secret,
    /// The cipher that files have to be sealed with, if one was named.
    cipher: Option<Aead>,
    /// The streams that the files are, if they are streams of AGS1.
    streams: Option<Streams>,
    /// The threads and the style of progress.
    work: &'a WorkArgs,
}

impl<'a> Opening<'a> {
    /// Takes it from the arguments, with `streams` for streams of AGS1.
    pub(crate) fn new(
        key: &KeyArgs,
        hash: &HashLimitArgs,
        work: &'a WorkArgs,
        files: &[PathBuf],
        outputs: &mut Outputs,
        streams: bool,
    ) -> Result<Opening<'a>, Failure> {
        purposes::check(key, files)?;
        let secret = if streams {
            Secret::for_streams(key, outputs)?
        } else {
            Secret::for_opening(key, hash, outputs)?
        };
        Ok(Opening { secret, cipher: key.cipher, streams: None, work })
    }

    /// Takes the format of the files from the arguments.
    fn take_format(
        &mut self,
        format: &FormatArgs,
        length: &LengthArgs,
        several: bool,
    ) -> Result<(), Failure> {
        if self.secret.stream_key().is_some() {
            self.streams = Some(Streams::from_args(&self.secret, format, length, several)?);
        }
        Ok(())
    }

    /// Returns the outcome of a file that was opened, after a warning if its end is not known to be authentic.
    fn done(&self, path: &Path) -> Done {
        self.streams.as_ref().map_or(Done::Worked, |streams| streams.done(path))
    }

    /// Refuses an output that would replace a file that holds the secret.
    pub(crate) fn check_output(&self, to: &OutputArgs, output: &Path) -> Result<(), Failure> {
        self.secret.check_output(to, output)
    }

    /// Asks for passphrases as old ones.
    pub(crate) fn ask_as_old(&mut self) {
        self.secret.ask_as_old();
    }

    /// Reads the header of a file, and finds its key.
    pub(crate) fn unlock(&mut self, source: &mut Source, slice: Slice) -> Result<Unlocked, Failure> {
        if !matches!(slice, Slice::All) && source.file().is_none() {
            return Err(Failure::new(Exit::Usage, source.path(), ONLY_REGULAR));
        }
        if let Some(streams) = &self.streams {
            let (format, body_offset) = (Format::Ags1, HEADER as u64);
            let opener = streams.opener(source)?;
            let range = slice.range(format, body_offset, source.len().unwrap_or_default());
            let range = range.map_err(|error| Failure::sealed(source.path(), Path::new("-"), &error))?;
            return Ok(Unlocked { opener, range, body_offset });
        }
        let header = source.header()?;
        self.unlock_header(&header, source, slice)
    }

    /// Finds the key of the file that begins with this header.
    pub(crate) fn unlock_header(
        &mut self,
        header: &Header,
        source: &Source,
        slice: Slice,
    ) -> Result<Unlocked, Failure> {
        let file = source.path().to_path_buf();
        let failure = |error| Failure::sealed(&file, Path::new("-"), &error);
        if let (Some(asked), Some(line)) = (self.cipher, header.passphrase_line())
            && asked != line.aead()
        {
            let name = line.aead().short_name();
            let cause = format_args!("sealed with {name}, and --cipher says otherwise");
            return Err(Failure::new(Exit::Usage, &file, cause));
        }
        let unlock = |key: &_| Opener::new(header, key).map_err(failure);
        let opener = match self.secret.with_key(header, &file, unlock) {
            Err(refused) if header.passphrase_line().is_none() => {
                // Without a key file, a length that no sealed file has is why nothing opens this one.
                if !self.secret.is_keys()
                    && let Some(body) =
                        source.len().and_then(|length| length.checked_sub(header.body_offset()))
                {
                    Layout::of_body(Format::Cobblestone, body).map_err(failure)?;
                }
                let begins = not_random(&header.to_bytes());
                return Err(begins.map_or(refused, |begins| Failure::not_sealed(&file, &begins)));
            }
            opener => opener?,
        };
        let (length, body_offset) = (source.len().unwrap_or_default(), header.body_offset());
        let range = slice.range(Format::Cobblestone, body_offset, length).map_err(failure)?;
        Ok(Unlocked { opener, range, body_offset })
    }

    /// Opens one file, of which the header has been read.
    fn open(
        &self,
        unlocked: &Unlocked,
        source: &mut Source,
        output: Output<'_>,
        output_name: &Path,
        bar: &Bar,
    ) -> Result<(), Failure> {
        let Unlocked { opener, range, body_offset } = unlocked;
        let file = source.path().to_path_buf();
        let failure = |error| Failure::sealed(&file, output_name, &error);
        // How much of a file is read for a range is not known before.
        let total = if range.is_none() { source.len() } else { None };
        let meter = bar.meter(&file, total);
        meter.advance(*body_offset);
        let jobs = jobs(self.work.jobs);
        match (range, source.file()) {
            (Some(range), Some(file)) => opener.open_range(*range, file, output, jobs, &meter),
            _ => opener.open(source.input(), output, jobs, &meter),
        }
        .map_err(failure)?;
        meter.finish();
        Ok(())
    }
}
