//! `abreast seal`.

use std::iter;
use std::path::{Path, PathBuf};

use crate::ags1;
use crate::args::SealArgs;
use crate::failure::{Exit, Failure};
use crate::files::naming::Rename;
use crate::files::originals::Original;
use crate::files::{self, Arguments, Call, Done, Entry, Naming, Verb};
use crate::new_key;
use crate::os::sync_file;
use crate::outputs::Outputs;
use crate::plan::{self, PinnedPlan};
use crate::program::jobs;
use crate::progress::Bar;
use crate::purposes;
use crate::range::Share;
use crate::secrets::{self, Secret};
use crate::source::Source;
use crate::target::{Replace, Target};
use abreast_sealed::output::{Published, sync_name};
use abreast_sealed::{Error, FileKey, Sealer};

/// Runs the command.
pub(crate) fn run(args: &SealArgs) -> Result<(), Failure> {
    let streams = ags1::is_asked_for(&args.format, None)?;
    if streams && (args.plan.is_some() || args.rm || args.new_key.is_some()) {
        return Err(Failure::usage("--plan, --rm and --new-key are not for --format ags1"));
    }
    if let Some(plan) = &args.plan {
        return run_by_plan(args, plan);
    }
    let inputs = files::inputs(&args.files)?;
    check_removal(args, &inputs)?;
    purposes::check(&args.key, &inputs)?;
    let outputs = Outputs::of_secrets(secrets::files(&args.key));
    let arguments = Arguments { tree: &args.tree, to: &args.to, talk: &args.talk };
    let (mut call, entries) = Call::writing(Verb::Sealed, arguments, outputs, &inputs, args.include_sealed)?;
    let given = |outputs: &mut Outputs| {
        if streams {
            Secret::for_streams(&args.key, outputs)
        } else {
            Secret::for_sealing(&args.key, &args.hash, outputs)
        }
    };
    let (mut new_key, secret) =
        new_key::secret(args.new_key.as_deref(), args.key.cipher, &mut call.outputs, given)?;
    let streams = if streams { Some(ags1::keys(&secret, &args.format)?) } else { None };
    let mut sealing =
        Sealing { args, secret, streams, bar: Bar::new(args.work.progress, &args.talk, &entries) };
    call.each(&entries, |call, entry| {
        let done = sealing.seal(call, entry)?;
        if let (Some(new_key), Some(output), Done::Worked) = (&mut new_key, &entry.output, done) {
            new_key.is_needed_by(output, call.several, &args.talk);
        }
        Ok(done)
    })
}

/// Refuses to remove originals where the sealed files cannot be read again.
fn check_removal(args: &SealArgs, inputs: &[PathBuf]) -> Result<(), Failure> {
    if !args.rm {
        return Ok(());
    }
    if inputs.iter().any(|input| input == Path::new("-")) {
        return Err(Failure::usage("--rm removes files, and standard input is not a file: name the files"));
    }
    if args.to.output.as_deref() == Some(Path::new("-")) {
        return Err(Failure::usage(
            "--rm opens the sealed file again, which standard output does not allow: give -o FILE",
        ));
    }
    Ok(())
}

/// Seals a share of one file, or all of it, by a plan.
fn run_by_plan(args: &SealArgs, plan_file: &Path) -> Result<(), Failure> {
    let [file] = &args.files[..] else {
        return Err(Failure::usage(format_args!(
            "a plan is for one file, and {} were named",
            args.files.len()
        )));
    };
    if args.rm || args.tree.recursive {
        return Err(Failure::usage("a plan is for one file that stays: leave out --rm and --recursive"));
    }
    // Each call would have another key or passphrase line. The parser lets these options through.
    if !args.key.name_a_key() {
        return Err(Failure::usage("a plan is for files that are sealed with a key: give --key-file"));
    }
    purposes::check(&args.key, &args.files)?;
    let mut outputs = Outputs::of_secrets(secrets::files(&args.key));
    outputs.keep_input(file, false);
    let output = Naming::from_args(Rename::Seal, &args.to, false)?.of_file(file)?;
    outputs.check_pipes(iter::once(output.clone()))?;
    let secret = Secret::for_sealing(&args.key, &args.hash, &mut outputs)?;
    let key = secret.into_key().expect("a key was named");
    let planned = PinnedPlan::read(plan_file, &mut outputs)?;
    let source = Source::open_regular(file, plan::ONLY_REGULAR)?;
    outputs.keep(source.metadata(), "is the input");
    planned.check(&source)?;
    let input = source.file().ok_or_else(|| Failure::new(Exit::Usage, file, plan::ONLY_REGULAR))?;

    let failure = |error| Failure::sealed(file, &output, &error);
    let plan = &planned.plan;
    let share = args.share.unwrap_or(Share { number: 1, of: 1 });
    let parts = plan.share(share.number, share.of).map_err(failure)?;
    let span = plan.span(parts.clone()).map_err(failure)?.plain;
    let mut target = Target::create(&output, Replace::by_force(args.to.force), &outputs)?;
    let cipher = FileKey::of_plan(&key, plan).map_err(failure)?.cipher();
    let bar = Bar::of_one(args.work.progress, &args.talk);
    let meter = bar.meter(file, Some(span.end - span.start));
    let jobs = jobs(args.work.jobs);
    let sealed = cipher.seal_parts(plan, parts, input, target.output(), jobs, &meter);
    // A file that was written to is a better reason than too few bytes.
    source.check_unchanged(None)?;
    sealed.map_err(failure)?;
    target.commit(&mut outputs)?;
    meter.finish();
    Ok(())
}

/// The work of a call, file by file.
struct Sealing<'a> {
    args: &'a SealArgs,
    secret: Secret,
    /// The keys of streams of AGS1, if files are sealed as such.
    streams: Option<FileKey>,
    bar: Bar,
}

impl Sealing<'_> {
    /// Seals one file.
    fn seal(&mut self, call: &mut Call<'_>, entry: &Entry) -> Result<Done, Failure> {
        let Entry { input: file, output: Some(output), .. } = entry else { return Ok(Done::Around) };
        let (args, jobs) = (self.args, jobs(self.args.work.jobs));
        let mut source = Source::open(file)?;
        call.outputs.keep(source.metadata(), "is the input");
        let skipped = args.to.skips(output);
        if (!skipped || args.rm)
            && let Some(reason) = self.holds_the_secret(&source)?
        {
            return self.leave_out(&source, output, reason);
        }
        if skipped {
            if args.rm
                && let Some(reason) = self.remove_skipped(&source, output)?
            {
                return self.leave_out(&source, output, reason);
            }
            self.bar.pass(entry);
            return Ok(Done::Skipped("its output exists"));
        }
        if !args.allow_empty && source.is_empty_stream()? {
            return Err(Failure::new(Exit::Io, file, EMPTY));
        }
        let prepared = Target::prepare(output, Replace::by_force(args.to.force), &call.outputs)?;
        // Before anything is created: to hash a passphrase takes memory, and a process that has none left may be killed.
        let asked = self.secret.is_asked_for();
        let sealer = match &self.streams {
            Some(keys) => Sealer::ags1(keys).map_err(|error| Failure::sealed(file, output, &error))?,
            None => self.secret.sealer(args.key.cipher, file)?,
        };
        if asked && let Some(reason) = self.holds_the_secret(&source)? {
            return self.leave_out(&source, output, reason);
        }
        self.secret.check_output(&args.to, output)?;
        let mut target = prepared.create(&call.outputs)?;
        if args.rm && !target.is_new_file() {
            return Err(Failure::new(Exit::Usage, output, NOT_REGULAR));
        }
        let meter = self.bar.meter(file, source.len());
        let sealed = sealer.seal(source.input(), target.output(), jobs, &meter);
        if let Err(Error::InputSize { .. }) = sealed {
            // A file that was written to is a better reason than too few bytes.
            source.check_unchanged(None)?;
        }
        let read = sealed.map_err(|error| Failure::sealed(file, output, &error))?;
        source.check_unchanged(source.len().map(|_| read))?;
        let published = match call.publish(target, source.metadata()) {
            // Another call was quicker.
            Err(failure) if args.to.skip_existing && failure.code() == Exit::Exists as u8 => {
                return Ok(Done::Skipped("its output exists"));
            }
            published => published?,
        };
        meter.finish();
        match published {
            Some(published) if args.rm => self.remove_later(call, &source, output, published)?,
            Some(published) => call.unsynced.add(output, published, None),
            None if args.rm => remove_now(&self.compare(&source, output)?, output)?,
            None => {}
        }
        Ok(Done::Worked)
    }

    /// Leaves a file out. One that was to get an output of a given name fails: whoever gave it counts on that output.
    fn leave_out(&self, source: &Source, output: &Path, reason: &'static str) -> Result<Done, Failure> {
        match &self.args.to.output {
            Some(named) if named == output => Err(Failure::left_out(source.path(), output, reason)),
            _ => Ok(Done::LeftOut(reason)),
        }
    }

    /// Returns why a file is left out that holds the secret of the call. Sealed under itself, nobody could open it.
    fn holds_the_secret(&self, source: &Source) -> Result<Option<&'static str>, Failure> {
        let Some(file) = source.file() else { return Ok(None) };
        self.secret.held_by_file(file, source.metadata(), source.path())
    }

    /// Compares a sealed file with its original, which is removed once the name of the sealed file is on the disk.
    fn remove_later(
        &mut self,
        call: &mut Call<'_>,
        source: &Source,
        output: &Path,
        published: Published,
    ) -> Result<(), Failure> {
        match self.compare(source, output) {
            Ok(original) => call.unsynced.add(output, published, Some(original)),
            Err(failure) => {
                call.unsynced.add(output, published, None);
                return Err(failure);
            }
        }
        Ok(())
    }

    /// Removes an original that an earlier call sealed, or returns why it is left out: it holds a passphrase that was asked for
    /// to compare the two.
    fn remove_skipped(&mut self, source: &Source, output: &Path) -> Result<Option<&'static str>, Failure> {
        let asked = self.secret.is_asked_for();
        let original = self.compare(source, output)?;
        if asked && let Some(reason) = self.holds_the_secret(source)? {
            return Ok(Some(reason));
        }
        remove_now(&original, output)?;
        Ok(None)
    }

    /// Compares a sealed file with its original, byte for byte.
    fn compare(&mut self, source: &Source, output: &Path) -> Result<Original, Failure> {
        let Some(file) = source.file() else {
            return Err(Failure::new(
                Exit::Usage,
                source.path(),
                "is sealed, and stays: only regular files are removed",
            ));
        };
        let jobs = jobs(self.args.work.jobs);
        Original::check(source.path(), file, source.metadata(), output, &mut self.secret, jobs)
    }
}

/// Removes an original of which the sealed file has its name. The call that sealed it may have been killed before its sync.
fn remove_now(original: &Original, output: &Path) -> Result<(), Failure> {
    let failure = |error| Failure::output(output, &error);
    sync_file(output).map_err(failure)?;
    sync_name(output).map_err(failure)?;
    original.remove()
}

/// Error text for an output that cannot be compared with its original.
const NOT_REGULAR: &str = "is not a regular file, and --rm opens the sealed file again";

/// Error text for standard input without any bytes.
const EMPTY: &str = "is empty, as it is after a command that failed: check that (in bash, set -o pipefail), or give \
                     --allow-empty; to change a key, use abreast reseal";
