//! Texts of pages: figures filled in, letters escaped, and what is around a page.

use std::fmt;
use std::fmt::Write as _;

use crate::machine::Machine;
use crate::picture::escaped;
use crate::report::{LadderReport, WorkloadReport};
use crate::source::SourceError;
use crate::story::{self, UnknownPlace};

/// The address of the repository's files.
pub(super) const REPOSITORY: &str = "https://github.com/abreast/abreast/blob/main/";

/// A page that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageError {
    /// A listing.
    Source(SourceError),
    /// A figure in a text.
    Figure(UnknownPlace),
    /// A ladder, workload or step that has no words.
    Words(String),
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(error) => error.fmt(f),
            Self::Figure(error) => error.fmt(f),
            Self::Words(what) => write!(f, "no page has words for {what}"),
        }
    }
}

impl std::error::Error for PageError {}

impl From<SourceError> for PageError {
    fn from(error: SourceError) -> Self {
        Self::Source(error)
    }
}

impl From<UnknownPlace> for PageError {
    fn from(error: UnknownPlace) -> Self {
        Self::Figure(error)
    }
}

/// Returns a text as HTML: its figures filled in, code between back-ticks, and what stands between two stars stressed.
pub(super) fn prose(
    text: &str,
    ladder: &LadderReport,
    workload: &WorkloadReport,
) -> Result<String, PageError> {
    let text = escaped(&story::fill(text, ladder, &workload.name)?);
    Ok(between(&between(&text, "`", "code"), "**", "b"))
}

/// Returns a text whose parts between pairs of a mark are elements.
pub(super) fn between(text: &str, mark: &str, element: &str) -> String {
    let mut html = String::new();
    for (i, part) in text.split(mark).enumerate() {
        if i % 2 == 1 {
            let _ = write!(html, "<{element}>{part}</{element}>");
        } else {
            html += part;
        }
    }
    html
}

/// Returns the page with this style and body: the parts of every page around them.
pub(super) fn page(title: &str, style: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>abreast: {}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}</body>\n\
         </html>\n",
        escaped(title)
    )
}

/// Returns the sentence about the machine and the run, below the title of a page.
pub(super) fn about_machine(machine: &Machine, quick: bool) -> String {
    let more = if machine.more.is_empty() { String::new() } else { format!(" ({})", escaped(&machine.more)) };
    let quick = if quick { " Few samples were taken (<code>--quick</code>)." } else { "" };
    format!(
        "{}{more}, {} threads, abreast {}, {}. Figures of one run compare with each other; those of another machine or run do not.{quick}",
        escaped(&machine.to_string()),
        machine.threads,
        escaped(&machine.version),
        escaped(&machine.date),
    )
}
