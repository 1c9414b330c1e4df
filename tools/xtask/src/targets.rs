//! Targets that this machine is not: which of them compile, and on which the tests pass, with the number of answers that
//! were checked on each.
//!
//! Windows and macOS are compiled for; Windows runs in Wine. WebAssembly runs in Node, and a part of its tests once in
//! Chromium. CPUs of other architectures are emulated by qemu: 32 bits (i686, which this machine runs itself), the other
//! order of bytes (s390x), and one without vectors (RISC-V).

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use data_encoding::BASE64;

use crate::outcome::{Outcome, Stop};
use crate::process::{capture, cargo, checking, need, need_target, run, say};
use crate::tally::{TALLY, tally_file};
use crate::test_programs::{emulated_aarch64, programs, short};
use crate::workspace::{AARCH64, Artifact, Workspace};

/// The crates that are compiled for a target without running its tests.
const CHECKED: [&str; 5] = ["abreast-simd", "abreast", "abreast-sealed", "abreast-capi", "abreast-cli"];

/// The ways to run the tests of a target.
#[derive(Clone, Copy)]
enum Runs {
    /// No run: the crates are only compiled for the target.
    Checked,
    /// Directly, as programs of this machine.
    Here,
    /// By a program that takes another, with arguments before it.
    By(&'static str, &'static [&'static str]),
    /// By Node, with or without vectors.
    InNode(&'static str),
}

struct Target {
    triple: &'static str,
    /// Said in the table.
    what: &'static str,
    runs: Runs,
    /// The linker, which is looked for first.
    linker: &'static str,
    /// Crates that are tested.
    packages: &'static [&'static str],
    /// Is it for `--long` alone?
    long: bool,
}

const LIBRARY: &[&str] = &["abreast-simd", "abreast"];

const TARGETS: [Target; 11] = [
    checked("x86_64-pc-windows-gnu", "Windows"),
    Target { long: true, ..checked("x86_64-apple-darwin", "macOS") },
    checked("aarch64-apple-darwin", "macOS"),
    Target { long: false, packages: &["abreast-simd"], ..wasm("vectors", "+simd128") },
    wasm("vectors, Node and Chromium", "+simd128"),
    wasm("no vectors, Node", "-simd128"),
    Target {
        triple: "x86_64-pc-windows-gnu",
        what: "Wine",
        runs: Runs::By("wine", &[]),
        linker: "x86_64-w64-mingw32-gcc",
        packages: &["abreast-simd", "abreast", "abreast-sealed", "abreast-cli"],
        long: true,
    },
    Target {
        triple: "i686-unknown-linux-gnu",
        what: "32 bits",
        runs: Runs::Here,
        linker: "i686-linux-gnu-gcc",
        packages: LIBRARY,
        long: true,
    },
    emulated(
        "s390x-unknown-linux-gnu",
        "big-endian",
        Runs::By("qemu-s390x", &["-L", "/usr/s390x-linux-gnu"]),
        "s390x-linux-gnu-gcc",
    ),
    emulated(
        "riscv64gc-unknown-linux-gnu",
        "no vectors",
        Runs::By("qemu-riscv64", &["-L", "/usr/riscv64-linux-gnu"]),
        "riscv64-linux-gnu-gcc",
    ),
    emulated(AARCH64, "NEON, AES", Runs::Here, "aarch64-linux-gnu-gcc"),
];

const fn checked(triple: &'static str, what: &'static str) -> Target {
    Target { triple, what, runs: Runs::Checked, linker: "", packages: &CHECKED, long: false }
}

const fn wasm(what: &'static str, vectors: &'static str) -> Target {
    Target {
        triple: "wasm32-wasip1",
        what,
        runs: Runs::InNode(vectors),
        linker: "",
        packages: LIBRARY,
        long: true,
    }
}

const fn emulated(triple: &'static str, what: &'static str, runs: Runs, linker: &'static str) -> Target {
    Target { triple, what, runs, linker, packages: LIBRARY, long: true }
}

/// Compiles for all of them, and runs what is quick; `long` runs everything.
pub(crate) fn check(workspace: &Workspace, long: bool) -> Outcome {
    let mut rows = Vec::new();
    let (mut failed, mut skipped) = (Vec::new(), Vec::new());
    for target in TARGETS.iter().filter(|target| long || !target.long) {
        let counts = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
        let outcome = one(workspace, target, counts.path());
        let text = fs::read_to_string(counts.path()).unwrap_or_default();
        let answers: u64 =
            text.lines().filter_map(|line| line.strip_suffix(" answers")?.parse::<u64>().ok()).sum();
        let mut all = OpenOptions::new()
            .create(true)
            .append(true)
            .open(tally_file())
            .map_err(|error| error.to_string())?;
        all.write_all(text.as_bytes()).map_err(|error| error.to_string())?;
        let ended = match outcome {
            Ok(()) if matches!(target.runs, Runs::Checked) => "compiles".to_owned(),
            // The laws of the vectors count nothing.
            Ok(()) if answers == 0 && target.packages.contains(&"abreast") => {
                failed.push(format!("{}: nothing was checked", target.triple));
                "nothing was checked".to_owned()
            }
            Ok(()) => "passes".to_owned(),
            Err(Stop::Failed(why)) => {
                failed.push(format!("{}: {why}", target.triple));
                "FAILED".to_owned()
            }
            Err(Stop::Skipped(why)) => {
                skipped.push(format!("{}: {why}", target.triple));
                format!("skipped: {why}")
            }
        };
        rows.push(format!("{:28} {:27} {answers:>10}  {ended}", target.triple, target.what));
    }
    say(&format!("{:28} {:27} {:>10}", "target", "", "answers"));
    rows.iter().for_each(|row| say(row));
    if !failed.is_empty() {
        Err(Stop::Failed(failed.join("\n")))
    } else if !skipped.is_empty() {
        Err(Stop::Skipped(skipped.join("\n")))
    } else {
        Ok(())
    }
}

/// Compiles for one, and runs its tests, which add to a file how many answers they checked.
fn one(workspace: &Workspace, target: &Target, counts: &Path) -> Outcome {
    need_target(target.triple)?;
    if let Runs::Checked = target.runs {
        let mut command = checking("check");
        command.args(["--target", target.triple]);
        return run(command.args(CHECKED.iter().flat_map(|name| ["-p", name])));
    }
    if target.triple == AARCH64 {
        return emulated_aarch64(workspace, Some(counts));
    }
    let flags = match target.runs {
        Runs::InNode(vectors) => format!("-Csymbol-mangling-version=v0 -Ctarget-feature={vectors}"),
        _ => "-Csymbol-mangling-version=v0".to_owned(),
    };
    if let Runs::InNode(_) = target.runs {
        need("node")?;
    }
    if let Runs::By(program, _) = target.runs {
        need(program)?;
    }
    let mut build =
        cargo(&["test", "--release", "--all-features", "--tests", "--no-run", "--target", target.triple]);
    build.args(target.packages.iter().flat_map(|name| ["-p", name]));
    if !target.linker.is_empty() {
        need(target.linker)?;
        let name = target.triple.to_uppercase().replace('-', "_");
        build.env(format!("CARGO_TARGET_{name}_LINKER"), target.linker);
    }
    build.env("RUSTFLAGS", flags).env_remove("CARGO_ENCODED_RUSTFLAGS");
    build.env("CARGO_PROFILE_RELEASE_LTO", "off");
    let root = std::env::current_dir().map_err(|error| error.to_string())?;
    let made = workspace.build(&mut build)?;
    if let Runs::By("wine", _) = target.runs {
        missing_library(&made, target.linker)?;
    }
    programs(
        &made,
        |_| true,
        |program| {
            let mut command = match target.runs {
                Runs::By(runner, before) => {
                    let mut command = Command::new(runner);
                    command.args(before).arg(program).env("WINEDEBUG", "-all");
                    command
                }
                Runs::InNode(_) => {
                    let mut command = Command::new("node");
                    command
                        .arg("--no-warnings")
                        .arg(root.join("tools/xtask/fixtures/wasm/run.cjs"))
                        .arg(program);
                    // A failure ends the program: without capture, its message is seen.
                    command.arg("--nocapture");
                    command
                }
                _ => Command::new(program),
            };
            short(&mut command).env(TALLY, counts);
            command
        },
    )?;
    if matches!(target.runs, Runs::InNode("+simd128")) && target.long { in_a_page(&made) } else { Ok(()) }
}

/// Compiles the library of Windows that older Wines lack, beside the programs: tests, and the command that they run.
fn missing_library(made: &[Artifact], compiler: &str) -> Outcome {
    let programs = made.iter().filter_map(|artifact| artifact.executable.as_deref());
    let folders: BTreeSet<_> = programs.filter_map(Path::parent).collect();
    for folder in folders {
        let mut compile = Command::new(compiler);
        compile.args(["-shared", "-O1", "tools/xtask/fixtures/bcryptprimitives.c", "-ladvapi32", "-o"]);
        run(compile.arg(folder.join("bcryptprimitives.dll")))?;
    }
    Ok(())
}

/// The known answers, the ciphers and the registry in Chromium, whose compiler is that of Node but for its version and its
/// limits for pages.
fn in_a_page(made: &[Artifact]) -> Outcome {
    need("chromium")?;
    let suite = made.iter().find(|artifact| artifact.package == "abreast" && artifact.test);
    let program = suite.and_then(|artifact| artifact.executable.as_ref());
    let program = program.ok_or_else(|| Stop::Failed("cargo built no tests of abreast".to_owned()))?;
    let failed = |error: std::io::Error| Stop::Failed(error.to_string());
    let constants = format!(
        "<script>\nconst ARGUMENTS = ['suite', 'known_answers::', 'ciphers::', 'registry::'];\n\
         const ENVIRONMENT = ['ABREAST_SHORT=1'];\nconst PROGRAM = '{}';",
        BASE64.encode(&fs::read(program).map_err(failed)?)
    );
    let text = fs::read_to_string("tools/xtask/fixtures/wasm/page.html").map_err(failed)?;
    let folder = tempfile::tempdir().map_err(failed)?;
    let page = folder.path().join("page.html");
    fs::write(&page, text.replacen("<script>", &constants, 1)).map_err(failed)?;
    let mut command = Command::new("chromium");
    command.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        // The page compiles more than Chromium would at once.
        "--enable-features=WebAssemblyUnlimitedSyncCompilation",
        "--dump-dom",
        "--virtual-time-budget=60000",
    ]);
    let document = capture(command.arg(format!("file://{}", page.display())))?;
    let log = document.split("<pre id=\"log\">").nth(1).and_then(|rest| rest.split("</pre>").next());
    say(log.unwrap_or("the page has no log"));
    let passed = log.is_some_and(|log| log.contains("test known_answers::galois_counter_mode ... ok"));
    if passed && document.contains("<title>ended with 0</title>") {
        Ok(())
    } else {
        Err(Stop::Failed("the tests did not pass in Chromium".to_owned()))
    }
}
