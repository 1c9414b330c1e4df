//! `abreast keygen`, and the new keys of `abreast seal`.

use std::io::Write;
use std::path::Path;

use crate::failure::{Exit, Failure};
use crate::key_args::KeygenArgs;
use crate::outputs::Outputs;
use crate::streams::Stream;
use crate::target::{Replace, Target};
use abreast_sealed::{Aead, Key};

/// Runs the command.
pub(crate) fn run(args: &KeygenArgs) -> Result<(), Failure> {
    let output = args.file.as_deref().or(args.output.as_deref()).unwrap_or(Path::new("-"));
    // A key is text, which a terminal may show.
    if output == Path::new("-") {
        // A key that nobody gets is worse than an error.
        let mut stdout = Stream::stdout().map_err(|error| Failure::output("-".as_ref(), &error))?;
        let line = generate(args.cipher)?.to_line();
        let written = stdout.write_all(line.as_bytes());
        return written.map_err(|error| Failure::output("-".as_ref(), &error));
    }
    let mut outputs = Outputs::without_inputs();
    let target = Target::create(output, Replace::Never, &outputs)?;
    write(&generate(args.cipher)?, target, |target| target.commit(&mut outputs))
}

/// Makes a key.
pub(crate) fn generate(aead: Aead) -> Result<Key, Failure> {
    Key::generate(aead).map_err(|error| Failure::plain(Exit::Io, error))
}

/// Writes a key file, made final by `commit`.
pub(crate) fn write(
    key: &Key,
    mut target: Target,
    commit: impl FnOnce(Target) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let written = target.write_all(key.to_line().as_bytes());
    written.map_err(|error| Failure::output(target.path(), &error))?;
    commit(target)
}
