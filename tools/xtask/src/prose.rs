//! Openings of documentation: no summary begins with a word that makes the reader decode the rest.

use std::fs;
use std::process::Command;

use crate::outcome::{Outcome, Stop};

/// First words of summaries that describe a thing instead of naming it.
const WORDS: [&str; 15] = [
    "what", "where", "whether", "which", "who", "whom", "whose", "how", "those", "that", "as", "of",
    "likewise", "also", "it",
];

/// First words that are two.
const PHRASES: [&str; 2] = ["the same", "so many"];

/// Fails on each summary that opens with such a word.
pub(crate) fn check() -> Outcome {
    let mut found = Vec::new();
    for file in sources()? {
        let text = fs::read_to_string(&file).map_err(|error| Stop::Failed(format!("{file}: {error}")))?;
        let riddles = summaries(&text).filter(|(_, summary)| is_riddle(summary));
        found.extend(riddles.map(|(line, summary)| format!("{file}:{line}: {summary}")));
    }
    if found.is_empty() {
        return Ok(());
    }
    let rule = "a summary names a thing by a noun or what a function does by a verb, and does not open with these words";
    Err(Stop::Failed(format!("{}\n{rule}", found.join("\n"))))
}

/// Returns the sources that git knows.
fn sources() -> Result<Vec<String>, Stop> {
    let listed = Command::new("git").args(["ls-files", "*.rs"]).output();
    let listed = listed.map_err(|error| Stop::Failed(format!("git: {error}")))?;
    let files: Vec<_> = String::from_utf8_lossy(&listed.stdout).lines().map(str::to_owned).collect();
    if !listed.status.success() || files.is_empty() {
        return Err(Stop::Failed("git does not say which sources there are".to_owned()));
    }
    Ok(files)
}

/// Returns the first line of each documentation comment, with its number.
fn summaries(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut before = None;
    text.lines().enumerate().filter_map(move |(number, line)| {
        let line = line.trim_start();
        let kind =
            ["///", "//!"].into_iter().find(|kind| line.starts_with(kind) && !line.starts_with("////"));
        let first = kind.is_some() && kind != before;
        before = kind;
        first.then(|| (number + 1, line[3..].trim_start()))
    })
}

/// True if a summary opens with a word that makes the reader decode the rest.
fn is_riddle(summary: &str) -> bool {
    let text = summary.trim_start_matches(['*', '`', '[', '_', ' ']).to_lowercase();
    let word = text.split(|letter: char| !letter.is_ascii_lowercase()).next().unwrap_or_default();
    WORDS.contains(&word) || PHRASES.iter().any(|phrase| text.starts_with(phrase))
}

#[cfg(test)]
mod tests {
    use super::{is_riddle, summaries};

    #[test]
    fn riddles_are_found() {
        let text = "//! Round keys.\n\n/// What is read.\n/// Where it goes.\nfn f() {}\n// Whether.\n    /// `Of` a key.\n////\n";
        let found: Vec<_> = summaries(text).filter(|(_, summary)| is_riddle(summary)).collect();
        assert_eq!(found, [(3, "What is read."), (7, "`Of` a key.")]);
        for (summary, riddle) in
            [("The same.", true), ("Offers a key.", false), ("True if so.", false), ("", false)]
        {
            assert_eq!(is_riddle(summary), riddle, "{summary}");
        }
    }
}
