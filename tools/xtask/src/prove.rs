//! Proofs about the machine code of libabreast: `judges/prove`, which is a workspace of its own because it links nothing of the
//! library. This builds the library and runs the judge's tests and the judge on it.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::ct;
use crate::files;
use crate::outcome::{Outcome, Stop};
use crate::process::{cargo, need, run, run_for};
use crate::workspace::Workspace;

/// The folder of the judge.
pub(crate) const FOLDER: &str = "judges/prove";

/// The time limits of a run: without and with `--long`.
const LIMITS: [Duration; 2] = [Duration::from_secs(1200), Duration::from_secs(12 * 3600)];

/// Proves the claims whose titles contain a text, or all.
pub(crate) fn check(workspace: &Workspace, long: bool, only: &[&str]) -> Outcome {
    ct::x86_64(workspace)?;
    let library = library(workspace)?;
    let faulty = folder(workspace, "faulty")?;
    run(judge(workspace, "clippy").args(["--all-targets", "--", "-Dwarnings"]))?;
    run(judge(workspace, "test").arg("--release"))?;
    let mut command = judge(workspace, "run");
    command.args(["--release", "--"]).arg(library).arg(faulty).args(long.then_some("--long")).args(only);
    run_for(LIMITS[usize::from(long)], &mut command)
}

/// Asks ABC, a program for logic, about the code and the specifications as circuits.
pub(crate) fn opinion(workspace: &Workspace) -> Outcome {
    ct::x86_64(workspace)?;
    need("berkeley-abc")?;
    let library = library(workspace)?;
    let circuits = folder(workspace, "circuits")?;
    let mut command = judge(workspace, "run");
    command.args(["--release", "--", "--opinion"]).arg(library).arg(circuits);
    run_for(LIMITS[0], &mut command)
}

/// The library, built.
fn library(workspace: &Workspace) -> Result<PathBuf, Stop> {
    let made = workspace.release()?;
    let mut files = made.iter().filter(|it| it.package == "abreast-capi").flat_map(|it| &it.files);
    let library = files.find(|file| file.extension() == Some(OsStr::new("so")));
    library.cloned().ok_or_else(|| Stop::Failed("cargo built no libabreast".to_owned()))
}

/// A folder for what the judge writes.
fn folder(workspace: &Workspace, name: &str) -> Result<PathBuf, Stop> {
    let folder = workspace.target.join("prove").join(name);
    files::make_folder(&folder)?;
    Ok(folder)
}

/// A command of cargo for the judge, in a target folder of its own.
fn judge(workspace: &Workspace, command: &str) -> Command {
    let mut judge = cargo(&[command, "--locked", "--manifest-path", &format!("{FOLDER}/Cargo.toml")]);
    judge.arg("--target-dir").arg(workspace.target.join("prove"));
    judge
}
