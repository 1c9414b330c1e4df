//! Every test there is: native, against other implementations, and on CPUs this machine does not have.
//!
//! Emulation reaches the instruction sets below AVX-512: NEON and its AES instructions, and the x86 ladder up
//! to AVX2. Emulated kernels are slow, so those runs ask the tests for their short form by `ABREAST_SHORT`,
//! and never insist on the kernels of a full CPU (`ABREAST_FLAGSHIP`).

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::clients;
use crate::steps::{Outcome, Steps, Stop, capture, cargo, limited, need, need_target, run};
use crate::workspace::Workspace;

const AARCH64: &str = "aarch64-unknown-linux-gnu";
const BARE: &str = "x86_64-unknown-none";

/// Where Debian puts the C library for the other architecture.
const AARCH64_ROOT: &str = "/usr/aarch64-linux-gnu";

/// The crates whose code depends on the CPU.
const KERNEL_CRATES: [&str; 2] = ["abreast-simd", "abreast"];

/// x86 CPUs with kernels of their own: SSE2 alone, AES-NI in SSE form, AVX2, and all that qemu knows.
const CPUS: [&str; 4] = ["qemu64", "Westmere", "Haswell", "max"];

/// Runs them all; `long` adds the ignored ones, and the game server for a minute, and gives the differential tester an
/// hour.
pub(crate) fn all(steps: &mut Steps, workspace: &Workspace, long: bool) {
    steps.run("workspace", || run(&mut cargo(&["test", "--workspace", "--all-features", "--no-fail-fast"])));
    if long {
        steps.run("workspace, ignored tests", || {
            run(&mut cargo(&["test", "--workspace", "--all-features", "--tests", "--", "--ignored"]))
        });
    }
    match interop_scripts(workspace) {
        Ok(scripts) => {
            for (name, script) in scripts {
                steps.run(&format!("interop, {name}"), || interop(workspace, &name, &script));
            }
        }
        Err(stop) => steps.run("interop", || Err(stop)),
    }
    steps.run("miri, c interface", miri);
    steps.run("c and c++ clients", || clients::run_all(workspace));
    if long {
        steps.run("differential, an hour", || differential(workspace, &["--long"]));
    } else {
        steps.run("differential, 60 s", || differential(workspace, &["--seconds", "60"]));
    }
    if long {
        steps.run("game server, a minute", || clients::soak(workspace));
    }
    steps.run("sealed files without features", || {
        run(&mut cargo(&["test", "--package", "abreast-sealed", "--no-default-features"]))
    });
    steps.run("no_std build", no_std);
    steps.run("aarch64 in qemu", aarch64);
    for cpu in CPUS {
        steps.run(&format!("x86-64 in qemu, {cpu}"), || emulated(workspace, cpu));
    }
}

/// The command against an independent implementation, by a script in Python.
fn interop(workspace: &Workspace, name: &str, script: &Path) -> Outcome {
    let python = match name {
        "botan" => system_python_with("botan2", "python3-botan")?,
        "luks" => {
            need("qemu-img")?;
            need("python3")?;
            PathBuf::from("python3")
        }
        _ => virtual_environment(workspace)?,
    };
    let made = workspace.build(&mut cargo(&["build", "--release", "-p", "abreast-cli"]), &["abreast-cli"])?;
    let Some(command) = made.iter().find_map(|artifact| artifact.executable.as_ref()) else {
        return Err(Stop::Failed("cargo built no command".to_owned()));
    };
    run(limited(&python).arg(script).arg(command))
}

/// The Python of the system, where Debian's packages put their modules.
fn system_python_with(module: &str, package: &str) -> Result<PathBuf, Stop> {
    let python = PathBuf::from("/usr/bin/python3");
    run(Command::new(&python).args(["-c", &format!("import {module}")]))
        .map_err(|_| Stop::Skipped(format!("{package} is not installed")))?;
    Ok(python)
}

/// A Python with the packages that scripts need from PyPI.
fn virtual_environment(workspace: &Workspace) -> Result<PathBuf, Stop> {
    let venv = workspace.target.join("venv");
    let python = venv.join("bin/python");
    if !python.exists() {
        need("python3")?;
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))
            .map_err(|_| Stop::Skipped("python3 cannot make a virtual environment".to_owned()))?;
    }
    let packages = ["cryptography>=50", "argon2-cffi>=25"];
    run(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(packages))
        .map_err(|_| Stop::Skipped(format!("pip cannot install {}", packages.join(" and "))))?;
    Ok(python)
}

/// `crates/*/tests/interop_NAME.py` with their names; none at all is a failure, or nothing would be tested
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

/// The C interface in Miri, which sees what becomes of the pointers that C hands over. It knows no assembly and few
/// instructions, so the tests run for a CPU for which there are none: with portable kernels.
pub(crate) fn miri() -> Outcome {
    const TARGET: &str = "riscv64gc-unknown-linux-gnu";
    // `cargo` and its toolchain are those of this task unless they are named.
    let nightly = || {
        let mut command = Command::new("rustup");
        command.args(["run", "nightly", "cargo", "miri"]).env_remove("CARGO").env_remove("RUSTC");
        command
    };
    capture(nightly().arg("--version")).map_err(|_| {
        Stop::Skipped(
            "Miri is not installed: rustup toolchain install nightly -c miri -c rust-src".to_owned(),
        )
    })?;
    let mut command = nightly();
    command.args(["test", "--package", "abreast-capi", "--lib", "--target", TARGET]);
    // The tests read the environment. Code for AES instructions is not used on this CPU, which the compiler tells.
    command.env("MIRIFLAGS", "-Zmiri-disable-isolation").env("RUSTFLAGS", "--allow=warnings");
    run(short(&mut command))
}

/// Random batches and calls against other implementations, from a new seed. The program is that of the "workspace" step.
fn differential(workspace: &Workspace, time: &[&str]) -> Outcome {
    // With the same packages selected as there, or other features would be unified and all built again.
    let build = &mut cargo(&["build", "--workspace", "--all-features"]);
    let made = workspace.build(build, &["abreast-differential"])?;
    let Some(program) = made.iter().find_map(|artifact| artifact.executable.as_ref()) else {
        return Err(Stop::Failed("cargo built no differential tester".to_owned()));
    };
    run(Command::new(program).args(time))
}

/// The library for a target that has no standard library to fall back on.
fn no_std() -> Outcome {
    need_target(BARE)?;
    let bare = ["build", "-p", "abreast", "--no-default-features", "--features", "legacy", "--target", BARE];
    run(&mut cargo(&bare))
}

/// NEON and its AES instructions.
fn aarch64() -> Outcome {
    need("qemu-aarch64")?;
    need("aarch64-linux-gnu-gcc")?;
    need_target(AARCH64)?;
    let mut command = cargo(&["test", "--all-features", "--tests", "--target", AARCH64]);
    command.args(KERNEL_CRATES.iter().flat_map(|name| ["-p", name]));
    command.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "aarch64-linux-gnu-gcc");
    command.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", format!("qemu-aarch64 -L {AARCH64_ROOT}"));
    run(short(&mut command))
}

/// The test programs of the "workspace" step on a lesser x86 CPU.
fn emulated(workspace: &Workspace, cpu: &str) -> Outcome {
    if !workspace.host.starts_with("x86_64") {
        return Err(Stop::Skipped("this machine is not an x86-64".to_owned()));
    }
    need("qemu-x86_64")?;
    // With the same packages selected as there, or other features would be unified and all built again.
    let build = &mut cargo(&["test", "--workspace", "--all-features", "--tests", "--no-run"]);
    let mut ran = 0;
    for artifact in workspace.build(build, &KERNEL_CRATES)? {
        let Some(program) = artifact.executable else { continue };
        let mut command = Command::new("qemu-x86_64");
        command.args(["-cpu", cpu]).arg(program).current_dir(artifact.folder);
        run(short(&mut command))?;
        ran += 1;
    }
    if ran == 0 { Err(Stop::Failed("cargo built no test program".to_owned())) } else { Ok(()) }
}

/// Asks the tests of `command` for their short form.
fn short(command: &mut Command) -> &mut Command {
    command.env("ABREAST_SHORT", "1").env_remove("ABREAST_FLAGSHIP")
}
