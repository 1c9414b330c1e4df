//! `abreast seal`.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::iter;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use crate::args::SealArgs;
use crate::failure::{Exit, Failure};
use crate::keygen;
use crate::outputs::Outputs;
use crate::plan::{self, PinnedPlan};
use crate::program::{each_file, jobs, print};
use crate::progress::Meter;
use crate::range::Share;
use crate::secrets::{self, Secret};
use crate::source::Source;
use crate::target::{Replace, Target};
use crate::{cleanup, names, purposes};
use abreast_sealed::{Aead, Error, FileKey, Key};

/// Runs the command.
pub(crate) fn run(args: &SealArgs) -> Result<(), Failure> {
    if args.output.is_some() && args.files.len() > 1 {
        return Err(Failure::usage("several files cannot be sealed into one: leave out -o"));
    }
    if let Some(plan) = &args.plan {
        return run_by_plan(args, plan);
    }
    purposes::check(&args.key, &args.files)?;
    let mut outputs = Outputs::of_inputs(&args.files);
    let name = |file: &PathBuf| args.output.clone().unwrap_or_else(|| sealed_name(file));
    outputs.check_pipes(secrets::files(&args.key), args.files.iter().map(name))?;
    let mut new_key = None;
    let mut secret = match &args.new_key {
        Some(path) => {
            let aead = args.key.cipher.unwrap_or(Aead::Aes256Gcm);
            let (guard, key) = NewKey::create(path, aead, &mut outputs)?;
            new_key = Some(guard);
            Secret::of_key(key)
        }
        None => Secret::for_sealing(&args.key, &args.hash, &mut outputs)?,
    };
    each_file(&args.files, |file| {
        let output = seal(args, &mut secret, file, &mut outputs)?;
        if let Some(new_key) = &mut new_key {
            new_key.sealed = true;
            new_key.explain(&output);
        }
        Ok(())
    })
}

/// Seals a share of one file, or all of it, by a plan.
fn run_by_plan(args: &SealArgs, plan_file: &Path) -> Result<(), Failure> {
    let [file] = &args.files[..] else {
        return Err(Failure::usage("a plan is for one file, not for several"));
    };
    // Each call would have another key or passphrase line. The parser lets these options through.
    if !args.key.name_a_key() {
        return Err(Failure::usage("a plan is for files that are sealed with a key: give --key-file"));
    }
    purposes::check(&args.key, &args.files)?;
    let mut outputs = Outputs::of_inputs(&args.files);
    let output = args.output.clone().unwrap_or_else(|| sealed_name(file));
    outputs.check_pipes(secrets::files(&args.key), iter::once(output.clone()))?;
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
    let mut target = Target::create(&output, Replace::by_force(args.force), &outputs)?;
    let cipher = FileKey::derive(&key, plan.salt(), b"").0.cipher();
    let meter = Meter::new(args.work.progress, file, Some(span.end - span.start));
    let jobs = jobs(args.work.jobs);
    let sealed = cipher.seal_parts(plan, parts, input, target.output(), jobs, &meter);
    // That the file was written is a better reason than that it gave too few bytes.
    source.check_unchanged(None)?;
    sealed.map_err(failure)?;
    target.commit(&mut outputs)?;
    meter.finish();
    Ok(())
}

/// Seals one file, and says where it is.
fn seal(
    args: &SealArgs,
    secret: &mut Secret,
    file: &Path,
    outputs: &mut Outputs,
) -> Result<PathBuf, Failure> {
    let mut source = Source::open(file)?;
    outputs.keep(source.metadata(), "is the input");
    let output = args.output.clone().unwrap_or_else(|| sealed_name(file));
    let prepared = Target::prepare(&output, Replace::by_force(args.force), outputs)?;
    // Before anything is created: to hash a passphrase takes memory, and a process that has none left may be killed.
    let sealer = secret.sealer(args.key.cipher, file)?;
    let mut target = prepared.create(outputs)?;
    let meter = Meter::new(args.work.progress, file, source.len());
    let sealed = sealer.seal(source.input(), target.output(), jobs(args.work.jobs), &meter);
    if let Err(Error::InputSize { .. }) = sealed {
        // That the file was written is a better reason than that it gave too few bytes.
        source.check_unchanged(None)?;
    }
    let read = sealed.map_err(|error| Failure::sealed(file, &output, &error))?;
    source.check_unchanged(source.len().map(|_| read))?;
    target.commit(outputs)?;
    meter.finish();
    Ok(output)
}

/// The name of a file once it is sealed.
fn sealed_name(file: &Path) -> PathBuf {
    if file == Path::new("-") {
        return file.to_path_buf();
    }
    let mut name = OsString::from(file);
    name.push(".abreast");
    name.into()
}

/// A key file made for this run, which goes again if nothing was sealed with it.
struct NewKey {
    /// Its name.
    path: PathBuf,
    /// True if there is a file that needs it.
    sealed: bool,
    /// True if the user has been told about it.
    explained: bool,
}

impl NewKey {
    /// Makes a key and writes it to the disk.
    fn create(path: &Path, aead: Aead, outputs: &mut Outputs) -> Result<(NewKey, Key), Failure> {
        if path == Path::new("-") {
            return Err(Failure::usage("a new key needs a file: abreast keygen prints one"));
        }
        let no_place = || Failure::new(Exit::Io, path, "is not a place for a key");
        // To open a pipe would wait for its reader.
        outputs.check_name(path)?;
        if fs::metadata(path).is_ok_and(|there| there.file_type().is_fifo()) {
            return Err(no_place());
        }
        let target = Target::create(path, Replace::Never, outputs)?;
        if !target.is_new_file() {
            return Err(no_place());
        }
        let key = keygen::generate(aead)?;
        keygen::write(&key, target, |target| target.commit_new_key(outputs))?;
        Ok((NewKey { path: path.to_path_buf(), sealed: false, explained: false }, key))
    }

    /// Prints how to open the sealed file: on standard output, unless the sealed file is there. If nobody listens,
    /// the file is sealed all the same.
    fn explain(&mut self, output: &Path) {
        let key = names::shell_word(self.path.as_os_str());
        let mut text = String::new();
        if !self.explained {
            self.explained = true;
            let name = names::escape(self.path.as_os_str());
            text = format!("{name}: the new key. Whoever has it can open the file; without it nobody can.\n");
        }
        if output == Path::new("-") {
            text += &format!("to open: abreast open - --key-file {key}\n");
            let _ = io::stderr().write_all(text.as_bytes());
            return;
        }
        let (name, word) = (names::escape(output.as_os_str()), names::shell_word(output.as_os_str()));
        let elsewhere = if output.extension().is_some_and(|end| end == "abreast") { "" } else { " -o FILE" };
        text += &format!("{name}: sealed. To open: abreast open {word} --key-file {key}{elsewhere}\n");
        let _ = print(&text);
    }
}

impl Drop for NewKey {
    fn drop(&mut self) {
        if !self.sealed {
            cleanup::remove_new_key();
        }
    }
}
