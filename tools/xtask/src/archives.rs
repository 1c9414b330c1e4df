//! Archives of folders and of the sources, and checksums of files: the same bytes for the same files.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::files;
use crate::outcome::{Outcome, Stop};
use crate::process::{capture, cargo, need, run};

/// The file of all checksums.
pub(crate) const SUMS: &str = "SHA256SUMS";

/// Returns the checksums of the files in a folder, as `sha256sum` writes them.
pub(crate) fn checksums(folder: &Path) -> Result<String, Stop> {
    let names = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let names = names.flatten().filter(|entry| entry.path().is_file()).map(|entry| entry.file_name());
    let mut names: Vec<_> = names.filter(|name| name != SUMS).collect();
    names.sort();
    capture(Command::new("sha256sum").args(names).current_dir(folder))
}

/// Makes `PATH.tar.xz`: the files of the last commit and, in `vendor`, all crates that they need, with a configuration that
/// has cargo take them from there.
pub(crate) fn archive_source(path: &Path) -> Outcome {
    export(path)?;
    let mut vendor = cargo(&["vendor", "--locked", "--versioned-dirs", "vendor"]);
    let settings = capture(vendor.current_dir(path))?;
    let config = path.join(".cargo/config.toml");
    let before = files::read(&config)?;
    files::write(&config, format!("{before}\n{settings}"))?;
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Stop::Failed(format!("{} is no place for an archive", path.display())));
    };
    pack(folder, &name.to_string_lossy())?;
    fs::remove_dir_all(path).map_err(|error| Stop::Failed(format!("{}: {error}", path.display())))
}

/// Writes the files of the last commit into a new folder.
fn export(path: &Path) -> Outcome {
    empty(path)?;
    let archive = path.with_extension("export");
    let mut git = Command::new("git");
    run(git.args(["archive", "--format=tar", "HEAD", "--output"]).arg(&archive))?;
    run(Command::new("tar").arg("-xf").arg(&archive).arg("-C").arg(path))?;
    fs::remove_file(&archive).map_err(|error| Stop::Failed(format!("{}: {error}", archive.display())))
}

/// Packs a folder in another into `NAME.tar.xz` beside it: the same bytes for the same files. One thread would give others than
/// several do.
pub(crate) fn pack(folder: &Path, name: &str) -> Outcome {
    need("xz")?;
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=go=rX,u+rw"]);
    tar.arg(format!("--mtime=@{}", epoch()?)).arg("--use-compress-program=xz -T2");
    run(tar.arg("-cf").arg(folder.join(format!("{name}.tar.xz"))).arg("-C").arg(folder).arg(name))
}

/// Returns the time of the last commit in seconds, which files in archives have.
pub(crate) fn epoch() -> Result<String, Stop> {
    git(&["log", "-1", "--format=%ct"])
}

/// Makes a folder anew.
pub(crate) fn empty(folder: &Path) -> Outcome {
    files::remove_folder(folder)?;
    files::make_folder(folder)
}

/// Returns the output of git, without the end of its last line.
pub(crate) fn git(args: &[&str]) -> Result<String, Stop> {
    Ok(capture(Command::new("git").args(args))?.trim().to_owned())
}
