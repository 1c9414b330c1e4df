//! Constant time of the machine code, and what is left of keys in memory: `crates/constant-time`, of which this builds and
//! runs the program.

use std::process::Command;
use std::time::Duration;

use crate::process::{need, run_for};
use crate::steps::{Outcome, Stop};
use crate::workspace::{Workspace, program_of};

/// How long each check may take, and with `--long`.
const LIMITS: [Duration; 2] = [Duration::from_secs(900), Duration::from_secs(4 * 3600)];

/// Memcheck with secrets marked as undefined, and single steps for what Valgrind does not know. In the short form both
/// share the kernels; `long` takes each step on all kernels.
pub(crate) fn constant_time(workspace: &Workspace, long: bool) -> Outcome {
    x86_64(workspace)?;
    need("valgrind")?;
    program(workspace, &["ct"], long)
}

/// The memory of the library's users when all keys are dropped, and of the command when it exits.
pub(crate) fn residue(workspace: &Workspace, long: bool) -> Outcome {
    x86_64(workspace)?;
    program(workspace, &["residue"], long)?;
    let made = workspace.release()?;
    let command = program_of(&made, "abreast-cli")?.to_owned();
    program(workspace, &["residue-command", &command.to_string_lossy()], long)
}

fn x86_64(workspace: &Workspace) -> Outcome {
    if workspace.host == "x86_64-unknown-linux-gnu" {
        Ok(())
    } else {
        Err(Stop::Skipped("this machine is not an x86-64 with Linux".to_owned()))
    }
}

fn program(workspace: &Workspace, arguments: &[&str], long: bool) -> Outcome {
    let made = workspace.release()?;
    let mut command = Command::new(program_of(&made, "abreast-constant-time")?);
    command.args(arguments).args(long.then_some("--long"));
    run_for(LIMITS[usize::from(long)], &mut command)
}
