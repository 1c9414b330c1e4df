//! The count of `unsafe` per crate, tests included, against the committed one: it may only shrink.
//!
//! What is counted is the keyword as written, so a macro that holds one block for many intrinsics counts
//! once: it is the number of places that a reader has to believe.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::source;
use crate::steps::{Outcome, Stop};
use crate::workspace::Workspace;

const COMMITTED: &str = "xtask/unsafe-count.txt";

type Counts = BTreeMap<String, usize>;

/// Fails if a crate has more than was committed.
pub(crate) fn check(workspace: &Workspace) -> Outcome {
    let text = std::fs::read_to_string(COMMITTED).map_err(|error| format!("{COMMITTED}: {error}"))?;
    let (old, new) = (parse(&text)?, count(workspace)?);
    println!("{}", render(&new).trim_end());
    if new.iter().any(|(name, count)| *count < old.get(name).copied().unwrap_or(0)) {
        println!("fewer than committed: keep it with `cargo xtask unsafe-count --update`");
    }
    let grown = grown(&old, &new);
    if grown.is_empty() {
        return Ok(());
    }
    Err(Stop::Failed(format!(
        "{}\nremove it, or, if it has to be, run `cargo xtask unsafe-count --update` and say why in the commit",
        grown.join("\n")
    )))
}

/// Writes the count as it is.
pub(crate) fn update(workspace: &Workspace) -> Outcome {
    std::fs::write(COMMITTED, render(&count(workspace)?))
        .map_err(|error| Stop::Failed(format!("{COMMITTED}: {error}")))
}

fn count(workspace: &Workspace) -> Result<Counts, Stop> {
    let mut counts = Counts::new();
    for package in &workspace.packages {
        let mut count = 0;
        for path in source::files(package)? {
            count += source::words(&path)?.iter().filter(|word| word.text == "unsafe").count();
        }
        counts.insert(package.name.clone(), count);
    }
    Ok(counts)
}

fn grown(old: &Counts, new: &Counts) -> Vec<String> {
    let more = |(name, count): (&String, &usize)| {
        let before = old.get(name).copied().unwrap_or(0);
        (*count > before).then(|| format!("{name}: `unsafe` {count} times, committed {before}"))
    };
    new.iter().filter_map(more).collect()
}

fn render(counts: &Counts) -> String {
    let mut text = String::new();
    for (name, count) in counts {
        writeln!(text, "{name} {count}").expect("a string takes any text");
    }
    text
}

fn parse(text: &str) -> Result<Counts, String> {
    let line = |line: &str| {
        let (name, count) = line.split_once(' ')?;
        Some((name.to_owned(), count.parse().ok()?))
    };
    text.lines().map(|text| line(text).ok_or_else(|| format!("{COMMITTED}: {text:?}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_growth_is_reported() {
        let old = parse("a 3\nb 2\n").expect("well formed");
        let new = parse("a 2\nb 3\nc 1\n").expect("well formed");
        assert_eq!(grown(&old, &new).len(), 2);
        assert!(grown(&new, &new).is_empty());
        assert_eq!(parse(&render(&old)), Ok(old));
    }

    #[test]
    fn a_spoilt_file_is_an_error() {
        assert!(parse("a three").is_err());
    }
}
