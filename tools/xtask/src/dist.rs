//! The install tree: the command, libraries, headers, what `pkg-config` and CMake look for, the provider for OpenSSL, and the
//! bills of materials.
//!
//! Nothing in it names the place where it is, so it may be copied anywhere: for `make install DESTDIR=/staging PREFIX=/usr`
//! the folder is `/staging/usr`. The libraries go to `lib` in there, or to where a distribution has them, as
//! `lib/x86_64-linux-gnu` or `lib64`.

use std::fs;
use std::ops::Deref;
use std::os::unix::fs::symlink;
use std::path::{Component, Path};
use std::process::Command;

use crate::files::{self, failed};
use crate::outcome::{Outcome, Stop};
use crate::process::{cargo, run};
use crate::sbom;
use crate::workspace::{Artifact, Workspace, as_shipped, program_of};
use crate::{man, notices};

const PACKAGE: &str = "abreast-capi";
const FOLDER: &str = "faces/c";
/// The command.
const COMMAND: &str = "abreast-cli";
/// The provider, by the name under which OpenSSL looks for it.
const PROVIDER: &str = "abreast-ossl-provider";
const MODULE: &str = "ossl-modules/abreast.so";
/// The folder of documents.
const DOCUMENTS: &str = "share/doc/abreast";

/// The build of what is shipped, and of nothing else.
pub(crate) fn build_command() -> Command {
    let mut command = cargo(&["build", "--release", "--locked"]);
    command.args([COMMAND, PACKAGE, PROVIDER].into_iter().flat_map(|package| ["--package", package]));
    command
}

/// Ciphers that the library of C may do without, by their names and by its features. It always has AES.
const CIPHERS: &[(&str, &[&str])] = &[
    ("aes", &[]),
    ("aez", &["aez"]),
    ("rc4", &["legacy"]),
    ("serpent", &["serpent"]),
    ("tea", &["tea"]),
    ("xtea", &["xtea"]),
];

/// The contents of an install tree.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Extent {
    /// Everything that is shipped.
    All,
    /// The library of C alone, with the ciphers that were asked for.
    Library,
}

/// Returns the features of the library of C for a list of ciphers with commas between them.
fn features_for(ciphers: &str) -> Result<String, Stop> {
    let mut features = Vec::new();
    for name in ciphers.split(',') {
        let Some((_, of_cipher)) = CIPHERS.iter().find(|(cipher, _)| *cipher == name) else {
            let names: Vec<_> = CIPHERS.iter().map(|(name, _)| *name).collect();
            return Err(Stop::Failed(format!("no cipher {name:?}: --ciphers takes {}", names.join(", "))));
        };
        features.extend_from_slice(of_cipher);
    }
    Ok(features.join(","))
}

/// Builds the library of C with some ciphers and nothing else, and lays out its tree.
pub(crate) fn build_library(workspace: &Workspace, folder: &Path, libdir: &str, ciphers: &str) -> Outcome {
    let features = features_for(ciphers)?;
    let sources = std::env::current_dir().map_err(|error| error.to_string())?;
    let mut command = cargo(&["build", "--release", "--locked", "--package", PACKAGE]);
    command.args(["--no-default-features", "--features", &features]);
    // Apart from the library with all ciphers, which has the same name.
    command.arg("--target-dir").arg(workspace.target.join("ciphers"));
    as_shipped(&mut command, &sources)?;
    dist(workspace, || workspace.build(&mut command), folder, libdir, Extent::Library)
}

/// Builds what is shipped and lays out the tree, with the bills of materials.
pub(crate) fn build(workspace: &Workspace, folder: &Path, libdir: &str) -> Outcome {
    let sources = std::env::current_dir().map_err(|error| error.to_string())?;
    let mut command = build_command();
    as_shipped(&mut command, &sources)?;
    dist(workspace, || workspace.build(&mut command), folder, libdir, Extent::All)?;
    sbom::write(workspace, &folder.join(DOCUMENTS))
}

/// Lays out the tree in a folder, over what is there, with the libraries in `libdir`. They are among what `make` builds,
/// which takes minutes and is called when nothing is wrong with the arguments.
pub(crate) fn dist<M: Deref<Target = [Artifact]>>(
    workspace: &Workspace,
    make: impl FnOnce() -> Result<M, Stop>,
    folder: &Path,
    libdir: &str,
    extent: Extent,
) -> Outcome {
    let parts = Path::new(libdir).components();
    if libdir.is_empty() || !parts.clone().all(|part| matches!(part, Component::Normal(_))) {
        return Err(Stop::Failed(format!("{libdir:?} is no folder below that of the tree")));
    }
    let up = vec![".."; parts.count()].join("/");
    if !workspace.host.contains("linux") {
        return Err(Stop::Skipped("the names of the libraries are those of Linux".to_owned()));
    }
    let version = Version::of(workspace)?;
    let soname = format!("libabreast.so.{}", version.major);
    let made = make()?;
    let built = |package: &str, extension: &str| {
        let files = made.iter().filter(|artifact| artifact.package == package).flat_map(|it| &it.files);
        let mut wanted = files.filter(|file| file.extension().is_some_and(|it| it == extension));
        wanted.next().ok_or_else(|| Stop::Failed(format!("cargo built no library .{extension} of {package}")))
    };

    let lib = folder.join(libdir);
    let real = format!("libabreast.so.{}", version.text);
    if extent == Extent::All {
        copy_without_symbols(program_of(&made, COMMAND)?, &folder.join("bin/abreast"))?;
        copy_without_symbols(built(PROVIDER, "so")?, &lib.join(MODULE))?;
    }
    copy(built(PACKAGE, "a")?, &lib.join("libabreast.a"))?;
    link_shared(built(PACKAGE, "a")?, &soname, &lib.join(&real))?;
    link(&real, &lib.join(&soname))?;
    link(&soname, &lib.join("libabreast.so"))?;
    for header in ["abreast.h", "abreast.hpp", "abreast/xtea.hpp"] {
        copy(&Path::new(FOLDER).join("include").join(header), &folder.join("include").join(header))?;
    }
    for document in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        copy(Path::new(document), &folder.join(DOCUMENTS).join(document))?;
    }
    copy_all(Path::new("book/src"), &folder.join(DOCUMENTS).join("book/src"))?;
    copy(Path::new(notices::TREE), &folder.join(DOCUMENTS).join("THIRD-PARTY.txt"))?;
    man::write(&version.text, &folder.join("share/man/man3"))?;
    let fill = |name, place: &str| fill(&version, libdir, &up, name, &lib.join(place));
    fill("abreast.pc", "pkgconfig")?;
    fill("abreastConfig.cmake", "cmake/abreast")?;
    fill("abreastConfigVersion.cmake", "cmake/abreast")
}

/// The version of the package, and its parts.
struct Version {
    text: String,
    major: String,
    minor: String,
}

impl Version {
    fn of(workspace: &Workspace) -> Result<Self, Stop> {
        let package = workspace.packages.iter().find(|package| package.name == PACKAGE);
        let text = package.map(|package| package.version.clone()).unwrap_or_default();
        let mut parts = text.split('.').map(str::to_owned);
        match (parts.next(), parts.next()) {
            (Some(major), Some(minor)) => Ok(Self { text, major, minor }),
            _ => Err(Stop::Failed(format!("{PACKAGE} has no version"))),
        }
    }
}

/// Puts the version into a template, the folder of the libraries, and the way from there up to the tree.
fn fill(version: &Version, libdir: &str, up: &str, name: &str, folder: &Path) -> Outcome {
    let template = Path::new(FOLDER).join("install").join(format!("{name}.in"));
    let text = files::read(&template)?;
    let text = text
        .replace("@LIBDIR@", libdir)
        .replace("@UP@", up)
        .replace("@VERSION@", &version.text)
        .replace("@SOVERSION@", &version.major)
        .replace("@MAJOR@", &version.major)
        .replace("@MINOR@", &version.minor)
        .replace("@POINTER@", &size_of::<usize>().to_string());
    let path = folder.join(name);
    make_room(&path)?;
    files::write(&path, text)
}

pub(crate) fn copy(from: &Path, to: &Path) -> Outcome {
    make_room(to)?;
    fs::copy(from, to).map(drop).map_err(|error| failed(from, &error))
}

/// Copies a folder with the folders in it.
fn copy_all(from: &Path, to: &Path) -> Outcome {
    for entry in from.read_dir().map_err(|error| failed(from, &error))? {
        let path = entry.map_err(|error| failed(from, &error))?.path();
        let place = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() { copy_all(&path, &place)? } else { copy(&path, &place)? }
    }
    Ok(())
}

/// Copies a program or a shared library and leaves out the names that are neither imported nor exported, a tenth of its bytes.
fn copy_without_symbols(from: &Path, to: &Path) -> Outcome {
    copy(from, to)?;
    run(Command::new("strip").arg("--strip-unneeded").arg(to))
}

/// Links the shared library of the static one. The compiler would do so, too, and give its symbols no version: it has a
/// script for the linker of its own, which goes with no other.
fn link_shared(library: &Path, soname: &str, to: &Path) -> Outcome {
    make_room(to)?;
    let map = Path::new(FOLDER).join("install/abreast.map");
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-Wl,--gc-sections,--as-needed,-O1,-z,relro,-z,now,--strip-all"]);
    cc.arg(format!("-Wl,-soname,{soname},--version-script,{}", map.display()));
    run(cc.arg("-Wl,--whole-archive").arg(library).args(["-Wl,--no-whole-archive", "-lm", "-o"]).arg(to))
}

fn link(target: &str, path: &Path) -> Outcome {
    make_room(path)?;
    symlink(target, path).map_err(|error| failed(path, &error))
}

/// Makes the folder of a file, and removes the file that is in its place.
pub(crate) fn make_room(path: &Path) -> Outcome {
    if let Some(folder) = path.parent() {
        files::make_folder(folder)?;
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(failed(path, &error)),
        _ => Ok(()),
    }
}
