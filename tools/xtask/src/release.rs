//! A release: everything that is handed out, from a commit, on a machine without secrets.
//!
//! Nothing is signed, tagged, pushed or published: that takes keys, and book/src/publishing.md says how. A release is made from a
//! tag; of another commit the same files are made, and said to be of that commit. The same commit gives the same bytes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::archives::{SUMS, archive_source, checksums, empty, epoch, git};
use crate::files;
use crate::outcome::{Outcome, Stop};
use crate::process::{capture, run, say};
use crate::workspace::{Workspace, list, text};
use crate::{bundles, packages, python, sbom};

/// Makes some files of a release in its folder.
type Part = fn(&Workspace, &Path) -> Outcome;

/// The parts of a release, in words and as functions.
const PARTS: [(&str, Part); 6] = [
    ("abreast-*.tar.xz: the sources with all crates that they need, which build with --offline", sources),
    ("*.crate: the packages of crates.io, which `cargo xtask packages` checks", packages::pack),
    ("*.whl: wheels for Linux, with glibc and musl, x86-64 and AArch64", python::wheels),
    ("libabreast*.deb, and an archive of command, libraries and provider as an install tree", bundles::trees),
    ("abreast_*.deb, and archives: the command as a static program for x86-64 and AArch64", bundles::build),
    ("*.cdx.json: bills of materials", sbom::write),
];

fn sources(workspace: &Workspace, folder: &Path) -> Outcome {
    archive_source(&folder.join(format!("abreast-{}", workspace.version())))
}

/// Makes a release in a folder; `dry` tells what it would do and what is in the way of it, and does nothing.
pub(crate) fn release(workspace: &Workspace, folder: Option<&str>, dry: bool) -> Outcome {
    let version = workspace.version();
    let faults = disagreeing(&sbom::metadata(&[&workspace.host])?, version);
    if !faults.is_empty() {
        return Err(Stop::Failed(faults.join("\n")));
    }
    let commit = git(&["rev-parse", "HEAD"])?;
    let tag = format!("v{version}");
    let tagged = git(&["tag", "--points-at", "HEAD"])?.lines().any(|name| name == tag);
    say(&if tagged {
        format!("the release {tag}, of commit {commit}")
    } else {
        format!("no release: commit {commit} has no tag {tag}")
    });
    let changed = !git(&["status", "--porcelain"])?.is_empty();
    let changelog = files::read("CHANGELOG.md")?;
    let dated = has_section(&changelog, version);
    let folder = folder.map_or_else(|| workspace.target.join(format!("release-{version}")), PathBuf::from);
    if dry {
        if changed {
            say("to be done before: commit all changes");
        }
        if !dated {
            say(&format!("to be done before: a section `## [{version}] - YYYY-MM-DD` in CHANGELOG.md"));
        }
        say(&format!("files, in {}:", folder.display()));
        PARTS.iter().for_each(|(words, _)| say(&format!("  {words}")));
        return Ok(());
    }
    if changed || tagged && !dated {
        return Err(Stop::Failed(
            "see `cargo xtask release --dry-run` for what is to be done before".to_owned(),
        ));
    }
    let ours = folder.join("SHA256SUMS").exists();
    if !ours && folder.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
        let folder = folder.display();
        return Err(Stop::Failed(format!(
            "{folder} has files and is no release; name a new or an empty folder"
        )));
    }
    empty(&folder)?;
    PARTS.iter().try_for_each(|(_, make)| make(workspace, &folder))?;
    state(&folder, version, &commit)
}

/// Writes the statement of provenance, in the form of in-toto and SLSA, and the checksums. The statement is not signed.
fn state(folder: &Path, version: &str, commit: &str) -> Outcome {
    let sums = checksums(folder)?;
    let subjects = sums.lines().filter_map(|line| line.split_once("  "));
    let subjects: Vec<_> =
        subjects.map(|(sum, name)| json!({ "name": name, "digest": { "sha256": sum } })).collect();
    let repository = "https://github.com/abreast/abreast";
    let source = json!({ "uri": format!("git+{repository}"), "digest": { "gitCommit": commit } });
    let compiler = capture(Command::new("rustc").arg("--version"))?;
    let lock = capture(Command::new("sha256sum").arg("Cargo.lock"))?;
    let lock = lock.split(' ').next().unwrap_or_default();
    let statement = json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subjects,
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": format!("{repository}/blob/main/book/src/publishing.md"),
                "externalParameters": { "command": "cargo xtask release", "source": source, "version": version },
                "internalParameters": { "SOURCE_DATE_EPOCH": epoch()?, "compiler": compiler.trim() },
                "resolvedDependencies": [source, { "uri": "Cargo.lock", "digest": { "sha256": lock } }],
            },
            "runDetails": { "builder": { "id": format!("{repository}/blob/main/tools/xtask/src/release.rs") } },
        },
    });
    let write = |name: &str, text: String| {
        fs::write(folder.join(name), text).map_err(|error| Stop::Failed(format!("{name}: {error}")))
    };
    let statement = serde_json::to_string_pretty(&statement).map_err(|error| error.to_string())?;
    write(&format!("abreast-{version}.intoto.json"), statement)?;
    write(SUMS, checksums(folder)?)
}

/// Installs what is in a folder of a release on a new Debian and in an empty root, and uses it.
pub(crate) fn try_out(folder: &str) -> Outcome {
    run(Command::new("tools/xtask/try.sh").arg(folder))
}

/// Shows, as a step, what a release of the present version would do.
pub(crate) fn rehearse(workspace: &Workspace) -> Outcome {
    release(workspace, None, true)
}

/// Lists the versions that are not that of the release: those of members, and those that members require of each other.
fn disagreeing(metadata: &Value, version: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for package in list(&metadata["packages"]).filter(|package| package["source"].is_null()) {
        let name = text(&package["name"]);
        let own = text(&package["version"]);
        if own != version {
            faults.push(format!("{name} has the version {own}, and the release is {version}"));
        }
        let members = list(&package["dependencies"]).filter(|dependency| dependency["path"].is_string());
        for dependency in members {
            let wanted = text(&dependency["req"]);
            if wanted != "*" && wanted != format!("^{version}") {
                faults.push(format!(
                    "{name} wants {} {wanted}, and the release is {version}",
                    text(&dependency["name"])
                ));
            }
        }
    }
    faults
}

/// Does a changelog have a version, with its day?
fn has_section(changelog: &str, version: &str) -> bool {
    let day = |line: &str| {
        let day = line.strip_prefix(&format!("## [{version}] - "))?;
        let digits = day.bytes().filter(u8::is_ascii_digit).count();
        (day.len() == 10 && digits == 8).then_some(())
    };
    changelog.lines().any(|line| day(line).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_version_has_its_day_in_the_changelog() {
        let text = "# Changelog\n\n## [0.2.0] - 2026-12-01\n\n## [Unreleased]\n";
        assert!(has_section(text, "0.2.0"));
        assert!(!has_section(text, "0.1.0"));
        assert!(!has_section("## [0.2.0] - soon\n", "0.2.0"));
        assert!(!has_section("## [0.2.0]\n", "0.2.0"));
    }

    #[test]
    fn versions_agree() {
        let metadata = |version: &str, wanted: &str| {
            json!({ "packages": [
                { "name": "abreast", "version": version, "source": null, "dependencies": [
                    { "name": "abreast-simd", "req": wanted, "path": "x" },
                    { "name": "clap", "req": "^4.6", "path": null },
                ] },
                { "name": "clap", "version": "4.6.7", "source": "registry", "dependencies": [] },
            ] })
        };
        assert!(disagreeing(&metadata("0.2.0", "^0.2.0"), "0.2.0").is_empty());
        assert!(disagreeing(&metadata("0.2.0", "*"), "0.2.0").is_empty());
        assert_eq!(
            disagreeing(&metadata("0.1.0", "^0.1.0"), "0.2.0"),
            [
                "abreast has the version 0.1.0, and the release is 0.2.0",
                "abreast wants abreast-simd ^0.1.0, and the release is 0.2.0",
            ]
        );
    }
}
