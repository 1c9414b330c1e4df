//! The price of abreast for its dependents: seconds and memory of a build, and bytes of what is shipped, beside limits.
//!
//! The programs are outside this workspace, with its lock file, so that no setting of the workspace reaches them. Bytes are
//! the same on every machine and are compared to 2 %; another compiler makes others, so that they are only shown where it is
//! not the one that the file of limits names. Seconds and memory vary with machines: their limits are half as much again
//! as what was measured.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::read::archive::ArchiveFile;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, SectionKind, SymbolKind};

use crate::clients;
use crate::outcome::{Outcome, Stop};
use crate::process::{capture, cargo, say};
use crate::workspace::{Artifact, Workspace, as_configured};

/// The file of limits: a name and a number in each line.
const LIMITS: &str = "tools/xtask/weight.txt";

/// The factor by which bytes may exceed the committed ones.
const SLACK: f64 = 1.02;

/// A program of a dependent.
struct Dependent {
    /// The name in the file of limits.
    name: &'static str,
    features: &'static str,
    /// The profile's folder below `target`, and the arguments of cargo for it.
    profile: &'static str,
    arguments: &'static [&'static str],
    /// True if only `--long` builds it.
    long: bool,
}

const DEPENDENTS: [Dependent; 4] = [
    Dependent {
        name: "one-aead-release",
        features: "",
        profile: "release",
        arguments: &["--release"],
        long: false,
    },
    Dependent { name: "one-aead-debug", features: "", profile: "debug", arguments: &[], long: false },
    Dependent {
        name: "all-release",
        features: "\"full\", \"legacy\", \"rayon\"",
        profile: "release",
        arguments: &["--release"],
        long: true,
    },
    Dependent {
        name: "all-debug",
        features: "\"full\", \"legacy\", \"rayon\"",
        profile: "debug",
        arguments: &[],
        long: true,
    },
];

/// A message under one AEAD.
const PROGRAM: &str = r#"
use abreast::{aes::Aes256, modes::Gcm};

fn main() {
    let gcm = Gcm::from_cipher(Aes256::new(&[7; 32]));
    let mut message = *b"attack at dawn";
    let mut tag = [0; 16];
    gcm.encrypt_detached(&[1; 12], b"", message.as_mut_slice(), &mut tag).unwrap();
    assert_eq!(tag[..4], [0xd8, 0x79, 0x49, 0xa0]);
}
"#;

/// A C program that has one message in AES-GCM.
const STATIC: &str = "faces/c/tests/clients/aes_gcm.c";

/// Runs a command and prints its seconds of CPU and its kilobytes of memory at most.
const USAGE: &str = "import resource, subprocess, sys
ended = subprocess.run(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(round(used.ru_utime + used.ru_stime, 1), used.ru_maxrss)
sys.exit(ended.returncode)";

/// The unit of a figure.
#[derive(Clone, Copy, PartialEq)]
enum Unit {
    Bytes,
    Seconds,
    Kilobytes,
}

impl Unit {
    const fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Seconds => "CPU s",
            Self::Kilobytes => "KB memory",
        }
    }
}

/// A figure by its name in the file of limits.
struct Figure {
    name: String,
    value: f64,
    unit: Unit,
}

fn figure(name: &str, value: f64, unit: Unit) -> Figure {
    Figure { name: name.to_owned(), value, unit }
}

/// Shows all figures and compares them with their limits.
pub(crate) fn check(workspace: &Workspace, long: bool) -> Outcome {
    let text = fs::read_to_string(LIMITS).map_err(|error| format!("{LIMITS}: {error}"))?;
    let (same_compiler, limits) = read_limits(&text, &capture(Command::new("rustc").arg("-V"))?)?;
    let mut complaints = Vec::new();
    for Figure { name, value, unit } in measure(workspace, long)? {
        let Some(limit) = limits.get(name.as_str()) else {
            complaints.push(format!("{name}: {LIMITS} has no limit, and {value:.0} were measured"));
            continue;
        };
        let most = if unit == Unit::Bytes { limit * SLACK } else { *limit };
        say(&format!("{name:28} {value:>12.0} {:10} at most {most:.0}", unit.name()));
        if value > most && (same_compiler || unit != Unit::Bytes) {
            complaints.push(format!("{name}: {value:.0} {}, and {most:.0} are the limit", unit.name()));
        }
    }
    if complaints.is_empty() { Ok(()) } else { Err(Stop::Failed(complaints.join("\n"))) }
}

/// Reads whether the compiler is the one of the limits, and the limits by their names.
fn read_limits<'t>(text: &'t str, compiler: &str) -> Result<(bool, BTreeMap<&'t str, f64>), Stop> {
    let mut limits = BTreeMap::new();
    let mut same_compiler = false;
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.split_once(' ') {
            Some(("compiler", version)) => same_compiler = compiler.trim() == version.trim(),
            Some((name, number)) => {
                let number =
                    number.trim().parse().map_err(|_| format!("{LIMITS}: no number in \"{line}\""))?;
                limits.insert(name, number);
            }
            None => return Err(Stop::Failed(format!("{LIMITS}: no number in \"{line}\""))),
        }
    }
    Ok((same_compiler, limits))
}

/// Builds the dependents, and looks at what the release build of the workspace has made.
fn measure(workspace: &Workspace, long: bool) -> Result<Vec<Figure>, Stop> {
    let mut figures = Vec::new();
    for dependent in DEPENDENTS.iter().filter(|dependent| long || !dependent.long) {
        figures.extend(build(dependent)?);
    }
    let artifacts = workspace.release()?;
    let library = made(&artifacts, "abreast", ".rlib")?;
    let functions = functions(&library)?;
    figures.push(figure("library-text", functions.values().sum::<u64>() as f64, Unit::Bytes));
    figures.extend(installed(workspace)?);
    for (what, shares) in [("instruction set", LEVELS), ("cipher", CIPHERS), ("role", ROLES)] {
        say(&format!("\nKB of text by {what}:"));
        for (name, bytes) in shared_out(&functions, shares) {
            say(&format!("  {name:20} {:>8.1}", bytes as f64 / 1e3));
        }
    }
    Ok(figures)
}

/// Returns the sizes of what is installed, and of a C program of one cipher and one mode with the static library, as
/// `pkg-config` says, without symbols.
fn installed(workspace: &Workspace) -> Result<Vec<Figure>, Stop> {
    let failed = |error: std::io::Error| Stop::Failed(format!("an install tree: {error}"));
    let folder = tempfile::tempdir().map_err(failed)?;
    let tree = clients::lay_out(workspace, folder.path(), "lib")?;
    let size = |path: &Path| Ok::<f64, Stop>(fs::metadata(path).map_err(failed)?.len() as f64);
    let (library, command) = (size(&tree.join("lib/libabreast.so"))?, size(&tree.join("bin/abreast"))?);
    // Linkers prefer it.
    fs::remove_file(tree.join("lib/libabreast.so")).map_err(failed)?;
    let flags = clients::flags_of(&tree.join("lib"), true)?;
    let program = folder.path().join("program");
    let mut compile = Command::new("cc");
    compile.args(["-O2", "-s", STATIC, "-o"]).arg(&program).args(flags.split_whitespace());
    crate::process::run(&mut compile)?;
    crate::process::run(&mut Command::new(&program))?;
    Ok(vec![
        figure("libabreast.so", library, Unit::Bytes),
        figure("command", command, Unit::Bytes),
        figure("static-aes-gcm", size(&program)?, Unit::Bytes),
    ])
}

/// A file that the release build made of a member.
fn made(artifacts: &[Artifact], package: &str, ending: &str) -> Result<PathBuf, Stop> {
    let of_package = artifacts.iter().filter(|artifact| artifact.package == package && !artifact.test);
    let mut files = of_package.flat_map(|artifact| &artifact.files);
    let found = files.find(|file| file.to_string_lossy().ends_with(ending));
    found.cloned().ok_or_else(|| Stop::Failed(format!("cargo made no {ending} of {package}")))
}

/// Builds a dependent, from nothing, and returns what it cost.
fn build(dependent: &Dependent) -> Result<Vec<Figure>, Stop> {
    let Dependent { name, features, profile, arguments, .. } = dependent;
    let failed = |error: std::io::Error| Stop::Failed(format!("a program of a dependent: {error}"));
    let folder = tempfile::tempdir().map_err(failed)?;
    let folder = folder.path();
    let root = std::env::current_dir().map_err(failed)?;
    let library = root.join("crates/abreast");
    let manifest = format!(
        "[package]\nname = \"dependent\"\nedition = \"2024\"\n[dependencies]\nabreast = {{ path = {library:?}, \
         features = [{features}] }}\n"
    );
    fs::create_dir(folder.join("src")).map_err(failed)?;
    fs::write(folder.join("Cargo.toml"), manifest).map_err(failed)?;
    fs::write(folder.join("src/main.rs"), PROGRAM).map_err(failed)?;
    fs::copy("Cargo.lock", folder.join("Cargo.lock")).map_err(failed)?;
    let cargo = cargo(&["build", "--offline", "--quiet"]);
    let mut command = Command::new("python3");
    command.args(["-c", USAGE]).arg(cargo.get_program()).args(cargo.get_args()).args(*arguments);
    command.current_dir(folder).env_remove("CARGO_TARGET_DIR").env("CARGO_INCREMENTAL", "0");
    let used = capture(as_configured(&mut command))?;
    let mut numbers = used.split_whitespace().filter_map(|number| number.parse::<f64>().ok());
    let (Some(seconds), Some(kilobytes)) = (numbers.next(), numbers.next()) else {
        return Err(Stop::Failed(format!("what a build used: {used:?}")));
    };
    crate::process::run(&mut Command::new(folder.join("target").join(profile).join("dependent")))?;
    let rlib = rlib_in(&folder.join("target").join(profile).join("deps"))?;
    let bytes = fs::metadata(&rlib).map_err(failed)?.len() as f64;
    let text = functions(&rlib)?.values().sum::<u64>() as f64;
    Ok(vec![
        figure(&format!("{name}-seconds"), seconds, Unit::Seconds),
        figure(&format!("{name}-memory"), kilobytes, Unit::Kilobytes),
        figure(&format!("{name}-text"), text, Unit::Bytes),
        figure(&format!("{name}-rlib"), bytes, Unit::Bytes),
    ])
}

/// The library in a folder of what cargo made.
fn rlib_in(folder: &Path) -> Result<PathBuf, Stop> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_library = |path: &PathBuf| name(path).starts_with("libabreast-") && name(path).ends_with(".rlib");
    let found = entries.flatten().map(|entry| entry.path()).find(is_library);
    found.ok_or_else(|| Stop::Failed(format!("{}: no library", folder.display())))
}

/// The functions of a library and their bytes.
fn functions(rlib: &Path) -> Result<BTreeMap<String, u64>, Stop> {
    let failed = |error: String| Stop::Failed(format!("{}: {error}", rlib.display()));
    let data = fs::read(rlib).map_err(|error| failed(error.to_string()))?;
    let archive = ArchiveFile::parse(data.as_slice()).map_err(|error| failed(error.to_string()))?;
    let mut functions = BTreeMap::new();
    for member in archive.members() {
        let member = member.map_err(|error| failed(error.to_string()))?;
        // Metadata of the compiler is a member, too.
        let Ok(bytes) = member.data(data.as_slice()) else { continue };
        let Ok(file) = object::File::parse(bytes) else { continue };
        for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text) {
            let section = symbol.section_index().and_then(|index| file.section_by_index(index).ok());
            if section.is_some_and(|section| section.kind() == SectionKind::Text)
                && let Ok(name) = symbol.name()
            {
                // Outside of this workspace kernels have the older names, which they share.
                let name = format!("{:#}", rustc_demangle::demangle(name));
                *functions.entry(name).or_default() += symbol.size();
            }
        }
    }
    Ok(functions)
}

/// Shares of the text: a name, and parts of names of functions of which the first that fits counts.
type Shares = &'static [(&'static str, &'static [&'static str])];

const LEVELS: Shares = &[
    ("AVX-512 with VAES", &["Avx512Vaes"]),
    ("AVX2 with VAES", &["Vaes"]),
    ("AES-NI", &["AesNi"]),
    ("AVX-512", &["Avx512"]),
    ("AVX2", &["Avx2"]),
    ("SSE2", &["Sse2"]),
    ("NEON", &["Neon"]),
];
const CIPHERS: Shares = &[
    ("AEZ", &["aez"]),
    ("AES, bit-sliced", &["sliced"]),
    ("AES-128", &["<11>"]),
    ("AES-192 and AES-256", &["<15>", "Aes192", "Aes256"]),
    ("Serpent", &["serpent", "Bitsliced"]),
    ("XTEA and TEA", &["two_words", "xtea", "tea::"]),
    ("RC4", &["rc4"]),
];
const ROLES: Shares = &[
    ("columns", &["columns"]),
    ("batches", &["packets"]),
    ("loops of modes", &["loops::"]),
    ("rounds", &["rounds", "encrypt", "decrypt"]),
];

/// Shares the functions out; the rest comes last.
fn shared_out(functions: &BTreeMap<String, u64>, shares: Shares) -> Vec<(&'static str, u64)> {
    let mut sums: Vec<(&'static str, u64)> = shares.iter().map(|(name, _)| (*name, 0)).collect();
    sums.push(("the rest", 0));
    for (function, bytes) in functions {
        let share = shares.iter().position(|(_, parts)| parts.iter().any(|part| function.contains(part)));
        sums[share.unwrap_or(shares.len())].1 += bytes;
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_with_their_compiler() -> Outcome {
        let text = "# words\ncompiler rustc 1.2.3\n\na-text 100\n";
        let (same, limits) = read_limits(text, "rustc 1.2.3\n")?;
        assert!(same);
        assert_eq!(limits, BTreeMap::from([("a-text", 100.0)]));
        assert!(!read_limits(text, "rustc 1.2.4")?.0);
        assert!(read_limits("a-text\n", "").is_err() && read_limits("a-text x\n", "").is_err());
        Ok(())
    }

    #[test]
    fn every_function_has_one_share() {
        let functions =
            BTreeMap::from([("a::Vaes".to_owned(), 3), ("a::Avx512Vaes".to_owned(), 4), ("b".to_owned(), 5)]);
        let shares = shared_out(&functions, LEVELS);
        assert_eq!(shares.iter().map(|(_, bytes)| bytes).sum::<u64>(), 12);
        assert_eq!((shares[0].1, shares[1].1, shares.last().map(|share| share.1)), (4, 3, Some(5)));
    }
}
