//! The packages as a registry would hand them out: they can be published, and they and their tests compile without the
//! rest of the repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::dist::copy;
use crate::files::{self, failed};
use crate::outcome::{Outcome, Stop};
use crate::process::{cargo, checking, run};
use crate::workspace::Workspace;

/// The documents that each package must hold besides its sources.
const DOCUMENTS: [&str; 3] = ["README.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Packages all members that are published, unpacks them into a workspace of their own, and checks them there.
pub(crate) fn check(workspace: &Workspace) -> Outcome {
    // The sources are compiled below, with their tests. This checks what a registry would, and leaves no package.
    run(&mut cargo(&["publish", "--workspace", "--dry-run", "--no-verify", "--allow-dirty"]))?;
    let archives = made(workspace)?;
    let folder = workspace.target.join("unpacked");
    files::remove_folder(&folder)?;
    files::make_folder(&folder)?;
    let mut patches = String::new();
    for archive in &archives {
        // With the time of now: all that cargo packs is of one day in 2006, and would be taken for what was compiled the last
        // time.
        run(Command::new("tar").arg("-xmzf").arg(archive).arg("-C").arg(&folder))?;
        let name = archive.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for document in DOCUMENTS {
            if !folder.join(&name).join(document).exists() {
                return Err(Stop::Failed(format!("{name} has no {document}")));
            }
        }
        let package = workspace.packages.iter().find(|it| format!("{}-{}", it.name, it.version) == name);
        let package = package.ok_or_else(|| Stop::Failed(format!("{name} is of no member")))?;
        patches.push_str(&format!("{} = {{ path = \"{name}\" }}\n", package.name));
    }
    // Until they are published, and while they are newer than what is, the packages are taken from each other.
    // With the profile of this workspace, which ends its manifest, what the packages depend on need not be compiled a
    // second time.
    let root = files::read("Cargo.toml")?;
    let profile = root.find("[profile.dev]").map(|at| &root[at..]);
    let profile = profile.ok_or_else(|| "Cargo.toml has no [profile.dev]".to_owned())?;
    let manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [\"*\"]\n\n[patch.crates-io]\n{patches}\n{profile}"
    );
    let place = folder.join("Cargo.toml");
    files::write(&place, manifest)?;
    let lock = folder.join("Cargo.lock");
    fs::copy("Cargo.lock", &lock).map_err(|error| failed(&lock, &error))?;
    let mut check = checking("check");
    check.args(["--workspace", "--all-targets", "--all-features", "--manifest-path"]);
    run(check.arg(&place).env("CARGO_TARGET_DIR", &workspace.target))
}

/// Packages all members that are published, into a folder.
pub(crate) fn pack(workspace: &Workspace, folder: &Path) -> Outcome {
    let copy = |path: PathBuf| copy(&path, &folder.join(path.file_name().unwrap_or_default()));
    made(workspace)?.into_iter().try_for_each(copy)
}

/// Packages all members that are published, and returns the packages.
fn made(workspace: &Workspace) -> Result<Vec<PathBuf>, Stop> {
    let packed = workspace.target.join("package");
    // Packages of an earlier version would be among them.
    for package in archives(&packed)? {
        fs::remove_file(&package).map_err(|error| failed(&package, &error))?;
    }
    let mut package = cargo(&["package", "--no-verify", "--allow-dirty"]);
    run(package.args(workspace.published.iter().flat_map(|name| ["-p", name])))?;
    let archives = archives(&packed)?;
    if archives.is_empty() {
        return Err(Stop::Failed(format!("{} has no packages", packed.display())));
    }
    Ok(archives)
}

/// The packages in a folder.
fn archives(folder: &Path) -> Result<Vec<PathBuf>, Stop> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).map_err(|error| failed(folder, &error))?;
    let mut archives: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    archives.retain(|path| path.extension().is_some_and(|extension| extension == "crate"));
    archives.sort();
    Ok(archives)
}
