//! Prose in the sources: no summary of documentation begins with a word that makes the reader decode the rest, and no error
//! text states a rule alone.

use crate::files;
use crate::links::listed;
use crate::outcome::{Outcome, none_of};

/// First words of summaries that describe a thing instead of naming it.
const WORDS: [&str; 15] = [
    "what", "where", "whether", "which", "who", "whom", "whose", "how", "those", "that", "as", "of",
    "likewise", "also", "it",
];

/// First words that are two.
const PHRASES: [&str; 2] = ["the same", "so many"];

/// Verbs of rules.
const RULES: [&str; 6] = ["must", "has to", "have to", "may not", "may only", "needs to"];

/// Fails on each such summary and text.
pub(crate) fn check() -> Outcome {
    let mut found = Vec::new();
    for file in [listed("*.rs")?, listed("*.py")?, listed("*.pyi")?].concat() {
        let text = files::read(&file)?;
        let riddles = summaries(&text).filter(|(_, summary)| is_riddle(summary));
        let why = "a summary opens with a noun or a verb";
        found.extend(riddles.map(|(line, summary)| format!("{file}:{line}: {why}: {summary}")));
        if !file.split('/').any(|part| part == "tests" || part == "tests.rs") {
            let why = "an error says what was wrong before what is accepted";
            found.extend(bare_rules(&text).map(|(line, rule)| format!("{file}:{line}: {why}: {rule}")));
        }
    }
    none_of(&found)
}

/// Returns the first line of each documentation comment and docstring, with its number.
fn summaries(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut before = None;
    text.lines().enumerate().filter_map(move |(number, line)| {
        let line = line.trim_start();
        let kinds = ["///", "//!", "\"\"\""];
        let kind = kinds.into_iter().find(|kind| line.starts_with(kind) && !line.starts_with("////"));
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

/// Returns the texts of a line of code whose first clause is a rule, with its number. Documentation is no error, nor are texts for
/// developers.
fn bare_rules(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let product = text.find("#[cfg(test)]\nmod tests").map_or(text, |tests| &text[..tests]);
    let for_developers = ["//", "#", "\"\"\"", "assert", "reason = ", ".expect("];
    let lines = product.lines().enumerate().filter(move |(_, line)| {
        let line = line.trim_start();
        !for_developers.iter().any(|it| line.starts_with(it) || it.len() > 6 && line.contains(it))
    });
    lines.filter_map(|(number, line)| {
        let literal = line.split_once('"')?.1;
        let literal = literal.rsplit_once('"').map_or(literal, |(literal, _)| literal);
        let clause = literal.split([';', ':']).next().unwrap_or_default();
        let rule = |words: &str| clause.find(words).is_some_and(|at| !clause[..at].ends_with("that"));
        RULES.iter().any(|words| rule(&format!(" {words} "))).then_some((number + 1, literal))
    })
}

#[cfg(test)]
mod tests {
    use super::{bare_rules, is_riddle, summaries};

    #[test]
    fn rules_alone_are_found() {
        let text = "f(\"a key has to be of 16 bytes\")\ng(\"{len} bytes: a key has to have 16\")\n// \"it must go\"\n\
                    h(\"a pointer that must not be NULL is NULL\")\n#[cfg(test)]\nmod tests { \"it must go\" }\n";
        assert_eq!(bare_rules(text).collect::<Vec<_>>(), [(1, "a key has to be of 16 bytes")]);
    }

    #[test]
    fn riddles_are_found() {
        let text = "//! Round keys.\n\n/// What is read.\n/// Where it goes.\nfn f() {}\n// Whether.\n    /// `Of` a key.\n////\n\
                    def f():\n    \"\"\"Whether it is.\"\"\"\n";
        let found: Vec<_> = summaries(text).filter(|(_, summary)| is_riddle(summary)).collect();
        assert_eq!(found, [(3, "What is read."), (7, "`Of` a key."), (10, "Whether it is.\"\"\"")]);
        for (summary, riddle) in
            [("The same.", true), ("Offers a key.", false), ("True if so.", false), ("", false)]
        {
            assert_eq!(is_riddle(summary), riddle, "{summary}");
        }
    }
}
