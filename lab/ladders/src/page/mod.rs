//! Pages of HTML that hold everything, pictures, listings, tables and sentences, and need nothing from a network.

mod bench;
mod cards;
mod ladder;
mod live;
mod rows;
mod text;

use std::fmt::Write as _;

pub use bench::of_bench;
pub use ladder::{Section, sections};
pub use live::SCRIPT;
pub use text::PageError;

use text::page;

use crate::picture::{RULES, colours, escaped};
use crate::report::LaddersReport;

/// The layout of the parts about ladders, wherever they stand.
const LADDER_STYLE: &str = include_str!("ladder.css");

/// The layout of a page of ladders around these parts.
const STYLE: &str = "body{margin:0 auto;max-width:62em;padding:10px 10px 3em;background:var(--paper);color:var(--ink);\
font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}\
h1{font-size:1.9em;line-height:1.2;margin:.6em 0 .3em}h2{font-size:1.4em;line-height:1.25;margin:1.8em 0 .4em}\
.contents{padding-left:1.2em}a{color:var(--accent)}";

/// Returns the style sheet for a book whose reader chooses among themes of these names.
#[must_use]
pub fn style_of_book() -> String {
    let is = |themes: &[&str]| {
        themes.iter().map(|theme| format!(".{theme} .ladder")).collect::<Vec<_>>().join(",")
    };
    format!(
        "/* The pages about ladders: written by `cargo run -p records -- draw`. */\n{}{{{}}}\n{}{{{}}}\n\
         .ladder{{--paper:var(--bg)!important}}\n{}\n{LADDER_STYLE}",
        is(&["light", "rust"]),
        colours(false),
        is(&["coal", "navy", "ayu"]),
        colours(true),
        RULES
    )
}

/// Returns the page of a run of ladders. With the text of the module that `cargo xtask live` makes, a button on it runs steps in the
/// reader's browser.
///
/// # Errors
/// If a listing or a figure of a text is not there.
pub fn of_ladders(report: &LaddersReport, module: Option<&str>) -> Result<String, PageError> {
    let mut body = String::new();
    let only = report.ladders.len() == 1;
    if !only {
        body += "<h1>Ladders</h1>\n<ul class=\"contents\">\n";
        for ladder in &report.ladders {
            let _ = writeln!(body, "<li><a href=\"#{}\">{}</a></li>", ladder.name, escaped(&ladder.title));
        }
        body += "</ul>\n";
    }
    for ladder in &report.ladders {
        for section in sections(report, ladder)? {
            let _ = write!(
                body,
                "<h{level} id=\"{}\">{}</h{level}>\n<div class=\"ladder\">\n{}</div>\n",
                section.id,
                escaped(&section.title),
                section.html,
                level = section.level
            );
        }
    }
    if let Some(module) = module {
        let _ = write!(body, "<script>{module}</script>\n<script>\n{SCRIPT}</script>\n");
    }
    let style = format!(
        ":root{{color-scheme:light dark;{}}}\n@media (prefers-color-scheme:dark){{:root{{{}}}}}\n{RULES}\n{LADDER_STYLE}{STYLE}",
        colours(false),
        colours(true)
    );
    Ok(page("Ladders", &style, &body))
}
