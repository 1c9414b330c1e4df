//! Listings of the code that is measured, taken from its files when this crate is compiled.
//!
//! An item is found by its name and not by line numbers. One that is not there, or there twice, is an error, and a test makes
//! all listings; so a function that is renamed takes its listing along or fails the test.

use std::fmt::Write as _;

use crate::ladder::LONGEST_NAME;
use crate::picture::escaped;

/// A file with code of steps.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// Its path in the repository.
    pub path: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// Names a file of a ladder, for a module of stories: `source!("xtea/rounds.rs")`.
macro_rules! source {
    ($path:literal) => {
        $crate::source::Source {
            path: concat!("lab/ladders/src/ladders/", $path),
            text: include_str!(concat!("../ladders/", $path)),
        }
    };
}
pub(crate) use source;

/// A piece of a file.
#[derive(Clone, Copy, Debug)]
pub enum Item {
    /// A function, constant or structure of this name, outside of all blocks.
    Whole(Source, &'static str),
    /// A function, constant or structure of this name after the line that begins with the second text: an `impl`.
    Within(Source, &'static str, &'static str),
    /// The signature of a function, and its lines from one that holds the first text to the next that holds the second.
    Part(Source, &'static str, &'static str, &'static str),
    /// The call that makes the step of this name, without its sentences.
    Call(Source, &'static str),
}

/// The mark for lines that are left out.
const LEFT_OUT: &str = "⋯";

/// A listing that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError(String);

impl SourceError {
    pub(crate) fn new(what: String) -> Self {
        Self(what)
    }
}

impl std::fmt::Display for SourceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SourceError {}

/// The lines of an item, and the number of the first in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    /// Without the indentation that all of them have.
    pub lines: Vec<String>,
    /// Counted from 1.
    pub first: usize,
}

/// Returns the name of the item that a line begins, at any indentation; an `impl` has none.
pub(crate) fn name_of(line: &str) -> Option<&str> {
    let kinds =
        ["const fn ", "fn ", "const ", "static ", "struct ", "enum ", "type ", "trait ", "macro_rules! "];
    let line = line.trim_start();
    let line = ["pub ", "pub(super) ", "pub(crate) "]
        .into_iter()
        .find_map(|word| line.strip_prefix(word))
        .unwrap_or(line);
    let rest = kinds.into_iter().find_map(|kind| line.strip_prefix(kind))?;
    rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()
}

impl Item {
    /// Returns the file.
    #[must_use]
    pub fn source(&self) -> Source {
        let (Self::Whole(source, _)
        | Self::Within(source, ..)
        | Self::Part(source, ..)
        | Self::Call(source, _)) = self;
        *source
    }

    /// Returns the lines.
    ///
    /// # Errors
    /// If the item, or a text in it, is not there or is there twice.
    pub fn lines(&self) -> Result<Lines, SourceError> {
        let source = self.source();
        let all: Vec<&str> = source.text.lines().collect();
        match *self {
            Self::Whole(_, name) => whole(source, &all, 0, name),
            Self::Within(_, within, name) => {
                let after = only(source, within, &all, |line| line.starts_with(within))?;
                whole(source, &all, after, name)
            }
            Self::Part(_, name, from, to) => part(source, whole(source, &all, 0, name)?, from, to),
            Self::Call(_, name) => call(source, &all, name),
        }
    }
}

/// Returns the number of the one line for which something is true.
fn only(
    source: Source,
    what: &str,
    lines: &[impl AsRef<str>],
    is_it: impl Fn(&str) -> bool,
) -> Result<usize, SourceError> {
    let found: Vec<usize> = (0..lines.len()).filter(|&i| is_it(lines[i].as_ref())).collect();
    match found[..] {
        [i] => Ok(i),
        _ => Err(SourceError(format!("{}: '{what}' is there {} times", source.path, found.len()))),
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns a whole item. Below an `impl`, the first of its name counts.
fn whole(source: Source, all: &[&str], after: usize, name: &str) -> Result<Lines, SourceError> {
    let start = if after == 0 {
        only(source, name, all, |line| indent(line) == 0 && name_of(line) == Some(name))?
    } else {
        let found = (after..all.len()).find(|&i| name_of(all[i]) == Some(name));
        found.ok_or_else(|| SourceError(format!("{}: '{name}' is not in that block", source.path)))?
    };
    let deep = indent(all[start]);
    let end = end_of_item(source, all, start)?;
    let lines = all[start..=end].iter().map(|line| line.get(deep..).unwrap_or_default().to_owned());
    Ok(Lines { lines: lines.collect(), first: start + 1 })
}

/// Returns the number of the last line of the item whose head is at a line.
pub(crate) fn end_of_item(source: Source, all: &[&str], start: usize) -> Result<usize, SourceError> {
    let deep = indent(all[start]);
    if all[start].ends_with([';', '}']) {
        return Ok(start);
    }
    let closes = |line: &str| indent(line) == deep && ["}", "};", "];", ");"].contains(&line.trim());
    (start + 1..all.len())
        .find(|&i| closes(all[i]))
        .ok_or_else(|| SourceError(format!("{}: '{}' has no end", source.path, all[start].trim())))
}

/// Returns the signature of an item and some of its lines.
fn part(source: Source, item: Lines, from: &str, to: &str) -> Result<Lines, SourceError> {
    let Lines { lines, first } = item;
    let start = only(source, from, &lines, |line| line.contains(from))?;
    let more = (start..lines.len()).find(|&i| lines[i].contains(to));
    let end = more.ok_or_else(|| SourceError(format!("{}: '{to}' is not after '{from}'", source.path)))?;
    let head = lines.iter().position(|line| line.ends_with('{')).unwrap_or(0);
    let start = start.max(head + 1);
    // The lines of a deep loop stand as if the function began with them.
    let deep = lines[start..=end].iter().filter(|line| !line.is_empty()).map(|line| indent(line)).min();
    let deep = deep.unwrap_or(0).saturating_sub(4);
    let mut kept: Vec<String> = lines[..=head].to_vec();
    let gap = format!("    {LEFT_OUT}");
    if start > head + 1 {
        kept.push(gap.clone());
    }
    kept.extend(lines[start..=end].iter().map(|line| line.get(deep..).unwrap_or_default().to_owned()));
    if end + 2 < lines.len() {
        kept.push(gap);
    }
    kept.push("}".into());
    Ok(Lines { lines: kept, first })
}

/// Returns the call that has the name of a step for its first text.
fn call(source: Source, all: &[&str], name: &str) -> Result<Lines, SourceError> {
    let literal = format!("\"{name}\",");
    let named = only(source, name, all, |line| line.trim() == literal)?;
    let deep = indent(all[named]).saturating_sub(4);
    let start = (0..named).rev().find(|&i| indent(all[i]) == deep && !all[i].trim().is_empty());
    let end = (named..all.len()).find(|&i| indent(all[i]) == deep && all[i].trim().starts_with([')', '}']));
    let (start, end) = start.zip(end).ok_or_else(|| {
        SourceError(format!("{}: the call with '{name}' has no beginning or end", source.path))
    })?;
    let mut lines = Vec::new();
    let mut in_text = false;
    for line in &all[start..=end] {
        let text = line.trim();
        let is_text = in_text || text.starts_with('"') && text.len() > LONGEST_NAME + 3;
        in_text = is_text && text.ends_with('\\');
        let kept = line.get(deep..).unwrap_or_default();
        if !is_text {
            lines.push(kept.to_owned());
        } else if lines.last().is_none_or(|last: &String| last.trim() != LEFT_OUT) {
            lines.push(format!("    {LEFT_OUT}"));
        }
    }
    Ok(Lines { lines, first: start + 1 })
}

/// A listing: pieces of files, one below the other.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// All lines; an empty one between pieces.
    pub lines: Vec<String>,
    /// The file and line of the last piece.
    pub place: Option<(&'static str, usize)>,
}

impl Listing {
    /// Collects the lines of some items.
    ///
    /// # Errors
    /// If one of them is not there.
    pub fn of(items: &[Item]) -> Result<Self, SourceError> {
        let mut listing = Self::default();
        for item in items {
            let Lines { lines, first } = item.lines()?;
            if !listing.lines.is_empty() {
                listing.lines.push(String::new());
            }
            listing.lines.extend(lines);
            listing.place = Some((item.source().path, first));
        }
        Ok(listing)
    }

    /// Returns the lines that are not in another listing, without regard to indentation and the name of a function. `None` if
    /// these are more than four fifths, where marks would say nothing.
    #[must_use]
    pub fn new_lines(&self, before: &Self) -> Option<Vec<bool>> {
        let [old, new] = [before, self]
            .map(|listing| listing.lines.iter().map(|line| compared(line)).collect::<Vec<String>>());
        let kept = common(&old, &new);
        let says_something = |line: &String| line.chars().any(char::is_alphanumeric);
        let marks: Vec<bool> =
            self.lines.iter().zip(&kept).map(|(line, kept)| !kept && says_something(line)).collect();
        let [marked, all] = [
            marks.iter().filter(|mark| **mark).count(),
            self.lines.iter().filter(|line| says_something(line)).count(),
        ];
        (5 * marked <= 4 * all).then_some(marks)
    }

    /// Returns the listing as HTML. Marked lines have a bar and a colour of their own.
    #[must_use]
    pub fn html(&self, marks: Option<&[bool]>) -> String {
        let mut html = String::new();
        for (i, line) in self.lines.iter().enumerate() {
            let class = if marks.is_some_and(|marks| marks[i]) { "l new" } else { "l" };
            let text = if line.is_empty() { " ".into() } else { coloured(line.trim_start()) };
            let _ = write!(html, "<span class=\"{class}\" style=\"--i:{}\">{text}\n</span>", indent(line));
        }
        html
    }
}

/// A line as it is compared.
fn compared(line: &str) -> String {
    let line = line.trim();
    match line.split_once("fn ") {
        Some((before, rest)) if before.is_empty() || before.starts_with("pub") => {
            rest.trim_start_matches(|letter: char| letter.is_alphanumeric() || letter == '_').into()
        }
        _ => line.into(),
    }
}

/// Returns for each new line if it is in the longest common sequence of both.
fn common(old: &[String], new: &[String]) -> Vec<bool> {
    let mut lengths = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            lengths[i][j] = if old[i] == new[j] {
                1 + lengths[i + 1][j + 1]
            } else {
                lengths[i + 1][j].max(lengths[i][j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut kept = vec![false; new.len()];
    while i < old.len() && j < new.len() {
        if old[i] == new[j] {
            kept[j] = true;
            (i, j) = (i + 1, j + 1);
        } else if lengths[i + 1][j] >= lengths[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    kept
}

/// Words of the language that listings have.
const KEYWORDS: [&str; 23] = [
    "as", "break", "const", "else", "fn", "for", "if", "impl", "in", "let", "loop", "match", "move", "mut",
    "pub", "return", "self", "Self", "static", "struct", "super", "where", "while",
];

/// Returns a line of Rust with its comments, texts and keywords coloured.
fn coloured(line: &str) -> String {
    let mut html = String::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let of_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let (token, kind) = if rest.starts_with("//") {
            (rest, "i-c")
        } else if first == '"' && rest[1..].contains('"') {
            (&rest[..rest[1..].find('"').map_or(rest.len(), |end| end + 2)], "i-s")
        } else if of_word(first) {
            let word = &rest[..rest.find(|letter| !of_word(letter)).unwrap_or(rest.len())];
            (word, if KEYWORDS.contains(&word) { "i-k" } else { "" })
        } else {
            (&rest[..first.len_utf8()], "")
        };
        let text = escaped(token);
        html += &if kind.is_empty() { text } else { format!("<i class=\"{kind}\">{text}</i>") };
        rest = &rest[token.len()..];
    }
    html
}
