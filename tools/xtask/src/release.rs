//! A release: what is handed out beside the crates, and the tag.
//!
//! All that can be wrong is looked for first, so that nobody waits for a build to read that the changelog has no date. The
//! tag comes last: there is none where something failed. Nothing is pushed or published; the end says what is left to do.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::dist;
use crate::outcome::{Outcome, Stop};
use crate::process::{capture, cargo, need, run, say};
use crate::sbom;
use crate::workspace::{Workspace, list, text};

/// The folder of the crates in the archive of the sources.
pub(crate) const VENDOR: &str = "vendor";

/// Makes the archives, the bills of materials, their checksums and the tag; `dry` tells what it would do and what is in
/// the way of it, and does nothing.
pub(crate) fn release(workspace: &Workspace, version: &str, dry: bool) -> Outcome {
    let faults = disagreeing(&sbom::metadata(&[&workspace.host])?, version);
    if !faults.is_empty() {
        return Err(Stop::Failed(faults.join("\n")));
    }
    let left = unprepared(version)?;
    let plan = Plan::new(workspace, version);
    if dry {
        left.iter().for_each(|why| say(&format!("to be done before: {why}")));
        plan.tell();
        return Ok(());
    }
    if !left.is_empty() {
        return Err(Stop::Failed(left.join("\n")));
    }
    plan.make(workspace)
}

/// Shows, as a step, what a release of the present version would do.
pub(crate) fn rehearse(workspace: &Workspace) -> Outcome {
    let version = workspace.packages.first().map(|package| package.version.clone()).unwrap_or_default();
    release(workspace, &version, true)
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

/// Lists the preparations that the person who makes the release has not made yet.
fn unprepared(version: &str) -> Result<Vec<String>, Stop> {
    let mut left = Vec::new();
    if !capture(Command::new("git").args(["status", "--porcelain"]))?.is_empty() {
        left.push("the working tree has changes that are not committed".to_owned());
    }
    let changelog = fs::read_to_string("CHANGELOG.md").map_err(|error| format!("CHANGELOG.md: {error}"))?;
    if !has_section(&changelog, version) {
        left.push(format!("CHANGELOG.md has no section `## [{version}] - YYYY-MM-DD`"));
    }
    let tag = format!("v{version}");
    if !capture(Command::new("git").args(["tag", "--list", &tag]))?.is_empty() {
        left.push(format!("the tag {tag} is there already"));
    }
    if signing_key().is_none() {
        left.push("git has no key to sign the tag with: git config user.signingkey KEY".to_owned());
    }
    Ok(left)
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

fn signing_key() -> Option<String> {
    let output = Command::new("git").args(["config", "user.signingkey"]).output().ok()?;
    let key = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success() && !key.is_empty()).then_some(key)
}

/// The parts of a release: its version, tag, folder and archives.
struct Plan {
    version: String,
    tag: String,
    /// The folder of all files.
    folder: PathBuf,
    /// The archive of the sources with all crates, which builds without a network.
    source: String,
    /// The install tree of this machine, and its archive.
    tree: String,
}

impl Plan {
    fn new(workspace: &Workspace, version: &str) -> Self {
        Self {
            version: version.to_owned(),
            tag: format!("v{version}"),
            folder: workspace.target.join(format!("release-{version}")),
            source: format!("abreast-{version}"),
            tree: format!("abreast-{version}-{}", workspace.host),
        }
    }

    fn tell(&self) {
        let Self { version, tag, folder, source, tree } = self;
        say(&format!("a release of {version} makes, in {}:", folder.display()));
        say(&format!(
            "  {source}.tar.xz: the sources with all crates they need, which builds with --offline"
        ));
        say(&format!("  {tree}.tar.xz: the command, libabreast and the provider as an install tree"));
        say("  abreast.cdx.json and others: the bills of materials of the three");
        say("  SHA256SUMS, and SHA256SUMS.asc by the key of git");
        say(&format!("then: git tag --sign {tag} --message 'abreast {version}'"));
        self.tell_rest();
    }

    fn tell_rest(&self) {
        say(&format!(
            "what is left: git push origin {}, cargo publish --workspace, and handing out the files",
            self.tag
        ));
    }

    fn make(&self, workspace: &Workspace) -> Outcome {
        let folder = &self.folder;
        empty(folder)?;
        archive_source(&folder.join(&self.source))?;
        dist::build(workspace, &folder.join(&self.tree), "lib")?;
        pack(folder, &self.tree)?;
        sbom::write(workspace, folder)?;
        let names = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let names = names.flatten().filter(|entry| entry.path().is_file()).map(|entry| entry.file_name());
        let mut names: Vec<_> = names.collect();
        names.sort();
        let sums = capture(Command::new("sha256sum").args(names).current_dir(folder))?;
        let path = folder.join("SHA256SUMS");
        fs::write(&path, sums).map_err(|error| format!("{}: {error}", path.display()))?;
        let key = signing_key().unwrap_or_default();
        run(Command::new("gpg").args(["--armor", "--detach-sign", "--local-user", &key]).arg(&path))?;
        let message = format!("abreast {}", self.version);
        run(Command::new("git").args(["tag", "--sign", &self.tag, "--message", &message]))?;
        self.tell_rest();
        Ok(())
    }
}

/// Makes `PATH.tar.xz`: the files of the last commit and, in `vendor`, all crates that they need, with a configuration that
/// has cargo take them from there.
pub(crate) fn archive_source(path: &Path) -> Outcome {
    export(path)?;
    let mut vendor = cargo(&["vendor", "--locked", "--versioned-dirs", VENDOR]);
    let settings = capture(vendor.current_dir(path))?;
    let config = path.join(".cargo/config.toml");
    let before = fs::read_to_string(&config).map_err(|error| format!("{}: {error}", config.display()))?;
    fs::write(&config, format!("{before}\n{settings}"))
        .map_err(|error| format!("{}: {error}", config.display()))?;
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Stop::Failed(format!("{} is no place for an archive", path.display())));
    };
    pack(folder, &name.to_string_lossy())
}

/// Writes the files of the last commit into a new folder.
pub(crate) fn export(path: &Path) -> Outcome {
    empty(path)?;
    let archive = path.with_extension("export");
    let mut git = Command::new("git");
    run(git.args(["archive", "--format=tar", "HEAD", "--output"]).arg(&archive))?;
    run(Command::new("tar").arg("-xf").arg(&archive).arg("-C").arg(path))?;
    fs::remove_file(&archive).map_err(|error| Stop::Failed(format!("{}: {error}", archive.display())))
}

/// Packs a folder in another into `NAME.tar.xz` beside it: the same bytes for the same files.
pub(crate) fn pack(folder: &Path, name: &str) -> Outcome {
    need("xz")?;
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=go=rX,u+rw"]);
    tar.arg(format!("--mtime=@{}", epoch()?)).arg("--use-compress-program=xz -T0");
    run(tar.arg("-cf").arg(folder.join(format!("{name}.tar.xz"))).arg("-C").arg(folder).arg(name))
}

/// Returns the time of the last commit in seconds, which files in archives have.
pub(crate) fn epoch() -> Result<String, Stop> {
    let epoch = capture(Command::new("git").args(["log", "-1", "--format=%ct"]))?;
    Ok(epoch.trim().to_owned())
}

/// Makes a folder anew.
pub(crate) fn empty(folder: &Path) -> Outcome {
    let failed = |error: std::io::Error| Stop::Failed(format!("{}: {error}", folder.display()));
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(failed)?;
    }
    fs::create_dir_all(folder).map_err(failed)
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
