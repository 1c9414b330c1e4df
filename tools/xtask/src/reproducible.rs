//! Reproducible builds: the shipped files are the same bytes wherever they are built. Two builds of the last commit, in two
//! folders, are compared.
//!
//! The first build takes the crates from cargo's folder. The second is of the archive of a release, with the crates in it,
//! without a network and without cargo's folder, so that the archive is shown to build as well.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::dist;
use crate::outcome::{Outcome, Stop};
use crate::process::run;
use crate::release;
use crate::workspace::as_shipped;

/// The files that are compared, in the folder of a release build.
const FILES: [&str; 4] =
    ["abreast", "libabreast_capi.so", "libabreast_capi.a", "libabreast_ossl_provider.so"];

/// Builds twice and compares.
pub(crate) fn check() -> Outcome {
    // Not below this workspace, whose configuration cargo would read besides that of the copies.
    let folder = tempfile::tempdir().map_err(|error| format!("a folder for two builds: {error}"))?;
    let folder = folder.path();
    let first = folder.join("first");
    release::export(&first)?;
    let first = build(&first, None)?;

    // Folders of other lengths, at another depth.
    let second = folder.join("the/second/build");
    fs::create_dir_all(&second).map_err(|error| format!("{}: {error}", second.display()))?;
    release::archive_source(&folder.join("abreast"))?;
    run(Command::new("tar").arg("-xf").arg(folder.join("abreast.tar.xz")).arg("-C").arg(&second))?;
    let home = folder.join("home-of-cargo");
    release::empty(&home)?;
    let second = build(&second.join("abreast"), Some(&home))?;

    let mut sums = Command::new("sha256sum");
    run(sums.args(FILES.map(|file| first.join(file))).args(FILES.map(|file| second.join(file))))?;
    let mut complaints = Vec::new();
    for file in FILES {
        complaints.extend(difference(&first.join(file), &second.join(file))?);
    }
    if complaints.is_empty() { Ok(()) } else { Err(Stop::Failed(complaints.join("\n"))) }
}

/// Builds what is shipped from sources in a folder, and returns the folder of what came of it; with a folder for cargo,
/// from the crates beside the sources alone.
fn build(sources: &Path, home: Option<&Path>) -> Result<PathBuf, Stop> {
    let mut command = dist::build_command();
    as_shipped(&mut command, sources)?;
    command.current_dir(sources).env_remove("CARGO_TARGET_DIR");
    if let Some(home) = home {
        command.arg("--offline").env("CARGO_HOME", home);
    }
    run(&mut command)?;
    Ok(sources.join("target/release"))
}

/// Returns a description of the first difference of two files, if there is one.
fn difference(first: &Path, second: &Path) -> Result<Option<String>, Stop> {
    let read =
        |path: &Path| fs::read(path).map_err(|error| Stop::Failed(format!("{}: {error}", path.display())));
    let (one, other) = (read(first)?, read(second)?);
    if one == other {
        return Ok(None);
    }
    let at = one.iter().zip(&other).position(|(a, b)| a != b).unwrap_or(one.len().min(other.len()));
    Ok(Some(format!(
        "{} and {} are not the same: {} and {} bytes, other from byte {at} on",
        first.display(),
        second.display(),
        one.len(),
        other.len()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_compared_in_whole() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, bytes).unwrap();
            path
        };
        let (one, same) = (file("one", b"abc"), file("same", b"abc"));
        assert!(difference(&one, &same).unwrap().is_none());
        let why = difference(&one, &file("other", b"abd")).unwrap().expect("a difference");
        assert!(why.ends_with("3 and 3 bytes, other from byte 2 on"), "{why}");
        assert!(difference(&one, &file("longer", b"abcd")).unwrap().is_some());
        assert!(difference(&one, Path::new("no such file")).is_err());
    }
}
