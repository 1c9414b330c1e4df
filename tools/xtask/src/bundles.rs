//! Bundles for machines without a compiler. Of the command, for each architecture a static program in an archive, with its
//! manual pages and completions, and the same as a package of Debian; of libabreast, packages of Debian, and the install tree in
//! an archive. `debian` beside these sources says what goes into each package, and Debian's debhelper makes them of it.
//!
//! A static program cannot load OpenCL: the command is built without devices here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::archives::{checksums, empty, epoch, pack};
use crate::dist::{self, Extent, copy, make_room};
use crate::files;
use crate::outcome::{Outcome, Stop};
use crate::process::{capture, cargo, need, need_target, run, say};
use crate::workspace::{Workspace, as_shipped, program_of};

/// The member of the command, and its package of Debian.
const COMMAND: &str = "abreast-cli";
const COMMAND_PACKAGE: &str = "abreast";
/// The most bytes of a static program.
const LIMIT: u64 = 4_000_000;
/// The folder of what makes the packages of Debian.
const DEBIAN: &str = "tools/xtask/debian";
/// The folder of libraries on Debian.
const LIBDIR: &str = "lib/x86_64-linux-gnu";

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

/// Documents and their names beside the program, of which the packages take these three as they are.
const README: (&str, &str) = ("faces/command/README.md", "README.md");
const CHANGES: (&str, &str) = ("CHANGELOG.md", "CHANGELOG.md");
const NOTICES: (&str, &str) = ("faces/command/THIRD-PARTY.txt", "THIRD-PARTY.txt");

/// The documents beside the program.
const DOCUMENTS: [(&str, &str); 6] = [
    README,
    CHANGES,
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("LICENSE-MIT", "LICENSE-MIT"),
    NOTICES,
    ("tools/xtask/debian/copyright", "copyright"),
];

/// Makes all bundles of the command in a folder.
pub(crate) fn build(workspace: &Workspace, folder: &Path) -> Outcome {
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

/// Makes an archive of the install tree, and the packages of libabreast, on an x86-64.
pub(crate) fn trees(workspace: &Workspace, folder: &Path) -> Outcome {
    if !workspace.host.starts_with("x86_64") {
        return Err(Stop::Failed(format!(
            "packages of libabreast are made on x86-64, not {}",
            workspace.host
        )));
    }
    libraries(workspace, folder, |tree| dist::build(workspace, tree, LIBDIR))?;
    let name = format!("abreast-{}-{}", workspace.version(), workspace.host);
    dist::build(workspace, &folder.join(&name), "lib")?;
    pack_and_remove(folder, &name)
}

/// Makes the packages of libabreast in a folder, of an install tree.
fn libraries(workspace: &Workspace, folder: &Path, lay_out: impl FnOnce(&Path) -> Outcome) -> Outcome {
    let root = folder.join("debian");
    lay_out(&root.join("usr"))?;
    debian_packages(workspace, &root, "libabreast0 libabreast-dev", MACHINES[0].debian)
}

/// Makes the bundles of this machine of what the tests have built, where the command is not static: those of the command twice, to
/// compare them. Unpacks the packages, looks at the pages, and uses the command.
pub(crate) fn check_form(workspace: &Workspace) -> Outcome {
    let machine = &MACHINES[0];
    if !workspace.host.starts_with(machine.name) {
        return Err(Stop::Skipped("the bundles are made on x86-64".to_owned()));
    }
    ["dh", "mandoc"].into_iter().try_for_each(need)?;
    let scratch = tempfile::tempdir().map_err(|error| format!("a folder for bundles: {error}"))?;
    let built = workspace.release()?;
    let make = |name: &str| {
        let folder = scratch.path().join(name);
        empty(&folder)?;
        let (stripped, _) = stripped(machine, program_of(&built, COMMAND)?, &folder)?;
        bundle(workspace, machine, &stripped, &folder)?;
        checksums(&folder)
    };
    let (first, second) = (make("the/other")?, make("one")?);
    if first != second {
        return Err(Stop::Failed(format!("two bundles of the same are not the same:\n{first}{second}")));
    }
    let made = scratch.path().join("one");
    libraries(workspace, &made, |tree| dist::dist(workspace, || Ok(&*built), tree, LIBDIR, Extent::All))?;
    let unpacked = scratch.path().join("unpacked");
    for name in ["abreast", "libabreast0", "libabreast-dev"] {
        let package = made.join(format!("{name}_{}_{}.deb", workspace.version(), machine.debian));
        run(Command::new("dpkg-deb").arg("--extract").arg(&package).arg(&unpacked))?;
    }
    let pages = "for page in man3/*.gz; do zcat $page | mandoc -T lint -W error || exit; done";
    run(Command::new("sh").args(["-c", pages]).current_dir(unpacked.join("usr/share/man")))?;
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

/// Seals a file in a folder under a new key, opens it, and compares.
fn round_trip(folder: &Path, command: impl Fn() -> Command) -> Outcome {
    let message: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
    files::write(folder.join("message"), &message)?;
    run(command().args(["seal", "message", "--new-key", "key"]))?;
    run(command().args(["open", "message.abreast", "-k", "key", "-o", "opened"]))?;
    if fs::read(folder.join("opened")).map_err(|error| files::failed(folder, &error))? == message {
        Ok(())
    } else {
        Err(Stop::Failed("the opened file is another one".to_owned()))
    }
}

/// Makes the bundles for an architecture of a program, which goes into them.
fn bundle(workspace: &Workspace, machine: &Machine, program: &Path, folder: &Path) -> Outcome {
    let name = format!("abreast-{}-{}-linux", workspace.version(), machine.name);
    let tree = folder.join(&name);
    files::make_folder(tree.join("bin"))?;
    fs::rename(program, tree.join("bin/abreast")).map_err(|error| files::failed(&tree, &error))?;
    for (document, place) in DOCUMENTS {
        copy(Path::new(document), &tree.join("share/doc/abreast").join(place))?;
    }
    let mut abreast = Command::new(machine.runner.unwrap_or("env"));
    abreast.arg(tree.join("bin/abreast"));
    pages_and_completions(abreast, &tree)?;
    let root = folder.join("debian");
    empty(&root)?;
    run(Command::new("cp").arg("--recursive").arg(&tree).arg(root.join("command")))?;
    debian_packages(workspace, &root, COMMAND_PACKAGE, machine.debian)?;
    pack_and_remove(folder, &name)
}

/// Packs a folder in another into an archive beside it, and removes it.
fn pack_and_remove(folder: &Path, name: &str) -> Outcome {
    pack(folder, name)?;
    remove(&folder.join(name))
}

fn remove(folder: &Path) -> Outcome {
    fs::remove_dir_all(folder).map_err(|error| Stop::Failed(format!("{}: {error}", folder.display())))
}

/// Builds the command as a static program.
fn static_program(workspace: &Workspace, machine: &Machine) -> Result<PathBuf, Stop> {
    need_target(machine.triple)?;
    let sources = std::env::current_dir().map_err(|error| error.to_string())?;
    let mut command = cargo(&["rustc", "--release", "--locked", "--package", COMMAND, "--bin", "abreast"]);
    command.args(["--no-default-features", "--target", machine.triple]);
    as_shipped(&mut command, &sources)?;
    // Functions of the same code once, and relocations in short, are a twentieth of the program.
    command.args(["--message-format=json-render-diagnostics", "--", "-Clink-arg=--icf=all"]);
    command.arg("-Clink-arg=--pack-dyn-relocs=relr");
    // Everything that the program is linked of comes with the compiler.
    let variable = format!("CARGO_TARGET_{}_LINKER", machine.triple.to_uppercase().replace('-', "_"));
    let made = workspace.artifacts(command.env(variable, "rust-lld"))?;
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
        files::write(&place, script)?;
    }
    let pages = tree.join("share/man/man1");
    empty(&pages)?;
    run(abreast.arg("man").arg(&pages))
}

/// Makes packages of Debian beside a folder, of what is in there, and removes it.
fn debian_packages(workspace: &Workspace, root: &Path, names: &str, architecture: &str) -> Outcome {
    need("dh")?;
    let version = workspace.version();
    run(Command::new("cp").args(["--recursive", DEBIAN]).arg(root))?;
    for (document, place) in [README, CHANGES, NOTICES] {
        copy(Path::new(document), &root.join(place))?;
    }
    let date = ["--utc", "--rfc-email", "--date", &format!("@{}", epoch()?)];
    let date = capture(Command::new("date").args(date))?;
    let maintainer = "The abreast developers <abreast@users.noreply.github.com>";
    let changelog = format!(
        "abreast ({version}) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- {maintainer}  {date}"
    );
    let place = root.join("debian/changelog");
    files::write(&place, changelog)?;
    let mut debhelper = Command::new("dpkg-architecture");
    debhelper.args(["--host-arch", architecture, "--command", "debian/rules binary"]);
    // Messages and sorted lists are in no language, and times are those of the changelog.
    debhelper
        .current_dir(root)
        .env("PACKAGES", names)
        .env("LC_ALL", "C.UTF-8")
        .env_remove("SOURCE_DATE_EPOCH");
    run(&mut debhelper)?;
    remove(root)
}
