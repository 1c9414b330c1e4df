//! Proofs about the machine code of libabreast: `judges/prove`, which is a workspace of its own because it links nothing of the
//! library. This builds the library and runs the judge's tests and the judge on it.

use std::ffi::OsStr;
use std::fs;
use std::process::Command;
use std::time::Duration;

use crate::ct;
use crate::outcome::{Outcome, Stop};
use crate::process::{cargo, run, run_for};
use crate::workspace::Workspace;

/// The folder of the judge.
pub(crate) const FOLDER: &str = "judges/prove";

/// The time limits of a run: without and with `--long`.
const LIMITS: [Duration; 2] = [Duration::from_secs(1200), Duration::from_secs(12 * 3600)];

/// Proves the claims whose titles contain a text, or all.
pub(crate) fn check(workspace: &Workspace, long: bool, only: &[&str]) -> Outcome {
    ct::x86_64(workspace)?;
    let made = workspace.release()?;
    let mut files = made.iter().filter(|it| it.package == "abreast-capi").flat_map(|it| &it.files);
    let library = files.find(|file| file.extension() == Some(OsStr::new("so")));
    let library = library.ok_or_else(|| Stop::Failed("cargo built no libabreast".to_owned()))?;
    let faulty = workspace.target.join("prove/faulty");
    fs::create_dir_all(&faulty).map_err(|error| format!("{}: {error}", faulty.display()))?;
    run(judge(workspace, "clippy").args(["--all-targets", "--", "-Dwarnings"]))?;
    run(judge(workspace, "test").arg("--release"))?;
    let mut command = judge(workspace, "run");
    command.args(["--release", "--"]).arg(library).arg(faulty).args(long.then_some("--long")).args(only);
    run_for(LIMITS[usize::from(long)], &mut command)
}

/// A command of cargo for the judge, in a target folder of its own.
fn judge(workspace: &Workspace, command: &str) -> Command {
    let mut judge = cargo(&[command, "--locked", "--manifest-path", &format!("{FOLDER}/Cargo.toml")]);
    judge.arg("--target-dir").arg(workspace.target.join("prove"));
    judge
}
