//! Known answers, each set through Rust and through C, at every kernel of this CPU, against the counts that are committed.
//!
//! The tests of the library count the cases of each set; a client in C counts those that it is given as lines. Neither a
//! set nor a case of one may get lost: `judges/vectors/answers.txt` has the counts, which may only grow.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::clients;
use crate::files;
use crate::outcome::{Outcome, Stop, none_of};
use crate::process::{capture, need, run, say};
use crate::workspace::{Workspace, program_of};

const COUNTS: &str = "judges/vectors/answers.txt";
const CLIENT: &str = "faces/c/tests/clients/answers.c";
/// The part that the names of the tests that check and count known answers have in common.
const TESTS: &str = "known_answers";

const OPENING: &str = "\
# How many known answers of each set the library gives at every kernel, through Rust and through C. `cargo xtask answers`
# counts them and fails on fewer; `cargo xtask answers --write` writes this file. Through C go all sets whose mode has
# calls there: SIV, the subkeys of AEZ and the order of bytes of Serpent's submission have none. Packets of ESP and QUIC are counted
# through C alone: in Rust the tests of abreast-frames have them.
#
# set Rust C
";

/// The numbers of cases of a set that were checked, through Rust and through C.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Count {
    rust: u64,
    c: u64,
}

type Counts = BTreeMap<String, Count>;

/// Counts, and compares with what is committed.
pub(crate) fn check(workspace: &Workspace) -> Outcome {
    let found = count(workspace)?;
    for (set, Count { rust, c }) in &found {
        say(&format!("{set:28} {rust:6} through Rust {c:6} through C"));
    }
    let sum = |of: fn(&Count) -> u64| found.values().map(of).sum::<u64>();
    say(&format!("{:28} {:6} through Rust {:6} through C", "all", sum(|it| it.rust), sum(|it| it.c)));
    let committed = files::read(COUNTS)?;
    compare(&parsed(&committed)?, &found)
}

/// Counts, and writes what is to be committed.
pub(crate) fn write(workspace: &Workspace) -> Outcome {
    let found = count(workspace)?;
    let mut text = OPENING.to_owned();
    for (set, Count { rust, c }) in &found {
        text.push_str(&format!("{set} {rust} {c}\n"));
    }
    files::write(COUNTS, text)
}

/// The counts of a file.
fn parsed(text: &str) -> Result<Counts, Stop> {
    let mut counts = Counts::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<_> = line.split(' ').collect();
        let entry = match fields[..] {
            [set, rust, c] => rust.parse().ok().zip(c.parse().ok()).map(|(rust, c)| (set, Count { rust, c })),
            _ => None,
        };
        let (set, count) = entry.ok_or_else(|| format!("{COUNTS}: `{line}` is not a set and two numbers"))?;
        counts.insert(set.to_owned(), count);
    }
    Ok(counts)
}

/// Fewer are a failure. So are more, which nobody would miss later: they have to be committed.
fn compare(committed: &Counts, found: &Counts) -> Outcome {
    let mut complaints = Vec::new();
    let sets = committed.keys().chain(found.keys().filter(|set| !committed.contains_key(*set)));
    for set in sets {
        let of = |counts: &Counts| counts.get(set).copied().unwrap_or_default();
        let (before, now) = (of(committed), of(found));
        for (language, before, now) in [("Rust", before.rust, now.rust), ("C", before.c, now.c)] {
            if now < before {
                complaints.push(format!("{set}: {now} answers through {language}, and there were {before}"));
            } else if now > before {
                complaints.push(format!(
                    "{set}: {now} answers through {language}, of which {COUNTS} has {before}: \
                     run `cargo xtask answers --write`"
                ));
            }
        }
    }
    none_of(&complaints)
}

fn count(workspace: &Workspace) -> Result<Counts, Stop> {
    need("cc")?;
    let folder = workspace.target.join("answers");
    let tree = clients::lay_out(workspace, &folder, "lib")?;
    let mut counts = Counts::new();
    for (set, count) in through_rust(workspace, &folder)? {
        counts.entry(set).or_default().rust += count;
    }
    for (set, count) in through_c(workspace, &folder, &tree)? {
        counts.entry(set).or_default().c += count;
    }
    Ok(counts)
}

/// Runs the library's tests that check known answers, and returns their counts.
fn through_rust(workspace: &Workspace, folder: &Path) -> Result<Vec<(String, u64)>, Stop> {
    let made = workspace.release()?;
    let tests = made.iter().filter(|artifact| artifact.test && artifact.package == "abreast");
    let (file, mut ran) = (folder.join("rust"), false);
    for artifact in tests {
        let Some(program) = &artifact.executable else { continue };
        let mut command = Command::new(program);
        command.arg(TESTS).current_dir(&artifact.folder).env("ABREAST_ANSWERS", &file);
        run(command.env_remove("ABREAST_SHORT"))?;
        ran = true;
    }
    if !ran {
        return Err(Stop::Failed("cargo built no tests of the library".to_owned()));
    }
    let text = files::read(&file)?;
    Ok(numbered(&text))
}

/// A client in C, which is given all cases as lines.
fn through_c(workspace: &Workspace, folder: &Path, tree: &Path) -> Result<Vec<(String, u64)>, Stop> {
    let made = workspace.release()?;
    let lines = capture(&mut Command::new(program_of(&made, "abreast-vectors")?))?;
    let file = folder.join("lines");
    files::write(&file, lines)?;
    let (client, lib) = (folder.join("client"), tree.join("lib"));
    let mut compile = Command::new("cc");
    compile.args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-I"]);
    compile.arg(tree.join("include")).arg(CLIENT).arg("-o").arg(&client).arg("-L").arg(&lib);
    run(compile.arg("-labreast"))?;
    Ok(numbered(&capture(Command::new(&client).arg(&file).env("LD_LIBRARY_PATH", &lib))?))
}

/// Lines of a number and a name.
fn numbered(text: &str) -> Vec<(String, u64)> {
    let line = |line: &str| {
        let (count, set) = line.split_once(' ')?;
        Some((set.to_owned(), count.parse().ok()?))
    };
    text.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(committed: &str, found: &str) -> String {
        match compare(&parsed(committed).unwrap(), &parsed(found).unwrap()) {
            Err(Stop::Failed(why)) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn counts_may_only_grow() {
        let committed = "# set\ngcm 18 18\nsiv 17 0\n";
        assert!(compare(&parsed(committed).unwrap(), &parsed(committed).unwrap()).is_ok());
        let fewer = complaint(committed, "gcm 18 17\nsiv 17 0\n");
        assert_eq!(fewer, "gcm: 17 answers through C, and there were 18");
        let none = complaint(committed, "gcm 18 18\n");
        assert_eq!(none, "siv: 0 answers through Rust, and there were 17");
        assert!(complaint(committed, "gcm 18 18\nsiv 17 0\nxts 1 0\n").contains("answers --write"));
        assert!(parsed("gcm 18\n").is_err());
    }
}
