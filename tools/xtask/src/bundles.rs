//! Bundles of the command, for machines without a compiler: for each architecture a static program in an archive, with its
//! manual pages and completions, and the same as a package of Debian.
//!
//! A static program cannot load OpenCL: the command is built without devices here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::dist::{copy, make_room};
use crate::outcome::{Outcome, Stop};
use crate::process::{capture, cargo, need, need_target, run, say};
use crate::release::{empty, epoch, pack};
use crate::workspace::{Workspace, as_shipped, program_of};

/// The package.
const COMMAND: &str = "abreast-cli";
/// The most bytes of a static program.
const LIMIT: u64 = 4_000_000;
/// The release of Debian in which the package is tried.
const DEBIAN: &str = "bookworm";

/// An architecture.
struct Machine {
    /// The name in file names.
    name: &'static str,
    triple: &'static str,
    /// The name that Debian has for it.
    debian: &'static str,
    /// The program that takes its names from a program for it.
    strip: &'static str,
    /// The program that runs programs for it here.
    runner: Option<&'static str>,
}

const MACHINES: [Machine; 2] = [
    Machine {
        name: "x86_64",
        triple: "x86_64-unknown-linux-musl",
        debian: "amd64",
        strip: "strip",
        runner: None,
    },
    Machine {
        name: "aarch64",
        triple: "aarch64-unknown-linux-musl",
        debian: "arm64",
        strip: "aarch64-linux-gnu-strip",
        runner: Some("qemu-aarch64"),
    },
];

/// The documents beside the program.
const DOCUMENTS: [(&str, &str); 6] = [
    ("faces/command/README.md", "README.md"),
    ("CHANGELOG.md", "CHANGELOG.md"),
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("LICENSE-MIT", "LICENSE-MIT"),
    ("faces/command/THIRD-PARTY.txt", "THIRD-PARTY.txt"),
    ("faces/command/install/copyright", "copyright"),
];

/// Makes all bundles in a folder.
pub(crate) fn build(workspace: &Workspace, folder: &Path) -> Outcome {
    empty(folder)?;
    MACHINES.iter().try_for_each(|machine| {
        let program = static_program(workspace, machine)?;
        let (stripped, bytes) = stripped(machine, &program, folder)?;
        say(&format!("{}: {bytes} bytes of at most {LIMIT}", machine.name));
        if bytes > LIMIT {
            return Err(Stop::Failed(format!("{}: {bytes} bytes, of at most {LIMIT}", machine.name)));
        }
        bundle(workspace, machine, &stripped, folder)
    })
}

/// Makes the bundles of this machine of the command as the tests have built it, which is not static, and unpacks them.
pub(crate) fn check_form(workspace: &Workspace) -> Outcome {
    let machine = &MACHINES[0];
    if !workspace.host.starts_with(machine.name) {
        return Err(Stop::Skipped("the bundles are made on x86-64".to_owned()));
    }
    let scratch = tempfile::tempdir().map_err(|error| format!("a folder for bundles: {error}"))?;
    let (made, unpacked) = (scratch.path().join("made"), scratch.path().join("unpacked"));
    [&made, &unpacked].into_iter().try_for_each(|folder| empty(folder))?;
    let (stripped, _) = stripped(machine, program_of(&workspace.release()?, COMMAND)?, &made)?;
    bundle(workspace, machine, &stripped, &made)?;
    let package = only(&made, ".deb")?;
    run(Command::new("dpkg-deb").arg("--extract").arg(&package).arg(&unpacked))?;
    round_trip(&unpacked, || {
        let mut command = Command::new(unpacked.join("usr/bin/abreast"));
        command.current_dir(&unpacked);
        command
    })
}

/// Copies a program without its names into a folder, and returns the copy and its length.
fn stripped(machine: &Machine, program: &Path, folder: &Path) -> Result<(PathBuf, u64), Stop> {
    let copied = folder.join(format!("abreast-{}", machine.name));
    copy(program, &copied)?;
    run(Command::new(machine.strip).arg(&copied))?;
    let metadata = fs::metadata(&copied).map_err(|error| format!("{}: {error}", copied.display()))?;
    Ok((copied, metadata.len()))
}

/// Makes the bundles in a folder, and tries them: the static program in a root with nothing else, the package in a new Debian,
/// the program for other machines in an emulator.
pub(crate) fn check(workspace: &Workspace) -> Outcome {
    if !rustix::process::geteuid().is_root() {
        return Err(Stop::Skipped("only root can change the root".to_owned()));
    }
    ["chroot", "debootstrap", "lintian"].into_iter().try_for_each(need)?;
    let folder = workspace.target.join("bundles");
    build(workspace, &folder)?;
    let scratch = tempfile::tempdir().map_err(|error| format!("a folder for roots: {error}"))?;
    for machine in &MACHINES {
        let unpacked = scratch.path().join(machine.name);
        empty(&unpacked)?;
        let begin = Instant::now();
        let archive = only(&folder, &format!("-{}-linux.tar.xz", machine.name))?;
        let mut tar = Command::new("tar");
        run(tar.arg("-xf").arg(&archive).arg("-C").arg(&unpacked).arg("--strip-components=1"))?;
        let program = unpacked.join("bin/abreast");
        match machine.runner {
            None => {
                let root = scratch.path().join("root");
                empty(&root)?;
                copy(&program, &root.join("abreast"))?;
                in_root(&root, "/abreast")?;
                say(&format!("from an empty root to a sealed file: {:.2} s", begin.elapsed().as_secs_f64()));
            }
            Some(runner) => {
                need(runner)?;
                round_trip(&unpacked, || {
                    let mut command = Command::new(runner);
                    command.arg(&program).current_dir(&unpacked);
                    command
                })?;
            }
        }
        let package = only(&folder, &format!("_{}.deb", machine.debian))?;
        run(Command::new("lintian").args(["--fail-on", "error,warning", "--allow-root"]).arg(&package))?;
    }
    let root = scratch.path().join("debian");
    run(Command::new("debootstrap").args(["--variant=minbase", DEBIAN]).arg(&root))?;
    let begin = Instant::now();
    copy(&only(&folder, "_amd64.deb")?, &root.join("abreast.deb"))?;
    run(Command::new("chroot").arg(&root).args(["dpkg", "--install", "/abreast.deb"]))?;
    in_root(&root, "abreast")?;
    say(&format!("from a new Debian to a sealed file: {:.2} s", begin.elapsed().as_secs_f64()));
    run(Command::new("chroot").arg(&root).args(["dpkg", "--purge", "abreast"]))
}

/// Seals and opens a file in a root by a program in it.
fn in_root(root: &Path, program: &str) -> Outcome {
    round_trip(root, || {
        let mut command = Command::new("chroot");
        command.arg(root).arg(program);
        command
    })
}

/// Seals a file in a folder under a new key, opens it, and compares.
fn round_trip(folder: &Path, command: impl Fn() -> Command) -> Outcome {
    let message: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
    let failed = |error: std::io::Error| Stop::Failed(format!("{}: {error}", folder.display()));
    fs::write(folder.join("message"), &message).map_err(failed)?;
    run(command().args(["seal", "message", "--new-key", "key"]))?;
    run(command().args(["open", "message.abreast", "-k", "key", "-o", "opened"]))?;
    if fs::read(folder.join("opened")).map_err(failed)? == message {
        Ok(())
    } else {
        Err(Stop::Failed("the opened file is another one".to_owned()))
    }
}

/// Returns the only file of a folder whose name ends so.
fn only(folder: &Path, end: &str) -> Result<PathBuf, Stop> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths = entries.flatten().map(|entry| entry.path());
    let found = paths.find(|path| path.to_string_lossy().ends_with(end));
    found.ok_or_else(|| Stop::Failed(format!("{}: no file *{end}", folder.display())))
}

/// Makes the bundles for an architecture of a program, which goes into them.
fn bundle(workspace: &Workspace, machine: &Machine, program: &Path, folder: &Path) -> Outcome {
    let version = workspace.packages.iter().find(|package| package.name == COMMAND);
    let version = version.map(|package| package.version.clone()).unwrap_or_default();
    let name = format!("abreast-{version}-{}-linux", machine.name);
    let tree = folder.join(&name);
    let failed = |error: std::io::Error| Stop::Failed(format!("{}: {error}", tree.display()));
    fs::create_dir_all(tree.join("bin")).map_err(failed)?;
    fs::rename(program, tree.join("bin/abreast")).map_err(failed)?;
    for (document, place) in DOCUMENTS {
        copy(Path::new(document), &tree.join("share/doc/abreast").join(place))?;
    }
    let mut abreast = Command::new(machine.runner.unwrap_or("env"));
    abreast.arg(tree.join("bin/abreast"));
    pages_and_completions(abreast, &tree)?;
    pack(folder, &name)?;
    debian_package(machine, &version, &tree, folder)?;
    fs::remove_dir_all(&tree).map_err(failed)
}

/// Builds the command as a static program.
fn static_program(workspace: &Workspace, machine: &Machine) -> Result<PathBuf, Stop> {
    need_target(machine.triple)?;
    let sources = std::env::current_dir().map_err(|error| error.to_string())?;
    let mut command = cargo(&["build", "--release", "--locked", "--package", COMMAND]);
    command.args(["--no-default-features", "--target", machine.triple]);
    as_shipped(&mut command, &sources)?;
    // Everything that the program is linked of comes with the compiler.
    let variable = format!("CARGO_TARGET_{}_LINKER", machine.triple.to_uppercase().replace('-', "_"));
    let made = workspace.build(command.env(variable, "rust-lld"))?;
    Ok(program_of(&made, COMMAND)?.to_owned())
}

/// Writes the manual pages and the completions of shells, which the program prints.
fn pages_and_completions(mut abreast: Command, tree: &Path) -> Outcome {
    let run_with = |abreast: &Command, args: &[&str]| {
        let mut command = Command::new(abreast.get_program());
        command.args(abreast.get_args()).args(args);
        command
    };
    for (shell, place) in [
        ("bash", "share/bash-completion/completions/abreast"),
        ("fish", "share/fish/vendor_completions.d/abreast.fish"),
        ("zsh", "share/zsh/site-functions/_abreast"),
    ] {
        let script = capture(&mut run_with(&abreast, &["completions", shell]))?;
        let place = tree.join(place);
        make_room(&place)?;
        fs::write(&place, script).map_err(|error| format!("{}: {error}", place.display()))?;
    }
    let pages = tree.join("share/man/man1");
    empty(&pages)?;
    run(abreast.arg("man").arg(&pages))
}

/// Makes the package of Debian from the tree of the archive.
fn debian_package(machine: &Machine, version: &str, tree: &Path, folder: &Path) -> Outcome {
    need("dpkg-deb")?;
    let root = folder.join("debian");
    empty(&root.join("DEBIAN"))?;
    let usr = root.join("usr");
    run(Command::new("cp").arg("--recursive").arg(tree).arg(&usr))?;
    let write = |place: &str, text: &str| {
        let place = root.join(place);
        make_room(&place)?;
        fs::write(&place, text).map_err(|error| Stop::Failed(format!("{}: {error}", place.display())))
    };
    let date =
        capture(Command::new("date").args(["--utc", "--rfc-email", "--date"]).arg(format!("@{}", epoch()?)))?;
    let maintainer = "The abreast developers <abreast@users.noreply.github.com>";
    write(
        "usr/share/doc/abreast/changelog",
        &format!(
            "abreast ({version}) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- {maintainer}  {date}"
        ),
    )?;
    // A static program is meant: no library is missing or too old then.
    let meant = ["statically-linked-binary", "shared-library-lacks-prerequisites"];
    let meant = meant.map(|tag| format!("abreast: {tag} [usr/bin/abreast]\n")).concat();
    write("usr/share/lintian/overrides/abreast", &meant)?;
    let documents = usr.join("share/doc/abreast");
    for redundant in ["LICENSE-APACHE", "LICENSE-MIT"] {
        run(Command::new("rm").arg(documents.join(redundant)))?;
    }
    let site = usr.join("share/zsh/site-functions");
    run(Command::new("mv").arg(&site).arg(usr.join("share/zsh/vendor-completions")))?;
    let zipped = "gzip --no-name --best usr/share/man/man1/* usr/share/doc/abreast/changelog usr/share/doc/abreast/CHANGELOG.md";
    run(Command::new("sh").args(["-c", zipped]).current_dir(&root))?;
    let size =
        capture(Command::new("du").args(["--apparent-size", "--summarize", "--block-size=1K"]).arg(&usr))?;
    let size = size.split_whitespace().next().unwrap_or_default();
    write(
        "DEBIAN/control",
        &format!(
            "Package: abreast\nVersion: {version}\nArchitecture: {}\nMaintainer: {maintainer}\n\
             Installed-Size: {size}\nSection: utils\nPriority: optional\n\
             Homepage: https://github.com/abreast/abreast\n\
             Description: seal and open files with symmetric encryption\n \
             abreast encrypts and authenticates files and folders with one secret key or a\n \
             passphrase, on all cores, and opens them whole or in ranges.\n",
            machine.debian
        ),
    )?;
    let sums = "find usr -type f | sort | xargs md5sum > DEBIAN/md5sums && chmod -R u=rwX,go=rX .";
    run(Command::new("sh").args(["-c", sums]).current_dir(&root))?;
    let package = folder.join(format!("abreast_{version}_{}.deb", machine.debian));
    let mut build = Command::new("dpkg-deb");
    build.args(["--build", "--root-owner-group"]).arg(&root).arg(&package);
    run(build.env("SOURCE_DATE_EPOCH", epoch()?))?;
    fs::remove_dir_all(&root).map_err(|error| Stop::Failed(format!("{}: {error}", root.display())))
}
