//! The inlining gate: kernels are whole, and they are there.
//!
//! A kernel is a closure compiled for an instruction set: the method `run` of the closure, by the trait
//! `CompiledFor` of `abreast-simd`, which has the instruction set for its parameter. Every function on the way to an intrinsic is `#[inline(always)]`. Where that attribute is missing the code
//! leaves the instruction set, each intrinsic becomes a call to a `core::core_arch` function, and the kernel
//! runs up to a hundred times slower while every test passes. So the release library may neither define such
//! a function nor want it from elsewhere. And it must define the kernels themselves, or this would pass on an
//! empty library.

mod kernels;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget};

use crate::files;
use crate::frames;
use crate::outcome::{Outcome, Stop, none_of};
use crate::process::{self, cargo, need_target, say};
use crate::workspace::{AARCH64, Artifact, Workspace, as_configured};
use kernels::{EXPECTED, Expected, kernels};

/// The targets for which `cargo xtask ci` runs the gate.
pub(crate) const TARGETS: [&str; 2] = ["x86_64-unknown-linux-gnu", AARCH64];

/// Beginnings of the paths of intrinsics, and what the names of those with vectors start with.
const INTRINSICS: [(&str, &str); 3] = [
    ("core::core_arch::x86", "::_mm"),
    ("core::core_arch::aarch64", "::v"),
    ("core::core_arch::arm_shared", "::v"),
];

/// The prefix of the name of a function's section.
const TEXT: &str = ".text.";

/// The kernels in the fixtures of the self test.
const FIXTURE: &[Expected] = &[fixture("x86_64"), fixture("aarch64")];

const fn fixture(arch: &'static str) -> Expected {
    kernels(arch, &["Token"], &["fixture"], &[&["ecb"]])
}

/// Looks at the symbols of the library for `target`, in a release build: the one that is shipped, the one that is
/// tested in the emulator, or for another target one of its own.
pub(crate) fn gate(workspace: &Workspace, target: &str) -> Outcome {
    let made = if target == workspace.host {
        workspace.release()?
    } else if target == AARCH64 {
        workspace.aarch64()?
    } else {
        need_target(target)?;
        let mut build = cargo(&["build", "--release", "-p", "abreast", "--all-features", "--target", target]);
        workspace.build(&mut build)?.into()
    };
    judge(&made, target)?;
    if target.starts_with("x86_64") {
        let complaints = rlibs(&made).map(frames::complaints).collect::<Result<Vec<_>, _>>()?.concat();
        if !complaints.is_empty() {
            return Err(Stop::Failed(complaints.join("\n")));
        }
    }
    Ok(())
}

/// Returns the library and its vectors as files.
fn rlibs(made: &[Artifact]) -> impl Iterator<Item = &Path> {
    let library = |artifact: &&Artifact| ["abreast", "abreast-simd"].contains(&artifact.package.as_str());
    let files = made.iter().filter(library).flat_map(|artifact| &artifact.files);
    files.map(PathBuf::as_path).filter(|file| file.extension().is_some_and(|e| e == "rlib"))
}

/// Looks at the library as dependents may compile it: at the other levels of optimisation, and at each with one unit and
/// with many that are not optimised together.
pub(crate) fn levels(workspace: &Workspace) -> Outcome {
    for level in ["1", "2", "s"] {
        for (lto, units) in [("off", "16"), ("false", "1")] {
            say(&format!("opt-level {level}, lto {lto}, {units} units"));
            let mut build = cargo(&["build", "--release", "-p", "abreast", "--all-features", "--target-dir"]);
            build.arg(workspace.target.join("levels"));
            build.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", level).env("CARGO_PROFILE_RELEASE_LTO", lto);
            build.env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", units);
            judge(&workspace.build(as_configured(&mut build))?, &workspace.host)?;
        }
    }
    Ok(())
}

/// Judges what cargo made of the library.
fn judge(made: &[Artifact], target: &str) -> Outcome {
    let mut symbols = Symbols::default();
    for file in rlibs(made) {
        symbols.add(file)?;
    }
    let complaints = symbols.complaints(target, EXPECTED);
    say(&format!("{} symbols defined", symbols.defined.len()));
    none_of(&complaints)
}

/// Plants the failures that the gate is for, and a sound kernel that it has to let through.
pub(crate) fn self_test(workspace: &Workspace) -> Outcome {
    let failed = |target: &str, why: &str| Err(Stop::Failed(format!("{target}: {why}")));
    for target in TARGETS {
        need_target(target)?;
        if !judge_fixture(workspace, target, "kernel", "inlined")?.is_empty() {
            return failed(target, "a sound kernel was refused");
        }
        let complaints = judge_fixture(workspace, target, "kernel", "outlined")?;
        if !complaints.iter().any(|c| c.starts_with("out of line") && c.ends_with("called by fixture::round"))
        {
            return failed(target, "an intrinsic called out of line was not seen");
        }
        let complaints = judge_fixture(workspace, target, "empty", "inlined")?;
        if complaints != ["no kernel: Token::run for fixture, ecb"] {
            return failed(target, "a library without kernels passed");
        }
    }
    Ok(())
}

/// Compiles a fixture and returns the gate's complaints about it.
fn judge_fixture(workspace: &Workspace, target: &str, name: &str, cfg: &str) -> Result<Vec<String>, Stop> {
    let folder = workspace.target.join("gate");
    files::make_folder(&folder)?;
    let rlib = folder.join(format!("lib{name}_{cfg}_{target}.rlib"));

    let mut rustc = Command::new("rustc");
    rustc.args(["--edition=2024", "--crate-type=rlib", "--crate-name=fixture", "-Copt-level=3"]);
    // One lint fears for the aarch64 intrinsics what this is about to look at.
    rustc.args(["-Csymbol-mangling-version=v0", "--cap-lints=allow", "--target", target, "--cfg", cfg]);
    process::run(rustc.arg(format!("tools/xtask/fixtures/{name}.rs")).arg("-o").arg(&rlib))?;

    let mut symbols = Symbols::default();
    symbols.add(&rlib)?;
    let complaints = symbols.complaints(target, FIXTURE);
    say(&format!("the gate says: {complaints:?}"));
    Ok(complaints)
}

/// The functions in some libraries, and the calls that the gate checks, by demangled names.
#[derive(Default)]
struct Symbols {
    /// Functions compiled there.
    defined: BTreeSet<String>,
    /// Vector intrinsics compiled there or wanted from elsewhere, with the functions that call them.
    outlined: BTreeMap<String, BTreeSet<String>>,
}

impl Symbols {
    /// Adds the symbols of an rlib, which is an archive of object files and of metadata.
    fn add(&mut self, rlib: &Path) -> Outcome {
        self.add_archive(rlib).map_err(|error| Stop::Failed(format!("{}: {error}", rlib.display())))
    }

    fn add_archive(&mut self, rlib: &Path) -> Result<(), Box<dyn Error>> {
        let data = std::fs::read(rlib)?;
        let archive = ArchiveFile::parse(data.as_slice())?;
        for member in archive.members() {
            let member = member?;
            if member.name().ends_with(b".o") {
                self.add_object(&object::File::parse(member.data(data.as_slice())?)?)?;
            }
        }
        Ok(())
    }

    fn add_object(&mut self, code: &object::File<'_>) -> Result<(), object::Error> {
        for symbol in code.symbols() {
            let name = demangled(symbol.name()?);
            if is_intrinsic(&name) {
                self.outlined.entry(name).or_default();
            } else if !symbol.is_undefined() {
                self.defined.insert(name);
            }
        }
        // A function has a section to itself, named after it. A relocation in there is a call, and what is
        // called is a symbol or, within one file, a section.
        for section in code.sections() {
            let Some(caller) = section.name()?.strip_prefix(TEXT) else { continue };
            for (_, relocation) in section.relocations() {
                let RelocationTarget::Symbol(index) = relocation.target() else { continue };
                let callee = code.symbol_by_index(index)?;
                let name = match callee.section_index() {
                    Some(index) => code.section_by_index(index)?.name()?.trim_start_matches(TEXT),
                    None => callee.name()?,
                };
                if let Some(callers) = self.outlined.get_mut(&demangled(name)) {
                    callers.insert(demangled(caller));
                }
            }
        }
        Ok(())
    }

    /// All that is wrong with them.
    fn complaints(&self, target: &str, expected: &[Expected]) -> Vec<String> {
        let mut complaints = Vec::new();
        for (intrinsic, callers) in &self.outlined {
            let callers: Vec<&str> = callers.iter().map(String::as_str).collect();
            complaints.push(format!("out of line: {intrinsic}, called by {}", callers.join(" and ")));
        }
        for row in expected.iter().filter(|row| target.starts_with(row.arch)) {
            for token in row.tokens {
                for (key, job) in row
                    .keys
                    .iter()
                    .flat_map(|key| row.jobs.iter().copied().flatten().map(move |job| (key, job)))
                {
                    if !self.defined.iter().any(|name| is_kernel(name, [token, key, job])) {
                        complaints.push(format!("no kernel: {token}::run for {key}, {job}"));
                    }
                }
            }
        }
        complaints
    }
}

/// The name as written in Rust, without hashes.
fn demangled(name: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(name))
}

/// Is it a vector intrinsic, compiled as a function?
fn is_intrinsic(name: &str) -> bool {
    INTRINSICS.iter().any(|(path, function)| name.starts_with(path) && name.contains(function))
}

/// Is it `<.. key .. job .. as ..::CompiledFor<.. token ..>>::run`?
fn is_kernel(name: &str, [token, key, job]: [&str; 3]) -> bool {
    name.rsplit_once("::CompiledFor<").is_some_and(|(closure, isa)| {
        isa.ends_with(">::run") && has(isa, token) && has(closure, key) && has(closure, job)
    })
}

/// Is `words` in the text, as whole words?
fn has(text: &str, words: &str) -> bool {
    let outside = |c: Option<char>| c.is_none_or(|c| c != '_' && !c.is_alphanumeric());
    text.match_indices(words).any(|(at, _)| {
        outside(text[..at].chars().next_back()) && outside(text[at + words.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_intrinsics() {
        assert!(is_intrinsic("core::core_arch::x86::avx512f::_mm512_rol_epi32::<7>"));
        assert!(is_intrinsic("core::core_arch::arm_shared::neon::generated::vaeseq_u8"));
        assert!(!is_intrinsic("core::core_arch::x86_64::cpuid::__cpuid_count"));
        assert!(!is_intrinsic("abreast::aes::_mm_like"));
    }

    #[test]
    fn the_parts_of_a_kernel_are_whole_words() {
        let name = "<<abreast::ciphers::aes::AesKey<11>>::visit<abreast::loops::ctr::CtrKeystream>::{closure#3} \
            as simd::isa::CompiledFor<simd::x86::Avx512Vaes, ()>>::run";
        assert!(is_kernel(name, ["Avx512Vaes", "AesKey<11>", "ctr::CtrKeystream"]));
        assert!(!is_kernel(name, ["Avx512", "AesKey<11>", "ctr::CtrKeystream"]));
        assert!(!is_kernel(name, ["Vaes", "AesKey<11>", "ctr::CtrKeystream"]));
        assert!(!is_kernel(name, ["Avx512Vaes", "AesKey<1>", "ctr::CtrKeystream"]));
        assert!(!is_kernel(name, ["Avx512Vaes", "AesKey<13>", "ctr::CtrKeystream"]));
        assert!(!is_kernel(name, ["Avx512Vaes", "AesKey<11>", "ecb::EcbBlocks"]));
        assert!(!is_kernel(
            &name.replace("::run", "::run::{closure#0}"),
            ["Avx512Vaes", "AesKey<11>", "ctr::CtrKeystream"]
        ));
        // The path of the token does not count for the closure.
        assert!(!is_kernel(name, ["Avx512Vaes", "x86", "ctr::CtrKeystream"]));
    }
}
