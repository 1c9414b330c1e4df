//! Constant time of the machine code, and what is left of keys in memory: `judges/constant-time`, of which this builds and
//! runs the program.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::outcome::{Outcome, Stop};
use crate::process::{cargo, need, run, run_for};
use crate::steps::Plan;
use crate::workspace::{AARCH64_ROOT, Workspace, as_configured, program_of};

/// The time limits of a check: without and with `--long`.
const LIMITS: [Duration; 2] = [Duration::from_secs(900), Duration::from_secs(4 * 3600)];

/// Adds the checks of constant time.
pub(crate) fn all<'w>(plan: &mut Plan<'w>, workspace: &'w Workspace, long: bool) {
    let (release, both) = ("build, release", "build, aarch64");
    plan.step("constant time", 60, move || constant_time(workspace, long)).after(release);
    let aarch64 = plan.step("constant time, aarch64", 20, move || constant_time_aarch64(workspace, long));
    aarch64.builds_in("release").after(both);
}

/// Memcheck with secrets marked as undefined, and single steps for what Valgrind does not know. In the short form both
/// share the kernels; `long` takes each step on all kernels.
fn constant_time(workspace: &Workspace, long: bool) -> Outcome {
    x86_64(workspace)?;
    need("valgrind")?;
    program(workspace, &["ct"], long)
}

/// Single steps of AArch64, in qemu with our plugin: all kernels there are.
fn constant_time_aarch64(workspace: &Workspace, long: bool) -> Outcome {
    x86_64(workspace)?;
    need("qemu-aarch64")?;
    let mut build = cargo(&["build", "--release", "-p", "abreast-qemu-trace"]);
    let made = workspace.build(as_configured(&mut build))?;
    let mut files = made.iter().flat_map(|artifact| &artifact.files);
    let plugin = files.find(|file| file.extension().is_some_and(|extension| extension == "so"));
    let plugin = plugin.ok_or_else(|| Stop::Failed("cargo built no plugin for qemu".to_owned()))?;
    let made = workspace.aarch64()?;
    let watched = program_of(&made, "abreast-constant-time")?;
    need_plugins(plugin, watched)?;
    program(workspace, &[Path::new("ct-aarch64"), plugin, Path::new(AARCH64_ROOT), watched], long)
}

/// Skips the step if qemu does not take the plugin: with it, a program that does nothing does not begin.
fn need_plugins(plugin: &Path, program: &Path) -> Outcome {
    let mut command = Command::new("qemu-aarch64");
    command.args(["-L", AARCH64_ROOT, "-plugin"]).arg(format!("file={}", plugin.display()));
    run(command.arg(program).arg("--help")).map_err(|_| {
        Stop::Skipped("qemu-aarch64 takes no plugins of version 1 of its interface, as 7.2 does".to_owned())
    })
}

/// The memory of the library's users when all keys are dropped, and of the command when it exits.
pub(crate) fn residue(workspace: &Workspace, long: bool) -> Outcome {
    x86_64(workspace)?;
    program(workspace, &["residue"], long)?;
    let made = workspace.release()?;
    let command = program_of(&made, "abreast-cli")?.to_owned();
    program(workspace, &["residue-command", &command.to_string_lossy()], long)
}

/// Skips a step where the machine is another one.
pub(crate) fn x86_64(workspace: &Workspace) -> Outcome {
    if workspace.host == "x86_64-unknown-linux-gnu" {
        Ok(())
    } else {
        Err(Stop::Skipped("this machine is not an x86-64 with Linux".to_owned()))
    }
}

fn program(workspace: &Workspace, arguments: &[impl AsRef<OsStr>], long: bool) -> Outcome {
    let made = workspace.release()?;
    let mut command = Command::new(program_of(&made, "abreast-constant-time")?);
    command.args(arguments).args(long.then_some("--long"));
    run_for(LIMITS[usize::from(long)], &mut command)
}
