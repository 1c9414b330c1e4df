//! The workspace as `cargo metadata` and cargo's build messages describe it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::steps::{Stop, capture, cargo};

/// The crates of this workspace and where things are.
pub(crate) struct Workspace {
    /// Cargo's target folder.
    pub(crate) target: PathBuf,
    /// The triple of this machine.
    pub(crate) host: String,
    /// The members.
    pub(crate) packages: Vec<Package>,
}

/// A member of the workspace.
pub(crate) struct Package {
    /// Its name.
    pub(crate) name: String,
    /// Its folder, relative to the root.
    pub(crate) folder: PathBuf,
    /// Its version.
    pub(crate) version: String,
    /// The oldest compiler it promises, as written in the manifest.
    pub(crate) rust_version: String,
    /// The crates its product depends on (not those of its tests).
    pub(crate) dependencies: Vec<String>,
}

impl Workspace {
    /// Reads the metadata and makes the root the current folder.
    pub(crate) fn enter() -> Result<Self, Stop> {
        let output = cargo(&["metadata", "--format-version=1", "--no-deps"])
            .output()
            .map_err(|error| format!("cargo metadata: {error}"))?;
        let metadata: Value =
            serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
        let root = PathBuf::from(text(&metadata["workspace_root"]));
        std::env::set_current_dir(&root).map_err(|error| format!("{}: {error}", root.display()))?;

        let version = Command::new("rustc").arg("-vV").output().map_err(|error| format!("rustc: {error}"))?;
        let version = String::from_utf8_lossy(&version.stdout);
        let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();

        let package = |value: &Value| Package {
            name: text(&value["name"]),
            folder: folder(&value["manifest_path"], &root),
            version: text(&value["version"]),
            rust_version: text(&value["rust_version"]),
            dependencies: list(&value["dependencies"])
                .filter(|dependency| dependency["kind"] != "dev")
                .map(|dependency| text(&dependency["name"]))
                .collect(),
        };
        Ok(Workspace {
            target: text(&metadata["target_directory"]).into(),
            host: host.to_owned(),
            packages: list(&metadata["packages"]).map(package).collect(),
        })
    }

    /// Runs a `cargo` that builds, and returns what it made for the members `names`.
    pub(crate) fn build(&self, command: &mut Command, names: &[&str]) -> Result<Vec<Artifact>, Stop> {
        self.build_with(command, names, &[])
    }

    /// The same, with arguments that come last: those behind `--`.
    pub(crate) fn build_with(
        &self,
        command: &mut Command,
        names: &[&str],
        last: &[&str],
    ) -> Result<Vec<Artifact>, Stop> {
        let root = std::env::current_dir().map_err(|error| error.to_string())?;
        let messages = capture(command.arg("--message-format=json-render-diagnostics").args(last))?;
        let mut artifacts = Vec::new();
        for line in messages.lines() {
            let message: Value =
                serde_json::from_str(line).map_err(|error| format!("cargo's messages: {error}"))?;
            let folder = folder(&message["manifest_path"], &root);
            let package = self.packages.iter().find(|package| package.folder == folder);
            if message["reason"] == "compiler-artifact"
                && package.is_some_and(|package| names.contains(&package.name.as_str()))
            {
                artifacts.push(Artifact {
                    folder,
                    executable: message["executable"].as_str().map(PathBuf::from),
                    files: list(&message["filenames"]).map(|file| text(file).into()).collect(),
                });
            }
        }
        Ok(artifacts)
    }
}

/// What cargo made of one target of a member.
pub(crate) struct Artifact {
    /// The folder of the member, relative to the root.
    pub(crate) folder: PathBuf,
    /// The program, if it is one.
    pub(crate) executable: Option<PathBuf>,
    /// All files.
    pub(crate) files: Vec<PathBuf>,
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn folder(manifest: &Value, root: &Path) -> PathBuf {
    let manifest = PathBuf::from(text(manifest));
    let folder = manifest.parent().unwrap_or(&manifest);
    folder.strip_prefix(root).unwrap_or(folder).to_owned()
}
