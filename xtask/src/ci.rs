//! Every check that is not a test.

use std::process::Command;

use crate::steps::{Outcome, Steps, Stop, cargo, run};
use crate::workspace::Workspace;
use crate::{gate, header, layering, links, unsafe_count};

/// Runs them all.
pub(crate) fn all(steps: &mut Steps, workspace: &Workspace) {
    steps.run("fmt", fmt);
    steps.run("clippy", clippy);
    steps.run("doc", doc);
    steps.run("links", links::check);
    steps.run("header", header::check);
    steps.run("layering", || layering::check(workspace));
    steps.run("unsafe-count", || unsafe_count::check(workspace));
    steps.run("gate self-test", || gate::self_test(workspace));
    for target in gate::TARGETS {
        steps.run(&format!("gate {target}"), || gate::gate(workspace, target));
    }
    steps.run("msrv", || msrv(workspace));
}

/// Formatting.
pub(crate) fn fmt() -> Outcome {
    run(&mut cargo(&["fmt", "--all", "--check"]))
}

/// Lints.
pub(crate) fn clippy() -> Outcome {
    run(&mut cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--", "-Dwarnings"]))
}

/// Documentation.
pub(crate) fn doc() -> Outcome {
    run(cargo(&["doc", "--workspace", "--all-features", "--no-deps"]).env("RUSTDOCFLAGS", "-Dwarnings"))
}

/// The oldest compiler the workspace promises still builds all of it.
pub(crate) fn msrv(workspace: &Workspace) -> Outcome {
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
    run(Command::new("rustup")
        .args([
            "run",
            &toolchain,
            "cargo",
            "check",
            "--workspace",
            "--all-targets",
            "--all-features",
            "--locked",
        ])
        .env("CARGO_TARGET_DIR", workspace.target.join("msrv")))
}
