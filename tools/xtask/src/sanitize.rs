//! Sanitizers: programs compiled so that each access of memory is looked at while they run, with all kernels that this CPU
//! has.
//!
//! * AddressSanitizer sees accesses beyond a buffer and after it was freed, and leaks: of all tests of the library in their
//!   short form, of the corpora of the fuzz targets, and of every operation of `judges/constant-time`. The programs in C and C++
//!   are compiled with it too, and with UndefinedBehaviorSanitizer.
//! * ThreadSanitizer sees data races: of batches on all cores, of the workers of sealed files, and of calls from C. It does not
//!   see accesses of more than 16 bytes; without optimisation, those of AVX2 and AVX-512 are copies of memory, which it
//!   sees. The standard library is compiled with it, or its locks would be unknown.
//!
//! Faults are planted in calls of the C interface (`faces/c/src/tests/planted.rs`), at each kernel, to see that they are
//! reported.

use std::path::Path;
use std::process::Command;

use crate::clients;
use crate::outcome::{Outcome, Stop};
use crate::process::{capture, run, say};
use crate::test_programs::{programs, short};
use crate::workspace::{Artifact, Workspace, program_of};

/// The only target on which this was tried.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// A sanitizer and what it is for.
struct Sanitizer {
    /// The compiler's name for it, and the value of `abreast_planted`.
    name: &'static str,
    /// The folder of its builds, in the target folder.
    folder: &'static str,
    /// The optimisation level of kernels, lower than elsewhere: the code that a sanitizer adds to functions into which all
    /// rounds are inlined takes minutes to compile.
    optimised: u8,
    /// The packages that are built with it.
    packages: &'static [&'static str],
    /// Arguments for the tests of a package: which are run, all if there are none.
    tests: fn(&str) -> &'static [&'static str],
    /// More arguments for cargo.
    more: &'static [&'static str],
}

const ADDRESS: Sanitizer = Sanitizer {
    name: "address",
    folder: "asan",
    optimised: 1,
    packages: &[
        "abreast-simd",
        "abreast",
        "abreast-capi",
        "abreast-sealed",
        "abreast-frames",
        "abreast-parquet",
        "abreast-fuzz-targets",
        "abreast-constant-time",
    ],
    // The first reads memory itself, and leaves out words that are addresses of memory, which most words are where the
    // sanitizer has mapped its shadow.
    tests: |package| match package {
        "abreast" => &["--skip", "key_wiping::"],
        "abreast-sealed" => OF_SEALED_FILES,
        _ => &[],
    },
    more: &[],
};

const THREAD: Sanitizer = Sanitizer {
    name: "thread",
    folder: "tsan",
    optimised: 0,
    packages: &["abreast", "abreast-capi", "abreast-sealed"],
    tests: |package| match package {
        "abreast" => &["parallel::"],
        "abreast-sealed" => OF_SEALED_FILES,
        _ => &[],
    },
    more: &["-Zbuild-std"],
};

/// All tests of sealed files but the one that searches the stack: the sanitizers have local variables elsewhere.
const OF_SEALED_FILES: &[&str] = &["--skip", "derived_bytes_are_not_left_on_the_stack"];

/// The leaks of others.
const LEAKS: &str = "tools/xtask/fixtures/leaks.txt";

/// The test that runs a program for each fault at each kernel.
const PLANTED: &str = "tests::planted::faults_are_reported_at_every_kernel";

/// All of them.
pub(crate) fn check(workspace: &Workspace) -> Outcome {
    if workspace.host != TARGET {
        return Err(Stop::Skipped("this machine is not an x86-64 with Linux".to_owned()));
    }
    let version = capture(Command::new("rustup").args(["run", "nightly", "rustc", "--print", "sysroot"]));
    let sources = version.map(|sysroot| Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library"));
    if !sources.is_ok_and(|sources| sources.is_dir()) {
        return Err(Stop::Skipped(
            "a nightly compiler is not installed: rustup toolchain install nightly -c rust-src".to_owned(),
        ));
    }
    let made = tests(workspace, &ADDRESS)?;
    run(Command::new(program_of(&made, "abreast-constant-time")?).arg("operations"))?;
    let mut files = made.iter().flat_map(|artifact| &artifact.files);
    let library = files.find(|file| file.ends_with("libabreast_capi.a"));
    clients::sanitized(
        workspace,
        library.ok_or("cargo built no static library of abreast-capi".to_owned())?,
    )?;
    tests(workspace, &THREAD).map(drop)
}

/// Builds the programs of a sanitizer and runs its tests, and those of the faults.
fn tests(workspace: &Workspace, sanitizer: &Sanitizer) -> Result<Vec<Artifact>, Stop> {
    let mut build = cargo(workspace, sanitizer, "test");
    build.args(["--all-features", "--tests", "--no-run"]);
    build.args(sanitizer.packages.iter().flat_map(|package| ["--package", package]));
    let made = workspace.build(&mut build)?;
    // The sanitizer looks for a path that is not absolute beside the program.
    let leaks = std::path::absolute(LEAKS).map_err(|error| format!("{LEAKS}: {error}"))?;
    for package in sanitizer.packages {
        let command = |program: &Path| {
            let mut command = Command::new(program);
            short(command.args((sanitizer.tests)(package)));
            command.env("LSAN_OPTIONS", format!("suppressions={}", leaks.display()));
            with_room(&mut command);
            command
        };
        let is_its = |artifact: &Artifact| artifact.package == *package;
        if made.iter().any(|artifact| artifact.test && is_its(artifact)) {
            programs(&made, is_its, command)?;
        }
    }

    // The flag is for this crate alone, so that the kernels are not compiled again.
    let mut build = cargo(workspace, sanitizer, "rustc");
    build.args(["--all-features", "--lib", "--profile", "test", "--package", "abreast-capi"]);
    build.args(["--message-format=json-render-diagnostics", "--", "--cfg"]);
    build.arg(format!("abreast_planted=\"{}\"", sanitizer.name));
    let planted = workspace.artifacts(&mut build)?;
    let program = planted.iter().filter(|artifact| artifact.test).find_map(|it| it.executable.as_deref());
    let program =
        program.ok_or_else(|| Stop::Failed("cargo built no test program of abreast-capi".to_owned()))?;
    let text = capture(with_room(Command::new(program).args(["--exact", PLANTED])))?;
    say(&text);
    // If the test had another name, none would run, and the program would succeed.
    if text.contains("1 passed") {
        Ok(made)
    } else {
        Err(Stop::Failed(format!("the test {PLANTED} was not run")))
    }
}

/// Gives the threads of tests more stack, since a kernel takes more than they have without optimisation, and ThreadSanitizer
/// its longest history: it reports no race with an access whose place in the program it has forgotten.
fn with_room(command: &mut Command) -> &mut Command {
    command.env("RUST_MIN_STACK", (256 << 20).to_string()).env("TSAN_OPTIONS", "history_size=7")
}

/// `cargo` of a nightly toolchain, with a folder for what a sanitizer is compiled into.
fn cargo(workspace: &Workspace, sanitizer: &Sanitizer, task: &str) -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "cargo", task, "--target", TARGET]).args(sanitizer.more);
    for package in ["abreast", "abreast-simd"] {
        let setting = format!("profile.dev.package.{package}.opt-level={}", sanitizer.optimised);
        command.args(["--config", &setting]);
    }
    command.args(["--config", "profile.dev.package.abreast.codegen-units=64"]);
    // `cargo` and its toolchain are those of this task unless they are named.
    command.env_remove("CARGO").env_remove("RUSTC");
    // With the names of functions of `.cargo/config.toml`, whose flags these take the place of.
    let flags = format!("-Zsanitizer={} -Csymbol-mangling-version=v0", sanitizer.name);
    command.env("RUSTFLAGS", flags).env("CARGO_INCREMENTAL", "0");
    command.env("CARGO_TARGET_DIR", workspace.target.join(sanitizer.folder));
    command
}
