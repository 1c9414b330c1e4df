//! Every test there is: native, against other implementations, and on CPUs this machine does not have.
//!
//! Emulation reaches the instruction sets below AVX-512: NEON and its AES instructions, and the x86 ladder up
//! to AVX2. Emulated kernels are slow, so those runs ask the tests for their short form by `ABREAST_SHORT`,
//! and never insist on the kernels of a full CPU (`ABREAST_FLAGSHIP`). Kernels that this machine runs itself are not
//! tested a second time in an emulator, but for `--long`: there the choice of the kernel is.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::answers;
use crate::clients;
use crate::ct;
use crate::miri;
use crate::openssl;
use crate::outcome::{Outcome, Stop};
use crate::pages;
use crate::process::{cargo, need, run, run_for};
use crate::prove;
use crate::python;
use crate::sanitize;
use crate::steps::Plan;
use crate::targets;
use crate::test_programs::{emulated_aarch64, of_library, programs, short};
use crate::workspace::{Artifact, WITHOUT_XTASK, Workspace, as_configured, program_of};

/// x86 CPUs with kernels of their own: SSE2 alone, AES-NI in SSE form, AVX2, and all that qemu knows.
const CPUS: [&str; 4] = ["qemu64", "Westmere", "Haswell", "max"];

/// Adds them all; `long` adds the ignored ones, and the game server for a minute, and gives the differential tester an
/// hour.
pub(crate) fn all<'w>(plan: &mut Plan<'w>, workspace: &'w Workspace, long: bool) {
    let (release, aarch64) = ("build, release", "build, aarch64");
    plan.step(release, 250, || workspace.release().map(drop)).builds_in("release");
    plan.step(aarch64, 150, || workspace.aarch64().map(drop)).builds_in("release").after(release);
    plan.step("tests, library", 90, move || native(workspace, of_library)).after(release);
    plan.step("tests, others", 80, move || native(workspace, |artifact| !of_library(artifact)))
        .after(release);
    plan.step("tests, xtask", 20, || run(&mut cargo(&["test", "-p", "xtask"]))).builds_in("debug");
    plan.step("tests, documentation", 30, documentation).builds_in("release").after(release);
    plan.step("known answers, opt-level 0", 60, unoptimized).builds_in("debug");
    plan.step("known answers", 10, || answers::check(workspace)).after(release);
    plan.step("c and c++ clients", 60, || clients::run_all(workspace)).after(release);
    let usual = if long { 900 } else { 20 };
    plan.step("programs", usual, move || clients::programs(workspace, &[], long)).after(release);
    plan.step("c and c++ clients, opencl", 40, || clients::devices(workspace)).after(release);
    openssl::all(plan, workspace, release, long);
    plan.step("pages", 20, || pages::check(workspace)).after(release);
    plan.step("python", 120, move || python::check(workspace, long)).builds_in("venv").after(release);
    match interop_scripts(workspace) {
        Ok(scripts) => {
            for (name, script) in scripts {
                let title = format!("interop, {name}");
                // Two at once would install into one virtual environment.
                plan.step(title, 15, move || interop(workspace, &script, &python(workspace, &name)?))
                    .builds_in("venv")
                    .after(release);
            }
        }
        Err(stop) => {
            plan.step("interop", 0, || Err(stop));
        }
    }
    for cpu in CPUS {
        plan.step(format!("x86-64 in qemu, {cpu}"), 20, move || emulated(workspace, cpu, long))
            .after(release);
    }
    ct::all(plan, workspace, long);
    plan.step("proofs", if long { 3600 } else { 100 }, move || prove::check(workspace, long, &[]))
        .after(release);
    plan.step("residue", 5, move || ct::residue(workspace, long)).after(release);
    plan.step("aarch64 in qemu", 60, move || emulated_aarch64(workspace, None)).after(aarch64);
    let targets = plan.step("targets", if long { 1500 } else { 20 }, move || targets::check(workspace, long));
    targets.builds_in("release").after(aarch64);
    plan.step("miri", if long { 1800 } else { 40 }, move || miri::check(long)).builds_in("miri");
    let (seconds, limit) = if long { (3600, 7200) } else { (30, 600) };
    plan.step(format!("differential, {seconds} s"), seconds, move || {
        let tests = workspace.release()?;
        let mut program = Command::new(program_of(&tests, "abreast-differential")?);
        run_for(Duration::from_secs(limit), program.args(["--seconds", &seconds.to_string()]))
    })
    .after(release);
    if long {
        plan.step("proofs, second opinion", 30, move || prove::opinion(workspace)).after(release);
        plan.step("tests, with debug assertions", 900, debug_assertions).builds_in("debug");
        let sealed = ["test", "-p", "abreast-sealed", "--no-default-features"];
        plan.step("sealed files without features", 300, move || run(&mut cargo(&sealed))).builds_in("debug");
        plan.step("tests, ignored", 600, || ignored(workspace)).after(release);
        plan.step("sanitizers", 1800, || sanitize::check(workspace)).builds_in("sanitizers");
        plan.step("tests, records", 60, || run(&mut cargo(&["test", "-p", "records"]))).builds_in("debug");
        plan.step("python, ray and spark", 300, || python::engines(workspace))
            .builds_in("venv")
            .after(release);
        plan.step("game server, a minute", 70, || clients::soak(workspace)).after(release);
    }
}

/// Known answers and the list of kernels, with kernels as a debug build of a dependent has them.
fn unoptimized() -> Outcome {
    let mut command = cargo(&["test", "-p", "abreast", "--features", "full,legacy"]);
    for package in ["abreast", "abreast-simd"] {
        command.arg("--config").arg(format!("profile.dev.package.{package}.opt-level=0"));
    }
    run(short(command.args(["--test", "suite", "--", "known_answers::"]).args(&CHOICE[2..])))
}

/// The test programs that are wanted, as cargo runs them: each in the folder of its member.
fn native(workspace: &Workspace, wanted: impl Fn(&Artifact) -> bool) -> Outcome {
    programs(&workspace.release()?, wanted, |program| Command::new(program))
}

/// The tests that take minutes each.
fn ignored(workspace: &Workspace) -> Outcome {
    programs(
        &workspace.release()?,
        |_| true,
        |program| {
            let mut command = Command::new(program);
            command.arg("--ignored");
            command
        },
    )
}

/// All tests once more in a build that checks arithmetic for overflow and has the debug assertions of all crates, which
/// a release build leaves out.
fn debug_assertions() -> Outcome {
    run(&mut cargo(&["test", "--workspace", "--all-features", "--tests", "--no-fail-fast"]))
}

/// The examples of the documentation.
fn documentation() -> Outcome {
    let mut command =
        cargo(&["test", "--release", "--workspace", "--all-features", "--doc", "--no-fail-fast"]);
    run(as_configured(&mut command).args(WITHOUT_XTASK))
}

/// The command against an independent implementation, by a script in Python.
fn interop(workspace: &Workspace, script: &Path, python: &Path) -> Outcome {
    let made = workspace.release()?;
    run(Command::new(python).arg(script).arg(program_of(&made, "abreast-cli")?))
}

/// The Python that a script needs.
fn python(workspace: &Workspace, script: &str) -> Result<PathBuf, Stop> {
    match script {
        "botan" => system_python_with("botan2", "python3-botan"),
        "luks" => {
            need("qemu-img")?;
            need("python3")?;
            Ok(PathBuf::from("python3"))
        }
        _ => python::environment(workspace, &["cryptography>=50", "argon2-cffi>=25"]),
    }
}

/// The Python of the system, where Debian's packages put their modules.
fn system_python_with(module: &str, package: &str) -> Result<PathBuf, Stop> {
    let python = PathBuf::from("/usr/bin/python3");
    run(Command::new(&python).args(["-c", &format!("import {module}")]))
        .map_err(|_| Stop::Skipped(format!("{package} is not installed")))?;
    Ok(python)
}

/// `tests/interop_NAME.py` of all members with their names; none at all is a failure, or nothing would be tested
/// and all would pass.
fn interop_scripts(workspace: &Workspace) -> Result<Vec<(String, PathBuf)>, Stop> {
    let mut scripts = Vec::new();
    for package in &workspace.packages {
        let Ok(entries) = package.folder.join("tests").read_dir() else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if let Some(name) = file.strip_prefix("interop_").and_then(|name| name.strip_suffix(".py")) {
                scripts.push((name.to_owned(), path));
            }
        }
    }
    scripts.sort();
    if scripts.is_empty() {
        return Err(Stop::Failed("there is no tests/interop_*.py to run".to_owned()));
    }
    Ok(scripts)
}

/// The tests on an emulated CPU if this machine runs its kernels itself: which kernels it has, which of them are chosen, and
/// that these give the known answers.
const CHOICE: [&str; 3] = ["ciphers::", "known_answers::", "registry::"];

/// The test programs of the library on a lesser x86 CPU: all tests if they are wanted or this machine lacks the
/// instructions of that CPU, and otherwise those of what is chosen.
fn emulated(workspace: &Workspace, cpu: &str, all: bool) -> Outcome {
    if !workspace.host.starts_with("x86_64") {
        return Err(Stop::Skipped("this machine is not an x86-64".to_owned()));
    }
    need("qemu-x86_64")?;
    #[cfg(target_arch = "x86_64")]
    let native = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("vaes");
    #[cfg(not(target_arch = "x86_64"))]
    let native = false;
    programs(&workspace.release()?, of_library, |program| {
        let mut command = Command::new("qemu-x86_64");
        short(command.args(["-cpu", cpu]).arg(program));
        if native && !all {
            command.args(CHOICE);
        }
        command
    })
}
