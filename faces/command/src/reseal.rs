//! `abreast reseal`.

use std::fs;
use std::path::Path;

use crate::args::ResealArgs;
use crate::failure::Failure;
use crate::files::naming::Rename;
use crate::files::{self, Call, Done, Entry, Naming, Verb, Walk, folders};
use crate::key_args::{KeyArgs, NewHashArgs};
use crate::new_key::NewKey;
use crate::open::{Opening, Slice};
use crate::outputs::Outputs;
use crate::program::jobs;
use crate::progress::Bar;
use crate::purposes;
use crate::secrets::{self, Secret};
use crate::source::Source;
use crate::target::{Replace, Target};
use abreast_sealed::{Aead, Header, Opener};

/// Runs the command.
pub(crate) fn run(args: &ResealArgs) -> Result<(), Failure> {
    let inputs = files::inputs(&args.files)?;
    let several = inputs.len() > 1 || args.tree.recursive;
    let naming = Naming::from_args(Rename::Same, &args.to, several)?;
    let new = args.new_key_args();
    purposes::check(&new, &inputs)?;
    purposes::check_two(&args.key, &new)?;
    let in_place = args.to.output.is_none() && args.to.output_dir.is_none();
    let all_secrets = secrets::files(&args.key).chain(secrets::files(&new));
    let outputs = Outputs::of_secrets(all_secrets);
    files::check_report(&args.talk, &naming, &inputs)?;
    let mut call = Call::new(Verb::Resealed, outputs, &args.talk, several);
    let walk = Walk { naming: Some(&naming), seals: false, include_sealed: true, in_place };
    let entries = call.list(&inputs, &args.tree, walk);
    call.outputs.check_pipes(inputs.iter().filter_map(|file| naming.of_file(file).ok()))?;
    if let Some(folder) = &args.to.output_dir {
        folders::make_place(folder)?;
    }
    let mut old = Opening::new(&args.key, &args.limit, &args.work, &inputs, &mut call.outputs)?;
    old.ask_as_old();
    let mut new_key = None;
    let to = match &args.to_new_key {
        Some(path) => {
            let (guard, key) =
                NewKey::create(path, args.to_cipher.unwrap_or(Aead::Aes256Gcm), &mut call.outputs)?;
            new_key = Some(guard);
            Secret::of_key(key)
        }
        None => Secret::for_sealing(&new, &args.new_hash(), &mut call.outputs)?,
    };
    let bar = Bar::new(args.work.progress, &args.talk, &entries);
    let mut resealing = Resealing { args, in_place, to, bar };
    call.each(&entries, |call, entry| {
        let done = resealing.reseal(call, entry, &mut old)?;
        if let (Some(new_key), Some(output), Done::Worked) = (&mut new_key, &entry.output, done) {
            new_key.sealed = true;
            if !args.talk.quiet && !args.talk.json {
                new_key.explain(output, several);
            }
        }
        Ok(done)
    })
}

impl ResealArgs {
    /// Returns the source of the new key, as the source of a key.
    fn new_key_args(&self) -> KeyArgs {
        KeyArgs {
            key_file: self.to_key_file.iter().cloned().collect(),
            key_command: None,
            passphrase_file: self.to_passphrase_file.clone(),
            passphrase: None,
            passphrase_fd: None,
            passphrase_command: None,
            cipher: self.to_cipher,
            strict: self.key.strict,
        }
    }

    /// Returns the costs of the new passphrase's hash.
    fn new_hash(&self) -> NewHashArgs {
        NewHashArgs { kdf_memory: self.kdf_memory, kdf_passes: self.kdf_passes }
    }
}

/// The work of a call, file by file.
struct Resealing<'a> {
    args: &'a ResealArgs,
    /// True if each file takes its own place.
    in_place: bool,
    /// The new key or passphrase.
    to: Secret,
    bar: Bar,
}

impl Resealing<'_> {
    /// Seals one file under the new key.
    fn reseal(&mut self, call: &mut Call<'_>, entry: &Entry, old: &mut Opening<'_>) -> Result<Done, Failure> {
        let Entry { input: file, output: Some(output), .. } = entry else { return Ok(Done::Around) };
        let args = self.args;
        if args.to.skip_existing && !self.in_place && fs::symlink_metadata(output).is_ok() {
            self.bar.pass(entry);
            return Ok(Done::Skipped("its output exists"));
        }
        let mut source = Source::open(file)?;
        let (output, replace) = if self.in_place && file != Path::new("-") {
            // The file that a link leads to takes its own place, and not that of the link.
            let is_link = fs::symlink_metadata(file).is_ok_and(|it| it.is_symlink());
            let output = if is_link { fs::canonicalize(file) } else { Ok(file.clone()) };
            (output.map_err(|error| Failure::io(file, &error))?, Replace::Yes)
        } else {
            call.outputs.keep(source.metadata(), "is the input");
            (output.clone(), Replace::by_force(args.to.force))
        };
        let failure = |error| Failure::sealed(file, &output, &error);
        // The passphrase is asked for before a file is looked at, so that it is the new one that is asked for.
        let sealer = self.to.sealer(args.to_cipher, file)?;
        let header = source.header()?;
        let done = self.opens(&header, file);
        if done && self.in_place {
            self.bar.pass(entry);
            return Ok(Done::Skipped("it opens with the new key already"));
        }
        let prepared = Target::prepare(&output, replace, &call.outputs)?;
        let opener = if done {
            // The output is wanted all the same.
            self.to.with_key(&header, file, |key| Opener::new(&header, key).map_err(failure))?
        } else {
            old.unlock_header(&header, &source, Slice::All)?.opener
        };
        let mut target = prepared.create(&call.outputs)?;
        let meter = self.bar.meter(file, source.len());
        let resealed = opener.reseal(sealer, source.input(), target.output(), jobs(args.work.jobs), &meter);
        resealed.map_err(failure)?;
        source.check_unchanged(None)?;
        if self.in_place || args.to.preserve || args.tree.recursive {
            target.copy_metadata(source.metadata())?;
        }
        if self.in_place {
            target.copy_owner(source.metadata());
        }
        if let Some(published) = call.publish(target)? {
            call.unsynced.add(&output, published, None);
        }
        if self.in_place {
            // Another call may replace it, and the system give its number to another file.
            call.outputs.forget(&output);
        }
        meter.finish();
        Ok(Done::Worked)
    }

    /// Returns true if the new key opens the file already.
    fn opens(&mut self, header: &Header, file: &Path) -> bool {
        header.passphrase_line().is_none() == self.to.is_keys() && self.to.find(header, file).is_ok()
    }
}
