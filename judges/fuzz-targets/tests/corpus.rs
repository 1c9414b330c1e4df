//! The committed corpora through the targets, as a stable compiler builds them, and inputs made from them.

use std::fs;
use std::path::{Path, PathBuf};

use abreast_fuzz_targets::{TARGETS, mutated};

#[path = "../../../crates/abreast/tests/suite/common/tally.rs"]
#[allow(dead_code, reason = "a part is used")]
mod tally;

/// Returns the folder of the programs and corpora of `cargo fuzz`.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz")
}

/// The names in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry of a folder").file_name().into_string().expect("a name in UTF-8"))
        .collect();
    names.sort();
    names
}

/// The files of a target's corpus with their names.
fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = folder().join("corpus").join(target);
    let read = |name: String| {
        let data = fs::read(folder.join(&name)).expect("a file of a corpus");
        (name, data)
    };
    names(&folder).into_iter().map(read).collect()
}

/// A number from the environment.
fn number(variable: &str) -> Option<u64> {
    let value = std::env::var(variable).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{variable}={value} is not a number")))
}

#[test]
fn every_file_of_every_corpus() {
    for (target, run) in TARGETS {
        let files = corpus(target);
        assert!(!files.is_empty(), "{target} has no corpus");
        for (name, data) in files {
            // Shown if the target panics.
            println!("judges/fuzz/corpus/{target}/{name}");
            run(&data);
            tally::note(1, "executions of fuzz targets");
        }
    }
}

/// Each input comes from a file and a seed, which are shown if the target panics.
#[test]
fn changed_files() {
    let cases = number("ABREAST_CASES").unwrap_or(100);
    let first = number("ABREAST_SEED").unwrap_or(1);
    for (target, run) in TARGETS {
        let files = corpus(target);
        for seed in first..first + cases {
            let (name, data) = &files[seed as usize % files.len()];
            println!("judges/fuzz/corpus/{target}/{name} changed by ABREAST_SEED={seed}");
            run(&mutated(data, seed));
        }
        tally::note(cases, "executions of fuzz targets");
    }
}

/// `cargo fuzz` knows the same targets: each has a program of one line, which is listed in the manifest.
#[test]
fn every_target_has_its_program() {
    let manifest = fs::read_to_string(folder().join("Cargo.toml")).expect("the manifest");
    let targets = TARGETS.map(|(target, _)| target);
    assert_eq!(names(&folder().join("corpus")), targets);
    assert_eq!(names(&folder().join("fuzz_targets")), targets.map(|target| format!("{target}.rs")));
    for target in targets {
        let program =
            fs::read_to_string(folder().join(format!("fuzz_targets/{target}.rs"))).expect("a program");
        let line = format!("fuzz_target!(|data: &[u8]| abreast_fuzz_targets::run(\"{target}\", data));");
        assert!(program.contains(&line), "{target} runs something else: {program}");
        assert!(
            manifest.contains(&format!("path = \"fuzz_targets/{target}.rs\"")),
            "{target} is not in the manifest"
        );
    }
}
