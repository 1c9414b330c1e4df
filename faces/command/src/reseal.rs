//! `abreast reseal`.

use std::fs;
use std::path::Path;

use crate::args::ResealArgs;
use crate::failure::Failure;
use crate::files::{self, Arguments, Call, Done, Entry, Verb};
use crate::key_args::{KeyArgs, NewHashArgs};
use crate::new_key;
use crate::open::{Opening, Slice};
use crate::outputs::Outputs;
use crate::program::jobs;
use crate::progress::Bar;
use crate::purposes;
use crate::secrets::{self, Secret};
use crate::source::Source;
use crate::target::{Replace, Target};
use abreast_sealed::{Header, Opener};

/// Runs the command.
pub(crate) fn run(args: &ResealArgs) -> Result<(), Failure> {
    let inputs = files::inputs(&args.files)?;
    let new = args.new_key_args();
    purposes::check(&new, &inputs)?;
    purposes::check_two(&args.key, &new)?;
    let outputs = Outputs::of_secrets(secrets::files(&args.key).chain(secrets::files(&new)));
    let arguments = Arguments { tree: &args.tree, to: &args.to, talk: &args.talk };
    let (mut call, entries) = Call::writing(Verb::Resealed, arguments, outputs, &inputs, true)?;
    let mut old = Opening::new(&args.key, &args.limit, &args.work, &inputs, &mut call.outputs, false)?;
    old.ask_as_old();
    let given = |outputs: &mut Outputs| Secret::for_sealing(&new, &args.new_hash(), outputs);
    let (mut new_key, to) =
        new_key::secret(args.to_new_key.as_deref(), args.to_cipher, &mut call.outputs, given)?;
    let mut resealing = Resealing { args, to, bar: Bar::new(args.work.progress, &args.talk, &entries) };
    call.each(&entries, |call, entry| {
        let done = resealing.reseal(call, entry, &mut old)?;
        if let (Some(new_key), Some(output), Done::Worked) = (&mut new_key, &entry.output, done) {
            new_key.is_needed_by(output, call.several, &args.talk);
        }
        Ok(done)
    })
}

impl ResealArgs {
    /// Returns the source of the new key, as the source of a key.
    fn new_key_args(&self) -> KeyArgs {
        KeyArgs {
            key_file: self.to_key_file.iter().cloned().collect(),
            key_command: self.to_key_command.clone(),
            passphrase_file: self.to_passphrase_file.clone(),
            passphrase: None,
            passphrase_fd: None,
            passphrase_command: self.to_passphrase_command.clone(),
            cipher: self.to_cipher,
            strict: self.key.strict,
            prefix: "to-",
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
    /// The new key or passphrase.
    to: Secret,
    bar: Bar,
}

impl Resealing<'_> {
    /// Seals one file under the new key.
    fn reseal(&mut self, call: &mut Call<'_>, entry: &Entry, old: &mut Opening<'_>) -> Result<Done, Failure> {
        let Entry { input: file, output: Some(output), .. } = entry else { return Ok(Done::Around) };
        let args = self.args;
        if !call.in_place && args.to.skips(output) {
            self.bar.pass(entry);
            return Ok(Done::Skipped("its output exists"));
        }
        let mut source = Source::open(file)?;
        let (output, replace) = if call.in_place && file != Path::new("-") {
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
        if done && call.in_place {
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
        if !call.in_place {
            self.to.check_output(&args.to, &output)?;
            old.check_output(&args.to, &output)?;
        }
        let mut target = prepared.create(&call.outputs)?;
        let meter = self.bar.meter(file, source.len());
        let resealed = opener.reseal(sealer, source.input(), target.output(), jobs(args.work.jobs), &meter);
        resealed.map_err(failure)?;
        source.check_unchanged(None)?;
        // Windows may refuse to replace a file that is open.
        let metadata = source.into_metadata();
        if call.in_place {
            target.copy_owner(&metadata);
        }
        call.put(target, &metadata)?;
        if call.in_place {
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
