//! Reproducible releases: all files of a release are the same bytes wherever they are built. Two releases of the last commit, made
//! in two folders, are compared, and the install tree with the one that the archive of sources gives without a network.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::archives::{SUMS, empty};
use crate::outcome::{Outcome, Stop};
use crate::process::{cargo, run, say};
use crate::workspace::{Workspace, as_configured};

/// Makes two releases and the install tree once more, compares them, and uses one.
pub(crate) fn check(workspace: &Workspace) -> Outcome {
    // Not below this workspace, whose configuration cargo would read besides that of the copies.
    let folder = tempfile::tempdir().map_err(|error| format!("a folder for two releases: {error}"))?;
    let folder = folder.path();
    let first = release(&folder.join("first"), None)?;
    // Folders of other lengths, at another depth, and crates in another place.
    same(&first, &release(&folder.join("the/second/build"), Some(&folder.join("home")))?)?;
    run(Command::new("tools/xtask/try.sh").arg(&first))?;

    let name = format!("abreast-{}", workspace.version());
    let tree = format!("{name}-{}", workspace.host);
    for archive in [&name, &tree] {
        run(Command::new("tar")
            .arg("-xf")
            .arg(first.join(format!("{archive}.tar.xz")))
            .arg("-C")
            .arg(folder))?;
    }
    let (again, home) = (folder.join("again"), folder.join("no-crates"));
    empty(&home)?;
    let mut dist = cargo(&["xtask", "dist"]);
    as_configured(dist.arg(&again)).current_dir(folder.join(&name)).env_remove("CARGO_TARGET_DIR");
    run(dist.env("CARGO_HOME", &home).env("CARGO_NET_OFFLINE", "true"))?;
    run(Command::new("diff").arg("--recursive").arg(folder.join(&tree)).arg(&again))
}

/// Makes a release of a copy of this repository, and returns its folder; with a folder for the crates, which are fetched anew.
fn release(sources: &Path, home: Option<&Path>) -> Result<PathBuf, Stop> {
    run(Command::new("git").args(["clone", "--quiet", "."]).arg(sources))?;
    let made = sources.join("target/made");
    let mut command = cargo(&["xtask", "release"]);
    as_configured(command.arg(&made)).current_dir(sources).env_remove("CARGO_TARGET_DIR");
    if let Some(home) = home {
        command.env("CARGO_HOME", home);
    }
    run(&mut command)?;
    Ok(made)
}

/// Fails if two folders of releases have files that are not the same, or not as their checksums say.
pub(crate) fn same(first: &Path, second: &Path) -> Outcome {
    let sums = |folder: &Path| {
        run(Command::new("sha256sum").args(["--check", "--quiet", SUMS]).current_dir(folder))?;
        fs::read_to_string(folder.join(SUMS)).map_err(|error| Stop::Failed(error.to_string()))
    };
    let (one, other) = (sums(first)?, sums(second)?);
    say(&one);
    if one == other {
        return Ok(());
    }
    let differing = other.lines().filter(|line| !one.contains(line)).collect::<Vec<_>>();
    Err(Stop::Failed(format!("these files are not the same in two releases:\n{}", differing.join("\n"))))
}
