//! Links of the documents to files of this repository and to headings, and paths in back-ticks: all are there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use crate::files;
use crate::outcome::{Outcome, Stop, none_of};

/// The pages of the book. Links between them are relative; a built book has nothing else of the repository.
pub(crate) const BOOK: &str = "book/src";
/// The addresses of this repository's files and folders, for documents that are read elsewhere.
const ADDRESSES: [&str; 2] =
    ["https://github.com/abreast/abreast/blob/main/", "https://github.com/abreast/abreast/tree/main/"];

/// Checks every document that git knows.
pub(crate) fn check() -> Outcome {
    let documents = listed("*.md")?;
    // A folder that is gone is named by what was not renamed.
    let mut folders =
        BTreeSet::from(["bench", "docs", "fuzz", "python", "vectors", "xtask"].map(str::to_owned));
    folders.extend(listed("*/*")?.iter().filter_map(|file| Some(file.split_once('/')?.0.to_owned())));
    let mut broken = Vec::new();
    // A symbolic link is a document of a package; its links are those of the document that it leads to.
    for document in documents.iter().filter(|document| !Path::new(document).is_symlink()) {
        let text = files::read(Path::new(document))?;
        for link in links(&text) {
            let (path, heading) = link.split_once('#').unwrap_or((&link, ""));
            let target = target(document, path);
            let found =
                target.exists() && (heading.is_empty() || headings(&files::read(&target)?).contains(heading));
            if !found {
                broken.push(format!("{document}: nothing at {link}"));
            } else if document.starts_with(BOOK) && !link.contains("://") && path.starts_with("../..") {
                broken.push(format!("{document}: {link} leads out of the book: {}PATH", ADDRESSES[0]));
            }
        }
        for path in paths(&text, &folders).into_iter().filter(|path| !Path::new(path).exists()) {
            broken.push(format!("{document}: no file `{path}`"));
        }
    }
    none_of(&broken)
}

/// Returns the files that git knows by a pattern.
pub(crate) fn listed(pattern: &str) -> Result<Vec<String>, Stop> {
    let listed = Command::new("git").args(["ls-files", pattern]).output();
    let listed = listed.map_err(|error| format!("git: {error}"))?;
    let files: Vec<_> = String::from_utf8_lossy(&listed.stdout).lines().map(str::to_owned).collect();
    if !listed.status.success() || files.is_empty() {
        return Err(Stop::Failed(format!("git does not list the files {pattern}")));
    }
    Ok(files)
}

/// Returns the file that a link of a document leads to.
fn target(document: &str, path: &str) -> PathBuf {
    match ADDRESSES.iter().find_map(|address| path.strip_prefix(address)) {
        Some(path) => PathBuf::from(path),
        None if path.is_empty() => PathBuf::from(document),
        None => Path::new(document).with_file_name("").join(path),
    }
}

/// Returns the targets of the links and images of a document, except those elsewhere on the web.
fn links(text: &str) -> Vec<String> {
    let targets = Parser::new(text).filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some(dest_url.into_string())
        }
        _ => None,
    });
    let here = |target: &String| {
        let ours = ADDRESSES.iter().any(|address| target.starts_with(address));
        ours || !target.contains("://") && !target.starts_with("mailto:")
    };
    targets.filter(here).collect()
}

/// Returns the texts in back-ticks that look like paths from the root of the repository.
fn paths(text: &str, folders: &BTreeSet<String>) -> Vec<String> {
    let spans = Parser::new(text).filter_map(|event| match event {
        Event::Code(text) => Some(text.into_string()),
        _ => None,
    });
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-".contains(letter);
    let in_folder = |text: &String| text.split_once('/').is_some_and(|(first, _)| folders.contains(first));
    spans.filter(|text| text.chars().all(plain) && in_folder(text)).collect()
}

/// The names by which headings are linked: in small letters, with hyphens for spaces, without punctuation.
fn headings(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut heading = None;
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(part) | Event::Code(part) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&part);
                }
            }
            Event::End(TagEnd::Heading(_)) => names.extend(heading.take().map(|heading| name(&heading))),
            _ => {}
        }
    }
    names
}

fn name(heading: &str) -> String {
    let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::{headings, links, paths, target};

    #[test]
    fn what_is_linked() {
        let text = "[a](b.md#c) and `[no](link)` and ![d](e.svg), <https://f> and [g](https://h)\n\n    [no](link)\n";
        assert_eq!(links(text), ["b.md#c", "e.svg"]);
    }

    #[test]
    fn addresses_of_the_repository_are_links_to_its_files() {
        let address = "https://github.com/abreast/abreast/blob/main/tools/xtask/Cargo.toml";
        assert_eq!(links(&format!("[a]({address}) <https://github.com/abreast/abreast>")), [address]);
        assert_eq!(target("book/src/start.md", address), Path::new("tools/xtask/Cargo.toml"));
    }

    #[test]
    fn paths_in_back_ticks() {
        let text =
            "`docs/a.md` docs/b.md `crates/*/c` `crates/x` `target/x` `crates/x -y` `docs`\n\n    `docs/c`\n";
        let folders = BTreeSet::from(["crates".to_owned(), "docs".to_owned()]);
        assert_eq!(paths(text, &folders), ["docs/a.md", "crates/x"]);
    }

    #[test]
    fn what_can_be_linked() {
        let names = headings("# The `first`, and more\n\ntext\n\n## C++ and C\n");
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["c-and-c", "the-first-and-more"]);
    }
}
