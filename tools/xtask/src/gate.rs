//! The inlining gate: kernels are whole, and they are there.
//!
//! A kernel is a closure compiled for an instruction set: the method `run` of the closure, by the trait
//! `CompiledFor` of `abreast-simd`, which has the instruction set for its parameter. Every function on the way to an intrinsic is `#[inline(always)]`. Where that attribute is missing the code
//! leaves the instruction set, each intrinsic becomes a call to a `core::core_arch` function, and the kernel
//! runs up to a hundred times slower while every test passes. So the release library may neither define such
//! a function nor want it from elsewhere. And it must define the kernels themselves, or this would pass on an
//! empty library.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget};

use crate::frames;
use crate::outcome::{Outcome, Stop};
use crate::process::{self, cargo, need_target, say};
use crate::workspace::{AARCH64, Artifact, Workspace, as_configured};

/// The targets for which `cargo xtask ci` runs the gate.
pub(crate) const TARGETS: [&str; 2] = ["x86_64-unknown-linux-gnu", AARCH64];

/// Beginnings of the paths of intrinsics, and what the names of those with vectors start with.
const INTRINSICS: [(&str, &str); 3] = [
    ("core::core_arch::x86", "::_mm"),
    ("core::core_arch::aarch64", "::v"),
    ("core::core_arch::arm_shared", "::v"),
];

/// Kernels that have to be there: every pairing of a token, a key and a job.
struct Expected {
    /// First part of the target triple; empty for every target.
    arch: &'static str,
    /// The instruction sets.
    tokens: &'static [&'static str],
    /// The types or files that the closure is made for: those with the round keys, or those of the passes.
    keys: &'static [&'static str],
    /// The jobs that the closure does.
    jobs: &'static [&'static str],
}

/// AES is compiled for AES-128 and for the longer keys, and bit-sliced for all of them; Serpent once; TEA and XTEA once for
/// both.
const AES: &[&str] = &["AesKey<11>", "AesKey<15>"];
const AES_SLICED: &[&str] = &["aes::bit_sliced"];
const SERPENT: &[&str] = &["abreast::ciphers::serpent::Serpent"];
const TWO_WORDS: &[&str] = &["two_words::TwoWordsKey"];
/// The loops of the modes for any block.
const JOBS: &[&str] =
    &["ecb::EcbBlocks", "ctr::CtrKeystream", "cbc::CbcDecrypt", "cfb::CfbDecrypt", "eax::CtrMac"];
/// The loops whose blocks wait for each other: by AES instructions on a register of one block.
const CHAINS: &[&str] =
    &["cbc::CbcEncrypt", "cfb::CfbEncrypt", "cfb::Cfb8Encrypt", "ofb::OfbKeystream", "cmac::CbcMac"];
/// The loops of the modes for blocks of 128 bits.
const JOBS_128: &[&str] =
    &["xts::XtsUnits", "hctr2::Hctr2Messages", "gcm::message::GcmMessage", "gcm::message::GcmPiece"];
/// The loop of a mode that AES alone has.
const JOBS_AES: &[&str] = &["gcm_siv::message::SivMessage"];
/// The long loops of GCM are calls, shared by its jobs.
const ROUNDS: &[&str] = &["AesRounds<11>", "AesRounds<15>"];
const LOOPS: &[&str] = &["gcm::stitched::whole_passes"];
/// Bit-sliced passes are calls; those of AES serve all key sizes.
const PASSES: &[&str] = &["encrypt", "decrypt"];
/// Serpent's: a group in registers, and any number of them.
const SERPENT_PASSES: &[&str] = &["encrypt_one", "encrypt_several", "decrypt_one", "decrypt_several"];
/// Two groups backward, where vectors are wide.
const SERPENT_TWO: &[&str] = &["decrypt_two"];
/// One block in vectors, where these can be quicker than general registers.
const SERPENT_ONE_BLOCK: &[&str] = &["encrypt_serial"];
/// The passes of TEA and of XTEA, each with functions of its own. The narrowest are calls where vectors are narrow.
const TWO_WORDS_PASSES: &[&str] = &["encrypt_groups", "decrypt_groups"];
const TWO_WORDS_GROUPS: &[&str] = &["XteaOneKey, 8", "XteaOneKey, 4", "TeaOneKey, 8", "TeaOneKey, 4"];
const TWO_WORDS_NARROW: &[&str] = &["XteaOneKey, 2", "XteaOneKey, 1", "TeaOneKey, 2", "TeaOneKey, 1"];
/// Their rows of packets, under a key in each lane.
const TWO_WORDS_ROWS: &[&str] = &["encrypt_rows", "decrypt_rows"];
const TWO_WORDS_LANES: &[&str] = &["XteaKeyPerLane", "TeaKeyPerLane"];

/// AEZ, which is no block cipher: a message, and what is made with a key.
const AEZ: &[&str] = &["abreast::aez::Aez"];
const AEZ_JOBS: &[&str] = &["aez::Encipher", "aez::Usual"];
/// Its long loops, and what is seldom, are calls: the two passes, the hash of strings and of other tag lengths,
/// messages that are short or empty.
const AEZ_PASSES: &[&str] = &[
    "aez::pairs::first_pass",
    "aez::pairs::second_pass",
    "aez::hash::string",
    "aez::hash::beside_nonce",
    "aez::Encipher",
];
/// Messages side by side, which are matched once for the whole batch.
const AEZ_BATCH: &[&str] = &["packets::aez::batch_with"];
const AEZ_ROUNDS: &[&str] = &["aez::instructions::Instructions"];
const AEZ_CIRCUIT: &[&str] = &["aez::circuit::Circuit"];

/// The hashes: interleaved by instructions, and in lanes. One message in general registers has no instruction set to enable.
const HASHES: &[&str] = &["hmac::hash"];
const HASHES_BY: &[&str] = &["sha1_by<1>", "sha1_by<2>", "sha1_by<4>", "sha256_by<1>", "sha256_by<2>"];
const HASHES_IN_LANES: &[&str] = &["sha1_in_lanes", "sha256_in_lanes"];

const X86: &[&str] = &["Sse2", "AesNi", "AesNiAvx", "Vaes", "Avx512Vaes"];
const X86_BASELINE: &[&str] = &["Sse2"];
const X86_WORDS: &[&str] = &["Sse2", "Avx2", "Avx512"];
const X86_AES: &[&str] = &["AesNi", "AesNiAvx", "Vaes", "Avx512Vaes"];
const X86_ONE_BLOCK: &[&str] = &["AesNi", "AesNiAvx"];

/// Kernels and passes that have to be there.
const fn kernels(
    arch: &'static str,
    tokens: &'static [&'static str],
    keys: &'static [&'static str],
    jobs: &'static [&'static str],
) -> Expected {
    Expected { arch, tokens, keys, jobs }
}

const EXPECTED: &[Expected] = &[
    kernels("x86_64", X86_AES, AES, JOBS),
    kernels("x86_64", X86_ONE_BLOCK, AES, CHAINS),
    kernels("x86_64", X86_AES, AES, JOBS_128),
    kernels("x86_64", X86_AES, AES, JOBS_AES),
    kernels("x86_64", X86_BASELINE, AES_SLICED, JOBS),
    kernels("x86_64", X86_BASELINE, AES_SLICED, CHAINS),
    kernels("x86_64", X86_BASELINE, AES_SLICED, JOBS_128),
    kernels("x86_64", X86_BASELINE, AES_SLICED, JOBS_AES),
    kernels("x86_64", X86_WORDS, SERPENT, JOBS),
    kernels("x86_64", X86_WORDS, SERPENT, CHAINS),
    kernels("x86_64", X86_WORDS, SERPENT, JOBS_128),
    kernels("x86_64", X86_WORDS, TWO_WORDS, JOBS),
    kernels("x86_64", X86_WORDS, TWO_WORDS, CHAINS),
    kernels("x86_64", X86_AES, ROUNDS, LOOPS),
    kernels("x86_64", X86_BASELINE, &["sliced"], PASSES),
    kernels("x86_64", X86_WORDS, &["serpent::rounds"], SERPENT_PASSES),
    kernels("x86_64", &["Avx2", "Avx512"], &["serpent::rounds"], SERPENT_TWO),
    kernels("x86_64", X86_WORDS, &["loops::gcm::stitched::apart"], &["Bitsliced"]),
    kernels("x86_64", &["Avx512"], &["serpent::rounds::Bitsliced"], SERPENT_ONE_BLOCK),
    kernels("x86_64", X86_WORDS, TWO_WORDS_PASSES, TWO_WORDS_GROUPS),
    kernels("x86_64", X86_BASELINE, TWO_WORDS_PASSES, TWO_WORDS_NARROW),
    kernels("x86_64", X86_WORDS, TWO_WORDS_ROWS, TWO_WORDS_LANES),
    kernels("x86_64", &["Avx512"], &["rc4::lanes::StreamLanes"], &["StreamLanes>::run"]),
    kernels("x86_64", &["ShaNi"], HASHES, HASHES_BY),
    kernels("x86_64", X86_WORDS, HASHES, HASHES_IN_LANES),
    kernels("x86_64", X86, AEZ, AEZ_JOBS),
    kernels("x86_64", X86_AES, &["packets::aez::batch_with"], AEZ_BATCH),
    kernels("x86_64", X86_AES, AEZ_ROUNDS, AEZ_PASSES),
    kernels("x86_64", X86_BASELINE, AEZ_CIRCUIT, AEZ_PASSES),
    kernels("aarch64", &["NeonAes"], AES, JOBS),
    kernels("aarch64", &["NeonAes"], AES, CHAINS),
    kernels("aarch64", &["NeonAes"], AES, JOBS_128),
    kernels("aarch64", &["NeonAes"], AES, JOBS_AES),
    kernels("aarch64", &["Neon"], AES_SLICED, JOBS),
    kernels("aarch64", &["Neon"], AES_SLICED, CHAINS),
    kernels("aarch64", &["Neon"], AES_SLICED, JOBS_128),
    kernels("aarch64", &["Neon"], AES_SLICED, JOBS_AES),
    kernels("aarch64", &["Neon"], SERPENT, JOBS),
    kernels("aarch64", &["Neon"], SERPENT, CHAINS),
    kernels("aarch64", &["Neon"], SERPENT, JOBS_128),
    kernels("aarch64", &["Neon"], TWO_WORDS, JOBS),
    kernels("aarch64", &["Neon"], TWO_WORDS, CHAINS),
    kernels("aarch64", &["Neon"], TWO_WORDS_PASSES, TWO_WORDS_GROUPS),
    kernels("aarch64", &["Neon"], TWO_WORDS_PASSES, TWO_WORDS_NARROW),
    kernels("aarch64", &["Neon"], TWO_WORDS_ROWS, TWO_WORDS_LANES),
    kernels("aarch64", &["Neon"], &["sliced"], PASSES),
    kernels("aarch64", &["Neon"], &["serpent::rounds"], SERPENT_PASSES),
    kernels("aarch64", &["Neon"], &["loops::gcm::stitched::apart"], &["Bitsliced"]),
    kernels("aarch64", &["NeonSha"], HASHES, HASHES_BY),
    kernels("aarch64", &["Neon"], HASHES, HASHES_IN_LANES),
    kernels("aarch64", &["Neon", "NeonAes"], AEZ, AEZ_JOBS),
    kernels("aarch64", &["NeonAes"], AEZ_ROUNDS, AEZ_PASSES),
    kernels("aarch64", &["Neon"], AEZ_CIRCUIT, AEZ_PASSES),
    // The portable code has no instruction set to enable.
    kernels("", &["Portable"], &["serpent::one_block"], PASSES),
];

/// The prefix of the name of a function's section.
const TEXT: &str = ".text.";

/// The kernels in the fixtures of the self test.
const FIXTURE: &[Expected] = &[fixture("x86_64"), fixture("aarch64")];

const fn fixture(arch: &'static str) -> Expected {
    kernels(arch, &["Token"], &["fixture"], &["ecb"])
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
    if complaints.is_empty() { Ok(()) } else { Err(Stop::Failed(complaints.join("\n"))) }
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
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
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
                for (key, job) in row.keys.iter().flat_map(|key| row.jobs.iter().map(move |job| (key, job))) {
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
