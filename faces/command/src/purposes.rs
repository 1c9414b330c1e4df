//! Inputs that can be read only once, each for one purpose in a call.
//!
//! Standard input has many names: `-`, `/dev/stdin`, `--passphrase-fd 0` and more. A pipe that is read for the
//! passphrase has nothing left for the data, which would be sealed as an empty message. So everything that
//! reads from a descriptor of this process is compared with everything else that is read. A regular file is
//! opened anew by each of its names, and those do not disturb each other.

use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use crate::failure::{Exit, Failure};
use crate::identity::{Identity, folder_of};
use crate::key_args::KeyArgs;
use crate::os::{self, Facts as _};
use crate::streams::{Stream, duplicate};

/// Symbolic links that are followed before a name is given up, as many as Linux follows.
const MAX_LINKS: usize = 40;

/// Something that a call reads.
struct Reading {
    /// Its name.
    path: PathBuf,
    /// The purpose.
    purpose: &'static str,
    /// The number of the descriptor that the name stands for.
    descriptor: Option<u32>,
    /// True if that descriptor itself is read, from its current position, instead of a new opening of the file.
    shared: bool,
    /// The identity of the file, if it is known.
    identity: Option<Identity>,
    /// True for a pipe, a socket or a device, where all openings take from the same bytes.
    stream: bool,
}

impl Reading {
    /// Describes the reading of a name; `-` is standard input.
    fn of_name(path: &Path, purpose: &'static str) -> Reading {
        if path == Path::new("-") {
            return Reading::of_descriptor(0, purpose);
        }
        let stream = os::metadata(path)
            .is_ok_and(|file| file.is_pipe() || file.is_connection() || file.is_stream_device());
        Reading {
            path: path.to_path_buf(),
            purpose,
            descriptor: descriptor_of(path),
            shared: false,
            identity: Identity::of_name(path),
            stream,
        }
    }

    /// Describes the reading of a descriptor.
    fn of_descriptor(descriptor: u32, purpose: &'static str) -> Reading {
        let stream = if descriptor == 0 { Stream::stdin() } else { duplicate(descriptor) };
        let metadata = stream.and_then(|stream| stream.metadata()).ok();
        Reading {
            path: if descriptor == 0 { "-".into() } else { format!("descriptor {descriptor}").into() },
            purpose,
            descriptor: Some(descriptor),
            shared: true,
            stream: metadata.as_ref().is_some_and(|metadata| !metadata.is_file()),
            identity: metadata.as_ref().map(Identity::of),
        }
    }

    /// Returns true if one of the two would take bytes from the other.
    fn disturbs(&self, other: &Reading) -> bool {
        let same_file = self.identity.is_some() && self.identity == other.identity;
        let by_descriptor = self.descriptor.is_some() || other.descriptor.is_some();
        let same_descriptor = self.descriptor.is_some() && self.descriptor == other.descriptor;
        same_descriptor || same_file && (self.shared && other.shared || self.stream && by_descriptor)
    }
}

/// Refuses a call that reads one thing for two purposes.
pub(crate) fn check(key: &KeyArgs, inputs: &[PathBuf]) -> Result<(), Failure> {
    let mut readings = of_secrets(key, ["the key", "the passphrase"]);
    // Regular files by their own names disturb nothing, and there may be thousands.
    let inputs = inputs.iter().map(|input| Reading::of_name(input, "the data"));
    readings.extend(inputs.filter(|reading| reading.stream || reading.descriptor.is_some()));
    check_all(&readings)
}

/// Refuses a call that reads one thing for both its secrets, the old one and the new one.
pub(crate) fn check_two(old: &KeyArgs, new: &KeyArgs) -> Result<(), Failure> {
    let mut readings = of_secrets(old, ["the old key", "the old passphrase"]);
    readings.extend(of_secrets(new, ["the new key", "the new passphrase"]));
    check_all(&readings)
}

/// Returns what the arguments of a secret read, for these purposes of keys and passphrases.
fn of_secrets(key: &KeyArgs, [of_key, of_passphrase]: [&'static str; 2]) -> Vec<Reading> {
    let mut readings: Vec<_> = key.key_file.iter().map(|path| Reading::of_name(path, of_key)).collect();
    if let Some(path) = &key.passphrase_file {
        readings.push(Reading::of_name(path, of_passphrase));
    }
    if let Some(descriptor) = key.passphrase_fd {
        readings.push(Reading::of_descriptor(descriptor, of_passphrase));
    }
    readings
}

/// Refuses two readings of which one would take bytes from the other.
fn check_all(readings: &[Reading]) -> Result<(), Failure> {
    for (i, one) in readings.iter().enumerate() {
        if let Some(other) = readings[..i].iter().find(|other| one.disturbs(other)) {
            let stdin = [one, other].iter().any(|reading| reading.descriptor == Some(0));
            let path = if stdin { Path::new("-") } else { &one.path };
            let cause = if one.purpose == other.purpose {
                "is named twice, and can be read only once".into()
            } else {
                format!("cannot be both {} and {}", other.purpose, one.purpose)
            };
            return Err(Failure::new(Exit::Usage, path, cause));
        }
    }
    Ok(())
}

/// The number of the descriptor of this process that a name such as `/dev/stdin` stands for.
fn descriptor_of(path: &Path) -> Option<u32> {
    let own = PathBuf::from(format!("/proc/{}", process::id()));
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        let folder = fs::canonicalize(folder_of(&path)).ok()?;
        if folder.starts_with(&own) && folder.ends_with("fd") {
            return path.file_name()?.to_str()?.parse().ok();
        }
        path = folder.join(fs::read_link(&path).ok()?);
    }
    None
}
