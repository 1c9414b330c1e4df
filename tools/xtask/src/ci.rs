//! Every check that is not a test.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::outcome::{Outcome, Stop};
use crate::process::{cargo, checking, need, need_target, run};
use crate::steps::Plan;
use crate::workspace::{AARCH64, Workspace};
use crate::{
    abi, book, bundles, dependencies, gate, header, layering, links, notices, packages, prose, prove,
    release, reproducible, sbom, weight,
};

/// A target without an operating system.
const BARE: &str = "x86_64-unknown-none";

/// The packages of programs.
const PROGRAMS: [&str; 2] = ["abreast-bench", "abreast-cli"];

/// Adds those that take seconds.
pub(crate) fn quick<'w>(plan: &mut Plan<'w>, workspace: &'w Workspace) {
    plan.step("fmt", 3, fmt);
    plan.step("locks", 2, locks);
    plan.step("links", 1, links::check);
    plan.step("book", 1, || book::build(&workspace.target.join("book")));
    plan.step("header", 3, header::check);
    plan.step("layering", 2, || layering::check(workspace));
    plan.step("prose", 1, prose::check);
    plan.step("dependencies, notes", 3, || dependencies::check(workspace));
    plan.step("notices", 2, notices::check);
    plan.step("bills of materials", 1, || sbom::write(workspace, &workspace.target.join("sbom")));
    plan.step("release, dry run", 1, || release::rehearse(workspace));
}

/// Adds those that compile.
pub(crate) fn slow<'w>(plan: &mut Plan<'w>, workspace: &'w Workspace, long: bool) {
    if long {
        plan.step("dependencies", 20, deny);
        plan.step("reproducible", 3000, || reproducible::check(workspace));
    }
    plan.step("abi", 1, || abi::check(workspace)).after("build, release");
    plan.step("book, examples", 4, || book::examples(workspace)).after("build, release");
    plan.step("gate self-test", 6, || gate::self_test(workspace));
    for target in gate::TARGETS {
        let gate = plan.step(format!("gate {target}"), 3, || gate::gate(workspace, target));
        // It builds what no step before it has built.
        gate.after(if target == AARCH64 { "build, aarch64" } else { "build, release" }).builds_in("release");
    }
    plan.step("weight", 60, move || weight::check(workspace, long)).after("build, release");
    plan.step("bundles", 20, || bundles::check_form(workspace)).after("build, release");
    if long {
        plan.step("gate, other levels", 900, || gate::levels(workspace)).builds_in("levels");
    }
    plan.step("msrv", 40, move || msrv(workspace, long)).builds_in("msrv");
    plan.step("clippy", 40, clippy).builds_in("release");
    plan.step("doc", 30, || doc(workspace)).builds_in("release");
    plan.step("features", 30, move || features(long)).builds_in("release");
    plan.step("packages", 40, || packages::check(workspace)).builds_in("release");
}

/// Formatting.
pub(crate) fn fmt() -> Outcome {
    run(&mut cargo(&["fmt", "--all", "--check"]))?;
    run(&mut cargo(&["fmt", "--check", "--manifest-path", &format!("{}/Cargo.toml", prove::FOLDER)]))
}

/// Packages apart from the workspace, with locks of their own.
const APART: [&str; 5] = ["lab/peers", "judges/fuzz", "clients/node", "clients/rustls", prove::FOLDER];

/// The locks of what is apart from the workspace name what its packages depend on by now.
pub(crate) fn locks() -> Outcome {
    APART.iter().try_for_each(|folder| {
        let manifest = format!("{folder}/Cargo.toml");
        run(&mut cargo(&["update", "--workspace", "--locked", "--manifest-path", &manifest]))
    })
}

/// Lints.
pub(crate) fn clippy() -> Outcome {
    run(checking("clippy").args(["--workspace", "--all-targets", "--all-features", "--", "-Dwarnings"]))
}

/// The library compiles without a warning whatever it is asked for: with each set of features that makes a difference,
/// and without `std` for a target that has no standard library to fall back on.
///
/// Each feature alone is for `long`: a short run has the smallest set and the largest. Of packages by themselves, for which cargo
/// compiles dependencies with other features, it has one that is drawn.
///
/// Clippy takes the flag that makes warnings errors for the members alone, so that dependencies are the same as those of
/// the step above and need not be checked again; `RUSTFLAGS` would be for all.
pub(crate) fn features(long: bool) -> Outcome {
    need_target(BARE)?;
    let check = |features: &str, more: &[&str]| {
        let mut command = checking("clippy");
        command.args(["-p", "abreast", "--no-default-features", "--features", features]);
        run(command.args(more).args(["--", "-Dwarnings"]))
    };
    let all = [
        "",
        "aez,columns,legacy,serpent,tea,xtea",
        "aez",
        "alloc",
        "batches",
        "legacy",
        "modes",
        "serpent,xtea",
    ];
    for features in &all[..if long { all.len() } else { 2 }] {
        check(features, &["--target", BARE])?;
    }
    check(
        "abreast/aez,abreast/batches,abreast/legacy,abreast-frames/game,abreast-frames/packets",
        &["-p", "abreast-frames", "--target", BARE],
    )?;
    // Programs that people install one by one: a build of the whole workspace hides a feature that only another member asks for. And
    // sealed files without passphrases and threads, whose tests `--long` runs.
    let alone: [&[&str]; 5] = [
        &["abreast-cli"],
        &["abreast-bench"],
        &["abreast-ossl-provider"],
        &["abreast-python"],
        &["abreast-sealed", "--no-default-features", "--all-targets"],
    ];
    let drawn = drawn(alone.len());
    for (number, package) in alone.iter().enumerate() {
        if long || number == drawn {
            run(checking("clippy").arg("-p").args(*package).args(["--", "-Dwarnings"]))?;
        }
    }
    // Libraries of C with fewer ciphers.
    for features in &["", "aez,xtea", "legacy,serpent,tea"][..if long { 3 } else { 2 }] {
        let some = ["-p", "abreast-capi", "--no-default-features", "--features", features];
        run(checking("clippy").args(some).args(["--", "-Dwarnings"]))?;
    }
    let all = [
        "std",
        "full,legacy,rayon",
        "columns,std",
        "batches,std",
        "modes,std,tea",
        "serpent,siv,std",
        "std,xtea",
        "legacy,std",
        "rayon",
    ];
    for features in &all[..if long { all.len() } else { 2 }] {
        check(features, &[])?;
    }
    Ok(())
}

/// A number below `end`, another one in each run.
fn drawn(end: usize) -> usize {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.subsec_micros() as usize % end
}

/// The documentation of what is published.
pub(crate) fn doc(workspace: &Workspace) -> Outcome {
    let mut command = checking("doc");
    command
        .args(["--all-features", "--no-deps"])
        .args(workspace.published.iter().flat_map(|name| ["-p", name]));
    run(command.env("RUSTDOCFLAGS", "-Dwarnings"))
}

/// Licences, advisories and sources of all dependencies, by `deny.toml`.
///
/// The advisories are in a repository that cargo-deny fetches. Where it cannot be reached the rest is checked, and the step
/// is skipped for its sake, by name.
pub(crate) fn deny() -> Outcome {
    need("cargo-deny").map_err(|_| {
        Stop::Skipped("cargo-deny is not installed: cargo install --locked cargo-deny".to_owned())
    })?;
    run(&mut cargo(&["deny", "check", "bans", "licenses", "sources"]))?;
    let apart = format!("{}/Cargo.toml", prove::FOLDER);
    run(&mut cargo(&["deny", "--manifest-path", &apart, "check", "bans", "licenses", "sources"]))?;
    run(&mut cargo(&["deny", "fetch", "db"])).map_err(|_| {
        Stop::Skipped(
            "the database of advisories cannot be reached; licences, bans and sources are right".to_owned(),
        )
    })?;
    run(&mut cargo(&["deny", "check", "advisories"]))
}

/// The oldest compiler the workspace promises still builds all that is published.
///
/// The programs are for `long`: nearly all that they add are the dependencies that they have alone.
pub(crate) fn msrv(workspace: &Workspace, long: bool) -> Outcome {
    let mut versions: Vec<&str> = workspace.packages.iter().map(|p| p.rust_version.as_str()).collect();
    versions.dedup();
    let [version] = versions[..] else {
        return Err(Stop::Failed(format!("the members promise different compilers: {versions:?}")));
    };
    // rustup takes `1.89` for the channel with its newest patch; the promise is the first one.
    let toolchain =
        if version.matches('.').count() == 1 { format!("{version}.0") } else { version.to_owned() };

    let installed = run(Command::new("rustup").args(["run", &toolchain, "rustc", "--version"]));
    if installed.is_err() {
        run(Command::new("rustup").args(["toolchain", "install", &toolchain, "--profile", "minimal"]))
            .map_err(|_| Stop::Skipped(format!("rustup cannot install {toolchain}")))?;
    }
    let checked = workspace.published.iter().filter(|name| long || !PROGRAMS.contains(&name.as_str()));
    run(Command::new("rustup")
        .args(["run", &toolchain, "cargo", "check", "--all-features", "--locked"])
        .args(checked.flat_map(|name| ["-p", name]))
        .env("CARGO_TARGET_DIR", workspace.target.join("msrv")))
}
