//! The pages about ladders, from records of `abreast-bench ladder`.
//!
//! A page is that of `abreast-bench ladder --html`, in the form of a chapter: headings in Markdown, so that the book lists and
//! finds them, and everything else as HTML. Figures are those of the newest record that has the ladder, words are those of the
//! ladder as it is now.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use abreast_lab::ladders;
use abreast_lab::page::{SCRIPT, sections, style_of_book};
use abreast_lab::report::{LadderReport, LaddersReport};

use crate::document::{Drawn, read, records};

/// The folder of the pages, one for each ladder.
const PAGES: &str = "book/src/ladders";
/// The style sheet of the pages.
const STYLE: &str = "book/ladder.css";
/// Their script.
const LIVE: &str = "book/live.js";

/// Adds all pages and their style sheet.
pub(crate) fn drawn(root: &Path, files: &mut Vec<Drawn>) -> Result<(), String> {
    let runs: Vec<(PathBuf, LaddersReport)> = records(root, "ladders")?
        .into_iter()
        .map(|path| Ok((path.clone(), read(&path)?)))
        .collect::<Result<_, String>>()?;
    for name in ladders::NAMES {
        let newest = runs.iter().rev().find_map(|(_, run)| {
            run.ladders.iter().find(|ladder| ladder.name == name).map(|ladder| (run, ladder))
        });
        let (run, ladder) = newest.ok_or_else(|| format!("no record has the ladder '{name}'"))?;
        files.push((format!("{PAGES}/{name}.md"), page(run, with_words_of_today(ladder.clone()))?));
    }
    files.push((STYLE.into(), style_of_book()));
    files.push((LIVE.into(), SCRIPT.into()));
    Ok(())
}

/// Returns the page of a ladder.
fn page(run: &LaddersReport, ladder: LadderReport) -> Result<String, String> {
    let mut page = String::new();
    for section in sections(run, &ladder).map_err(|error| error.to_string())? {
        let marks = "#".repeat(section.level);
        let blank = section.html.contains("\n\n");
        assert!(!blank, "an empty line would end the HTML of '{}'", section.title);
        let _ =
            write!(page, "{marks} {}\n\n<div class=\"ladder\">\n{}</div>\n\n", section.title, section.html);
    }
    Ok(page.trim_end().to_owned() + "\n")
}

/// Returns a report with the sentences of the ladder as it is now, and the article's figures. What was measured stays.
fn with_words_of_today(mut report: LadderReport) -> LadderReport {
    let Some(ladder) = ladders::by_name(&report.name) else { return report };
    report.about = ladder.about.into();
    for measured in &mut report.workloads {
        let Some(workload) = ladder.workloads.iter().find(|workload| workload.name == measured.name) else {
            continue;
        };
        for step in &mut measured.steps {
            let Some(now) = workload.steps.iter().find(|now| now.name == step.name) else { continue };
            step.change = now.change.into();
            step.then = now.then;
            step.differs = now.differs.map(Into::into);
        }
    }
    report
}
