//! Links of the documents to files of this repository and to headings: all are there.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use crate::steps::{Outcome, Stop};

/// Checks every document that git knows.
pub(crate) fn check() -> Outcome {
    let listed = Command::new("git").args(["ls-files", "*.md"]).output();
    let listed = listed.map_err(|error| format!("git: {error}"))?;
    let documents = String::from_utf8_lossy(&listed.stdout);
    if !listed.status.success() || documents.is_empty() {
        return Err(Stop::Failed("git does not say which documents there are".to_owned()));
    }
    let mut broken = Vec::new();
    // A symbolic link is a document of a package; its links are those of the document that it leads to.
    for document in documents.lines().filter(|document| !Path::new(document).is_symlink()) {
        let text = read(Path::new(document))?;
        for link in links(&text) {
            let (path, heading) = link.split_once('#').unwrap_or((&link, ""));
            let target = Path::new(document).with_file_name("").join(path);
            let target = if path.is_empty() { Path::new(document) } else { &target };
            let found = target.exists() && (heading.is_empty() || headings(&read(target)?).contains(heading));
            if !found {
                broken.push(format!("{document}: nothing at {link}"));
            }
        }
    }
    if broken.is_empty() { Ok(()) } else { Err(Stop::Failed(broken.join("\n"))) }
}

fn read(path: &Path) -> Result<String, Stop> {
    fs::read_to_string(path).map_err(|error| Stop::Failed(format!("{}: {error}", path.display())))
}

/// Returns the targets of the links and images of a document, except those elsewhere on the web.
fn links(text: &str) -> Vec<String> {
    let targets = Parser::new(text).filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some(dest_url.into_string())
        }
        _ => None,
    });
    targets.filter(|target| !target.contains("://") && !target.starts_with("mailto:")).collect()
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
    use super::{headings, links};

    #[test]
    fn what_is_linked() {
        let text = "[a](b.md#c) and `[no](link)` and ![d](e.svg), <https://f> and [g](https://h)\n\n    [no](link)\n";
        assert_eq!(links(text), ["b.md#c", "e.svg"]);
    }

    #[test]
    fn what_can_be_linked() {
        let names = headings("# The `first`, and more\n\ntext\n\n## C++ and C\n");
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["c-and-c", "the-first-and-more"]);
    }
}
