//! Test programs as cargo has built them: which of them are of the library, and how they are run here and in an emulator.

use std::path::Path;
use std::process::Command;

use crate::outcome::{Outcome, Stop, none_of};
use crate::process::{need, run};
use crate::tally::TALLY;
use crate::workspace::{AARCH64_ROOT, Artifact, Workspace};

/// Runs each test program that is wanted, also after one has failed. None at all is a failure, or nothing would be
/// tested and all would pass.
pub(crate) fn programs(
    made: &[Artifact],
    wanted: impl Fn(&Artifact) -> bool,
    command: impl Fn(&Path) -> Command,
) -> Outcome {
    let (mut ran, mut failures) = (0, Vec::new());
    for artifact in made.iter().filter(|artifact| artifact.test && wanted(artifact)) {
        let Some(program) = &artifact.executable else { continue };
        match run(command(program).current_dir(&artifact.folder)) {
            Err(Stop::Failed(why)) => failures.push(why),
            outcome => outcome?,
        }
        ran += 1;
    }
    if ran == 0 {
        failures.push("cargo built no test program".to_owned());
    }
    none_of(&failures)
}

/// True if an artifact is of a crate whose code depends on the CPU.
pub(crate) fn of_library(artifact: &Artifact) -> bool {
    ["abreast-simd", "abreast"].contains(&artifact.package.as_str())
}

/// Runs the tests of the library on an emulated AArch64: NEON and its AES instructions.
///
/// What is checked is counted in the file that all tests share, or in one of its own.
pub(crate) fn emulated_aarch64(workspace: &Workspace, counts: Option<&Path>) -> Outcome {
    need("qemu-aarch64")?;
    programs(&workspace.aarch64()?, of_library, |program| {
        let mut command = Command::new("qemu-aarch64");
        short(command.args(["-L", AARCH64_ROOT]).arg(program));
        if let Some(counts) = counts {
            command.env(TALLY, counts);
        }
        command
    })
}

/// Asks the tests of `command` for their short form.
pub(crate) fn short(command: &mut Command) -> &mut Command {
    command.env("ABREAST_SHORT", "1").env_remove("ABREAST_FLAGSHIP")
}
