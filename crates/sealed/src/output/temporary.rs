//! Temporary names, which are random.

use std::ffi::{OsStr, OsString};
use std::io;

/// The beginning of the name of a temporary file.
const PREFIX: &str = ".abreast-";

/// The number of random names that are tried before the folder is taken for one that has them all.
const ATTEMPTS: usize = 16;

/// Tries a call with random names until it is not refused because there is a file.
pub(super) fn with_random_name<T>(
    suffix: &str,
    call: impl Fn(&OsStr) -> io::Result<T>,
) -> io::Result<(OsString, T)> {
    for _ in 1..ATTEMPTS {
        let name = random_name(suffix)?;
        match call(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            done => return Ok((name, done?)),
        }
    }
    let name = random_name(suffix)?;
    let done = call(&name)?;
    Ok((name, done))
}

/// Returns a name such as `.abreast-0123456789ab.tmp`.
pub(super) fn random_name(suffix: &str) -> io::Result<OsString> {
    let mut bytes = [0; 6];
    getrandom::fill(&mut bytes)?;
    Ok(format!("{PREFIX}{}.{suffix}", data_encoding::HEXLOWER.encode(&bytes)).into())
}

/// Returns true if a name is one that temporary files have, as `.abreast-0123456789ab.tmp`.
///
/// ```
/// use abreast_sealed::output::is_temporary_name;
///
/// assert!(is_temporary_name(".abreast-0123456789ab.tmp".as_ref()));
/// assert!(!is_temporary_name("report.tmp".as_ref()));
/// ```
#[must_use]
pub fn is_temporary_name(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    let random = name.strip_prefix(PREFIX.as_bytes());
    let random = random.and_then(|rest| rest.strip_suffix(b".tmp").or_else(|| rest.strip_suffix(b".part")));
    random.is_some_and(|random| random.len() == 12 && random.iter().all(u8::is_ascii_hexdigit))
}
