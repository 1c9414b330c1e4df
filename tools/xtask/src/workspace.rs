//! The workspace as `cargo metadata` and cargo's build messages describe it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use crate::outcome::Stop;
use crate::process::{capture, cargo, need, need_target};

/// The other architecture with kernels of its own.
pub(crate) const AARCH64: &str = "aarch64-unknown-linux-gnu";

/// The folder in which Debian puts the C library for aarch64.
pub(crate) const AARCH64_ROOT: &str = "/usr/aarch64-linux-gnu";

/// The members but for this program, which is built as it is run.
pub(crate) const WITHOUT_XTASK: [&str; 2] = ["--exclude", "xtask"];

/// The crates of this workspace and where things are.
pub(crate) struct Workspace {
    /// Cargo's target folder.
    pub(crate) target: PathBuf,
    /// The triple of this machine.
    pub(crate) host: String,
    /// The members.
    pub(crate) packages: Vec<Package>,
    /// The names of those that are published.
    pub(crate) published: Vec<String>,
    release: Once,
    aarch64: Once,
}

/// The artifacts of one build that several steps need, and the first of them starts.
type Once = Mutex<Option<Result<Arc<[Artifact]>, Stop>>>;

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
        // A list of registries; the empty one is `publish = false`.
        let is_published = |value: &&Value| value["publish"].as_array().is_none_or(|list| !list.is_empty());
        Ok(Workspace {
            target: text(&metadata["target_directory"]).into(),
            host: host.to_owned(),
            packages: list(&metadata["packages"]).map(package).collect(),
            published: list(&metadata["packages"]).filter(is_published).map(|it| text(&it["name"])).collect(),
            release: Once::default(),
            aarch64: Once::default(),
        })
    }

    /// The version, which all members have.
    pub(crate) fn version(&self) -> &str {
        self.packages.first().map_or("", |package| &package.version)
    }

    /// The command, the C library and the library in them as they are shipped, and all test programs. It is one build:
    /// what is shipped is what is tested, and compiling the kernels takes longer than most that is done with them.
    pub(crate) fn release(&self) -> Result<Arc<[Artifact]>, Stop> {
        once(&self.release, || {
            let mut build =
                cargo(&["test", "--release", "--workspace", "--all-features", "--tests", "--no-run"]);
            build.args(WITHOUT_XTASK);
            self.build(as_configured(&mut build))
        })
    }

    /// The tests of the library and of its vectors for the other architecture, and what checks its timing. They are a release
    /// build: the gate looks at the library that they test, and an emulator is slow enough. Nothing of it is shipped, so it
    /// does without optimisation across codegen units, which takes a third of the time.
    pub(crate) fn aarch64(&self) -> Result<Arc<[Artifact]>, Stop> {
        once(&self.aarch64, || {
            need("aarch64-linux-gnu-gcc")?;
            need_target(AARCH64)?;
            let mut build = cargo(&["test", "--release", "--all-features", "--tests", "--no-run"]);
            build.args(["-p", "abreast-simd", "-p", "abreast", "-p", "abreast-constant-time"]);
            build.args(["--target", AARCH64]);
            build.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "aarch64-linux-gnu-gcc");
            build.env("CARGO_PROFILE_RELEASE_LTO", "off");
            self.build(as_configured(&mut build))
        })
    }

    /// Runs a `cargo` that builds, and returns what it made for the members.
    pub(crate) fn build(&self, command: &mut Command) -> Result<Vec<Artifact>, Stop> {
        self.artifacts(command.arg("--message-format=json-render-diagnostics"))
    }

    /// Runs a `cargo` that already has the flags to report artifacts, and returns what it made for the members.
    pub(crate) fn artifacts(&self, command: &mut Command) -> Result<Vec<Artifact>, Stop> {
        let root = std::env::current_dir().map_err(|error| error.to_string())?;
        let messages = capture(command)?;
        let mut artifacts = Vec::new();
        for line in messages.lines() {
            let message: Value =
                serde_json::from_str(line).map_err(|error| format!("cargo's messages: {error}"))?;
            let folder = folder(&message["manifest_path"], &root);
            let package = self.packages.iter().find(|package| package.folder == folder);
            if message["reason"] == "compiler-artifact"
                && let Some(package) = package
            {
                artifacts.push(Artifact {
                    package: package.name.clone(),
                    folder,
                    test: message["profile"]["test"] == true,
                    executable: message["executable"].as_str().map(PathBuf::from),
                    files: list(&message["filenames"]).map(|file| text(file).into()).collect(),
                });
            }
        }
        Ok(artifacts)
    }
}

/// The files that cargo made of one target of a member.
pub(crate) struct Artifact {
    /// The name of the member.
    pub(crate) package: String,
    /// The folder of the member, relative to the root.
    pub(crate) folder: PathBuf,
    /// Is it a program of tests?
    pub(crate) test: bool,
    /// The program, if it is one.
    pub(crate) executable: Option<PathBuf>,
    /// All files.
    pub(crate) files: Vec<PathBuf>,
}

/// The program of a member among what was built, which is not one of tests.
pub(crate) fn program_of<'a>(artifacts: &'a [Artifact], package: &str) -> Result<&'a Path, Stop> {
    artifacts
        .iter()
        .filter(|artifact| artifact.package == package && !artifact.test)
        .find_map(|artifact| artifact.executable.as_deref())
        .ok_or_else(|| Stop::Failed(format!("cargo built no program of {package}")))
}

/// Builds at the first call, and returns the result of that build, success or not, at every call.
fn once(slot: &Once, build: impl FnOnce() -> Result<Vec<Artifact>, Stop>) -> Result<Arc<[Artifact]>, Stop> {
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    slot.get_or_insert_with(|| build().map(Arc::from)).clone()
}

/// Removes flags from outside, which would take the place of those of `.cargo/config.toml`: the gate reads the names of
/// functions.
pub(crate) fn as_configured(command: &mut Command) -> &mut Command {
    command.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS")
}

/// Makes a build independent of this machine: with the flags of [`as_configured`] and with [`fixed_names`]. The result then
/// depends on the sources and the compiler alone.
pub(crate) fn as_shipped<'c>(command: &'c mut Command, sources: &Path) -> Result<&'c mut Command, Stop> {
    // Added to those of `.cargo/config.toml`.
    command.args(["--config", &format!("build.rustflags={:?}", fixed_names(sources)?)]);
    Ok(as_configured(command).env("CARGO_INCREMENTAL", "0"))
}

/// Returns the flags that give fixed names to the folders of the sources and of the crates, in the locations of panics that the
/// compiler writes down.
///
/// The crates are in `vendor` beside the sources, as in the archive of a release, or where cargo keeps them.
pub(crate) fn fixed_names(sources: &Path) -> Result<[String; 2], Stop> {
    let vendor = sources.join("vendor");
    let crates = if vendor.is_dir() { vendor } else { kept_crates(sources)? };
    let flag = |folder: &Path, name: &str| format!("--remap-path-prefix={}={name}", folder.display());
    // The last one that fits is taken, and the crates may be below the sources.
    Ok([flag(sources, "/abreast"), flag(&crates, "/cargo")])
}

/// Returns the folder in which cargo keeps the crates that it has unpacked.
fn kept_crates(sources: &Path) -> Result<PathBuf, Stop> {
    let mut command = cargo(&["metadata", "--format-version=1", "--locked"]);
    let output = capture(command.current_dir(sources))?;
    let metadata: Value =
        serde_json::from_str(&output).map_err(|error| format!("cargo metadata: {error}"))?;
    let mut crates = list(&metadata["packages"]).filter(|package| !package["source"].is_null());
    let manifest = crates.next().map(|package| PathBuf::from(text(&package["manifest_path"])));
    let folder = manifest.as_deref().and_then(Path::parent).and_then(Path::parent).map(Path::to_owned);
    folder.ok_or_else(|| Stop::Failed("cargo does not say where it keeps crates".to_owned()))
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

pub(crate) fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn folder(manifest: &Value, root: &Path) -> PathBuf {
    let manifest = PathBuf::from(text(manifest));
    let folder = manifest.parent().unwrap_or(&manifest);
    folder.strip_prefix(root).unwrap_or(folder).to_owned()
}
